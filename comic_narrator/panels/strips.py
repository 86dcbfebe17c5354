"""A strip of a part measured pixel by pixel: whether it is a gutter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from comic_narrator.panels.profiles import WHOLE, Mask, Table, band, runs

OPEN = 0.9
"""A gutter shows the ground over this share of its length; balloons may lie across the rest."""
STRAIGHT = 0.65
"""A gutter's side is straight when this share of it is drawn within a frame's thickness."""
CROSSED = 0.55
"""A channel between two straight sides may have a balloon or an inset across it, and is bare over this share."""
LINED = 0.85
"""Its sides are drawn over this share of what is bare, one with the other."""
CROSSING = 3.0
"""What lies across a gutter speaks so much more against it than a gap in its sides does."""


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


def near_of(unit: int) -> int:
    """The thickness of a frame, in pixels."""
    return max(round(0.006 * unit), 3)


def measured(rough: Cut, state: Mask, unit: int, slack: int) -> Cut | None:
    """A promising strip measured pixel by pixel, or None where it is no gutter; `state` as in a view."""
    thinnest, near = max(round(0.0025 * unit), 2), near_of(unit)
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
        reach = max(columns.size // 8, 8)
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
    clear = int(bare.sum()) / max(int(inside.sum()), 1)
    if clear < CROSSED:
        return None
    sides = (lines.ground[max(start - near, 0) : start, bare], lines.ground[end : end + near, bare])
    above, below = (1 - float(side.mean(axis=1).min(initial=1.0)) for side in sides)
    if above + below < 2 * LINED or min(above, below) < STRAIGHT or lines.open_ends(start, end) < 1:
        return None
    return _Strip(start, end, above + below - CROSSING * (1 - clear), clear)
