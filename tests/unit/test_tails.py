"""Tails, clouds and bursts round the words are found, and say what kind a line is and how it is said."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PIL import Image, ImageDraw

from comic_narrator.model import Box
from comic_narrator.readers.balloons import Group, gather
from comic_narrator.readers.kinds import Page, kind_of
from comic_narrator.readers.regions import find_regions
from comic_narrator.readers.tails import Outline, trace
from comic_narrator.readers.tones import tone_of
from comic_narrator.readers.words import Row

PAGE = Box(0, 0, 700, 500)
ROWS = (Row("I SAW THE", 0.98, Box(235, 160, 130, 24)), Row("MONEY FIRST.", 0.98, Box(230, 182, 140, 24)))


def traced(picture: Image.Image, panel: Box = PAGE) -> tuple[Group, Outline]:
    """The one balloon of a picture that holds ROWS."""
    pen = ImageDraw.Draw(picture)
    for row in ROWS:
        for x in range(row.box.x + 4, row.box.right - 8, 12):
            pen.rectangle((x, row.box.y + 5, x + 5, row.box.bottom - 6), fill=(0, 0, 0))
    image = np.asarray(picture)
    home, regions = find_regions(image, ROWS, (panel,))
    (group,) = gather(ROWS, (panel,), home, regions)
    assert group.balloon is not None
    return group, trace(image, group.balloon, group.size, panel, [row.box for row in ROWS])


def scene() -> tuple[Image.Image, ImageDraw.ImageDraw]:
    picture = Image.new("RGB", (PAGE.w, PAGE.h), (120, 150, 170))
    return picture, ImageDraw.Draw(picture)


def balloon(pen: ImageDraw.ImageDraw, tail: list[tuple[int, int]] | None, square: bool = False) -> None:
    """A balloon with an outline; its tail is drawn over the outline, open towards the inside."""
    box = (190, 120, 410, 250)
    (pen.rectangle if square else pen.ellipse)(box, fill=(255, 255, 255), outline=(0, 0, 0), width=3)
    if tail is not None:
        pen.polygon(tail, fill=(255, 255, 255))
        (left, tip, right) = tail
        pen.line((left, tip, right), fill=(0, 0, 0), width=3)


@pytest.mark.parametrize(
    ("tail", "toward"),
    [
        ([(290, 244), (280, 330), (310, 244)], (-0.2, 1.0)),
        ([(395, 200), (500, 230), (400, 180)], (1.0, 0.4)),
        ([(215, 150), (150, 90), (235, 138)], (-0.8, -0.6)),
    ],
)
def test_the_tip_of_a_tail_is_found_and_where_it_points(
    tail: list[tuple[int, int]], toward: tuple[float, float]
) -> None:
    picture, pen = scene()
    balloon(pen, tail)
    _, outline = traced(picture)
    assert outline.tail is not None
    assert math.dist(outline.tail.tip, tail[1]) < 20
    assert outline.tail.toward[0] * toward[0] + outline.tail.toward[1] * toward[1] > 0.8


def test_a_balloon_without_a_tail_has_none_and_a_leak_is_none() -> None:
    picture, pen = scene()
    balloon(pen, None)
    assert traced(picture)[1].tail is None
    picture, pen = scene()
    pen.rectangle((420, 100, 690, 480), fill=(255, 255, 255))
    balloon(pen, None)
    pen.rectangle((400, 180, 425, 184), fill=(255, 255, 255))
    tail = traced(picture)[1].tail
    assert tail is None or tail.length < 1


def test_a_square_balloon_with_a_thin_tail_is_speech_and_one_without_is_a_caption() -> None:
    page = Page(PAGE.w, PAGE.h, (PAGE,), 24.0, 100.0, "en")
    picture, pen = scene()
    balloon(pen, [(290, 247), (270, 330), (302, 247)], square=True)
    group, outline = traced(picture)
    assert kind_of(group, "I SAW THE MONEY FIRST.", page, outline.tail) == "dialogue"
    picture, pen = scene()
    balloon(pen, None, square=True)
    group, outline = traced(picture)
    assert kind_of(group, "I SAW THE MONEY FIRST.", page, outline.tail) == "caption"


def test_on_a_page_of_print_only_a_balloon_with_a_tail_is_said() -> None:
    page = Page(1000, 1500, (PAGE,), 24.0, 100.0, "en", titles_only=True)
    picture, pen = scene()
    balloon(pen, [(290, 244), (280, 330), (310, 244)])
    group, outline = traced(picture)
    assert kind_of(group, "I SAW THE MONEY FIRST.", page, outline.tail) == "dialogue"
    picture, pen = scene()
    balloon(pen, None)
    group, outline = traced(picture)
    assert kind_of(group, "I SAW THE MONEY FIRST.", page, outline.tail) == "sign"


def cloud(pen: ImageDraw.ImageDraw) -> None:
    """A balloon of scallops."""
    for turn in range(12):
        angle = turn * math.pi / 6
        x, y = 300 + 84 * math.cos(angle), 185 + 42 * math.sin(angle)
        pen.ellipse((x - 24, y - 18, x + 24, y + 18), fill=(255, 255, 255))
    pen.rectangle((220, 150, 380, 220), fill=(255, 255, 255))


def test_a_cloud_with_bubbles_is_a_thought_and_they_are_its_tail() -> None:
    picture, pen = scene()
    cloud(pen)
    pen.ellipse((236, 248, 254, 266), fill=(255, 255, 255))
    pen.ellipse((222, 270, 234, 282), fill=(255, 255, 255))
    group, outline = traced(picture)
    assert outline.tail is not None
    assert outline.tail.bubbles
    assert math.dist(outline.tail.tip, (228, 276)) < 10
    assert kind_of(group, "Oh dear", Page(700, 500, (PAGE,), 24.0, 100.0, "en"), outline.tail) == "thought"


def test_a_cloud_is_a_thought_however_far_its_bubbles_are() -> None:
    picture, pen = scene()
    cloud(pen)
    group, outline = traced(picture)
    assert (outline.tail, outline.cloud) == (None, True)
    page = Page(700, 500, (PAGE,), 24.0, 100.0, "en")
    assert kind_of(group, "Oh dear", page, None, cloud=outline.cloud) == "thought"


def test_a_cloud_with_a_spike_is_spoken() -> None:
    picture, pen = scene()
    cloud(pen)
    pen.polygon([(280, 240), (270, 330), (300, 240)], fill=(255, 255, 255))
    group, outline = traced(picture)
    assert not outline.cloud
    page = Page(700, 500, (PAGE,), 24.0, 100.0, "en")
    assert kind_of(group, "Oh dear", page, outline.tail, cloud=outline.cloud) == "dialogue"


def test_a_burst_is_shouted_and_an_oval_is_not() -> None:
    picture, pen = scene()
    points = []
    for turn in range(24):
        angle, far = turn * math.pi / 12, 1.0 if turn % 2 else 1.35
        points.append((300 + 92 * far * math.cos(angle), 185 + 52 * far * math.sin(angle)))
    pen.polygon(points, fill=(255, 255, 255), outline=(0, 0, 0))
    _, burst = traced(picture)
    picture, pen = scene()
    balloon(pen, [(290, 244), (280, 330), (310, 244)])
    _, oval = traced(picture)
    assert tone_of("LOOK OUT!", 24.0, 24.0, burst) == "shouting"
    assert tone_of("LOOK OUT!", 24.0, 24.0, oval) is None
    assert tone_of("Look out there.", 24.0, 24.0, burst) is None
    assert not burst.cloud
    assert not oval.cloud


def test_an_oval_that_the_frame_cuts_has_no_points_where_it_is_cut() -> None:
    panel = Box(100, 150, 500, 300)
    picture = Image.new("RGB", (PAGE.w, PAGE.h), (255, 255, 255))
    pen = ImageDraw.Draw(picture)
    pen.rectangle((panel.x, panel.y, panel.right - 1, panel.bottom - 1), fill=(120, 150, 170))
    pen.ellipse((190, 50, 410, 250), fill=(255, 255, 255), outline=(0, 0, 0), width=3)
    pen.rectangle((0, 0, PAGE.w, panel.y), fill=(0, 0, 0))
    _, cut = traced(picture, panel)
    assert cut.points == 0


@pytest.mark.parametrize(
    ("text", "size", "tone"),
    [("NO!", 40.0, "shouting"), ("no", 40.0, None), ("NO", 60.0, "shouting"), ("hush", 15.0, "whispering")],
)
def test_large_letters_are_shouted_and_small_ones_whispered(text: str, size: float, tone: str | None) -> None:
    assert tone_of(text, size, 24.0, None) == tone


def ring(pen: ImageDraw.ImageDraw, dashes: int, drawn: float, width: int = 3, wobble: float = 0.0) -> None:
    """An oval balloon whose outline is `dashes` arcs, each drawn over so much of its part; 1 dash is a whole line."""
    box = (190, 120, 410, 250)
    pen.ellipse(box, fill=(255, 255, 255))
    part = 360 / dashes
    for k in range(dashes):
        start = k * part + wobble * part * math.sin(37.0 * k)
        pen.arc(box, start, start + drawn * part, fill=(0, 0, 0), width=width)


@pytest.mark.parametrize("ground", ["#7896aa", "#fafafa", "#6e8250"])
@pytest.mark.parametrize(("dashes", "drawn"), [(28, 0.75), (32, 0.65), (40, 0.6), (20, 0.75)])
def test_a_dashed_outline_is_whispered(ground: str, dashes: int, drawn: float) -> None:
    picture = Image.new("RGB", (PAGE.w, PAGE.h), ground)
    pen = ImageDraw.Draw(picture)
    ring(pen, dashes, drawn)
    pen.polygon([(290, 246), (280, 330), (310, 246)], fill=(255, 255, 255), outline=(0, 0, 0))
    _, outline = traced(picture)
    assert outline.dashed
    assert tone_of("I SAW THE MONEY FIRST.", 24.0, 24.0, outline) == "whispering"


@pytest.mark.parametrize(
    ("dashes", "drawn", "wobble"),
    [(1, 1.0, 0.0), (3, 0.9, 0.0), (6, 0.8, 0.0), (9, 0.6, 0.9)],
    ids=["whole", "three breaks", "six breaks", "a rough pen"],
)
def test_an_outline_that_is_whole_or_broken_here_and_there_is_not(dashes: int, drawn: float, wobble: float) -> None:
    picture, pen = scene()
    ring(pen, dashes, drawn, wobble=wobble)
    _, outline = traced(picture)
    assert not outline.dashed
    assert tone_of("I SAW THE MONEY FIRST.", 24.0, 24.0, outline) is None


def test_neither_a_burst_nor_a_cloud_nor_a_screen_of_dots_is_dashed() -> None:
    picture, pen = scene()
    points = [
        (300 + r * 1.6 * math.cos(t), 185 + r * math.sin(t))
        for k in range(40)
        for r, t in [((90, 70)[k % 2], k * math.pi / 20)]
    ]
    pen.polygon(points, fill=(255, 255, 255), outline=(0, 0, 0), width=3)
    assert not traced(picture)[1].dashed
    picture, pen = scene()
    for turn in range(14):
        x, y = 300 + 84 * math.cos(turn * math.pi / 7), 185 + 42 * math.sin(turn * math.pi / 7)
        pen.ellipse((x - 24, y - 18, x + 24, y + 18), fill=(255, 255, 255), outline=(0, 0, 0), width=3)
    pen.ellipse((216, 143, 384, 227), fill=(255, 255, 255))
    assert not traced(picture)[1].dashed
    picture, pen = scene()
    for x in range(0, PAGE.w, 9):
        for y in range(0, PAGE.h, 9):
            pen.ellipse((x, y, x + 4, y + 4), fill=(30, 30, 30))
    pen.ellipse((190, 120, 410, 250), fill=(255, 255, 255))
    assert not traced(picture)[1].dashed
