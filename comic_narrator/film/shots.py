"""Shots: how the camera tells a panel. It is pure: page pixels and seconds in, views and moves out.

A panel is seen whole first. While somebody speaks the camera drifts to the balloon and to whoever says it, and on to
the balloon that comes next, so that each spoken balloon is whole in the frame from its first to its last sound. A panel
in which letters would be too small when it is seen whole is travelled instead, from balloon to balloon.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from comic_narrator.film.camera import framed, holding, holds, meets, scaled
from comic_narrator.model import SPOKEN_KINDS, Box, Line, PageReading, Panel, View

Ease = Literal["hold", "smooth", "abrupt", "shake"]

LETTERS = 1 / 54
"""Height of the lettering, of the frame's, from which it is easily read: 20 pixels of 1080."""
LETTER_SHAPE = 0.55
"""Width of a letter with its space, and of a row's height with its, against the letter's own height: 0.8 x 1.45."""

CLOSEST = 0.7
"""The camera comes no nearer to a line than this much of the width at which its panel is whole."""
NEARING = 0.045
"""How quickly it comes nearer: the logarithm of the zoom in each second of speech."""
SHORT = 0.8
"""Seconds of speech during which the camera rather stands still."""
ARRIVAL = 1.0
"""Seconds from a panel seen whole to its first balloon, where letters are too small to be read in the whole."""
TRAVEL = 0.7
"""Seconds that the camera takes at least from one balloon to another that the frame cannot hold as well."""

DRIFT = 0.016
"""The logarithm of the zoom in each second of a panel without words."""
MOST_DRIFT = 0.08
REVEAL = 0.3
"""How far a revealing shot comes nearer, as the logarithm of its zoom."""
PUSH, PUSH_SECONDS = 0.1, 0.5
"""An action's push: the logarithm of its zoom, and its seconds."""
LONG_PANEL = 3.2
"""A wordless panel whose shape is so many times narrower or flatter than the frame's is travelled from end to end."""


@dataclass(frozen=True)
class Move:
    """What the camera does for `seconds`; None: until its panel ends."""

    from_view: View
    to_view: View
    ease: Ease
    seconds: float | None = None


@dataclass(frozen=True)
class Said:
    """A spoken line: its place on the page, where its speaker is seen, its letters' height, its seconds of speech."""

    balloon: Box
    speaker: Box | None
    letters: float
    seconds: float


@dataclass(frozen=True)
class Told:
    """How the camera takes one spoken line: what it shows from the line's first sound to its end, and then on the way
    to the next balloon, if that needs a way of its own."""

    from_view: View
    to_view: View
    travel: View | None = None


def drawn_area(reading: PageReading, panel: Panel) -> Box:
    """The panel with whatever of its spoken balloons and captions reaches over its frame, cut to the page."""
    area = panel.bbox
    for line in reading.lines:
        if line.panel == panel.id and line.kind in SPOKEN_KINDS:
            for part in (line.balloon, line.bbox):
                area = area.union(part) if part else area
    return area.within(reading.width, reading.height)


def said(reading: PageReading, line: Line | None, area: Box, seconds: float) -> Said:
    """A spoken line as the camera sees it; one that has no place is said by the whole panel."""
    place = (line.balloon or line.bbox) if line else None
    if line is None or place is None:
        return Said(area, None, math.inf, seconds)
    letters = math.sqrt(line.bbox.area / max(len(line.text), 1) * LETTER_SHAPE) if line.bbox else math.inf
    return Said(place.within(reading.width, reading.height), _speaker(reading, line, place), letters, seconds)


def _speaker(reading: PageReading, line: Line, balloon: Box) -> Box | None:
    """Where whoever says a line is seen in its panel: their figure, or the place that the balloon's tail points at."""
    for figure in reading.figures:
        if figure.panel == line.panel and figure.label == line.speaker and figure.bbox:
            return figure.bbox.within(reading.width, reading.height)
    if line.tail is None:
        return None
    reach = min(balloon.w, balloon.h) // 2
    x, y = line.tail
    return Box(x - reach, y - reach, 2 * reach, 2 * reach).within(reading.width, reading.height)


