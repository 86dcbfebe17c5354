"""Scenes as moviepy clips, written by our writer or by moviepy's own, and what ffmpeg finds in the files."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import soundfile
from moviepy import ColorClip, CompositeVideoClip
from moviepy.video.io.ffmpeg_writer import FFMPEG_VideoWriter

from comic_narrator import ffmpeg
from comic_narrator.errors import FilmError
from comic_narrator.film import About, Encoding, PlanarWriter, SceneClip, count_frames, encode_scene, join_scenes
from comic_narrator.model import Scene, Shot, View

SIZE, FPS, FRAMES = (160, 90), 30, 7
RED = (220, 30, 40)
QUICK = Encoding(20, "ultrafast")


def scene_clip() -> SceneClip:
    """A red page that the camera pushes in on."""
    page = np.full((450, 800, 3), RED, np.uint8)
    shot = Shot(
        first_frame=0,
        end_frame=FRAMES,
        from_view=View(0, 0, 800, 450),
        to_view=View(200, 112.5, 400, 225),
        ease="smooth",
    )
    return SceneClip(page, Scene(page="0001", frames=FRAMES, clips=(), shots=(shot,)), SIZE, FPS, "black")


def decoded(film: Path) -> np.ndarray:
    """All frames as a player that goes by the file's tags shows them, shape (frames, height, width, 3)."""
    raw = film.with_suffix(".rgb")
    ffmpeg.run(["-i", str(film), "-f", "rawvideo", "-pix_fmt", "rgb24", str(raw)])
    return np.fromfile(raw, np.uint8).reshape(-1, SIZE[1], SIZE[0], 3)


def test_a_scene_is_written_frame_by_frame_as_bt709(tmp_path: Path) -> None:
    film = tmp_path / "scene.mp4"
    encode_scene(scene_clip(), FRAMES, QUICK, film)
    assert count_frames(film) == FRAMES
    told = ffmpeg.run(["-i", str(film), "-c", "copy", "-f", "null", "-"])
    assert re.search(r"h264 .*yuv420p\(tv, bt709, progressive\), 160x90", told)
    assert np.abs(decoded(film).astype(int) - RED).max() <= 6


def test_our_writer_is_one_of_moviepys_and_takes_its_frames_too(tmp_path: Path) -> None:
    """Whoever lays layers over a scene can have it written as well as our own films are."""
    film = tmp_path / "layers.mp4"
    layered = CompositeVideoClip([scene_clip(), square()], size=SIZE)
    with PlanarWriter(str(film), SIZE, FPS, QUICK) as writer:
        assert isinstance(writer, FFMPEG_VideoWriter)
        for frame in layered.iter_frames(fps=FPS, dtype="uint8"):
            writer.write_frame(frame)
    assert_layered(decoded(film))


def test_moviepy_itself_composes_a_scene_and_writes_it(tmp_path: Path) -> None:
    film = tmp_path / "composed.mp4"
    layered = CompositeVideoClip([scene_clip(), square()], size=SIZE, bg_color=(0, 0, 0))
    layered.write_videofile(str(film), fps=FPS, preset="ultrafast", audio=False, logger=None, temp_audiofile_path="")
    assert_layered(decoded(film), off=40)


def square() -> ColorClip:
    return ColorClip((40, 30), color=(20, 60, 200), duration=FRAMES / FPS).with_position((10, 20))


def assert_layered(frames: np.ndarray, off: int = 8) -> None:
    assert len(frames) == FRAMES
    # Away from the square's edges, where the codec smears colour.
    assert np.abs(frames[:, 28:42, 18:42].astype(int) - (20, 60, 200)).max() <= off
    assert np.abs(frames[:, 5:-5, 70:-5].astype(int) - RED).max() <= off


def test_where_ffmpeg_fails_its_own_words_are_told(tmp_path: Path) -> None:
    with pytest.raises(FilmError, match=r"No such file or directory|Error opening output"):
        encode_scene(scene_clip(), FRAMES, QUICK, tmp_path / "missing" / "scene.mp4")


def test_a_writer_that_is_left_by_an_error_leaves_no_process(tmp_path: Path) -> None:
    with pytest.raises(KeyError), PlanarWriter(str(tmp_path / "half.mp4"), SIZE, FPS, QUICK) as writer:
        raise KeyError
    assert writer.proc.poll() is not None


def test_a_film_without_chapters_is_joined(tmp_path: Path) -> None:
    scene, sound, film = tmp_path / "scene.mp4", tmp_path / "sound.wav", tmp_path / "film.mp4"
    encode_scene(scene_clip(), FRAMES, QUICK, scene)
    soundfile.write(sound, np.zeros((FRAMES * 1600, 2), np.float32), 48_000)
    join_scenes([(scene, FRAMES)], sound, [], About("A title", "en"), FPS, film)
    assert "Chapter" not in ffmpeg.run(["-i", str(film), "-c", "copy", "-f", "null", "-"])
