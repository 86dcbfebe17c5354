"""book.json and paging.json: the pages of a book, and what becomes of each picture that it holds."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from comic_narrator.model.geometry import Box
from comic_narrator.model.parts import Artefact, Part

Direction = Literal["ltr", "rtl", "vertical"]


class BookPage(Part):
    """One page of a book: its stored image and where it came from."""

    id: str
    image: str
    sha256: str
    width: int = Field(gt=0)
    height: int = Field(gt=0)
    source: str
    source_box: Box


class Chapter(Part):
    """A chapter, named at its first page."""

    title: str
    page: str


class Book(Artefact):
    """book.json: what the book is and its pages in reading order."""

    schema_: Literal["comic_narrator.book/1"] = Field("comic_narrator.book/1", alias="schema")
    title: str
    series: str | None = None
    number: str | None = None
    language: str
    direction: Direction
    chapters: tuple[Chapter, ...] = ()
    pages: tuple[BookPage, ...] = Field(min_length=1)


Treatment = Literal["page", "split", "strip", "blank", "skip", "broken"]
"""What becomes of a picture: a page, two pages, pages by its cuts, or none."""


class PlannedPicture(Part):
    """A picture of the container and what becomes of it; a hand edit of `treat`, `fold` or `cuts` has its way.

    `frame` counts the pages of a picture file from 0, width and height are upright pixels. `fold` is the column at
    which a double page parts, `cuts` are the rows of a strip at which a page begins; `chapter` is the title of the
    chapter that begins here.
    """

    source: str
    frame: int = Field(0, ge=0)
    width: int = Field(0, ge=0)
    height: int = Field(0, ge=0)
    treat: Treatment
    why: str | None = None
    fold: int | None = None
    cuts: tuple[int, ...] = ()
    chapter: str | None = None

    @model_validator(mode="after")
    def _cuts_lie_inside(self) -> Self:
        if list(self.cuts) != sorted({row for row in self.cuts if 0 <= row < self.height}):
            raise ValueError(f"the cuts of {self.source} are not rows of it in rising order")
        if self.treat in ("page", "split", "strip") and not (self.width and self.height):
            raise ValueError(f"{self.source} is to be shown, but has no size")
        if self.fold is not None and not 0 < self.fold < self.width:
            raise ValueError(f"the fold of {self.source} is not inside it")
        return self


class Paging(Artefact):
    """paging.json: what the book says of itself, and how its pictures become pages."""

    schema_: Literal["comic_narrator.paging/1"] = Field("comic_narrator.paging/1", alias="schema")
    container: str
    title: str
    series: str | None = None
    number: str | None = None
    language: str | None = None
    direction: Direction | None = None
    why: str
    pictures: tuple[PlannedPicture, ...] = Field(min_length=1)
