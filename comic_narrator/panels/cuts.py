"""The clearest straight cut through a part of a page: a gutter, or a single rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import Box

Mask = NDArray[np.uint8]
Profile = NDArray[np.float32]

OPEN = 0.9
"""A gutter shows the ground over this share of its length; balloons may lie across the rest."""
STRAIGHT = 0.65
"""A gutter's side is straight when this share of it is drawn within a frame's thickness."""
CROSSED = 0.55
"""A channel between two straight sides may have a balloon or an inset across it, and is bare over this share."""
LINED = 0.85
"""Both its sides are drawn over this share of what is bare."""
GENTLE = tuple(round(-0.02 + 0.004 * i, 3) for i in range(11))
STEEP = tuple(round(0.024 + 0.004 * i, 3) for i in range(25))
LEAST_PIECE = 0.045
"""A panel is at least this share of the page's shorter side, high and wide."""


@dataclass(frozen=True)
class Cut:
    """A strip across a part: pixels with start <= across - slope * along < end are dropped, the rest falls in two."""

    horizontal: bool
    slope: float
    start: float
    end: float
    score: float


def best_cut(mask: Mask, part: Mask, box: Box, rules: bool) -> Cut | None:
    """The clearest cut through `part` (inside `box`), or None; `mask` marks the ground, or the ink if `rules`."""
    unit = min(mask.shape)
    for slopes in (GENTLE, (*STEEP, *(-slope for slope in STEEP))):
        cuts = [
            cut
            for horizontal in (True, False)
            for slope in slopes
            for cut in _cuts(mask, part, box, horizontal, slope, unit, rules)
        ]
        if cuts:
            return max(cuts, key=lambda cut: cut.score)
    return None


def _cuts(mask: Mask, part: Mask, box: Box, horizontal: bool, slope: float, unit: int, rules: bool) -> Iterator[Cut]:
    view = np.s_[box.y : box.bottom, box.x : box.right]
    inside, here = part[view], mask[view]
    if not horizontal:
        inside, here = np.ascontiguousarray(inside.T), np.ascontiguousarray(here.T)
    sheared = _Sheared(here * inside, inside, slope)
    origin = box.y - slope * box.x if horizontal else box.x - slope * box.y
    finder = _rule_strips if rules else _gutter_strips
    for start, end, score in finder(sheared, unit):
        yield Cut(horizontal, slope, start + sheared.shift + origin, end + sheared.shift + origin, score - abs(slope))


class _Sheared:
    """A part and its mask, sheared so that lines of one slope lie in rows."""

    def __init__(self, mask: Mask, inside: Mask, slope: float) -> None:
        height, width = mask.shape
        lean = slope * width
        size = (width, height + int(np.ceil(abs(lean))) + 1)
        matrix = np.array([[1, 0, 0], [-slope, 1, max(lean, 0.0)]], np.float64)
        self.shift = -max(lean, 0.0)
        if slope:
            self.mask: Mask = np.asarray(cv2.warpAffine(mask, matrix, size, flags=cv2.INTER_NEAREST), np.uint8)
            self.inside: Mask = np.asarray(cv2.warpAffine(inside, matrix, size, flags=cv2.INTER_NEAREST), np.uint8)
        else:
            self.mask, self.inside = mask, inside
        self.length: NDArray[np.int64] = self.inside.sum(axis=1, dtype=np.int64)
        marked = self.mask.sum(axis=1, dtype=np.int64)
        self.share: Profile = (marked / np.maximum(self.length, 1)).astype(np.float32)

    def whole(self, least: float = 0.7) -> NDArray[np.bool_]:
        """Rows that run (nearly) right through the part."""
        whole: NDArray[np.bool_] = self.length >= least * max(int(self.length.max()), 1)
        return whole


