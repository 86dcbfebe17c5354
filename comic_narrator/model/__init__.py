"""The artefacts of a run and the values that pass between stages; the formats are promises to users.

Boxes are pixels of the stored page image, origin top left. Times are seconds; the film's clock is whole frames.
"""

from __future__ import annotations

from comic_narrator.model.book import Book, BookPage, Chapter, Direction, Paging, PlannedPicture, Treatment
from comic_narrator.model.geometry import Box, View
from comic_narrator.model.page import (
    CAST_KINDS,
    DOUBTFUL,
    SPOKEN_KINDS,
    UNSURE_PANEL,
    Figure,
    Line,
    LineKind,
    Note,
    Outline,
    PagePanels,
    PageReading,
    PageText,
    Panel,
    PrintedWord,
    SeenSound,
)
from comic_narrator.model.parts import Artefact, ArtefactT, Part, parse_artefact
from comic_narrator.model.people import Cast, Character, PageLabel, People, Person
from comic_narrator.model.script import (
    Beat,
    BeatKind,
    JudgedTake,
    Script,
    TakeFault,
    Takes,
    TranslatedLine,
    Translation,
)
from comic_narrator.model.timing import SAMPLE_RATE, Clip, Cutout, Light, Nearness, Scene, Shot, Timing

__all__ = [
    "CAST_KINDS",
    "DOUBTFUL",
    "SAMPLE_RATE",
    "SPOKEN_KINDS",
    "UNSURE_PANEL",
    "Artefact",
    "ArtefactT",
    "Beat",
    "BeatKind",
    "Book",
    "BookPage",
    "Box",
    "Cast",
    "Chapter",
    "Character",
    "Clip",
    "Cutout",
    "Direction",
    "Figure",
    "JudgedTake",
    "Light",
    "Line",
    "LineKind",
    "Nearness",
    "Note",
    "Outline",
    "PageLabel",
    "PagePanels",
    "PageReading",
    "PageText",
    "Paging",
    "Panel",
    "Part",
    "People",
    "Person",
    "PlannedPicture",
    "PrintedWord",
    "Scene",
    "Script",
    "SeenSound",
    "Shot",
    "TakeFault",
    "Takes",
    "Timing",
    "TranslatedLine",
    "Translation",
    "Treatment",
    "View",
    "parse_artefact",
]
