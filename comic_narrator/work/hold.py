"""One run a work folder: who holds it, since when, and whether the holder still lives."""

from __future__ import annotations

import os
import platform
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, ValidationError

from comic_narrator.errors import InTheWayError

LOCK = ".lock"
OWNER = ".owner.json"
BEAT = 5.0
"""Seconds between two signs of life of a holder."""
WATCHED = 3
"""So many beats without a sign of life, and a holder on another machine is taken for dead."""


class Owner(BaseModel):
    """Who holds a folder: process, machine, since when (UTC), and how often it gave a sign of life."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pid: int
    host: str
    since: str
    beats: int = 0

    @property
    def told(self) -> str:
        """The holder in words."""
        return f"process {self.pid} on {self.host}, since {self.since}"


@contextmanager
def held(root: Path) -> Iterator[Owner | None]:
    """Hold a folder for a block; yields the holder before that was cut off, if one was.

    InTheWayError when another run holds it. The system's lock tells on one machine; between machines that share a
    folder, where such locks may not reach, signs of life do: they are counted, for clocks differ and jump.
    """
    lock = FileLock(root / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise _taken(root, _owner(root)) from None
    try:
        before = _owner(root)
        if before and before.host != platform.node() and _lives(root, before):
            raise _taken(root, before)
        with _beating(root):
            yield before
    finally:
        lock.release()


def _owner(root: Path) -> Owner | None:
    try:
        return Owner.model_validate_json((root / OWNER).read_bytes())
    except (OSError, ValidationError):
        return None


def _lives(root: Path, before: Owner) -> bool:
    deadline = time.monotonic() + WATCHED * BEAT
    while time.monotonic() < deadline:
        time.sleep(BEAT / 5)
        now = _owner(root)
        # It may be read while it is written.
        if now is not None and now != before:
            return True
    return False


def _taken(root: Path, owner: Owner | None) -> InTheWayError:
    who = f" ({owner.told})" if owner else ""
    return InTheWayError(
        f"Another run is using {root}{who}.", "Wait until it ends, or give this one its own folder with --work."
    )


@contextmanager
def _beating(root: Path) -> Iterator[None]:
    file, ended = root / OWNER, threading.Event()
    me = Owner(pid=os.getpid(), host=platform.node(), since=datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC"))
    file.write_text(me.model_dump_json(), encoding="utf-8")

    def beat() -> None:
        beats = 0
        while not ended.wait(BEAT):
            beats += 1
            # A beat that a full disk swallows is made up for by the next.
            with suppress(OSError):
                file.write_text(me.model_copy(update={"beats": beats}).model_dump_json(), encoding="utf-8")

    thread = threading.Thread(target=beat, name="beat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        with suppress(OSError):
            file.unlink(missing_ok=True)
