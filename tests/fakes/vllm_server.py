"""A stand-in for vLLM, in a thread on 127.0.0.1: it answers from a function, or plays scripts of all that goes wrong.

    with FakeVllm(answer=lambda asked: '{"lines": []}') as fake:
        fake.play(refuses(503), refuses(503))     # what the next two chat calls get; then it answers again
        Chat(Server(fake.url)).ask(request)
        fake.asked[0].text, fake.asked[0].pictures, fake.most_in_flight

Its streams have the shape that vLLM 0.20.2 and 0.32.0 were recorded with. Every wait ends when the fake is closed.
"""

from __future__ import annotations

import base64
import json
import socket
import struct
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tests.fakes.local import Local, LocalHandler
from tests.records import Recorded

Script = Callable[["Call"], None]
"""Plays one call to /v1/chat/completions."""


@dataclass(frozen=True)
class Asked:
    """A chat call as it came in."""

    body: dict[str, Any]
    headers: dict[str, str]
    at: float

    @cached_property
    def parts(self) -> tuple[dict[str, Any], ...]:
        """The parts of all messages, texts first made parts."""
        found: list[dict[str, Any]] = []
        for message in self.body["messages"]:
            content = message["content"]
            found += [{"type": "text", "text": content}] if isinstance(content, str) else content
        return tuple(found)

    @property
    def text(self) -> str:
        """All texts of the request, a line each."""
        return "\n".join(part["text"] for part in self.parts if part["type"] == "text")

    @property
    def pictures(self) -> tuple[bytes, ...]:
        """The pictures of the request, as they were encoded."""
        urls = (part["image_url"]["url"] for part in self.parts if part["type"] == "image_url")
        return tuple(base64.b64decode(url.partition(",")[2]) for url in urls)


Answer = Callable[[Asked], "str | Script"]


class FakeVllm(Local):
    """A server with one model; `answer` makes the text of every chat call that no script is waiting for."""

    def __init__(
        self,
        answer: Answer = lambda asked: '{"words": "HELLO"}',
        *,
        model: str = "fake-vl",
        root: str = "models/Qwen3-VL-8B",
        max_model_len: int = 32_768,
        key: str | None = None,
        starts_after: int = 0,
        metrics: str = "",
        seats: int = 0,
        pace: float = 0.0,
    ) -> None:
        """The first `starts_after` calls are answered 503; `seats` are told where there are any.

        `pace` is the pause before each piece of text, in seconds.
        """
        self.answer = answer
        self.model, self.root, self.max_model_len = model, root, max_model_len
        self.key, self.starts_after, self.metrics, self.pace = key, starts_after, metrics, pace
        self.seats = seats
        super().__init__(_Handler)
        self.asked: list[Asked] = []
        self.sleeping = False
        self.healthy = True
        self._scripts: deque[Script] = deque()

    def play(self, *scripts: Script) -> None:
        """What the next chat calls get, one script a call."""
        self._scripts.extend(scripts)

    def next_script(self, asked: Asked) -> Script:
        """The script of a call."""
        with self.lock:
            if self._scripts:
                return self._scripts.popleft()
        made = self.answer(asked)
        return says(made) if isinstance(made, str) else made


class _Handler(LocalHandler):
    def do_GET(self) -> None:
        call = Call(self)
        if call.refused():
            return
        fake = call.fake
        match self.path:
            case "/health" | "/ping":
                call.send(200 if fake.healthy else 503, b"", "application/json")
            case "/v1/models":
                call.send_json(200, {"object": "list", "data": [_card(fake)]})
            case "/version":
                call.send_json(200, {"version": "0.20.2"})
            case "/metrics":
                call.send(200, fake.metrics.encode(), "text/plain; version=0.0.4")
            case "/server_info?config_format=json" if fake.seats:
                call.send_json(200, {"vllm_config": {"scheduler_config": {"max_num_seqs": fake.seats}}})
            case "/is_sleeping":
                call.send_json(200, {"is_sleeping": fake.sleeping})
            case _:
                call.send_json(404, {"detail": "Not Found"})

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        call = Call(self)
        if call.refused():
            return
        fake = call.fake
        match self.path.partition("?")[0]:
            case "/v1/chat/completions":
                self._chat(call, data)
            case "/tokenize":
                asked = Asked(json.loads(data), dict(self.headers), time.monotonic())
                call.send_json(200, {"count": tokens_of(asked), "max_model_len": fake.max_model_len, "tokens": []})
            case "/sleep" | "/wake_up":
                fake.sleeping = self.path.startswith("/sleep")
                call.send(200, b"", "application/json")
            case _:
                call.send_json(404, {"detail": "Not Found"})

    def _chat(self, call: Call, data: bytes) -> None:
        asked = Asked(json.loads(data), {k.lower(): v for k, v in self.headers.items()}, time.monotonic())
        fake = call.fake
        call.begin(asked)
        try:
            if asked.body["model"] != fake.model:
                call.send_json(404, error_body(404, f"The model `{asked.body['model']}` does not exist."))
            else:
                fake.next_script(asked)(call)
        finally:
            call.end()


