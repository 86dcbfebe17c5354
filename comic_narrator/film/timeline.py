"""Time line: the clips and shots of a page, in whole frames, cuts rounded on the cumulative time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from comic_narrator.film.camera import close_up, is_long, push_in
from comic_narrator.model import SPOKEN_KINDS, Beat, Box, Clip, Line, PageReading, Panel, Scene, Shot, View

LEAD_IN = 0.3
"""Seconds from the cut to a panel until its first line."""

TAIL = 0.3
"""Seconds from the end of a panel's last pause to the cut."""

PAGE_SHARE = 0.85
"""A panel that covers so much of its page is the page: no establishing shot comes before it."""


@dataclass(frozen=True)
class Take:
    """A spoken beat's sound: its file, relative to the work folder, and its length in seconds."""

    file: str
    seconds: float


@dataclass(frozen=True)
class _Span:
    """A beat on the scene's time line, seconds."""

    beat: Beat
    start: float
    end: float


def time_scene(
    reading: PageReading,
    beats: Sequence[Beat],
    takes: Mapping[str, Take],
    *,
    fps: int,
    shape: float,
    establishing: float,
) -> Scene:
    """Lay a page's beats on its time line and choose the shots.

    `takes` maps the ids of spoken beats to their sound, `shape` is the frame's width / height, `establishing` the
    seconds of whole page before the first panel.
    """
    clips: list[Clip] = []
    shots: list[Shot] = []
    now = 0.0
    if establishing > 0 and _is_established(reading):
        whole = Box(0, 0, reading.width, reading.height)
        now = establishing
        shots.append(_shot(None, 0, round(now * fps), push_in(whole, shape), whole))
    for panel in reading.panels:
        own = [beat for beat in beats if beat.panel == panel.id]
        if not own:
            continue
        began, spans = now, []
        now += LEAD_IN if any(beat.kind == "speech" for beat in own) else 0.0
        for beat in own:
            length = takes[beat.id].seconds if beat.kind == "speech" else 0.0
            spans.append(_Span(beat, now, now + length))
            # A negative pause lets the next line begin before this one has ended, but not before it is half said.
            now += length + max(beat.pause_after, -length / 2)
        now = max([now, *(span.end for span in spans)]) + TAIL
        clips += [_clip(span, takes[span.beat.id]) for span in spans if span.beat.kind == "speech"]
        shots += _panel_shots(reading, panel, spans, began, now, fps, shape)
    if not shots:
        whole = Box(0, 0, reading.width, reading.height)
        now = max(establishing, 1.0)
        shots.append(_shot(None, 0, round(now * fps), push_in(whole, shape), whole))
    return Scene(page=reading.page, frames=shots[-1].end_frame, clips=tuple(clips), shots=tuple(shots))


def drawn_area(reading: PageReading, panel: Panel) -> Box:
    """The panel with whatever of its spoken balloons and captions reaches over its frame, cut to the page."""
    area = panel.bbox
    for line in reading.lines:
        if line.panel == panel.id and line.kind in SPOKEN_KINDS:
            for part in (line.balloon, line.bbox):
                area = area.union(part) if part else area
    return area.within(reading.width, reading.height)


def _is_established(reading: PageReading) -> bool:
    covered = max(panel.bbox.area for panel in reading.panels) / (reading.width * reading.height)
    return reading.direction != "vertical" and not (len(reading.panels) == 1 and covered >= PAGE_SHARE)


def _clip(span: _Span, take: Take) -> Clip:
    return Clip(
        beat=span.beat.id,
        file=take.file,
        start=round(span.start, 6),
        end=round(span.end, 6),
        gain_db=span.beat.gain_db,
    )


def _panel_shots(
    reading: PageReading, panel: Panel, spans: Sequence[_Span], began: float, ended: float, fps: int, shape: float
) -> list[Shot]:
    area = drawn_area(reading, panel)
    first, last = round(began * fps), round(ended * fps)
    if not is_long(area, shape):
        return [_shot(panel.id, first, last, push_in(area, shape), area)]
    return _travel(reading, panel.id, area, spans, first, last, fps, shape)


def _travel(
    reading: PageReading, panel: str, area: Box, spans: Sequence[_Span], first: int, last: int, fps: int, shape: float
) -> list[Shot]:
    """Shots along a long panel: held on each spoken balloon, moving between them; end to end where none is spoken."""
    lines = {line.id: line for line in reading.lines}
    stops = [(span, box) for span in spans if (box := _place(lines.get(span.beat.id))) is not None]
    if not stops:
        from_view, to_view = _ends(area, reading.direction == "rtl", shape)
        return [_shot(panel, first, last, (from_view, to_view), area)]
    shots: list[Shot] = []
    now = first
    for i, (span, box) in enumerate(stops):
        view = close_up(area, box, shape)
        if shots and round(span.start * fps) > now:
            moved = round(span.start * fps)
            shots.append(_shot(panel, now, moved, (shots[-1].to_view, view), area))
            now = moved
        end = last if i == len(stops) - 1 else max(round(span.end * fps), now + 1)
        shots.append(_shot(panel, now, end, (view, view), area))
        now = end
    return shots


def _place(line: Line | None) -> Box | None:
    return (line.balloon or line.bbox) if line else None


def _ends(area: Box, from_right: bool, shape: float) -> tuple[View, View]:
    corner = Box(area.x, area.y, 1, 1)
    far = Box(area.right - 1, area.bottom - 1, 1, 1)
    if from_right and area.w / area.h > shape:
        corner, far = Box(area.right - 1, area.y, 1, 1), Box(area.x, area.bottom - 1, 1, 1)
    return close_up(area, corner, shape), close_up(area, far, shape)


def _shot(panel: str | None, first: int, end: int, views: tuple[View, View], focus: Box) -> Shot:
    from_view, to_view = (View(*(round(v, 4) for v in view)) for view in views)
    ease = "hold" if from_view == to_view else "smooth"
    return Shot(
        panel=panel,
        first_frame=first,
        end_frame=end,
        from_view=from_view,
        to_view=to_view,
        ease=ease,
        focus=focus,
    )
