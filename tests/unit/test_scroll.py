"""Strips: no cut, no jump, and whoever speaks is in the middle third of the frame."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comic_narrator.film.frames import SceneClip, end_of_strip, view_at
from comic_narrator.film.scroll import SPEED, frame_height
from comic_narrator.film.timeline import Take, time_scene
from comic_narrator.model import Beat, Box, Line, PageReading, Panel, Scene, View

SHAPE = 16 / 9
WIDTH = 800
FRAME = frame_height(WIDTH, SHAPE)


def strip(*tops: int, number: str = "0001", height: int = 1300) -> PageReading:
    """A page of a strip with a balloon at each of these heights."""
    lines = tuple(
        Line(id=f"{number}.01.{i}", panel=f"{number}.01", kind="dialogue", text="Hi", balloon=box, confidence=1)
        for i, top in enumerate(tops, 1)
        if (box := Box(200, top, 300, 90))
    )
    panels = (Panel(id=f"{number}.01", bbox=Box(0, 0, WIDTH, height)),)
    return PageReading.model_validate(
        {"page": number, "image": "p.png", "width": WIDTH, "height": height, "direction": "vertical", "language": "en"}
        | {"panels": panels, "lines": lines}
    )


def scrolled(reading: PageReading, seconds: list[float], *, follows: bool = False, goes_on: bool = False) -> Scene:
    page = reading.page
    spoken = [
        Beat(id=line.id, page=page, panel=line.panel, kind="speech", text="x", voice="v", pause_after=0.3)
        for line in reading.lines
    ]
    beats = spoken or [Beat(id=f"{page}.01.0", page=page, panel=f"{page}.01", kind="pause", pause_after=2.0)]
    takes = {beat.id: Take("x.flac", length) for beat, length in zip(spoken, seconds, strict=True)}
    shape = SHAPE
    return time_scene(reading, beats, takes, fps=30, shape=shape, establishing=2.0, follows=follows, goes_on=goes_on)


def views_of(scene: Scene) -> list[View]:
    return [view_at(shot, frame) for shot in scene.shots for frame in range(shot.first_frame, shot.end_frame)]


places = st.lists(st.integers(0, 1200), max_size=5).map(sorted)


@given(places, st.data(), st.booleans(), st.booleans())
def test_a_spoken_balloon_is_in_the_middle_third(
    tops: list[int], data: st.DataObject, before: bool, after: bool
) -> None:
    seconds = data.draw(st.lists(st.floats(0.05, 8), min_size=len(tops), max_size=len(tops)))
    reading = strip(*tops)
    scene = scrolled(reading, seconds, follows=before, goes_on=after)
    views, balloons = views_of(scene), {line.id: line.balloon for line in reading.lines}
    assert len(scene.clips) == len(tops)
    for clip in scene.clips:
        box = balloons[clip.beat]
        assert box is not None
        for frame in range(round(clip.start * 30), round(clip.end * 30)):
            off = box.center[1] - (views[frame].y + views[frame].h / 2)
            assert abs(off) <= FRAME / 6 + 1.5, (clip.beat, frame)


@given(places, st.booleans(), st.booleans())
def test_it_never_jumps_and_goes_by_no_faster_than_can_be_read(tops: list[int], before: bool, after: bool) -> None:
    scene = scrolled(strip(*tops), [1.5] * len(tops), follows=before, goes_on=after)
    assert all(a.to_view == b.from_view for a, b in pairwise(scene.shots))
    steps = [abs(b.y - a.y) for a, b in pairwise(views_of(scene))]
    # A smooth move is at most 15/8 as fast as its mean; moves shorter than a frame are the exception.
    assert max(steps, default=0) <= SPEED * FRAME / 30 * 15 / 8 * 1.25 + 2


def test_a_page_takes_up_where_the_one_before_it_ended() -> None:
    first = scrolled(strip(200, 900), [1.0, 1.0], goes_on=True)
    second = scrolled(strip(300, number="0002"), [1.0], follows=True)
    end, begin = first.shots[-1].to_view, second.shots[0].from_view
    assert (begin.x, begin.w, begin.h) == (end.x, end.w, end.h)
    assert begin.y + 1300 == pytest.approx(end.y)


def test_the_frame_keeps_to_the_strip_at_its_ends() -> None:
    views = views_of(scrolled(strip(500), [1.0]))
    assert views[0].y == pytest.approx(0)
    assert views[-1].y + views[-1].h == pytest.approx(1300)


def test_a_page_without_words_goes_by_to_its_end() -> None:
    views = views_of(scrolled(strip(), []))
    assert views[-1].y + views[-1].h == pytest.approx(1300)
    assert all(b.y >= a.y for a, b in pairwise(views))


def test_pages_that_follow_each_other_are_one_picture() -> None:
    """The last frame of a page and the first of the next are the same, and show both."""
    rng = np.random.default_rng(3)
    soft = np.repeat(np.repeat(rng.integers(0, 255, (65, 20, 3), np.uint8), 40, 0), 40, 1)
    first, second = soft[:1300], soft[1300:]
    size, reach = (320, 180), round(FRAME / 2)
    above = SceneClip(
        first,
        scrolled(strip(200), [1.0], goes_on=True),
        size,
        30,
        "black",
        below=end_of_strip(second, WIDTH, reach, last=False),
    )
    below = SceneClip(
        second,
        scrolled(strip(300), [1.0], follows=True),
        size,
        30,
        "black",
        above=end_of_strip(first, WIDTH, reach, last=True),
    )
    last = above.get_frame(above.duration - 1 / 30).astype(int)
    opening = below.get_frame(0).astype(int)
    assert np.abs(last - opening).mean() < 3
    assert last[40:60, 100:200].std() > 10
    assert last[120:140, 100:200].std() > 10


def test_a_page_of_another_width_is_made_as_wide() -> None:
    part = end_of_strip(np.zeros((500, 400, 3), np.uint8), 800, 300, last=True)
    assert part.shape == (300, 800, 3)
