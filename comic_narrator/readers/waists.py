"""Balloons that are joined: where one ground holds several, and which part of it each has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import Box
from comic_narrator.readers.regions import Region
from comic_narrator.readers.words import Row

REST = 0.6
"""Rows whose gap is wider than the page's usual one by this share of their height may stand in two joined balloons."""
INKED = 0.1
"""Between rows that are more than so much inked, one was not recognised."""
WAIST = 0.85
"""Where balloons are joined, the ground is at most this share as wide as in the narrower of them."""


def gap_after(row: Row, following: Row, upright: bool) -> float:
    """The gap between a row and the following one (a column and the one to its left), as a share of their height."""
    # Dots are low: only letters say how high their lettering is.
    both = [one.box for one in (row, following) if one.lettered] or [row.box, following.box]
    if upright:
        return (row.box.x - following.box.right) / min(box.w for box in both)
    return (following.box.y - row.box.bottom) / min(box.h for box in both)


def usual_gap(texts: Sequence[tuple[Sequence[Row], bool]]) -> float:
    """The median gap between the rows of a page's `texts` (rows in order, whether columns); 0 if all have one row."""
    gaps = [
        gap
        for rows, upright in texts
        for row, following in pairwise(rows)
        if (gap := gap_after(row, following, upright)) > -0.6
    ]
    return float(np.median(gaps)) if gaps else 0.0


def divided(rows: Sequence[Row], upright: bool, region: Region | None, usual: float) -> list[list[Row]]:
    """The rows of a text, in order, cut where it rests in a waist of its ground; `usual` is the page's usual gap."""
    parts = [[rows[0]]]
    for row, following in pairwise(rows):
        rests = gap_after(row, following, upright) - usual > REST
        if rests and (region is None or _parted(row.box, following.box, upright, region)):
            parts.append([])
        parts[-1].append(following)
    return parts


def _parted(a: Box, b: Box, upright: bool, region: Region) -> bool:
    """Whether the ground between two rows is bare and, if it is a balloon's, narrower than at either side."""
    shape, plain = (region.shape, region.plain) if not upright else (region.shape.T[::-1], region.plain.T[::-1])
    if upright:
        ends = region.box.right - a.x, region.box.right - b.right
        sides = max(a.y, b.y) - region.box.y, min(a.bottom, b.bottom) - region.box.y
    else:
        ends = a.bottom - region.box.y, b.y - region.box.y
        sides = max(a.x, b.x) - region.box.x, min(a.right, b.right) - region.box.x
    first, last = (round(end * region.scale) for end in ends)
    left, right = (max(round(side * region.scale), 0) for side in sides)
    between = plain[max(first, 0) : max(last, 0), left:right]
    if between.size and between.mean() < 1 - INKED:
        return False
    widths = shape.sum(axis=1)
    first, last = min(max(first - 2, 0), len(widths) - 1), max(last + 2, 1)
    wide = min(int(widths[:last].max()), int(widths[first:].max()))
    return not region.closed or int(widths[first : max(last, first + 1)].min()) <= WAIST * wide


def shared_out(region: Region, texts: Sequence[Box]) -> list[Region]:
    """A ground that holds several texts, as the part of it that is nearest to each; all keep its number."""
    h, w = region.shape.shape
    away: list[NDArray[np.float32]] = []
    for text in texts:
        around = np.ones((h, w), np.uint8)
        x, y = (text.x - region.box.x) * region.scale, (text.y - region.box.y) * region.scale
        right, bottom = x + text.w * region.scale, y + text.h * region.scale
        around[max(int(y), 0) : max(int(bottom), 1), max(int(x), 0) : max(int(right), 1)] = 0
        away.append(np.asarray(cv2.distanceTransform(around, cv2.DIST_L2, 5), np.float32))
    nearest = np.argmin(away, axis=0)
    return [_cut(region, region.shape & (nearest == i)) for i in range(len(texts))]


def _cut(region: Region, part: NDArray[np.bool_]) -> Region:
    if not part.any():
        return region
    x, y, w, h = cv2.boundingRect(part.astype(np.uint8))
    scale = region.scale
    box = Box(region.box.x + round(x / scale), region.box.y + round(y / scale), round(w / scale), round(h / scale))
    bare = region.plain[y : y + h, x : x + w]
    return replace(region, box=box, shape=part[y : y + h, x : x + w], plain=bare)
