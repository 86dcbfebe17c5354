"""Cues: the beats that are heard besides the speech: drawn and seen sounds, ambience, music."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from comic_narrator.model import Beat, Line, PageReading, Panel
from comic_narrator.script.drawn import sound_of
from comic_narrator.script.moods import music
from comic_narrator.script.places import ambiences

MOST_SOUNDS = 2
"""Momentary sounds of one panel, at most: more is noise."""
SOUND_HOLD = 0.55
"""Seconds that a drawn sound is given before the next words."""


@dataclass(frozen=True)
class Cues:
    """Where ambience and music change, by panel id."""

    ambience: dict[str, str]
    music: dict[str, str]

    def beats(self, reading: PageReading, panel: Panel) -> list[Beat]:
        """The ambience and music that begin with a panel."""
        told = (("ambience", "a", self.ambience.get(panel.id)), ("music", "m", self.music.get(panel.id)))
        return [
            Beat(id=f"{panel.id}.{letter}", page=reading.page, panel=panel.id, kind=kind, text=wanted)
            for kind, letter, wanted in told
            if wanted is not None
        ]


def plan_cues(readings: Sequence[PageReading]) -> Cues:
    """Where ambience and music of the book change."""
    return Cues(ambiences(readings), music(readings))


def drawn_sound(reading: PageReading, line: Line) -> Beat | None:
    """The beat of a drawn sound word; its text is None where the table has no sound for it. None for other lines."""
    if line.kind != "sfx":
        return None
    tag = sound_of(line.text, reading.language)
    hold = SOUND_HOLD if tag else 0.0
    return Beat(
        id=line.id, page=reading.page, panel=line.panel, kind="sound", text=tag, printed=line.text, pause_after=hold
    )


def seen_sounds(reading: PageReading, panel: Panel, drawn: Sequence[Beat]) -> list[Beat]:
    """The momentary sounds that are seen in a panel and not drawn there already, as many as there is room for."""
    seen = [sound.what for sound in reading.sounds if sound.panel == panel.id and sound.kind == "momentary"]
    known = {beat.text for beat in drawn if beat.text}
    told: list[Beat] = []
    for i, what in enumerate(dict.fromkeys(seen), 1):
        tag = sound_of(what, reading.language) or what
        if tag not in known and len(drawn) + len(told) < MOST_SOUNDS:
            known.add(tag)
            told.append(Beat(id=f"{panel.id}.s{i}", page=reading.page, panel=panel.id, kind="sound", text=what))
    return told
