"""Strips: the pictures of a webtoon are one column, which is parted into pages where nothing is drawn or lettered."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf, log

import cv2
import numpy as np
from numpy.typing import NDArray

Size = tuple[int, int]
Place = tuple[int, int]
Pixels = Callable[[int], NDArray[np.uint8]]

SCALE = 512
"""Pixels that a column is wide while it is looked at: lettering keeps its strokes, the noise of JPEG and print goes.

All heights below are told in widths of the column, so that they hold for strips of any resolution.
"""

CELLS = 32
"""Parts of a row that edges are counted in: two of them are about as wide as a short word."""

EDGE = 12
"""Grey levels between neighbours that make an edge: more than smoothed noise, less than a thin grey outline."""

INK = 90
"""Grey levels between neighbours that lettering has, dark on light or light on dark; screentone and paint seldom do."""

INK_RANGE = (0.08, 0.2)
"""Share of ink edges in two cells below which lettering is nearly ruled out, and above which it is likely."""

BARE_EDGES = 3
"""Edge pixels in a row that is bare all the same: a speck of dust; an outline that crosses the row makes six."""

BARE_SPREAD = 40
"""Grey levels that a bare row may differ along x: a ground may be airbrushed, paper may yellow."""

AIM, LEAST, MOST = 1.6, 0.8, 3.0
"""Heights of a page: aimed at (two or three panels, a screen of a phone), and where it starts to cost dearly.

Readers see a page scaled to a fixed number of pixels; beyond three widths lettering gets too small for them.
"""

FURTHEST = 4.5
"""Height that no page passes, whatever has to be cut for it."""

LETTERING_GAP = 0.06
"""A bare stretch so high parts what it lies between; a lower one may be the space between two lines of a caption."""

THINNEST = 0.008
"""Height of a gutter that counts when a panel's edge lies along it."""

REACH = 0.012
"""Depth in which a panel's edge is looked for beside a gutter: its rule may be soft, or not quite level."""

COLOUR_STEP = 24
"""Grey levels, in any channel, that tell a panel's colour from that of the gutter beside it."""

LONG = 0.3
"""A bare stretch of that height may also be cut near its ends: its blankness then goes to one page."""

BALLOON_RIM = 0.08
"""How far a balloon goes on above and below its lettering, at most, as a rule."""

LETTER_HEIGHT = 0.025
"""About the height of lettering; ink is averaged over it before it is taken for lettering."""

ABUTTING = 0.8
"""Share of a row that is unlike the one above where two panels meet without gutter; a balloon across leaves less."""

STEP = 0.125
"""Of each stretch of that height one row may be cut where there is no gutter."""


@dataclass(frozen=True)
class _Rows:
    """What is kept of a column of n rows: of each, how much is on it.

    Edge pixels (n), those as strong as ink (n, CELLS), pixels unlike those two rows above (n), the middle colour
    (n, 3), and how far the rest is from it (n).
    """

    edges: NDArray[np.uint16]
    ink: NDArray[np.uint8]
    turned: NDArray[np.uint16]
    colours: NDArray[np.uint8]
    spread: NDArray[np.uint8]


@dataclass(frozen=True)
class _Cut:
    """A row at which a page may begin, what that costs, and the bare stretch it lies in (-1 = in none)."""

    row: int
    cost: float
    stretch: int = -1


def find_cuts(sizes: Sequence[Size], pixels: Pixels) -> list[tuple[int, ...]]:
    """For each picture (width, height) of a webtoon, the rows, in its own pixels, at which a page begins.

    `pixels` decodes a picture to (h, w, 3) RGB; it is asked once for each, in order. Pages end in gutters; where there
    is none within about three widths, they end at the calmest row, away from lettering.
    """
    if not sizes:
        return []
    tops = [0, *accumulate(_rows_of(size) for size in sizes)]
    rows = _profiles(_blocks(pixels, tops))
    found: list[list[int]] = [[] for _ in sizes]
    for row in (0, *_best_cuts([*_gutters(rows), *_art_cuts(rows)], tops[-1])):
        number = min(bisect_right(tops, row) - 1, len(sizes) - 1)
        width, height = sizes[number]
        own = round((row - tops[number]) * width / SCALE)
        if own < height:
            found[number].append(own)
        elif number + 1 < len(sizes):
            found[number + 1].append(0)
    return [tuple(own) for own in found]