def _card(fake: FakeVllm) -> dict[str, Any]:
    return {
        "id": fake.model,
        "object": "model",
        "owned_by": "vllm",
        "root": fake.root,
        "max_model_len": fake.max_model_len,
    }


def error_body(code: int, message: str) -> dict[str, Any]:
    """An error as vLLM writes it."""
    return {"error": {"message": message, "type": "Error", "param": None, "code": code}}


def tokens_of(asked: Asked) -> int:
    """What the fake counts as tokens of a request's texts: a token every four bytes, and some a message."""
    return sum(len(part["text"].encode()) // 4 + 1 for part in asked.parts if part["type"] == "text") + 8


class Call:
    """A call that is being answered: what scripts write with."""

    asked: Asked

    def __init__(self, handler: _Handler) -> None:
        self.handler = handler
        fake = handler.server.fake
        assert isinstance(fake, FakeVllm)
        self.fake = fake
        self.counted = False
        with self.fake.lock:
            self.fake.calls.append(f"{handler.command} {handler.path}")

    def begin(self, asked: Asked) -> None:
        """A chat call has come in."""
        self.asked, self.counted = asked, True
        with self.fake.lock:
            self.fake.asked.append(asked)
            self.fake.begin()

    def end(self) -> None:
        """It is answered: said before the last byte is sent, for its caller may call again at once."""
        with self.fake.lock:
            self.fake.in_flight -= self.counted
            self.counted = False

    def refused(self) -> bool:
        """Whether the call was turned away: the server is starting, or the key is wrong."""
        fake = self.fake
        with fake.lock:
            starting = fake.starts_after > 0
            fake.starts_after -= starting
        if starting:
            self.send_json(503, error_body(503, "The server is starting."))
            return True
        wanted = fake.key if self.handler.path != "/health" else None
        if wanted and self.handler.headers.get("authorization") != f"Bearer {wanted}":
            self.send_json(401, {"error": "Unauthorized"})
            return True
        return False

    def send(self, status: int, data: bytes, kind: str, headers: Mapping[str, str] | None = None) -> None:
        """A whole answer."""
        self.end()
        self.handler.send_response(status)
        self.handler.send_header("content-type", kind)
        self.handler.send_header("content-length", str(len(data)))
        for name, value in (headers or {}).items():
            self.handler.send_header(name, value)
        self.handler.end_headers()
        self.handler.wfile.write(data)

    def send_json(self, status: int, body: object, headers: Mapping[str, str] | None = None) -> None:
        """A whole answer of JSON."""
        self.send(status, json.dumps(body).encode(), "application/json", headers)

    def open_stream(self) -> None:
        """The head of a stream, and the first chunk, which is empty as vLLM's is."""
        self.open_raw()
        self.chunk({"role": "assistant", "content": ""})

    def open_raw(self, kind: str = "text/event-stream; charset=utf-8") -> None:
        """The head of a stream."""
        self.handler.send_response(200)
        self.handler.send_header("content-type", kind)
        self.handler.send_header("transfer-encoding", "chunked")
        self.handler.end_headers()

    def raw(self, data: bytes) -> None:
        """A piece of a stream."""
        with suppress(BrokenPipeError, ConnectionResetError):
            self.handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def event(self, body: object) -> None:
        """An event of JSON, not escaped, as vLLM writes it."""
        self.raw(b"data: " + json.dumps(body, ensure_ascii=False).encode() + b"\n\n")

    def chunk(self, delta: Mapping[str, Any], finish: str | None = None) -> None:
        """A chunk of a completion."""
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        self.event(
            {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": self.fake.model, "choices": [choice]}
        )

    def usage(self, completion: int) -> None:
        """The chunk that tells what was used."""
        prompt = tokens_of(self.asked) + 1000 * len(self.asked.pictures)
        used = {"prompt_tokens": prompt, "total_tokens": prompt + completion, "completion_tokens": completion}
        self.event({"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [], "usage": used})

    def done(self) -> None:
        """The end of a stream."""
        self.end()
        self.raw(b"data: [DONE]\n\n")
        self.close_stream()

    def close_stream(self) -> None:
        """The end of the transfer, without [DONE]."""
        with suppress(BrokenPipeError, ConnectionResetError):
            self.handler.wfile.write(b"0\r\n\r\n")

    def reset(self) -> None:
        """The connection breaks (a reset, not an end)."""
        self.handler.close_connection = True
        self.handler.wfile.flush()
        self.handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.handler.connection.close()

    def wait(self, seconds: float) -> None:
        """A pause; over at once when the fake is closed."""
        self.fake.closed.wait(seconds)


def pieces_of(text: str, size: int = 7) -> Iterable[str]:
    """A text in pieces, as a model speaks it."""
    return (text[i : i + size] for i in range(0, len(text), size))


def says(text: str, finish: str = "stop") -> Script:
    """The text, and the end that goes with it; at most `max_tokens` pieces, then "length"."""

    def play(call: Call) -> None:
        pieces = list(pieces_of(text))
        most = int(call.asked.body.get("max_tokens") or 1_000_000)
        call.open_stream()
        for piece in pieces[:most]:
            if call.fake.pace:
                call.wait(call.fake.pace)
            call.chunk({"content": piece})
        call.chunk({"content": ""}, "length" if len(pieces) > most else finish)
        call.usage(min(len(pieces), most))
        call.done()

    return play


def thinks(text: str) -> Script:
    """All of it said in the reasoning, the content null, as a reasoning parser leaves it."""

    def play(call: Call) -> None:
        call.open_stream()
        call.chunk({"reasoning": text})
        call.chunk({}, "stop")
        call.done()

    return play


def refuses(status: int, message: str = "refused", headers: Mapping[str, str] | None = None) -> Script:
    """An error of that status, as vLLM writes it."""
    return lambda call: call.send_json(status, error_body(status, message), headers)


def shows_a_page(status: int = 200) -> Script:
    """A web page where JSON was asked for, as a proxy answers."""
    return lambda call: call.send(status, b"<!DOCTYPE html>\n<html><body>Sign in</body></html>", "text/html")


def garbage() -> Script:
    """A stream whose events are no JSON."""

    def play(call: Call) -> None:
        call.open_stream()
        call.raw(b"data: \x00\xff{{{ nonsense\n\n")
        call.done()

    return play


def truncated_json() -> Script:
    """Half a JSON object, and "length" as the reason."""
    return says('{"lines": [{"text": "HEL', "length")


def white_space(pieces: int = 200) -> Script:
    """A model that fills its answer with white space until the limit."""
    return says('{"kind":' + "\n \t  \r " * pieces, "length")


def repeats(text: str = '{"text": "NO NO"}, ', times: int = 60) -> Script:
    """A model that loops until the limit."""
    return says('{"lines": [' + text * times, "length")


def wrong_schema() -> Script:
    """JSON of quite another shape, as a server answers that ignores the schema."""
    return says('{"answer": {"panels": "four", "lines": "none"}, "confidence": "high"}')


def boxes_as_told(box: tuple[int, int, int, int], width: int, height: int) -> dict[str, tuple[float, ...]]:
    """A box (x, y, w, h in pixels) as models tell it, two corners each: in pixels, in 0 to 1, and in 0 to 1000."""
    x, y, w, h = box
    corners = ((x, width), (y, height), (x + w, width), (y + h, height))
    return {
        "pixels": tuple(value for value, _ in corners),
        "unit": tuple(round(value / size, 4) for value, size in corners),
        "thousand": tuple(round(1000 * value / size) for value, size in corners),
    }


def error_event(code: int = 500, message: str = "EngineCore encountered an issue.", after: int = 3) -> Script:
    """A 200 stream that turns into an error after so many pieces, and says [DONE]; after 0, nothing comes first."""

    def play(call: Call) -> None:
        call.open_raw()
        for i in range(after):
            call.chunk({"content": f"piece {i} "})
        call.event(error_body(code, message))
        call.done()

    return play


def done_without_finish() -> Script:
    """A stream that says [DONE] though nothing was finished."""

    def play(call: Call) -> None:
        call.open_stream()
        call.chunk({"content": '{"lines": []}'})
        call.done()

    return play


def ends_without_done(text: str = '{"lines": [') -> Script:
    """A stream that ends in good order, but before its end."""

    def play(call: Call) -> None:
        call.open_stream()
        call.chunk({"content": text})
        call.close_stream()

    return play


def dies_mid_stream(text: str = '{"lines": [') -> Script:
    """A connection that breaks in the middle of an answer."""

    def play(call: Call) -> None:
        call.open_stream()
        call.chunk({"content": text})
        call.wait(0.02)
        call.reset()

    return play


def breaks_off() -> Script:
    """A connection that breaks before any answer."""
    return lambda call: call.reset()


def fails_and_resets() -> Script:
    """An unhandled error: 500, and the connection, said to be kept, is closed."""

    def play(call: Call) -> None:
        call.send_json(500, error_body(500, "Internal Server Error"))
        call.handler.close_connection = True

    return play


def stalls(seconds: float = 30, after: int = 1) -> Script:
    """Nothing for that long, after so many pieces; then the rest."""

    def play(call: Call) -> None:
        call.open_stream()
        for i in range(after):
            call.chunk({"content": f"piece {i} "})
        call.wait(seconds)
        call.chunk({"content": "late"}, "stop")
        call.done()

    return play


def pings_for_ever(pause: float = 0.02) -> Script:
    """Comments that keep the connection alive, and no answer."""

    def play(call: Call) -> None:
        call.open_stream()
        for _ in range(5_000):
            if call.fake.closed.wait(pause):
                return
            call.raw(b": ping\n\n")

    return play


def replays(answer: Recorded) -> Script:
    """A recorded answer, byte for byte."""

    def play(call: Call) -> None:
        if not answer.kind.startswith("text/event-stream"):
            call.send(answer.status, answer.data, answer.kind)
            return
        call.open_raw(answer.kind)
        call.raw(answer.data)
        call.close_stream()

    return play
