"""The clearest straight cut through a part of a page: a gutter, or a single rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.panels.profiles import WHOLE, Flags, Mask, Profiles, Table, band, profiles, runs

OPEN = 0.9
"""A gutter shows the ground over this share of its length; balloons may lie across the rest."""
STRAIGHT = 0.65
"""A gutter's side is straight when this share of it is drawn within a frame's thickness."""
CROSSED = 0.55
"""A channel between two straight sides may have a balloon or an inset across it, and is bare over this share."""
LINED = 0.85
"""Its sides are drawn over this share of what is bare, one with the other."""
RULED = 0.85
"""A rule is inked over this share of its length."""
CROSSING = 3.0
"""What lies across a gutter speaks so much more against it than a gap in its sides does."""
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
class Cut:
    """A strip across a part: its pixels with start <= across - slope * along < end are bare.

    `across` and `along` count from the part's own corner; `clear` (0..1) is how much of a gutter it looks like.
    """

    horizontal: bool
    slope: float
    start: int
    end: int
    score: float
    clear: float


@dataclass(frozen=True)
class _View:
    """A part with its cuts lying in rows: 0 outside it, 1 where it is drawn on, 2 where it is ground."""

    horizontal: bool
    state: Mask


def best_cut(marked: Mask, part: Mask, unit: int) -> Cut | None:
    """The clearest gutter through a part; the 0/1 masks have its shape, `marked` is the ground, `unit` the page's side."""
    state = marked * part + part
    if _is_closed(state == 1, unit):
        return None
    views = (_View(True, state), _View(False, np.ascontiguousarray(state.T)))
    for slopes, reduction, beside, tried in SEARCHES:
        rough = [(cut, view) for view in views for cut in _promised(view, slopes, reduction, unit)]
        sure = [
            (cut, view)
            for promise, view in _promising(rough, _near(unit), tried)
            for slope in beside
            if (cut := _measured(replace(promise, slope=promise.slope + slope), view.state, unit, reduction))
            is not None
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
    deep, thinnest = 2 * _near(unit), max(round(0.0025 * unit), 2)
    if min(drawn.shape) < 2 * deep:
        return False
    sides = (
        drawn[:deep].any(axis=0),
        drawn[-deep:].any(axis=0),
        drawn[:, :deep].any(axis=1),
        drawn[:, -deep:].any(axis=1),
    )
    return all((np.diff(np.flatnonzero(side), prepend=-1, append=len(side)) <= thinnest).all() for side in sides)


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


def _near(unit: int) -> int:
    """The thickness of a frame, in pixels."""
    return max(round(0.006 * unit), 3)


def _strips(lines: Profiles, unit: int) -> Iterator[Cut]:
    """Strips that may be gutters, each with what it promises."""
    near, thinnest = _near(unit), max(round(0.0025 * unit), 1)
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


def _measured(rough: Cut, state: Mask, unit: int, slack: int) -> Cut | None:
    """A promising strip measured pixel by pixel, or None where it is no gutter; `state` as in a view."""
    thinnest, near = max(round(0.0025 * unit), 2), _near(unit)
    around = 2 * (near + slack)
    lines = _Lines(state, rough.slope, rough.start - around, rough.end + around, near)
    best: Cut | None = None
    for least, test in ((OPEN, _gutter), (CROSSED, _channel)):
        for start, end in lines.stretches(least):
            if end - start < thinnest:
                continue
            found = test(lines, start, end, unit)
            if found is not None and (best is None or found.score - abs(rough.slope) > best.score):
                a, b = found.start + lines.first, found.end + lines.first
                best = Cut(rough.horizontal, rough.slope, a, b, found.score - abs(rough.slope), found.clear)
        if best is not None:
            break
    return best


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


class _Lines:
    """The lines around a strip: which pixels are ground, which belong to the part, and the share of ground a line."""

    def __init__(self, state: Mask, slope: float, first: int, last: int, near: int) -> None:
        self.state, self.slope, self.first, self.near = state, slope, first, near
        lines = band(state, slope, first, last)
        self.ground, self.inside = lines == 2, lines > 0
        self.length = np.count_nonzero(self.inside, axis=1)
        self.share: Table = (np.count_nonzero(self.ground, axis=1) / np.maximum(self.length, 1)).astype(np.float32)

    def stretches(self, least: float) -> list[tuple[int, int]]:
        """Lines in a row that are ground over this share, but for those at the edges, whose sides are not seen."""
        flags = (self.share >= least) & (self.length >= WHOLE * self.length.max())
        flags[: self.near] = flags[-self.near :] = False
        _, starts, ends = runs(flags[None, :])
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    def open_ends(self, start: int, end: int) -> int:
        """How many of a strip's two ends no frame line crosses; inside a panel its frame crosses them.

        An end is where the drawing beside the strip ends: the paper's margin beyond it says nothing.
        """
        columns = np.flatnonzero(self.inside[(start + end) // 2])
        if not len(columns):
            return 0
        reach = max(len(columns) // 8, 8)
        beside = band(self.state, self.slope, self.first + start - reach, self.first + end + reach) == 1
        beside[reach:-reach] = False
        drawn = beside.any(axis=0)
        used = columns[drawn[columns]] if drawn[columns].any() else columns
        zone = max(round(0.03 * len(columns)), 4)
        strip = self.ground[start:end]
        left, right = columns[columns <= used[0] + zone], columns[columns >= used[-1] - zone]
        return sum(float(strip[:, ends].mean(axis=0).min()) >= 0.5 for ends in (left, right))


@dataclass(frozen=True)
class _Strip:
    start: int
    end: int
    score: float
    clear: float


def _gutter(lines: _Lines, start: int, end: int, unit: int) -> _Strip | None:
    """A strip of bare ground with a straight side."""
    share, near = lines.share, lines.near
    above, below = (
        1 - float(side.min(initial=1.0)) for side in (share[max(start - near, 0) : start], share[end : end + near])
    )
    if max(above, below) < STRAIGHT:
        return None
    needed = 1
    if min(above, below) < STRAIGHT:
        # Only beside its straight side is a wide strip a gutter; the rest may be a panel without a frame.
        needed = 2
        start, end = (start, min(end, start + 2 * near)) if above > below else (max(start, end - 2 * near), end)
    if lines.open_ends(start, end) < needed:
        return None
    clear = float(share[start:end].mean())
    return _Strip(start, end, above + below - CROSSING * (1 - clear), clear)


def _channel(lines: _Lines, start: int, end: int, unit: int) -> _Strip | None:
    """A narrow channel between two straight sides, with a balloon or an inset across it."""
    if end - start > 0.03 * unit:
        return None
    inside, near = lines.inside[(start + end) // 2], lines.near
    bare = inside & (lines.ground[start:end].mean(axis=0) >= 0.6)
    clear = float(np.count_nonzero(bare) / max(np.count_nonzero(inside), 1))
    if clear < CROSSED:
        return None
    sides = (lines.ground[max(start - near, 0) : start, bare], lines.ground[end : end + near, bare])
    above, below = (1 - float(side.mean(axis=1).min(initial=1.0)) for side in sides)
    if above + below < 2 * LINED or min(above, below) < STRAIGHT or lines.open_ends(start, end) < 1:
        return None
    return _Strip(start, end, above + below - CROSSING * (1 - clear), clear)
