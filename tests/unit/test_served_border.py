"""What a model answers about a page is held against what is known of it; nothing wrong passes in silence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from comic_narrator.errors import BackendAnswerError
from comic_narrator.model import Box, Figure, PageLabel, PageReading, Panel, Person
from comic_narrator.readers import PageToRead, Reading, ReadLine
from comic_narrator.readers.vllm.answers import (
    Emotion,
    LanguageAnswer,
    PageAnswer,
    PeopleAnswer,
    Tone,
    TranslationAnswer,
    parse_answer,
    schema_of,
)
from comic_narrator.readers.vllm.border import parse_page
from comic_narrator.readers.vllm.boxes import Shown, Stated, place
from comic_narrator.readers.vllm.parts import Part, evidence_text, likely, one_panel, whole_page
from comic_narrator.script.delivery import SAME_AS, WORDS
from comic_narrator.steps.pages import Known

PANELS = (Box(0, 0, 800, 500), Box(0, 520, 800, 480))
SIZE = (800, 1000)
SHOWN = Shown(Box(0, 0, *SIZE), 600, 750)
MIRA = Person(name="Mira", looks="girl in a yellow coat", labels=(PageLabel(page="0001", label="Mira"),))
EVIDENCE = Reading(
    (
        ReadLine(
            0, "dialogue", "WHO IS THERE AT THIS HOUR?", Box(100, 50, 200, 60), 0.97, Box(80, 30, 240, 100), (150, 200)
        ),
        ReadLine(0, "dialogue", "ONLY THE WIND, I THINK.", Box(500, 60, 200, 60), 0.97, Box(480, 40, 240, 100)),
        ReadLine(1, "sfx", "WH0OSH", Box(200, 700, 300, 80), 0.55),
    )
)
PAGE = PageToRead(Path("page.png"), PANELS, "ltr", "en", page="0002")
PART = whole_page(PAGE, EVIDENCE, SIZE, [MIRA], legible=True)


def line(numbers: list[int], text: str, **more: Any) -> dict[str, Any]:
    told = {"panel": 1, "kind": "dialogue", "speaker": "Mira", "tone": "plain", "box": []}
    return {"numbers": numbers, "text": text, **told, **more}


def answer() -> dict[str, Any]:
    """A careful answer."""
    return {
        "frame": [0, 520, 1000, 1000],
        "panels": [{"panel": n, "scene": "Night at sea.", "pacing": "slow", "shot": "wide"} for n in (1, 2)],
        "figures": [
            {"label": "Keeper", "panel": 1, "box": [600, 150, 900, 480], "looks": "old man", "role": "keeper", **CALM}
        ],
        "lines": [
            line([1], "WHO IS THERE AT THIS HOUR?"),
            line([2], "ONLY THE WIND, I THINK.", speaker="keeper", tone="whispering"),
            line([3], "WHOOSH", panel=2, kind="sfx", speaker=""),
        ],
        "not_lettering": [],
        "sounds": [{"panel": 2, "what": "wind", "kind": "continuous"}],
    }


CALM = {"emotion": "neutral"}


def read(told: dict[str, Any], part: Part = PART) -> Reading:
    return parse_page(PageAnswer.model_validate(told), part, SHOWN)


def test_a_careful_answer_becomes_a_reading_with_the_recognisers_places() -> None:
    reading = read(answer())
    assert [(one.text, one.speaker, one.kind, one.tone) for one in reading.lines] == [
        ("WHO IS THERE AT THIS HOUR?", "Mira", "dialogue", None),
        ("ONLY THE WIND, I THINK.", "Keeper", "dialogue", "whispering"),
        ("WHOOSH", None, "sfx", None),
    ]
    assert [one.bbox for one in reading.lines] == [one.bbox for one in EVIDENCE.lines]
    assert reading.lines[0].balloon == Box(80, 30, 240, 100)
    assert reading.lines[0].tail == (150, 200)
    assert reading.lines[2].confidence == 0.75
    assert reading.figures[0].bbox == Box(480, 150, 240, 330)
    assert reading.figures[0].role == "keeper"
    assert reading.sounds[0].what == "wind"
    assert reading.notes[1].scene == "Night at sea."


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    told = answer()
    change(told)
    return told


FAULTS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "panel": (lambda a: a["lines"][0].update(panel=7), "name P7"),
    "sound-panel": (lambda a: a["sounds"][0].update(panel=3), "sounds name P3"),
    "speaker": (lambda a: a["lines"][0].update(speaker="Bob"), '"Bob" is neither'),
    "number": (lambda a: a["lines"][0].update(numbers=[9]), "no recognised lettering 9"),
    "forgotten": (lambda a: a["lines"].pop(1), "2 must be in a line"),
    "left-out": (lambda a: (a["lines"].pop(1), a["not_lettering"].append(2)), "2 is clearly lettering"),
    "both": (lambda a: a["not_lettering"].append(3), "3 cannot be both"),
    "twice": (lambda a: a["lines"].append(a["lines"][0]), "1 is given 2 times"),
    "empty": (lambda a: a["lines"][2].update(text=" \u200b "), "has no text"),
    "broken": (lambda a: a["lines"][2].update(text="WH\ufffdSH"), "broken characters"),
    "other-words": (lambda a: a["lines"][0].update(text="THE CAT SAT ON MY MAT"), "is clearly printed"),
    "loop": (lambda a: a["lines"][2].update(text="WHOOSH " * 40), "repeats itself"),
    "invented-place": (lambda a: a["lines"].append(line([], "HELLO")), "needs a box inside P1"),
    "place-elsewhere": (lambda a: a["lines"].append(line([], "HELLO", box=[100, 700, 300, 800])), "needs a box"),
    "place-taken": (lambda a: a["lines"].append(line([], "WHO IS", box=[130, 52, 370, 108])), "lies on the recognised"),
    "voice": (lambda a: a["figures"][0].update(label="voice A"), "no label"),
    "no-label": (lambda a: a["figures"][0].update(label=" "), "has no label"),
}


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_what_is_wrong_is_named(name: str) -> None:
    change, told = FAULTS[name]
    with pytest.raises(BackendAnswerError) as caught:
        read(changed(change))
    assert told in caught.value.what


def test_the_same_line_over_and_over_is_a_loop() -> None:
    again = [line([], "STOP IT", box=[10, y, 100, y + 30]) for y in (150, 250, 350)]
    with pytest.raises(BackendAnswerError, match="3 times as lettering that was missed"):
        read(changed(lambda a: a["lines"].extend(again)))


def test_what_the_recogniser_missed_gets_its_own_place() -> None:
    reading = read(changed(lambda a: a["lines"].append(line([], "PSST", box=[50, 300, 200, 380]))))
    assert reading.lines[-1].bbox == Box(40, 300, 120, 80)


def test_balloons_run_together_are_parted_and_parts_joined() -> None:
    def part(told: dict[str, Any]) -> None:
        told["lines"][0:2] = [
            line([1], "WHO IS THERE", box=[125, 50, 250, 110]),
            line([1, 2], "AT THIS HOUR? ONLY THE WIND, I THINK."),
        ]

    reading = read(changed(part))
    assert reading.lines[0].bbox == Box(100, 50, 100, 60)
    assert reading.lines[1].bbox == Box(100, 50, 600, 70)


def test_words_are_not_held_against_a_recogniser_that_cannot_read_the_script() -> None:
    blind = whole_page(PAGE, EVIDENCE, SIZE, [MIRA], legible=False)
    assert read(changed(lambda a: a["lines"][0].update(text="여기 누구요?")), blind).lines[0].text == "여기 누구요?"
    assert "WHO IS THERE" not in evidence_text(blind)


def test_lettering_stays_in_the_panel_that_it_stands_in() -> None:
    assert read(changed(lambda a: a["lines"][0].update(panel=2))).lines[0].panel == 0


UNITS = {
    "thousandths": (1000, 1000),
    "pixels": (SHOWN.width, SHOWN.height),
    "shares": (1, 1),
}


@pytest.mark.parametrize("sizes", [False, True], ids=["corners", "sizes"])
@pytest.mark.parametrize("unit", sorted(UNITS))
def test_boxes_are_told_apart_by_the_panels_they_are_in(unit: str, sizes: bool) -> None:
    wide, high = UNITS[unit]
    boxes = [Box(60, 40, 300, 400), Box(450, 560, 320, 400), Box(80, 600, 200, 380)]
    stated = []
    for box, panel in zip(boxes, (PANELS[0], PANELS[1], PANELS[1]), strict=True):
        x, y = (box.w, box.h) if sizes else (box.right, box.bottom)
        numbers = [box.x * wide / 800, box.y * high / 1000, x * wide / 800, y * high / 1000]
        stated.append(Stated([round(n, 3) for n in numbers], panel))
    for box, placed in zip(boxes, place(stated, SHOWN, Stated([], PANELS[0])), strict=True):
        assert placed is not None
        assert max(abs(a - b) for a, b in zip(box, placed, strict=True)) <= 2


def test_one_panel_on_the_page_is_enough_to_tell_pixels_from_thousandths() -> None:
    whole, seen = Box(0, 0, 800, 1000), Box(400, 500, 200, 300)
    asked, pixels = Stated([0, 0, 1000, 1000], whole), Stated([0, 0, 600, 750], whole)
    assert place([Stated([500, 500, 750, 800], whole)], SHOWN, asked) == [seen]
    assert place([Stated([300, 375, 450, 600], whole)], SHOWN, pixels) == [seen]


def test_boxes_are_cut_to_the_page_and_nonsense_is_none() -> None:
    over, nonsense, empty = place(
        [
            Stated([700, 100, 1015, 480], PANELS[0]),
            Stated([9000, 3, 9001, 2], PANELS[0]),
            Stated([], PANELS[0]),
        ],
        SHOWN,
        Stated([], PANELS[0]),
    )
    assert over == Box(560, 100, 240, 380)
    assert nonsense is None
    assert empty is None


def test_a_panel_alone_has_the_numbers_of_the_page() -> None:
    part = one_panel(PART, 1, [MIRA])
    assert list(part.boxes) == [2]
    assert list(part.lettering) == [3]
    assert part.region.overlap(PANELS[1]) == PANELS[1].area
    assert "P2" in evidence_text(part)
    assert "WHO IS THERE" not in evidence_text(part)


def test_leads_and_people_of_pages_near_are_told_and_others_are_not() -> None:
    def person(name: str, *pages: int) -> Person:
        return Person(name=name, labels=tuple(PageLabel(page=f"{page:04}", label=name) for page in pages))

    leads = [person(f"Lead {i}", *range(1, 30)) for i in range(8)]
    told = likely([*leads, person("Long ago", 3), person("Just now", 98), person("Also", 60)], "0100")
    assert [one.name for one in told] == [*(lead.name for lead in leads), "Just now"]


def test_whoever_the_series_knows_is_told_of_before_they_are_seen_and_not_twice_after() -> None:
    nell = Person(name="Nell", aliases=("the keeper",), looks="an old woman in oilskins")
    assert [one.name for one in likely([nell], "0007")] == ["Nell"]
    assert "Nell: an old woman in oilskins; also called the keeper" in evidence_text(one_panel(PART, 0, [nell]))
    known = Known([], (nell,))
    assert known.people() == (nell,)
    known.learn(page_with_figure("nell"))
    assert [(one.name, len(one.labels)) for one in known.people()] == [("nell", 1)]


def page_with_figure(label: str) -> PageReading:
    panel = Panel(id="0001.01", bbox=PANELS[0])
    figure = Figure(label=label, panel=panel.id, looks="old")
    return PageReading(
        page="0001",
        image="p.png",
        width=SIZE[0],
        height=SIZE[1],
        direction="ltr",
        language="en",
        panels=(panel,),
        figures=(figure,),
    )


def test_tones_and_emotions_are_words_that_the_script_knows() -> None:
    assert set(get_args(Tone)) - {"plain"} <= set(WORDS)
    assert set(get_args(Emotion)) - {"neutral"} <= {*WORDS, *SAME_AS}


KNOWN = {"type", "properties", "required", "additionalProperties", "items", "enum", "minimum", "maximum"}


@pytest.mark.parametrize(
    "kind", [PageAnswer, LanguageAnswer, PeopleAnswer, TranslationAnswer], ids=lambda kind: kind.__name__
)
def test_schemas_bound_everything_and_use_nothing_that_grammars_lack(kind: type[PageAnswer]) -> None:
    def check(node: dict[str, Any]) -> None:
        assert set(node) <= KNOWN | {"maxItems", "maxLength"}, node
        match node["type"]:
            case "string":
                assert "enum" in node or "maxLength" in node
            case "array":
                assert node["maxItems"]
                check(node["items"])
            case "integer":
                assert {"minimum", "maximum"} <= set(node)
            case "object":
                assert node["additionalProperties"] is False
                assert node["required"] == list(node["properties"])
                for part in node["properties"].values():
                    check(part)
            case other:
                raise AssertionError(other)

    check(schema_of(kind))


@pytest.mark.parametrize(
    "text", ["", "null", "{}", '{"panels": [', "[" * 500], ids=["none", "null", "{}", "cut", "deep"]
)
def test_what_is_no_answer_is_refused(text: str) -> None:
    with pytest.raises(BackendAnswerError, match="schema"):
        parse_answer(PageAnswer, text)