def window(sizes: Sequence[Size], pixels: Pixels, start: Place, end: Place | None) -> NDArray[np.uint8]:
    """The page (h, w, 3) from `start` (picture, row) up to, not including, `end`, or to the column's end when None.

    It is as wide as most of the column, but never wider than the widest picture it shows; other widths are scaled to
    it. Only pictures that it shows are asked for, each once.
    """
    shown = list(_shown(sizes, start, end))
    width = min(_common_width(sizes), max(sizes[number][0] for number, _, _ in shown))
    return np.concatenate([_scaled(pixels(number)[top:bottom], width, top) for number, top, bottom in shown])


def _rows_of(size: Size) -> int:
    width, height = size
    return max(round(height * SCALE / width), 1)


def _common_width(sizes: Sequence[Size]) -> int:
    """The width that the longest part of the column has: neither a banner nor a small credit slice sets it."""
    length: dict[int, float] = {}
    for width, height in sizes:
        length[width] = length.get(width, 0.0) + height / width
    return max(length, key=lambda width: (length[width], -width))


def _shown(sizes: Sequence[Size], start: Place, end: Place | None) -> Iterator[tuple[int, int, int]]:
    """The pictures of a window, each with its first row and the row after its last one."""
    last, stop = end if end is not None else (len(sizes), 0)
    for number in range(start[0], min(last + 1, len(sizes))):
        top = start[1] if number == start[0] else 0
        bottom = stop if number == last else sizes[number][1]
        if top < bottom:
            yield number, top, bottom


