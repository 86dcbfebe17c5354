"""The probe: an even load on a model server, and what it takes: seconds, tokens, pages, memory of the cards."""

from __future__ import annotations

import base64
import socket
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import Any

import httpx

from comic_narrator.errors import BackendAnswerError, BackendDownError, NarratorError, UsageError
from comic_narrator.gpu.metrics import GLANCE, ServerState, read_state
from comic_narrator.http import Server
from comic_narrator.http.completions import Completion, complete, pick_model
from comic_narrator.http.sleep import make_sure_it_is_awake
from comic_narrator.model import Part
from comic_narrator.report import Spread, spread

QUESTION = "Read the page. " * 30
"""Some 120 tokens of text: a page of the reader's has more, and its system text besides."""
WARM_UP_TOKENS = 16
SAMPLE_EVERY = 0.25
"""Seconds between two looks at cards and server while a load runs."""
SETTLED = 2.5
"""Seconds after the last answer until /metrics tells the truth: measured, its counts lag by two."""
DRAINED_WITHIN = 60.0

Memory = Callable[[], Mapping[int, int]]
"""Used memory of each card, MiB, all processes together; empty where it cannot be measured."""


@dataclass(frozen=True)
class Load:
    """So many requests, so many at once, each with one picture (its bytes and type) and so many tokens of answer."""

    requests: int
    concurrency: int
    tokens: int
    picture: bytes | None = None
    kind: str = "image/png"


class CardMemory(Part):
    """Memory of a card in use around a load, MiB, all processes together; `delta` is what the load took at most."""

    card: int
    baseline: int
    peak: int
    delta: int
    after: int


class Probe(Part):
    """What a load took. Seconds count from the sending of a request; `queue_wait` is the time in our line before it.

    `server_queue` is the mean wait in the server's own line; None where it does not tell. `cards` is empty where memory
    was not measured. `before`, `busiest` and `drained` are what the server told; `cut_short` is false where answers
    ended by themselves before all tokens were written.
    """

    url: str
    model: str
    requests: int
    failed: int
    concurrency: int
    seconds: float
    queue_wait: Spread
    first_token: Spread
    latency: Spread
    server_queue: float | None
    prompt_tokens: int
    completion_tokens: int
    tokens_a_second: float
    pages_a_minute: float
    cut_short: bool
    cards: tuple[CardMemory, ...]
    before: ServerState | None
    busiest: ServerState | None
    drained: ServerState | None
    errors: tuple[str, ...] = ()


def is_here(url: str) -> bool:
    """Whether a server stands on this machine, so that its memory is that of our cards."""
    host = httpx.URL(url).host
    try:
        addresses = {found[4][0] for found in socket.getaddrinfo(host, None)}
        own = {found[4][0] for found in socket.getaddrinfo(socket.gethostname(), None)}
    except OSError:
        return host == "localhost"
    return any(ip_address(str(address).partition("%")[0]).is_loopback for address in addresses) or bool(addresses & own)


def wait_until_ready(server: Server, seconds: float, say: Callable[[str], None]) -> float:
    """Wait until the server is healthy and lists its models; the seconds it took.

    BackendDownError after so many seconds, and for one that sleeps; at once what waiting does not mend, as a wrong key.
    """
    start = time.monotonic()
    told = False
    while not _ready(server):
        if time.monotonic() - start > seconds:
            raise BackendDownError(
                f"{server.url} is not ready after {seconds:.0f} s.", "Look at its log, or give it longer with --wait."
            )
        if not told:
            say(f"Waiting for {server.url} ...")
            told = True
        time.sleep(min(1.0, max(0.05, seconds / 20)))
    make_sure_it_is_awake(server)
    return time.monotonic() - start


def _ready(server: Server) -> bool:
    try:
        server.get("/health", patience=GLANCE)
    except BackendDownError:
        return False
    except (UsageError, BackendAnswerError):
        # Not every server has it; but one whose engine has died goes on listing its models.
        pass
    try:
        server.get("/v1/models", patience=GLANCE)
    except BackendDownError:
        return False
    return True


