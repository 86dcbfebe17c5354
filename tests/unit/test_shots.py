"""Shots: the spoken balloon is whole in the frame, letters can be read, and the camera neither jumps nor turns back."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comic_narrator.film.camera import framed, holds
from comic_narrator.film.frames import view_at
from comic_narrator.film.shots import CLOSEST, LETTERS, look_at, said, tell_lines
from comic_narrator.film.timeline import Take, time_scene
from comic_narrator.model import Beat, Box, Figure, Line, Note, PageReading, Panel, Scene, SeenSound, View

SHAPE = 16 / 9
PANEL = Box(100, 200, 1600, 1000)
WORDS = "Nobody told me"


def balloon(number: int, box: Box, **more: object) -> Line:
    """A line whose lettering fills half of its balloon."""
    within = Box(box.x + box.w // 8, box.y + box.h // 8, box.w * 3 // 4, box.h * 3 // 4)
    return Line.model_validate(
        {"id": f"0001.01.{number}", "panel": "0001.01", "kind": "dialogue", "text": WORDS, "bbox": within}
        | {"balloon": box, "confidence": 1}
        | more
    )


def page(*lines: Line, panel: Box = PANEL, direction: str = "ltr", **more: object) -> PageReading:
    return PageReading.model_validate(
        {"page": "0001", "image": "p.png", "width": 2000, "height": 9000, "direction": direction, "language": "en"}
        | {"panels": (Panel(id="0001.01", bbox=panel),), "lines": lines}
        | more
    )


def filmed(reading: PageReading, seconds: list[float], pause: float = 0.3) -> Scene:
    """The reading's lines spoken one after another, so many seconds each."""
    beats = [
        Beat(id=line.id, page="0001", panel="0001.01", kind="speech", text="x", voice="v", pause_after=pause)
        for line in reading.lines
    ]
    takes = {beat.id: Take(f"{beat.id}.flac", length) for beat, length in zip(beats, seconds, strict=True)}
    return time_scene(reading, beats, takes, fps=30, shape=SHAPE, establishing=0)


def views_of(scene: Scene) -> list[View]:
    """What the camera shows in each frame."""
    return [view_at(shot, frame) for shot in scene.shots for frame in range(shot.first_frame, shot.end_frame)]


places = st.builds(Box, st.integers(60, 1300), st.integers(150, 1100), st.integers(60, 700), st.integers(40, 400))
tall = st.builds(Box, st.integers(110, 500), st.integers(200, 8000), st.integers(60, 300), st.integers(40, 400))
lengths = st.floats(0.05, 9)


@given(st.lists(st.tuples(places, lengths), min_size=1, max_size=5), st.floats(0, 2))
def test_a_spoken_balloon_is_whole_in_the_frame_while_it_is_spoken(
    lines: list[tuple[Box, float]], pause: float
) -> None:
    _check_balloons(page(*(balloon(i, box) for i, (box, _) in enumerate(lines, 1))), [s for _, s in lines], pause)


@given(st.lists(st.tuples(tall, lengths), min_size=1, max_size=5), st.floats(0, 2))
def test_so_it_is_in_a_panel_that_is_travelled(lines: list[tuple[Box, float]], pause: float) -> None:
    tower = Box(100, 200, 900, 8500)
    reading = page(*(balloon(i, box) for i, (box, _) in enumerate(lines, 1)), panel=tower)
    _check_balloons(reading, [seconds for _, seconds in lines], pause)


def _check_balloons(reading: PageReading, seconds: list[float], pause: float) -> None:
    scene = filmed(reading, seconds, pause)
    views = views_of(scene)
    boxes = {line.id: line.balloon for line in reading.lines}
    for clip in scene.clips:
        box = boxes[clip.beat]
        assert box is not None
        for frame in range(round(clip.start * 30), max(round(clip.end * 30), round(clip.start * 30) + 1)):
            assert holds(views[frame], box), (clip.beat, frame, views[frame])


@given(st.lists(st.tuples(places, lengths), min_size=1, max_size=5))
def test_within_a_panel_the_camera_never_jumps(lines: list[tuple[Box, float]]) -> None:
    scene = filmed(page(*(balloon(i, box) for i, (box, _) in enumerate(lines, 1))), [s for _, s in lines])
    assert all(a.to_view == b.from_view for a, b in pairwise(scene.shots))
    assert all(a.end_frame == b.first_frame for a, b in pairwise(scene.shots))
    assert all(shot.end_frame > shot.first_frame for shot in scene.shots)


