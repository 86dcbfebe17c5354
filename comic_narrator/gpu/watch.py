"""The watch: memory of the cards, KV cache and latency, sampled while a run goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from comic_narrator.gpu.metrics import ServerState, read_state
from comic_narrator.http import Server
from comic_narrator.report import CardUse, ServerUse

EVERY = 5.0
"""Seconds between two samples."""


_NOTHING = ServerState(running=0, waiting=0, kv=None)


@dataclass
class _Memory:
    """A card's memory over time, MiB."""

    total: int
    before: int
    peak: int
    after: int


Memory = Callable[[], Mapping[int, tuple[int, int]]]
"""The cards' memory by index: total and used, MiB; empty where it cannot be measured."""


@dataclass
class Watcher:
    """Samples the cards and, where there is one, a vLLM server from a thread of its own until it is stopped."""

    memory: Memory
    server: Server | None
    every: float = EVERY
    _cards: dict[int, _Memory] = field(default_factory=dict)
    _last: ServerState | None = None
    _requests: int = 0
    _latency: float = 0.0
    _ttft: float = 0.0
    _kv_peak: float | None = None
    _waiting_peak: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        """Take the first sample now and go on in the background."""
        self.sample()
        self._thread = threading.Thread(target=self._go, name="watch", daemon=True)
        self._thread.start()

    def _go(self) -> None:
        while not self._stop.wait(self.every):
            self.sample()

    def stop(self) -> None:
        """Take the last sample and end."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
            self.sample()

    def sample(self) -> None:
        """Take one sample; from any thread."""
        with self._one_at_a_time:
            self._sample()

    def _sample(self) -> None:
        for card, (total, used) in self.memory().items():
            seen = self._cards.setdefault(card, _Memory(total, used, used, used))
            seen.peak, seen.after = max(seen.peak, used), used
        told = read_state(self.server) if self.server else None
        if told is None:
            return
        # A server that was started anew counts from nothing.
        goes_on = self._last is not None and told.requests >= self._last.requests
        since = self._last if self._last is not None and goes_on else _NOTHING
        if self._last is not None:
            self._requests += told.requests - since.requests
            self._latency += told.request_seconds - since.request_seconds
            self._ttft += told.first_token_seconds - since.first_token_seconds
        self._last = told
        self._waiting_peak = max(self._waiting_peak, told.waiting)
        if told.kv is not None:
            self._kv_peak = max(self._kv_peak or 0.0, told.kv)

    def cards(self) -> tuple[CardUse, ...]:
        """What each card's memory did."""
        return tuple(
            CardUse(card=card, total_mib=m.total, before_mib=m.before, peak_mib=m.peak, after_mib=m.after)
            for card, m in sorted(self._cards.items())
        )

    def server_use(self) -> ServerUse | None:
        """What the server did meanwhile, for all its clients; None where it was never seen."""
        if self._last is None:
            return None
        count = self._requests
        return ServerUse(
            requests=count,
            latency=round(self._latency / count, 3) if count else None,
            first_token=round(self._ttft / count, 3) if count else None,
            kv_peak=None if self._kv_peak is None else round(self._kv_peak, 4),
            waiting_peak=self._waiting_peak,
        )
