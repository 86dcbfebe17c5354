"""The hand-over of a card, measured: up, pages, nap, lines, wake, pages again, down; or each refusal, as we tell it.

    python -m benchmarks.hand_over --model models/qwen3vl_8b [--vllm 'python3 -m vllm.entrypoints.cli.main serve']
        [--pages 40] [--util 0.2] [--speech-gib 2.3] [--weights-gib 16.69] [--out out] [--refusals [--only no_kv ...]]

It needs a GPU, a vLLM, and torch for a co-tenant that holds memory like a speech server; the model may have dummy
weights (that is the default): what is measured are the tenants, not words. The pages are answered with 300 tokens of
whatever comes; the same page is asked before the nap and after it, and must be answered the same.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import os
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from comic_narrator.errors import NarratorError
from comic_narrator.gpu.nap import fall_asleep, wake
from comic_narrator.http import Server

URL = "http://127.0.0.1:8000"
SPEECH = "http://127.0.0.1:8080"
LINES = 10
TOKENS = 300


@dataclass(frozen=True)
class Shape:
    """A profile to write: how the tenants are started."""

    model: str
    vllm: tuple[str, ...]
    weights_gib: float
    speech_gib: float
    util: float
    length: int = 32768
    seats: int = 2
    batched: int = 4096
    images: int = 2
    eager: bool = False
    grows: float = 0.0
    extra: tuple[str, ...] = ("--load-format", "dummy")
    environment: dict[str, str] = field(default_factory=dict)

    def toml(self) -> str:
        """The profile as a TOML file."""
        speech = [
            sys.executable,
            "-m",
            "benchmarks.co_tenant",
            "--gib",
            str(self.speech_gib),
            "--grows",
            str(self.grows),
        ]
        environment = {
            "VLLM_SERVER_DEV_MODE": "1",
            "VLLM_NO_USAGE_STATS": "1",
            "HF_HUB_OFFLINE": "1",
            "VLLM_USE_FLASHINFER_SAMPLER": "0",
            **self.environment,
        }
        lines = [
            "[gpu]",
            'share = "nap"',
            "[tenant.vision]",
            f"program = {json.dumps(self.vllm)}",
            f"model = {json.dumps(self.model)}",
            f"extra = {json.dumps(self.extra)}",
            'sources = ["this benchmark"]',
            "[tenant.vision.environment]",
            *(f"{name} = {json.dumps(value)}" for name, value in environment.items()),
            "[tenant.vision.flags]",
            f"max_model_len = {self.length}",
            f"max_num_seqs = {self.seats}",
            f"max_num_batched_tokens = {self.batched}",
            f"gpu_memory_utilization = {self.util}",
            f"limit_mm_per_prompt = {{ image = {self.images}, video = 0 }}",
            f"enforce_eager = {str(self.eager).lower()}",
            "enable_sleep_mode = true",
            "[tenant.vision.figures]",
            f"weights_gib = {self.weights_gib}",
            "[tenant.speech]",
            f"program = {json.dumps(speech)}",
            'sources = ["this benchmark"]',
            f"expected_gib = {self.speech_gib}",
            f"reserve_gib = {self.speech_gib + 0.3:.2f}",
        ]
        return "\n".join(lines) + "\n"


def used_mib() -> int | None:
    """Memory in use on the first card."""
    asked = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits", "--id=0"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return int(told) if told.isdecimal() else None


def serve(*arguments: str, out: Path) -> tuple[int, float, str]:
    """`comic-narrator serve` with its exit code, seconds and what it said."""
    began = time.monotonic()
    environment = {**os.environ, "XDG_STATE_HOME": str(out / "state")}
    done = subprocess.run(
        [sys.executable, "-m", "comic_narrator", "serve", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, time.monotonic() - began, done.stderr + done.stdout


def page(number: int) -> str:
    """A page of its own as a data address: 1024 x 1536 pixels with its number and some panels."""
    picture = Image.new("RGB", (1024, 1536), "white")
    pen = ImageDraw.Draw(picture)
    for panel in range(6):
        left, top = 40 + panel % 2 * 480, 40 + panel // 2 * 490
        pen.rectangle((left, top, left + 450, top + 460), outline="black", width=6, fill=(40 * panel, 200, 30 + number))
        pen.text((left + 60, top + 60), f"PAGE {number} PANEL {panel}", fill="black")
    data = io.BytesIO()
    picture.save(data, "PNG")
    return "data:image/png;base64," + base64.b64encode(data.getvalue()).decode()


def read(server: Server, model: str, number: int, tokens: int = TOKENS) -> str:
    """Whatever is answered for a page."""
    content = [{"type": "text", "text": "Read the page."}, {"type": "image_url", "image_url": {"url": page(number)}}]
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": "user", "content": content}],
        "max_tokens": tokens,
        "temperature": 0,
        "ignore_eos": True,
    }
    return str(server.post("/v1/chat/completions", body).json()["choices"][0]["message"]["content"])


@contextmanager
def timed(table: list[tuple[str, str, str]], what: str) -> Iterator[Callable[[str], None]]:
    """A row of the table: what, how long it took, the card after it, and what is noted."""
    notes: list[str] = []
    began = time.monotonic()
    yield notes.append
    seconds = time.monotonic() - began
    table.append((what, f"{seconds:.1f} s", ", ".join([f"{used_mib()} MiB in use", *notes])))
    print(" | ".join(table[-1]), flush=True)


def hand_over(shape: Shape, pages: int, out: Path) -> list[tuple[str, str, str]]:
    """Everything from up to down, as rows of a table."""
    profile = out / "hand-over.toml"
    profile.write_text(shape.toml(), encoding="utf-8")
    table: list[tuple[str, str, str]] = []
    print(f"{used_mib()} MiB in use before", flush=True)
    with timed(table, "up: vision, nap, speech"):
        code, _, said = serve("up", "--profile", str(profile), out=out)
        print(said, flush=True)
        if code:
            raise SystemExit(f"up left with {code}")
    with timed(table, "up again: nothing to do"):
        print(serve("up", "--profile", str(profile), out=out)[2], flush=True)
    with Server(URL) as server:
        model = server.get("/v1/models").json()["data"][0]["id"]
        with timed(table, "wake") as note:
            note(f"{wake(server):.2f} s by itself")
        with timed(table, f"{pages} pages, {shape.seats} at once") as note, ThreadPoolExecutor(shape.seats) as pool:
            began = time.monotonic()
            list(pool.map(lambda number: read(server, model, number), range(pages)))
            note(f"{60 * pages / (time.monotonic() - began):.1f} pages/min")
        before = read(server, model, 0, 40)
        with timed(table, "nap") as note:
            nap = fall_asleep(server, used_mib, shape.weights_gib)
            note(f"{nap.freed_mib} MiB came back")
        with timed(table, f"{LINES} lines"), Server(SPEECH) as speech:
            for _ in range(LINES):
                speech.post("/v1/tts", {"text": "hello"})
        with timed(table, "wake again") as note:
            note(f"{wake(server):.2f} s by itself")
        with timed(table, "the first page again") as note:
            note("answered as before the nap" if read(server, model, 0, 40) == before else "ANSWERED OTHERWISE")
    print(serve("status", out=out)[2], flush=True)
    with timed(table, "down"):
        print(serve("down", out=out)[2], flush=True)
    return table


def refusals(shape: Shape, only: tuple[str, ...], out: Path) -> list[tuple[str, str, str]]:
    """Each refusal that flags and a co-tenant can provoke: what it was, the exit code, what we say."""
    small = replace(shape, eager=True)
    weights = shape.weights_gib / card_gib()
    cases = {
        "no_kv": replace(small, util=round(weights * 0.98, 3)),
        "kv_too_small": replace(small, util=round(weights + 0.035, 3), length=262144),
        "heavy": replace(small, length=131072, seats=4, batched=16384, images=8),
        "free_memory": replace(small, util=0.9),
        "profile_race": small,
        "measured_wrong": small,
        "no_model": replace(small, model="nobody/no-such-model"),
        "unknown_flag": replace(small, extra=(*small.extra, "--no-such-flag")),
    }
    table = []
    for what, case in cases.items():
        if only and what not in only:
            continue
        profile = out / "provoked.toml"
        profile.write_text(case.toml(), encoding="utf-8")
        # Of what is given back while it measures, more than the weights take is an error, and less is none.
        shares = {"free_memory": 0.3, "profile_race": 0.25, "measured_wrong": 0.1}
        leaves = what in ("profile_race", "measured_wrong")
        with held(card_gib() * shares.get(what, 0.0), out if leaves else None):
            code, seconds, said = serve("up", "vision", "--profile", str(profile), out=out)
        print(f"== {what}: exit {code}\n{said}", flush=True)
        told = next(
            (
                line
                for line in reversed(said.splitlines())
                if "refused" in line or "ready after" in line or "its share" in line
            ),
            said,
        )
        table.append((what, f"exit {code}, {seconds:.0f} s", told.strip()))
        serve("down", out=out)
    return table


@contextmanager
def held(gib: float, until: Path | None) -> Iterator[None]:
    """Somebody else's memory on the card; given back while a boot measures, where the folder of its log is given."""
    if not gib:
        yield
        return
    where = "127.0.0.1:8099"
    other = subprocess.Popen([sys.executable, "-m", "benchmarks.co_tenant", "--listen", where, "--gib", str(gib)])
    try:
        with Server(f"http://{where}") as server:
            while not server.alive("/v1/health", 1):
                time.sleep(0.5)
        if until is not None:
            threading.Thread(target=_leave, args=(other, until), daemon=True).start()
        yield
    finally:
        other.terminate()
        other.wait()


