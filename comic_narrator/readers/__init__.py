"""Reading: what is printed on a page, who says it, and what is seen and heard in its panels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from comic_narrator.model import (
    BookPage,
    Box,
    Character,
    Direction,
    Figure,
    Line,
    LineKind,
    PagePanels,
    PageReading,
    PrintedWord,
)


@dataclass(frozen=True)
class PageToRead:
    """A page handed to a reader: its image file (RGB or grey), and its panels in reading order, in its pixels.

    `words` is the text layer of the book's file: a hint, not the truth.
    """

    image: Path
    panels: tuple[Box, ...]
    direction: Direction
    language: str
    words: tuple[PrintedWord, ...] = ()


@dataclass(frozen=True)
class ReadLine:
    """A line as read; `panel` indexes the page's panels, boxes are page pixels.

    `bbox` hugs the lettering, `balloon` the balloon or caption box around it, `tail` is the tip of the balloon's tail.
    """

    panel: int
    kind: LineKind
    text: str
    bbox: Box
    confidence: float
    balloon: Box | None = None
    tail: tuple[int, int] | None = None
    speaker: str | None = None
    speaker_confidence: float | None = None
    tone: str | None = None


@dataclass(frozen=True)
class SeenFigure:
    """A person or creature in a panel; `label` is the same for the same person through the book."""

    panel: int
    label: str
    looks: str
    bbox: Box | None = None
    emotion: str | None = None


@dataclass(frozen=True)
class Reading:
    """What a reader found on one page, lines in reading order."""

    lines: tuple[ReadLine, ...]
    figures: tuple[SeenFigure, ...] = ()


class Reader(Protocol):
    """Reads pages; thread-safe. `identity` changes whenever its answers may."""

    @property
    def identity(self) -> str:
        """What the journal hashes: model, prompts and settings, never an address."""
        ...

    @property
    def processes(self) -> int:
        """In how many processes, each with a reader of its own, many pages are read quickest; 1 where one is enough."""
        ...

    def check(self, language: str | None = None) -> None:
        """Raise the NarratorError that says what is missing, if it cannot work, or cannot read a language (BCP-47)."""
        ...

    def language(self, images: Sequence[Path]) -> str:
        """The language these pages are lettered in, as a BCP-47 tag; a reader looks at as few as it needs."""
        ...

    def read(self, page: PageToRead, cast: Sequence[Character]) -> Reading:
        """Read one page; `cast` is who is known so far."""
        ...


def number(book_page: BookPage, panels: PagePanels, reading: Reading, language: str) -> PageReading:
    """Give a reading its ids: the lines of panel 0007.03 are 0007.03.1, .2, ... in reading order."""
    ids = [panel.id for panel in panels.panels]
    seen = [0] * len(ids)
    lines = []
    for line in sorted(reading.lines, key=lambda line: line.panel):
        seen[line.panel] += 1
        lines.append(
            Line(
                id=f"{ids[line.panel]}.{seen[line.panel]}",
                panel=ids[line.panel],
                kind=line.kind,
                text=line.text,
                bbox=line.bbox,
                balloon=line.balloon,
                tail=line.tail,
                speaker=line.speaker,
                speaker_confidence=None if line.speaker_confidence is None else round(line.speaker_confidence, 3),
                tone=line.tone,
                confidence=round(line.confidence, 3),
            )
        )
    return PageReading(
        page=book_page.id,
        image=book_page.image,
        width=book_page.width,
        height=book_page.height,
        direction=panels.direction,
        language=language,
        panels=panels.panels,
        lines=tuple(lines),
        figures=tuple(
            Figure(label=f.label, panel=ids[f.panel], bbox=f.bbox, looks=f.looks, emotion=f.emotion)
            for f in reading.figures
        ),
    )
