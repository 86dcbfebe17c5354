"""The clearest straight cut through a part of a page: a gutter, or a single rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.panels.profiles import Flags, Mask, Profiles, Table, band, profiles, runs
from comic_narrator.panels.strips import CROSSED, CROSSING, LINED, OPEN, STRAIGHT, Cut, measured, near_of

COARSE = 0.05
"""What block sums may lose of a share, against counting pixel by pixel."""
GENTLE = tuple(round(-0.02 + 0.004 * i, 3) for i in range(11))
STEEP = tuple(round(sign * (0.024 + 0.006 * i), 3) for i in range(17) for sign in (1, -1))
SLANTED = tuple(round(sign * (0.13 + 0.012 * i), 3) for i in range(23) for sign in (1, -1))
SEARCHES = (
    (GENTLE, 1, (0.0,), 15),
    (STEEP, 2, (0.0, 0.003, -0.003), 4),
    (SLANTED, 4, (0.0, 0.003, -0.003, 0.006, -0.006), 3),
)
"""Slopes, the reduction of the picture they are searched on, what is tried beside each when it is measured, and how
many of the most promising strips are: measuring counts pixel by pixel."""
TRIED_THERE = 3
"""So many strips are measured at one place."""
SLIVER = 0.01
"""What is thinner than this share of the page's side, high or wide, is not worth a cut."""
LEAST_PIECE = 0.045
"""A panel is at least this share of the page's shorter side, high and wide."""


@dataclass(frozen=True)
class _View:
    """A part with its cuts lying in rows: 0 outside it, 1 where it is drawn on, 2 where it is ground."""

    horizontal: bool
    state: Mask


def best_cut(marked: Mask, part: Mask, unit: int) -> Cut | None:
    """The clearest gutter through a part; 0/1 masks of one shape, `marked` is its ground; `unit` is the page's side."""
    state = marked * part + part
    if _is_closed(state == 1, unit):
        return None
    views = (_View(True, state), _View(False, np.ascontiguousarray(state.T)))
    for slopes, reduction, beside, tried in SEARCHES:
        rough = [(cut, view) for view in views for cut in _promised(view, slopes, reduction, unit)]
        sure = [
            (cut, view)
            for promise, view in _promising(rough, near_of(unit), tried)
            for slope in beside
            if (cut := measured(replace(promise, slope=promise.slope + slope), view.state, unit, reduction)) is not None
        ]
        for cut, view in sorted(sure, key=lambda each: -each[0].score):
            if _is_worth(cut, view.state, unit):
                return cut
    return None


