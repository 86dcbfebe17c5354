"""Encoding: scenes to H.264, by x264 or by what the machine's graphics have for it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, Self

from moviepy.video.io.ffmpeg_writer import FFMPEG_VideoWriter

from comic_narrator import ffmpeg
from comic_narrator.errors import MissingToolError
from comic_narrator.film.burning import fonts_for
from comic_narrator.film.frames import SceneClip
from comic_narrator.film.planes import Pixels, canvas_of

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


class PlanarWriter(FFMPEG_VideoWriter):  # type: ignore[misc]
    """moviepy's writer, for frames of `size` (width, height) as video takes them: a video-only MP4, yuv420p, BT.709.

    moviepy's own pipes RGB, asks x264 for an alpha channel and converts as BT.601 without saying so. FilmError where
    ffmpeg fails.
    """

    def __init__(self, filename: str, size: tuple[int, int], fps: int, encoding: Encoding, burnt: str = "") -> None:
        # Not moviepy's own: that starts ffmpeg with what it takes to be in the pipe.
        self.filename, self.size = filename, size
        self.unseen: tuple[str, ...] = ()
        """Letters of `burnt` that no font here has, once the writer is closed."""
        self._folder = TemporaryDirectory(prefix="comic-narrator-")
        filters = BT709
        if burnt:
            # ffmpeg is started where these lie: what its filters take for a path has no odd letter in it.
            folder = Path(self._folder.name)
            (folder / "burnt.ass").write_text(burnt, encoding="utf-8")
            for name, font in fonts_for(burnt).items():
                (folder / name).write_bytes(font)
            filters += ",ass=burnt.ass:fontsdir=."
        raw = ("-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", f"{size[0]}x{size[1]}", "-r", str(fps), "-i", "-")
        coded = ("-vf", filters, *codec_arguments(encoding), "-g", str(fps * 4))
        out = ("-video_track_timescale", str(timescale(fps)), "-f", "mp4", str(Path(filename).absolute()))
        self._feed = ffmpeg.Feed([*raw, *coded, *out], Path(self._folder.name))
        self.proc = self._feed.process

    def __enter__(self) -> Self:
        return self

    def write_frame(self, img_array: memoryview | Pixels) -> None:
        """Code a frame: I420, as `SceneClip.planar_frames` gives it, or moviepy's RGB, shape (height, width, 3)."""
        self._feed.write(img_array if isinstance(img_array, memoryview) else canvas_of(img_array).memory.data)

    def close(self) -> None:
        """Write what is left; the file is whole then."""
        codes = re.findall(r"failed to find any fallback with glyph 0x([0-9A-Fa-f]+)", self._feed.close())
        self.unseen = tuple(dict.fromkeys(chr(int(code, 16)) for code in codes))

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        try:
            if kind is None:
                self.close()
        finally:
            self._feed.abandon()
            self._folder.cleanup()


def encode_scene(clip: SceneClip, frames: int, encoding: Encoding, out: Path, burnt: str = "") -> tuple[str, ...]:
    """Write `frames` frames of a scene as a video-only MP4, yuv420p, tagged as the BT.709 that they are.

    `burnt` is drawn over it, a text as `burnt_text` makes it; the letters in it that no font here has are returned.
    """
    with PlanarWriter(str(out), clip.size, clip.fps, encoding, burnt) as writer:
        for frame in clip.planar_frames(frames):
            writer.write_frame(frame)
    return writer.unseen


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
    return ffmpeg.can([*source, *codec_arguments(Encoding(23, "veryfast", encoder)), "-f", "null", "-"])


def timescale(fps: int) -> int:
    """Ticks a second of a film's video track."""
    # A thousand ticks a frame at every rate: durations in the join stay exact.
    return fps * 1000
