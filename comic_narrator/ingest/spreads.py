"""Spreads: which pictures show two pages side by side, and the column at which they part."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import cv2
import numpy as np
from numpy.typing import NDArray

UPRIGHT = (0.5, 0.9)
"""Width by height of a single page: from a narrow manga volume to a nearly square album."""

SPREAD = (1.2, 1.8)
"""Width by height of two pages side by side; a newspaper strip is wider."""

SMALLEST = 100
"""Pixels below which a side of a picture is too short for pages that can be read."""

PAGES_WIDE = (1.8, 2.2)
"""Times that a double page is as wide as its neighbours are: scans lose or gain a little at the fold."""

SAME_HEIGHT = 0.12
"""How far the height of a double page may be from its neighbours': a half page or a banner has another one."""

NEIGHBOURS = 6
"""Single pages, those nearest in the book, that a wide picture is measured by."""

WORKING_WIDTH = 2048
"""Pixels that a picture is wide, at most, while its fold is looked for."""

WORKING_HEIGHT = 768
"""Rows to which a picture is averaged meanwhile: the grain of paper and print goes, lettering and frames stay."""

ZONE = 0.06
"""How far from the middle, in widths, a fold may lie: pages were trimmed by hand."""

ABUTTING_ZONE = 0.015
"""The same where two drawings abut: a panel's edge further off is more likely."""

EDGE = 16
"""Grey levels between neighbours down a column that make an edge."""

CLEAN_EDGES = 0.05
"""Share of a column that may be edges where nothing is drawn: dirt, the sheet's ends, a hole of the binding."""

CLEAN_SPREAD = 50
"""Grey levels that such a column may differ: paper yellows towards its ends."""

GROUND = 20
"""Grey levels that the gutter may be from the picture's lightest or darkest parts, as paper and black grounds are."""

SHADOW = 12
"""Grey levels by which the fold's shadow is darker than the paper on both its sides; a printed gutter is even."""

SEAM = 1.6
"""Times that neighbouring columns of a gutter differ more where one sheet ends than elsewhere in it."""

RIM = 4
"""Columns at a gutter's ends that the panels' edges blur into."""

SHEET_END = 0.03
"""Share of the height at the top and at the bottom where the scanner's bed may show."""

LINE = 31
"""Rows among which a line across is a minority."""

OFF_MIDDLE = 0.02
"""Widths that a gutter's middle may be off the picture's; beyond, only one of the pages has a margin there."""

NARROW = 0.012
"""Widths of a gutter that may also be a crack in one drawing, so that both its sides are compared."""

SAME_DRAWING = 0.45
"""Correlation of both sides of a crack from which on they are one drawing; when in doubt, pages stay together."""

PLAIN = 2
"""Grey levels that columns vary, down the page, where nothing is drawn."""

STEP = 24
"""Grey levels between left and right that make two drawings differ."""

APART = 0.5
"""Share of the height in which two drawings that abut differ, at least."""

ALONE = 1.6
"""Times that this is more than at the columns beside: a busy drawing differs from itself, too."""

FOLD_BY_GUTTER = 2.5
"""Widths of the panels' gutters that the middle of two pages has: it is two inner margins."""

FOLD_BY_MARGIN = 0.8
"""Widths of the outer margins that it has at least."""


def spread_shaped(size: tuple[int, int]) -> bool:
    """Whether a picture (width, height) has the shape of two pages side by side."""
    return min(size) >= SMALLEST and SPREAD[0] <= size[0] / size[1] <= SPREAD[1]