def _leave(other: subprocess.Popen[bytes], out: Path) -> None:
    log = out / "state" / "comic-narrator" / "logs" / "vision.log"
    began = time.time()
    while not (log.is_file() and log.stat().st_mtime > began and "Starting to load model" in log.read_text()):
        time.sleep(0.1)
    other.terminate()


def card_gib() -> float:
    """Memory of the first card."""
    asked = ["nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits", "--id=0"]
    return int(subprocess.run(asked, capture_output=True, text=True, check=True).stdout) / 1024


def arguments(doc: str | None, out: str) -> argparse.ArgumentParser:
    """What is asked of whoever measures tenants of a card: the model, its server, its share, what lies beside it."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--vllm", default="vllm serve")
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--util", type=float, default=0.2)
    parser.add_argument("--speech-gib", type=float, default=2.3)
    parser.add_argument("--weights-gib", type=float, default=16.69)
    parser.add_argument("--out", type=Path, default=Path(out))
    return parser


def print_rows(table: list[tuple[str, str, str]]) -> None:
    """The rows as a table in Markdown."""
    print("\n| what | took | after it |\n|---|---|---|")
    for row in table:
        print("| " + " | ".join(row) + " |")


def main() -> None:
    """Measure and print tables."""
    parser = arguments(__doc__, "out/hand_over")
    parser.add_argument("--refusals", action="store_true")
    parser.add_argument("--only", nargs="*", default=(), help="just these refusals")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    shape = Shape(
        options.model, tuple(shlex.split(options.vllm)), options.weights_gib, options.speech_gib, options.util
    )
    try:
        if options.refusals:
            table = refusals(shape, tuple(options.only), options.out)
        else:
            table = hand_over(shape, options.pages, options.out)
    except NarratorError as error:
        raise SystemExit(f"{error.what} {error.hint}") from error
    finally:
        serve("down", out=options.out)
    print_rows(table)


if __name__ == "__main__":
    main()
