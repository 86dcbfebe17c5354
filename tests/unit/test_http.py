"""The one HTTP client against a server on 127.0.0.1 that plays all that goes wrong."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from comic_narrator.errors import BackendAnswerError, BackendDownError, NarratorError, StreamCutError, UsageError
from comic_narrator.http import Patience, Server
from comic_narrator.http.lines import payloads
from tests.fakes import vllm_server as fakes
from tests.fakes.vllm_server import FakeVllm, Script

CHAT = "/v1/chat/completions"
BODY = {"model": "fake-vl", "stream": True, "messages": [{"role": "user", "content": "hello"}]}


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comic_narrator.http.FIRST_PAUSE", 0.01)


@pytest.fixture
def fake() -> Iterator[FakeVllm]:
    with FakeVllm() as running:
        yield running


@pytest.fixture
def server(fake: FakeVllm) -> Iterator[Server]:
    with Server(fake.url) as one:
        yield one


def said(server: Server) -> str:
    events = list(server.events(CHAT, BODY))
    return "".join(c["delta"].get("content") or "" for event in events for c in event["choices"])


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/"], ids=["bare", "slash", "v1", "v1-slash"])
def test_the_address_is_taken_as_people_write_it(fake: FakeVllm, ending: str) -> None:
    with Server(fake.url.removeprefix("http://") + ending) as server:
        assert server.get("/v1/models").json()["data"][0]["id"] == "fake-vl"
        assert server.url == fake.url


@pytest.mark.parametrize("url", ["", "ftp://here", "http://", "http://a b:x"], ids=["empty", "ftp", "no-host", "odd"])
def test_what_is_no_address_is_said(url: str) -> None:
    with pytest.raises(UsageError):
        Server(url)


def test_nothing_there_is_a_backend_that_is_down() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with Server(f"127.0.0.1:{port}", patience=Patience(attempts=2)) as server:
        with pytest.raises(BackendDownError, match="Nothing answers"):
            server.get("/health")
        assert not server.alive()


REFUSALS: dict[str, tuple[Script, type[NarratorError], int]] = {
    "400": (fakes.refuses(400, "bad schema"), BackendAnswerError, 1),
    "401": (fakes.refuses(401, "Unauthorized"), UsageError, 1),
    "404-model": (fakes.refuses(404, "The model `x` does not exist."), UsageError, 1),
    "405": (fakes.refuses(405), UsageError, 1),
    "413": (fakes.refuses(413), BackendAnswerError, 1),
    "422": (fakes.refuses(422), BackendAnswerError, 1),
    "429": (fakes.refuses(429), BackendDownError, 4),
    "500": (fakes.refuses(500), BackendDownError, 2),
    "501": (fakes.refuses(501), BackendAnswerError, 1),
    "502": (fakes.refuses(502), BackendDownError, 4),
    "503": (fakes.refuses(503), BackendDownError, 4),
    "504": (fakes.refuses(504), BackendDownError, 4),
    "page-200": (fakes.shows_a_page(), BackendAnswerError, 1),
    "page-404": (fakes.shows_a_page(404), UsageError, 1),
    "page-503": (fakes.shows_a_page(503), BackendDownError, 4),
    "garbage": (fakes.garbage(), BackendAnswerError, 1),
    "rejected-in-stream": (fakes.error_event(503, "The engine is currently busy", after=0), BackendDownError, 4),
    "death-in-stream": (fakes.error_event(500), BackendDownError, 1),
    "cut": (fakes.ends_without_done(), StreamCutError, 1),
    "reset-in-stream": (fakes.dies_mid_stream(), StreamCutError, 1),
    "reset": (fakes.breaks_off(), BackendDownError, 4),
}


@pytest.mark.parametrize("name", sorted(REFUSALS))
def test_each_refusal_is_its_error_and_is_tried_only_where_that_helps(
    fake: FakeVllm, server: Server, name: str
) -> None:
    script, kind, attempts = REFUSALS[name]
    fake.play(*[script] * 4)
    with pytest.raises(kind) as caught:
        list(server.events(CHAT, BODY))
    assert len(fake.asked) == attempts
    assert caught.value.what.endswith(".")
    assert caught.value.hint


def test_a_burst_of_refusals_is_sat_out(fake: FakeVllm, server: Server) -> None:
    fake.play(fakes.refuses(503), fakes.refuses(429, headers={"retry-after": "0"}), fakes.breaks_off())
    assert said(server) == '{"words": "HELLO"}'
    fake.play(fakes.refuses(503), fakes.refuses(500))
    assert server.post(CHAT, BODY).status == 200


def test_a_connection_closed_after_an_error_costs_no_attempt(fake: FakeVllm) -> None:
    with Server(fake.url, patience=Patience(attempts=1)) as server:
        fake.play(fakes.fails_and_resets())
        with pytest.raises(BackendDownError):
            server.post(CHAT, BODY)
        assert server.get("/v1/models").status == 200
        fake.play(fakes.breaks_off())
        assert server.post(CHAT, BODY).status == 200


def test_a_pause_that_the_server_asks_for_is_kept(fake: FakeVllm, server: Server) -> None:
    fake.play(fakes.refuses(429, headers={"retry-after": "1"}))
    said(server)
    assert fake.asked[1].at - fake.asked[0].at >= 1


@pytest.mark.parametrize("script", [fakes.pings_for_ever(), fakes.stalls()], ids=["pings", "stall"])
def test_nothing_takes_longer_than_all_its_time(fake: FakeVllm, script: Script) -> None:
    with Server(fake.url, patience=Patience(read=0.4, total=0.5)) as server:
        fake.play(script)
        start = time.monotonic()
        with pytest.raises(BackendDownError) as caught:
            list(server.events(CHAT, BODY))
        assert time.monotonic() - start < 5
    assert caught.value.hint
    assert len(fake.asked) == 1


@pytest.mark.parametrize("moment", ["in a stream", "between two tries"])
def test_closing_ends_calls_in_flight(fake: FakeVllm, moment: str) -> None:
    fake.play(*[fakes.stalls() if moment == "in a stream" else fakes.refuses(503, headers={"retry-after": "20"})] * 2)
    server = Server(fake.url)
    ended: list[NarratorError] = []

    def call() -> None:
        try:
            list(server.events(CHAT, BODY))
        except NarratorError as error:
            ended.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    while not fake.asked:
        time.sleep(0.01)
    time.sleep(0.1)
    server.close()
    thread.join(5)
    assert not thread.is_alive()
    assert isinstance(ended[0], BackendDownError)


def test_the_key_is_sent_and_never_told(fake: FakeVllm) -> None:
    fake.key = "secret-key"
    with Server(fake.url, key="secret-key") as server:
        fake.play(fakes.refuses(400, "no secret-key here"))
        with pytest.raises(BackendAnswerError) as caught:
            server.post(CHAT, BODY)
        assert "secret-key" not in caught.value.what
        assert said(server)
    with Server(fake.url) as server, pytest.raises(UsageError, match="key") as refused:
        server.get("/v1/models")
    assert "COMIC_NARRATOR_API_KEY" in refused.value.hint


def test_a_proxy_of_the_environment_is_not_used(fake: FakeVllm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with Server(fake.url, patience=Patience(attempts=1)) as server:
        assert server.alive()


def test_an_answer_that_is_no_json_is_said(fake: FakeVllm, server: Server) -> None:
    fake.play(fakes.shows_a_page())
    with pytest.raises(BackendAnswerError, match="web page"):
        server.post(CHAT, BODY).json()


def test_a_text_with_odd_line_ends_stays_whole(fake: FakeVllm, server: Server) -> None:
    words = "a\u2028b\u0085c\x0bd\r\ne"
    fake.answer = lambda asked: words
    assert said(server) == words


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_events_are_whole_however_the_bytes_are_cut(size: int) -> None:
    stream = 'data: {"a": "é"}\r\n\r\n: ping\n\ndata:one\ndata: two\nid: 3\n\ndata: left'.encode()
    pieces = [stream[i : i + size] for i in range(0, len(stream), size)]
    assert list(payloads(pieces)) == ['{"a": "é"}'.encode(), b"one\ntwo"]


def test_threads_share_a_server(fake: FakeVllm, server: Server) -> None:
    answers: list[str] = []
    threads = [threading.Thread(target=lambda: answers.append(said(server))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == ['{"words": "HELLO"}'] * 8
