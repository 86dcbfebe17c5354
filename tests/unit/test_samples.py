"""The sample comics: their truth is sound, their files agree, and the script still draws them."""

from __future__ import annotations

import io
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from comic_narrator.ingest import Opening, Spool, open_book
from comic_narrator.model import Box, PageReading
from samples import draw

SAMPLES = Path(draw.__file__).parent
SIZES = {
    "western_1": (1600, 2400),
    "western_2": (1600, 2400),
    "western_3": (1600, 2400),
    "manga_1": (1400, 2000),
    "webtoon_1": (800, 4784),
}
each_page = pytest.mark.parametrize("name", draw.PAGES)


def truth(name: str) -> PageReading:
    return PageReading.model_validate_json((SAMPLES / "truth" / f"{name}.json").read_text("utf-8"))


def holds(outer: Box, inner: Box) -> bool:
    return outer.overlap(inner) == inner.area > 0


@each_page
def test_every_box_lies_in_its_panel_and_every_word_in_its_balloon(name: str) -> None:
    reading = truth(name)
    for line in reading.lines:
        assert line.bbox
        assert line.text == line.text.strip()
        assert holds(reading.panel(line.panel).bbox, line.bbox), line.text
        if line.balloon:
            assert holds(line.balloon, line.bbox), line.text
            assert holds(reading.panel(line.panel).bbox, line.balloon), line.text
    for figure in reading.figures:
        assert figure.bbox
        assert holds(reading.panel(figure.panel).bbox, figure.bbox), figure.label


@each_page
def test_dialogue_has_a_speaker_a_balloon_and_a_tail_in_its_panel(name: str) -> None:
    reading = truth(name)
    for line in reading.lines:
        if line.kind in {"dialogue", "thought"}:
            assert line.speaker
            assert line.balloon
            assert line.tail
            assert holds(reading.panel(line.panel).bbox, Box(*line.tail, 1, 1)), line.text


@each_page
def test_balloons_and_sound_words_of_a_page_do_not_cover_each_other(name: str) -> None:
    for one, two in combinations(truth(name).lines, 2):
        assert one.bbox
        assert two.bbox
        assert (one.balloon or one.bbox).overlap(two.bbox) == 0, (one.text, two.text)
        assert (two.balloon or two.bbox).overlap(one.bbox) == 0, (one.text, two.text)


@each_page
def test_panels_lie_on_the_page_apart_from_each_other(name: str) -> None:
    reading = truth(name)
    page = Box(0, 0, reading.width, reading.height)
    assert all(holds(page, panel.bbox) for panel in reading.panels)
    assert not any(one.bbox.overlap(two.bbox) for one, two in combinations(reading.panels, 2))


@each_page
def test_ids_are_in_reading_order(name: str) -> None:
    reading = truth(name)
    assert [panel.id for panel in reading.panels] == sorted(panel.id for panel in reading.panels)
    assert [line.id for line in reading.lines] == sorted(line.id for line in reading.lines)


@each_page
def test_pictures_have_the_size_that_the_truth_names(name: str) -> None:
    reading = truth(name)
    with Image.open(SAMPLES / reading.image) as picture:
        assert picture.size == (reading.width, reading.height) == SIZES[name]


def test_the_three_pages_have_every_kind_of_line_and_one_wordless_panel() -> None:
    readings = [truth(name) for name in draw.BOOKS["lighthouse"][1]]
    assert {line.kind for reading in readings for line in reading.lines} == {
        "dialogue",
        "thought",
        "caption",
        "sfx",
        "sign",
    }
    silent = [
        panel.id
        for reading in readings
        for panel in reading.panels
        if not any(line.panel == panel.id for line in reading.lines)
    ]
    assert silent == ["0003.03"]


def test_manga_and_webtoon_are_read_their_own_way() -> None:
    assert (truth("manga_1").direction, truth("manga_1").language) == ("rtl", "ja")
    assert truth("webtoon_1").direction == "vertical"


@pytest.mark.parametrize("name", draw.BOOKS)
def test_cbz_and_pdf_hold_the_drawn_pages(name: str, tmp_path: Path) -> None:
    opening = Opening(Spool(tmp_path))
    cbz, pdf = (open_book(SAMPLES / f"{name}.{kind}", opening).pages for kind in ("cbz", "pdf"))
    pages = draw.BOOKS[name][1]
    assert len(cbz) == len(pdf) == len(pages)
    for from_cbz, from_pdf, page in zip(cbz, pdf, pages, strict=True):
        with Image.open(SAMPLES / truth(page).image) as drawn:
            wanted = np.asarray(drawn.convert("RGB"), np.int16)
        for source in (from_cbz, from_pdf):
            with Image.open(io.BytesIO(source.picture(0).data)) as packed:
                assert np.abs(np.asarray(packed.convert("RGB"), np.int16) - wanted).mean() < 3


def test_drawing_a_page_again_gives_the_same_picture_and_truth(tmp_path: Path) -> None:
    draw.draw("western_2", tmp_path)
    new, old = (np.asarray(Image.open(folder / "pages" / "western_2.png")) for folder in (tmp_path, SAMPLES))
    changed = (new != old).any(axis=2).mean()
    assert changed < 0.001, "releases of Pillow may round a few edge pixels differently, no more"
    assert (tmp_path / "truth" / "western_2.json").read_bytes() == (SAMPLES / "truth" / "western_2.json").read_bytes()


def test_samples_stay_small() -> None:
    assert (
        sum(path.stat().st_size for path in SAMPLES.rglob("*") if "__pycache__" not in path.parts and path.is_file())
        < 8e6
    )
