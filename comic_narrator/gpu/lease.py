"""The lease on a card: runs that would load the same GPU take turns, in the order in which they came."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from comic_narrator.errors import InTheWayError

PLACES = 8
"""Runs that may wait for one card; a ninth is told so at once."""
ENTERING = 5.0
"""Seconds in which the last place in the line comes free while others move up through it."""
LOOK_AGAIN = 0.2

Waiting = Callable[[int, str], None]
"""Told when the run must wait: its place in the line, from 1, and who holds the card."""


@contextmanager
def lease(folder: Path, card: int, purpose: str, waiting: Waiting) -> Iterator[float]:
    """Hold the card for a block, after all who came earlier; yields seconds waited. InTheWayError: the line is full.

    All runs of a user share `folder`. Each place in the line is a file lock, of which a run holds one and takes the
    next before it lets go: so the line keeps its order, and the system frees what a killed run held.
    """
    folder.mkdir(parents=True, exist_ok=True)
    line = [FileLock(folder / f"card-{card}.{place}.lock") for place in range(PLACES + 1)]
    holder = folder / f"card-{card}.holder"
    began, place = time.monotonic(), PLACES
    try:
        line[place].acquire(timeout=ENTERING, poll_interval=LOOK_AGAIN)
    except Timeout:
        raise InTheWayError(
            f"{PLACES} other runs wait for GPU {card} already.", "Run this one when some of them have ended."
        ) from None
    try:
        while place:
            try:
                line[place - 1].acquire(timeout=0)
            except Timeout:
                waiting(place, holder.read_text(encoding="utf-8") if holder.is_file() else "another run")
                line[place - 1].acquire(poll_interval=LOOK_AGAIN)
            line[place].release()
            place -= 1
        holder.write_text(f"{purpose}, PID {os.getpid()}", encoding="utf-8")
        yield time.monotonic() - began
    finally:
        line[place].release()
