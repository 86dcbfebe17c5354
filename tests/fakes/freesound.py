"""A stand-in for Freesound, in a thread on 127.0.0.1, with the faults that a server far away has.

with FakeFreesound() as fake:
    fake.sounds = [fake.sound(7, licence=BY_NC)]     # what a search finds
    fake.refusal = 403                               # what a search gets instead
    fake.files["/data/previews/7.mp3"] = b"no mp3"   # what lies there; None: zeros without end
    fake.asked, fake.keys                            # paths, and the keys that came with them
"""

from __future__ import annotations

import io
import json
import threading
from contextlib import suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

import numpy as np
import soundfile

CC0 = "http://creativecommons.org/publicdomain/zero/1.0/"
BY = "https://creativecommons.org/licenses/by/4.0/"
BY_NC = "https://creativecommons.org/licenses/by-nc/4.0/"
MOST_ZEROS = 50_000_000
"""Bytes at most that a file without end has: a reader without a bound is found out, and the test ends all the same."""


@cache
def mp3(level: float = 0.3) -> bytes:
    """Half a second of a tone."""
    tone = level * np.sin(np.arange(22_050) * 0.1)
    file = io.BytesIO()
    soundfile.write(file, tone, 44_100, format="MP3")
    return file.getvalue()


class FakeFreesound:
    """Finds `sounds`, whatever is searched for, and gives what lies in `files`."""

    def __init__(self) -> None:
        self.sounds: list[dict[str, Any]] = []
        self.files: dict[str, bytes | None] = {}
        self.refusal: int | None = None
        self.answer: bytes | None = None
        self.asked: list[str] = []
        self.keys: list[str | None] = []
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.fake = self
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """Where it stands."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def sound(self, number: int, *, licence: str = BY, name: str = "Typing", **changes: object) -> dict[str, Any]:
        """What an answer says of a sound that lies here; it lies here from now on."""
        path = f"/data/previews/{number}.mp3"
        self.files[path] = mp3()
        told = {
            "id": number,
            "name": name,
            "username": "somebody",
            "license": licence,
            "url": f"https://freesound.org/people/somebody/sounds/{number}/",
            "previews": {"preview-hq-mp3": self.url + path},
            "num_downloads": 7,
        }
        return {**told, **changes}

    @property
    def searches(self) -> list[dict[str, list[str]]]:
        """The parameters of each search."""
        return [parse_qs(urlsplit(path).query) for path in self.asked if path.startswith("/apiv2/search/?")]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    fake: FakeFreesound

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: callers that hang up are part of the play."""


class _Handler(BaseHTTPRequestHandler):
    server: _Http
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        fake = self.server.fake
        fake.asked.append(self.path)
        fake.keys.append(self.headers.get("Authorization"))
        if not self.path.startswith("/apiv2/search/?"):
            self._file(fake.files.get(self.path, b""))
        elif fake.refusal is not None:
            self._send(fake.refusal, b'{"detail": "Invalid token"}')
        else:
            found = {"count": len(fake.sounds), "next": None, "results": fake.sounds, "previous": None}
            self._send(200, fake.answer if fake.answer is not None else json.dumps(found).encode())

    def _file(self, data: bytes | None) -> None:
        if data is not None:
            self._send(200, data, "audio/mpeg")
            return
        self.close_connection = True
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):
            for _ in range(MOST_ZEROS // 100_000):
                self.wfile.write(bytes(100_000))

    def _send(self, status: int, data: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing on stderr."""
