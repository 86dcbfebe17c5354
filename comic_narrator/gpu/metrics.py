"""What a vLLM server tells of itself at /metrics: requests it runs and has waiting, and how full its KV cache is."""

from __future__ import annotations

import re

from comic_narrator.errors import BackendAnswerError, BackendDownError, UsageError
from comic_narrator.http import Patience, Server
from comic_narrator.model import Part

GLANCE = Patience(connect=1, read=3, total=3, attempts=1)
"""A server has better things to do than to be watched: what is not to be had at once is left out."""
_LINE = re.compile(r"^vllm:(\w+)(?:\{[^}]*\})? (\S+)$", re.MULTILINE)


class ServerState(Part):
    """A server at one moment: requests running and waiting, KV cache in use (0 to 1; None: not told).

    Since it started: `queued_seconds` and `queued` are the sum and the number of waits in its own line, `requests` are
    those that it answered, with the sums of their seconds, whole and until their first token.
    """

    running: int
    waiting: int
    kv: float | None
    queued_seconds: float = 0.0
    queued: int = 0
    requests: int = 0
    request_seconds: float = 0.0
    first_token_seconds: float = 0.0


def parse_state(text: str) -> ServerState:
    """Read the Prometheus text of /metrics; engines of one server are added up, their fullest cache counts."""
    told: dict[str, list[float]] = {}
    for name, value in _LINE.findall(text):
        told.setdefault(name, []).append(float(value))
    # Until vLLM 0.10 the cache's use had the older of these names.
    kv = told.get("kv_cache_usage_perc") or told.get("gpu_cache_usage_perc")
    return ServerState(
        running=int(sum(told.get("num_requests_running", ()))),
        waiting=int(sum(told.get("num_requests_waiting", ()))),
        kv=max(kv) if kv else None,
        queued_seconds=sum(told.get("request_queue_time_seconds_sum", ())),
        queued=int(sum(told.get("request_queue_time_seconds_count", ()))),
        requests=int(sum(told.get("e2e_request_latency_seconds_count", ()))),
        request_seconds=sum(told.get("e2e_request_latency_seconds_sum", ())),
        first_token_seconds=sum(told.get("time_to_first_token_seconds_sum", ())),
    )


def read_state(server: Server) -> ServerState | None:
    """The server's state now; None where it does not tell one at once."""
    try:
        text = server.get("/metrics", patience=GLANCE).text()
    except (BackendDownError, BackendAnswerError, UsageError):
        return None
    return parse_state(text) if "vllm:num_requests_running" in text else None
