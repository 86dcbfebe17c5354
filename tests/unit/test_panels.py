"""Panels are found on pages that the test draws: every kind of gutter and frame that books have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from comic_narrator.model import Box, Direction
from comic_narrator.panels import FoundPanel, find_panels

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


def assert_found(found: tuple[FoundPanel, ...], expected: tuple[Box, ...], least: float = 0.9) -> None:
    assert len(found) == len(expected), found
    for got, wanted in zip(found, expected, strict=True):
        assert iou(got.box, wanted) > least, (got, wanted)


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


@pytest.mark.parametrize("degrees", [1.0, -2.5, 4.0])
def test_a_crooked_scan(degrees: float) -> None:
    page = blank((235, 220, 190), WIDTH + 200, HEIGHT + 200)
    moved = tuple(Box(box.x + 100, box.y + 100, box.w, box.h) for box in GRID)
    for box in moved:
        draw_panel(page, box, (190, 200, 200))
    turned = page.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=(255, 255, 255))
    expected = tuple(turned_box(box, degrees, page.size, turned.size) for box in moved)
    assert_found(find_panels(pixels(turned), "ltr"), expected)


def turned_box(box: Box, degrees: float, size: tuple[int, int], turned: tuple[int, int]) -> Box:
    """The box around a box that is turned with its page."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    corners = [(x - size[0] / 2, y - size[1] / 2) for x in (box.x, box.right) for y in (box.y, box.bottom)]
    xs = [x * cos + y * sin + turned[0] / 2 for x, y in corners]
    ys = [y * cos - x * sin + turned[1] / 2 for x, y in corners]
    return Box(round(min(xs)), round(min(ys)), round(max(xs) - min(xs)), round(max(ys) - min(ys)))


def test_a_running_head_and_a_page_number_are_no_panels() -> None:
    page = blank((255, 255, 255))
    for box in GRID:
        draw_panel(page, box, (170, 200, 220))
    pen = ImageDraw.Draw(page)
    pen.text((270, 8), "RUNNING HEAD", fill=(0, 0, 0), font=ImageFont.load_default(20))
    pen.text((345, 970), "12", fill=(0, 0, 0), font=ImageFont.load_default(18))
    assert_found(find_panels(pixels(page), "ltr"), GRID)


def test_slanting_gutters_of_action_pages() -> None:
    page = blank((255, 255, 255))
    pen = ImageDraw.Draw(page)
    shapes = (
        ((40, 40), (660, 40), (660, 300), (40, 420)),
        ((40, 440), (660, 320), (660, 640), (40, 640)),
        ((40, 660), (420, 660), (320, 960), (40, 960)),
        ((440, 660), (660, 660), (660, 960), (340, 960)),
    )
    for shape in shapes:
        pen.polygon(shape, fill=(180, 190, 200), outline=(0, 0, 0), width=4)
    expected = tuple(Box(*np.min(s, axis=0), *np.ptp(s, axis=0)) for s in shapes)
    assert_found(find_panels(pixels(page, noise=3.0), "ltr"), expected)


def test_bookshelves_and_windows_part_no_panel() -> None:
    page = blank((255, 255, 255))
    for box in GRID:
        draw_panel(page, box, (255, 255, 255))
    pen = ImageDraw.Draw(page)
    for x in range(60, 620, 22):
        for y in range(380, 560, 40):
            pen.rectangle((x, y, x + 16, y + 32), outline=(0, 0, 0), width=2)
    for x in (380, 440, 500, 560):
        for side in (60, 64):
            pen.rectangle((x, side, x + 44 - side + 60, 300 - side), outline=(0, 0, 0), width=2)
    assert_found(find_panels(pixels(page), "ltr"), GRID)


def test_framed_panels_with_nothing_in_them() -> None:
    page = blank((255, 255, 255))
    pen = ImageDraw.Draw(page)
    for box in GRID:
        pen.rectangle((box.x, box.y, box.right - 1, box.bottom - 1), outline=(0, 0, 0), width=3)
    assert_found(find_panels(pixels(page), "ltr"), GRID)


