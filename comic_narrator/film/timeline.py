"""Time line: the clips and shots of a page, in whole frames, cuts rounded on the cumulative time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from comic_narrator.film.camera import framed, scaled
from comic_narrator.film.emphasis import Spoken, cutouts, lights, place_of
from comic_narrator.film.scroll import Stop, frame_height, scroll, view_of
from comic_narrator.film.shots import ARRIVAL, TRAVEL, Ease, Said, drawn_area, look_at, said, tell_lines
from comic_narrator.film.transitions import SLIDE, TURN
from comic_narrator.model import Beat, Box, Clip, Cutout, Light, Line, PageReading, Panel, Scene, Shot, View

Leave = Literal["cut", "slide", "turn"]

LEAD_IN = 0.3
"""Seconds from the cut to a panel until its first line."""

TAIL = 0.3
"""Seconds from the end of a panel's last pause to the cut."""

PAGE_PUSH = 1.05
"""The establishing shot of a page begins so much wider than it ends."""

PAGE_SHARE = 0.85
"""A panel that covers so much of its page is the page: no establishing shot comes before it."""


@dataclass(frozen=True)
class Take:
    """A spoken beat's sound: its file, relative to the work folder, and its length in seconds."""

    file: str
    seconds: float


def time_scene(
    reading: PageReading,
    beats: Sequence[Beat],
    takes: Mapping[str, Take],
    *,
    fps: int,
    shape: float,
    establishing: float,
    follows: bool = False,
    goes_on: bool = False,
    moving: bool = True,
    lit: bool = True,
) -> Scene:
    """Lay a page's beats on its time line and choose the shots.

    `takes` maps the ids of spoken beats to their sound, `shape` is the frame's width / height, `establishing` the
    seconds of whole page before the first panel. A page `follows` one and `goes_on` in one: those of a strip are
    scrolled, and others are turned and their panels slide where transitions are `moving`. What is spoken is `lit`.
    """
    scene = _Laid(fps, lit)
    if reading.direction == "vertical":
        _lay_strip(scene, reading, beats, takes, shape, follows=follows, goes_on=goes_on)
        return scene.finished(reading.page, scene.shots, "cut")
    if establishing > 0 and _is_established(reading):
        scene.show(None, _page_push(reading, shape), "smooth", _page_box(reading), establishing)
    for panel in reading.panels:
        own = [beat for beat in beats if beat.panel == panel.id]
        if own:
            _lay_panel(scene, reading, panel, own, takes, shape)
    if not scene.shots:
        scene.show(None, _page_push(reading, shape), "smooth", _page_box(reading), max(establishing, 1.0))
    shots = _entering(scene.shots, fps) if moving else scene.shots
    leave = _leaving(scene) if moving and goes_on else "cut"
    return scene.finished(reading.page, shots, leave)


def _entering(shots: Sequence[Shot], fps: int) -> list[Shot]:
    """The shots with how each takes over: a panel slides in after another one."""
    entered = list(shots)
    for i, (before, shot) in enumerate(pairwise(shots), 1):
        if shot.panel != before.panel and (shot.end_frame - shot.first_frame) / fps > SLIDE:
            entered[i] = shot.model_copy(update={"enter": "slide"})
    return entered


def _leaving(scene: _Laid) -> Leave:
    """How a page gives way to the next one: not while somebody still speaks, for the balloon has to be there.

    It is this scene's end, and not the next one's beginning, that shows both: how long a line takes to say changes
    where its own page ends, and nothing of how the next one begins. So a line that is spoken anew costs one scene.
    """
    quiet = scene.frame / scene.fps - max((clip.end for clip in scene.clips), default=0.0)
    return "turn" if quiet >= TURN else "slide" if quiet >= SLIDE else "cut"


class _Laid:
    """What is laid on a scene's time line so far; `now` is in seconds, `frame` the first that has no shot yet."""

    def __init__(self, fps: int, lit: bool) -> None:
        self.fps = fps
        self.lit = lit
        self.now = 0.0
        self.frame = 0
        self.clips: list[Clip] = []
        self.shots: list[Shot] = []
        self.lights: list[Light] = []
        self.cutouts: list[Cutout] = []

    def show(self, panel: str | None, views: tuple[View, View], ease: Ease, focus: Box | None, seconds: float) -> None:
        """Move the camera for `seconds`; the end is rounded on the scene's clock, and a shot has a frame at least."""
        self.now += seconds
        end = max(round(self.now * self.fps), self.frame + 1)
        from_view, to_view = (View(*(round(part, 4) for part in view)) for view in views)
        still = from_view == to_view and ease != "shake"
        shot = Shot(
            panel=panel,
            first_frame=self.frame,
            end_frame=end,
            from_view=from_view,
            to_view=to_view,
            ease="hold" if still else ease,
            focus=focus,
        )
        self.shots.append(shot)
        self.frame = end

    def speak(self, beat: Beat, take: Take, start: float) -> None:
        """Place a take `start` seconds into the scene."""
        ends = round(start + take.seconds, 6)
        clip = Clip(beat=beat.id, file=take.file, start=round(start, 6), end=ends, gain_db=beat.gain_db)
        self.clips.append(clip)

    def spoken(self, beat: Beat, place: Box, speaker: str | None) -> Spoken:
        """The frames of a beat that was placed, with what is lit then and who says it."""
        clip = next(clip for clip in reversed(self.clips) if clip.beat == beat.id)
        return Spoken(round(clip.start * self.fps), round(clip.end * self.fps), place, speaker)

    def light(self, panel: str | None, lines: Sequence[Spoken], first_frame: int) -> None:
        """Have the light on lines that were placed, dark at `first_frame` and now."""
        if self.lit:
            self.lights += lights(lines, panel, (first_frame, self.frame), self.fps)

    def finished(self, page: str, shots: Sequence[Shot], leave: Leave) -> Scene:
        """The scene, with its shots as they follow each other."""
        return Scene(
            page=page,
            frames=self.frame,
            clips=tuple(self.clips),
            shots=tuple(shots),
            lights=tuple(self.lights),
            cutouts=tuple(self.cutouts),
            leave=leave,
        )


