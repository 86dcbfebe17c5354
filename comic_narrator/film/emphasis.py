"""Emphasis: when a light lies on what is spoken, and when its speaker comes nearer. It is pure: spans and places in.

A light rises before a line and goes from balloon to balloon in the pause between two; where the pause is long it goes
out and rises again. Whoever speaks and has a mask comes toward the viewer in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Protocol, TypeVar

from comic_narrator.film.camera import smooth
from comic_narrator.model import Box, Cutout, Light, Nearness, PageReading, Panel, Scene, Shot

RISE = 0.4
"""Seconds in which a light rises and goes out."""
APART = 1.2
"""Seconds between two lines from which the light goes out between them."""
SHORTEST = 0.4
"""Seconds of speech from which a line is set off: a shorter one would only make it flicker."""
LARGEST = 0.5
"""Who speaks is lit with the balloon, unless both together are more than this share of their panel."""


@dataclass(frozen=True)
class Spoken:
    """A line that is heard from frame `first` up to `end` of its scene: where its light lies, and who says it."""

    first: int
    end: int
    place: Box
    speaker: str | None = None


class Key(NamedTuple):
    """At a frame, the light is on that one of the lines, with a strength of 0 to 1."""

    frame: int
    line: int
    strength: float


class Lit(NamedTuple):
    """Where the light lies in one frame, in page pixels, and how strong it is, 0 to 1."""

    left: float
    top: float
    right: float
    bottom: float
    strength: float


def lights(lines: Sequence[Spoken], panel: str | None, within: tuple[int, int], fps: int) -> list[Light]:
    """The light on lines that follow each other, dark at both ends of the frames [first, end) `within` which it may be.

    `panel` is the one that the lines are in, None for what is shown in one piece.
    """
    told = [line for line in lines if line.end - line.first >= SHORTEST * fps]
    spans = [(line.first, line.end) for line in told]
    return [
        Light(panel=panel, frame=key.frame, place=told[key.line].place, strength=key.strength)
        for key in keys(spans, within, fps)
    ]


def cutouts(
    reading: PageReading, panel: Panel, lines: Sequence[Spoken], within: tuple[int, int], fps: int
) -> Iterator[Cutout]:
    """Whoever speaks in the panel and has a mask there, with when they come nearer."""
    lettering = tuple(box for line in reading.lines for box in (line.balloon, line.bbox) if box)
    for figure in reading.figures:
        spans = [
            (line.first, line.end)
            for line in lines
            if line.speaker == figure.label and line.end - line.first >= SHORTEST * fps
        ]
        if figure.panel == panel.id and figure.mask and spans:
            moves = tuple(Nearness(frame=key.frame, share=key.strength) for key in keys(spans, within, fps))
            yield Cutout(panel=panel.id, mask=figure.mask, lettering=lettering, moves=moves)


def place_of(balloon: Box, speaker: Box | None, panel: Box) -> Box:
    """What is lit while a line is spoken: its balloon with its speaker, or the balloon alone where that is too much."""
    if speaker is None or balloon.union(speaker).area > LARGEST * panel.area:
        return balloon
    return balloon.union(speaker)


def keys(spans: Sequence[tuple[int, int]], within: tuple[int, int], fps: int) -> list[Key]:
    """Frames between which the light eases, for lines spoken in the `spans` [first, end) of frames, in rising order."""
    if not spans:
        return []
    rise, (floor, ceiling) = round(RISE * fps), within
    begin = max(spans[0][0] - rise, floor)
    found = [Key(begin, 0, 0.0), Key(begin + rise, 0, 1.0)]
    for i, ((first, end), (following, its_end)) in enumerate(pairwise(spans)):
        if following - end > APART * fps:
            found += [Key(end, i, 1.0), Key(end + rise, i, 0.0)]
            found += [Key(following - rise, i + 1, 0.0), Key(following, i + 1, 1.0)]
        else:
            # In the pause, or where that is too short, from before the one's end until after the other's beginning.
            middle, half = (end + following) / 2, max(following - end, rise) / 2
            found.append(Key(round(max(middle - half, (first + end) / 2)), i, 1.0))
            found.append(Key(round(min(middle + half, (following + its_end) / 2)), i + 1, 1.0))
    last = len(spans) - 1
    leaving = min(spans[-1][1], ceiling - rise)
    found += [Key(leaving, last, 1.0), Key(leaving + rise, last, 0.0)]
    return _in_order(found)


def _in_order(found: Sequence[Key]) -> list[Key]:
    """The keys, none before the one ahead of it: of lines that are hardly longer than a rise, some would be."""
    ordered: list[Key] = []
    for key in found:
        ordered.append(key._replace(frame=max(key.frame, ordered[-1].frame if ordered else 0)))
    return ordered


def light_at(scene: Scene, shot: Shot, index: int) -> Lit | None:
    """The light in frame `index` of a shot; None for none."""
    around = _around([light for light in scene.lights if light.panel in (None, shot.panel)], index)
    if around is None or around[0].strength == around[1].strength == 0:
        return None
    before, after, along = around

    def mixed(one: float, other: float) -> float:
        return one + (other - one) * along

    here, there = before.place, after.place
    return Lit(
        mixed(here.x, there.x),
        mixed(here.y, there.y),
        mixed(here.right, there.right),
        mixed(here.bottom, there.bottom),
        mixed(before.strength, after.strength),
    )


def nearness_at(cutout: Cutout, index: int) -> float:
    """How near somebody has come in frame `index`, 0 to 1."""
    around = _around(cutout.moves, index)
    if around is None:
        return 0.0
    before, after, along = around
    return before.share + (after.share - before.share) * along


class _Timed(Protocol):
    @property
    def frame(self) -> int: ...


T = TypeVar("T", bound=_Timed)


def _around(timed: Sequence[T], index: int) -> tuple[T, T, float] | None:
    """The two of them between which frame `index` lies, and how far along it is, 0 to 1, eased; None beside them."""
    before = next((one for one in reversed(timed) if one.frame <= index), None)
    after = next((one for one in timed if one.frame > index), None)
    if before is None or after is None:
        return None
    return before, after, smooth((index - before.frame) / (after.frame - before.frame))
