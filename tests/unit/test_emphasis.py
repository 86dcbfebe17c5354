"""Emphasis: the light is on what is spoken, never jumps, and whoever comes nearer leaves all lettering as it is."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from comic_narrator.film import SceneClip, Take, time_scene
from comic_narrator.film.emphasis import SHORTEST, Lit, light_at, nearness_at
from comic_narrator.film.frames import shot_at, view_at
from comic_narrator.model import Beat, Box, Figure, Line, PageReading, Panel, Scene

SIZE = (320, 180)
PANEL = Box(50, 50, 900, 500)
BALLOONS = (Box(80, 80, 200, 100), Box(700, 90, 200, 100), Box(380, 400, 220, 100), Box(90, 390, 180, 90))


def spoken_panel(
    seconds: list[float],
    pauses: list[float],
    fps: int = 30,
    direction: str = "ltr",
    mask: tuple[tuple[int, int], ...] | None = None,
    lit: bool = True,
) -> Scene:
    """A panel in which lines are spoken for so long each, with such pauses after them."""
    name, lines, beats = "0001.01", [], []
    for i, (balloon, pause) in enumerate(zip(BALLOONS, pauses, strict=False), 1):
        number = f"{name}.{i}"
        lines.append(Line(id=number, panel=name, kind="dialogue", text="Hi", bbox=balloon, speaker="A", confidence=1))
        beats.append(Beat(id=number, page="0001", panel=name, kind="speech", text="Hi", voice="v", pause_after=pause))
    reading = PageReading(
        page="0001",
        image="x",
        width=1000,
        height=600,
        direction=direction,
        language="en",
        panels=(Panel(id=name, bbox=PANEL),),
        lines=tuple(lines[: len(seconds)]),
        figures=(Figure(label="A", panel=name, looks="", mask=mask),),
    )
    takes = {f"{name}.{i}": Take("x", length) for i, length in enumerate(seconds, 1)}
    return time_scene(
        reading, beats[: len(seconds)], takes, fps=fps, shape=16 / 9, establishing=0, goes_on=False, lit=lit
    )


def light_of(scene: Scene, index: int) -> Lit | None:
    return light_at(scene, shot_at(scene, index), index)


LENGTHS = st.lists(st.floats(0.05, 4), min_size=4, max_size=4)
PAUSES = st.lists(st.floats(-0.5, 3), min_size=4, max_size=4)


@given(LENGTHS, PAUSES, st.sampled_from([24, 25, 30, 60]), st.sampled_from(["ltr", "vertical"]))
def test_the_light_never_jumps(seconds: list[float], pauses: list[float], fps: int, direction: str) -> None:
    scene = spoken_panel(seconds, pauses, fps, direction)
    lights = [light_of(scene, index) for index in range(scene.frames)]
    strengths = [light.strength if light else 0.0 for light in lights]
    assert strengths[0] == 0
    # Nor does it as the film goes on.
    for before, after in pairwise([*strengths, 0.0]):
        assert abs(after - before) <= 0.4 * 30 / fps
    for one, other in pairwise(lights):
        if one and other and min(one.strength, other.strength) > 0.02:
            moved = max(abs(a - b) for a, b in zip(one[:4], other[:4], strict=True))
            assert moved <= 0.4 * 30 / fps * PANEL.w


@given(LENGTHS, st.floats(0.1, 3))
def test_the_light_is_on_the_balloon_in_the_middle_of_its_line(seconds: list[float], pause: float) -> None:
    scene = spoken_panel(seconds, [pause] * 4)
    for clip, balloon in zip(scene.clips, BALLOONS, strict=True):
        if clip.end - clip.start >= 2 * SHORTEST:
            light = light_of(scene, round((clip.start + clip.end) / 2 * 30))
            assert light is not None
            assert light.strength > 0.5
            assert abs((light.left + light.right) / 2 - balloon.center[0]) < 0.3 * PANEL.w


def test_what_is_spoken_keeps_its_colours_and_the_rest_of_its_panel_is_a_little_darker() -> None:
    page = np.full((600, 1000, 3), 200, np.uint8)
    scene, plain = (spoken_panel([2.0, 2.0], [0.3, 0.3], lit=lit) for lit in (True, False))
    assert plain.lights == ()
    index = round((scene.clips[0].start + scene.clips[0].end) / 2 * 30)
    frame, bare = (SceneClip(page, one, SIZE, 30, "black").get_frame(index / 30) for one in (scene, plain))
    view = view_at(shot_at(scene, index), index)

    def at(box: Box) -> tuple[int, int]:
        x, y = box.center
        return int((y - view.y) / view.h * SIZE[1]), int((x - view.x) / view.w * SIZE[0])

    assert frame[at(BALLOONS[0])][0] >= bare[at(BALLOONS[0])][0] - 2
    assert 0.75 * 200 < frame[at(BALLOONS[1])][0] < 0.9 * 200


def test_whoever_has_a_mask_comes_nearer_while_they_speak_and_leaves_lettering_alone() -> None:
    rng = np.random.default_rng(3)
    page = np.kron(rng.integers(0, 255, (60, 100, 3), dtype=np.uint8), np.ones((10, 10, 1), np.uint8))
    scene = spoken_panel([2.0, 2.0, 2.0], [0.3] * 3, mask=((420, 200), (560, 200), (560, 450), (420, 450)), lit=False)
    (cutout,) = scene.cutouts
    index = round((scene.clips[1].start + scene.clips[1].end) / 2 * 30)
    assert nearness_at(cutout, 0) == 0
    assert nearness_at(cutout, index) == 1
    plain = scene.model_copy(update={"cutouts": ()})
    frames = [
        SceneClip(page, one, (1280, 720), 30, "black").get_frame(index / 30).astype(int) for one in (scene, plain)
    ]
    view = view_at(shot_at(scene, index), index)
    off = np.abs(frames[0] - frames[1]).max(axis=2)

    def part(box: Box) -> np.ndarray:
        scale = 1280 / view.w
        left, top = max(int((box.x - view.x) * scale), 0), max(int((box.y - view.y) * scale), 0)
        seen: np.ndarray = off[top : int((box.bottom - view.y) * scale), left : int((box.right - view.x) * scale)]
        return seen

    assert part(Box(430, 200, 120, 150)).max() > 40
    for balloon in BALLOONS[:3]:
        assert part(balloon).max() <= 2
    assert part(Box(50, 300, 300, 200)).max() <= 2


def test_nobody_without_a_mask_moves() -> None:
    assert spoken_panel([2.0], [0.3]).cutouts == ()
