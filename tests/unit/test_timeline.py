"""The time line: each panel is on screen while its lines are spoken, and frames add up without drift."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comic_narrator.film.camera import holds
from comic_narrator.film.frames import shot_at, view_at
from comic_narrator.film.shots import drawn_area
from comic_narrator.film.timeline import LEAD_IN, TAIL, Take, time_scene
from comic_narrator.model import Beat, Box, Line, PageReading, Panel, Scene

SHAPE = 16 / 9


def reading(
    *boxes: Box, lines: tuple[Line, ...] = (), direction: str = "ltr", size: tuple[int, int] = (1000, 1500)
) -> PageReading:
    panels = tuple(Panel(id=f"0001.{i:02}", bbox=box) for i, box in enumerate(boxes, 1))
    return PageReading.model_validate(
        {
            "page": "0001",
            "image": "pages/0001/page.png",
            "width": size[0],
            "height": size[1],
            "direction": direction,
            "language": "en",
            "panels": panels,
            "lines": lines,
        }
    )


def line(number: str, balloon: Box) -> Line:
    return Line(id=number, panel=number[:7], kind="dialogue", text="Hi", bbox=balloon, balloon=balloon, confidence=1)


def spoken(number: str, pause: float = 0.3) -> Beat:
    return Beat(
        id=number, page="0001", panel=number[:7], kind="speech", text="Hi", voice="v", pause_after=pause, printed="HI"
    )


def held(number: str, seconds: float = 2.0) -> Beat:
    return Beat(id=number, page="0001", panel=number[:7], kind="pause", pause_after=seconds)


def laid(page: PageReading, beats: list[Beat], lengths: list[float], fps: int = 30) -> Scene:
    takes = {
        beat.id: Take(f"takes/{beat.id}.flac", length)
        for beat, length in zip([b for b in beats if b.kind == "speech"], lengths, strict=True)
    }
    return time_scene(page, beats, takes, fps=fps, shape=SHAPE, establishing=2.0)


TWO = (Box(50, 50, 900, 600), Box(50, 700, 900, 700))


@given(st.lists(st.floats(0.2, 9), min_size=4, max_size=4), st.floats(0, 3), st.sampled_from([24, 25, 30, 60]))
def test_a_panel_is_on_screen_while_its_lines_are_spoken(lengths: list[float], pause: float, fps: int) -> None:
    beats = [
        spoken("0001.01.1", pause),
        spoken("0001.01.2", pause),
        spoken("0001.02.1", pause),
        spoken("0001.02.2", pause),
    ]
    scene = laid(reading(*TWO), beats, lengths, fps)
    for clip in scene.clips:
        shots = [shot for shot in scene.shots if shot.panel == clip.beat[:7]]
        assert shots[0].first_frame / fps <= clip.start
        assert clip.end <= shots[-1].end_frame / fps


@given(st.lists(st.floats(0.2, 9), min_size=2, max_size=2), st.sampled_from([24, 25, 30, 60]))
def test_shots_follow_each_other_without_gap_from_first_to_last_frame(lengths: list[float], fps: int) -> None:
    scene = laid(reading(*TWO), [spoken("0001.01.1"), spoken("0001.02.1")], lengths, fps)
    assert scene.shots[0].first_frame == 0
    assert scene.shots[-1].end_frame == scene.frames
    assert all(a.end_frame == b.first_frame for a, b in zip(scene.shots, scene.shots[1:], strict=False))


def test_rounding_never_adds_up() -> None:
    """Sixty lines of awkward length end within half a frame of where their seconds say."""
    beats = [spoken(f"0001.01.{i}", 0.0) for i in range(1, 61)]
    scene = laid(reading(TWO[0]), beats, [1.0166] * 60)
    assert abs(scene.clips[-1].end - (2.0 + 0.3 + 60 * 1.0166)) < 1e-3
    assert abs(scene.frames / 30 - (2.0 + 0.3 + 60 * 1.0166 + 0.3)) <= 0.5 / 30 + 1e-9


def test_the_page_is_seen_before_its_first_panel_and_a_wordless_panel_gets_its_time() -> None:
    scene = laid(reading(*TWO), [held("0001.01.0", 2.5), spoken("0001.02.1")], [1.0])
    assert scene.shots[0].panel is None
    assert scene.shots[0].end_frame == 60
    silent = scene.shots[1]
    assert silent.panel == "0001.01"
    assert silent.end_frame - silent.first_frame >= 75


def test_a_page_that_is_one_panel_has_no_establishing_shot() -> None:
    assert laid(reading(Box(0, 0, 1000, 1500)), [held("0001.01.0")], []).shots[0].panel == "0001.01"


def test_a_balloon_that_reaches_over_its_panel_is_drawn_whole() -> None:
    balloon = Box(800, 30, 190, 100)
    page = reading(TWO[0], lines=(line("0001.01.1", balloon),))
    area = drawn_area(page, page.panels[0])
    assert area.overlap(balloon) == balloon.area
    assert area.overlap(TWO[0]) == TWO[0].area


@given(st.lists(st.floats(0.05, 40), min_size=1, max_size=60), st.sampled_from([24, 25, 30, 60]), st.floats(0, 2))
def test_no_list_of_durations_makes_frames_drift(lengths: list[float], fps: int, pause: float) -> None:
    """However many lines there are, the scene ends within half a frame of the seconds that it was asked for."""
    beats = [spoken(f"0001.01.{i}", pause) for i in range(len(lengths))]
    scene = laid(reading(Box(0, 0, 1000, 1500), size=(1000, 1500)), beats, lengths, fps)
    asked = LEAD_IN + sum(lengths) + pause * len(lengths) + TAIL
    assert abs(scene.frames / fps - asked) <= 0.5 / fps + 1e-6
    assert scene.frames == scene.shots[-1].end_frame
    for clip, length in zip(scene.clips, lengths, strict=True):
        assert clip.end - clip.start == pytest.approx(length, abs=2e-6)


@pytest.mark.parametrize("seconds", [0.05, 300.0])
@pytest.mark.parametrize("size", [(16, 16), (12_000, 12_000), (12_000, 40)], ids=["tiny", "huge", "flat"])
def test_odd_pages_and_odd_lines_have_shots_that_hold_the_balloon(seconds: float, size: tuple[int, int]) -> None:
    balloon = Box(size[0] // 4, size[1] // 4, max(size[0] // 5, 2), max(size[1] // 5, 2))
    page = reading(Box(0, 0, *size), lines=(line("0001.01.1", balloon),), size=size)
    scene = laid(page, [spoken("0001.01.1")], [seconds])
    clip = scene.clips[0]
    for moment in np.linspace(clip.start, clip.end, 50):
        index = min(round(moment * 30), scene.frames - 1)
        assert holds(view_at(shot_at(scene, index), index), balloon)
