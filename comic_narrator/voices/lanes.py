"""Several servers of one voice: each is asked for one line at a time, and one that is down is left out."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress

from comic_narrator.errors import (
    BackendAnswerError,
    BackendDownError,
    BackendFailedError,
    BackendSilentError,
    UsageError,
)
from comic_narrator.http import Answer, Patience, Server

KEY = "COMIC_NARRATOR_API_KEY"
"""The environment variable with the servers' key, if they want one."""

CHECK_SECONDS = 3.0
"""How long a server is waited for when it is asked whether it is there."""


def server_key() -> str | None:
    """The servers' key out of the environment, the one place where it may stand."""
    return os.environ.get(KEY) or None


def addresses(written: str) -> tuple[str, ...]:
    """The addresses in voice.url, parted by commas; UsageError where there is none."""
    found = tuple(part.strip() for part in written.split(",") if part.strip())
    if not found:
        raise UsageError(
            "This voice needs the address of its speech server.", "Give it as --set voice.url=http://127.0.0.1:8880"
        )
    return found


class Lanes:
    """The servers at `urls`, each asked by one caller at a time; safe to share between threads."""

    def __init__(self, urls: Sequence[str], patience: Patience, key: str | None = None) -> None:
        self.servers = tuple(Server(url, key=key, patience=patience) for url in urls)
        self._free = list(self.servers)
        self._changed = threading.Condition()
        self._out: list[Server] = []
        self._why_down: BackendDownError | None = None

    def post(self, path: str, body: Mapping[str, object], patience: Patience) -> Answer:
        """Ask the next free server; one that is down is left out from then on, and another is asked.

        Raises BackendDownError when none is left, BackendAnswerError where a server fails at
        this one line, and what else Server.post raises.
        """
        while True:
            server = self._take()
            try:
                answer = server.post(path, dict(body), patience=patience)
            except BackendFailedError as error:
                # It is this line that it cannot say.
                self._give_back(server)
                raise BackendAnswerError(error.what, error.hint) from error
            except BackendDownError as error:
                self._leave_out(server, error)
                continue
            except BaseException:
                self._give_back(server)
                raise
            self._give_back(server)
            return answer

    def check(self, path: str) -> None:
        """Raise BackendDownError where one of the servers is not there, and what else asking for `path` raises.

        One that takes the call and says nothing is there: it may be speaking for somebody else. One that was left out
        and is there again, as it was started anew, is asked from now on.
        """
        for server in self.servers:
            with suppress(BackendSilentError):
                server.get(path, patience=Patience(connect=5, read=CHECK_SECONDS, attempts=2))
            with self._changed:
                if server in self._out:
                    self._out.remove(server)
                    self._free.append(server)
                    self._changed.notify()

    def close(self) -> None:
        """End the calls in flight."""
        for server in self.servers:
            server.close()

    def _take(self) -> Server:
        with self._changed:
            while not self._free:
                if len(self._out) == len(self.servers) and self._why_down is not None:
                    raise self._why_down
                self._changed.wait()
            return self._free.pop(0)

    def _give_back(self, server: Server) -> None:
        with self._changed:
            self._free.append(server)
            self._changed.notify()

    def _leave_out(self, server: Server, why: BackendDownError) -> None:
        with self._changed:
            self._out.append(server)
            self._why_down = why
            self._changed.notify_all()
