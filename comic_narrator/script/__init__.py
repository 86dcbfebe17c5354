"""Script: who speaks with which voice, and every beat of the book in order."""

from __future__ import annotations

from collections.abc import Sequence

from comic_narrator.model import SPOKEN_KINDS, Beat, Cast, Line, PageReading, Panel, People, Script
from comic_narrator.script.cast import cast_book, voice_of
from comic_narrator.script.cues import MOST_SOUNDS, drawn_sound, plan_cues, seen_sounds
from comic_narrator.script.pacing import gain_of, pause_after, speed_of, wordless_seconds
from comic_narrator.script.spoken import to_spoken

__all__ = ["cast_book", "to_spoken", "write_script"]

METHOD = "script-4"
"""Raised when the same readings may give another cast or script."""


def write_script(
    readings: Sequence[PageReading], people: People, cast: Cast, language: str, *, wordless: float, speed: float
) -> Script:
    """All beats of the book: each spoken line and sound, changes of ambience and music, and a pause of about `wordless`
    seconds for each panel in which nobody speaks.

    `speed` is the speaking rate that deliveries are relative to.
    """
    beats: list[Beat] = []
    cues = plan_cues(readings)
    for reading in readings:
        for panel in reading.panels:
            lines = [line for line in reading.lines if line.panel == panel.id]
            drawn = [beat for line in lines if (beat := drawn_sound(reading, line))][:MOST_SOUNDS]
            told = {beat.id: beat for line in lines if (beat := _speech(reading, line, people, cast, speed))}
            pause = [] if told else [_silence(reading, panel, wordless)]
            told |= {beat.id: beat for beat in drawn}
            beats += [*cues.beats(reading, panel), *seen_sounds(reading, panel, drawn)]
            beats += [*(told[line.id] for line in lines if line.id in told), *pause]
    return Script(language=language, beats=tuple(beats))


def _speech(reading: PageReading, line: Line, people: People, cast: Cast, speed: float) -> Beat | None:
    text = to_spoken(line.text, reading.language) if line.kind in SPOKEN_KINDS else None
    if text is None:
        return None
    character = voice_of(cast, people, reading.page, line)
    return Beat(
        id=line.id,
        page=reading.page,
        panel=line.panel,
        kind="speech",
        text=text,
        printed=line.text,
        speaker=character.id,
        voice=character.voice,
        tone=line.tone,
        speed=round(speed * speed_of(line), 3),
        gain_db=gain_of(line),
        pause_after=pause_after(line),
    )


def _silence(reading: PageReading, panel: Panel, wordless: float) -> Beat:
    share = panel.bbox.area / (reading.width * reading.height)
    seconds = wordless_seconds(share, len(reading.panels), wordless)
    return Beat(id=f"{panel.id}.0", page=reading.page, panel=panel.id, kind="pause", pause_after=seconds)
