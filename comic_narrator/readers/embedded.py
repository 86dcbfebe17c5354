"""The reader that needs nothing but the CPU: recognised rows of lettering, gathered into balloons by their looks."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from comic_narrator.machine import cores, free_memory
from comic_narrator.model import CAST_KINDS, SPOKEN_KINDS, Box, LineKind, Person
from comic_narrator.pictures import load_rgb
from comic_narrator.readers import PageFigure, PageToRead, Reading, ReadLine, SeenFigure, Translator
from comic_narrator.readers.balloons import Group, at_home, gather
from comic_narrator.readers.detected import on_detected
from comic_narrator.readers.detector import BalloonDetector, model_path
from comic_narrator.readers.doubts import sureness, with_page
from comic_narrator.readers.guises import Paper
from comic_narrator.readers.hints import with_hints
from comic_narrator.readers.kinds import (
    Page,
    in_columns,
    is_print,
    kind_of,
    lightest_ground,
    one_kind,
    usual_ground,
    usual_size,
)
from comic_narrator.readers.languages import check_language
from comic_narrator.readers.lettering import join_rows, language_of, lettered_rows
from comic_narrator.readers.looks import Spot, looks_of
from comic_narrator.readers.people import people_of
from comic_narrator.readers.placing import nearest_panel, reading_order
from comic_narrator.readers.regions import find_regions
from comic_narrator.readers.speakers import Said, with_speakers
from comic_narrator.readers.tails import Outline, trace
from comic_narrator.readers.tones import tone_of
from comic_narrator.readers.words import Row, Words
from comic_narrator.report import ReadingReport
from comic_narrator.settings import ReaderSettings

GROUPING = 9
CORES = 2
"""Cores that one process keeps busy."""
MEMORY = 1_200_000_000
"""Bytes of free memory for each process; it takes 700 MB, and something is left for the rest of the machine."""
REMEMBERED = 8
LOOK_REACH = 2.5
"""A speaker's looks are taken from so many heights of the lettering round the place that the tail points at."""
SAMPLE = 3
"""Pages that are looked at to tell the language."""


def embedded_reader(settings: ReaderSettings) -> EmbeddedReader:
    """The reader as the settings want it; MissingToolError when they name a balloon model that is not there."""
    return EmbeddedReader(model_path(settings.balloon_model, os.environ, Path.home()))


