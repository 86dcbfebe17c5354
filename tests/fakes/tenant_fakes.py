"""Stand-ins for vllm, fish-speech-server and nvidia-smi: they replay logs, hold memory that is none, and misbehave.

The environment says how: FAKE_CARD is a folder where each process that holds memory keeps a file PID holding its MiB;
FAKE_VLLM and FAKE_FISH are JSON objects: `log`, lines or a file that is replayed; `pause`, seconds between two lines;
`mib`, memory once it is up; `does`, what it does in the end: serve, refuse, hang or die (`after` so long); `first`,
the same for the first boot alone, told by a file in the card's folder. The standard library is all they need.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

TOTAL_MIB = 32607


def _card() -> Path:
    return Path(os.environ["FAKE_CARD"])


def hold(mib: int) -> None:
    """Hold that much of the card, as this process."""
    (_card() / str(os.getpid())).write_text(str(mib), encoding="utf-8")


def held() -> dict[int, int]:
    """MiB by process, of those that live."""
    files = [file for file in _card().iterdir() if file.name.isdecimal()]
    return {int(f.name): int(f.read_text() or 0) for f in files if _lives(int(f.name))}


def _lives(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.is_file() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def _order(name: str) -> dict[str, Any]:
    order: dict[str, Any] = {"does": "serve", "log": [], "mib": 1000, "pause": 0.0}
    order |= json.loads(os.environ.get(f"FAKE_{name.upper()}", "{}"))
    booted = _card() / f"booted-{name}"
    if not booted.exists():
        order |= order.get("first", {})
    with booted.open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
    return order


def _replay(order: dict[str, Any]) -> None:
    log = order["log"]
    for line in Path(log).read_text(encoding="utf-8").splitlines() if isinstance(log, str) else log:
        print(line, flush=True)
        time.sleep(order["pause"])


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _FakeServer

    def log_message(self, format: str, *arguments: object) -> None:
        del format, arguments

    def do_GET(self) -> None:
        self._answer(self.server.tenant.get(self.path))

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._answer(self.server.tenant.post(self.path))

    def _answer(self, answer: tuple[int, str] | None) -> None:
        status, body = answer or (404, '{"detail":"Not Found"}')
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if body.startswith("{") else "text/plain")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class _FakeServer(ThreadingHTTPServer):
    daemon_threads = True
    tenant: FakeVllm | FakeFish


def _serve(tenant: FakeVllm | FakeFish, port: int) -> None:
    server = _FakeServer(("127.0.0.1", port), _Handler)
    server.tenant = tenant
    server.serve_forever()


def _note(what: str) -> None:
    """Write down that something was asked for, with what the card holds then."""
    with (_card() / what).open("a", encoding="utf-8") as file:
        file.write(f"{sum(held().values())}\n")


def _after(seconds: float) -> None:
    """Die as an engine does, without a word."""
    threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()


class FakeVllm:
    """A vLLM that boots, sleeps and wakes; its engine is a process of its own."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.order = order
        self.sleeping = False
        self.asked = 0

    def get(self, path: str) -> tuple[int, str] | None:
        if path == "/health":
            return 200, ""
        if path == "/v1/models":
            return 200, json.dumps({"object": "list", "data": [{"id": "m", "root": "m", "max_model_len": 32768}]})
        if path == "/is_sleeping" and self.order.get("naps", True):
            return 200, json.dumps({"is_sleeping": self.sleeping})
        if path == "/metrics":
            return 200, (
                f'vllm:num_requests_running{{engine="0"}} 0.0\nvllm:num_requests_waiting{{engine="0"}} 1.0\n'
                f'vllm:kv_cache_usage_perc{{engine="0"}} 0.25\n'
                f'vllm:e2e_request_latency_seconds_count{{engine="0"}} {self.asked}\n'
                f'vllm:e2e_request_latency_seconds_sum{{engine="0"}} {self.asked * 2.0}\n'
                f'vllm:time_to_first_token_seconds_sum{{engine="0"}} {self.asked * 0.5}\n'
            )
        return None

    def post(self, path: str) -> tuple[int, str] | None:
        if path == "/sleep?level=1" and self.order.get("naps", True):
            self.sleeping = True
            if self.order.get("gives_back", True):
                hold(1400)
            return 200, ""
        if path == "/wake_up":
            self.sleeping = self.order.get("wakes", True) is False
            hold(self.order["mib"])
            return 200, ""
        if path == "/reset_mm_cache":
            return 200, ""
        if path == "/v1/chat/completions":
            self.asked += 1
            if self.sleeping or self.asked == self.order.get("dies_at"):
                os.kill(os.getpid(), signal.SIGKILL)
            _note("pages")
            return 200, json.dumps({"choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}]})
        return None


class FakeFish:
    """A speech server that answers health and holds more with each line."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.order = order
        self.mib = order["mib"]
        self.lines = 0

    def get(self, path: str) -> tuple[int, str] | None:
        return (200, '{"status":"ok"}') if path == "/v1/health" else None

    def post(self, path: str) -> tuple[int, str] | None:
        if path != "/v1/tts":
            return None
        _note("lines")
        self.lines += 1
        if self.lines == self.order.get("dies_at"):
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(self.order.get("speaks", 0.0))
        self.mib += self.order.get("grows", 0)
        hold(self.mib)
        return 200, "sound"


def vllm() -> None:
    """vllm serve MODEL ... --port N."""
    order = _order("vllm")
    port = int(sys.argv[sys.argv.index("--port") + 1])
    engine = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])

    def leave(*_: object) -> None:
        engine.terminate()
        sys.exit(0)

    signal.signal(signal.SIGTERM, leave)
    _replay(order)
    if order["does"] == "refuse":
        engine.terminate()
        sys.exit(1)
    if order["does"] == "hang":
        time.sleep(600)
    hold(order["mib"])
    if order["does"] == "die":
        _after(order.get("after", 1.0))
    _serve(FakeVllm(order), port)


def fish() -> None:
    """fish-speech-server --listen HOST:PORT."""
    order = _order("fish")
    port = int(sys.argv[sys.argv.index("--listen") + 1].rpartition(":")[2])
    _replay(order)
    if order["does"] == "refuse":
        sys.exit(1)
    hold(order["mib"])
    if order["does"] == "die":
        _after(order.get("after", 1.0))
    _serve(FakeFish(order), port)


def nvidia_smi() -> None:
    """nvidia-smi --query-gpu=FIELDS or --query-compute-apps=FIELDS, --format=csv,noheader,nounits."""
    asked = dict(argument.split("=", 1) for argument in sys.argv[1:] if "=" in argument)
    used = sum(held().values()) + int(os.environ.get("FAKE_CARD_DESKTOP", "400"))
    if "--query-gpu" in asked:
        card = {
            "index": "0",
            "uuid": "GPU-fake",
            "name": "NVIDIA GeForce RTX 5090",
            "memory.total": str(TOTAL_MIB),
            "memory.used": str(used),
            "memory.free": str(TOTAL_MIB - used),
            "compute_cap": "12.0",
            "driver_version": "580.65.06",
        }
        print(", ".join(card[field.strip()] for field in asked["--query-gpu"].split(",")))
        return
    for pid, mib in held().items():
        row = {"pid": str(pid), "process_name": "python3", "used_memory": str(mib), "used_gpu_memory": str(mib)}
        row |= {"gpu_uuid": "GPU-fake", "name": "python3"}
        print(", ".join(row[field.strip()] for field in asked["--query-compute-apps"].split(",")))