def _runs(flags: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def _gutter_strips(sheared: _Sheared, unit: int) -> Iterator[tuple[float, float, float]]:
    """Strips of bare ground with a straight side, and narrow channels between two straight sides."""
    near = max(round(0.006 * unit), 3)
    thinnest = max(round(0.0025 * unit), 2)
    whole, share = sheared.whole(), sheared.share
    for start, end in _runs(whole & (share >= OPEN)):
        if end - start < thinnest or not whole[:start].any() or not whole[end:].any():
            continue
        above, below = (
            1 - float(side.min()) for side in (share[max(start - near, 0) : start], share[end : end + near])
        )
        if max(above, below) < STRAIGHT or not _worth(sheared, start, end, unit):
            continue
        needed = 1
        if min(above, below) < STRAIGHT:
            # Only beside its straight side is a wide strip a gutter; the rest may be a panel without a frame.
            needed = 2
            start, end = (start, min(end, start + 2 * near)) if above > below else (max(start, end - 2 * near), end)
        if _open_ends(sheared, start, end) >= needed:
            yield float(start), float(end), above + below + float(share[start:end].mean())
    for start, end in _runs(whole & (share >= CROSSED)):
        if thinnest <= end - start <= 0.03 * unit and whole[:start].any() and whole[end:].any():
            clear, sides = _channel(sheared, start, end, near)
            if clear < CROSSED or sides < LINED or not _worth(sheared, start, end, unit):
                continue
            if _open_ends(sheared, start, end) >= 1:
                yield float(start), float(end), sides + clear


def _channel(sheared: _Sheared, start: int, end: int, near: int) -> tuple[float, float]:
    """How much of a strip is bare, as a share, and how straight the worse of its sides is there."""
    inside = sheared.inside[(start + end) // 2] > 0
    bare = inside & (sheared.mask[start:end].mean(axis=0) >= 0.6)
    if not bare.any():
        return 0.0, 0.0
    sides = (sheared.mask[max(start - near, 0) : start, bare], sheared.mask[end : end + near, bare])
    return float(bare.sum() / inside.sum()), min(1 - float(side.mean(axis=1).min()) for side in sides)


def _worth(sheared: _Sheared, start: int, end: int, unit: int) -> bool:
    """Whether neither piece is a bare frame line or an edge of the other."""
    for rows in (slice(0, start), slice(end, None)):
        drawn = 1 - sheared.share[rows]
        used = np.flatnonzero((sheared.length[rows] > 0) & (drawn > 0.02))
        if not len(used):
            return False
        thickness = int(used[-1] - used[0]) + 1
        if thickness < LEAST_PIECE * unit and float(drawn.max()) > 0.5:
            return False
    return True


def _open_ends(sheared: _Sheared, start: int, end: int) -> int:
    """How many of a strip's two ends no frame line crosses; inside a panel its frame crosses them.

    An end is where the drawing beside the strip ends: the paper's margin beyond it says nothing.
    """
    columns = np.flatnonzero(sheared.inside[(start + end) // 2])
    reach = max(len(columns) // 8, 8)
    beside = sheared.inside.astype(bool) & ~sheared.mask.astype(bool)
    drawn = beside[max(start - reach, 0) : start].any(axis=0) | beside[end : end + reach].any(axis=0)
    used = columns[drawn[columns]] if drawn[columns].any() else columns
    zone = max(round(0.03 * len(columns)), 4)
    strip = sheared.mask[start:end]
    left, right = columns[columns <= used[0] + zone], columns[columns >= used[-1] - zone]
    return sum(float(strip[:, ends].mean(axis=0).min()) >= 0.5 for ends in (left, right))


def _rule_strips(sheared: _Sheared, unit: int) -> Iterator[tuple[float, float, float]]:
    thickest = max(round(0.02 * unit), 4)
    share = sheared.share
    whole = sheared.whole()
    least = 2 * LEAST_PIECE * unit
    for start, end in _runs(whole & (share >= OPEN)):
        if end - start > thickest:
            continue
        if start < least or len(share) - end < least:
            continue
        yield float(start), float(end), float(share[start:end].max())
