"""The one HTTP client: bounded calls to a model server, tried again only where that can help."""

from __future__ import annotations

import json
import logging
import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeVar

import httpx
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    sleep_using_event,
    wait_exponential,
    wait_random,
)

from comic_narrator.errors import BackendAnswerError, BackendDownError, StreamCutError, UsageError
from comic_narrator.http.lines import payloads
from comic_narrator.http.refusals import PassingError, cannot_reach, detail_of, looks_like_a_page, refusal

__all__ = ["Answer", "Patience", "Server"]

T = TypeVar("T")
log = logging.getLogger(__name__)

LARGEST_ANSWER = 256 * 1024 * 1024
"""Bytes after which an answer is taken for a fault: minutes of speech are a tenth of it."""
FIRST_PAUSE = 0.25
"""Seconds before the second try, doubled before each further one, and up to as much more by chance."""
LONGEST_PAUSE = 20.0
"""Seconds between two tries at most, also where a server asks for more."""


@dataclass(frozen=True)
class Patience:
    """How long a call may take, in seconds, and how often it is tried.

    `connect` until the server takes the call, `read` between two pieces of its answer, `total` for all tries together.
    """

    connect: float = 5
    read: float = 120
    total: float = 600
    attempts: int = 4


@dataclass(frozen=True)
class Answer:
    """An answer with a status of 2xx: its content type in `kind`, its bytes; `source` is the address it came from."""

    status: int
    kind: str
    data: bytes
    source: str = "The server"

    def text(self) -> str:
        """The bytes as UTF-8; what is none is replaced."""
        return self.data.decode("utf-8", errors="replace")

    def json(self) -> Any:
        """The JSON value in it; BackendAnswerError where there is none."""
        try:
            return json.loads(self.data)
        except ValueError as error:
            what = "a web page" if looks_like_a_page(self.data) else f"no JSON ({self.text()[:60]!r})"
            raise BackendAnswerError(
                f"{self.source} answered with {what}.", "Check that the address is that of the model server itself."
            ) from error