def test_a_panel_is_seen_whole_first_and_nearer_where_the_speaker_is() -> None:
    left = balloon(1, Box(200, 250, 300, 160), tail=(420, 700))
    scene = filmed(page(left), [6.0])
    first, last = views_of(scene)[0], views_of(scene)[-1]
    assert holds(first, PANEL)
    assert CLOSEST * first.w <= last.w < 0.9 * first.w
    assert last.x + last.w / 2 < first.x + first.w / 2
    assert holds(last, Box(410, 690, 20, 20))


def test_the_next_balloon_is_in_the_frame_before_it_is_spoken() -> None:
    lines = balloon(1, Box(200, 250, 300, 160)), balloon(2, Box(1300, 900, 300, 160))
    scene = filmed(page(*lines), [3.0, 3.0])
    turn = views_of(scene)[round(scene.clips[1].start * 30)]
    assert holds(turn, Box(200, 250, 300, 160))
    assert holds(turn, Box(1300, 900, 300, 160))


def test_a_speaker_who_is_drawn_is_not_cut() -> None:
    figure = Figure(label="Ann", panel="0001.01", bbox=Box(150, 500, 350, 600), looks="a girl")
    reading = page(balloon(1, Box(200, 250, 300, 160), speaker="Ann"), figures=(figure,))
    assert holds(views_of(filmed(reading, [9.0]))[-1], Box(150, 500, 350, 600))


def test_small_letters_are_travelled_so_that_they_can_be_read() -> None:
    tower = Box(100, 200, 900, 8500)
    lines = [balloon(i, Box(150, 300 + 2000 * i, 260, 150)) for i in range(4)]
    reading = page(*lines, panel=tower)
    heard = [said(reading, line, tower, 2.0) for line in lines]
    for told, line in zip(tell_lines(tower, heard, SHAPE), heard, strict=True):
        assert line.letters / told.from_view.h >= LETTERS * 0.99
    views = views_of(filmed(reading, [2.0] * 4))[30:]
    assert all(b.y >= a.y - 1e-6 for a, b in pairwise(views)), "it goes down as the panel is read"


@pytest.mark.parametrize("pacing", ["still", "slow", "steady", "fast"])
def test_a_wordless_panel_is_taken_by_its_pacing(pacing: str) -> None:
    detail = Figure(label="a key", panel="0001.01", bbox=Box(1400, 900, 120, 80), looks="a key")
    notes = (Note(panel="0001.01", pacing=pacing),)
    moves = look_at(page(notes=notes, figures=(detail,)), Panel(id="0001.01", bbox=PANEL), 4.0, SHAPE)
    first, last = moves[0].from_view, moves[-1].to_view
    assert holds(first, PANEL)
    nearer = {"still": (1.0, 1.0), "slow": (0.6, 0.8), "steady": (0.9, 0.99), "fast": (0.85, 0.95)}[pacing]
    assert nearer[0] <= last.w / first.w <= nearer[1]
    assert (moves[-1].ease == "shake") == (pacing == "fast")
    assert (last.x > first.x + first.w * 0.15) == (pacing == "slow"), "a reveal ends on its detail"


def test_something_loud_that_is_drawn_shakes_the_frame_and_speech_does_not() -> None:
    bang = SeenSound(panel="0001.01", what="a door slams", kind="momentary")
    moves = look_at(page(sounds=(bang,)), Panel(id="0001.01", bbox=PANEL), 3.0, SHAPE)
    assert [move.ease for move in moves] == ["abrupt", "shake"]
    talked = filmed(page(balloon(1, Box(200, 250, 300, 160)), sounds=(bang,)), [2.0])
    assert all(shot.ease != "shake" for shot in talked.shots)


@pytest.mark.parametrize(("direction", "sign"), [("ltr", 1), ("rtl", -1)])
def test_a_long_panel_is_travelled_as_it_is_read(direction: str, sign: int) -> None:
    flat = Box(0, 500, 2000, 200)
    (move,) = look_at(page(panel=flat, direction=direction), Panel(id="0001.01", bbox=flat), 4.0, SHAPE)
    assert sign * (move.to_view.x - move.from_view.x) > 500
    assert move.from_view.h == pytest.approx(200)


def test_an_ordinary_wordless_panel_only_drifts() -> None:
    (move,) = look_at(page(), Panel(id="0001.01", bbox=PANEL), 3.0, SHAPE)
    assert move.from_view == framed(PANEL, SHAPE)
    assert 0.9 < move.to_view.w / move.from_view.w < 1
