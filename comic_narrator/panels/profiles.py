"""How much of every slanting line across a part of a page is marked: a coarse Radon transform by blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.uint8]
Table = NDArray[np.float32]
Flags = NDArray[np.bool_]
Whole = NDArray[np.int64]

BLOCKS = 32
"""A part is summed up in so many blocks along the lines: within a block a gentle slope stays under a pixel."""
WHOLE = 0.7
"""A line runs right through a part when it is this share of the part's longest."""


@dataclass(frozen=True)
class Profiles:
    """Lines of several slopes across a part: row r of slope s holds the pixels across = r - margin + slope * along.

    `share` (slopes, rows) is how much of each line is marked, `length` its pixels inside the part.
    """

    slopes: Sequence[float]
    margin: int
    share: Table
    length: Table

    @property
    def whole(self) -> Flags:
        """Lines that run (nearly) right through the part."""
        longest = np.maximum(self.length.max(axis=1, keepdims=True), 1)
        flags: Flags = self.length >= WHOLE * longest
        return flags


def profiles(marked: Mask, part: Mask, slopes: Sequence[float]) -> Profiles:
    """The profiles of two 0/1 masks of shape (across, along), `marked` inside `part`."""
    height, width = part.shape
    count = min(BLOCKS, width)
    margin = int(np.ceil(max(abs(slope) for slope in slopes) * width)) + 1
    centres = (np.arange(count) + 0.5) * width / count
    shifts = (margin + np.rint(np.outer(slopes, centres))).astype(np.int64).tolist()
    rows = height + 2 * margin
    totals = np.zeros((2, len(slopes), rows), np.int32)
    for total, mask in zip(totals, (marked, part), strict=True):
        blocks = cv2.resize(mask * np.uint8(255), (count, height), interpolation=cv2.INTER_AREA)
        columns = np.ascontiguousarray(np.pad(blocks, ((2 * margin,) * 2, (0, 0))).T.astype(np.int32))
        for line, places in zip(total, shifts, strict=True):
            for column, place in zip(columns, places, strict=True):
                line += column[place : place + rows]
    marks, inside = totals.astype(np.float32)
    share = marks / np.maximum(inside, 1)
    return Profiles(slopes, margin, share, inside * np.float32(width / count / 255))


def runs(flags: Flags) -> tuple[Whole, Whole, Whole]:
    """The runs of True in each row of (rows, n) flags: their rows, starts and ends."""
    padded = np.zeros((flags.shape[0], flags.shape[1] + 2), np.int8)
    padded[:, 1:-1] = flags
    steps = np.diff(padded, axis=1)
    which, starts = np.nonzero(steps == 1)
    ends = np.nonzero(steps == -1)[1]
    return which, starts, ends


def band(mask: Mask, slope: float, start: int, end: int) -> Mask:
    """The lines start..end (across - slope * along) of a mask of shape (across, along) as rows; 0 outside it."""
    matrix = np.array([[1, 0, 0], [slope, 1, start]], np.float64)
    flags = cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(mask, matrix, (mask.shape[1], end - start), flags=flags), np.uint8)
