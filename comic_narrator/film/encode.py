"""Encoding: scenes to H.264, by x264 or by what the machine's graphics have for it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from comic_narrator import ffmpeg
from comic_narrator.errors import FilmError, MissingToolError
from comic_narrator.film.frames import SceneClip

EncoderName = Literal["x264", "nvenc", "videotoolbox", "qsv"]

CODECS: dict[EncoderName, str] = {
    "x264": "libx264",
    "nvenc": "h264_nvenc",
    "videotoolbox": "h264_videotoolbox",
    "qsv": "h264_qsv",
}

BT709 = "setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv"
"""Says in the stream what the frames are: HD players assume it, and some take untagged pictures for BT.601."""


@dataclass(frozen=True)
class Encoding:
    """How pictures are coded: by which encoder, in what quality (x264's crf), with what effort (x264's presets)."""

    crf: int
    preset: str
    encoder: EncoderName = "x264"


def encode_scene(clip: SceneClip, frames: int, encoding: Encoding, out: Path) -> None:
    """Write `frames` frames of a scene as a video-only MP4, yuv420p, tagged as the BT.709 that they are."""
    width, height = clip.size
    ffmpeg.feed(
        [
            *("-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", f"{width}x{height}", "-r", str(clip.fps), "-i", "-"),
            *("-vf", BT709, *codec_arguments(encoding), "-g", str(clip.fps * 4)),
            *("-video_track_timescale", str(timescale(clip.fps)), "-f", "mp4", str(out)),
        ],
        clip.planar_frames(frames),
    )


def codec_arguments(encoding: Encoding) -> list[str]:
    """The encoder's own arguments; each has a scale of quality of its own, set to look about like x264's."""
    codec = ["-c:v", CODECS[encoding.encoder], "-pix_fmt", "yuv420p"]
    match encoding.encoder:
        case "x264":
            return [*codec, "-preset", encoding.preset, "-crf", str(encoding.crf)]
        case "nvenc":
            return [*codec, "-preset", "p5", "-rc", "vbr", "-cq", str(encoding.crf), "-b:v", "0", "-profile:v", "high"]
        case "qsv":
            return [*codec, "-preset", "medium", "-global_quality", str(encoding.crf)]
        case "videotoolbox":
            return [*codec, "-q:v", str(max(round(100 - 1.9 * encoding.crf), 1)), "-profile:v", "high"]


def choose_encoder(asked: Literal["auto"] | EncoderName) -> EncoderName:
    """The encoder that was asked for, or with "auto" the first of the graphics' that works here, else x264.

    MissingToolError where the one asked for by name does not work.
    """
    if asked == "auto":
        return next((name for name in ("nvenc", "videotoolbox", "qsv") if works(name)), "x264")
    if asked != "x264" and not works(asked):
        raise MissingToolError(
            f"The encoder {asked} does not work here.",
            "Use --set film.encoder=x264, or an ffmpeg and a driver that have it: IMAGEIO_FFMPEG_EXE names the ffmpeg.",
        )
    return asked


@cache
def works(encoder: EncoderName) -> bool:
    """Whether an encoder codes a picture on this machine: that ffmpeg lists it says nothing of drivers and cards."""
    source = ["-f", "lavfi", "-i", "color=size=320x240:rate=30:duration=0.2"]
    try:
        ffmpeg.run([*source, *codec_arguments(Encoding(23, "veryfast", encoder)), "-f", "null", "-"])
    except FilmError:
        return False
    return True


def timescale(fps: int) -> int:
    """Ticks a second of a film's video track."""
    # A thousand ticks a frame at every rate: durations in the join stay exact.
    return fps * 1000
