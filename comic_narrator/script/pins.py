"""What the user says of voices and words: cast.toml and lexicon.toml, which lie beside the books of a series."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from comic_narrator.errors import UsageError
from comic_narrator.model import Part
from comic_narrator.voice_profiles import Age

ALL = "all"
CHARACTERS = "characters"


class PinnedCharacter(Part):
    """Somebody of the series: by what names the book calls them, with which voice, and how the name is said.

    `looks` is for a reader that sees. `pronunciation` is another spelling, or IPA between slashes.
    """

    name: str = Field(min_length=1)
    aliases: tuple[str, ...] = ()
    voice: str | None = None
    looks: str | None = None
    sex: Literal["female", "male"] | None = None
    age: Age | None = None
    pronunciation: str | None = None

    def answers_to(self, names: Iterable[str]) -> bool:
        """Whether one of `names` is theirs, whatever its capitals."""
        own = {name.casefold() for name in (self.name, *self.aliases)}
        return any(name.casefold() in own for name in names)


class Pins(Part):
    """cast.toml: voices that stay through the volumes of a series, whatever the casting would choose."""

    narrator: str | None = None
    characters: tuple[PinnedCharacter, ...] = Field((), alias="character")

    def of(self, names: Iterable[str]) -> PinnedCharacter | None:
        """The pinned character that answers to one of `names`."""
        asked = tuple(names)
        return next((character for character in self.characters if character.answers_to(asked)), None)


@dataclass(frozen=True)
class Wordbook:
    """lexicon.toml: how words are said, by the language ("all", "en"), and by the character who says them."""

    languages: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    characters: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def pronounced(self, text: str, language: str, names: Iterable[str] = ()) -> dict[str, str]:
        """The words of `text` that are said otherwise by somebody of these names: the word in lower case, and how."""
        own = {name.casefold() for name in names}
        known: dict[str, str] = {}
        for words in (
            self.languages.get(ALL, {}),
            self.languages.get(language.lower().partition("-")[0], {}),
            *(words for name, words in self.characters.items() if name.casefold() in own),
        ):
            known |= {word.lower(): said for word, said in words.items()}
        return {word: known[word] for word in sorted(known) if re.search(_of(word), text, re.IGNORECASE)}


def respelled(text: str, pronounced: Mapping[str, str]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """`text` with words spelled as they are said, and those that have IPA (between slashes) as pairs beside it."""
    sounds = []
    for word, said in sorted(pronounced.items(), key=lambda pair: (-len(pair[0]), pair[0])):
        if len(said) > 2 and said.startswith("/") and said.endswith("/"):
            sounds.append((word, said.strip("/")))
        else:
            text = re.sub(_of(word), said.replace("\\", ""), text, flags=re.IGNORECASE)
    return text, tuple(sorted(sounds))


def _of(word: str) -> str:
    """A pattern that finds a word, but not inside another one; Japanese has no ends of words to go by."""
    whole = re.escape(word)
    return rf"(?<![^\W_]){whole}(?![^\W_])" if word.isascii() else whole


def parse_pins(text: str, where: Path) -> Pins:
    """Read cast.toml; UsageError for what it cannot mean."""
    try:
        return Pins.model_validate(_tables(text, where))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            f"{where} is not a valid cast: {place}: {first['msg']}.",
            'Write narrator = "ID", and for each character a [[character]] with name, aliases, voice, pronunciation.',
        ) from error


def parse_wordbook(text: str, where: Path) -> Wordbook:
    """Read lexicon.toml; UsageError for what it cannot mean."""
    tables = _tables(text, where)
    characters = tables.pop(CHARACTERS, {})
    if not isinstance(characters, dict):
        characters = {CHARACTERS: characters}
    for name, words in {**tables, **characters}.items():
        table = words if isinstance(words, dict) else {}
        wrong = next((word for word, said in table.items() if not (isinstance(said, str) and said)), None)
        if table is not words or wrong is not None:
            what = f"[{name}] does not say in words how “{wrong}” is said" if table is words else f"{name} is no table"
            raise UsageError(
                f"{where} is not a valid lexicon: {what}.",
                'Write [all], [en], [ja] or [characters.NAME], and below it WORD = "as it is said" or "/IPA/".',
            )
    return Wordbook(tables, characters)  # type: ignore[arg-type]


def _tables(text: str, where: Path) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{where} is not valid TOML: {error}.", "Mend that line.") from error


def with_names(wordbook: Wordbook, pins: Pins) -> Wordbook:
    """The wordbook with the pronunciations of pinned names in every language."""
    names = {
        name: character.pronunciation
        for character in pins.characters
        if character.pronunciation
        for name in (character.name,)
    }
    return Wordbook(
        {**wordbook.languages, ALL: {**names, **wordbook.languages.get(ALL, {})}},
        wordbook.characters,
    )
