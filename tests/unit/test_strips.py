"""Strips: pages of a webtoon end between panels, never in a balloon, wherever the publisher sliced it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from comic_narrator.ingest.strips import find_cuts, window

Picture = NDArray[np.uint8]
Span = tuple[int, int]

WIDTH = 400
WORDS = ("WE SHOULD NOT", "HAVE COME HERE", "AT NIGHT, MEG")


def _busy(width: int, height: int, seed: int, low: int = 40, high: int = 200) -> Image.Image:
    """Art without a calm row: patches of many colours with leaves drawn all over them."""
    rng = np.random.default_rng(seed)
    patches = rng.integers(low, high, (max(height // 40, 1), 12, 3), dtype=np.uint8)
    art = Image.fromarray(patches).resize((width, height), Image.Resampling.BICUBIC)
    pen = ImageDraw.Draw(art)
    for x, y in zip(rng.integers(0, width, 2 * height), rng.integers(0, height, 2 * height), strict=True):
        pen.line((int(x), int(y), int(x) + 5, int(y) + 4), fill=(low, low + 20, low), width=1)
    return art


def _letter(pen: ImageDraw.ImageDraw, x: int, y: int, fill: str = "black") -> Span:
    """Three lines of lettering from (x, y); the rows they stand on."""
    for number, words in enumerate(WORDS):
        pen.text((x, y + number * 20), words, fill=fill, font_size=15)
    return y, y + 60


def _balloon(strip: Image.Image, x: int, y: int) -> Span:
    """A balloon with three lines; the rows it stands on."""
    pen = ImageDraw.Draw(strip)
    pen.ellipse((x, y, x + 190, y + 110), fill="white", outline="black", width=2)
    _letter(pen, x + 35, y + 25)
    return y, y + 110


def _box(strip: Image.Image, _: int, y: int) -> Span:
    """A wide box without outline, with room above and below its lettering."""
    ImageDraw.Draw(strip).rounded_rectangle((46, y, WIDTH - 46, y + 96), 20, fill="white")
    _letter(ImageDraw.Draw(strip), 120, y + 18)
    return y, y + 96


def _panels(ground: str, heights: Sequence[int], gutter: int, margin: int = 0) -> tuple[Picture, list[Span]]:
    """A strip of busy panels with a balloon in each, and where the panels lie."""
    strip = Image.new("RGB", (WIDTH, sum(heights) + gutter * len(heights)), ground)
    spans = []
    y = gutter // 2
    for number, height in enumerate(heights):
        strip.paste(_busy(WIDTH - 2 * margin, height, number), (margin, y))
        _balloon(strip, 60 + 40 * (number % 3), y + 20)
        spans.append((y, y + height))
        y += height + gutter
    return np.asarray(strip), spans


def _sizes(pictures: Sequence[Picture]) -> list[tuple[int, int]]:
    return [(picture.shape[1], picture.shape[0]) for picture in pictures]


def _cut(pictures: Sequence[Picture]) -> list[int]:
    """The rows of the whole column, in pictures of one width, at which pages begin, the first one left out."""
    cuts: list[int] = []
    top = 0
    for picture, own in zip(pictures, find_cuts(_sizes(pictures), pictures.__getitem__), strict=True):
        cuts += [top + row for row in own]
        top += len(picture)
    assert cuts[0] == 0
    return cuts[1:]


def _sliced(strip: Picture, height: int) -> list[Picture]:
    return [strip[top : top + height] for top in range(0, len(strip), height)]


def _rows_of(box: Sequence[int]) -> Span:
    return box[1], box[1] + box[3]


def _inside(cuts: Sequence[int], spans: Sequence[Span]) -> list[tuple[int, Span]]:
    return [(cut, span) for cut in cuts for span in spans if span[0] < cut < span[1]]


@pytest.mark.parametrize("slices", [None, 512, 251])
@pytest.mark.parametrize(("ground", "margin"), [("white", 0), ("white", 20), ("black", 0), ("#d8c8e8", 20)])
def test_pages_end_between_panels_wherever_the_strip_was_sliced(ground: str, margin: int, slices: int | None) -> None:
    strip, panels = _panels(ground, (300, 420, 200, 360, 510, 260, 330, 280), 24, margin)
    cuts = _cut(_sliced(strip, slices) if slices else [strip])
    assert not _inside(cuts, panels)
    heights = np.diff([0, *cuts, len(strip)])
    assert len(heights) >= 3
    assert heights.min() >= 0.8 * WIDTH
    assert heights.max() <= 3 * WIDTH


def test_pages_end_on_a_ground_that_fades_from_white_to_black() -> None:
    strip, panels = _panels("white", (300, 420, 360, 510, 260), 60, 30)
    shade = np.linspace(255, 0, len(strip)).astype(np.uint8)
    strip = strip.copy()
    ground = np.ones(len(strip), bool)
    for top, bottom in panels:
        ground[top:bottom] = False
        strip[top:bottom, :30] = strip[top:bottom, -30:] = shade[top:bottom, None, None]
    strip[ground] = shade[ground, None, None]
    cuts = _cut([strip])
    assert len(cuts) >= 2
    assert not _inside(cuts, panels)


def test_a_balloon_that_hangs_into_the_gutter_is_not_cut() -> None:
    strip, panels = _panels("white", (500, 500, 500, 500), 60)
    image = Image.fromarray(strip)
    balloons = [_balloon(image, 100, bottom - 30) for _, bottom in panels[:-1]]
    assert not _inside(_cut([np.asarray(image)]), balloons)


def test_a_balloon_that_stands_across_a_gutter_keeps_both_panels_together() -> None:
    strip, panels = _panels("white", (600, 600, 600, 600), 40)
    image = Image.fromarray(strip)
    pen = ImageDraw.Draw(image)
    bottom = panels[0][1]
    pen.ellipse((100, bottom - 70, 300, bottom + 110), fill="white", outline="black", width=2)
    assert not _inside(_cut([np.asarray(image)]), [(bottom - 70, bottom + 110)])


def test_lines_of_a_caption_on_the_open_ground_stay_together() -> None:
    strip = Image.new("RGB", (WIDTH, 4500), "white")
    pen = ImageDraw.Draw(strip)
    captions = []
    for top in range(40, 4400, 440):
        lines = [_letter(pen, 120, top + y) for y in range(0, 360, 60)]
        captions.append((lines[0][0], lines[-1][1]))
    cuts = _cut([np.asarray(strip)])
    assert len(cuts) >= 3
    assert not _inside(cuts, captions)


def test_a_panel_that_fades_along_its_rows_is_no_gutter() -> None:
    strip = np.full((4 * 740, WIDTH, 3), 255, np.uint8)
    panels = [(top, top + 700) for top in range(20, len(strip), 740)]
    for top, bottom in panels:
        strip[top:bottom] = np.linspace(0, 230, WIDTH).astype(np.uint8)[None, :, None]
    cuts = _cut([strip])
    assert len(cuts) == 3
    assert not _inside(cuts, panels)


@pytest.mark.parametrize("balloon", [_balloon, _box])
def test_long_art_without_gutters_is_cut_away_from_its_balloons(
    balloon: Callable[[Image.Image, int, int], Span],
) -> None:
    strip = _busy(WIDTH, 6000, 7, 160, 255)
    balloons = [balloon(strip, 40 + (y // 10) % 160, y) for y in range(90, 5800, 330)]
    cuts = _cut([np.asarray(strip)])
    heights = np.diff([0, *cuts, 6000])
    assert heights.max() <= 4.5 * WIDTH
    assert not _inside(cuts, balloons)


def test_panels_that_abut_are_parted_where_they_meet() -> None:
    parts = [
        _busy(WIDTH, height, height, low, low + 60) for height, low in ((700, 20), (640, 180), (690, 20), (600, 180))
    ]
    strip = np.concatenate([np.asarray(part) for part in parts])
    seams = np.cumsum([len(np.asarray(part)) for part in parts])[:-1]
    cuts = _cut([strip])
    assert len(cuts) == 3
    assert np.abs(np.array(cuts) - seams).max() <= 2


def test_a_short_strip_is_one_page_and_no_picture_is_none() -> None:
    assert find_cuts([], [].__getitem__) == []
    strip, _ = _panels("white", (300, 300), 24)
    assert _cut([strip]) == []


def test_a_long_blank_is_no_page_of_its_own() -> None:
    panel = np.asarray(_busy(WIDTH, 500, 1))
    strip = np.concatenate([panel, np.zeros((1000, WIDTH, 3), np.uint8), panel])
    cuts = _cut([strip])
    assert len(cuts) == 1
    assert not _inside(cuts, [(0, 500), (1500, 2000)])


def test_each_picture_is_asked_for_once_and_in_order() -> None:
    strip, _ = _panels("white", (300, 420, 200, 360), 24)
    slices = _sliced(strip, 200)
    asked: list[int] = []

    def pixels(number: int) -> Picture:
        asked.append(number)
        return slices[number]

    find_cuts(_sizes(slices), pixels)
    assert asked == list(range(len(slices)))


def test_pictures_of_other_widths_are_scaled_to_the_column() -> None:
    strip, panels = _panels("white", (300, 420, 360, 510, 260, 330), 30)
    half = sum(panels[2]) // 2
    lower = Image.fromarray(strip[half:])
    twice = np.asarray(lower.resize((2 * WIDTH, 2 * lower.height), Image.Resampling.LANCZOS))
    pictures = [strip[:half], twice]
    upper, below = find_cuts(_sizes(pictures), pictures.__getitem__)
    cuts = [*upper, *(half + row / 2 for row in below)]
    assert len(cuts) >= 2
    assert not [cut for cut in cuts for top, bottom in panels if top + 2 < cut < bottom - 2]


def test_a_window_joins_slices_and_asks_only_for_those_it_shows() -> None:
    strip, _ = _panels("white", (300, 420, 200, 360), 24)
    slices = _sliced(strip, 200)
    asked: list[int] = []

    def pixels(number: int) -> Picture:
        asked.append(number)
        return slices[number]

    page = window(_sizes(slices), pixels, (1, 50), (4, 0))
    assert np.array_equal(page, strip[250:800])
    assert asked == [1, 2, 3]
    assert np.array_equal(window(_sizes(slices), pixels, (1, 50), None), strip[250:])


def test_a_window_has_the_common_width_and_is_not_scaled_up_on_its_own() -> None:
    wide, common, narrow = (
        np.full((height, width, 3), 9, np.uint8) for width, height in ((80, 60), (40, 300), (20, 30))
    )
    pictures = [wide, common, narrow]
    sizes = _sizes(pictures)
    assert window(sizes, pictures.__getitem__, (0, 0), (1, 0)).shape == (30, 40, 3)
    assert window(sizes, pictures.__getitem__, (1, 200), None).shape == (100 + 60, 40, 3)
    assert window(sizes, pictures.__getitem__, (2, 0), None).shape == (30, 20, 3)


@st.composite
def _columns(draw: st.DrawFn) -> list[Picture]:
    """A column of one width: bands of flat colour and of noise, sliced anywhere."""
    width = draw(st.sampled_from((60, 200)))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    bands = []
    for height, noisy in draw(st.lists(st.tuples(st.integers(1, 4 * width), st.booleans()), min_size=1, max_size=8)):
        band = np.full((height, width, 3), rng.integers(0, 256), np.uint8)
        bands.append(rng.integers(0, 256, band.shape, dtype=np.uint8) if noisy else band)
    strip = np.concatenate(bands)
    return _sliced(strip, draw(st.integers(max(len(strip) // 9, 1), len(strip))))


@given(_columns())
@settings(max_examples=25, deadline=None)
def test_pages_in_order_are_the_whole_column(pictures: list[Picture]) -> None:
    sizes = _sizes(pictures)
    found = find_cuts(sizes, pictures.__getitem__)
    assert len(found) == len(pictures)
    for (_, height), own in zip(sizes, found, strict=True):
        assert list(own) == sorted(set(own))
        assert all(0 <= row < height for row in own)
    places = [(number, row) for number, own in enumerate(found) for row in own]
    assert places[0] == (0, 0)
    ends: list[tuple[int, int] | None] = [*places[1:], None]
    pages = [window(sizes, pictures.__getitem__, start, end) for start, end in zip(places, ends, strict=True)]
    assert np.array_equal(np.concatenate(pages), np.concatenate(pictures))


@pytest.fixture(scope="module")
def webtoon(shared: Path) -> tuple[Picture, list[Span], list[Span]]:
    """The real strip, the rows of its lettering, and those of its panels."""
    truth = json.loads((shared / "truth" / "t12_webtoon_strip.json").read_text())
    strip = np.asarray(Image.open(shared / "pages" / truth["image"]).convert("RGB"))
    lines = [line["bbox"] for panel in truth["panels"] for line in panel["lines"]]
    lines += [line["bbox"] for line in truth["other_text"]]
    boxes = [panel["bbox"] for panel in truth["panels"]]

    return strip, [_rows_of(box) for box in lines], [_rows_of(box) for box in boxes]


@pytest.mark.parametrize("slices", [None, 1280, 333])
def test_a_real_strip_is_cut_between_its_panels(
    webtoon: tuple[Picture, list[Span], list[Span]], slices: int | None
) -> None:
    strip, lines, panels = webtoon
    cuts = _cut(_sliced(strip, slices) if slices else [strip])
    assert len(cuts) >= 2
    assert not _inside(cuts, lines)
    assert not _inside(cuts, panels)
