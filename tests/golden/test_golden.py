"""The sample comics are read and shown as they were when somebody last looked, within what machines differ by."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from comic_narrator.model import Box, Line, PageReading, Person
from comic_narrator.readers import figures_of
from comic_narrator.readers.people import people_of
from tests.golden.likeness import SHADE, differences, worst_block
from tests.golden.samples import NAMES, SAMPLES, golden_files, golden_reading, read_book, shown_small

AGAIN = "look at the pages, and if the change is wanted: python -m tests.golden.regenerate"
each_page = pytest.mark.parametrize(
    "file", [pytest.param(file, id=file.stem) for name in NAMES for file in golden_files(name)]
)


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_book_is_read_as_before(name: str, tmp_path: Path) -> None:
    readings = read_book(name, tmp_path)
    golden = {file.stem.partition("-")[2]: golden_reading(file) for file in golden_files(name)}
    assert list(golden) == list(readings)
    told = {page: differences(golden[page], reading) for page, reading in readings.items()}
    assert not any(told.values()), (told, AGAIN)


@each_page
def test_a_reading_is_shown_as_before(file: Path) -> None:
    with Image.open(file.with_suffix(".png")) as golden:
        assert worst_block(golden, shown_small(golden_reading(file))) < SHADE, AGAIN
    assert file.with_suffix(".png").stat().st_size < 20_000


def one() -> PageReading:
    return golden_reading(golden_files("lighthouse")[0])


def test_small_slips_are_let_pass() -> None:
    golden = one()
    nudged = [
        line.model_copy(
            update={"bbox": line.bbox and line.bbox._replace(x=line.bbox.x + 3), "confidence": line.confidence - 0.02}
        )
        for line in golden.lines
    ]
    assert differences(golden, golden.model_copy(update={"lines": tuple(nudged)})) == []


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "sign"},
        {"text": "SOMETHING ELSE"},
        {"bbox": Box(5, 5, 40, 40)},
        {"balloon": Box(5, 5, 40, 40)},
        {"tail": (3, 3)},
        {"speaker": "Somebody"},
        {"confidence": 0.5},
        {"speaker_confidence": 0.05},
        {"speaker_confidence": None},
        {"id": "0001.01.9"},
    ],
    ids=str,
)
def test_a_changed_line_is_told(change: dict[str, object]) -> None:
    golden = one()
    at = next(i for i, line in enumerate(golden.lines) if line.kind == "dialogue")
    lines = [line.model_copy(update=change) if i == at else line for i, line in enumerate(golden.lines)]
    assert differences(golden, golden.model_copy(update={"lines": tuple(lines)}))


def test_a_lost_line_and_a_moved_panel_are_told() -> None:
    golden = one()
    assert differences(golden, golden.model_copy(update={"lines": golden.lines[1:]}))
    moved = golden.panels[0].model_copy(update={"bbox": golden.panels[0].bbox._replace(h=40)})
    assert differences(golden, golden.model_copy(update={"panels": (moved, *golden.panels[1:])}))
    assert differences(golden, golden.model_copy(update={"panels": golden.panels[:-1]}))
    unsure = golden.panels[0].model_copy(update={"confidence": 0.2})
    assert differences(golden, golden.model_copy(update={"panels": (unsure, *golden.panels[1:])}))


def test_somebody_lost_or_seen_elsewhere_is_told() -> None:
    golden = one()
    first, *others = golden.figures
    assert first.bbox
    assert differences(golden, golden.model_copy(update={"figures": tuple(others)}))
    moved = first.model_copy(update={"bbox": first.bbox._replace(x=first.bbox.x + 200)})
    assert differences(golden, golden.model_copy(update={"figures": (moved, *others)}))


def test_who_is_seen_on_several_pages_of_a_sample_is_one_person() -> None:
    truth = [
        PageReading.model_validate_json(file.read_bytes())
        for file in sorted((SAMPLES / "truth").glob("western_*.json"))
    ]
    readings = [golden_reading(file) for file in golden_files("lighthouse")]
    images = [SAMPLES / page.image for page in truth]
    people = people_of(
        [figure for page, image in zip(readings, images, strict=True) for figure in figures_of(page, image)]
    )
    said = {line.text: line.speaker for page in truth for line in page.lines}
    told = {
        person.name: Counter(
            said.get(line.text) for page in readings for line in page.lines if _says(person, page, line)
        )
        for person in people
        if len(person.labels) > 1
    }
    # A line or two are somebody else's within their page already.
    assert {name: count.most_common(1)[0][0] for name, count in told.items()} == {"Person 1": "Nell", "Person 2": "Gus"}


def _says(person: Person, page: PageReading, line: Line) -> bool:
    return any((label.page, label.label) == (page.page, line.speaker) for label in person.labels)


@pytest.mark.parametrize(
    "change", [{"kind": "thought"}, {"confidence": 0.2}, {"tail": (700, 900)}, {"bbox": None}], ids=str
)
def test_a_picture_shown_otherwise_is_told(change: dict[str, object]) -> None:
    golden = one()
    at = next(i for i, line in enumerate(golden.lines) if line.kind == "dialogue")
    lines = tuple(line.model_copy(update=change) if i == at else line for i, line in enumerate(golden.lines))
    other = golden.model_copy(update={"lines": lines})
    assert worst_block(shown_small(golden), shown_small(other)) > SHADE
