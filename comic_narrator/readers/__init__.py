"""Reading: what is printed on a page, who says it, and what is seen and heard in its panels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from comic_narrator.model import (
    CAST_KINDS,
    BookPage,
    Box,
    Direction,
    Figure,
    Line,
    LineKind,
    Note,
    PageLabel,
    PagePanels,
    PageReading,
    Person,
    PrintedWord,
    SeenSound,
)
from comic_narrator.report import ReadingReport


@dataclass(frozen=True)
class PageToRead:
    """A page handed to a reader: its image file (RGB or grey), and its panels in reading order, in its pixels.

    `words` is the text layer of the book's file: a hint, not the truth. `page` is its id in the book, `evidence` what
    another reader made of it, for one that starts from that.
    """

    image: Path
    panels: tuple[Box, ...]
    direction: Direction
    language: str
    words: tuple[PrintedWord, ...] = ()
    page: str = ""
    evidence: Reading | None = None


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
    role: str | None = None


@dataclass(frozen=True)
class ReadSound:
    """Something drawn in a panel that makes a sound, in a few English words."""

    panel: int
    what: str
    kind: Literal["momentary", "continuous"]


@dataclass(frozen=True)
class ReadNote:
    """What a panel shows in one sentence, how fast it moves (`pacing`), and how near it is seen (`shot`)."""

    panel: int
    scene: str | None = None
    pacing: str | None = None
    shot: str | None = None


@dataclass(frozen=True)
class Reading:
    """What a reader found on one page, lines in reading order; `remarks` say what fell short, without a full stop."""

    lines: tuple[ReadLine, ...]
    figures: tuple[SeenFigure, ...] = ()
    sounds: tuple[ReadSound, ...] = ()
    notes: tuple[ReadNote, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class PageFigure:
    """Somebody of one page: what it calls them, how they look, where they are seen on its image, what they say.

    `panels` has the panel of each place of `seen`, `turns` the place of each line of `said` among what is said on the
    page, from 0; `hidden` are the balloons and boxes that cover the page's art.
    """

    page: str
    image: Path
    label: str
    looks: str | None = None
    seen: tuple[Box, ...] = ()
    panels: tuple[Box, ...] = ()
    said: tuple[str, ...] = ()
    turns: tuple[int, ...] = ()
    hidden: tuple[Box, ...] = ()
    role: str | None = None


@dataclass(frozen=True)
class SpokenLine:
    """A line to be translated, and who says it; nobody: the narrator."""

    text: str
    speaker: str | None = None


class Translator(Protocol):
    """Translates lines; `identity` changes whenever its answers may."""

    @property
    def identity(self) -> str:
        """What the journal hashes: model, prompts and settings, never an address."""
        ...

    def translate(self, lines: Sequence[SpokenLine], source: str, target: str) -> tuple[str | None, ...]:
        """Each line in the language `target` (BCP-47), in order; None where no usable answer was had."""
        ...


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

    @property
    def lanes(self) -> int:
        """How many pages one reader reads at once, from as many threads; 1 where more are not quicker."""
        ...

    @property
    def starts_from(self) -> str | None:
        """The name of the reader whose reading of a page it takes as `evidence`, or else makes itself; or None."""
        ...

    @property
    def translator(self) -> Translator | None:
        """What translates lines on the same model; None where it cannot."""
        ...

    def check(self, language: str | None = None) -> None:
        """Raise the NarratorError that says what is missing, if it cannot work, or cannot read a language (BCP-47)."""
        ...

    def language(self, images: Sequence[Path]) -> str:
        """The language these pages are lettered in, as a BCP-47 tag; a reader looks at as few as it needs."""
        ...

    def read(self, page: PageToRead, cast: Sequence[Person]) -> Reading:
        """Read one page; `cast` is who is known so far. BackendAnswerError where it cannot, and others may be read."""
        ...

    def who_is_who(self, figures: Sequence[PageFigure]) -> tuple[Person, ...]:
        """Which of the book's figures are one person; every figure is in just one, names are unique.

        BackendAnswerError where it cannot tell.
        """
        ...

    def account(self) -> ReadingReport | None:
        """What was asked of a model server so far; None where none is asked."""
        ...

    def close(self) -> None:
        """Let go of what it holds; what is asked in other threads ends at once."""
        ...


def one_person_a_label(figures: Sequence[PageFigure]) -> tuple[Person, ...]:
    """Who is who where a label means the same person on every page."""
    labels: dict[str, list[PageFigure]] = {}
    for figure in figures:
        labels.setdefault(figure.label, []).append(figure)
    return tuple(
        Person(
            name=label,
            looks=next((figure.looks for figure in seen if figure.looks), None),
            role=next((figure.role for figure in seen if figure.role), None),
            labels=tuple(PageLabel(page=figure.page, label=label) for figure in seen),
        )
        for label, seen in labels.items()
    )


def figures_of(reading: PageReading, image: Path) -> tuple[PageFigure, ...]:
    """Everybody of a page that is seen or speaks, in the order of its figures and lines."""
    said = [line for line in reading.lines if line.kind in CAST_KINDS]
    labels = dict.fromkeys(
        [figure.label for figure in reading.figures] + [line.speaker for line in said if line.speaker]
    )
    hidden = tuple(box for line in reading.lines if (box := line.balloon or line.bbox))
    return tuple(
        PageFigure(
            page=reading.page,
            image=image,
            label=label,
            looks=next((figure.looks for figure in reading.figures if figure.label == label), None),
            role=next((figure.role for figure in reading.figures if figure.label == label), None),
            seen=tuple(figure.bbox for figure in reading.figures if figure.label == label and figure.bbox),
            panels=tuple(
                reading.panel(figure.panel).bbox for figure in reading.figures if figure.label == label and figure.bbox
            ),
            said=tuple(line.text for line in said if line.speaker == label),
            turns=tuple(i for i, line in enumerate(said) if line.speaker == label),
            hidden=hidden,
        )
        for label in labels
    )


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
            Figure(label=f.label, panel=ids[f.panel], bbox=f.bbox, looks=f.looks, role=f.role, emotion=f.emotion)
            for f in reading.figures
        ),
        sounds=tuple(SeenSound(panel=ids[s.panel], what=s.what, kind=s.kind) for s in reading.sounds),
        notes=tuple(Note(panel=ids[n.panel], scene=n.scene, pacing=n.pacing, shot=n.shot) for n in reading.notes),
        remarks=reading.remarks,
    )