def told_by_size(sizes: Sequence[tuple[int, int] | None]) -> tuple[bool, ...]:
    """Which pictures (width, height; None = broken) are double pages, as far as the single pages near them tell.

    A double page is as high as they are and twice as wide. Where most pictures are wide, or all, none is told: such a
    book may be drawn in that shape, and only its pictures can say (`looks_double`).
    """
    known = [(number, size) for number, size in enumerate(sizes) if size is not None]
    pages = [(number, size) for number, size in known if UPRIGHT[0] <= size[0] / size[1] <= UPRIGHT[1]]
    wide = [(number, size) for number, size in known if spread_shaped(size)]
    if len(wide) > len(pages):
        return (False,) * len(sizes)
    told = [False] * len(sizes)
    for number, (width, height) in wide:
        near = [size for _, size in sorted(pages, key=lambda page: abs(page[0] - number))[:NEIGHBOURS]]
        times = width / height / median(page[0] / page[1] for page in near)
        high = height / median(page[1] for page in near)
        told[number] = PAGES_WIDE[0] <= times <= PAGES_WIDE[1] and abs(high - 1) <= SAME_HEIGHT
    return tuple(told)


def fold_of(picture: NDArray[np.uint8]) -> int | None:
    """The column at which a double page (h, w, 3; RGB) parts in two: its gutter, or where two drawings abut.

    None where one drawing goes across the middle.
    """
    if min(picture.shape[:2]) < SMALLEST:
        return None
    grey = _working(picture)
    gutter = _middle_gutter(grey)
    if gutter is not None:
        left, right = gutter
        if right - left < NARROW * grey.shape[1] and _one_drawing(grey, left, right):
            return None
        shadow = _shadow(grey, left, right)
        column = _seam(grey, left, right) if shadow is None else shadow
    else:
        abutting = _abutting(grey)
        if abutting is None:
            return None
        column = abutting
    scale = int(picture.shape[1]) / int(grey.shape[1])
    return round(column * scale)


def looks_double(picture: NDArray[np.uint8]) -> bool:
    """Whether a picture (h, w, 3; RGB) that no neighbour tells about shows two pages; False when unsure.

    It does if a clean gutter down its middle has a fold's shadow, or is far wider than those between its panels and
    about as wide as its outer margins: in a page drawn wide all gutters are alike.
    """
    height, width = picture.shape[:2]
    if not spread_shaped((width, height)):
        return False
    grey = _working(picture)
    gutter = _middle_gutter(grey)
    if gutter is None:
        return False
    left, right = gutter
    if _shadow(grey, left, right) is not None:
        return True
    halves = (grey[:, :left], grey[:, right:])
    between = [high * height / len(grey) * grey.shape[1] / width for half in halves for high in _gutters_across(half)]
    if not between:
        return False
    clean = np.flatnonzero(~_clean_columns(grey))
    outer = min(int(clean[0]), grey.shape[1] - 1 - int(clean[-1]))
    return bool(right - left >= max(FOLD_BY_GUTTER * median(between), FOLD_BY_MARGIN * outer))


