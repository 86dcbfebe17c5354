"""Transitions: what goes and what comes move against the direction of reading, and nothing between them is black."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from comic_narrator.film.frames import SceneClip
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


def laid(reading: PageReading, *, establishing: float, moving: bool = True) -> Scene:
    beats = [
        Beat(id=f"{panel.id}.1", page=reading.page, panel=panel.id, kind="speech", text="x", voice="v")
        for panel in reading.panels
    ]
    takes = {beat.id: Take("x", 1.0) for beat in beats}
    return time_scene(
        reading, beats, takes, fps=30, shape=16 / 9, establishing=establishing, follows=True, moving=moving
    )


def test_pages_are_turned_panels_slide_and_speech_is_never_hidden() -> None:
    _, reading = page(2, 100)
    shown = laid(reading, establishing=2.0)
    assert [shot.enter for shot in shown.shots] == ["turn", "slide", "slide"]
    assert [shot.enter for shot in laid(reading, establishing=0).shots] == ["slide", "slide"]
    assert all(shot.enter == "cut" for shot in laid(reading, establishing=2.0, moving=False).shots)
    lasts = {"cut": 0.0, "slide": SLIDE, "turn": TURN}
    for scene in (shown, laid(reading, establishing=0)):
        for shot in scene.shots:
            begun = [clip.start for clip in scene.clips if clip.start * 30 >= shot.first_frame]
            assert not begun or shot.first_frame / 30 + lasts[shot.enter] <= begun[0] + 0.001


def test_a_scene_takes_over_from_the_last_frame_of_the_one_before() -> None:
    light, _ = page(1, 220)
    dark, reading = page(2, 60)
    scene = laid(reading, establishing=2.0)
    last: Shot = laid(page(1, 220)[1], establishing=2.0).shots[-1]
    clip = SceneClip(dark, scene, SIZE, 30, "black", before=(light, last))
    first, later = (clip.get_frame(t)[..., 1].astype(int) for t in (0, 1.0))
    assert first[90, 160] == pytest.approx(220, abs=4)
    assert later[90, 160] == pytest.approx(60, abs=4)
    alone = SceneClip(dark, scene, SIZE, 30, "black")
    assert int(alone.get_frame(0)[90, 160, 1]) == pytest.approx(60, abs=4)
