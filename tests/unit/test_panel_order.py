"""The order of panels: what a reader of comics would do, whatever the page's shape."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comic_narrator.model import Box, Direction
from comic_narrator.panels.order import reading_order

GUTTER = 10


@st.composite
def tiers(draw: st.DrawFn) -> list[list[Box]]:
    """A page of tiers, each cut into panels, from left to right."""
    page: list[list[Box]] = []
    top = 0
    for _ in range(draw(st.integers(1, 5))):
        height = draw(st.integers(80, 400))
        tier, left = [], 0
        for _ in range(draw(st.integers(1, 4))):
            width = draw(st.integers(80, 400))
            tier.append(Box(left, top, width, height))
            left += width + GUTTER
        page.append(tier)
        top += height + GUTTER
    return page


directions = st.sampled_from(["ltr", "rtl", "vertical"])
boxes = st.builds(Box, st.integers(0, 900), st.integers(0, 900), st.integers(1, 600), st.integers(1, 600))


@given(tiers(), directions, st.randoms(use_true_random=False))
def test_tiers_are_read_from_the_top_and_along_the_direction(
    page: list[list[Box]], direction: Direction, random: Random
) -> None:
    expected = [box for tier in page for box in (reversed(tier) if direction == "rtl" else tier)]
    shuffled = list(expected)
    random.shuffle(shuffled)
    assert [shuffled[i] for i in reading_order(shuffled, direction)] == expected


@given(st.lists(boxes, max_size=12), directions)
def test_every_panel_is_read_once(some: list[Box], direction: Direction) -> None:
    assert sorted(reading_order(some, direction)) == list(range(len(some)))


@given(st.lists(boxes, max_size=10))
def test_rtl_is_the_mirror_of_ltr(some: list[Box]) -> None:
    mirrored = [Box(2000 - box.right, box.y, box.w, box.h) for box in some]
    assert reading_order(some, "ltr") == reading_order(mirrored, "rtl")


@given(st.lists(boxes, max_size=10), directions, st.integers(2, 7))
def test_a_page_scanned_larger_is_read_alike(some: list[Box], direction: Direction, scale: int) -> None:
    larger = [Box(*(scale * value for value in box)) for box in some]
    assert reading_order(larger, direction) == reading_order(some, direction)


@given(tiers(), tiers(), st.sampled_from(["ltr", "rtl"]), st.integers(100, 300))
def test_the_pages_of_a_spread_are_read_one_after_the_other(
    left: list[list[Box]], right: list[list[Box]], direction: Direction, margins: int
) -> None:
    pages = [fitted(page, 1000, 1500) for page in (left, right)]
    pages[1] = [Box(box.x + 1000 + margins, box.y, box.w, box.h) for box in pages[1]]
    if direction == "rtl":
        pages.reverse()
    expected = [page[i] for page in pages for i in reading_order(page, direction)]
    spread = [*pages[1], *pages[0]]
    assert [spread[i] for i in reading_order(spread, direction)] == expected


def fitted(page: list[list[Box]], width: int, height: int) -> list[Box]:
    """The tiers of a page, stretched to its type area; gutters stay narrow."""
    panels, top = [], 0
    tall = sum(tier[0].h for tier in page)
    for tier in page:
        h, wide, left = tier[0].h * (height - GUTTER * len(page)) // tall, sum(box.w for box in tier), 0
        for box in tier:
            w = box.w * (width - GUTTER * (len(tier) - 1)) // wide
            panels.append(Box(left, top, width - left if box is tier[-1] else w, h))
            left += w + GUTTER
        top += h + GUTTER
    return panels


def test_two_rows_of_a_wide_strip_are_no_spread() -> None:
    for columns in (2, 4):
        strip = [Box(310 * i, 420 * row, 300, 410) for row in range(2) for i in range(columns)]
        wide = [Box(box.x * 4 // columns, box.y, box.w * 4 // columns, box.h) for box in strip]
        assert reading_order(wide, "ltr") == list(range(2 * columns))


@pytest.mark.parametrize(
    ("direction", "expected"), [("ltr", [0, 1, 2, 3]), ("rtl", [1, 2, 0, 3])], ids=["western", "manga"]
)
def test_a_tall_panel_beside_two_rows(direction: Direction, expected: list[int]) -> None:
    tall, upper, lower, below = (
        Box(0, 0, 200, 410),
        Box(210, 0, 300, 200),
        Box(210, 210, 300, 200),
        Box(0, 420, 510, 90),
    )
    assert reading_order([tall, upper, lower, below], direction) == expected


def test_slanting_frames_may_overlap_a_little() -> None:
    tier = [Box(0, 0, 320, 300), Box(290, 10, 300, 300)]
    below = Box(0, 285, 590, 300)
    assert reading_order([below, *tier], "ltr") == [1, 2, 0]
    assert reading_order([below, *tier], "rtl") == [2, 1, 0]


def test_an_inset_follows_its_host() -> None:
    host, inset, after = Box(0, 0, 600, 400), Box(20, 250, 150, 130), Box(0, 420, 600, 200)
    assert reading_order([inset, after, host], "ltr") == [2, 0, 1]
