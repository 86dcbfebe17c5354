"""What a group of rows is: speech in a balloon, a caption, a sound, or lettering that nobody says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comic_narrator.lexicon import english_words
from comic_narrator.model import Box, LineKind
from comic_narrator.readers.balloons import Group
from comic_narrator.readers.lettering import wide
from comic_narrator.readers.regions import Region
from comic_narrator.readers.tails import Tail

LARGE = 1.8
"""Lettering so many times the page's usual size is a title or a sound, unless a balloon holds it."""
SLANTED = 9.0
PALE = 0.9
"""Ground at least this share as light as the page's lightest lettered ground is paper, or a plain balloon."""
DARK = 62.0
"""Ground darker than this (Lab) is neither."""
MANY_ROWS = 20
LEAST_HELD = 0.3
LOOSE_ROWS = 8
"""A page of so many rows is print if so small a share of them is held by balloons or boxes, and each of its panels has
so many others: even captions without a box are a few rows a panel."""
PARAGRAPH = 12
"""Nobody says more rows in one balloon."""
BOUNDED, BOUNDED_OVAL = 0.9, 0.5
"""The share of a box's rim that is seen as an edge, and of an oval's: some without a line lie on pale art."""
BY_LOOSENESS: tuple[LineKind, ...] = ("sfx", "dialogue", "thought", "caption", "sign")
"""Which kind lettering has that is seen as several equally often: what is drawn alike and differs is rarely speech."""
EDGED = 0.95
INK = 30.0
"""Letters further from grey than this (Lab), on ground with less of its rim an edge, are painted into the art."""
LARGEST = 0.045
"""Lettering higher than this share of the page's shorter side is not text."""
FULL = 0.8
FULL_AT_FRAME, FULL_ACROSS = 0.88, 0.95
"""A ruled box fills so much of its upright box; where a frame cuts corners off, or all, it must be clearer."""
ON_FRAME = 0.5
"""A ground nearer to a panel's frame than this share of its lettering's height is cut by it."""
LABEL = 8
"""Letters that a row of a board has at most."""
LONG = 1.0
"""A tail so many heights of the lettering long makes a box a balloon: shorter ones may be its corners."""
ROOM = 1.2
"""A ground that is wider or higher than its words by this is more than a label."""
TINTED = 18.0
"""Captions without a border stand on a ground that differs by more (Lab) from that of the balloons."""
TITLE = 0.022
"""Titles are at least this share of the page's shorter side high."""


_NUMBER = re.compile(r"[\W_]*\d{1,3}[\W_]*(?<![!?！？…])(?<!\.\.)")
"""A number of a page or a thing; years have four digits, and counting is exclaimed or drawn out."""
_ISSUE = re.compile(r"(?=.*\bno[. ]{0,2}\d)\W*(?:(?:[a-z]{1,3}|\d{1,4})(?:\W+|$))+", re.IGNORECASE)
"""What a cover's corner says: month, price and number of the issue, abbreviated all."""
_TALK = frozenset({"i", "me", "my", "you", "your", "we", "us", "our"})
_CLAUSE = _TALK | frozenset(
    ["he", "she", "it", "they", "there", "is", "are", "was", "yes", "don't", "can't", "what's", "that's"]
)
"""Words that signs hardly have and sounds never."""


@dataclass(frozen=True, eq=False)
class Page:
    """What the kinds on one page are judged by: its size, its panels, its usual lettering and that one's ground.

    `columns` says whether most of the lettering is written in columns; `paper` is a colour (Lab).
    """

    width: int
    height: int
    panels: tuple[Box, ...]
    usual: float
    lightest: float
    language: str
    paper: NDArray[np.float32] | None = None
    columns: bool = False
    titles_only: bool = False

    @property
    def short(self) -> float:
        """The side that lettering is measured against: the shorter one, but a newspaper's row of panels is low."""
        return max(min(self.width, self.height), self.width / 2)


def usual_size(groups: Sequence[Group]) -> float:
    """The height of most of a page's lettering, in page pixels, weighted by letters; 0 if there is none."""
    sizes = [group.size for group in groups for row in group.rows for _ in row.text]
    return float(np.median(sizes)) if sizes else 0.0


def usual_ground(groups: Sequence[Group]) -> NDArray[np.float32] | None:
    """The colour (Lab) of the balloons that hold most of a page's lettering; None if there are none."""
    held = [(group.balloon, sum(len(row.text) for row in group.rows)) for group in groups]
    grounds = [(region.colour, letters) for region, letters in held if region is not None]
    if not grounds:
        return None
    return max(
        (colour for colour, _ in grounds),
        key=lambda colour: sum(n for other, n in grounds if np.linalg.norm(other - colour) < TINTED),
    )


