"""The watch: memory of the cards, KV cache and latency, sampled while a run goes on."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from comic_narrator.errors import NarratorError
from comic_narrator.http import Patience, Server
from comic_narrator.report import CardUse, ServerUse

EVERY = 5.0
"""Seconds between two samples."""
GLANCE = Patience(connect=1, read=3, total=3, attempts=1)
"""A sample that is not to be had at once is left out: a server has better things to do than to be watched."""

_METRIC = re.compile(r"^vllm:(\w+)(?:\{[^}]*\})? (\S+)$", re.MULTILINE)
_KV = ("kv_cache_usage_perc", "gpu_cache_usage_perc")
"""The share of the KV cache in use, now and before vLLM 0.10."""


@dataclass(frozen=True)
class Metrics:
    """What a vLLM server's /metrics tells: KV use in 0..1, requests now, and sums over all requests so far."""

    kv: float | None
    running: int
    waiting: int
    requests: int
    latency_sum: float
    ttft_sum: float


def parse_metrics(text: str) -> Metrics:
    """Read the Prometheus text of /metrics; engines of one server are added up."""
    sums: dict[str, float] = {}
    for name, value in _METRIC.findall(text):
        sums[name] = sums.get(name, 0.0) + float(value)
    return Metrics(
        kv=next((sums[name] for name in _KV if name in sums), None),
        running=int(sums.get("num_requests_running", 0)),
        waiting=int(sums.get("num_requests_waiting", 0)),
        requests=int(sums.get("e2e_request_latency_seconds_count", 0)),
        latency_sum=sums.get("e2e_request_latency_seconds_sum", 0.0),
        ttft_sum=sums.get("time_to_first_token_seconds_sum", 0.0),
    )


_NOTHING = Metrics(None, 0, 0, 0, 0.0, 0.0)


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
    _last: Metrics | None = None
    _requests: int = 0
    _latency: float = 0.0
    _ttft: float = 0.0
    _kv_peak: float | None = None
    _waiting_peak: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

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
        """Take one sample."""
        for card, (total, used) in self.memory().items():
            seen = self._cards.setdefault(card, _Memory(total, used, used, used))
            seen.peak, seen.after = max(seen.peak, used), used
        told = self._ask()
        if told is None:
            return
        # A server that was started anew counts from nothing.
        goes_on = self._last is not None and told.requests >= self._last.requests
        since = self._last if self._last is not None and goes_on else _NOTHING
        if self._last is not None:
            self._requests += told.requests - since.requests
            self._latency += told.latency_sum - since.latency_sum
            self._ttft += told.ttft_sum - since.ttft_sum
        self._last = told
        self._waiting_peak = max(self._waiting_peak, told.waiting)
        if told.kv is not None:
            self._kv_peak = max(self._kv_peak or 0.0, told.kv)

    def _ask(self) -> Metrics | None:
        if self.server is None:
            return None
        try:
            return parse_metrics(self.server.get("/metrics", patience=GLANCE).text())
        except NarratorError:
            return None

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
