"""The reader on the CPU: whatever a page is like, its lines are in order, inside it, and the same again."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from comic_narrator.model import SPOKEN_KINDS, Box
from comic_narrator.readers import PageToRead, Reading
from comic_narrator.readers.balloons import Group
from comic_narrator.readers.doubts import sureness, with_page
from comic_narrator.readers.embedded import EmbeddedReader
from comic_narrator.readers.regions import find_regions
from comic_narrator.readers.words import Row, Words

WIDTH, HEIGHT = 600, 800
PANELS = (Box(20, 60, 560, 340), Box(20, 420, 560, 360))


def read(
    folder: Path,
    picture: NDArray[np.uint8],
    rows: tuple[Row, ...],
    monkeypatch: pytest.MonkeyPatch,
    panels: tuple[Box, ...] = PANELS,
) -> Reading:
    """A page whose rows of lettering are given, so that no model is run."""
    monkeypatch.setattr(Words, "rows", lambda _self, _image: rows)
    path = folder / "page.png"
    Image.fromarray(picture).save(path)
    return EmbeddedReader().read(PageToRead(path, panels, "ltr", "en"), ())


def pictures() -> dict[str, NDArray[np.uint8]]:
    noise = np.random.default_rng(5).integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8)
    return {
        "white": np.full((HEIGHT, WIDTH, 3), 255, np.uint8),
        "black": np.zeros((HEIGHT, WIDTH, 3), np.uint8),
        "noise": noise,
        "dots": np.where((np.indices((HEIGHT, WIDTH)).sum(axis=0) % 6 < 2)[..., None], noise, 255).astype(np.uint8),
    }


def scattered(seed: int, count: int) -> tuple[Row, ...]:
    """Rows anywhere on the page, over its panels and beside them, some at its very edge."""
    random = np.random.default_rng(seed)
    words = ("LOOK OUT!", "...and then", "OH", "WHERE TO?", "7", "12TH ST.", "I'LL GO WITH YOU")
    found = []
    for _ in range(count):
        w, h = int(random.integers(8, 300)), int(random.integers(6, 60))
        x, y = int(random.integers(0, WIDTH - w + 1)), int(random.integers(0, HEIGHT - h + 1))
        text = words[int(random.integers(len(words)))]
        found.append(Row(text, float(random.uniform(0.6, 1)), Box(x, y, w, h), float(random.uniform(-20, 20))))
    return tuple(found)


@pytest.mark.parametrize("name", list(pictures()))
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_lines_lie_in_known_panels_inside_the_page_and_are_the_same_again(
    name: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture, rows = pictures()[name], scattered(seed, 5 * seed)
    reading = read(tmp_path, picture, rows, monkeypatch)
    for line in reading.lines:
        assert 0 <= line.panel < len(PANELS)
        for box in (line.bbox, line.balloon or line.bbox):
            assert box.within(WIDTH, HEIGHT) == box
        assert 0 <= line.confidence <= 1
        assert (line.speaker is None) == (line.kind not in ("dialogue", "thought"))
        outside = all(2 * line.bbox.overlap(panel) < line.bbox.area for panel in PANELS)
        assert not (outside and line.balloon is None and line.kind in SPOKEN_KINDS)
        if line.tail is not None:
            assert 0 <= line.tail[0] < WIDTH
            assert 0 <= line.tail[1] < HEIGHT
    assert read(tmp_path, picture, rows, monkeypatch) == reading


@pytest.mark.parametrize("size", [(1, 1), (1, 400), (400, 1), (7, 7)])
def test_a_picture_of_hardly_any_pixels_is_read_as_silent(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = np.zeros((*size, 3), np.uint8)
    panel = (Box(0, 0, size[1], size[0]),)
    assert read(tmp_path, picture, (), monkeypatch, panel) == Reading(())
    read(tmp_path, picture, (Row("A", 0.99, Box(0, 0, size[1], size[0])),), monkeypatch, panel)


def test_a_page_of_prose_is_not_spoken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = np.full((HEIGHT, WIDTH, 3), 250, np.uint8)
    rows = tuple(
        Row("all the words of a page of prose are here", 0.99, Box(40, 20 + 17 * i, 500, 14)) for i in range(44)
    )
    lines = read(tmp_path, picture, rows, monkeypatch, (Box(0, 0, WIDTH, HEIGHT),)).lines
    assert not any(line.kind in SPOKEN_KINDS for line in lines)


@pytest.mark.parametrize("cuts", [(20, 780), (20, 270, 520, 780)])
def test_thirty_rows_of_prose_are_not_spoken_though_rules_cut_them_into_panels(
    cuts: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = np.full((HEIGHT, WIDTH, 3), 250, np.uint8)
    panels = tuple(Box(20, top, 560, bottom - top - 4) for top, bottom in pairwise(cuts))
    for panel in panels:
        cv2.rectangle(picture, (panel.x, panel.y), (panel.right, panel.bottom), (0, 0, 0), 2)
    rows = tuple(
        Row("and so they went up the road again to the house", 0.99, Box(40, 28 + 25 * i, 500, 18)) for i in range(30)
    )
    lines = read(tmp_path, picture, rows, monkeypatch, panels).lines
    assert lines
    assert not any(line.kind in SPOKEN_KINDS for line in lines)


def test_a_splash_full_of_balloons_is_spoken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = Image.new("RGB", (WIDTH, HEIGHT), (120, 150, 170))
    pen = ImageDraw.Draw(picture)
    rows = []
    for i in range(9):
        x, y = 20 + 195 * (i % 3), 40 + 240 * (i // 3)
        pen.ellipse((x, y, x + 170, y + 190), fill=(255, 255, 255), outline=(0, 0, 0), width=3)
        for j in range(5):
            rows.append(Row("WE TALK A LOT", 0.99, Box(x + 30, y + 36 + 24 * j, 110, 20)))
            for k in range(x + 34, x + 130, 10):
                pen.rectangle((k, y + 40 + 24 * j, k + 4, y + 51 + 24 * j), fill=(0, 0, 0))
    credits = [Row("DRAWN BY ALL OF US", 0.99, Box(200 * (i % 3), 4 + 240 * (i // 3), 150, 12)) for i in range(9)]
    whole = (Box(0, 0, WIDTH, HEIGHT),)
    lines = read(tmp_path, np.asarray(picture), (*rows, *credits), monkeypatch, whole).lines
    assert [line.kind for line in lines if "TALK" in line.text] == ["dialogue"] * 9


def test_dots_and_marks_are_kept_where_a_balloon_holds_them_and_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = Image.new("RGB", (WIDTH, HEIGHT), (120, 150, 170))
    pen = ImageDraw.Draw(picture)
    pen.ellipse((100, 100, 190, 160), fill=(255, 255, 255), outline=(0, 0, 0), width=3)
    for x in (124, 140, 156):
        pen.rectangle((x, 128, x + 5, 133), fill=(0, 0, 0))
        pen.rectangle((x + 200, 328, x + 205, 333), fill=(0, 0, 0))
    rows = (Row("...", 0.95, Box(118, 118, 52, 24)), Row("...", 0.95, Box(318, 318, 52, 24)))
    lines = read(tmp_path, np.asarray(picture), rows, monkeypatch).lines
    assert [(line.text, line.kind, line.bbox.x) for line in lines] == [("...", "dialogue", 118)]


def held(rows: list[Row], drawn: list[Box]) -> Group:
    """A balloon with `rows` in it, in which ink is drawn at `drawn`."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), (120, 150, 170))
    pen = ImageDraw.Draw(picture)
    pen.ellipse((130, 118, 390, 280), fill=(255, 255, 255), outline=(0, 0, 0), width=3)
    for box in drawn:
        for x in range(box.x, box.right, 12):
            pen.rectangle((x, box.y + 5, x + 5, box.bottom - 6), fill=(0, 0, 0))
    home, regions = find_regions(np.asarray(picture), rows, PANELS)
    at = home[0]
    assert at is not None
    return Group(tuple(rows), 0, regions[at])


