"""Encoding: scenes to H.264, and scenes, sound and subtitles to one MP4."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from comic_narrator import ffmpeg
from comic_narrator.errors import FilmError
from comic_narrator.film.frames import SceneClip

AAC_BITRATE = "192k"

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
            *("-video_track_timescale", str(_timescale(clip.fps)), "-f", "mp4", str(out)),
        ],
        _frames(clip, frames),
    )


def _frames(clip: SceneClip, frames: int) -> Iterator[memoryview]:
    # Not clip.iter_frames(): it takes int(duration * fps), which loses a frame where that product falls short.
    for index in range(frames):
        yield clip.get_frame(index / clip.fps).data


def join_scenes(
    scenes: Sequence[tuple[Path, int]], sound: Path, subtitles: Path | None, fps: int, language: str, out: Path
) -> None:
    """Join scene files (path, frames) without re-encoding, with one AAC track and soft subtitles, into an MP4.

    FilmError when the film does not have exactly the scenes' frames.
    """
    with TemporaryDirectory(prefix="comic-narrator-") as folder:
        playlist = Path(folder) / "scenes.ffconcat"
        lengths = [frames / fps for _, frames in scenes]
        playlist.write_text(ffmpeg.concat_list([path.resolve() for path, _ in scenes], lengths), encoding="utf-8")
        texts = ["-i", str(subtitles)] if subtitles else []
        code = three_letters(language)
        ffmpeg.run(
            [
                *("-f", "concat", "-safe", "0", "-i", str(playlist), "-i", str(sound), *texts),
                *("-map", "0:v:0", "-map", "1:a:0", *(["-map", "2:s:0", "-c:s", "mov_text"] if subtitles else [])),
                *("-c:v", "copy", "-c:a", "aac", "-b:a", AAC_BITRATE, "-ar", "48000", "-ac", "2"),
                *(
                    "-metadata:s:a:0",
                    f"language={code}",
                    *(["-metadata:s:s:0", f"language={code}"] if subtitles else []),
                ),
                *("-video_track_timescale", str(_timescale(fps)), "-movflags", "+faststart", "-f", "mp4", str(out)),
            ]
        )
    wanted = sum(frames for _, frames in scenes)
    found = count_frames(out)
    if found != wanted:
        raise FilmError(f"The film has {found} frames instead of {wanted}.", "Delete the scenes folder and run again.")


def count_frames(film: Path) -> int:
    """How many coded pictures the film's video track holds."""
    told = ffmpeg.run(["-stats", "-i", str(film), "-map", "0:v:0", "-c", "copy", "-f", "null", "-"])
    return int(re.findall(r"frame=\s*(\d+)", told)[-1])


def three_letters(language: str) -> str:
    """The ISO 639-2 code that MP4 tracks carry, from a BCP-47 tag."""
    codes = {"en": "eng", "ja": "jpn", "ko": "kor", "zh": "zho", "fr": "fra", "de": "deu", "es": "spa", "it": "ita"}
    return codes.get(language.split("-")[0], "und")


def _timescale(fps: int) -> int:
    # A thousand ticks a frame at every rate: durations in the join stay exact.
    return fps * 1000
