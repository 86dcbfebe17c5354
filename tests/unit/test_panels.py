"""Panels are found on pages that the test draws: every kind of gutter and frame that books have."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from comic_narrator.model import Box
from comic_narrator.panels import find_panels

WIDTH, HEIGHT = 700, 1000
GRID = (
    Box(40, 40, 300, 280),
    Box(360, 40, 300, 280),
    Box(40, 340, 620, 250),
    Box(40, 610, 200, 350),
    Box(260, 610, 400, 350),
)
Colour = tuple[int, int, int]


def iou(a: Box, b: Box) -> float:
    shared = a.overlap(b)
    return shared / (a.area + b.area - shared)


def assert_found(found: tuple[Box, ...], expected: tuple[Box, ...]) -> None:
    assert len(found) == len(expected), found
    for got, wanted in zip(found, expected, strict=True):
        assert iou(got, wanted) > 0.9, (got, wanted)


def blank(paper: Colour, width: int = WIDTH, height: int = HEIGHT) -> Image.Image:
    return Image.new("RGB", (width, height), paper)


def draw_panel(page: Image.Image, box: Box, fill: Colour, frame: int = 3) -> None:
    """A panel with a frame and some drawing in it."""
    pen = ImageDraw.Draw(page)
    pen.rectangle((box.x, box.y, box.right - 1, box.bottom - 1), fill=fill, outline=(10, 10, 10), width=frame)
    rng = np.random.default_rng(box.x * 7 + box.y)
    for _ in range(12):
        x, y = (int(rng.integers(box.x + 10, box.right - 30)), int(rng.integers(box.y + 60, box.bottom - 30)))
        colour = tuple(int(c) for c in rng.integers(0, 255, 3))
        pen.ellipse((x, y, x + 18, y + 18), fill=colour, outline=(0, 0, 0))


def pixels(page: Image.Image, noise: float = 0.0) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    array = np.array(page, np.float32)
    if noise:
        array += np.random.default_rng(1).normal(0, noise, array.shape).astype(np.float32)
    return np.clip(array, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("paper", "fill", "frame", "noise"),
    [
        ((255, 255, 255), (170, 200, 220), 3, 0.0),
        ((255, 255, 255), (255, 255, 255), 3, 0.0),
        ((0, 0, 0), (190, 170, 120), 0, 0.0),
        ((226, 205, 160), (210, 190, 170), 3, 4.0),
        ((40, 60, 120), (230, 220, 200), 0, 0.0),
    ],
    ids=["white gutters", "white panels on white", "black gutters", "yellowed scan", "coloured gutters"],
)
def test_a_grid_is_found_in_order(paper: Colour, fill: Colour, frame: int, noise: float) -> None:
    page = blank(paper)
    for box in GRID:
        draw_panel(page, box, fill, frame)
    assert_found(find_panels(pixels(page, noise), "ltr"), GRID)


def test_manga_is_read_from_the_right() -> None:
    page = blank((255, 255, 255))
    for box in GRID:
        draw_panel(page, box, (200, 200, 200))
    expected = (GRID[1], GRID[0], GRID[2], GRID[4], GRID[3])
    assert_found(find_panels(pixels(page), "rtl"), expected)


def test_panels_that_bleed_off_the_page() -> None:
    page = blank((255, 255, 255))
    bleeding = (Box(0, 0, 700, 480), Box(0, 495, 340, 505), Box(355, 495, 345, 505))
    for box in bleeding:
        draw_panel(page, box, (150, 180, 150), frame=2)
    assert_found(find_panels(pixels(page), "ltr"), bleeding)


def test_a_balloon_across_the_gutter_parts_nothing_and_is_no_panel() -> None:
    page = blank((255, 255, 255))
    for box in GRID:
        draw_panel(page, box, (170, 200, 220))
    pen = ImageDraw.Draw(page)
    pen.ellipse((290, 60, 410, 140), fill=(255, 255, 255), outline=(0, 0, 0), width=2)
    pen.text((315, 90), "ACROSS", fill=(0, 0, 0), font=ImageFont.load_default(16))
    assert_found(find_panels(pixels(page), "ltr"), GRID)


def test_single_rules_part_a_newspaper_strip() -> None:
    page = blank((255, 255, 255), 1100, 280)
    strip = tuple(Box(10 + 270 * i, 10, 271, 260) for i in range(4))
    for box in strip:
        draw_panel(page, box, (255, 255, 255), frame=2)
    assert_found(find_panels(pixels(page), "ltr"), strip)


def test_a_webtoon_strip_is_stacked() -> None:
    page = blank((255, 255, 255), 400, 2400)
    stack = tuple(Box(0, 60 + 580 * i, 400, 500) for i in range(4))
    for box in stack:
        draw_panel(page, box, (60, 70, 110), frame=0)
    assert_found(find_panels(pixels(page), "vertical"), stack)


def test_a_slightly_crooked_scan() -> None:
    page = blank((235, 220, 190), WIDTH + 80, HEIGHT + 80)
    moved = tuple(Box(box.x + 40, box.y + 40, box.w, box.h) for box in GRID)
    for box in moved:
        draw_panel(page, box, (190, 200, 200))
    turned = page.rotate(1.0, Image.Resampling.BICUBIC, fillcolor=(235, 220, 190))
    found = find_panels(pixels(turned), "ltr")
    assert len(found) == len(moved)
    assert all(iou(got, wanted) > 0.8 for got, wanted in zip(found, moved, strict=True))


def test_a_running_head_and_a_page_number_are_no_panels() -> None:
    page = blank((255, 255, 255))
    for box in GRID:
        draw_panel(page, box, (170, 200, 220))
    pen = ImageDraw.Draw(page)
    pen.text((270, 8), "RUNNING HEAD", fill=(0, 0, 0), font=ImageFont.load_default(20))
    pen.text((345, 970), "12", fill=(0, 0, 0), font=ImageFont.load_default(18))
    assert_found(find_panels(pixels(page), "ltr"), GRID)


@pytest.mark.parametrize("shade", [0, 128, 255])
def test_a_page_without_panels_is_one(shade: int) -> None:
    empty = np.full((HEIGHT, WIDTH, 3), shade, np.uint8)
    assert find_panels(empty, "ltr") == (Box(0, 0, WIDTH, HEIGHT),)


def test_full_page_art_is_one_panel() -> None:
    rng = np.random.default_rng(3)
    coarse = Image.fromarray(rng.integers(0, 255, (25, 18, 3), np.uint8))
    art = coarse.resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)
    (only,) = find_panels(pixels(art), "ltr")
    assert iou(only, Box(0, 0, WIDTH, HEIGHT)) > 0.9


@pytest.mark.parametrize(("width", "height"), [(1, 1), (3, 900), (900, 2), (17, 23)])
def test_tiny_pages_are_one_panel_inside_the_page(width: int, height: int) -> None:
    found = find_panels(np.zeros((height, width, 3), np.uint8), "ltr")
    assert len(found) == 1
    assert found[0].right <= width
    assert found[0].bottom <= height
