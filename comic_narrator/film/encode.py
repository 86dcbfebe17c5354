"""Encoding: scenes to H.264."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from comic_narrator import ffmpeg
from comic_narrator.film.frames import SceneClip

BT709 = "setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv"
"""Says in the stream what the frames are: HD players assume it, and some take untagged pictures for BT.601."""


@dataclass(frozen=True)
class Encoding:
    """How pictures are coded: x264 quality and effort."""

    crf: int
    preset: str


def encode_scene(clip: SceneClip, frames: int, encoding: Encoding, out: Path) -> None:
    """Write `frames` frames of a scene as a video-only MP4, yuv420p, tagged as the BT.709 that they are."""
    width, height = clip.size
    ffmpeg.feed(
        [
            *("-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", f"{width}x{height}", "-r", str(clip.fps), "-i", "-"),
            *("-vf", BT709),
            *("-c:v", "libx264", "-preset", encoding.preset, "-crf", str(encoding.crf), "-g", str(clip.fps * 4)),
            *("-video_track_timescale", str(timescale(clip.fps)), "-f", "mp4", str(out)),
        ],
        clip.planar_frames(frames),
    )


def timescale(fps: int) -> int:
    """Ticks a second of a film's video track."""
    # A thousand ticks a frame at every rate: durations in the join stay exact.
    return fps * 1000