class Server:
    """A model server at `url`, safe to call from many threads; closing it ends the calls in flight.

    `url` may end in /v1 and may lack its scheme; `key` is sent as a token of that `scheme`; an answer has at most
    `largest` bytes. UsageError for what is no address. Nothing is sent through a proxy that the environment names:
    model servers are near, and pages stay where they are.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        scheme: str = "Bearer",
        largest: int = LARGEST_ANSWER,
        patience: Patience = Patience(),
    ) -> None:
        address = _address(url)
        self.url = str(address.copy_with(userinfo=b"")).rstrip("/")
        self._key = _checked_key(key)
        self._largest = largest
        self._patience = patience
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._client = httpx.Client(
            base_url=address,
            headers={"Authorization": f"{scheme} {self._key}"} if self._key else {},
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=None),
            trust_env=False,
            # The system's certificates; reading them takes a while, and plain HTTP needs none.
            verify=ssl.create_default_context() if address.scheme == "https" else False,
        )

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End every call: those in flight in other threads raise BackendDownError now, not when they would time out."""
        self._closed.set()
        with self._lock:
            for connected in self._sockets:
                with suppress(OSError):
                    connected.shutdown(socket.SHUT_RDWR)
        self._client.close()

    def get(self, path: str, *, patience: Patience | None = None) -> Answer:
        """What lies at `path`; an error of BackendDownError, BackendAnswerError or UsageError for all but a 2xx."""
        return self._answer("GET", path, None, patience or self._patience)

    def post(self, path: str, body: object = None, *, patience: Patience | None = None) -> Answer:
        """The answer to `body` sent as JSON (None: nothing is sent); errors as those of `get`."""
        return self._answer("POST", path, body, patience or self._patience)

    def alive(self, path: str = "/health", seconds: float = 5) -> bool:
        """Whether the server answers with a 2xx now: asked once, False where it is down, starting or refuses."""
        try:
            self.get(path, patience=Patience(connect=seconds, read=seconds, total=seconds, attempts=1))
        except (BackendDownError, BackendAnswerError, UsageError):
            return False
        return True

    def events(self, path: str, body: object, *, patience: Patience | None = None) -> Iterator[Mapping[str, Any]]:
        """The events of a stream (server-sent, JSON objects) until its [DONE].

        An error event is raised as the error that its code stands for, StreamCutError where the stream ends without
        [DONE]. What a server refuses before its first event is tried again as `post` does.
        """
        kept = patience or self._patience
        until = time.monotonic() + kept.total

        def begin() -> tuple[Generator[Mapping[str, Any], None, None], Mapping[str, Any] | None]:
            stream = self._stream(path, body, kept, until)
            return stream, next(stream, None)

        stream, first = self._tried(begin, kept)
        try:
            if first is not None:
                yield first
                yield from stream
        except PassingError as passing:
            if passing.reset:
                raise StreamCutError(passing.error.what, passing.error.hint) from passing
            raise passing.error from passing
        finally:
            stream.close()

    def _answer(self, method: str, path: str, body: object, patience: Patience) -> Answer:
        until = time.monotonic() + patience.total

        def once() -> Answer:
            with self._call(method, path, body, patience, until) as response:
                return Answer(
                    response.status_code,
                    response.headers.get("content-type", "").partition(";")[0].strip().lower(),
                    b"".join(self._pieces(response, until)),
                    f"{self.url}{path}",
                )

        return self._tried(once, patience)

    def _stream(
        self, path: str, body: object, patience: Patience, until: float
    ) -> Generator[Mapping[str, Any], None, None]:
        with self._call("POST", path, body, patience, until) as response:
            kind = response.headers.get("content-type", "")
            if not kind.startswith("text/event-stream"):
                data = b"".join(self._pieces(response, until))
                what = "a web page" if looks_like_a_page(data) else f"{kind or 'something'} that is no stream"
                raise BackendAnswerError(
                    f"{self.url}{path} answered with {what}.", "Check that the address is that of the model server."
                )
            for payload in payloads(self._pieces(response, until)):
                if payload == b"[DONE]":
                    return
                yield self._event(payload, path)
            raise StreamCutError(
                f"{self.url} broke off in the middle of an answer.", "Look at its log; then run the same command again."
            )

    def _event(self, payload: bytes, path: str) -> Mapping[str, Any]:
        try:
            event = json.loads(payload)
        except ValueError as error:
            raise BackendAnswerError(
                f"{self.url}{path} sent an event that is no JSON: {payload[:60].decode(errors='replace')!r}.",
                "Look at the server's log.",
            ) from error
        if not isinstance(event, dict):
            raise BackendAnswerError(f"{self.url}{path} sent an event that is no object.", "Look at the server's log.")
        if "error" in event or event.get("object") == "error":
            told = event.get("error")
            code = told.get("code") if isinstance(told, dict) else event.get("code")
            detail = self._without_key(detail_of(payload))
            raise refusal(code if isinstance(code, int) else 500, self.url, path, detail)
        return event

    @contextmanager
    def _call(
        self, method: str, path: str, body: object, patience: Patience, until: float
    ) -> Generator[httpx.Response, None, None]:
        """One try: the open response of a 2xx, or the error that it, or its absence, stands for."""
        left = max(0.1, until - time.monotonic())
        connect, read = min(patience.connect, left), min(patience.read, left)
        if self._closed.is_set():
            raise self._ended()
        try:
            with self._client.stream(
                method,
                path,
                json=body,
                timeout=httpx.Timeout(read, connect=connect),
                extensions={"trace": self._follow},
            ) as response:
                if not response.is_success:
                    data = b"".join(self._pieces(response, until))
                    wait = response.headers.get("retry-after", "")
                    detail = self._without_key(detail_of(data))
                    raise refusal(response.status_code, self.url, path, detail, wait)
                yield response
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            if self._closed.is_set():
                raise self._ended() from error
            raise cannot_reach(error, self.url, connect, read) from error

    def _pieces(self, response: httpx.Response, until: float) -> Iterator[bytes]:
        size = 0
        for piece in response.iter_bytes():
            size += len(piece)
            if size > self._largest:
                raise BackendAnswerError(f"{self.url} answered without end.", "Look at the server's log.")
            if time.monotonic() > until:
                raise BackendDownError(
                    f"{self.url} did not come to an end in time.",
                    "It is overloaded or stuck: look at its log, or let it do less at once.",
                )
            yield piece

    def _tried(self, once: Callable[[], T], patience: Patience) -> T:
        """The result of `once`, called again after a pause where a PassingError says that this may help."""
        start = time.monotonic()
        met: Counter[str] = Counter()

        def enough(state: RetryCallState) -> bool:
            passing = _why(state)
            met[passing.error.what] += 1
            if met[passing.error.what] >= passing.attempts:
                return True
            spent = time.monotonic() - start + state.upcoming_sleep
            # A server closes a kept-alive connection after an unhandled error: the next call on it costs no attempt.
            most = max(patience.attempts, 2) if passing.reset else patience.attempts
            return state.attempt_number >= most or spent > patience.total or self._closed.is_set()

        growing = wait_exponential(multiplier=FIRST_PAUSE, max=LONGEST_PAUSE) + wait_random(0, FIRST_PAUSE)
        retrying = Retrying(
            retry=retry_if_exception_type(PassingError),
            wait=lambda state: min(LONGEST_PAUSE, max(_why(state).after, growing(state))),
            stop=enough,
            sleep=sleep_using_event(self._closed),
            before_sleep=lambda state: log.debug("again in %.1f s: %s", state.upcoming_sleep, _why(state).error.what),
            reraise=True,
        )
        try:
            return retrying(once)
        except PassingError as passing:
            raise passing.error from passing

    def _follow(self, event: str, info: Mapping[str, Any]) -> None:
        # httpx tells of every connection it makes: kept here so that close() can wake whoever waits on one.
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            opened = info["return_value"].get_extra_info("socket")
            with self._lock:
                self._sockets = [known for known in (*self._sockets, opened) if known.fileno() >= 0]

    def _ended(self) -> BackendDownError:
        return BackendDownError(f"The call to {self.url} was ended.", "Run the same command again to go on.")

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


def _why(state: RetryCallState) -> PassingError:
    error = state.outcome.exception() if state.outcome else None
    if not isinstance(error, PassingError):
        raise TypeError("only what may be tried again is asked about")
    return error


def _address(url: str) -> httpx.URL:
    written = url.strip()
    try:
        address = httpx.URL(written if "://" in written else f"http://{written}")
    except httpx.InvalidURL:
        address = httpx.URL("")
    if address.scheme not in ("http", "https") or not address.host:
        raise UsageError(f"{url!r} is not the address of a server.", "Write it as http://127.0.0.1:8000.")
    return address.copy_with(path=address.path.rstrip("/").removesuffix("/v1") or "/")


def _checked_key(key: str | None) -> str:
    cleaned = (key or "").strip()
    if not (cleaned.isascii() and cleaned.isprintable()):
        raise UsageError("The API key has characters that no key has.", "Check the environment variable it comes from.")
    return cleaned
