"""The container: scenes, sound, subtitles, chapters, cover and what the book is called, in one MP4."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

from comic_narrator import ffmpeg
from comic_narrator.errors import FilmError
from comic_narrator.film.encode import timescale

AAC_BITRATE = "192k"


@dataclass(frozen=True)
class Track:
    """A subtitle track: a SubRip file, its language (BCP-47), and what players call it."""

    file: Path
    language: str
    title: str


@dataclass(frozen=True)
class Mark:
    """A chapter: its title and the film's frame that it begins with."""

    title: str
    frame: int


@dataclass(frozen=True)
class About:
    """What the film says of itself; `cover` is a JPEG or PNG picture, `language` that of its speech (BCP-47)."""

    title: str
    language: str
    series: str | None = None
    number: str | None = None
    chapters: tuple[Mark, ...] = ()
    cover: Path | None = None
    comment: str | None = None


def join_scenes(
    scenes: Sequence[tuple[Path, int]], sound: Path, tracks: Sequence[Track], about: About, fps: int, out: Path
) -> None:
    """Join scene files (path, frames) without re-encoding, with one AAC track and soft subtitles, into an MP4.

    Players begin to show it before they have all of it (faststart). FilmError when it does not have exactly the scenes'
    frames.
    """
    frames = sum(length for _, length in scenes)
    with TemporaryDirectory(prefix="comic-narrator-") as folder:
        playlist, sheet = Path(folder) / "scenes.ffconcat", Path(folder) / "about.txt"
        lengths = [length / fps for _, length in scenes]
        playlist.write_text(ffmpeg.concat_list([path.resolve() for path, _ in scenes], lengths), encoding="utf-8")
        sheet.write_text(describe(about, frames, fps), encoding="utf-8")
        texts = [part for track in tracks for part in ("-i", str(track.file))]
        ffmpeg.run(
            [
                *("-f", "concat", "-safe", "0", "-i", str(playlist), "-i", str(sound), "-i", str(sheet), *texts),
                *(("-i", str(about.cover)) if about.cover else ()),
                *("-map_metadata", "2", "-map_chapters", "2", "-map", "0:v:0", "-map", "1:a:0"),
                *_track_arguments(tracks),
                *(_cover_arguments(3 + len(tracks), about.cover) if about.cover else ()),
                *("-c:v:0", "copy", "-c:a", "aac", "-b:a", AAC_BITRATE, "-ar", "48000", "-ac", "2"),
                *("-metadata:s:a:0", f"language={three_letters(about.language)}"),
                *("-video_track_timescale", str(timescale(fps)), "-movflags", "+faststart", "-f", "mp4", str(out)),
            ]
        )
    found = count_frames(out)
    if found != frames:
        raise FilmError(f"The film has {found} frames instead of {frames}.", "Delete the scenes folder and run again.")


def describe(about: About, frames: int, fps: int) -> str:
    """What the film says of itself as ffmpeg's metadata text, chapters in whole frames."""
    tags = {"title": about.title, "show": about.series, "episode_id": about.number, "comment": about.comment}
    lines = [";FFMETADATA1", *(f"{name}={_escaped(value)}" for name, value in tags.items() if value)]
    for mark, following in zip_longest(about.chapters, about.chapters[1:]):
        end = following.frame if following else frames
        times = f"TIMEBASE=1/{fps}", f"START={mark.frame}", f"END={end}"
        lines += ["[CHAPTER]", *times, f"title={_escaped(mark.title)}"]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return re.sub(r"([=;#\\])", r"\\\1", " ".join(text.split()))


def _track_arguments(tracks: Sequence[Track]) -> list[str]:
    arguments = ["-c:s", "mov_text"] if tracks else []
    for i, track in enumerate(tracks):
        arguments += ["-map", f"{3 + i}:s:0", f"-metadata:s:s:{i}", f"language={three_letters(track.language)}"]
        arguments += [f"-metadata:s:s:{i}", f"handler_name={track.title}"]
    return arguments


def _cover_arguments(at: int, cover: Path) -> list[str]:
    codec = "png" if cover.suffix == ".png" else "mjpeg"
    # Small enough for the list of a player; ffmpeg makes it with the film, so no second file has to be kept.
    shrunk = "scale='min(720,iw)':'min(1080,ih)':force_original_aspect_ratio=decrease"
    return [*("-map", f"{at}:v:0", "-c:v:1", codec, "-filter:v:1", shrunk, "-disposition:v:1", "attached_pic")]


def count_frames(film: Path) -> int:
    """How many coded pictures the film's video track holds."""
    told = ffmpeg.run(["-stats", "-i", str(film), "-map", "0:v:0", "-c", "copy", "-f", "null", "-"])
    return int(re.findall(r"frame=\s*(\d+)", told)[-1])


def three_letters(language: str) -> str:
    """The ISO 639-2 code that MP4 tracks carry, from a BCP-47 tag; "und" for one that has none."""
    # Here, for its tables of languages take long to load, and only the join asks.
    import langcodes

    try:
        return langcodes.Language.get(language).to_alpha3()
    except (ValueError, LookupError):
        return "und"
