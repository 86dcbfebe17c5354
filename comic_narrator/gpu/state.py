"""The state folder: what serve started, the tenants' logs, and the locks that runs of one user share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from comic_narrator.errors import InTheWayError
from comic_narrator.gpu.tenants import Tenancy
from comic_narrator.model import parse_artefact

TENANTS = "tenants.json"
LOGS_KEPT = 4
"""Earlier logs of a tenant that are kept: a boot that was refused is looked at after the next one began."""


@dataclass(frozen=True)
class State:
    """A state folder at `root`."""

    root: Path

    @property
    def leases(self) -> Path:
        """The folder of the leases on cards."""
        return self.root / "leases"

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Hold the right to start and stop tenants; InTheWayError when another command has it."""
        self.root.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.root / "serve.lock", timeout=0)
        try:
            lock.acquire()
        except Timeout:
            raise InTheWayError(
                "Another command is starting or stopping tenants.", "Wait until it ends, then ask for the status."
            ) from None
        try:
            yield
        finally:
            lock.release()

    def tenancy(self) -> Tenancy | None:
        """What was started, or None when nothing was."""
        file = self.root / TENANTS
        return parse_artefact(Tenancy, file.read_bytes(), file) if file.is_file() else None

    def keep(self, tenancy: Tenancy) -> None:
        """Write down what was started; nothing is kept of nobody."""
        file = self.root / TENANTS
        if not tenancy.tenants:
            file.unlink(missing_ok=True)
            return
        partial = file.with_name(f".partial-{TENANTS}")
        with partial.open("w", encoding="utf-8") as out:
            out.write(tenancy.to_json())
            out.flush()
            os.fsync(out.fileno())
        partial.replace(file)

    def log_of(self, name: str) -> Path:
        """Where a tenant's log lies."""
        return self.root / "logs" / f"{name}.log"

    def fresh_log(self, name: str) -> Path:
        """An empty log for a tenant that is about to start; earlier ones move to NAME.1.log, NAME.2.log."""
        log = self.log_of(name)
        log.parent.mkdir(parents=True, exist_ok=True)
        aged = [log, *(log.with_name(f"{name}.{age}.log") for age in range(1, LOGS_KEPT + 1))]
        for older, newer in zip(reversed(aged), reversed(aged[:-1]), strict=False):
            if newer.is_file():
                newer.replace(older)
        log.touch()
        return log
