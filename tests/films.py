"""Small finished films of any format, and what PyAV, and ffprobe where there is one, find in them."""

from __future__ import annotations

import json
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import soundfile
from PIL import Image

from comic_narrator.cli.framing import frame_size
from comic_narrator.film import About, Encoding, Mark, SceneClip, Track, encode_scene, join_scenes
from comic_narrator.model import SAMPLE_RATE, Scene, Shot, View

LENGTHS = (7, 4)
"""Frames of the two scenes."""
TITLE, SERIES = "L'été à 灯台; #1 = \\ok", "It's a series"


def film_of(shape: str, side: int, fps: int, folder: Path) -> Path:
    """A film of two scenes in that format, with everything that a film has."""
    width, height = size = frame_size(f"{shape}@{side}")
    page = np.kron(np.arange(48, dtype=np.uint8).reshape(6, 8) * 5, np.ones((40, 40), np.uint8))
    coloured = np.stack([page, 255 - page, page // 2], axis=2)
    scenes = []
    for number, frames in enumerate(LENGTHS, 1):
        name = f"{number:04}"
        whole = View(0, 0, 240 * width / height, 240)
        shot = Shot(
            first_frame=0,
            end_frame=frames,
            from_view=whole,
            to_view=View(20, 20, 200 * width / height, 200),
            ease="smooth",
        )
        scene = Scene(page=name, frames=frames, clips=(), shots=(shot,))
        file = folder / f"scene {number}, it's.mp4"
        encode_scene(SceneClip(coloured, scene, size, fps, "blur"), frames, Encoding(26, "veryfast"), file)
        scenes.append((file, frames))
    seconds = sum(LENGTHS) / fps
    soundfile.write(folder / "sound.wav", np.zeros((round(seconds * SAMPLE_RATE), 2), np.float32), SAMPLE_RATE)
    (folder / "s.srt").write_text("1\n00:00:00,000 --> 00:00:00,100\nUn été\n\n", encoding="utf-8")
    Image.fromarray(coloured).save(folder / "cover.png")
    about = About(
        TITLE, "fr-CA", SERIES, "7", (Mark("Page 1", 0), Mark("Page 2", LENGTHS[0])), cover=folder / "cover.png"
    )
    out = folder / f"it's {shape.replace(':', 'x')} ünï.mp4"
    join_scenes(scenes, folder / "sound.wav", [Track(folder / "s.srt", "fr", "Printed")], about, fps, out)
    return out


def check_film(film: Path, shape: str, side: int, fps: int) -> None:
    """Asserts that a film is what docs/film.md says of the file."""
    _check_order(film)
    with av.open(str(film)) as opened:
        video, cover = opened.streams.video
        context = video.codec_context
        assert (context.name, context.profile, context.pix_fmt) == ("h264", "High", "yuv420p")
        assert (context.width, context.height) == frame_size(f"{shape}@{side}")
        assert (context.color_primaries, context.color_trc, context.colorspace, context.color_range) == (1, 1, 1, 1)
        assert video.average_rate == fps
        assert cover.codec_context.name == "png"
        assert (opened.metadata["title"], opened.metadata["show"]) == (TITLE, SERIES)
        assert [chapter["metadata"]["title"] for chapter in opened.chapters()] == ["Page 1", "Page 2"]
        starts = [chapter["start"] * (chapter["time_base"] or 1) for chapter in opened.chapters()]
        assert [round(start * fps, 1) for start in starts] == [0, LENGTHS[0]]
        (sound,) = opened.streams.audio
        assert (sound.codec_context.name, sound.rate, sound.codec_context.layout.name) == ("aac", SAMPLE_RATE, "stereo")
        assert sound.language == "fra"
        # The text track of chapters, which QuickTime wants, is no subtitle to PyAV.
        told = [(stream.codec_context.name, stream.language) for stream in opened.streams.subtitles]
        assert told == [("mov_text", "fra")]
        assert video.time_base
        shown = [(frame.pts or 0) * video.time_base for frame in opened.decode(video)]
    assert shown == [Fraction(i, fps) for i in range(sum(LENGTHS))]
    _check_with_ffprobe(film, fps)


def _check_order(film: Path) -> None:
    """The index comes before the pictures: players begin before they have all of the file."""
    data = film.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")


def _check_with_ffprobe(film: Path, fps: int) -> None:
    ffprobe = shutil.which("ffprobe")
    if ffprobe is None:
        return
    asked = [ffprobe, "-v", "error", "-count_packets", "-show_streams", "-of", "json", str(film)]
    streams = json.loads(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)["streams"]
    video = streams[0]
    assert (video["codec_name"], video["profile"], video["pix_fmt"]) == ("h264", "High", "yuv420p")
    assert (video["r_frame_rate"], video["nb_read_packets"]) == (f"{fps}/1", str(sum(LENGTHS)))
