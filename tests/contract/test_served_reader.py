"""The reader that asks a server, against one that plays all that goes wrong: no hang, no silently wrong page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from comic_narrator.errors import BackendAnswerError, BackendDownError, NarratorError, UsageError
from comic_narrator.http import Patience, Server
from comic_narrator.model import Box, PageLabel, People, Person
from comic_narrator.readers import PageFigure, PageToRead, Reading, ReadLine, SpokenLine
from comic_narrator.readers.embedded import EmbeddedReader
from comic_narrator.readers.vllm.chat import Chat
from comic_narrator.readers.vllm.reader import VllmReader, vllm_reader
from comic_narrator.settings import ReaderSettings
from tests.fakes import vllm_server as fakes
from tests.fakes.truthful import echo
from tests.fakes.vllm_server import Asked, FakeVllm, Script

PANELS = (Box(0, 0, 800, 480), Box(0, 520, 800, 480))
EVIDENCE = Reading(
    (
        ReadLine(0, "dialogue", "WHO IS THERE?", Box(100, 50, 200, 60), 0.97, Box(80, 30, 240, 100), speaker="Voice A"),
        ReadLine(1, "dialogue", "ONLY THE WIND.", Box(500, 560, 200, 60), 0.97, Box(480, 540, 240, 100)),
    )
)


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comic_narrator.http.FIRST_PAUSE", 0.01)


@pytest.fixture
def fake() -> Iterator[FakeVllm]:
    with FakeVllm(echo) as running:
        yield running


def reader_with(fake: FakeVllm, patience: Patience) -> VllmReader:
    return VllmReader(Chat(Server(fake.url, patience=patience)), EmbeddedReader())


@pytest.fixture
def reader(fake: FakeVllm) -> Iterator[VllmReader]:
    with closing(reader_with(fake, Patience(attempts=2))) as made:
        yield made


@pytest.fixture
def page(tmp_path: Path) -> PageToRead:
    path = tmp_path / "page.png"
    Image.effect_noise((800, 1000), 60).convert("RGB").save(path)
    return PageToRead(path, PANELS, "ltr", "en", page="0002", evidence=EVIDENCE)


def schema_name(asked: Asked) -> str:
    return str(asked.body["response_format"]["json_schema"]["name"])


def test_it_asks_once_with_both_pictures_the_evidence_and_who_is_known(
    reader: VllmReader, fake: FakeVllm, page: PageToRead
) -> None:
    known = Person(name="Mira", looks="girl in a yellow coat", labels=(PageLabel(page="0001", label="Mira"),))
    voice = Person(name="Voice A", labels=(PageLabel(page="0001", label="Voice A"),))
    reading = reader.read(page, [known, voice])
    assert [line.text for line in reading.lines] == ["WHO IS THERE?", "ONLY THE WIND."]
    assert reading.lines[0].speaker == "Person A"
    assert reading.remarks == ()
    (asked,) = fake.asked
    assert len(asked.pictures) == 2
    assert "1. P1, dialogue, voice A: WHO IS THERE?" in asked.text
    assert "- Mira: girl in a yellow coat" in asked.text
    assert "- Voice A" not in asked.text
    assert asked.body["chat_template_kwargs"] == {"enable_thinking": False}
    assert asked.body["response_format"]["type"] == "json_schema"


def test_what_it_cost_is_counted_by_page(reader: VllmReader, fake: FakeVllm, page: PageToRead) -> None:
    assert reader.account() is None
    reader.check()
    reader.read(page, ())
    account = reader.account()
    assert account is not None
    assert account.pages == 1
    assert account.tokens_per_page.median > 100
    assert account.server.requests == 2
    assert fake.url not in account.model_dump_json()


def faulty(change: Callable[[dict[str, Any]], object]) -> Callable[[Asked], str]:
    """The answers of a model that makes one mistake, always."""

    def answer(asked: Asked) -> str:
        told = json.loads(echo(asked))
        if schema_name(asked) == "PageAnswer":
            change(told)
        return json.dumps(told)

    return answer


def test_a_mistake_is_named_and_asked_about_once_more(reader: VllmReader, fake: FakeVllm, page: PageToRead) -> None:
    wrong = json.loads(echo_of(reader, fake, page))
    wrong["lines"][0]["speaker"] = "Bob"
    fake.play(fakes.says(json.dumps(wrong)))
    assert reader.read(page, ()).remarks == ()
    assert 'the speaker "Bob" is neither' in fake.asked[-1].text


def echo_of(reader: VllmReader, fake: FakeVllm, page: PageToRead) -> str:
    reader.read(page, ())
    return echo(fake.asked[-1])


def test_after_two_mistakes_the_page_is_read_panel_by_panel(
    reader: VllmReader, fake: FakeVllm, page: PageToRead
) -> None:
    def answer(asked: Asked) -> str:
        return "{}" if "the whole page" in asked.text else echo(asked)

    fake.answer = answer
    reading = reader.read(page, ())
    assert [(line.panel, line.text) for line in reading.lines] == [(0, "WHO IS THERE?"), (1, "ONLY THE WIND.")]
    assert [note.panel for note in reading.notes] == [0, 1]
    assert reading.remarks == ()
    assert len(fake.asked) == 4
    assert "- Person A" in fake.asked[-1].text, "who was seen in the panel before is not known in the next"


def test_a_panel_that_cannot_be_had_is_the_recognisers_and_named(
    reader: VllmReader, fake: FakeVllm, page: PageToRead
) -> None:
    def answer(asked: Asked) -> str:
        return "{}" if "the whole page" in asked.text or "one panel P2" in asked.text else echo(asked)

    fake.answer = answer
    reading = reader.read(page, ())
    assert [line.text for line in reading.lines] == ["WHO IS THERE?", "ONLY THE WIND."]
    assert reading.lines[1] == EVIDENCE.lines[1]
    assert "panel 2 read without the model" in reading.remarks[0]


USELESS: dict[str, Script] = {
    "garbage": fakes.garbage(),
    "page": fakes.shows_a_page(),
    "truncated": fakes.truncated_json(),
    "white-space": fakes.white_space(),
    "repeats": fakes.repeats(),
    "no-finish": fakes.done_without_finish(),
    "wrong-schema": fakes.says('{"words": "HELLO"}'),
    "thinks": fakes.thinks("hmm"),
    "refused": fakes.refuses(400, "bad"),
}


@pytest.mark.parametrize("name", sorted(USELESS))
def test_a_model_that_is_no_use_leaves_the_recognisers_page_and_a_remark(
    reader: VllmReader, fake: FakeVllm, page: PageToRead, name: str
) -> None:
    fake.answer = lambda asked: USELESS[name]
    try:
        reading = reader.read(page, ())
    except BackendDownError:
        assert name == "no-finish", "only a stream that breaks off may be a server that is down"
        return
    assert reading.lines == EVIDENCE.lines
    assert "without the model" in reading.remarks[0]


DOWN: dict[str, Script] = {
    "busy": fakes.refuses(503),
    "dies": fakes.dies_mid_stream(),
    "engine": fakes.error_event(),
}


@pytest.mark.parametrize("name", sorted(DOWN))
def test_a_server_that_is_down_is_no_page_read_by_the_recogniser(
    reader: VllmReader, fake: FakeVllm, page: PageToRead, name: str
) -> None:
    fake.answer = lambda asked: DOWN[name]
    with pytest.raises(BackendDownError):
        reader.read(page, ())


def test_a_server_that_stalls_is_no_page_read_by_the_recogniser(fake: FakeVllm, page: PageToRead) -> None:
    fake.answer = lambda asked: fakes.stalls(30)
    with closing(reader_with(fake, Patience(read=0.4, total=5))) as reader, pytest.raises(BackendDownError):
        reader.read(page, ())


def test_a_server_that_comes_back_costs_nothing(reader: VllmReader, fake: FakeVllm, page: PageToRead) -> None:
    fake.play(fakes.refuses(503))
    assert reader.read(page, ()).remarks == ()


def test_where_the_recogniser_cannot_read_either_the_page_fails(
    reader: VllmReader, fake: FakeVllm, page: PageToRead
) -> None:
    reader.check("ko")
    fake.answer = lambda asked: "{}"
    with pytest.raises(BackendAnswerError, match="script"):
        reader.read(replace(page, language="ko"), ())


@pytest.mark.parametrize("unit", ["thousandths", "pixels", "shares"])
def test_boxes_in_whatever_units_are_the_same_figure(
    reader: VllmReader, fake: FakeVllm, page: PageToRead, unit: str
) -> None:
    seen = Box(450, 560, 300, 400)
    size = {"thousandths": (1000, 1000), "pixels": (800, 1000), "shares": (1, 1)}[unit]

    def add(told: dict[str, Any]) -> None:
        def written(box: Box) -> list[float]:
            x, y = size[0] / 800, size[1] / 1000
            return [box.x * x, box.y * y, box.right * x, box.bottom * y]

        told["frame"] = written(PANELS[1])
        told["figures"].append(
            {"label": "Keeper", "panel": 2, "box": written(seen), "looks": "old man", "role": "", "emotion": "sad"}
        )

    fake.answer = faulty(add)
    figure = next(figure for figure in reader.read(page, ()).figures if figure.label == "Keeper")
    assert figure.bbox == seen
    assert figure.emotion == "sad"


def test_a_small_context_gets_smaller_pictures_and_what_cannot_fit_is_never_sent(
    reader: VllmReader, page: PageToRead
) -> None:
    with FakeVllm(echo, max_model_len=5000) as small:
        tight = VllmReader(Chat(Server(small.url)), EmbeddedReader())
        assert tight.read(page, ()).remarks == ()
        widths = [Image.open(BytesIO(data)).width for data in small.asked[0].pictures]
        assert widths[0] < 800
        tight.close()
    with FakeVllm(echo, max_model_len=1000) as tiny:
        cramped = VllmReader(Chat(Server(tiny.url)), EmbeddedReader())
        assert "context" in cramped.read(page, ()).remarks[0]
        assert tiny.asked == []
        cramped.close()


def test_without_an_address_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"reader\.url"):
        vllm_reader(ReaderSettings())
    monkeypatch.setenv("COMIC_NARRATOR_API_KEY", "secret")
    with FakeVllm(echo, key="secret") as fake:
        reader = vllm_reader(ReaderSettings(url=fake.url))
        reader.check()
        assert "secret" not in reader.identity
        reader.close()


def test_a_wrong_key_is_the_users_to_mend(fake: FakeVllm, monkeypatch: pytest.MonkeyPatch) -> None:
    fake.key = "secret"
    monkeypatch.delenv("COMIC_NARRATOR_API_KEY", raising=False)
    reader = vllm_reader(ReaderSettings(url=fake.url))
    with pytest.raises(UsageError, match="key"):
        reader.check()
    reader.close()


def test_a_server_that_answers_nonsense_is_named_before_the_book(reader: VllmReader, fake: FakeVllm) -> None:
    fake.answer = lambda asked: '{"words": "lorem ipsum"}'
    with pytest.raises(BackendAnswerError, match="healthy"):
        reader.check()


# Who is who.


def figures(*labels: str) -> list[PageFigure]:
    return [
        PageFigure(page=f"{n:04}", image=Path("p.png"), label=label, looks=f"{label} looks", said=("HELLO",))
        for n, label in enumerate(labels, 1)
    ]


GROUPED = {
    "people": [
        {"name": "Mira", "aliases": ["Mimi"], "role": "heroine", "looks": "girl", "entries": [1, 3]},
        {"name": "Keeper", "aliases": [], "role": "", "looks": "old man", "entries": [2]},
    ]
}


def test_labels_of_one_person_are_joined_under_their_name(reader: VllmReader, fake: FakeVllm) -> None:
    fake.answer = lambda asked: json.dumps(GROUPED)
    told = People(people=reader.who_is_who(figures("Girl in yellow", "Old man", "Mira", "Girl in yellow", "Voice A")))
    assert [person.name for person in told.people] == ["Mira", "Keeper", "Voice A"]
    mira = told.who("0004", "Girl in yellow")
    assert mira is not None
    assert mira.name == "Mira"
    assert mira.aliases == ("Girl in yellow", "Mimi")
    assert "voice a" not in fake.asked[0].text.lower(), "the recogniser's voices are not for the model to name"
    assert fake.asked[0].pictures == ()


@pytest.mark.parametrize(
    ("entries", "told"),
    [([[1, 3], []], "entry 2 is in no person"), ([[1, 2, 3], [2]], "2 is in two"), ([[1, 2, 3, 9], []], "no entry 9")],
    ids=["missing", "twice", "unknown"],
)
def test_everybody_is_in_one_person_or_the_answer_is_refused(
    reader: VllmReader, fake: FakeVllm, entries: list[list[int]], told: str
) -> None:
    people = [{**person, "entries": e} for person, e in zip(GROUPED["people"], entries, strict=True)]
    fake.answer = lambda asked: json.dumps({"people": people})
    with pytest.raises(BackendAnswerError, match=told):
        reader.who_is_who(figures("A", "B", "C"))
    assert len(fake.asked) == 2
    assert told.split()[-1] in fake.asked[1].text


def test_a_long_cast_is_told_in_several_questions_that_know_each_other(reader: VllmReader) -> None:
    with FakeVllm(echo, max_model_len=3000) as small:
        tight = VllmReader(Chat(Server(small.url)), EmbeddedReader())
        everybody = figures(*(f"Person number {n}" for n in range(40)))
        told = People(people=tight.who_is_who(everybody))
        tight.close()
        assert len(small.asked) > 1
    assert "- Person number 0" in small.asked[1].text
    assert all(told.who(figure.page, figure.label) for figure in everybody)


# Translation.

LINES = [SpokenLine(f"Line number {n}.", "Mira" if n % 2 else None) for n in range(45)]


def test_every_line_is_translated_once_in_order_with_those_before_it(reader: VllmReader, fake: FakeVllm) -> None:
    assert reader.translator is not None
    told = reader.translator.translate(LINES, "en", "fr")
    assert told == tuple(f"«Line number {n}.»" for n in range(45))
    assert len(fake.asked) == 3
    assert "Before these:" in fake.asked[1].text
    assert "- (Mira) Line number 19." in fake.asked[1].text
    assert "From English (en) to French (fr)" in fake.asked[0].text


def test_a_line_that_cannot_be_had_costs_no_other(reader: VllmReader, fake: FakeVllm) -> None:
    def answer(asked: Asked) -> str:
        told = json.loads(echo(asked))
        wanted = asked.text.partition("Translate these")[2]
        return json.dumps({"lines": told["lines"][1:]}) if "number 7." in wanted else json.dumps(told)

    fake.answer = answer
    assert reader.translator is not None
    told = reader.translator.translate(LINES[:20], "en", "fr")
    assert [n for n, text in enumerate(told) if text is None] == [7]


def test_a_model_that_cannot_translate_is_not_asked_for_the_whole_book(reader: VllmReader, fake: FakeVllm) -> None:
    fake.answer = lambda asked: "{}"
    assert reader.translator is not None
    assert reader.translator.translate(LINES, "en", "fr") == (None,) * 45
    assert "Line number 20" not in "".join(asked.text.partition("Translate these")[2] for asked in fake.asked)


def test_a_dead_server_is_told_as_such(reader: VllmReader, fake: FakeVllm) -> None:
    fake.answer = lambda asked: fakes.refuses(503)
    assert reader.translator is not None
    with pytest.raises(NarratorError):
        reader.translator.translate(LINES[:2], "en", "fr")
