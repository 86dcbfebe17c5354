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
    PageReading,
    Panel,
)


@dataclass(frozen=True)
class PageToRead:
    """A page handed to a reader: its image file (RGB or grey), and its panels in reading order, in its pixels."""

    image: Path
    panels: tuple[Box, ...]
    direction: Direction
    language: str


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

    def check(self) -> None:
        """Raise the NarratorError that says what is missing, if it cannot work."""
        ...

    def language(self, images: Sequence[Path]) -> str:
        """The language these pages are lettered in, as a BCP-47 tag."""
        ...

    def read(self, page: PageToRead, cast: Sequence[Character]) -> Reading:
        """Read one page; `cast` is who is known so far."""
        ...


def number(book_page: BookPage, page: PageToRead, reading: Reading) -> PageReading:
    """Give a reading its ids: panel 0007.03, its lines 0007.03.1, .2, ... in reading order."""
    panels = tuple(Panel(id=f"{book_page.id}.{i:02}", bbox=box) for i, box in enumerate(page.panels, 1))
    seen = [0] * len(panels)
    lines = []
    for line in sorted(reading.lines, key=lambda line: line.panel):
        seen[line.panel] += 1
        lines.append(
            Line(
                id=f"{panels[line.panel].id}.{seen[line.panel]}",
                panel=panels[line.panel].id,
                kind=line.kind,
                text=line.text,
                bbox=line.bbox,
                balloon=line.balloon,
                tail=line.tail,
                speaker=line.speaker,
                tone=line.tone,
                confidence=round(line.confidence, 3),
            )
        )
    return PageReading(
        page=book_page.id,
        image=book_page.image,
        width=book_page.width,
        height=book_page.height,
        direction=page.direction,
        language=page.language,
        panels=panels,
        lines=tuple(lines),
        figures=tuple(
            Figure(label=f.label, panel=panels[f.panel].id, bbox=f.bbox, looks=f.looks, emotion=f.emotion)
            for f in reading.figures
        ),
    )