def in_columns(groups: Sequence[Group]) -> bool:
    """Whether most of a page's lettering is written in columns."""
    letters = [(len(row.text), group.upright) for group in groups for row in group.rows]
    return 2 * sum(count for count, upright in letters if upright) > sum(count for count, _ in letters)


def lightest_ground(groups: Sequence[Group]) -> float:
    """How light (Lab, 0-100) the lightest tenth of a page's lettered ground is; 0 if there is none."""
    lights = [group.region.bright for group in groups if group.region is not None for _ in group.rows]
    return float(np.percentile(lights, 90)) if lights else 0.0


def is_print(groups: Sequence[Group], panels: Sequence[Box]) -> bool:
    """Whether a page is an advertisement or a text page: many rows, hardly any of them held as speech and captions are.

    What holds the rows tells it: print cut into panels by its rules is still print, a splash full of balloons is none.
    """
    lightest = lightest_ground(groups)
    rows = sum(len(group.rows) for group in groups)
    held = sum(len(group.rows) for group in groups if _is_held(group, lightest))
    return rows >= MANY_ROWS and held < LEAST_HELD * rows and rows - held >= LOOSE_ROWS * len(panels)


def _is_held(group: Group, lightest: float) -> bool:
    """Whether a pale balloon or box with an edge round it holds a group that is no longer than what is said at once."""
    region = group.balloon
    if region is None or len(group.rows) > PARAGRAPH or region.bright < PALE * lightest:
        return False
    return region.edged >= (BOUNDED if region.full >= BOUNDED else BOUNDED_OVAL)


def one_kind(kinds: Sequence[LineKind], alike: Sequence[tuple[int | None, str]]) -> list[LineKind]:
    """The kinds of a page's lines, the same for all whose panel and words are `alike`: the one that most of them have.

    Lettering that is drawn again and again is what it is however the art behind each of them looks.
    """
    seen = {key: Counter(kind for kind, other in zip(kinds, alike, strict=True) if other == key) for key in set(alike)}
    return [max(BY_LOOSENESS, key=lambda kind: seen[key][kind]) for key in alike]


def kind_of(group: Group, text: str, page: Page, tail: Tail | None = None, *, cloud: bool = False) -> LineKind:
    """The kind of a group that reads `text`, with the tail of its balloon, and whether that is a cloud.

    On a page of titles only, the narrator reads those; of the rest, only what stands in a balloon with a tail.
    """
    if page.titles_only and (tail is None or tail.length < LONG or not _is_held(group, page.lightest)):
        return "caption" if _is_title(group, text, page) else "sign"
    if group.panel is None or (page.columns and _is_label(group, text)):
        return "sign"
    region, words = group.balloon, len(text.split())
    share = group.size / page.short
    if region is not None and share <= 2 * LARGEST and not _is_painted(region, text):
        return _in_balloon(group, region, text, page, tail, cloud)
    numbers = sum(any(c.isdigit() for c in word) for word in text.split())
    if not any(c.isalpha() for c in text) or (numbers * 3 > words and not wide(page.language)):
        return "sign"
    if group.size > LARGE * page.usual or share > LARGEST or group.slant > SLANTED:
        return _loose(text, words)
    return _open(group, text, words, page)


def _is_painted(region: Region, text: str) -> bool:
    """Whether a short text in colour stands on ground that no line bounds, as sounds that are drawn into paintings."""
    return region.ink > INK and region.edged < EDGED and len(text.split()) <= 3 and not _sentence(text)


def _in_balloon(group: Group, region: Region, text: str, page: Page, tail: Tail | None, cloud: bool) -> LineKind:
    """The kind of what a balloon, a box, or a closed ground in the picture holds."""
    if not _pale(region, page) and len(text.split()) <= 3 and not _sentence(text):
        return "sign"
    if tail.bubbles if tail is not None else cloud:
        # What is as large as its words is no cloud but a label, and what stands beside it no bubbles.
        return _boxed(group, region, text, page) if _fills(group, region) else "thought"
    if tail is None and (_NUMBER.fullmatch(text) or _ISSUE.fullmatch(text)):
        return "sign"
    if (tail is None or tail.length < LONG) and is_box(region, _panel(group, page), group.size):
        return _boxed(group, region, text, page)
    return "caption" if tail is None and _is_tinted(region, page) and not _addresses(text) else "dialogue"


def _fills(group: Group, region: Region) -> bool:
    """Whether words leave no room on their ground, as on a label: a cloud is drawn round them."""
    return region.box.w < ROOM * group.box.w and region.box.h < ROOM * group.box.h


