"""Script: who speaks with which voice, and every beat of the book in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from comic_narrator.model import SPOKEN_KINDS, Beat, Cast, Character, Line, PageReading, Panel, People, Script
from comic_narrator.script.cast import cast_book, speaker_of, voice_of
from comic_narrator.script.cues import MOST_SOUNDS, drawn_sound, plan_cues, seen_sounds
from comic_narrator.script.delivery import (
    emotion_of,
    following,
    manner_of,
    pause_between,
    sizes,
    wordless_seconds,
)
from comic_narrator.script.pins import Pins, Wordbook, parse_pins, parse_wordbook, respelled, with_names
from comic_narrator.script.spoken import to_spoken

__all__ = [
    "Pins",
    "Style",
    "Wordbook",
    "cast_book",
    "parse_pins",
    "parse_wordbook",
    "respelled",
    "speaker_of",
    "to_spoken",
    "with_names",
    "write_script",
]

METHOD = "script-6"
"""Raised when the same readings may give another cast or script."""


@dataclass(frozen=True)
class Style:
    """How the book is told: `wordless` seconds for a panel without words, `speed` of speech, the user's words.

    `sound_words`: whether drawn sound words are spoken, by the narrator.
    """

    wordless: float = 2.5
    speed: float = 1.0
    wordbook: Wordbook = field(default_factory=Wordbook)
    sound_words: bool = False


def write_script(readings: Sequence[PageReading], people: People, cast: Cast, language: str, style: Style) -> Script:
    """All beats of the book: each spoken line and sound, changes of ambience and music, and a pause of some
    `style.wordless` seconds for a panel in which nobody speaks.
    """
    names = _names(people, cast)
    beats: list[Beat] = []
    cues = plan_cues(readings)
    for reading in readings:
        size = sizes(reading)
        for panel in reading.panels:
            spoken = _speeches(reading, panel, people, cast, names, size, style)
            drawn = [beat for line in reading.lines if line.panel == panel.id and (beat := drawn_sound(reading, line))]
            drawn = drawn[:MOST_SOUNDS]
            beats += [*cues.beats(reading, panel), *seen_sounds(reading, panel, drawn)]
            beats += _in_order(reading, spoken, drawn)
            beats += [] if spoken else [_silence(reading, panel, style.wordless)]
    return Script(language=language, beats=tuple(beats))


def _names(people: People, cast: Cast) -> tuple[str, ...]:
    """The words of names, which keep their capitals."""
    whole = [name for person in people.people for name in (person.name, *person.aliases)]
    whole += [name for character in cast.characters for name in (character.name, *character.aliases)]
    return tuple(
        sorted(
            {word for name in whole for word in name.split() if len(word) > 1 and word[0].isupper() and word.isalpha()}
        )
    )


def _speeches(
    reading: PageReading,
    panel: Panel,
    people: People,
    cast: Cast,
    names: Sequence[str],
    size: dict[str, float],
    style: Style,
) -> list[Beat]:
    kinds = SPOKEN_KINDS | {"sfx"} if style.sound_words else SPOKEN_KINDS
    said = [
        (line, text)
        for line in reading.lines
        if line.panel == panel.id
        and line.kind in kinds
        and (text := to_spoken(line.text, reading.language, names)) is not None
    ]
    lines = [line for line, _ in said]
    return [
        _speech(
            reading,
            line,
            text,
            voice_of(cast, people, reading.page, line),
            following(lines, line),
            size.get(line.id, 1.0),
            style,
        )
        for line, text in said
    ]


def _speech(
    reading: PageReading, line: Line, text: str, character: Character, after: Line | None, size: float, style: Style
) -> Beat:
    emotion = emotion_of(reading, line)
    manner = manner_of(line, emotion, size)
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
        emotion=emotion,
        effort=round(manner.effort, 2),
        colouring=manner.colouring,
        pronounced=style.wordbook.pronounced(text, reading.language, (character.name, *character.aliases)),
        speed=round(style.speed * manner.speed, 3),
        gain_db=round(manner.gain_db, 2),
        pause_after=pause_between(line, after, manner),
    )


def _in_order(reading: PageReading, spoken: Sequence[Beat], drawn: Sequence[Beat]) -> list[Beat]:
    """Lines and drawn sounds as they stand in the panel; a sound that is spoken as well is heard first."""
    order = {line.id: i for i, line in enumerate(reading.lines)}
    said = {beat.id for beat in spoken}
    heard = [beat.model_copy(update={"id": f"{beat.id}.s"}) if beat.id in said else beat for beat in drawn]
    return sorted([*heard, *spoken], key=lambda beat: order[beat.id.removesuffix(".s")])


def _silence(reading: PageReading, panel: Panel, wordless: float) -> Beat:
    share = panel.bbox.area / (reading.width * reading.height)
    seconds = wordless_seconds(share, len(reading.panels), wordless)
    return Beat(id=f"{panel.id}.0", page=reading.page, panel=panel.id, kind="pause", pause_after=seconds)
