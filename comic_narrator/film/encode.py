"""Encoding: scenes to H.264."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from comic_narrator import ffmpeg
from comic_narrator.film.frames import SceneClip

TO_BT709 = (
    "scale=out_color_matrix=bt709:out_range=tv:flags=bicubic+accurate_rnd,format=yuv420p,"
    "setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv"
)
"""Converts RGB frames to what HD players assume, and says so in the stream."""


@dataclass(frozen=True)
class Encoding:
    """How pictures are coded: x264 quality and effort."""

    crf: int
    preset: str


def encode_scene(clip: SceneClip, frames: int, encoding: Encoding, out: Path) -> None:
    """Write `frames` frames of a scene as a video-only MP4, yuv420p, tagged and converted as BT.709."""
    width, height = clip.size
    ffmpeg.feed(
        [
            *("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", str(clip.fps), "-i", "-"),
            *("-vf", TO_BT709),
            *("-c:v", "libx264", "-preset", encoding.preset, "-crf", str(encoding.crf), "-g", str(clip.fps * 4)),
            *("-video_track_timescale", str(timescale(clip.fps)), "-f", "mp4", str(out)),
        ],
        _frames(clip, frames),
    )


def _frames(clip: SceneClip, frames: int) -> Iterator[memoryview]:
    # Not clip.iter_frames(): it takes int(duration * fps), which loses a frame where that product falls short.
    for index in range(frames):
        yield clip.get_frame(index / clip.fps).data


def timescale(fps: int) -> int:
    """Ticks a second of a film's video track."""
    # A thousand ticks a frame at every rate: durations in the join stay exact.
    return fps * 1000
