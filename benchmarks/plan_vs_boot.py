"""What the planner foresees beside what a real vLLM did: one row a boot log.

    python -m benchmarks.plan_vs_boot tests/records/boot --models tests/models

Each log names its flags and its model; the folder of that name under --models gives the dimensions. The card's memory
is read from the logs (VLLM_LOGGING_LEVEL=DEBUG says it) or given in GiB.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from comic_narrator.gpu.bootlog import read_log
from comic_narrator.gpu.needs import CONTEXT, GIB
from comic_narrator.gpu.plan import BootPlan, Room, plan_boot
from comic_narrator.gpu.refusals import Account
from comic_narrator.gpu.shape import read_shape


@dataclass(frozen=True)
class Compared:
    """A boot: what was foreseen, and what its log says."""

    name: str
    plan: BootPlan
    account: Account

    @property
    def foreseen(self) -> str:
        """Up, or why not."""
        return self.plan.refusal or "up"

    @property
    def happened(self) -> str:
        """Up, or why not."""
        if self.account.refusal:
            return self.account.refusal.cause
        return "up" if self.account.ready else "unknown"

    def row(self) -> tuple[str, ...]:
        """Name, outcomes, and foreseen / logged weights, activation, KV cache and tokens."""
        plan, account = self.plan, self.account
        tokens = plan.logged_tokens(account.version or (0, 20, 1)) if plan.up else None
        return (
            self.name,
            self.foreseen,
            self.happened,
            _pair(plan.weights / GIB, account.weights_gib),
            _pair(plan.activation / GIB, account.activation_gib),
            _pair(plan.kv / GIB, account.kv_gib),
            f"{tokens or '-'} / {account.kv_tokens or '-'}",
        )


def _pair(foreseen: float, logged: float | None) -> str:
    return f"{foreseen:.2f} / {'-' if logged is None else f'{logged:.2f}'}"


def compare(folder: Path, models: Path, total_gib: float | None = None) -> list[Compared]:
    """Every log of vLLM in `folder` whose model has a folder of its name in `models`."""
    accounts = {log.stem: read_log(log.read_text(errors="replace")) for log in sorted(folder.glob("*.log"))}
    said = [account.total_gib for account in accounts.values() if account.total_gib]
    total = total_gib or (said[0] if said else None)
    if total is None:
        raise SystemExit("No log says how much memory the card has: give --total-gib.")
    found = []
    for name, account in accounts.items():
        model = models / Path(account.model or "-").name
        if account.flags is None or not (model / "config.json").is_file():
            continue
        # A log that says what was free says so after the process took its CUDA context.
        free = account.free_gib * GIB + CONTEXT if account.free_gib is not None else total * GIB
        plan = plan_boot(read_shape(model), account.flags, Room(int(total * GIB), int(free)))
        found.append(Compared(name, plan, account))
    return found


def main() -> None:
    """Print the table as Markdown, and how many outcomes were foreseen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", type=Path)
    parser.add_argument("--models", type=Path, default=Path("tests/models"))
    parser.add_argument("--total-gib", type=float)
    given = parser.parse_args()
    rows = compare(given.logs, given.models, given.total_gib)
    print("| boot | foreseen | happened | weights GiB | activation GiB | KV cache GiB | KV tokens |")
    print("|---|---|---|---|---|---|---|")
    for compared in rows:
        print(f"| {' | '.join(compared.row())} |")
    right = sum(compared.foreseen == compared.happened for compared in rows)
    print(f"\n{right} of {len(rows)} outcomes foreseen. Each pair: foreseen / logged.")


if __name__ == "__main__":
    main()