def _scaled(part: NDArray[np.uint8], width: int, top: int) -> NDArray[np.uint8]:
    high, wide = part.shape[:2]
    if wide == width:
        return part
    # Rounded on the whole picture, so that its windows together are as high as the picture scaled at once.
    height = max(round((top + high) * width / wide) - round(top * width / wide), 1)
    return np.asarray(cv2.resize(part, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _blocks(pixels: Pixels, tops: Sequence[int]) -> Iterator[NDArray[np.uint8]]:
    """The column at SCALE, in blocks (h, SCALE, 3): a long strip scaled at once would take the memory of several."""
    for number, top in enumerate(tops[:-1]):
        picture = pixels(number)
        height, count = len(picture), tops[number + 1] - top
        for first in range(0, count, SCALE):
            last = min(first + SCALE, count)
            above, below = first * height // count, max(last * height // count, first * height // count + 1)
            block = cv2.resize(picture[above:below], (SCALE, last - first), interpolation=cv2.INTER_AREA)
            yield np.asarray(block, np.uint8)
        # Else it would stay until the next one is decoded.
        del picture


def _profiles(blocks: Iterable[NDArray[np.uint8]]) -> _Rows:
    parts: list[_Rows] = []
    above: NDArray[np.uint8] | None = None
    for block in blocks:
        grey = np.asarray(cv2.cvtColor(block, cv2.COLOR_RGB2GRAY), np.uint8)
        above = grey[:1].repeat(2, axis=0) if above is None else above
        joined = np.concatenate([above, grey])
        smooth = cv2.blur(grey, (3, 1))
        along = np.zeros_like(grey)
        along[:, 3:] = cv2.absdiff(smooth[:, 3:], smooth[:, :-3])
        # One pixel in four tells a row's middle and its spread as well as all of them.
        ordered = np.sort(block[:, ::4], axis=1)
        count = ordered.shape[1]
        parts.append(
            _Rows(
                edges=(along > EDGE).sum(axis=1, dtype=np.uint16),
                ink=(along > INK).reshape(len(grey), CELLS, -1).sum(axis=2, dtype=np.uint8),
                turned=(cv2.absdiff(joined[2:], joined[:-2]) > COLOUR_STEP).sum(axis=1, dtype=np.uint16),
                colours=ordered[:, count // 2],
                spread=(ordered[:, -1 - count // 50] - ordered[:, count // 50]).max(axis=1),
            )
        )
        above = joined[-2:]
    return _Rows(
        np.concatenate([part.edges for part in parts]),
        np.concatenate([part.ink for part in parts]),
        np.concatenate([part.turned for part in parts]),
        np.concatenate([part.colours for part in parts]),
        np.concatenate([part.spread for part in parts]),
    )


def _gutters(rows: _Rows) -> list[_Cut]:
    """The cuts in bare stretches: rows of one colour, high enough to be no space between lines of lettering."""
    bare = (rows.edges <= BARE_EDGES) & (rows.spread <= BARE_SPREAD)
    turns = np.flatnonzero(np.diff(bare, prepend=False, append=False))
    cuts: list[_Cut] = []
    for number, (top, bottom) in enumerate(zip(turns[::2].tolist(), turns[1::2].tolist(), strict=True)):
        height = (bottom - top) / SCALE
        solid = _edge_along(rows, top, -1) + _edge_along(rows, bottom - 1, 1)
        if height < (THINNEST if solid else LETTERING_GAP):
            continue
        # A gutter between two panels is what we look for; the sky of a panel without frame comes last.
        cost = 0.8 - 0.3 * solid - 0.2 * min(height / 0.15, 1.0)
        places = {(top + bottom) // 2}
        if height >= LONG:
            places |= {top + round(LONG / 3 * SCALE), bottom - round(LONG / 3 * SCALE)}
        cuts += [_Cut(row, cost, number) for row in places]
    return cuts


def _edge_along(rows: _Rows, last: int, step: int) -> bool:
    """Whether a panel lies along the bare stretch that ends at row `last`: most of a row there has another colour.

    Of a row of lettering most is still the ground.
    """
    reach = round(REACH * SCALE)
    beside = rows.colours[last + 1 : last + 1 + reach] if step > 0 else rows.colours[max(last - reach, 0) : last]
    away = np.abs(beside.astype(np.int16) - rows.colours[last])
    return bool((away > COLOUR_STEP).any())


def _art_cuts(rows: _Rows) -> Iterator[_Cut]:
    """The cuts where there is no gutter, none of them through lettering if it can be helped.

    Where panels abut, a row is unlike the one above almost all along; else of each short stretch the calmest row.
    """
    words = _lettering(rows)
    around = cv2.getStructuringElement(cv2.MORPH_RECT, (1, 2 * round(BALLOON_RIM * SCALE) + 1))
    balloons = cv2.dilate(words.reshape(-1, 1), around).ravel()
    calm = 3 + 10 * (rows.edges / SCALE) + 30 * balloons
    abut = np.where(rows.turned >= ABUTTING * SCALE, 2 - rows.turned / SCALE + 30 * words, inf)
    step = round(STEP * SCALE)
    for costs in (calm, abut):
        for top in range(0, len(costs), step):
            row = top + int(costs[top : top + step].argmin())
            if costs[row] < inf:
                yield _Cut(row, float(costs[row]))


def _lettering(rows: _Rows) -> NDArray[np.float32]:
    """How likely there is lettering on each row, 0..1: it is dense, strong edges over the width of a short word."""
    ink = rows.ink.astype(np.float32) * (CELLS / SCALE)
    words = (ink[:, 1:] + ink[:, :-1]) / 2
    words = cv2.blur(words, (1, round(LETTER_HEIGHT * SCALE)), borderType=cv2.BORDER_REPLICATE).max(axis=1)
    never, likely = INK_RANGE
    return np.asarray(np.clip((words - never) / (likely - never), 0, 1), np.float32)


def _best_cuts(cuts: Sequence[_Cut], total: int) -> list[int]:
    """The rows, of those offered, whose cuts and page heights together cost least, by dynamic programming."""
    offered = [_Cut(0, 0.0), *sorted((cut for cut in cuts if 0 < cut.row < total), key=lambda cut: cut.row)]
    offered.append(_Cut(total, 0.0))
    costs = [0.0]
    came_from = [0]
    for number, cut in enumerate(offered[1:], 1):
        best, best_from = inf, number - 1
        for earlier in range(number - 1, -1, -1):
            height = (cut.row - offered[earlier].row) / SCALE
            if height > FURTHEST and best < inf:
                break
            if height <= 0:
                continue
            cost = costs[earlier] + _height_cost(height) + _blank_cost(offered[earlier], cut)
            if cost < best:
                best, best_from = cost, earlier
        costs.append(best + cut.cost)
        came_from.append(best_from)
    rows: list[int] = []
    number = came_from[-1]
    while number > 0:
        rows.append(offered[number].row)
        number = came_from[number]
    return rows[::-1]


def _height_cost(height: float) -> float:
    return 4 * log(height / AIM) ** 2 + 3 * max(height - MOST, (LEAST - height) / LEAST, 0.0)


def _blank_cost(first: _Cut, second: _Cut) -> float:
    """A page within one bare stretch shows nothing: its blankness should go to its neighbours."""
    return 3.0 if first.stretch == second.stretch >= 0 else 0.0
