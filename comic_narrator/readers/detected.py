"""Balloons that a detector found, put in place of the grounds that lettering was seen to stand on."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import Box
from comic_narrator.readers.detector import DetectedBalloon
from comic_narrator.readers.regions import NEAR_GROUND, Region
from comic_narrator.readers.words import Row

Picture = NDArray[np.uint8]

INSIDE = 0.5
"""A row with at least so much of its box in a balloon's shape stands in that balloon."""
CORNER = 0.12
"""The share of a box's sides that makes up one of its corners."""


def on_detected(
    image: Picture,
    rows: Sequence[Row],
    home: Sequence[int | None],
    regions: Sequence[Region],
    balloons: Sequence[DetectedBalloon],
) -> tuple[list[int | None], list[Region]]:
    """The regions of a page and each row's index among them, as `find_regions` gives them, mended by `balloons`.

    Rows in one balloon get its region, unless theirs is a closed one that holds just these rows: then it is the same
    balloon, and its outline, taken from the picture itself, is the more exact one.
    """
    within: dict[int, list[int]] = {}
    for i, row in enumerate(rows):
        shares = [_share(row.box, balloon) for balloon in balloons]
        if shares and max(shares) >= INSIDE:
            within.setdefault(shares.index(max(shares)), []).append(i)
    mended, all_regions = list(home), list(regions)
    for at, members in within.items():
        if _agrees(members, home, regions):
            continue
        for i in members:
            mended[i] = len(all_regions)
        all_regions.append(_region(image, balloons[at], [rows[i].box for i in members], len(all_regions)))
    return mended, all_regions


def _share(box: Box, balloon: DetectedBalloon) -> float:
    """The share of a box that lies in a balloon's shape."""
    x, y = box.x - balloon.box.x, box.y - balloon.box.y
    inside = balloon.mask[max(y, 0) : max(y + box.h, 0), max(x, 0) : max(x + box.w, 0)]
    return float(inside.sum()) / box.area


def _agrees(members: Sequence[int], home: Sequence[int | None], regions: Sequence[Region]) -> bool:
    region = home[members[0]]
    return (
        region is not None
        and regions[region].closed
        and [i for i, other in enumerate(home) if other == region] == list(members)
    )


def _region(image: Picture, balloon: DetectedBalloon, rows: Sequence[Box], number: int) -> Region:
    box, mask = balloon.box, balloon.mask
    a, b = max(round(CORNER * box.w), 1), max(round(CORNER * box.h), 1)
    corners = (mask[:b, :a], mask[:b, -a:], mask[-b:, :a], mask[-b:, -a:])
    area = max(int(mask.sum()), 1)
    part = image[box.y : box.bottom, box.x : box.right].astype(np.float32) / 255.0
    lab = np.asarray(cv2.cvtColor(part, cv2.COLOR_RGB2LAB), np.float32)
    # Letters cover the smaller part of it: the colour in the middle is the ground's.
    colour = np.median(lab[mask], axis=0).astype(np.float32)
    return Region(
        box=box,
        corners=tuple(bool(corner.mean() > 0.5) for corner in corners),
        full=area / box.area,
        lettered=min(sum(row.area for row in rows) / area, 1.0),
        colour=colour,
        spread=NEAR_GROUND,
        closed=True,
        edged=1.0,
        ink=0.0,
        shape=mask,
        plain=np.linalg.norm(lab - colour, axis=2) < NEAR_GROUND,
        scale=1.0,
        number=number,
    )
