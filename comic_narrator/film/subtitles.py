"""Subtitles: what is printed, spoken or translated, while it is spoken, in cues that can be read in time."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pysubs2

from comic_narrator.film.breaking import break_text, width_of
from comic_narrator.model import Timing

SPEED = 20.0
"""Columns a second that can be read; a cue stays on after its speech for as long as that takes, where there is room."""
SHORTEST = 0.8
"""Seconds that a cue stays at least, where there is room."""
GAP = 0.05
"""Seconds between a cue that was drawn out and the next one."""

RIGHT_TO_LEFT = frozenset({"ar", "arc", "dv", "fa", "ckb", "he", "iw", "ks", "ps", "sd", "ug", "ur", "yi"})
RTL_MARK = "\u200f"
"""Makes players set a line from the right also where it begins with a digit or a Latin word."""


@dataclass(frozen=True)
class Cue:
    """What stands on the screen from `start` to `end` seconds of the film: one or two lines of one beat."""

    start: float
    end: float
    lines: tuple[str, ...]
    beat: str


def make_cues(
    timing: Timing, words: Mapping[str, str], language: str, speakers: Mapping[str, str] | None = None
) -> tuple[Cue, ...]:
    """The cues of the beats that have words, by their ids; long ones are several cues that share the beat's time.

    With `speakers`, names by beat, a cue says who speaks where that is somebody else than before. `language` is a
    BCP-47 tag.
    """
    parts: list[Cue] = []
    before: str | None = None
    for beat, start, end in _spans(timing):
        name = speakers.get(beat) if speakers else None
        said = words.get(beat, "")
        cues = break_text(f"{name}: {said}" if name and name != before and said else said)
        before = name or before
        marked = [tuple(RTL_MARK + line for line in cue) if _from_right(language) else cue for cue in cues]
        parts += [Cue(from_, to, cue, beat) for cue, (from_, to) in zip(marked, _shared(cues, start, end), strict=True)]
    return _drawn_out(parts, timing.frames / timing.fps)


def write_cues(cues: Sequence[Cue], kind: Literal["srt", "vtt"]) -> str:
    """The cues as SubRip or WebVTT text."""
    file = pysubs2.SSAFile()
    for cue in cues:
        text = r"\N".join(_plain(line) for line in cue.lines)
        file.append(pysubs2.SSAEvent(start=round(cue.start * 1000), end=round(cue.end * 1000), text=text))
    return file.to_string(kind)


def _plain(text: str) -> str:
    # The library takes its text for that of an ASS file, where these three mean something.
    return text.replace("\\", "\\\u2060").replace("{", "(").replace("}", ")")


def _spans(timing: Timing) -> list[tuple[str, float, float]]:
    """Each spoken beat with its first and last second in the film."""
    spans, frames = [], 0
    for scene in timing.scenes:
        offset = frames / timing.fps
        spans += [(clip.beat, offset + clip.start, offset + clip.end) for clip in scene.clips]
        frames += scene.frames
    return spans


def _shared(cues: Sequence[tuple[str, ...]], start: float, end: float) -> list[tuple[float, float]]:
    """The beat's time, shared out by how much there is to read."""
    widths = [sum(width_of(line) for line in cue) for cue in cues]
    if not widths:
        return []
    ends = [start + (end - start) * done / sum(widths) for done in itertools.accumulate(widths)]
    return list(zip([start, *ends], ends, strict=False))


def _drawn_out(cues: Sequence[Cue], film: float) -> tuple[Cue, ...]:
    """The cues with as much of the silence after them as it takes to read them, up to the film's end."""
    ordered = sorted(cues, key=lambda cue: cue.start)
    drawn = []
    for cue, following in itertools.zip_longest(ordered, ordered[1:]):
        needed = max(sum(width_of(line) for line in cue.lines) / SPEED, SHORTEST)
        room = following.start - GAP if following else film
        end = max(cue.end, min(cue.start + needed, room))
        drawn.append(Cue(cue.start, end, cue.lines, cue.beat))
    return tuple(drawn)


def _from_right(language: str) -> bool:
    return language.split("-")[0].lower() in RIGHT_TO_LEFT
