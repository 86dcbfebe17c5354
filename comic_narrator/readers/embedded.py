"""The reader that needs nothing but the CPU: recognised rows of lettering, gathered into balloons by their looks."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import SPOKEN_KINDS, Box, Character, LineKind
from comic_narrator.pictures import load_rgb
from comic_narrator.readers import PageToRead, Reading, ReadLine
from comic_narrator.readers.balloons import Group, gather
from comic_narrator.readers.kinds import Page, in_columns, is_print, kind_of, lightest_ground, usual_size
from comic_narrator.readers.lettering import join_rows, language_of, lettered_rows
from comic_narrator.readers.looks import Spot, looks_of
from comic_narrator.readers.placing import nearest_panel, reading_order
from comic_narrator.readers.regions import Region, find_regions
from comic_narrator.readers.speakers import Said, with_speakers
from comic_narrator.readers.tails import trace
from comic_narrator.readers.words import Row, Words

GROUPING = 1
REMEMBERED = 8
TAILED: frozenset[LineKind] = frozenset({"dialogue", "thought"})
LOOK_REACH = 2.5
"""A speaker's looks are taken from so many heights of the lettering round the place that the tail points at."""
SAMPLE = 3
"""Pages that are looked at to tell the language."""


class EmbeddedReader:
    """Reads pages on the CPU with models out of installed packages; thread-safe, loads at the first page."""

    def __init__(self) -> None:
        self._words = Words()
        self._lock = threading.Lock()
        self._rows: dict[tuple[Path, int], tuple[Row, ...]] = {}

    @property
    def identity(self) -> str:
        """The version of the recogniser and of the grouping."""
        return f"rapidocr-{Words.version()}/grouping-{GROUPING}"

    def check(self) -> None:
        """Raise MissingToolError if the recogniser or its models are not installed."""
        Words.models()

    def language(self, images: Sequence[Path]) -> str:
        """The language that up to three of these pages are lettered in, as a BCP-47 tag; "en" if they have no words."""
        # The first pages of a book are covers and adverts: look into its middle.
        middle = (len(images) - 1) // 2
        nearest = sorted(range(len(images)), key=lambda i: abs(i - middle))[:SAMPLE]
        rows = [row for i in sorted(nearest) for row in self._read_rows(images[i], load_rgb(images[i]))]
        return language_of(rows)

    def read(self, page: PageToRead, cast: Sequence[Character]) -> Reading:
        """Read one page; who speaks is told apart by the side of the panel, and `cast` is not needed for that."""
        image = load_rgb(page.image)
        rows = lettered_rows(self._read_rows(page.image, image), page.language)
        home, regions = find_regions(image, rows, page.panels)
        groups = gather(rows, page.panels, home, regions)
        height, width = image.shape[:2]
        usual, printed = usual_size(groups), is_print(groups, page.panels)
        looks = Page(
            width, height, page.panels, usual, lightest_ground(groups), page.language, in_columns(groups), printed
        )
        lines = _lines(groups, looks)
        if len(page.panels) == 1 and not any(line.kind in SPOKEN_KINDS for _, line in lines):
            lines = _lines(groups, replace(looks, titles_only=True))
        lines = [lines[i] for i in reading_order([line for _, line in lines], page.panels, page.direction)]
        said = _said(image, lines, page.panels, regions)
        return Reading(tuple(with_speakers(said, page.panels, page.direction)))

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


def _lines(groups: Sequence[Group], page: Page) -> list[tuple[Group, ReadLine]]:
    return [(group, line) for group in groups if (line := _line(group, page)) is not None]


def _said(
    image: NDArray[np.uint8],
    lines: Sequence[tuple[Group, ReadLine]],
    panels: Sequence[Box],
    regions: Sequence[Region],
) -> list[Said]:
    """The lines with all that tells who says them."""
    said = []
    for group, line in lines:
        tail = None
        if line.kind in TAILED and group.balloon is not None:
            tail = trace(image, group.balloon, group.size, panels[line.panel]).tail
        ground = group.balloon.number if group.balloon is not None else None
        said.append(Said(replace(line, tail=tail.tip if tail is not None else None), group.size, tail, ground))
    spots = [Spot(panels[one.line.panel], *one.mouth, LOOK_REACH * one.size) for one in said]
    size = float(np.median([one.size for one in said])) if said else 1.0
    looks = looks_of(image, spots, size, [region.box for region in regions if region.closed])
    return [replace(one, look=look) for one, look in zip(said, looks, strict=True)]


def _line(group: Group, page: Page) -> ReadLine | None:
    text = join_rows([row.text for row in group.rows], page.language)
    if not any(c.isalnum() for c in text):
        return None
    kind = kind_of(group, text, page)
    ground = group.balloon if kind in SPOKEN_KINDS else None
    return ReadLine(
        panel=group.panel if group.panel is not None else nearest_panel(group.box, page.panels),
        kind=kind,
        text=text,
        bbox=group.box,
        confidence=group.confidence,
        balloon=None if ground is None else ground.box.union(group.box).within(page.width, page.height),
    )
