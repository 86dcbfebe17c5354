"""The ground of the fake servers: one in a thread on 127.0.0.1, at a free port, gone at once when it is closed."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


class Local:
    """A server in a thread; every wait in it is for `closed`, so that none outlives it."""

    def __init__(self, handler: type[LocalHandler]) -> None:
        self.calls: list[str] = []
        self.in_flight = self.most_in_flight = 0
        self.closed = threading.Event()
        self.lock = threading.Lock()
        self._http = _Http(("127.0.0.1", 0), handler)
        self._http.fake = self
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """Where it stands."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def begin(self) -> None:
        """One more call is in flight; the caller holds the lock."""
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop at once, also what stalls; nothing answers at its address any more."""
        if not self.closed.is_set():
            self.closed.set()
            self._http.shutdown()
            self._http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    fake: Local

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: callers that hang up are part of the play."""


class LocalHandler(BaseHTTPRequestHandler):
    """A handler that keeps connections, says nothing, and answers no more once its server is closed."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""

    def parse_request(self) -> bool:
        """No more, also on connections that were kept, once the server is closed."""
        parsed = super().parse_request()
        if self.server.fake.closed.is_set():
            self.close_connection = True
            return False
        return parsed
