"""The contract against a real vLLM, where COMIC_NARRATOR_TEST_VLLM has its address: `make contract-vllm` brings one up.

The model may be any that takes pictures, also one of random weights: what a server does is tested, not what it says.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator

import pytest

from comic_narrator.errors import BackendAnswerError, DoesNotFitError, NarratorError, UsageError
from comic_narrator.gpu.drawn import drawn_page
from comic_narrator.gpu.metrics import read_state
from comic_narrator.gpu.probe import Load, probe, wait_until_ready
from comic_narrator.http import Server
from comic_narrator.http.completions import pick_model
from comic_narrator.readers.vllm.chat import Chat, Picture, Request
from comic_narrator.readers.vllm.counting import Tokenizer
from comic_narrator.readers.vllm.greeting import drawn_page as greeting_page

URL = os.environ.get("COMIC_NARRATOR_TEST_VLLM", "")
pytestmark = [
    pytest.mark.skipif(not URL, reason="COMIC_NARRATOR_TEST_VLLM names no server: make contract-vllm brings one up"),
]

SCHEMA = {
    "type": "object",
    "properties": {"kind": {"enum": ["dialogue", "caption"]}, "loud": {"type": "boolean"}},
    "required": ["kind", "loud"],
    "additionalProperties": False,
}


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(URL, key=os.environ.get("COMIC_NARRATOR_API_KEY")) as one:
        yield one


@pytest.fixture
def chat(server: Server) -> Chat:
    return Chat(server)


def plain(text: str = "Read the page.", tokens: int = 12, **extra: object) -> Request:
    return Request("You read comics.", (text,), None, "", tokens, extra=extra)


def test_it_is_ready_and_tells_its_state(server: Server) -> None:
    assert wait_until_ready(server, 5, print) < 5
    state = read_state(server)
    assert state
    assert (state.running, state.waiting) == (0, 0)
    assert state.kv is not None


def test_the_model_and_its_context_are_told(chat: Chat) -> None:
    assert chat.identity
    assert chat.context > 0
    assert URL not in chat.identity


def test_a_picture_and_a_text_are_answered(chat: Chat) -> None:
    request = Request("", (greeting_page(), "Read it."), None, "", 8, extra={"ignore_eos": True})
    reply = chat.send(request)
    assert reply.completion_tokens == 8
    assert 0 < reply.ttft <= reply.seconds
    # What we count before sending is never less than what the server counts.
    assert chat.context - request.max_tokens - chat.fits(request) >= reply.prompt_tokens


def test_an_answer_cut_short_is_no_answer(chat: Chat) -> None:
    with pytest.raises(BackendAnswerError, match="cut off after 5 tokens"):
        chat.ask(plain(tokens=5, ignore_eos=True))


def test_an_answer_keeps_its_schema_or_is_an_error(chat: Chat) -> None:
    request = Request("", (greeting_page(), "Answer as JSON."), SCHEMA, "line", 120)
    try:
        answer = json.loads(chat.ask(request).text)
    except BackendAnswerError as error:
        # Random weights may write white space between the braces until the limit.
        assert "cut off" in error.what or "white space" in error.what  # noqa: PT017
    else:
        assert set(answer) == {"kind", "loud"}


def test_a_schema_that_cannot_be_kept_is_refused_with_the_reason(chat: Chat) -> None:
    with pytest.raises(BackendAnswerError, match=r"\(400\)"):
        chat.ask(Request("", ("x",), {"type": "nonsense"}, "bad", 8))


def test_what_does_not_fit_is_not_sent_and_would_have_been_refused(chat: Chat, server: Server) -> None:
    long = plain("the page " * chat.context)
    assert chat.fits(long) < 0
    with pytest.raises(DoesNotFitError):
        chat.ask(long)
    generous = Chat(server, context=0)
    generous.fits = lambda request: 0  # type: ignore[method-assign]
    with pytest.raises(DoesNotFitError, match="context length"):
        generous.ask(long)


@pytest.mark.parametrize(
    "text", ["THE LIGHT IS OUT!", "0123456789", "吾輩は猫である。", '{"lines": [{"text": "NO!"}]}']
)
def test_a_text_is_counted_as_the_server_counts_it(chat: Chat, server: Server, text: str) -> None:
    request = plain(text * 10)
    counted = Tokenizer(server).counted(pick_model(server).name, request)
    assert counted == chat.send(request).prompt_tokens


def test_a_wrong_model_and_a_wrong_address_are_named(server: Server) -> None:
    with pytest.raises(UsageError, match="does not serve"):
        Chat(server, model="no-such-model").ask(plain())
    with pytest.raises(UsageError, match="nothing at"):
        server.get("/v1/nothing")


def test_a_picture_that_is_none_is_refused_and_the_server_goes_on(chat: Chat) -> None:
    with pytest.raises(BackendAnswerError):
        chat.ask(Request("", (Picture(b"no picture", "image/png", 64, 64), "read"), None, "", 8))
    assert chat.send(plain()).completion_tokens


def test_more_callers_than_seats_are_all_answered(server: Server) -> None:
    chat = Chat(server, in_flight=2)
    ended: list[object] = []

    def ask() -> None:
        try:
            ended.append(chat.send(plain(ignore_eos=True)))
        except NarratorError as error:
            ended.append(error)

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    figures = chat.figures()
    assert len(ended) == figures.requests == 6
    assert figures.completion_tokens == 6 * 12


def test_the_smoke_test_says_what_a_blind_model_reads(chat: Chat) -> None:
    # A model that reads passes; one of random weights is named as such.
    try:
        chat.check()
    except BackendAnswerError as error:
        assert chat.identity in error.what  # noqa: PT017


def test_the_probe_measures_it(server: Server) -> None:
    found = probe(server, Load(4, 2, 20, drawn_page()), dict)
    assert (found.requests, found.failed, found.completion_tokens) == (4, 0, 80)
    assert found.cut_short
    assert found.drained
    assert (found.drained.running, found.drained.waiting) == (0, 0)
    assert found.server_queue is not None
