"""panels.json and page.json: what is on a page."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from comic_narrator.model.book import Direction
from comic_narrator.model.geometry import Box
from comic_narrator.model.parts import Artefact, Part

LineKind = Literal["dialogue", "thought", "caption", "sfx", "sign"]

SPOKEN_KINDS: frozenset[LineKind] = frozenset({"dialogue", "thought", "caption"})
"""Lines that are heard as words; sound effects become sounds, signs stay pictures."""

CAST_KINDS: frozenset[LineKind] = frozenset({"dialogue", "thought"})
"""Lines that somebody in the story says; captions are the narrator's."""

DOUBTFUL = 0.7
"""Lines read with less confidence than this are named in the report and marked where they are shown."""
UNSURE_PANEL = 0.5
"""The same for panels, whose sureness has its own scale: ruled panels and insets have 0.6, a page without any 0.3."""


class PrintedWord(Part):
    """A word of a page's text layer and where it stands, in pixels of the stored page image."""

    text: str
    bbox: Box


class PageText(Artefact):
    """text.json: the words of a page's text layer, as the book's file states them."""

    schema_: Literal["comic_narrator.text/1"] = Field("comic_narrator.text/1", alias="schema")
    page: str
    words: tuple[PrintedWord, ...]


class Panel(Part):
    """One panel of a page; `confidence` (0..1) is how sure the finder is of it, None where nobody said."""

    id: str
    bbox: Box
    confidence: float | None = Field(None, ge=0, le=1)

    @property
    def doubtful(self) -> bool:
        """Whether it may well not be a panel, or not all of it."""
        return self.confidence is not None and self.confidence < UNSURE_PANEL


class PagePanels(Artefact):
    """panels.json: the panels of a page in reading order, before anything is read."""

    schema_: Literal["comic_narrator.panels/1"] = Field("comic_narrator.panels/1", alias="schema")
    page: str
    width: int = Field(gt=0)
    height: int = Field(gt=0)
    direction: Direction
    panels: tuple[Panel, ...] = Field(min_length=1)


class Line(Part):
    """One printed line: a balloon, caption, sound word or sign, as lettered."""

    id: str
    panel: str
    kind: LineKind
    text: str
    bbox: Box | None = None
    balloon: Box | None = None
    tail: tuple[int, int] | None = None
    speaker: str | None = None
    speaker_confidence: float | None = Field(None, ge=0, le=1)
    tone: str | None = None
    confidence: float = Field(ge=0, le=1)

    @property
    def doubtful(self) -> bool:
        """Whether it was read too unsurely to be trusted."""
        return self.confidence < DOUBTFUL

    @property
    def speaker_doubtful(self) -> bool:
        """Whether somebody else may well say it."""
        return self.speaker_confidence is not None and self.speaker_confidence < DOUBTFUL


Outline = tuple[tuple[int, int], ...]
"""The corners of an area of any shape, in page pixels, in order around it."""


class Figure(Part):
    """A person or creature seen in a panel; `mask` is the outline of what is seen of it, where somebody drew that."""

    label: str
    panel: str
    bbox: Box | None = None
    looks: str
    role: str | None = None
    emotion: str | None = None
    mask: Outline | None = Field(None, min_length=3)


class SeenSound(Part):
    """Something drawn that makes a sound."""

    panel: str
    what: str
    kind: Literal["momentary", "continuous"]


class Note(Part):
    """What a panel shows and how it moves."""

    panel: str
    scene: str | None = None
    pacing: str | None = None
    shot: str | None = None


class PageReading(Artefact):
    """page.json: the panels of a page and what stands in them, both in reading order."""

    schema_: Literal["comic_narrator.page/1"] = Field("comic_narrator.page/1", alias="schema")
    page: str
    image: str
    width: int = Field(gt=0)
    height: int = Field(gt=0)
    direction: Direction
    language: str
    panels: tuple[Panel, ...] = Field(min_length=1)
    lines: tuple[Line, ...] = ()
    figures: tuple[Figure, ...] = ()
    sounds: tuple[SeenSound, ...] = ()
    notes: tuple[Note, ...] = ()
    remarks: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _panels_are_known(self) -> Self:
        known = {panel.id for panel in self.panels}
        if len(known) < len(self.panels):
            raise ValueError("two panels have the same id")
        if any(panel.bbox.w <= 0 or panel.bbox.h <= 0 for panel in self.panels):
            raise ValueError("a panel's bbox is empty")
        parts: tuple[Line | Figure | SeenSound | Note, ...] = (*self.lines, *self.figures, *self.sounds, *self.notes)
        for part in parts:
            if part.panel not in known:
                raise ValueError(f"panel {part.panel} is named but not listed in panels")
        return self

    def panel(self, panel_id: str) -> Panel:
        """The panel of that id."""
        return next(panel for panel in self.panels if panel.id == panel_id)