def _working(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    height, width = picture.shape[:2]
    size = (min(width, WORKING_WIDTH), min(height, WORKING_HEIGHT))
    small = cv2.resize(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), size, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def _clean_columns(grey: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Where a column has one colour from top to bottom, but for dirt and uneven paper."""
    smooth = cv2.blur(grey, (1, 3))
    edges = (cv2.absdiff(smooth[3:], smooth[:-3]) > EDGE).mean(axis=0)
    low, high = np.percentile(grey, (3, 97), axis=0)
    return np.asarray((edges <= CLEAN_EDGES) & (high - low <= CLEAN_SPREAD), bool)


def _runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    turns = np.flatnonzero(np.diff(flags, prepend=False, append=False)).tolist()
    return list(zip(turns[::2], turns[1::2], strict=True))


def _middle_gutter(grey: NDArray[np.uint8]) -> tuple[int, int] | None:
    """The widest clean run of columns, of the colour of paper or of a black ground, that reaches into the zone."""
    width = int(grey.shape[1])
    low, high = (1 / 2 - ZONE) * width, (1 / 2 + ZONE) * width
    dark, light = np.percentile(grey, (5, 80))
    found: tuple[int, int] | None = None
    for left, right in _runs(_clean_columns(grey)):
        level = float(np.median(grey[:, left:right]))
        is_ground = level >= light - GROUND or level <= dark + GROUND
        wider = found is None or right - left > found[1] - found[0]
        if left < high and right > low and is_ground and wider and not _crossed(grey[:, left:right]):
            found = left, right
    return found


def _crossed(run: NDArray[np.uint8]) -> bool:
    """Whether a line goes all across a clean run of columns, as the frame of an empty panel does and dirt does not."""
    ends = round(SHEET_END * len(run))
    rows = np.median(run, axis=1)[ends : len(run) - ends].astype(np.float32)
    around = cv2.medianBlur(rows.astype(np.uint8).reshape(-1, 1), LINE).ravel()
    return bool((np.abs(rows - around) > STEP).any())


def _shadow(grey: NDArray[np.uint8], left: int, right: int) -> int | None:
    """The darkest column of the fold's shadow in a gutter, if there is one."""
    levels = np.median(grey[:, left + RIM : right - RIM], axis=0)
    if not levels.size:
        return None
    darkest = int(levels.argmin())
    drop = min(levels[: darkest + 1].max(), levels[darkest:].max()) - levels[darkest]
    return left + RIM + darkest if drop >= SHADOW else None


def _seam(grey: NDArray[np.uint8], left: int, right: int) -> int:
    """The column of a gutter at which one sheet ends, where that is seen; else the gutter's middle, near the page's."""
    width = int(grey.shape[1])
    low, high = max(left, round((1 / 2 - ZONE) * width)), min(right, round((1 / 2 + ZONE) * width))
    inner = grey[:, low + RIM : high - RIM]
    if inner.shape[1] > RIM:
        steps = np.median(cv2.absdiff(inner[:, 1:], inner[:, :-1]), axis=0)
        sharpest = int(steps.argmax())
        if steps[sharpest] >= SEAM * max(float(np.median(steps)), 2.0):
            return low + RIM + sharpest + 1
    middle, half = (low + high) // 2, width // 2
    one_sided = min(abs(low - half), abs(high - half)) <= RIM or abs(middle - half) > OFF_MIDDLE * width
    return min(max(half, low), high) if one_sided else middle


def _one_drawing(grey: NDArray[np.uint8], left: int, right: int) -> bool:
    """Whether what is drawn on both sides of the columns `left` to `right` goes on behind them."""
    one, other = (_relief(grey[:, max(column, 0) : column + 3]) for column in (left - 4, right + 1))
    if min(one.std(), other.std()) < PLAIN:
        return False
    return float(np.corrcoef(one, other)[0, 1]) >= SAME_DRAWING


def _relief(columns: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The levels down some columns, without grain and without the slow change from top to bottom."""
    levels = cv2.blur(columns.astype(np.float32).mean(axis=1).reshape(-1, 1), (1, 5))
    return np.asarray((levels - cv2.blur(levels, (1, WORKING_HEIGHT // 4 + 1))).ravel(), np.float32)


def _abutting(grey: NDArray[np.uint8]) -> int | None:
    """The column at which two drawings abut: there, and only there, left and right differ nearly all the way down."""
    width = int(grey.shape[1])
    low, high = round((1 / 2 - 7 * ABUTTING_ZONE) * width), round((1 / 2 + 7 * ABUTTING_ZONE) * width)
    pairs = cv2.blur(grey[:, low - 2 : high + 2], (2, 3)).astype(np.int16)
    apart = (np.abs(pairs[:, 3:-1] - pairs[:, 1:-3]) > STEP).mean(axis=0)
    columns = np.arange(low, low + len(apart))
    near = np.abs(columns - width / 2) <= ABUTTING_ZONE * width
    best = int(np.where(near, apart, 0).argmax())
    beside = apart[np.abs(columns - columns[best]) > 4]
    if apart[best] < max(APART, ALONE * float(np.percentile(beside, 98))):
        return None
    column = int(columns[best])
    return None if _one_drawing(grey, column, column) else column


def _gutters_across(half: NDArray[np.uint8]) -> list[int]:
    """Heights, in rows of `half`, of the gutters between one tier of panels and the next."""
    if not half.size:
        return []
    clean = _clean_columns(np.ascontiguousarray(half.T))
    return [bottom - top for top, bottom in _runs(clean) if top > 0 and bottom < len(clean)]