def probe(server: Server, load: Load, memory: Memory, *, model: str = "auto") -> Probe:
    """Warm up, run the load, let it drain; the errors of the server where not one request went well."""
    chosen = pick_model(server, model).name
    body = warmed_up(server, _body(chosen, load), load)
    before, used = read_state(server), dict(memory())
    with _Sampler(server, memory) as sampler:
        start = time.monotonic()
        done = _run(server, body, load)
        seconds = time.monotonic() - start
    drained = drain(server)
    good = [one for one in done if isinstance(one, _Done)]
    bad = [one for one in done if isinstance(one, NarratorError)]
    if not good:
        raise bad[0]
    after = dict(memory())
    written = sum(one.completion.completion_tokens for one in good)
    return Probe(
        url=server.url,
        model=chosen,
        requests=len(good),
        failed=len(bad),
        concurrency=load.concurrency,
        seconds=round(seconds, 3),
        queue_wait=spread([one.waited for one in good]),
        first_token=spread([one.completion.ttft for one in good]),
        latency=spread([one.completion.seconds for one in good]),
        server_queue=_queue(before, drained),
        prompt_tokens=sum(one.completion.prompt_tokens for one in good),
        completion_tokens=written,
        tokens_a_second=round(written / seconds, 1),
        pages_a_minute=round(60 * len(good) / seconds, 1),
        cut_short=all(one.completion.finish == "length" for one in good),
        cards=tuple(_card(card, mib, sampler.peak, after) for card, mib in used.items()),
        before=before,
        busiest=sampler.busiest,
        drained=drained,
        errors=tuple(dict.fromkeys(error.what for error in bad)),
    )


def warmed_up(server: Server, body: Mapping[str, Any], load: Load) -> Mapping[str, Any]:
    """The body that the server takes, after a short request for each seat: without ignore_eos where it refuses that."""
    try:
        complete(server, {**body, "max_tokens": WARM_UP_TOKENS})
    except BackendAnswerError:
        # Asked again without what only vLLM knows: what is wrong besides is raised here.
        body = {name: value for name, value in body.items() if name not in ("ignore_eos", "chat_template_kwargs")}
        complete(server, {**body, "max_tokens": WARM_UP_TOKENS})
    short = replace(load, requests=load.concurrency)
    _run(server, {**body, "max_tokens": WARM_UP_TOKENS}, short)
    return body


def drain(server: Server) -> ServerState | None:
    """The server's state once it runs nothing and has settled; as it is after a minute otherwise."""
    time.sleep(SETTLED)
    until = time.monotonic() + DRAINED_WITHIN
    state = read_state(server)
    while state and (state.running or state.waiting) and time.monotonic() < until:
        time.sleep(SAMPLE_EVERY)
        state = read_state(server)
    return state


@dataclass(frozen=True)
class _Done:
    waited: float
    completion: Completion


def _body(model: str, load: Load) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"type": "text", "text": QUESTION}]
    if load.picture is not None:
        url = f"data:{load.kind};base64,{base64.b64encode(load.picture).decode()}"
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return {
        "model": model,
        "messages": [{"role": "user", "content": parts}],
        "max_tokens": load.tokens,
        "temperature": 0,
        # Every answer has all its tokens: loads that are to be compared must be equal.
        "ignore_eos": True,
        "chat_template_kwargs": {"enable_thinking": False},
    }


def _run(server: Server, body: Mapping[str, Any], load: Load) -> list[_Done | NarratorError]:
    start = time.monotonic()

    def one(_: int) -> _Done | NarratorError:
        waited = time.monotonic() - start
        try:
            return _Done(waited, complete(server, body))
        except NarratorError as error:
            return error

    threads = ThreadPoolExecutor(load.concurrency)
    try:
        return list(threads.map(one, range(load.requests)))
    except KeyboardInterrupt:
        server.close()
        raise
    finally:
        threads.shutdown(cancel_futures=True)


def _card(card: int, baseline: int, peaks: Mapping[int, int], after: Mapping[int, int]) -> CardMemory:
    peak = max(baseline, peaks.get(card, 0))
    return CardMemory(card=card, baseline=baseline, peak=peak, delta=peak - baseline, after=after.get(card, baseline))


def _queue(before: ServerState | None, after: ServerState | None) -> float | None:
    if before is None or after is None or after.queued == before.queued:
        return None
    return round((after.queued_seconds - before.queued_seconds) / (after.queued - before.queued), 4)


class _Sampler:
    """Looks at cards and server from a thread of its own until it is left."""

    def __init__(self, server: Server, memory: Memory) -> None:
        self._server = server
        self._memory = memory
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.peak: dict[int, int] = {}
        self.busiest: ServerState | None = None

    def __enter__(self) -> _Sampler:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.is_set():
            for card, mib in self._memory().items():
                self.peak[card] = max(mib, self.peak.get(card, 0))
            state = read_state(self._server)
            if state and (self.busiest is None or _weight(state) > _weight(self.busiest)):
                self.busiest = state
            self._over.wait(SAMPLE_EVERY)


def _weight(state: ServerState) -> tuple[int, float]:
    return state.running + state.waiting, state.kv or 0.0