def is_box(region: Region, panel: Box, size: float) -> bool:
    """Whether a ground in `panel` is a ruled box; `size` is the height of its lettering.

    A panel's frame cuts balloons straight: corners on it say nothing, all others of a box are filled.
    """
    if region.full < FULL:
        return False
    box, near = region.box, ON_FRAME * size
    left, right = abs(box.x - panel.x) < near, abs(panel.right - box.right) < near
    above, below = abs(box.y - panel.y) < near, abs(panel.bottom - box.bottom) < near
    cut = (left or above, right or above, left or below, right or below)
    free = [filled for filled, off in zip(region.corners, cut, strict=True) if not off]
    if len(free) == 4:
        return sum(free) >= 3
    return all(free) and region.full >= (FULL_AT_FRAME if free else FULL_ACROSS)


def _is_label(group: Group, text: str) -> bool:
    """Whether a text is written across and short, as boards are on a page whose speech is written in columns."""
    across = group.box.w > 1.4 * group.box.h and not group.upright
    return across and max(len(row.text) for row in group.rows) <= LABEL and not _sentence(text)


def _open(group: Group, text: str, words: int, page: Page) -> LineKind:
    """Words of usual size on ground that runs on: print if they are many, speech if they stand on bare paper."""
    region = group.region
    across = group.panel is not None and group.box.w >= 0.6 * page.panels[group.panel].w
    pale = region is not None and region.bright >= PALE * page.lightest
    # The outlines of balloons in old newspapers have gaps; captions without a box run across the panel.
    if words >= 8 and (across or (len(group.rows) >= 3 and not pale)):
        return "caption"
    if (
        region is None
        or region.bright < PALE * page.lightest
        or group.size < 0.6 * page.usual
        or (any(c.isdigit() for c in text) and not (words >= 5 and _addresses(text)))
    ):
        return _loose(text, words)
    said = words >= 5 or wide(page.language) or _sentence(text) or (words >= 3 and _has(_CLAUSE, text))
    return "dialogue" if said else _loose(text, words)


def _is_title(group: Group, text: str, page: Page) -> bool:
    """Whether a group is large, surely read, and all English words: ornate lettering is easily read as none."""
    short = page.short
    if group.size < max(min(LARGE * page.usual, LARGEST * short), TITLE * short) or group.confidence < 0.9:
        return False
    words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)*", text)
    known = english_words() if page.language.startswith("en") else frozenset()
    return bool(words) and all(word.casefold() in known for word in words)


def _is_tinted(region: Region, page: Page) -> bool:
    """Whether a ground differs clearly from the paper that the page's other words stand on."""
    return page.paper is not None and float(np.linalg.norm(region.colour - page.paper)) > TINTED


def _addresses(text: str) -> bool:
    """Whether somebody in the story seems to say these words."""
    return text[-1:] in "!！?？" or _has(_TALK, text)


def _has(some: frozenset[str], text: str) -> bool:
    """Whether one of some English words stands in a text."""
    return any(word in some for word in re.findall(r"[a-z]+(?:'[a-z]+)?", text.casefold().replace("’", "'")))


def _pale(region: Region, page: Page) -> bool:
    return region.bright >= max(PALE * page.lightest, DARK)


def _sentence(text: str) -> bool:
    return text[-1:] in "!?.-,…！？。♪~"


def _loose(text: str, words: int) -> LineKind:
    """Words drawn into the art: a short cry is a sound, what goes on after dots is said, all else a sign."""
    if re.match(r"(\.\.+|…)\s*[^\W\d_]", text):
        return "dialogue"
    return "sfx" if words <= 3 and not any(c.isdigit() for c in text) else "sign"


def _panel(group: Group, page: Page) -> Box:
    """The panel that a group stands in, or the page where it stands in none."""
    return page.panels[group.panel] if group.panel is not None else Box(0, 0, page.width, page.height)


def _boxed(group: Group, region: Region, text: str, page: Page) -> LineKind:
    """A rectangle of plain ground: a caption, unless it is a board or label inside the picture."""
    if wide(page.language):
        return "caption" if any(c.isalnum() for c in text) else "sign"
    panel, box = _panel(group, page), region.box
    gaps = (box.x - panel.x, box.y - panel.y, panel.right - box.right, panel.bottom - box.bottom)
    touching = min(gaps) < 0.04 * min(panel.w, panel.h) and box.overlap(panel) > 0
    words = len(text.split())
    said = _sentence(text) and group.size < 1.4 * page.usual
    return "caption" if touching or words >= 8 or said else "sign"
