"""A reading drawn over its page: what is read can be seen, in any script, and what is doubtful stands out."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from comic_narrator.model import Box, Figure, Line, LineKind, PageReading, Panel
from comic_narrator.show import COLUMN, DOUBT, KIND_COLOURS, MARGIN, PAGE_WIDTH, PANEL, show_reading

WIDTH, HEIGHT = 400, 600
SCALE = PAGE_WIDTH / WIDTH
FIRST, SECOND = Box(20, 20, 360, 260), Box(20, 310, 360, 260)


def line(text: str, kind: LineKind = "dialogue", confidence: float = 0.95, box: Box | None = None) -> Line:
    return Line(
        id="0001.01.1", panel="0001.01", kind=kind, text=text, bbox=box or Box(100, 100, 90, 50), confidence=confidence
    )


def reading(*lines: Line, width: int = WIDTH, height: int = HEIGHT, figures: tuple[Figure, ...] = ()) -> PageReading:
    return PageReading(
        page="0001",
        image="page.png",
        width=width,
        height=height,
        direction="ltr",
        language="en",
        panels=(Panel(id="0001.01", bbox=FIRST), Panel(id="0001.02", bbox=SECOND)),
        lines=lines,
        figures=figures,
    )


def shown(*lines: Line) -> NDArray[np.int16]:
    return np.asarray(show_reading(Image.new("RGB", (WIDTH, HEIGHT), "white"), reading(*lines)), np.int16)


def has(picture: NDArray[np.int16], colour: tuple[int, int, int], box: Box, scale: float = SCALE) -> float:
    """The share of a box's pixels that are near a colour."""
    x, y, w, h = (round(side * scale) for side in box)
    return float((np.abs(picture[y : y + h, x : x + w] - colour).max(axis=2) < 60).mean())


def beside(picture: NDArray[np.int16]) -> NDArray[np.int16]:
    return picture[:, PAGE_WIDTH:]


def test_panels_lines_and_their_kind_are_seen_where_they_are() -> None:
    picture = shown(line("HELLO", "caption"))
    assert has(picture, PANEL, Box(60, 19, 200, 2)) > 0.3
    assert has(picture, PANEL, Box(60, 309, 200, 2)) > 0.3
    assert has(picture, KIND_COLOURS["caption"], Box(99, 100, 3, 50)) > 0.3
    assert has(picture, KIND_COLOURS["dialogue"], Box(99, 100, 3, 50)) == 0
    assert has(picture, PANEL, Box(150, 295, 200, 10)) == 0


def test_a_doubtful_line_is_red_and_broken_and_a_sure_one_is_not() -> None:
    edge = Box(99, 105, 3, 40)
    doubtful, sure = shown(line("HELLO", confidence=0.69)), shown(line("HELLO", confidence=0.7))
    assert 0.1 < has(doubtful, DOUBT, edge) < 0.27
    assert has(sure, DOUBT, edge) == 0
    assert (np.abs(beside(doubtful) - DOUBT).max(axis=2) < 40).any()


@pytest.mark.parametrize("text", ["EVERY WORD OF IT", "ひどい嵐だね", "波が三メートル", "안녕하세요", "ÇA ALORS"])
def test_text_is_written_in_its_own_letters(text: str) -> None:
    # A letter that the font lacks is drawn as the same box whichever it is.
    ink = [int((beside(shown(line(c))) < 128).sum()) for c in dict.fromkeys(text.replace(" ", ""))]
    assert min(ink) > int((beside(shown(line(" "))) < 128).sum())
    assert len(set(ink)) >= len(ink) - 1


@pytest.mark.parametrize("text", ["A WORD OR TWO " * 30, "だれか来ました" * 30])
def test_long_text_is_broken_to_fit_and_none_is_lost(text: str) -> None:
    long, short = beside(shown(line(text))), beside(shown(line(text[: len(text) // 3])))
    assert (long[:, COLUMN - MARGIN + 4 :] > 200).all()
    assert (long < 128).sum() > 2.5 * (short < 128).sum()


def test_many_lines_go_on_in_a_second_column_and_below_the_page() -> None:
    many = [line(f"LINE {i} SAYS SOMETHING") for i in range(90)]
    picture = shown(*many)
    assert picture.shape[1] == PAGE_WIDTH + 2 * COLUMN
    assert picture.shape[0] > HEIGHT * SCALE
    assert (picture[:, PAGE_WIDTH + COLUMN :] < 128).any()
    assert (picture[-MARGIN:, PAGE_WIDTH:] > 200).all()


def test_the_tail_ends_at_its_tip_and_speaker_and_figure_are_named() -> None:
    spoken = line("HELLO").model_copy(update={"tail": (250, 240), "speaker": "Nell"})
    figure = Figure(label="Nell", panel="0001.02", bbox=Box(200, 400, 80, 100), looks="old")
    page = Image.new("RGB", (WIDTH, HEIGHT), "white")
    picture = np.asarray(show_reading(page, reading(spoken, figures=(figure,))), np.int16)
    tip = Box(247, 237, 6, 6)
    assert has(picture, KIND_COLOURS["dialogue"], tip) > 0.4
    assert has(shown(line("HELLO")), KIND_COLOURS["dialogue"], tip) == 0
    assert (np.abs(picture[:, :PAGE_WIDTH] - shown(spoken)[: len(picture), :PAGE_WIDTH]).max(axis=2) > 60).any()
    assert page.getcolors() == [(WIDTH * HEIGHT, (255, 255, 255))]


def test_a_page_without_lines_and_one_of_odd_shape_are_shown() -> None:
    assert shown().shape[1] == PAGE_WIDTH + COLUMN
    strip = show_reading(Image.new("L", (90, 3000), 255), reading(width=90, height=30_000))
    assert strip.width < PAGE_WIDTH + COLUMN
    assert strip.height >= 12_000
