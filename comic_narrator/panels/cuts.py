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


def best_cut(marked: Mask, part: Mask, unit: int) -> Cut | None:
    """The clearest gutter through a part; the 0/1 masks have its shape, `marked` is the ground, `unit` the page's side."""
    views = [(True, marked * part, part)]
    views.append((False, *(np.ascontiguousarray(mask.T) for mask in views[0][1:])))
    if _is_closed(views[0][2] - views[0][1], unit):
        return None
    for slopes, reduction, beside, tried in SEARCHES:
        found: list[tuple[Cut, Mask, Mask]] = []
        for horizontal, here, inside in views:
            coarse = [_reduced(mask, reduction) for mask in (here, inside)]
            if min(coarse[0].shape) < 8:
                continue
            lines = profiles(coarse[0], coarse[1], slopes)
            found += [
                (replace(cut, horizontal=horizontal, start=cut.start * reduction, end=cut.end * reduction), here, inside)
                for cut in _strips(lines, max(unit // reduction, 1))
            ]
        sure = [
            cut
            for rough, here, inside in _promising(found, _near(unit), tried)
            for slope in beside
            if (cut := measured(replace(rough, slope=rough.slope + slope), here, inside, unit, reduction)) is not None
        ]
        if sure:
            return max(sure, key=lambda cut: cut.score)
    return None


def _is_closed(drawn: Mask, unit: int) -> bool:
    """Whether a frame runs all round a part: no gutter leads out of it."""
    deep, thinnest = 2 * _near(unit), max(round(0.0025 * unit), 2)
    if min(drawn.shape) < 2 * deep:
        return False
    sides = (drawn[:deep].any(axis=0), drawn[-deep:].any(axis=0), drawn[:, :deep].any(axis=1), drawn[:, -deep:].any(axis=1))
    return all((np.diff(np.flatnonzero(side)) <= thinnest).all() for side in sides)


def _promising(found: list[tuple[Cut, Mask, Mask]], near: int, tried: int) -> Iterator[tuple[Cut, Mask, Mask]]:
    """The best strips, a few of each place."""
    places: Counter[tuple[bool, int]] = Counter()
    for cut, here, inside in sorted(found, key=lambda each: -each[0].score):
        middle = (cut.start + cut.end + cut.slope * here.shape[1]) / 2
        place = (cut.horizontal, round(middle / near))
        if places[place] < TRIED_THERE:
            places[place] += 1
            yield cut, here, inside
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


def measured(rough: Cut, marked: Mask, part: Mask, unit: int, slack: int) -> Cut | None:
    """A promising strip measured pixel by pixel, or None where it is no gutter; masks of shape (across, along)."""
    near, thinnest = _near(unit), max(round(0.0025 * unit), 2)
    reach = max(part.shape[1] // 8, 8) + near + 2 * slack
    first = rough.start - reach
    both = band(marked + part, rough.slope, first, rough.end + reach)
    ground, inside = (both == 2).astype(np.uint8), (both > 0).astype(np.uint8)
    length = np.maximum(inside.sum(axis=1, dtype=np.int64), 1)
    share: Table = (ground.sum(axis=1, dtype=np.int64) / length).astype(np.float32)
    middle = slice(max(reach - near - 2 * slack, 0), len(share) - max(reach - near - 2 * slack, 0))
    best: Cut | None = None
    for least in (OPEN, CROSSED):
        flags = np.zeros((1, len(share)), np.bool_)
        flags[0, middle] = (share[middle] >= least) & (length[middle] >= WHOLE * length.max())
        for start, end in zip(*runs(flags)[1:], strict=True):
            if end - start < thinnest or (best is not None and least == CROSSED):
                continue
            test = _gutter if least == OPEN else _channel
            found = test(_Band(ground, inside, share), int(start), int(end), near, unit)
            if found is not None and (best is None or found.score - abs(rough.slope) > best.score):
                a, b = found.start + first, found.end + first
                best = Cut(rough.horizontal, rough.slope, a, b, found.score - abs(rough.slope), found.clear)
    return best if best is not None and _is_worth(best, marked, part, unit) else None


def _is_worth(cut: Cut, marked: Mask, part: Mask, unit: int) -> bool:
    """Whether neither side of a cut is a bare frame line or an edge of the other."""
    lean = round(cut.slope * part.shape[1])
    first, last = min(0, -lean) - 1, part.shape[0] + max(0, -lean) + 1
    both = band(marked + part, cut.slope, first, last)
    drawn = (both == 1).sum(axis=1) / np.maximum((both > 0).sum(axis=1), 1)
    for side in (drawn[: max(cut.start - first, 0)], drawn[max(cut.end - first, 0) :]):
        used = np.flatnonzero(side > 0.02)
        thickness = int(used[-1] - used[0]) + 1 if len(used) else 0
        if thickness < SLIVER * unit or (thickness < LEAST_PIECE * unit and side.max() > 0.5):
            return False
    return True


@dataclass(frozen=True)
class _Band:
    """The lines around a strip: which pixels are ground, which belong to the part, and the share of ground a line."""

    ground: Mask
    inside: Mask
    share: Table


@dataclass(frozen=True)
class _Strip:
    start: int
    end: int
    score: float
    clear: float


def _gutter(lines: _Band, start: int, end: int, near: int, unit: int) -> _Strip | None:
    """A strip of bare ground with a straight side."""
    share = lines.share
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
    if _open_ends(lines, start, end) < needed:
        return None
    clear = float(share[start:end].mean())
    return _Strip(start, end, above + below - CROSSING * (1 - clear), clear)


def _channel(lines: _Band, start: int, end: int, near: int, unit: int) -> _Strip | None:
    """A narrow channel between two straight sides, with a balloon or an inset across it."""
    if end - start > 0.03 * unit:
        return None
    inside = lines.inside[(start + end) // 2] > 0
    bare = inside & (lines.ground[start:end].mean(axis=0) >= 0.6)
    if not bare.any():
        return None
    sides = (lines.ground[max(start - near, 0) : start, bare], lines.ground[end : end + near, bare])
    clear = float(bare.sum() / inside.sum())
    above, below = (1 - float(side.mean(axis=1).min(initial=1.0)) for side in sides)
    if clear < CROSSED or above + below < 2 * LINED or min(above, below) < STRAIGHT:
        return None
    if _open_ends(lines, start, end) < 1:
        return None
    return _Strip(start, end, above + below - CROSSING * (1 - clear), clear)


def _open_ends(lines: _Band, start: int, end: int) -> int:
    """How many of a strip's two ends no frame line crosses; inside a panel its frame crosses them.

    An end is where the drawing beside the strip ends: the paper's margin beyond it says nothing.
    """
    columns = np.flatnonzero(lines.inside[(start + end) // 2])
    if not len(columns):
        return 0
    reach = max(len(columns) // 8, 8)
    beside = lines.inside.astype(bool) & ~lines.ground.astype(bool)
    drawn = beside[max(start - reach, 0) : start].any(axis=0) | beside[end : end + reach].any(axis=0)
    used = columns[drawn[columns]] if drawn[columns].any() else columns
    zone = max(round(0.03 * len(columns)), 4)
    strip = lines.ground[start:end]
    left, right = columns[columns <= used[0] + zone], columns[columns >= used[-1] - zone]
    return sum(float(strip[:, ends].mean(axis=0).min()) >= 0.5 for ends in (left, right))
