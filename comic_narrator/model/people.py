"""people.json and cast.json: who is who through a book, and who speaks with which voice."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from comic_narrator.model.parts import Artefact, Part


class PageLabel(Part):
    """What one page calls somebody; `confidence` (0..1) is how surely it is them, None where nobody said."""

    page: str
    label: str
    confidence: float | None = Field(None, ge=0, le=1)


class Person(Part):
    """Somebody in the book, by whatever its pages call them; `name` is theirs alone in the book.

    Somebody without labels is known from elsewhere, another volume say, and not seen yet.
    """

    name: str
    aliases: tuple[str, ...] = ()
    looks: str | None = None
    role: str | None = None
    labels: tuple[PageLabel, ...] = ()


class People(Artefact):
    """people.json: who is who in the book, in the order in which they are first seen or heard.

    `remarks` are sentences on what fell short in telling it, as in page.json.
    """

    schema_: Literal["comic_narrator.people/1"] = Field("comic_narrator.people/1", alias="schema")
    people: tuple[Person, ...] = ()
    remarks: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _each_is_one(self) -> Self:
        names = [person.name for person in self.people]
        labels = [label for person in self.people for label in person.labels]
        if len(set(names)) < len(names):
            raise ValueError("two people have the same name")
        if len({(label.page, label.label) for label in labels}) < len(labels):
            raise ValueError("one label of a page is given to two people")
        return self

    def who(self, page: str, label: str) -> Person | None:
        """Whom a page calls so."""
        return next(
            (
                person
                for person in self.people
                if any((known.page, known.label) == (page, label) for known in person.labels)
            ),
            None,
        )


class Character(Part):
    """Somebody who speaks, and the voice that was cast."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    looks: str | None = None
    role: str | None = None
    voice: str
    pinned: bool = False
    why: str


class Cast(Artefact):
    """cast.json: the narrator and everybody who speaks in the book."""

    schema_: Literal["comic_narrator.cast/1"] = Field("comic_narrator.cast/1", alias="schema")
    narrator: Character
    characters: tuple[Character, ...] = ()
