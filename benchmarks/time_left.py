"""How right the time left is that a run tells, stage by stage, once a tenth of the stage is done.

    python -m benchmarks.time_left [BOOK]

A book (by default our sample's pages, many times over) is filmed; each time left that its events tell is compared with
what the stage then took. Last seconds are not counted: they need no forecast.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from benchmarks.interrupts import draw
from benchmarks.kill_rig import FAKES, run_command

NEAR = 5.0
"""Seconds before the end of a stage from which on nothing is compared."""


def told(book: Path, folder: Path) -> dict[str, list[tuple[float, float, float | None]]]:
    """Of each stage, at each step: when it was (seconds), the share that was done, and the seconds that were left."""
    run = subprocess.Popen(
        run_command([str(book.absolute()), "-o", "film.mp4", "--lang", "en", "--events"]),
        cwd=folder,
        env=FAKES,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stderr is not None
    stages = defaultdict(list)
    for line in run.stderr:
        event = json.loads(line)
        if event["event"] == "stage":
            stages[event["stage"]].append((time.monotonic(), event["done"] / event["total"], event["seconds_left"]))
    if run.wait():
        raise SystemExit(f"exit {run.returncode}: {line}")
    return stages


def errors(steps: list[tuple[float, float, float | None]]) -> list[float]:
    """How far off each time left was, as a share of what the rest took."""
    end = steps[-1][0]
    return [
        abs(left - (end - at)) / (end - at) for at, share, left in steps if share >= 0.1 and left and end - at > NEAR
    ]


def main() -> None:
    """Film the book and print a row for each stage that lasts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("book", type=Path, nargs="?")
    parser.add_argument("--copies", type=int, default=10, help="of our sample's pages")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        if asked.book is None:
            draw(Path(place), asked.copies)
        stages = told(asked.book or Path(place) / "book", Path(place))
    for stage, steps in stages.items():
        if wrong := errors(steps):
            right = sum(error <= 0.2 for error in wrong) / len(wrong)
            print(
                f"{stage:<10} {len(wrong):>4} told, {right:.0%} within a fifth, half of them within "
                f"{statistics.median(wrong):.0%}, the worst off by {max(wrong):.0%}"
            )


if __name__ == "__main__":
    main()
