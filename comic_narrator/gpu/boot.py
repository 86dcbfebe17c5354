"""One boot, watched: a tenant is started, its log followed line by line, and its health asked until it answers."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from comic_narrator.errors import (
    BackendAnswerError,
    BackendDownError,
    DoesNotFitError,
    InTheWayError,
    MissingToolError,
    NarratorError,
    UsageError,
)
from comic_narrator.gpu.bootlog import BootLog
from comic_narrator.gpu.refusals import Account
from comic_narrator.gpu.tenants import Tenant, serving
from comic_narrator.http import Patience, Server
from comic_narrator.http.sleep import asleep

LOOK = 0.25
"""Seconds between two looks at a boot."""
STILL = 30.0
"""Seconds of silence after which the user is told that the boot goes on, and how the log ends."""
KNOCK = Patience(connect=1, read=3, total=3, attempts=1)
TAIL = 12
"""Lines of a log that an error carries."""
_BREAK = re.compile(rb"\r\n|\r|\n")

FAILED: Mapping[str, type[NarratorError]] = {
    "no_model": MissingToolError,
    "no_card": MissingToolError,
    "no_kernel": MissingToolError,
    "port_taken": InTheWayError,
    "unknown_flag": UsageError,
    "nvfp4": UsageError,
    "too_long_for_model": UsageError,
    "engine": BackendDownError,
}
"""What kind of error a refusal is; what is not here does not fit."""

Say = Callable[[str], None]
"""One line for the user."""


@dataclass(frozen=True)
class Boot:
    """How a boot ended: ready, refused (its process ended) or late; what its log said, and how that ends."""

    outcome: Literal["ready", "refused", "late"]
    account: Account
    seconds: float
    tail: tuple[str, ...]

    @property
    def last(self) -> str:
        """How the log ends, on one line."""
        return self.tail[-1][-200:] if self.tail else "(nothing)"

    @property
    def cause(self) -> str:
        """What a refusal is known by: its cause where the log tells one, else the log's last line."""
        return self.account.refusal.cause if self.account.refusal else self.last


class LogLines:
    """The lines of a log that came since the last look; a bar that is drawn over itself counts as lines."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._read = 0
        self._rest = b""

    @property
    def rest(self) -> str:
        """What came after the last whole line."""
        return self._rest.decode("utf-8", errors="replace").rstrip()

    def new(self) -> Iterator[str]:
        """The lines that are whole by now."""
        with self._log.open("rb") as file:
            file.seek(self._read)
            data = file.read()
        self._read += len(data)
        *whole, self._rest = _BREAK.split(self._rest + data)
        for line in whole:
            if line.strip():
                yield line.decode("utf-8", errors="replace").rstrip()


def answers(tenant: Tenant) -> bool | None:
    """Whether the tenant answers when asked for its health; None: it runs and is silent, as Fish Speech speaking."""
    try:
        with Server(tenant.url) as server:
            server.get(tenant.health, patience=KNOCK)
    except BackendDownError:
        return None if serving(tenant) else False
    except (BackendAnswerError, UsageError):
        # An engine of the OpenAI kind may have no such page: who says so answers.
        return True
    return True


def follow(tenant: Tenant, log: BootLog, bound: float, say: Say, detail: Say) -> Boot:
    """Watch a tenant that was started until it is ready, its process ends, or `bound` seconds have passed."""
    began = told = time.monotonic()
    lines, milestones = LogLines(Path(tenant.log)), 0
    tail: list[str] = []
    while True:
        # Asked before the log is read, so that what it said until then is told.
        alive = serving(tenant)
        ready = alive and answers(tenant)
        for line in lines.new():
            log.feed(line)
            detail(line)
            tail = [*tail, line][-TAIL:]
        reached = log.account.milestones
        for milestone in reached[milestones:]:
            if milestone != "ready":
                say(f"{tenant.name}: {milestone}")
            told = time.monotonic()
        milestones = len(reached)
        seconds = time.monotonic() - began
        if not alive:
            log.feed(lines.rest)
            return Boot("refused", log.account, seconds, tuple(tail))
        if ready:
            return Boot("ready", log.account, seconds, tuple(tail))
        if seconds > bound:
            return Boot("late", log.account, seconds, tuple(tail))
        if time.monotonic() - told > STILL:
            say(f"{tenant.name}: {seconds:.0f} s, the log ends with: {tail[-1][-160:] if tail else '(nothing yet)'}")
            told = time.monotonic()
        time.sleep(LOOK)


Condition = Literal["up", "asleep", "booting", "silent", "dead"]
"""How a tenant stands; silent: it runs and does not answer, as one that is busy, or one that hangs."""


def condition(tenant: Tenant) -> Condition:
    """How a tenant that was started stands now."""
    if not serving(tenant):
        return "dead"
    if not answers(tenant):
        return "silent" if tenant.ready else "booting"
    if tenant.name == "vision":
        with Server(tenant.url) as server:
            return "asleep" if asleep(server) else "up"
    return "up"


def refusal(name: str, boot: Boot, log: str) -> NarratorError:
    """The error that says why a tenant did not come up and what would help."""
    if boot.outcome == "late":
        return BackendDownError(
            f"{name} did not answer within {boot.seconds:.0f} s; its log ends with: {boot.last}",
            f"Look at {log}; where a model is being fetched, give it longer with --wait MINUTES.",
        )
    told = boot.account.refusal
    if told is None:
        return BackendDownError(f"{name} ended before it was ready; its log ends with: {boot.last}", f"Look at {log}.")
    return FAILED.get(told.cause, DoesNotFitError)(f"{name} was refused: {told.what}", told.hint)
