"""Transitions: what goes and what comes move against the direction of reading, and nothing between them is black."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from comic_narrator.film.frames import SceneClip, beginning, first_frame
from comic_narrator.film.planes import Canvas, canvas_of
from comic_narrator.film.timeline import Take, time_scene
from comic_narrator.film.transitions import SLIDE, TURN, slide, turn
from comic_narrator.model import Beat, Box, PageReading, Panel, Scene, Shot

SIZE = (320, 180)


def field(grey: int, size: tuple[int, int] = SIZE) -> Canvas:
    return canvas_of(np.full((size[1], size[0], 3), grey, np.uint8))


def given_way(how: Callable[..., None], along: float, *, leftwards: bool) -> np.ndarray:
    """The green of a frame in which light (200) gives way to dark (60)."""
    out = Canvas(SIZE)
    how(field(200), field(60), along, leftwards=leftwards, out=out)
    return out.to_rgb()[..., 1].astype(int)


@pytest.mark.parametrize("leftwards", [True, False])
def test_halfway_through_a_slide_half_of_each_is_seen(leftwards: bool) -> None:
    frame = given_way(slide, 0.5, leftwards=leftwards)
    left, right = frame[:, 20].mean(), frame[:, -20].mean()
    assert (left > right) == leftwards
    assert np.count_nonzero(frame > 130) / frame.size == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("how", [slide, turn])
@pytest.mark.parametrize("leftwards", [True, False])
def test_it_begins_with_what_was_and_ends_with_what_is(how: Callable[..., None], leftwards: bool) -> None:
    assert np.median(given_way(how, 0.02, leftwards=leftwards)) == pytest.approx(200, abs=4)
    assert np.median(given_way(how, 0.98, leftwards=leftwards)) == pytest.approx(60, abs=4)
    light = [(given_way(how, i / 12, leftwards=leftwards) > 130).mean() for i in range(13)]
    assert light == sorted(light, reverse=True)


@pytest.mark.parametrize("leftwards", [True, False])
def test_a_leaf_is_bound_at_the_side_it_turns_to_and_casts_a_shadow(leftwards: bool) -> None:
    frame = given_way(turn, 0.5, leftwards=leftwards)[90]
    frame = frame if leftwards else frame[::-1]
    assert frame[10] > 130
    edge = int(np.flatnonzero(frame > 130)[-1])
    assert 120 < edge < 200
    assert frame[edge + 3] < frame[-1] - 10
    assert frame[-1] == pytest.approx(60, abs=2)


def page(number: int, grey: int) -> tuple[np.ndarray, PageReading]:
    name = f"{number:04}"
    panels = (Panel(id=f"{name}.01", bbox=Box(40, 40, 500, 300)), Panel(id=f"{name}.02", bbox=Box(40, 380, 500, 300)))
    reading = PageReading.model_validate(
        {"page": name, "image": "x", "width": 580, "height": 720, "direction": "ltr", "language": "en"}
        | {"panels": panels}
    )
    return np.full((720, 580, 3), grey, np.uint8), reading


def laid(reading: PageReading, *, moving: bool = True, pause: float = 0.35) -> Scene:
    beats = [
        Beat(
            id=f"{panel.id}.1", page=reading.page, panel=panel.id, kind="speech", text="x", voice="v", pause_after=pause
        )
        for panel in reading.panels
    ]
    takes = {beat.id: Take("x", 1.0) for beat in beats}
    return time_scene(
        reading, beats, takes, fps=30, shape=16 / 9, establishing=2.0, follows=True, goes_on=True, moving=moving
    )


def test_panels_slide_pages_are_turned_and_speech_is_never_hidden() -> None:
    _, reading = page(2, 100)
    shown = laid(reading)
    assert [shot.enter for shot in shown.shots] == ["cut", "slide", "slide"]
    assert shown.leave == "turn"
    assert laid(reading, pause=0).leave == "slide"
    still = laid(reading, moving=False)
    assert still.leave == "cut"
    assert all(shot.enter == "cut" for shot in still.shots)
    for scene in (shown, laid(reading, pause=0)):
        ends = scene.frames / 30 - {"cut": 0.0, "slide": SLIDE, "turn": TURN}[scene.leave]
        assert max(clip.end for clip in scene.clips) <= ends + 1e-6
        for shot in scene.shots:
            begun = [clip.start for clip in scene.clips if clip.start * 30 >= shot.first_frame]
            assert shot.enter == "cut" or not begun or shot.first_frame / 30 + SLIDE <= begun[0] + 0.001


def test_the_last_page_just_ends() -> None:
    _, reading = page(2, 100)
    beats = [Beat(id="0002.01.0", page="0002", panel="0002.01", kind="pause", pause_after=2.0)]
    assert time_scene(reading, beats, {}, fps=30, shape=16 / 9, establishing=2.0).leave == "cut"


def test_a_scene_gives_way_to_the_first_frame_of_the_next_one() -> None:
    dark, reading = page(1, 60)
    light, following = page(2, 220)
    scene = laid(reading)
    first: Shot = laid(following).shots[0]
    clip = SceneClip(dark, scene, SIZE, 30, "black", after=first_frame(light, first, SIZE, "black"))
    earlier, last = (clip.get_frame(t)[..., 1].astype(int) for t in (1.0, (scene.frames - 1) / 30))
    opening = SceneClip(light, laid(following), SIZE, 30, "black").get_frame(0)[..., 1].astype(int)
    assert earlier[90, 160] == pytest.approx(60, abs=4)
    assert np.abs(last - opening).mean() < 12
    alone = SceneClip(dark, scene, SIZE, 30, "black").get_frame((scene.frames - 1) / 30)
    assert int(alone[90, 160, 1]) == pytest.approx(60, abs=4)


def test_a_line_that_takes_longer_changes_nothing_of_how_its_page_begins() -> None:
    """So a line that is spoken anew costs one scene: the one before it is not filmed again."""
    _, reading = page(2, 100)
    first, slower = laid(reading).shots[0], laid(reading, pause=3).shots[0]
    assert beginning(first) == beginning(slower)