def test_a_panel_without_a_frame_among_framed_ones() -> None:
    page = blank((255, 255, 255))
    for box in (GRID[0], *GRID[2:]):
        draw_panel(page, box, (170, 200, 220))
    ImageDraw.Draw(page).ellipse((420, 60, 600, 310), fill=(120, 80, 60), outline=(0, 0, 0), width=3)
    found = find_panels(pixels(page), "ltr")
    assert len(found) == len(GRID)
    assert iou(found[1].box, GRID[1]) > 0.8
    assert found[1].confidence < min(panel.confidence for panel in found if panel != found[1])


def test_panels_between_the_double_rules_of_a_framed_page() -> None:
    page = blank((238, 226, 200))
    pen = ImageDraw.Draw(page)
    cells = tuple(Box(20 + 220 * column, 20 + 240 * row, 220, 240) for row in range(4) for column in range(3))
    for box in cells:
        pen.rectangle((box.x, box.y, box.right - 3, box.bottom - 3), outline=(90, 80, 70), width=1)
        pen.ellipse(
            (box.x + 70, box.y + 90, box.x + 140, box.y + 220), outline=(60, 50, 40), fill=(200, 120, 90), width=2
        )
    pen.rectangle((18, 18, 680, 980), outline=(60, 50, 40), width=3)
    assert_found(find_panels(pixels(page, noise=3.0), "ltr"), cells)


@pytest.mark.parametrize("place", [Box(400, 420, 200, 150), Box(460, 40, 200, 150)], ids=["inside", "in a corner"])
def test_an_inset_follows_the_panel_it_lies_on(place: Box) -> None:
    page = blank((255, 255, 255))
    host, below = Box(40, 40, 620, 560), Box(40, 620, 620, 340)
    draw_panel(page, host, (90, 120, 160))
    draw_panel(page, below, (170, 150, 120))
    with_inset(page, place)
    assert_found(find_panels(pixels(page), "ltr"), (host, place, below))


def test_an_inset_across_a_gutter_is_one_panel() -> None:
    page = blank((255, 255, 255))
    upper, lower, place = Box(40, 40, 620, 440), Box(40, 500, 620, 460), Box(260, 420, 200, 160)
    draw_panel(page, upper, (90, 120, 160))
    draw_panel(page, lower, (170, 150, 120))
    with_inset(page, place)
    found = find_panels(pixels(page), "ltr")
    assert len(found) == 3
    for wanted in (upper, lower, place):
        assert max(iou(panel.box, wanted) for panel in found) > 0.9


def with_inset(page: Image.Image, place: Box) -> None:
    pen = ImageDraw.Draw(page)
    pen.rectangle((place.x - 9, place.y - 9, place.right + 8, place.bottom + 8), fill=(255, 255, 255))
    pen.rectangle((place.x, place.y, place.right - 1, place.bottom - 1), fill=(200, 90, 60), outline=(0, 0, 0), width=2)
    pen.ellipse((place.x + 50, place.y + 25, place.x + 150, place.y + 130), fill=(240, 220, 90), outline=(0, 0, 0))


def test_a_caption_box_and_a_balloon_on_a_picture_are_no_panels() -> None:
    page = blank((255, 255, 255))
    host, below = Box(40, 40, 620, 560), Box(40, 620, 620, 340)
    draw_panel(page, host, (90, 120, 160))
    draw_panel(page, below, (170, 150, 120))
    pen = ImageDraw.Draw(page)
    pen.rectangle((300, 200, 560, 320), fill=(255, 255, 255))
    pen.rectangle((308, 208, 552, 312), outline=(0, 0, 0), width=2)
    pen.ellipse((90, 360, 330, 520), fill=(255, 255, 255), outline=(0, 0, 0), width=2)
    for x, y in ((330, 225), (330, 255), (150, 410), (150, 440)):
        pen.text((x, y), "SOME LETTERING", fill=(0, 0, 0), font=ImageFont.load_default(20))
    assert_found(find_panels(pixels(page), "ltr"), (host, below))