class EmbeddedReader:
    """Reads pages on the CPU with models out of installed packages; thread-safe, loads at the first page.

    With a balloon model (an ONNX file), the balloons that it detects are put before those that are seen by their looks.
    """

    def __init__(self, balloon_model: Path | None = None) -> None:
        self._words = Words()
        self._balloons = BalloonDetector(balloon_model) if balloon_model else None
        self._lock = threading.Lock()
        self._rows: dict[tuple[Path, int], tuple[Row, ...]] = {}

    @property
    def identity(self) -> str:
        """The version of the recogniser and of the grouping, and the balloon model if there is one."""
        parts = [f"rapidocr-{Words.version()}", f"grouping-{GROUPING}"]
        return "/".join([*parts, self._balloons.identity] if self._balloons else parts)

    @property
    def processes(self) -> int:
        """One for every two cores, as far as memory reaches."""
        return max(1, min(cores() // CORES, free_memory() // MEMORY))

    @property
    def lanes(self) -> int:
        """One: the models use all cores that a process is given."""
        return 1

    @property
    def starts_from(self) -> str | None:
        """Nothing but the picture."""
        return None

    @property
    def translator(self) -> Translator | None:
        """None: its models know letters, not words."""
        return None

    def check(self, language: str | None = None) -> None:
        """Raise MissingToolError if the recogniser is not installed, UsageError if it cannot read the language."""
        Words.models()
        if language is not None:
            check_language(language)
        if self._balloons:
            self._balloons.check()

    def language(self, images: Sequence[Path]) -> str:
        """The language that up to three of these pages are lettered in, as a BCP-47 tag; "en" if they have no words."""
        # The first pages of a book are covers and adverts: look into its middle.
        middle = (len(images) - 1) // 2
        nearest = sorted(range(len(images)), key=lambda i: abs(i - middle))[:SAMPLE]
        rows = [row for i in sorted(nearest) for row in self._read_rows(images[i], load_rgb(images[i]))]
        return language_of(rows)

    def read(self, page: PageToRead, cast: Sequence[Person]) -> Reading:
        """Read one page; speakers are told apart page by page, by what is drawn, and `cast` is not needed for that."""
        image = load_rgb(page.image)
        rows = lettered_rows(with_hints(self._read_rows(page.image, image), page.words, page.language), page.language)
        home, regions = find_regions(image, rows, page.panels)
        if self._balloons:
            home, regions = on_detected(image, rows, home, regions, self._balloons.find(image))
        groups = gather(rows, page.panels, home, regions)
        outlines = [_outline(image, group, page.panels, [row.box for row in rows]) for group in groups]
        whole = Box(0, 0, image.shape[1], image.shape[0])
        groups = [
            at_home(group, outline.tail if outline is not None else None, page.panels, whole)
            for group, outline in zip(groups, outlines, strict=True)
        ]
        looks = _page_of(image, page, groups)
        lines = _lines(groups, outlines, looks)
        if len(page.panels) == 1 and not any(one.line.kind in SPOKEN_KINDS for one in lines):
            lines = _lines(groups, outlines, replace(looks, titles_only=True))
        lines = _sure(lines)
        said = [lines[i] for i in reading_order([one.line for one in lines], page.panels, page.direction)]
        seen = _with_looks(image, said, page.panels, [region.box for region in regions if region.closed])
        told = with_speakers(seen, page.panels, page.direction)
        return Reading(tuple(told), _figures(image, seen, told, page.panels))

    def who_is_who(self, figures: Sequence[PageFigure]) -> tuple[Person, ...]:
        """Voices of several pages are one person where they look so much alike that it is likelier than not."""
        return people_of(figures)

    def account(self) -> ReadingReport | None:
        """None: no server is asked."""
        return None

    def close(self) -> None:
        """Nothing is held."""

    def _read_rows(self, path: Path, image: NDArray[np.uint8]) -> tuple[Row, ...]:
        key = (path, path.stat().st_mtime_ns)
        with self._lock:
            known = self._rows.get(key)
        if known is None:
            known = self._words.rows(image)
            with self._lock:
                while len(self._rows) >= REMEMBERED:
                    del self._rows[next(iter(self._rows))]
                self._rows[key] = known
        return known


def _page_of(image: NDArray[np.uint8], page: PageToRead, groups: Sequence[Group]) -> Page:
    height, width = image.shape[:2]
    return Page(
        width,
        height,
        page.panels,
        usual_size(groups),
        lightest_ground(groups),
        page.language,
        usual_ground(groups),
        in_columns(groups),
        is_print(groups, page.panels),
    )


def _outline(image: NDArray[np.uint8], group: Group, panels: Sequence[Box], lettering: Sequence[Box]) -> Outline | None:
    if group.balloon is None:
        return None
    panel = panels[group.panel] if group.panel is not None else None
    return trace(image, group.balloon, group.size, panel, lettering)


def _lines(groups: Sequence[Group], outlines: Sequence[Outline | None], page: Page) -> list[Said]:
    texts = [join_rows([row.text for row in group.rows], page.language) for group in groups]
    kinds = one_kind(
        [
            kind_of(group, text, page, outline.tail if outline else None, cloud=outline.cloud if outline else False)
            for group, text, outline in zip(groups, texts, outlines, strict=True)
        ],
        [(group.panel, text.casefold()) for group, text in zip(groups, texts, strict=True)],
    )
    # Dots and marks are somebody's silence or surprise in a balloon, and specks anywhere else.
    return [
        _line(group, text, kind, outline, page)
        for group, text, kind, outline in zip(groups, texts, kinds, outlines, strict=True)
        if any(c.isalnum() for c in text) or (kind in CAST_KINDS and group.balloon is not None)
    ]


def _line(group: Group, text: str, kind: LineKind, outline: Outline | None, page: Page) -> Said:
    tail = outline.tail if outline is not None else None
    spoken = kind in CAST_KINDS
    ground = group.balloon if kind in SPOKEN_KINDS else None
    line = ReadLine(
        panel=group.panel if group.panel is not None else nearest_panel(group.box, page.panels),
        kind=kind,
        text=text,
        bbox=group.box,
        confidence=sureness(group, text, kind, page.language),
        balloon=None if ground is None else ground.box.union(group.box).within(page.width, page.height),
        tail=tail.tip if tail is not None and spoken else None,
        tone=tone_of(text, group.size, page.usual, outline) if spoken else None,
    )
    return Said(line, group.size, tail if spoken else None, ground.number if ground is not None else None)


def _sure(lines: Sequence[Said]) -> list[Said]:
    """The lines with how sure those that are heard are, seen together."""
    at = [i for i, one in enumerate(lines) if one.line.kind in SPOKEN_KINDS]
    seen = list(lines)
    for i, sure in zip(at, with_page([lines[i].line.confidence for i in at]), strict=True):
        seen[i] = replace(lines[i], line=replace(lines[i].line, confidence=sure))
    return seen


def _with_looks(
    image: NDArray[np.uint8], said: Sequence[Said], panels: Sequence[Box], hidden: Sequence[Box]
) -> list[Said]:
    """The lines that have speakers with what their tails point at."""
    at = [i for i, one in enumerate(said) if one.line.kind in CAST_KINDS]
    seen = list(said)
    if len(at) < 2:
        return seen
    spots = [Spot(panels[said[i].line.panel], *said[i].mouth, LOOK_REACH * said[i].size) for i in at]
    size = float(np.median([said[i].size for i in at]))
    for i, look in zip(at, looks_of(image, spots, size, hidden), strict=True):
        seen[i] = replace(said[i], look=look)
    return seen


def _figures(
    image: NDArray[np.uint8], said: Sequence[Said], told: Sequence[ReadLine], panels: Sequence[Box]
) -> tuple[SeenFigure, ...]:
    """Who is seen in each panel: each speaker of it once, around where a tail points; nobody where that is outside."""
    places: dict[tuple[int, str], Box] = {}
    for one, line in zip(said, told, strict=True):
        if line.speaker is not None and one.place is not None and (line.panel, line.speaker) not in places:
            panel = panels[line.panel]
            place = one.place.cut(panel)
            if place is not None and min(place.w, place.h) >= one.size:
                places[line.panel, line.speaker] = place
    hidden = [line.balloon or line.bbox for line in told]
    paper = Paper(image, list(places.values()), hidden)
    return tuple(
        SeenFigure(panel, label, paper.words(place, panels[panel]), place) for (panel, label), place in places.items()
    )
