"""Naps of the vision tenant: vLLM's sleep mode, level 1, checked on both sides."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from comic_narrator.errors import BackendAnswerError, BackendDownError, DoesNotFitError, UsageError
from comic_narrator.http import Patience, Server
from comic_narrator.http.sleep import asleep

SLEEP = "/sleep?level=1"
"""Level 2 throws the weights away, and vision models have answered garbage after it (vllm#29341)."""
FALLING_ASLEEP = Patience(total=180, read=180, attempts=1)
"""The first nap copies the weights to host memory: 17 s for 17 GiB were measured, and slower hosts exist."""
SETTLING = 20.0
"""Seconds in which the driver gives freed memory back."""
LEAST_FREED = 0.5
"""The share of a tenant's weights that a nap must give back, at least; measured is more than nine tenths."""

Used = Callable[[], int | None]
"""The card's memory in use, MiB, by all processes; None where it cannot be measured."""


@dataclass(frozen=True)
class Nap:
    """A nap that began: how long falling asleep took, and how many MiB came back (None: not measured)."""

    seconds: float
    freed_mib: int | None


def fall_asleep(server: Server, used: Used, weights_gib: float) -> Nap:
    """Put the server to sleep and make sure of it. UsageError: it cannot; DoesNotFitError: it gave nothing back."""
    before, began = used(), time.monotonic()
    try:
        server.post(SLEEP, None, patience=FALLING_ASLEEP)
    except (BackendAnswerError, UsageError) as error:
        raise UsageError(
            f"The server at {server.url} takes no nap: {error.what}",
            "Start it with --enable-sleep-mode and VLLM_SERVER_DEV_MODE=1, as `comic-narrator serve up` does.",
        ) from error
    if not asleep(server):
        raise BackendDownError(
            f"The server at {server.url} was put to sleep and says that it is awake.",
            "`comic-narrator serve logs vision` shows why; `comic-narrator serve down`, then up, starts it anew.",
        )
    seconds = time.monotonic() - began
    freed = _freed(before, used, round(weights_gib * 1024 * LEAST_FREED))
    return Nap(round(seconds, 2), freed)


def _freed(before: int | None, used: Used, least: int) -> int | None:
    """The MiB that came back, waited for as the driver is late; DoesNotFitError when it is less than `least`."""
    until = time.monotonic() + SETTLING
    while True:
        now = used()
        if before is None or now is None:
            return None
        if before - now >= least:
            return before - now
        if time.monotonic() > until:
            raise DoesNotFitError(
                f"The vision tenant sleeps, but only {before - now} MiB of the card came back.",
                "`comic-narrator doctor` shows who holds memory; end that, or use a profile with two passes.",
            )
        time.sleep(0.5)


def wake(server: Server) -> float:
    """Wake the server and make sure of it; the seconds that took. BackendDownError: it stays asleep."""
    began = time.monotonic()
    server.post("/wake_up", None, patience=FALLING_ASLEEP)
    if asleep(server):
        raise BackendDownError(
            f"The server at {server.url} does not wake up.",
            "`comic-narrator serve down`, then `comic-narrator serve up`, starts it anew: what is read stays.",
        )
    seconds = time.monotonic() - began
    # Before 0.22 only the engine forgets its pictures in a nap, and a page sent before it is then refused
    # ("Expected a cached item", vllm#42995); this makes both sides forget.
    with suppress(BackendAnswerError, UsageError):
        server.post("/reset_mm_cache", None)
    return round(seconds, 2)