def _lay_panel(
    scene: _Laid, reading: PageReading, panel: Panel, beats: Sequence[Beat], takes: Mapping[str, Take], shape: float
) -> None:
    if any(beat.kind == "speech" for beat in beats):
        _lay_lines(scene, reading, panel, beats, takes, shape)
        return
    seconds = sum(beat.pause_after for beat in beats) + TAIL
    area = drawn_area(reading, panel)
    for move in look_at(reading, panel, seconds, shape):
        lasts = seconds if move.seconds is None else min(move.seconds, seconds)
        scene.show(panel.id, (move.from_view, move.to_view), move.ease, area, lasts)
        seconds -= lasts


def _lay_lines(
    scene: _Laid,
    reading: PageReading,
    panel: Panel,
    beats: Sequence[Beat],
    takes: Mapping[str, Take],
    shape: float,
) -> None:
    spoken, began = [beat for beat in beats if beat.kind == "speech"], scene.frame
    ahead, *rests = _rests(beats)
    area = drawn_area(reading, panel)
    lines = {line.id: line for line in reading.lines}
    heard = [said(reading, lines.get(beat.id), area, takes[beat.id].seconds) for beat in spoken]
    telling = tell_lines(area, heard, shape)
    whole, first, lead = framed(area, shape), telling[0].from_view, LEAD_IN + ahead
    if first.w < whole.w:
        scene.show(panel.id, (whole, first), "smooth", area, ARRIVAL + ahead)
        lead = 0.0
    for i, (beat, told) in enumerate(zip(spoken, telling, strict=True)):
        take, last = takes[beat.id], i == len(spoken) - 1
        scene.speak(beat, take, scene.now + lead)
        # A negative pause lets the next line begin before this one has ended, but not before it is half said.
        rest = max(rests[i], -take.seconds / 2) if not last else max(rests[i], 0.0) + TAIL
        # Where the camera has a way to go, it goes in the pause; else it is still on its way to the line's own end.
        going = 0.0 if told.travel is None else max(rest, TRAVEL)
        staying = lead + take.seconds + (rest if told.travel is None else 0.0)
        scene.show(panel.id, (told.from_view, told.to_view), "smooth", area, staying)
        if told.travel is not None:
            scene.show(panel.id, (told.to_view, told.travel), "smooth", area, going)
        lead = 0.0
    _set_off(
        scene,
        reading,
        panel,
        [(beat, lines.get(beat.id), line) for beat, line in zip(spoken, heard, strict=True)],
        began,
    )


def _set_off(
    scene: _Laid, reading: PageReading, panel: Panel, told: Sequence[tuple[Beat, Line | None, Said]], began: int
) -> None:
    """Have each spoken line lit and whoever says it come nearer; `began` is the panel's first frame."""
    lines = [
        scene.spoken(beat, place_of(said.balloon, said.speaker, panel.bbox), line.speaker if line else None)
        for beat, line, said in told
    ]
    scene.light(panel.id, lines, began)
    scene.cutouts += cutouts(reading, panel, lines, (began, scene.frame), scene.fps)


def _rests(beats: Sequence[Beat]) -> list[float]:
    """Seconds held before the first spoken beat, and after each: its own pause, and those of what is only held."""
    rests = [0.0]
    for beat in beats:
        if beat.kind == "speech":
            rests.append(beat.pause_after)
        else:
            rests[-1] += beat.pause_after
    return rests


def _lay_strip(
    scene: _Laid,
    reading: PageReading,
    beats: Sequence[Beat],
    takes: Mapping[str, Take],
    shape: float,
    *,
    follows: bool,
    goes_on: bool,
) -> None:
    lines = {line.id: line for line in reading.lines}
    told = [beat for beat in beats if beat.kind in ("speech", "pause")]
    stops = []
    for beat in told:
        line = lines.get(beat.id)
        place = (line and (line.balloon or line.bbox)) or reading.panel(beat.panel).bbox
        stops.append(Stop(place, takes[beat.id].seconds if beat.kind == "speech" else 0.0, beat.pause_after))
    frame = frame_height(reading.width, shape)
    for stretch in scroll(stops, reading.height, frame, follows=follows, goes_on=goes_on):
        panel = None
        if stretch.stop is not None:
            beat = told[stretch.stop]
            panel = beat.panel
            scene.speak(beat, takes[beat.id], scene.now)
        views = [view_of(m, reading.width, frame, shape) for m in (stretch.from_middle, stretch.to_middle)]
        scene.show(panel, (views[0], views[1]), "smooth", None, stretch.seconds)
    heard = [scene.spoken(beat, stop.place, None) for beat, stop in zip(told, stops, strict=True) if stop.heard]
    scene.light(None, heard, 0)
    if not scene.shots:
        view = view_of(reading.height / 2, reading.width, frame, shape)
        scene.show(None, (view, view), "hold", None, 1.0)


def _page_box(reading: PageReading) -> Box:
    return Box(0, 0, reading.width, reading.height)


def _page_push(reading: PageReading, shape: float) -> tuple[View, View]:
    end = framed(_page_box(reading), shape)
    return scaled(end, PAGE_PUSH), end


def _is_established(reading: PageReading) -> bool:
    covered = max(panel.bbox.area for panel in reading.panels) / (reading.width * reading.height)
    return not (len(reading.panels) == 1 and covered >= PAGE_SHARE)
