"""Evidence in words: which of a table's entries a text speaks of."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from comic_narrator.model import Line, PageReading, Panel


@cache
def table(name: str) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """A table of words that ships with the program: section, entry, its words."""
    text = (files("comic_narrator.script") / "data" / f"{name}.toml").read_text(encoding="utf-8")
    return {
        section: {entry: tuple(words) for entry, words in entries.items()}
        for section, entries in tomllib.loads(text).items()
    }


@cache
def _pattern(name: str, section: str) -> Mapping[str, re.Pattern[str]]:
    return {
        entry: re.compile("|".join(map(_as_pattern, words)), re.IGNORECASE)
        for entry, words in table(name)[section].items()
    }


def _as_pattern(word: str) -> str:
    # Words of Latin letters stand alone, perhaps with an ending; Japanese, Korean and Chinese have no such gaps.
    return rf"(?<!\w){re.escape(word)}s?(?!\w)" if re.search(r"[a-zA-Z]", word) else re.escape(word)


def named(name: str, section: str, text: str) -> dict[str, int]:
    """How often each entry of a section is spoken of in a text, by where it is first, nothing for the others."""
    told: list[tuple[int, str, int]] = []
    for entry, pattern in _pattern(name, section).items():
        found = list(pattern.finditer(text))
        if found:
            told.append((found[0].start(), entry, len(found)))
    return {entry: count for _, entry, count in sorted(told)}


def scene_text(reading: PageReading, panel: Panel) -> str:
    """What the reader noted of a panel's scene."""
    return " ".join(note.scene or "" for note in reading.notes if note.panel == panel.id)


def lines_of(reading: PageReading, panel: Panel) -> list[Line]:
    """The lines of a panel."""
    return [line for line in reading.lines if line.panel == panel.id]
