"""Where a book of a library is made: a run of the program of its own, on this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from comic_narrator.console import LEASH

GRACE = 0.9
"""Seconds that a run has to save what it has when it is to stop."""

Told = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Ended:
    """How a run ended: its exit code, the error's two sentences if there was one, and seconds."""

    exit: int
    said: str
    seconds: float


class Engine(Protocol):
    """Something that makes books; thread-safe."""

    lanes: int
    """How many books it makes at once."""
    halts: tuple[str, ...]
    """Stages that all books come to before any goes on, for what comes then runs elsewhere."""

    def run(self, arguments: Sequence[str], stage: str, told: Told) -> Ended:
        """Run the program with these arguments up to `stage` to its end; `told` gets its events, where they come."""
        ...

    def stop(self) -> None:
        """End what runs; what is made is saved."""
        ...

    def close(self) -> None:
        """Let go of its machines; nothing runs any more."""
        ...


@dataclass
class Local:
    """This machine: a process a book."""

    lanes: int = 1
    halts: tuple[str, ...] = ()
    _running: set[subprocess.Popen[str]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stopped: bool = False

    def run(self, arguments: Sequence[str], stage: str, told: Told) -> Ended:
        """Run the program; its events are told as they come."""
        del stage
        began = time.monotonic()
        with self._lock:
            if self._stopped:
                return Ended(130, "", 0.0)
            child = start(arguments)
            self._running.add(child)
        try:
            said = listen(child, told)
            return Ended(exit_code(child.wait()), said, time.monotonic() - began)
        finally:
            with self._lock:
                self._running.discard(child)

    def stop(self) -> None:
        """Interrupt what runs, and kill what does not end in time."""
        with self._lock:
            self._stopped, running = True, list(self._running)
        for child in running:
            with suppress(ProcessLookupError):
                child.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        for child in running:
            with suppress(subprocess.TimeoutExpired):
                child.wait(max(deadline - time.monotonic(), 0))
            if child.poll() is None:
                child.kill()

    def close(self) -> None:
        """Nothing is held."""


def start(arguments: Sequence[str]) -> subprocess.Popen[str]:
    """Start the program, on a leash: it stops when we are gone."""
    return subprocess.Popen(
        [sys.executable, "-m", "comic_narrator", "film", *arguments, "--events"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env={**os.environ, LEASH: "1"},
        start_new_session=True,
    )


def listen(child: subprocess.Popen[str], told: Told) -> str:
    """Pass a run's events on until it ends; returns its error, or the last that it said outside of events."""
    assert child.stderr is not None
    said = ""
    for line in child.stderr:
        try:
            event = json.loads(line)
        except ValueError:
            said = line.strip() or said
            continue
        if event.get("event") == "error":
            said = f"{event['what']} {event['hint']}"
        told(event)
    return said


def exit_code(returned: int) -> int:
    """The exit code of a process as shells have it: 137 for one that was killed."""
    return 128 - returned if returned < 0 else returned