def _promised(view: _View, slopes: tuple[float, ...], reduction: int, unit: int) -> Iterator[Cut]:
    """What looks like a gutter on block sums of a reduced picture, in the pixels of the view."""
    part, ground = (_reduced(mask.astype(np.uint8), reduction) for mask in (view.state > 0, view.state == 2))
    if min(part.shape) >= 8:
        for cut in _strips(profiles(ground, part, slopes), max(unit // reduction, 1)):
            start, end = cut.start * reduction, cut.end * reduction
            yield Cut(view.horizontal, cut.slope, start, end, cut.score, cut.clear)


def _is_closed(drawn: Flags, unit: int) -> bool:
    """Whether a frame runs all round a part: no gutter leads out of it."""
    deep, thinnest = 2 * near_of(unit), max(round(0.0025 * unit), 2)
    if min(drawn.shape) < 2 * deep:
        return False
    sides = (
        drawn[:deep].any(axis=0),
        drawn[-deep:].any(axis=0),
        drawn[:, :deep].any(axis=1),
        drawn[:, -deep:].any(axis=1),
    )
    ends = (np.concatenate(([-1], np.flatnonzero(side), [side.size])) for side in sides)
    return all(int(np.diff(places).max()) <= thinnest for places in ends)


def _promising(found: list[tuple[Cut, _View]], near: int, tried: int) -> Iterator[tuple[Cut, _View]]:
    """The best strips, a few of each place."""
    places: Counter[tuple[bool, int]] = Counter()
    for cut, view in sorted(found, key=lambda each: -each[0].score):
        middle = (cut.start + cut.end + cut.slope * view.state.shape[1]) / 2
        place = (cut.horizontal, round(middle / near))
        if places[place] < TRIED_THERE:
            places[place] += 1
            yield cut, view
        if places.total() == tried:
            break


def _reduced(mask: Mask, reduction: int) -> Mask:
    if reduction == 1:
        return mask
    size = (max(mask.shape[1] // reduction, 1), max(mask.shape[0] // reduction, 1))
    small: Mask = (cv2.resize(mask * np.uint8(255), size, interpolation=cv2.INTER_AREA) > 127).astype(np.uint8)
    return small


def _strips(lines: Profiles, unit: int) -> Iterator[Cut]:
    """Strips that may be gutters, each with what it promises."""
    near, thinnest = near_of(unit), max(round(0.0025 * unit), 1)
    share, whole = lines.share, lines.whole
    floor = cv2.erode(share, np.ones((1, near), np.uint8), anchor=(0, 0), borderValue=1.0)
    worth = _Worth(lines, unit)
    for least, widest in ((OPEN - COARSE, share.shape[1]), (CROSSED - COARSE, round(0.03 * unit) + 2)):
        which, starts, ends = runs(whole & (share >= least))
        above = 1 - floor[which, np.maximum(starts - near, 0)]
        below = 1 - floor[which, np.minimum(ends, share.shape[1] - 1)]
        width = ends - starts
        sides = np.maximum(above, below) if least > CROSSED else np.minimum(above, below)
        needed = STRAIGHT - COARSE if least > CROSSED else CROSSED * LINED
        good = (width >= thinnest) & (width <= widest) & (sides >= needed) & worth.between(which, starts, ends)
        for s, start, end, a, b in zip(which[good], starts[good], ends[good], above[good], below[good], strict=True):
            clear = float(share[s, start:end].mean())
            slope = lines.slopes[s]
            score = float(a + b) - CROSSING * (1 - clear) - abs(slope)
            yield Cut(True, slope, int(start) - lines.margin, int(end) - lines.margin, score, clear)


class _Worth:
    """Tells whether neither side of a strip is a bare frame line or an edge of the other."""

    def __init__(self, lines: Profiles, unit: int) -> None:
        drawn: Table = np.where(lines.length > 0, 1 - lines.share, 0).astype(np.float32)
        rows = np.arange(drawn.shape[1])
        used: Flags = drawn > 0.02
        self.first = np.where(used.any(axis=1), used.argmax(axis=1), drawn.shape[1])
        self.last = np.where(used.any(axis=1), drawn.shape[1] - 1 - used[:, ::-1].argmax(axis=1), -1)
        self.before = np.maximum.accumulate(np.where(used, rows, -1), axis=1)
        self.after = np.minimum.accumulate(np.where(used, rows, drawn.shape[1])[:, ::-1], axis=1)[:, ::-1]
        self.densest_before = np.maximum.accumulate(drawn, axis=1)
        self.densest_after = np.maximum.accumulate(drawn[:, ::-1], axis=1)[:, ::-1]
        self.least = LEAST_PIECE * unit

    def between(self, which: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Flags:
        """Whether something worth a panel lies on either side of the strips."""
        end = self.before.shape[1] - 1
        inner = (starts > 0) & (ends <= end)
        s, e = np.maximum(starts - 1, 0), np.minimum(ends, end)
        upper = self.before[which, s] - self.first[which] + 1
        lower = self.last[which] - self.after[which, e] + 1
        upper_solid = (upper >= self.least) | (self.densest_before[which, s] <= 0.5)
        lower_solid = (lower >= self.least) | (self.densest_after[which, e] <= 0.5)
        good: Flags = inner & (upper > 0) & (lower > 0) & upper_solid & lower_solid
        return good


def _is_worth(cut: Cut, state: Mask, unit: int) -> bool:
    """Whether neither side of a cut is a bare frame line or an edge of the other."""
    lean = round(cut.slope * state.shape[1])
    first, last = min(0, -lean) - 1, state.shape[0] + max(0, -lean) + 1
    lines = band(state, cut.slope, first, last)
    drawn = (lines == 1).sum(axis=1) / np.maximum((lines > 0).sum(axis=1), 1)
    for side in (drawn[: max(cut.start - first, 0)], drawn[max(cut.end - first, 0) :]):
        used = np.flatnonzero(side > 0.02)
        thickness = int(used[-1] - used[0]) + 1 if len(used) else 0
        if thickness < SLIVER * unit or (thickness < LEAST_PIECE * unit and side.max() > 0.5):
            return False
    return True
