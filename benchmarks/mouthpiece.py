"""A vLLM with dummy weights for a run: the model works as for a real page, and what it says is put into its mouth.

    python -m benchmarks.mouthpiece vllm serve MODEL --port 8000 --load-format dummy ...

Starts the server that is named at the next port, and stands at its own. Every call is passed on. A question about a
page is answered by the model (`TOKENS` tokens of whatever comes, from the page's own pictures and text), and then told
as a model would that believes the recogniser in everything. So a whole run meets the load, the naps and the memory of a
real server, which no fake has, though no weights of a model that reads are at hand.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

from tests.fakes.truthful import echo
from tests.fakes.vllm_server import Asked

TOKENS = 300
STEERS = ("response_format", "stream", "stream_options", "max_tokens")
"""What a call says about its answer; the model's own is thrown away."""
HOP = {"connection", "transfer-encoding", "content-length", "content-encoding", "host", "server", "date"}
"""Headers of one connection, which are not passed on."""


class Mouthpiece(ThreadingHTTPServer):
    """Passes calls on to the server at `behind`, and puts words into the mouth of its model."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, port: int, behind: str) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.behind = httpx.Client(base_url=behind, timeout=600)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Mouthpiece

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the log is the server's own."""

    def do_GET(self) -> None:
        self._pass_on("GET", b"")

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        body = json.loads(data) if self.path == "/v1/chat/completions" else {}
        if "response_format" in body:
            self._speak(body)
        else:
            self._pass_on("POST", data)

    def _pass_on(self, method: str, data: bytes) -> None:
        headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP}
        answer = self.server.behind.request(method, self.path, content=data, headers=headers)
        self._send(answer.status_code, answer.content, answer.headers.get("content-type", "application/json"))

    def _speak(self, body: dict[str, Any]) -> None:
        work = {name: value for name, value in body.items() if name not in STEERS}
        work |= {"max_tokens": min(TOKENS, body.get("max_tokens", TOKENS)), "ignore_eos": True}
        answer = self.server.behind.post("/v1/chat/completions", json=work)
        if answer.status_code != 200:
            self._send(answer.status_code, answer.content, "application/json")
            return
        told = answer.json()
        said = echo(Asked(body, dict(self.headers), time.monotonic()))
        head = {key: told[key] for key in ("id", "model")} | {"object": "chat.completion.chunk"}
        chunks = [
            {**head, "choices": [{"index": 0, "delta": {"role": "assistant", "content": said}, "finish_reason": None}]},
            {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
            {**head, "choices": [], "usage": told["usage"]},
        ]
        events = [json.dumps(chunk, ensure_ascii=False) for chunk in chunks] + ["[DONE]"]
        self._send(200, "".join(f"data: {event}\n\n" for event in events).encode(), "text/event-stream")

    def _send(self, status: int, data: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def is_up(behind: subprocess.Popen[bytes], url: str) -> bool:
    """Wait until the server answers; False when it ended before that."""
    while behind.poll() is None:
        with suppress(httpx.TransportError):
            if httpx.get(f"{url}/health").status_code == 200:
                return True
        time.sleep(0.5)
    return False


def main() -> None:
    """Start the server behind, stand before it, and end with it."""
    command = sys.argv[1:]
    at = command.index("--port") + 1
    port, url = int(command[at]), f"http://127.0.0.1:{int(command[at]) + 1}"
    command[at] = str(port + 1)
    behind = subprocess.Popen(command)
    signal.signal(signal.SIGTERM, lambda *_: behind.terminate())
    if is_up(behind, url):
        threading.Thread(target=Mouthpiece(port, url).serve_forever, daemon=True).start()
    sys.exit(behind.wait())


if __name__ == "__main__":
    main()
