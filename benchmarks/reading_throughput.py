"""How many pages a minute a model server reads for us, beside a bare client that sends it the same load.

    python -m benchmarks.reading_throughput [--url URL] [--pages 40] [--in-flight 1,2,4,8] [--tokens 300] [--image PAGE]

Three clients take turns at each number in flight: `plain` is the least that can stream an answer (the standard library,
no checks); `chat` is the reader's own call, with its budget, its line and its checks; `probe` is what
`comic-narrator probe` measures. Every request has one page picture, and every answer all its tokens (ignore_eos), so a
model of random weights will do. The bar: chat reaches 0.9 of plain. Of our requirements it loads httpx, pydantic,
tenacity, babel, rich and psutil, Pillow where no page is given, and pynvml where there is one.
"""

from __future__ import annotations

import argparse
import base64
import http.client
import json
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from comic_narrator.gpu.cards import used_memory
from comic_narrator.gpu.drawn import HEIGHT, WIDTH, drawn_page
from comic_narrator.gpu.probe import QUESTION, Load, is_here, probe, wait_until_ready
from comic_narrator.http import Server
from comic_narrator.http.completions import pick_model
from comic_narrator.readers.vllm.chat import Chat, Picture, Request
from comic_narrator.report import spread

BAR = 0.9
AHEAD = 2
"""Pages that the reader makes ready while as many as there are seats are in flight."""


@dataclass(frozen=True)
class Setting:
    """One load: so many pages, so many in flight, so many tokens of answer, the picture of each page."""

    url: str
    model: str
    pages: int
    in_flight: int
    tokens: int
    picture: Picture


@dataclass(frozen=True)
class Row:
    """What a client got: pages a minute, median seconds to the first text and to the end, tokens of all pages."""

    client: str
    pages_a_minute: float
    ttft: float
    latency: float
    prompt: int
    written: int


def main() -> int:
    """Measure and print; 1 where the bar is missed."""
    asked = parser().parse_args()
    picture = page(asked.image)
    low = 1.0
    with Server(asked.url) as server:
        wait_until_ready(server, 600, lambda text: print(text, file=sys.stderr))
        model = pick_model(server).name
        size = f"{picture.width} x {picture.height} px"
        print(f"{server.url} {model}: {asked.pages} pages of {size}, {asked.tokens} tokens out")
        print("in flight client pages/min of plain  ttft s latency s     in    out")
        for in_flight in [int(number) for number in asked.in_flight.split(",")]:
            setting = Setting(server.url, model, asked.pages, in_flight, asked.tokens, picture)
            plain(Setting(server.url, model, in_flight, in_flight, 16, picture))
            base = plain(setting)
            ours = chat(setting)
            show(in_flight, base, 1.0)
            show(in_flight, ours, ours.pages_a_minute / base.pages_a_minute)
            found = probed(server, setting)
            show(in_flight, found, found.pages_a_minute / base.pages_a_minute)
            low = min(low, ours.pages_a_minute / base.pages_a_minute)
    print(f"the least of chat / plain: {low:.3f} (bar {BAR})")
    return 0 if low >= BAR else 1


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    made.add_argument("--url", default="http://127.0.0.1:8000")
    made.add_argument("--pages", type=int, default=40)
    made.add_argument("--in-flight", default="1,2,4,8")
    made.add_argument("--tokens", type=int, default=300)
    made.add_argument("--image", type=Path)
    return made


def page(image: Path | None) -> Picture:
    """The page that is sent: a PNG, whose size stands in its head."""
    data = image.read_bytes() if image else drawn_page()
    width, height = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20)) if image else (WIDTH, HEIGHT)
    return Picture(data, "image/png", width, height)


def plain(setting: Setting) -> Row:
    """A bare client: a thread for each seat, a connection for each request, nothing checked."""
    picture = base64.b64encode(setting.picture.data).decode()
    content = [
        {"type": "text", "text": QUESTION},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}},
    ]
    body = json.dumps(
        {
            "model": setting.model,
            "messages": [{"role": "user", "content": content}],
            "max_tokens": setting.tokens,
            "temperature": 0,
            "ignore_eos": True,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
    ).encode()
    return taken("plain", setting, setting.in_flight, lambda: streamed(setting.url, body))


@dataclass(frozen=True)
class One:
    """One answer."""

    ttft: float
    latency: float
    prompt: int
    written: int


def streamed(url: str, body: bytes) -> One:
    """One request, read line by line."""
    start = time.monotonic()
    first, usage = 0.0, {"prompt_tokens": 0, "completion_tokens": 0}
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=600)
    connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    if response.status != 200:
        raise SystemExit(f"refused: {response.read()[:300]!r}")
    for line in response:
        if not line.startswith(b"data:") or line.strip() == b"data: [DONE]":
            continue
        event: dict[str, Any] = json.loads(line[5:])
        usage = event.get("usage") or usage
        if not first and any(choice["delta"].get("content") for choice in event["choices"]):
            first = time.monotonic() - start
    connection.close()
    return One(first, time.monotonic() - start, usage["prompt_tokens"], usage["completion_tokens"])


def chat(setting: Setting) -> Row:
    """The reader's own call, from as many threads as the reader has."""
    request = Request("", (QUESTION, setting.picture), None, "", setting.tokens, extra={"ignore_eos": True})
    with Server(setting.url) as server:
        own = Chat(server, setting.model, setting.in_flight)

        def one() -> One:
            reply = own.send(request)
            return One(reply.ttft, reply.seconds, reply.prompt_tokens, reply.completion_tokens)

        return taken("chat", setting, setting.in_flight + AHEAD, one)


def probed(server: Server, setting: Setting) -> Row:
    """What the probe says of the same load."""
    load = Load(setting.pages, setting.in_flight, setting.tokens, setting.picture.data)
    found = probe(server, load, used_memory if is_here(server.url) else dict)
    return Row(
        "probe",
        found.pages_a_minute,
        found.first_token.median,
        found.latency.median,
        found.prompt_tokens,
        found.completion_tokens,
    )


def taken(client: str, setting: Setting, threads: int, one: Callable[[], One]) -> Row:
    """All pages from so many threads."""
    start = time.monotonic()
    with ThreadPoolExecutor(threads) as pool:
        done = list(pool.map(lambda _: one(), range(setting.pages)))
    took = time.monotonic() - start
    return Row(
        client,
        60 * len(done) / took,
        spread([answer.ttft for answer in done]).median,
        spread([answer.latency for answer in done]).median,
        sum(answer.prompt for answer in done),
        sum(answer.written for answer in done),
    )


def show(in_flight: int, row: Row, ratio: float) -> None:
    """One row of the table."""
    print(
        f"{in_flight:9} {row.client:>6} {row.pages_a_minute:9.1f} {ratio:8.3f} {row.ttft:7.3f} {row.latency:9.3f} "
        f"{row.prompt:6} {row.written:6}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