def tell_lines(area: Box, lines: Sequence[Said], shape: float) -> list[Told]:
    """How the camera takes the spoken lines of a panel whose drawn area is `area`, in their order."""
    whole = framed(area, shape)
    widest = min(whole.w, *(line.letters / LETTERS * shape for line in lines))
    balloons = [line.balloon for line in lines]
    view = whole if widest >= whole.w else holding([lines[0].balloon], area, widest, shape)
    told, heard = [], 0.0
    for i, line in enumerate(lines):
        heard += line.seconds
        nearest = max(min(whole.w * max(math.exp(-NEARING * heard), CLOSEST), widest), view.w * CLOSEST)
        room = _Room(area, nearest, widest, shape, balloons)
        following = lines[i + 1] if i + 1 < len(lines) else None
        to_view = view if line.seconds < SHORT else _near(line, following, room)
        travel = None
        if following is not None and not holds(to_view, following.balloon):
            travel = _near(following, None, room)
        told.append(Told(view, to_view, travel))
        view = travel or to_view
    return told


@dataclass(frozen=True)
class _Room:
    """What a view of a line may be: inside the area, `nearest` wide at least, `widest` for letters to be read.

    `balloons` are all that are spoken in the panel.
    """

    area: Box
    nearest: float
    widest: float
    shape: float
    balloons: Sequence[Box]

    def holding(self, boxes: Sequence[Box]) -> View:
        """The nearest view of the boxes."""
        return holding(boxes, self.area, self.nearest, self.shape)

    def is_read(self, view: View) -> bool:
        """Whether letters are large enough in the view."""
        return view.w <= max(self.widest, self.nearest) * 1.001


def _near(line: Said, following: Said | None, room: _Room) -> View:
    """The view of a line with its speaker and the balloon after it, or with as many of these as can be read in one."""
    others = [box for box in (following and following.balloon, line.speaker) if box]
    for kept in (others, others[:1], []):
        boxes = [line.balloon, *kept]
        view = room.holding(boxes)
        if room.is_read(view) and holds(view, line.balloon):
            return _whole_balloons(view, boxes, room)
    return room.holding([line.balloon])


def _whole_balloons(view: View, boxes: list[Box], room: _Room) -> View:
    """The view of the boxes, or one of other balloons as well through which its edge would cut, if that can be read."""
    cut = [balloon for balloon in room.balloons if meets(view, balloon) and not holds(view, balloon)]
    wider = room.holding([*boxes, *cut])
    if not cut or not room.is_read(wider):
        return view
    return _whole_balloons(wider, [*boxes, *cut], room)


def look_at(reading: PageReading, panel: Panel, seconds: float, shape: float) -> list[Move]:
    """How the camera takes a panel in which nobody speaks for `seconds`: by its pacing, or gently."""
    area = drawn_area(reading, panel)
    whole = framed(area, shape)
    note = next((note for note in reading.notes if note.panel == panel.id), None)
    pacing = note.pacing if note else None
    if pacing == "still":
        return [Move(whole, whole, "hold")]
    if pacing == "fast" or (pacing is None and _is_blow(reading, panel)):
        hit = scaled(whole, math.exp(-PUSH))
        return [Move(whole, hit, "abrupt", PUSH_SECONDS), Move(hit, hit, "shake")]
    if pacing == "slow":
        detail = next((f.bbox for f in reversed(reading.figures) if f.panel == panel.id and f.bbox), area)
        return [Move(whole, holding([detail], area, whole.w * math.exp(-REVEAL), shape), "smooth")]
    if max(area.w / area.h / shape, shape * area.h / area.w) > LONG_PANEL:
        return [_along(area, reading.direction == "rtl", shape)]
    return [Move(whole, scaled(whole, math.exp(-min(DRIFT * seconds, MOST_DRIFT))), "smooth")]


def _is_blow(reading: PageReading, panel: Panel) -> bool:
    """Whether something loud and short is drawn in the panel."""
    heard = any(sound.panel == panel.id and sound.kind == "momentary" for sound in reading.sounds)
    return heard or any(line.panel == panel.id and line.kind == "sfx" for line in reading.lines)


def _along(area: Box, from_right: bool, shape: float) -> Move:
    """From one end of a long panel to the other, in the direction in which it is read."""
    first, last = Box(area.x, area.y, 1, 1), Box(area.right - 1, area.bottom - 1, 1, 1)
    if from_right and area.w / area.h > shape:
        first, last = last, first
    across = min(area.w, area.h * shape)  # no ground beside it
    return Move(holding([first], area, across, shape), holding([last], area, across, shape), "smooth")