def test_lines_are_doubtful_that_are_poorly_read_or_no_words_or_not_all_of_their_balloon() -> None:
    places = [Box(180, 150, 160, 24), Box(170, 174, 180, 24), Box(170, 198, 180, 24), Box(180, 222, 160, 24)]
    good = [
        Row(text, 0.99, box)
        for text, box in zip(("WE OUGHT", "TO SHARE IT", "OLD PAL,", "AT ONCE!"), places, strict=True)
    ]
    said = "WE OUGHT TO SHARE IT OLD PAL, AT ONCE!"
    sure = sureness(held(good, places), said, "dialogue", "en")
    assert sure > 0.9
    poor = [good[0], Row("TO SHARE IT", 0.8, places[1]), *good[2:]]
    assert sureness(held(poor, places), said, "dialogue", "en") < 0.7
    assert sureness(held(good, places), "WE OUOHT TO SHRAE IT OLB PAL, AT ONCF!", "dialogue", "en") < 0.7
    assert sureness(held(good[:2], places), "WE OUGHT TO SHARE IT!", "dialogue", "en") < 0.7


def test_a_line_on_a_page_that_is_read_poorly_is_less_sure() -> None:
    assert with_page([0.95] * 10) == pytest.approx([0.95] * 10)
    assert with_page([0.95, *[0.4] * 11])[0] < 0.7
    assert with_page([]) == []
