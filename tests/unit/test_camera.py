"""The camera keeps what it is asked to show inside the frame, at every moment of a shot."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comic_narrator.film.camera import at, close_up, framed, is_long, push_in, smooth
from comic_narrator.model import Box, View

boxes = st.builds(Box, st.integers(0, 3000), st.integers(0, 40_000), st.integers(10, 3000), st.integers(10, 6000))
shapes = st.sampled_from([16 / 9, 9 / 16, 1.0, 4 / 5])
moments = st.floats(0, 1)


def holds(view: View, box: Box) -> bool:
    slack = 1e-6 * max(view.w, view.h)
    return (
        view.x <= box.x + slack
        and view.y <= box.y + slack
        and view.x + view.w >= box.right - slack
        and view.y + view.h >= box.bottom - slack
    )


@given(boxes, shapes)
def test_a_framed_box_is_whole_in_a_view_of_the_films_shape(box: Box, shape: float) -> None:
    view = framed(box, shape)
    assert holds(view, box)
    assert view.w / view.h == pytest.approx(shape)


@given(boxes, shapes, moments)
def test_a_push_keeps_the_box_whole_all_the_way(box: Box, shape: float, progress: float) -> None:
    assert holds(at(*push_in(box, shape), progress), box)


@given(boxes, shapes)
def test_a_push_ends_closer_than_it_begins(box: Box, shape: float) -> None:
    first, last = push_in(box, shape)
    assert last.w < first.w


@given(
    st.integers(100, 800),
    st.integers(5000, 40_000),
    st.floats(0, 1),
    st.integers(50, 700),
    st.integers(50, 900),
    shapes,
)
def test_a_close_up_holds_its_balloon_and_is_no_wider_than_needed(
    width: int, height: int, place: float, balloon_w: int, balloon_h: int, shape: float
) -> None:
    panel = Box(0, 0, width, height)
    balloon = Box(0, round(place * (height - balloon_h)), min(balloon_w, width), balloon_h)
    view = close_up(panel, balloon, shape)
    assert holds(view, balloon)
    assert view.w <= max(width, balloon.w, balloon.h * shape) * 1.06


def test_only_extreme_panels_are_long() -> None:
    assert not is_long(Box(0, 0, 200, 1000), 16 / 9)
    assert not is_long(Box(0, 0, 2000, 500), 16 / 9)
    assert is_long(Box(0, 0, 400, 2600), 16 / 9)
    assert is_long(Box(0, 0, 8000, 400), 16 / 9)


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
