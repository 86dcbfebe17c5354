"""The camera keeps what it is asked to show inside the frame, at every moment of a shot."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comic_narrator.film.camera import abrupt, at, framed, holding, holds, shaken, smooth
from comic_narrator.model import Box, View

boxes = st.builds(Box, st.integers(0, 3000), st.integers(0, 40_000), st.integers(10, 3000), st.integers(10, 6000))
shapes = st.sampled_from([16 / 9, 9 / 16, 1.0, 4 / 5])
moments = st.floats(0, 1)


@given(boxes, shapes)
def test_a_framed_box_is_whole_in_a_view_of_the_films_shape(box: Box, shape: float) -> None:
    view = framed(box, shape)
    assert holds(view, box)
    assert view.w / view.h == pytest.approx(shape)


@given(boxes, boxes, shapes, moments)
def test_what_two_views_hold_is_held_on_the_way_between_them(
    box: Box, wide: Box, shape: float, progress: float
) -> None:
    ends = framed(box, shape, 1.2), framed(box.union(wide), shape)
    assert holds(at(*ends, progress), box)


@given(boxes, boxes, shapes, st.floats(0, 3000))
def test_a_view_holds_its_boxes_and_no_more_ground_than_it_must(
    box: Box, other: Box, shape: float, narrowest: float
) -> None:
    area = box.union(other)
    whole, view = framed(area, shape), holding([box], area, narrowest, shape)
    assert holds(view, box)
    assert view.w / view.h == pytest.approx(shape)
    assert min(narrowest, whole.w) * 0.999999 <= view.w <= whole.w * 1.000001
    for first, span, start, length in ((view.x, view.w, area.x, area.w), (view.y, view.h, area.y, area.h)):
        before, after = start - first, first + span - start - length
        margin = whole.w * 0.05
        assert max(before, after) <= margin or before == pytest.approx(after, abs=0.01)


@given(st.integers(0, 300))
def test_a_shake_is_a_few_pixels_and_dies_away(frame: int) -> None:
    view = View(0, 0, 1920, 1080)
    swung = shaken(view, frame)
    assert abs(swung.x) <= 4
    assert abs(swung.y) <= 4
    assert (swung.w, swung.h) == (view.w, view.h)
    if frame > 30:
        assert max(abs(swung.x), abs(swung.y)) < 0.02
    assert max(abs(shaken(view, k).x) for k in range(4)) > 2


def test_an_abrupt_move_begins_at_once_and_ends_at_rest() -> None:
    assert abrupt(0) == 0
    assert abrupt(1) == 1
    assert abrupt(0.1) > 0.25
    assert 1 - abrupt(0.99) < 1e-5


@given(moments, moments)
def test_easing_starts_and_ends_at_rest_and_never_turns_back(a: float, b: float) -> None:
    assert smooth(0) == 0
    assert smooth(1) == 1
    assert smooth(min(a, b)) <= smooth(max(a, b))
    assert smooth(0.01) < 1e-4


def test_zoom_is_even_to_the_eye() -> None:
    """Each step of a zoom scales by the same factor, and the middle of the way is not halfway in width."""
    wide, close = View(0, 0, 1600, 900), View(600, 300, 400, 225)
    widths = [at(wide, close, i / 4).w for i in range(5)]
    assert [b / a for a, b in pairwise(widths)] == pytest.approx([widths[1] / widths[0]] * 4)
    assert at(wide, close, 0) == pytest.approx(wide)
    assert at(wide, close, 1) == pytest.approx(close)
