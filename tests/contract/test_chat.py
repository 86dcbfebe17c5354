"""What a chat promises: every answer that a server gives is its value or its error, never a hang, never half a text."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from comic_narrator.errors import BackendAnswerError, BackendDownError, DoesNotFitError, NarratorError, UsageError
from comic_narrator.http import Patience, Server
from comic_narrator.readers.vllm.chat import Chat, Picture, Request
from comic_narrator.readers.vllm.greeting import WORDS, drawn_page
from tests.fakes import vllm_server as fakes
from tests.fakes.vllm_server import Asked, FakeVllm, Script
from tests.records import Recorded, recorded

PATIENT = Patience()
SHORT = Patience(read=0.5, total=10)
"""For servers that say nothing; the others are waited for, however busy the machine is."""
QUESTION = Request(
    system="You read comics.",
    parts=(Picture(b"\x89PNG", "image/png", 320, 448), "What is said?"),
    schema={"type": "object", "properties": {"words": {"type": "string", "maxLength": 9}}},
    schema_name="words",
    max_tokens=200,
    seed=7,
)
RECORDED = ("vllm_0.20.2", "vllm_0.32.0", "vllm_0.32.0_qwen3vl")
RECORDS = Path(__file__).resolve().parents[3] / "shared" / "records"


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comic_narrator.http.FIRST_PAUSE", 0.01)


@pytest.fixture
def fake() -> Iterator[FakeVllm]:
    with FakeVllm() as running:
        yield running


def chat_with(fake: FakeVllm, patience: Patience = PATIENT, **options: Any) -> Chat:
    return Chat(Server(fake.url, patience=patience), **options)


def reads_the_drawn_page(asked: Asked) -> str:
    assert asked.pictures[0] == drawn_page().data
    return json.dumps({"words": " ".join(WORDS)})


def test_a_request_says_all_that_bounds_it(fake: FakeVllm) -> None:
    reply = chat_with(fake).ask(QUESTION)
    assert reply.text == '{"words": "HELLO"}'
    assert reply.completion_tokens == 3
    assert 0 < reply.ttft <= reply.seconds
    asked = fake.asked[0]
    assert asked.body["max_tokens"] == 200
    assert asked.body["temperature"] == 0
    assert asked.body["seed"] == 7
    assert asked.body["chat_template_kwargs"] == {"enable_thinking": False}
    schema = asked.body["response_format"]
    assert schema["type"] == "json_schema"
    assert schema["json_schema"] == {"name": "words", "schema": QUESTION.schema, "strict": True}
    assert asked.pictures == (b"\x89PNG",)
    assert asked.text == "You read comics.\nWhat is said?"


def test_the_model_is_the_one_served_unless_named(fake: FakeVllm) -> None:
    assert chat_with(fake).identity == "fake-vl (Qwen3-VL-8B)"
    chat_with(fake, model="fake-vl").ask(QUESTION)
    with pytest.raises(UsageError, match="does not serve other") as caught:
        chat_with(fake, model="other").ask(QUESTION)
    assert "fake-vl" in caught.value.hint
    assert str(fake.url.rpartition(":")[2]) not in chat_with(fake).identity


PLAYED: dict[str, tuple[Script, type[NarratorError], str]] = {
    "garbage": (fakes.garbage(), BackendAnswerError, "no JSON"),
    "page": (fakes.shows_a_page(), BackendAnswerError, "web page"),
    "truncated": (fakes.truncated_json(), BackendAnswerError, "cut off"),
    "too-many-tokens": (fakes.says("x" * 7 * 300), BackendAnswerError, "cut off"),
    "white-space": (fakes.white_space(), BackendAnswerError, "white space"),
    "loops": (fakes.repeats(), BackendAnswerError, "cut off"),
    "error-event": (fakes.error_event(), BackendDownError, "EngineCore"),
    "error-event-first": (fakes.error_event(after=0), BackendDownError, "EngineCore"),
    "no-finish": (fakes.done_without_finish(), BackendAnswerError, "without a reason"),
    "no-done": (fakes.ends_without_done(), BackendDownError, "broke off"),
    "dies": (fakes.dies_mid_stream(), BackendDownError, "broke"),
    "resets": (fakes.breaks_off(), BackendDownError, "broke"),
    "thinks": (fakes.thinks("hm"), BackendAnswerError, "only thought"),
    "empty": (fakes.says(""), BackendAnswerError, "nothing"),
    "filtered": (fakes.says("no", "content_filter"), BackendAnswerError, "content_filter"),
    "stalls": (fakes.stalls(), BackendDownError, "said nothing"),
    "too-long": (fakes.refuses(400, "This model's maximum context length is 10 tokens."), DoesNotFitError, "context"),
}


@pytest.mark.parametrize("name", sorted(PLAYED))
def test_what_goes_wrong_is_its_error(fake: FakeVllm, name: str) -> None:
    script, kind, words = PLAYED[name]
    fake.play(*[script] * 8)
    chat = chat_with(fake, SHORT if name == "stalls" else PATIENT)
    with pytest.raises(kind, match=words) as caught:
        chat.ask(QUESTION)
    assert caught.value.hint.endswith(".")
    assert chat.figures().failed + chat.figures().requests == 1


CARRIED: dict[str, tuple[type[NarratorError], str]] = {
    "vllm_0.20.2/stream_usage": (BackendAnswerError, "cut off after 8 tokens"),
    "vllm_0.32.0/stream_usage": (BackendAnswerError, "cut off after 8 tokens"),
    "vllm_0.20.2/engine_death": (BackendDownError, "EngineCore encountered an issue"),
    "vllm_0.20.2/err_bad_schema": (BackendAnswerError, "Grammar error"),
    "vllm_0.20.2/err_image_url_unreachable": (BackendDownError, "failed inside"),
    "vllm_0.20.2/err_prompt_plus_max_tokens": (DoesNotFitError, "max_model_len"),
    "vllm_0.20.2/err_prompt_too_long": (DoesNotFitError, "2048 tokens"),
    "vllm_0.20.2/err_too_many_images": (BackendAnswerError, r"At most 2 image\(s\)"),
    "vllm_0.20.2/err_unknown_model": (UsageError, "does not exist"),
    "vllm_0.20.2/get_chat_wrong_method": (UsageError, "nothing at"),
    "vllm_0.20.2/get_notfound": (UsageError, "nothing at"),
    "vllm_0.32.0/err_bad_datauri": (BackendAnswerError, "Only base64 data URLs"),
    "vllm_0.32.0/err_prompt_too_long": (DoesNotFitError, "2048 tokens"),
    "vllm_0.32.0/err_unknown_model": (UsageError, "Valid aliases"),
    "vllm_0.32.0_qwen3vl/auth_wrong": (UsageError, "valid key"),
    "vllm_0.32.0_qwen3vl/rejected_in_stream": (BackendDownError, "currently busy"),
}


@pytest.mark.parametrize("name", sorted(CARRIED))
def test_what_real_servers_answered_is_its_error(fake: FakeVllm, name: str) -> None:
    expected, words = CARRIED[name]
    fake.play(*[fakes.replays(recorded(name))] * 8)
    with pytest.raises(expected, match=words):
        chat_with(fake).ask(QUESTION)


def test_a_recorded_stream_is_read_as_the_server_meant_it(fake: FakeVllm) -> None:
    fake.play(fakes.replays(recorded("vllm_0.20.2/stream_usage")))
    reply = chat_with(fake).send(QUESTION)
    assert reply.text.endswith(" n 1 1 1 1")
    assert (reply.prompt_tokens, reply.completion_tokens) == (49, 8)
    fake.play(fakes.replays(recorded("vllm_0.20.2/stream_json_schema")))
    assert set(json.loads(chat_with(fake).ask(QUESTION).text)) == {"kind", "emotion", "panel", "whisper"}


def recordings() -> list[str]:
    """Every recorded answer to a chat call."""
    paths = sorted(path for name in RECORDED for path in (RECORDS / name).glob("*.json"))
    return [str(path.relative_to(RECORDS)) for path in paths if is_of_a_chat(json.loads(path.read_text("utf-8")))]


def is_of_a_chat(record: dict[str, Any]) -> bool:
    response = record.get("response", {})
    return "body" in response and "chat/completions" in record["request"]["path"]


@pytest.mark.shared
@pytest.mark.parametrize("name", recordings() or [pytest.param("", marks=pytest.mark.skip("no ../shared/records"))])
def test_every_recording_of_a_chat_call_is_its_value_or_its_error(fake: FakeVllm, name: str) -> None:
    response = json.loads((RECORDS / name).read_text("utf-8"))["response"]
    expected = expectation(response["status"], response["body"])
    fake.play(*[fakes.replays(as_stream(response))] * 8)
    chat = chat_with(fake)
    if isinstance(expected, str):
        assert chat.ask(QUESTION).text == expected
    else:
        with pytest.raises(expected):
            chat.ask(QUESTION)


def expectation(status: int, body: Any) -> str | type[NarratorError]:
    """What must come of a recorded answer."""
    if status == 200:
        choice = body["choices"][0]
        text = choice["message"]["content"]
        return text if text and text.strip() and choice["finish_reason"] == "stop" else BackendAnswerError
    told = json.dumps(body)
    if status == 400 and ("maximum context length" in told or "max_model_len" in told):
        return DoesNotFitError
    if status in (401, 404, 405):
        return UsageError
    return BackendDownError if status in (500, 503) else BackendAnswerError


def as_stream(response: dict[str, Any]) -> Recorded:
    """The answer as the server would have streamed it."""
    if response["status"] != 200:
        return Recorded(response["status"], "application/json", json.dumps(response["body"]).encode())
    choice = response["body"]["choices"][0]
    delta = {k: v for k, v in choice["message"].items() if k in ("content", "reasoning")}
    chunks = [{"delta": delta, "finish_reason": None}, {"delta": {}, "finish_reason": choice["finish_reason"]}]
    events = [json.dumps({"choices": [chunk]}) for chunk in chunks] + ["[DONE]"]
    return Recorded(200, "text/event-stream", "".join(f"data: {event}\n\n" for event in events).encode())


@pytest.mark.parametrize("script", [fakes.ends_without_done(), fakes.dies_mid_stream()], ids=["ends", "dies"])
def test_a_server_that_breaks_off_once_is_asked_again(fake: FakeVllm, script: Script) -> None:
    fake.play(script)
    assert chat_with(fake).ask(QUESTION).text == '{"words": "HELLO"}'


def test_what_cannot_fit_is_never_sent(fake: FakeVllm) -> None:
    fake.max_model_len = 600
    chat = chat_with(fake)
    large = Request("", (Picture(b"", "image/png", 1280, 1792), "read"), None, "", 100)
    with pytest.raises(DoesNotFitError, match="600"):
        chat.ask(large)
    assert fake.asked == []
    assert chat.fits(large) < 0


def test_a_request_counts_texts_pictures_schema_and_answer(fake: FakeVllm) -> None:
    chat = chat_with(fake)
    bare = Request("", ("read",), None, "", 100)
    schema = {"type": "string", "enum": ["a" * 300]}
    spare = chat.fits(bare)
    assert 32_768 - 100 - 60 < spare < 32_768 - 100
    assert chat.fits(Request("", ("read",), None, "", 400)) == spare - 300
    assert chat.fits(Request("", ("read",), schema, "x", 100)) <= spare - 100
    assert chat.fits(Request("", ("read", Picture(b"", "image/png", 320, 640)), None, "", 100)) == spare - 10 * 20 - 2
    assert chat_with(fake, context=1_000).fits(bare) == spare - 31_768


def test_a_request_near_the_limit_is_counted_by_the_server(fake: FakeVllm) -> None:
    fake.max_model_len = 400
    near = Request("", ("%" * 900,), None, "", 100)
    assert chat_with(fake).fits(near) == 300 - (900 // 4 + 1 + 8)
    assert [call for call in fake.calls if "tokenize" in call]


def test_the_largest_picture_fits_and_a_larger_does_not(fake: FakeVllm) -> None:
    fake.max_model_len = 4_000
    chat = chat_with(fake)
    request = Request("", ("read",), None, "", 500)
    size = chat.largest_picture(request, 2_480, 3_508, count=2)
    assert size is not None
    width, height = size
    two = (Picture(b"", "image/png", width, height),) * 2
    assert 0 <= chat.fits(Request("", ("read", *two), None, "", 500)) < 200
    assert width / height == pytest.approx(2_480 / 3_508, rel=0.01)
    assert chat.largest_picture(request, 320, 448) == (320, 448)
    fake.max_model_len = 560
    assert chat_with(fake).largest_picture(request, 2_480, 3_508) is None


@pytest.mark.parametrize("seats", [1, 3])
def test_no_more_calls_are_in_flight_than_there_are_seats(fake: FakeVllm, seats: int) -> None:
    fake.pace = 0.02
    chat = chat_with(fake, in_flight=seats)
    threads = [threading.Thread(target=chat.ask, args=(QUESTION,)) for _ in range(7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert fake.most_in_flight == seats
    figures = chat.figures()
    assert (figures.requests, figures.failed, figures.in_flight) == (7, 0, seats)
    assert figures.queue_wait.most > figures.latency.median
    assert figures.completion_tokens == 21


def test_seats_are_two_where_the_server_does_not_tell_them(fake: FakeVllm) -> None:
    assert chat_with(fake).in_flight == 2
    fake.seats = 5
    assert chat_with(fake).in_flight == 5


def test_closing_sends_everybody_away(fake: FakeVllm) -> None:
    fake.play(*[fakes.stalls()] * 4)
    chat = Chat(Server(fake.url), in_flight=1)
    ended: list[NarratorError] = []

    def ask() -> None:
        try:
            chat.ask(QUESTION)
        except NarratorError as error:
            ended.append(error)

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    while not fake.asked:
        time.sleep(0.01)
    time.sleep(0.1)
    chat.close()
    for thread in threads:
        thread.join(5)
    assert [type(error) for error in ended] == [BackendDownError] * 3


def test_a_model_that_reads_the_drawn_page_is_taken(fake: FakeVllm) -> None:
    fake.answer = reads_the_drawn_page
    chat_with(fake).check()


@pytest.mark.parametrize(
    "answer",
    ['{"words": "HELLO THERE"}', "no JSON at all", '{"words": ""}', '["x"]'],
    ids=["other", "text", "no", "list"],
)
def test_a_healthy_server_that_answers_nonsense_is_named(fake: FakeVllm, answer: str) -> None:
    fake.answer = lambda asked: answer
    with pytest.raises(BackendAnswerError, match=r"fake-vl.* reads .*LIGHTHOUSE"):
        chat_with(fake).check()


def test_a_model_that_takes_no_pictures_is_named(fake: FakeVllm) -> None:
    fake.play(fakes.refuses(400, "At most 0 image(s) may be provided in one prompt."))
    with pytest.raises(BackendAnswerError, match=r"cannot read a drawn page.*0 image"):
        chat_with(fake).check()


def test_a_server_that_sleeps_is_asked_nothing_for_it_would_die(fake: FakeVllm) -> None:
    fake.sleeping = True
    with pytest.raises(BackendDownError, match="sleeps"):
        chat_with(fake).check()
    assert not fake.asked


def test_a_server_that_starts_slowly_is_waited_for(fake: FakeVllm) -> None:
    fake.starts_after = 2
    assert chat_with(fake).ask(QUESTION).text
