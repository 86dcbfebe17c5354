"""Casting: one voice a speaker for the whole book."""

from __future__ import annotations

from collections.abc import Sequence

from comic_narrator.model import CAST_KINDS, Cast, Character, Line, PageReading, People

NARRATOR = "narrator"
SOMEBODY = "Somebody"
"""Who speaks a line whose speaker the reader could not tell."""


def cast_book(readings: Sequence[PageReading], people: People, voices: Sequence[str], narrator: str = "auto") -> Cast:
    """Cast the book: `voices` are ids, best narrator first; speakers get the others in order of their first line.

    With more speakers than voices the voices go round again. `narrator` is one of them, or "auto".
    """
    told = voices[0] if narrator == "auto" else narrator
    others = [voice for voice in voices if voice != told] or [told]
    speakers = dict.fromkeys(
        speaker_of(people, reading.page, line)
        for reading in readings
        for line in reading.lines
        if line.kind in CAST_KINDS
    )
    return Cast(
        narrator=Character(
            id=NARRATOR,
            name="Narrator",
            voice=told,
            pinned=narrator != "auto",
            why="named in the settings" if narrator != "auto" else "the bank's first narrator",
        ),
        characters=tuple(
            Character(
                id=f"c{i:02}",
                name=name,
                voice=others[(i - 1) % len(others)],
                why=f"name {i} of those in the readings",
            )
            for i, name in enumerate(speakers, 1)
        ),
    )


def speaker_of(people: People, page: str, line: Line) -> str:
    """The name of whoever says a line of a page."""
    if line.speaker is None:
        return SOMEBODY
    person = people.who(page, line.speaker)
    return person.name if person else line.speaker


def voice_of(cast: Cast, people: People, page: str, line: Line) -> Character:
    """Who says a line: its speaker by name or alias, the narrator for captions and for speakers not in the cast."""
    if line.kind not in CAST_KINDS:
        return cast.narrator
    name = speaker_of(people, page, line)
    for character in cast.characters:
        if name == character.name or name in character.aliases:
            return character
    return cast.narrator