def test_paper_on_the_bed_of_a_scanner() -> None:
    page = blank((225, 205, 165))
    for box in GRID:
        draw_panel(page, box, (190, 200, 200))
    bed = blank((12, 12, 12), WIDTH + 120, HEIGHT + 90)
    bed.paste(page, (70, 30))
    expected = tuple(Box(box.x + 70, box.y + 30, box.w, box.h) for box in GRID)
    assert_found(find_panels(pixels(bed, noise=2.0), "ltr"), expected)


def test_textured_gutters() -> None:
    coarse = np.random.default_rng(5).integers(100, 140, (HEIGHT // 4, WIDTH // 4, 3)).astype(np.uint8)
    page = Image.fromarray(coarse).resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)
    for box in GRID:
        draw_panel(page, box, (235, 225, 190))
    assert_found(find_panels(pixels(page), "ltr"), GRID)


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_the_pages_of_a_spread_are_read_one_after_the_other(direction: Direction) -> None:
    spread = blank((255, 255, 255), 2 * WIDTH, HEIGHT)
    right = tuple(Box(box.x + WIDTH, box.y, box.w, box.h) for box in GRID)
    for box in (*GRID, *right):
        draw_panel(spread, box, (170, 200, 220))
    row = (0, 1, 2, 3, 4) if direction == "ltr" else (1, 0, 2, 4, 3)
    pages = (GRID, right) if direction == "ltr" else (right, GRID)
    assert_found(find_panels(pixels(spread), direction), tuple(page[i] for page in pages for i in row))


def test_the_pages_of_a_spread_may_bleed_into_each_other_at_the_fold() -> None:
    spread = blank((255, 255, 255), 2 * WIDTH, HEIGHT)
    left = (Box(40, 0, 300, 370), Box(360, 0, 340, 370), Box(40, 390, 620, 220), Box(40, 630, 620, 370))
    right = (Box(700, 0, 300, 470), Box(1020, 0, 340, 470), Box(740, 490, 620, 240), Box(740, 750, 620, 250))
    for box in (*left, *right):
        draw_panel(spread, box, (120, 140, 170))
    assert_found(find_panels(pixels(spread), "ltr"), (*left, *right))


def test_a_large_page_has_its_boxes_at_its_own_size() -> None:
    page = blank((255, 255, 255))
    for box in GRID:
        draw_panel(page, box, (170, 200, 220))
    large = np.repeat(np.repeat(pixels(page), 6, axis=0), 6, axis=1)
    expected = tuple(Box(*(6 * value for value in box)) for box in GRID)
    assert_found(find_panels(large, "ltr"), expected, least=0.98)


@st.composite
def drawn_pages(draw: st.DrawFn) -> tuple[Image.Image, tuple[Box, ...]]:
    """A page of tiers of framed panels, and its panels from left to right."""
    page, boxes, top = blank((255, 255, 255)), list[Box](), 40
    for height in draw(st.lists(st.integers(160, 300), min_size=1, max_size=3)):
        count = draw(st.integers(1, 3))
        width = (620 - 20 * (count - 1)) // count
        boxes += [Box(40 + i * (width + 20), top, width, height) for i in range(count)]
        top += height + 20
    for box in boxes:
        draw_panel(page, box, draw(st.sampled_from([(255, 255, 255), (150, 180, 200), (60, 40, 40)])))
    return page, tuple(boxes)


few = settings(max_examples=6, deadline=None)


@few
@given(drawn_pages(), st.sampled_from([0.75, 1.4, 2.0]))
def test_a_page_scanned_larger_has_the_same_panels(drawn: tuple[Image.Image, tuple[Box, ...]], scale: float) -> None:
    page, boxes = drawn
    size = (round(WIDTH * scale), round(HEIGHT * scale))
    resized = page.resize(size, Image.Resampling.BOX if scale < 1 else Image.Resampling.BICUBIC)
    expected = tuple(Box(*(round(value * scale) for value in box)) for box in boxes)
    assert_found(find_panels(pixels(page), "ltr"), boxes)
    assert_found(find_panels(pixels(resized), "ltr"), expected)


@few
@given(drawn_pages())
def test_the_mirrored_page_is_read_from_the_right(drawn: tuple[Image.Image, tuple[Box, ...]]) -> None:
    page, _ = drawn
    found = find_panels(pixels(page), "ltr")
    mirrored = find_panels(np.ascontiguousarray(pixels(page)[:, ::-1]), "rtl")
    expected = tuple(Box(WIDTH - panel.box.right, panel.box.y, panel.box.w, panel.box.h) for panel in found)
    assert_found(mirrored, expected)


@few
@given(
    arrays(np.uint8, st.tuples(st.integers(1, 60), st.integers(1, 60), st.just(3))),
    st.integers(1, 12),
    st.sampled_from(["ltr", "rtl", "vertical"]),
)
def test_whatever_a_page_shows_its_panels_lie_on_it(
    pattern: NDArray[np.uint8], grain: int, direction: Direction
) -> None:
    page = np.repeat(np.repeat(pattern, grain, axis=0), grain, axis=1)
    found = find_panels(page, direction)
    assert found
    for panel in found:
        assert panel.box == panel.box.within(page.shape[1], page.shape[0])
        assert panel.box.w > 0
        assert panel.box.h > 0
        assert 0 <= panel.confidence <= 1
    assert found == find_panels(page, direction)


def test_a_page_of_prose_is_one_panel_and_unsure() -> None:
    page = blank((255, 255, 255))
    pen = ImageDraw.Draw(page)
    for y in [*range(80, 420, 30), *range(500, 900, 30)]:
        pen.text(
            (70, y),
            "It rained for days and nobody came to the door, but",
            fill=(0, 0, 0),
            font=ImageFont.load_default(22),
        )
    (only,) = find_panels(pixels(page), "ltr")
    assert only.confidence < 0.5


def test_framed_panels_are_surer_than_a_page_without_any() -> None:
    page = blank((255, 255, 255))
    for box in GRID:
        draw_panel(page, box, (170, 200, 220))
    framed = find_panels(pixels(page), "ltr")
    noise = np.random.default_rng(1).integers(0, 255, (HEIGHT, WIDTH, 3)).astype(np.uint8)
    (only,) = find_panels(noise, "ltr")
    assert min(panel.confidence for panel in framed) > 0.9
    assert only.confidence < 0.5


@pytest.mark.parametrize("shade", [0, 128, 255])
def test_a_page_without_panels_is_one(shade: int) -> None:
    empty = np.full((HEIGHT, WIDTH, 3), shade, np.uint8)
    (only,) = find_panels(empty, "ltr")
    assert only.box == Box(0, 0, WIDTH, HEIGHT)
    assert only.confidence < 0.5


def test_full_page_art_is_one_panel() -> None:
    rng = np.random.default_rng(3)
    coarse = Image.fromarray(rng.integers(0, 255, (25, 18, 3), np.uint8))
    art = coarse.resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)
    (only,) = find_panels(pixels(art), "ltr")
    assert iou(only.box, Box(0, 0, WIDTH, HEIGHT)) > 0.9


@pytest.mark.parametrize(("width", "height"), [(1, 1), (3, 900), (900, 2), (17, 23)])
def test_tiny_pages_are_one_panel_inside_the_page(width: int, height: int) -> None:
    found = find_panels(np.zeros((height, width, 3), np.uint8), "ltr")
    assert len(found) == 1
    assert found[0].box.right <= width
    assert found[0].box.bottom <= height
