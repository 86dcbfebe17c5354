"""Subtitles in the picture: at the right time, away from the spoken balloon, on a machine that has no fonts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pysubs2
import pytest

from comic_narrator import ffmpeg
from comic_narrator.film import Encoding, SceneClip, burnt_text, encode_scene
from comic_narrator.film.subtitles import Cue
from comic_narrator.model import Box, Clip, Scene, Shot, View

SIZE, FPS = (640, 360), 30
BEAT = "0002.01.1"
WHOLE = View(0, 0, 1600, 900)


def scene(frames: int = 60, to_view: View = WHOLE) -> Scene:
    shot = Shot(first_frame=0, end_frame=frames, from_view=WHOLE, to_view=to_view, ease="smooth")
    clip = Clip(beat=BEAT, file="x.flac", start=0.5, end=1.5, gain_db=0)
    return Scene(page="0002", frames=frames, clips=(clip,), shots=(shot,))


def drawn(cues: list[Cue], balloon: Box | None, shown: Scene | None = None) -> pysubs2.SSAFile:
    text = burnt_text(cues, shown or scene(), 300, {BEAT: balloon} if balloon else {}, SIZE, FPS)
    return pysubs2.SSAFile.from_string(text)


def cue(*lines: str, start: float = 10.5, end: float = 11.5) -> Cue:
    return Cue(start, end, lines, BEAT)


@pytest.mark.parametrize(
    ("balloon", "at_top"),
    [
        (Box(100, 20, 400, 150), False),
        (Box(100, 750, 400, 120), True),
        (Box(100, 400, 400, 100), False),
        (None, False),
    ],
    ids=["above", "below", "amid", "nowhere"],
)
def test_a_cue_stands_where_it_does_not_hide_what_is_spoken(balloon: Box | None, at_top: bool) -> None:
    (event,) = drawn([cue("Hello.")], balloon).events
    assert ("\\an8" in event.text) is at_top


def test_it_goes_by_what_the_camera_shows_then() -> None:
    """A balloon in the middle of the page is at the bottom of a view that ends just below it."""
    low = View(200, 150, 640, 360)
    (event,) = drawn([cue("Hello.", start=11.4, end=12.0)], Box(300, 440, 300, 60), scene(to_view=low)).events
    assert "\\an8" in event.text


def test_times_are_the_scenes_own_and_end_with_it() -> None:
    (event,) = drawn([cue("Hello.", end=20.0)], None).events
    assert (event.start, event.end) == (500, 2000)
    assert burnt_text([Cue(1, 2, ("Other.",), "0001.01.1")], scene(), 300, {}, SIZE, FPS) == ""


def test_what_would_be_a_command_is_drawn_as_it_stands(tmp_path: Path) -> None:
    (event,) = drawn([cue(r"{\pos(1,1)} C:\new")], None).events
    assert "{" not in event.text
    assert "\\p" not in event.text.replace("\\\u2060", "")


def picture(folder: Path, *lines: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """The frame in the midst of a cue over a black page, its brightness, and the letters that no font has."""
    text = burnt_text([cue(*lines)], scene(), 300, {}, SIZE, FPS)
    clip = SceneClip(np.zeros((900, 1600, 3), np.uint8), scene(), SIZE, FPS, "black")
    film = folder / "it's a: film, [1].mp4"
    unseen = encode_scene(clip, 60, Encoding(20, "ultrafast"), film, text)
    raw = folder / "frames.grey"
    ffmpeg.run(["-i", str(film), "-f", "rawvideo", "-pix_fmt", "gray", str(raw)])
    return np.fromfile(raw, np.uint8).reshape(-1, SIZE[1], SIZE[0]), unseen


def test_it_is_drawn_without_any_font_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FONTCONFIG_FILE", str(tmp_path / "none.conf"))
    frames, unseen = picture(tmp_path, "Mehr Licht! Žluťoučký", "Ξεσκεπάζω, съешь ещё…")
    assert unseen == ()
    assert frames[5].max() < 30
    inked = np.argwhere(frames[30] > 150)
    assert len(inked) > 1000
    assert inked[:, 0].min() > SIZE[1] * 0.75
    # Two lines in the middle of the frame.
    assert abs(inked[:, 1].min() + inked[:, 1].max() - SIZE[0]) < 12


def test_letters_that_no_font_has_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FONTCONFIG_FILE", str(tmp_path / "none.conf"))
    _, unseen = picture(tmp_path, "ሀለ and words")
    assert set(unseen) == {"ሀ", "ለ"}


@pytest.mark.parametrize(
    "words", ["これは灯台です。", "여기는 등대", "这是灯塔", "這是燈塔"], ids=["ja", "ko", "zh-Hans", "zh-Hant"]
)
def test_the_scripts_of_east_asia_need_no_font_installed(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FONTCONFIG_FILE", str(tmp_path / "none.conf"))
    frames, unseen = picture(tmp_path, f"{words} Nell")
    assert unseen == ()
    assert np.count_nonzero(frames[30] > 150) > 400
