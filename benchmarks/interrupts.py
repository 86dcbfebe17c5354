"""How long a run takes to be gone after Ctrl-C, by the stage that it was in, and whether anything of it is left.

    python -m benchmarks.interrupts --times 40

A book of our sample's pages is filmed with the backends of the program, or with `--quick` ones. Each run is interrupted
once it has made a few things, and the next goes on from there, so that every stage is met; a book that is done is begun
anew.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import psutil

from benchmarks.kill_rig import FAKES, OPTIONS, ROOT, run_command
from comic_narrator.errors import INTERRUPTED
from comic_narrator.library.engines import exit_code

SAMPLE = ROOT / "samples" / "lighthouse.cbz"
MARK = "INTERRUPTS_RIG"
"""Set in the environment of a run, to find whatever it started."""
MOST, LONGEST = 4, 3.0
"""A run is interrupted when it has made so many things at most, and at most so many seconds after the last of them."""

GIVEN_UP = 20.0
"""Seconds after which what still runs counts as left."""


@dataclass(frozen=True)
class Interrupted:
    """A run that was interrupted: after which told stage, its exit code, and seconds until all of it was gone.

    `left` is what was not, `said` what it said last outside of events.
    """

    stage: str
    exit: int
    seconds: float
    left: tuple[str, ...]
    said: str

    @property
    def wrong(self) -> bool:
        """Whether it left anything, or with another exit code; what comes before Python itself is up is not ours."""
        return (self.exit != INTERRUPTED or bool(self.left)) and "init_import_site" not in self.said


class Run:
    """A run of the program whose events are heard."""

    def __init__(self, folder: Path, arguments: Sequence[str]) -> None:
        self.mark = uuid.uuid4().hex
        self.stage, self.said, self.made = "start-up", "", 0
        self.process = subprocess.Popen(
            run_command([*arguments, "--events"]),
            cwd=folder,
            env={**FAKES, MARK: self.mark},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            # Ctrl-C may be ignored where this script runs in the background, and children inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            try:
                event = json.loads(line)
            except ValueError:
                self.said += line
                continue
            if event["event"] == "stage":
                self.stage = "after " * (event["done"] == event["total"]) + event["stage"]
                self.made += event["made"]
            elif event["event"] == "error":
                self.said += event["what"]

    def wait_for(self, made: int) -> bool:
        """Wait until so many things are made; whether the run still goes on then."""
        while self.made < made and self.process.poll() is None:
            time.sleep(0.02)
        return self.process.poll() is None

    def interrupt(self) -> Interrupted:
        """Interrupt the run as a terminal does, the whole group, and wait until it and all that it started is gone."""
        began, stage = time.monotonic(), self.stage
        os.killpg(self.process.pid, signal.SIGINT)
        code = exit_code(self.process.wait())
        while (left := _alive(self.mark)) and time.monotonic() - began < GIVEN_UP:
            time.sleep(0.02)
        seconds = time.monotonic() - began
        if not left:
            self.listener.join()
        return Interrupted(stage, code, seconds, left, self.said[-2000:])


def draw(folder: Path, copies: int) -> None:
    """The sample's pages so many times over: enough of them for several processes."""
    (folder / "book").mkdir(parents=True)
    with ZipFile(SAMPLE) as sample:
        pages = sorted(name for name in sample.namelist() if name.endswith((".png", ".jpg")))
        for copy in range(copies):
            for i, name in enumerate(pages):
                target = folder / "book" / f"{copy * len(pages) + i + 1}{Path(name).suffix}"
                target.write_bytes(sample.read(name))


def _alive(mark: str) -> tuple[str, ...]:
    """What carries the mark and still runs."""
    left = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                left.append(" ".join(process.cmdline())[:120])
        except psutil.Error:
            continue
    return tuple(left)


def rig(
    times: int,
    seed: int,
    place: Path,
    *,
    quick: bool,
    copies: int = 3,
    told: Callable[[Interrupted], object] = lambda one: None,
) -> list[Interrupted]:
    """Interrupt runs so many times, over as many books as that takes."""
    chance, seen, books = random.Random(seed), list[Interrupted](), 0
    draw(place / "0", copies)
    while len(seen) < times:
        run = Run(place / str(books), ["book", "-o", "film.mp4", *(OPTIONS if quick else ("--lang", "en"))])
        goes_on = run.wait_for(chance.randint(0, MOST))
        try:
            code = run.process.wait(chance.uniform(0, LONGEST)) if goes_on else run.process.wait()
        except subprocess.TimeoutExpired:
            seen.append(run.interrupt())
            told(seen[-1])
            continue
        if code:
            raise SystemExit(f"exit {code}: {run.said}")
        books += 1
        draw(place / str(books), copies)
    return seen


def main() -> None:
    """Run the rig and print a row a stage; exit 1 if a run left anything or had another exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="quick backends instead of the program's own")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        seen = rig(asked.times, asked.seed, Path(place), quick=asked.quick, told=lambda one: print(one, flush=True))
    by_stage = defaultdict(list)
    for one in seen:
        by_stage[one.stage].append(one.seconds)
    for stage, seconds in by_stage.items():
        print(f"{stage:<16} {len(seconds):>3} times, {max(seconds):.2f} s at most")
    wrong = sum(one.wrong for one in seen)
    print(f"{len(seen)} interrupts: {max(one.seconds for one in seen):.2f} s at most, {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
