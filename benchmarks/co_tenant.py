"""A tenant that holds memory on the GPU like a speech server and answers where one would; it cannot speak.

    python -m benchmarks.co_tenant --listen 127.0.0.1:8080 --gib 2.3 [--grows 0.2]

GET /v1/health answers once the memory is held; each POST to /v1/tts holds `--grows` GiB more, as long sessions of Fish
Speech do. It needs torch with CUDA and nothing else.
"""

from __future__ import annotations

import argparse
from http.server import BaseHTTPRequestHandler, HTTPServer

import torch


class _Handler(BaseHTTPRequestHandler):
    server: CoTenant

    def do_GET(self) -> None:
        """Health."""
        self._answer(
            b'{"status":"ok"}' if self.path == "/v1/health" else b"", 200 if self.path == "/v1/health" else 404
        )

    def do_POST(self) -> None:
        """A line: nothing is spoken, more is held."""
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.hold(self.server.grows)
        self._answer(b"RIFF", 200)

    def _answer(self, body: bytes, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class CoTenant(HTTPServer):
    """Holds memory for as long as it lives; `grows` is GiB for each line."""

    def __init__(self, address: tuple[str, int], gib: float, grows: float) -> None:
        self.held: list[torch.Tensor] = []
        self.grows = grows
        self.hold(gib)
        super().__init__(address, _Handler)

    def hold(self, gib: float) -> None:
        """Hold that much more."""
        if gib:
            self.held.append(torch.ones(int(gib * 2**30), dtype=torch.uint8, device="cuda"))
            torch.cuda.synchronize()


def main() -> None:
    """Hold memory and answer until stopped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--listen", default="127.0.0.1:8080")
    parser.add_argument("--gib", type=float, default=2.3)
    parser.add_argument("--grows", type=float, default=0.0)
    options = parser.parse_args()
    host, _, port = options.listen.rpartition(":")
    print(f"holding {options.gib} GiB", flush=True)
    server = CoTenant((host, int(port)), options.gib, options.grows)
    print(f"listening on {options.listen}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
