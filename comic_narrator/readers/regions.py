"""The plain grounds that lettering stands on: insides of balloons, caption boxes, open paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import Box
from comic_narrator.readers.words import Row

Picture = NDArray[np.uint8]

ROW_SIDE = 13.0
"""Rows are this high, in pixels, on the picture that is searched."""
LEAST_LETTERED = 0.12
LEAST_FULL = 0.45
MOST_OF_PAGE = 0.25
"""The inside of a balloon is lettered and full at least so far, and no larger part of the page."""
LETTERED_ACROSS = 0.25
"""Ground from one side of a panel to the other is a balloon only if it is lettered so far."""
BULGES = 0.85
"""A balloon fills so much of its convex hull; one that runs on into a gutter fills less."""
INSIDE = 0.97
"""A region with more than so much of its box in a panel lies in it."""
RIM, CLEAR_EDGE = 3, 20.0
"""A ground ends at an edge where it changes by so much (Lab) within so many pixels; paint that runs into paint
changes slowly."""
FAINT = 8.0
"""A stroke so much darker (Lab) than the ground beside it is drawn."""
SAME_GROUND = 10.0
NEAR_GROUND = 15.0
CLEAN_GROUND = 8.0
SPREADS = 2.5
"""Pixels (Lab) are of a ground that differ from it by less than CLEAN_GROUND and so many times its own unevenness."""


@dataclass(frozen=True, eq=False)
class Region:
    """A connected plain ground, holes filled: its box in page pixels and its shape.

    `corners` says which corners of the box it fills (left and right at the top, then below), `full` is the share of the
    box that it fills, `lettered` the share of it that rows cover, `colour` its colour (Lab, shape (3,)) and `spread`
    how far its pixels differ from that; `closed` says whether it is the inside of a balloon or box, and not a ground
    that runs on behind the art; `edged` is the share of its rim where it ends at something clearly different, `ink`
    how far from grey (Lab) the letters on it are. `shape` is the ground itself, True in it, and `plain` its bare
    places, over `box`, at `scale` of their pixels a page pixel. `number` tells the grounds of a page apart.
    """

    box: Box
    corners: tuple[bool, ...]
    full: float
    lettered: float
    colour: NDArray[np.float32]
    spread: float
    closed: bool
    edged: float
    ink: float
    shape: NDArray[np.bool_]
    plain: NDArray[np.bool_]
    scale: float
    number: int

    @property
    def bright(self) -> float:
        """Its lightness (Lab, 0-100)."""
        return float(self.colour[0])


def find_regions(image: Picture, rows: Sequence[Row], panels: Sequence[Box]) -> tuple[list[int | None], list[Region]]:
    """For each row the index of its region, or None where its ground is uneven; and the regions.

    `image` is an RGB page of shape (h, w, 3); a region ends at the panels' edges, unless it is a balloon across them.
    """
    if not rows:
        return [], []
    scale = float(np.clip(ROW_SIDE / np.median([row.size for row in rows]), 0.2, 2.0))
    height, width = image.shape[:2]
    size = (max(round(width * scale), 1), max(round(height * scale), 1))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    lab = np.asarray(cv2.cvtColor(small.astype(np.float32) / 255.0, cv2.COLOR_RGB2LAB), np.float32)
    boxes = [_scaled(row.box, scale, size) for row in rows]
    barrier = np.ones((size[1], size[0]), np.uint8)
    grounds = {i: ground for i, box in enumerate(boxes) if (ground := _ground(lab, box)) is not None}
    home: list[int | None] = [None] * len(rows)
    regions: list[Region] = []
    astride = _astride(lab, barrier, grounds, boxes, scale, regions, panels)
    for panel in panels:
        edge = _scaled(panel, scale, size)
        cv2.rectangle(barrier, (edge.x, edge.y), (edge.right - 1, edge.bottom - 1), 0, 1)
    _search(lab, barrier, grounds, boxes, scale, home, regions, panels)
    # Outlines that are thin or faint bound only what nothing stronger does: in a scan, letters look like them too.
    drawn = _lines(lab)
    for box in boxes:
        drawn[box.y : box.bottom, box.x : box.right] = False
    barrier[drawn] = 0
    loose = {i: ground for i, ground in grounds.items() if not _closed(home[i], regions)}
    again: list[int | None] = [None] * len(rows)
    _search(lab, barrier, loose, boxes, scale, again, regions, panels)
    found = [new if _closed(new, regions) else old for old, new in zip(home, again, strict=True)]
    return [astride.get(i, at) for i, at in enumerate(found)], regions


def away_from(colour: NDArray[np.float32], lab: NDArray[np.float32]) -> NDArray[np.float32]:
    """How far colours (Lab), an array of shape (..., 3), are from one."""
    # Three planes and no axis of three: numpy takes a third of the time.
    light, a, b = (lab[..., k] - colour[k] for k in range(3))
    return np.asarray(np.sqrt(light * light + a * a + b * b), np.float32)


def _astride(
    lab: NDArray[np.float32],
    barrier: NDArray[np.uint8],
    grounds: dict[int, NDArray[np.float32]],
    boxes: list[Box],
    scale: float,
    regions: list[Region],
    panels: Sequence[Box],
) -> dict[int, int]:
    """Add to `regions` the balloons that lie across panels' edges, and give the region of each row in them."""
    home: list[int | None] = [None] * len(boxes)
    _search(lab, barrier, grounds, boxes, scale, home, regions, panels)
    whole = {i: at for i, at in enumerate(home) if at is not None and _lies_across(regions[at], panels)}
    for at in {at for at in home if at is not None and at not in whole.values()}:
        regions[at] = replace(regions[at], closed=False)
    return whole


def _lies_across(region: Region, panels: Sequence[Box]) -> bool:
    """Whether a region is a whole balloon with a panel's edge under it, and no ground that runs on in the gutter."""
    if not region.closed or any(region.box.overlap(panel) > INSIDE * region.box.area for panel in panels):
        return False
    outlines, _ = cv2.findContours(region.shape.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    hull = sum(float(cv2.contourArea(cv2.convexHull(outline))) for outline in outlines)
    return float(region.shape.sum()) >= BULGES * hull


def _closed(at: int | None, regions: Sequence[Region]) -> bool:
    return at is not None and regions[at].closed


def _search(
    lab: NDArray[np.float32],
    barrier: NDArray[np.uint8],
    grounds: dict[int, NDArray[np.float32]],
    boxes: list[Box],
    scale: float,
    home: list[int | None],
    regions: list[Region],
    panels: Sequence[Box],
) -> None:
    """Add to `regions` and `home` the grounds under the rows whose colours `grounds` has."""
    left = list(grounds)
    while left:
        colour = grounds[left[0]]
        alike = [i for i in left if np.linalg.norm(grounds[i] - colour) < SAME_GROUND]
        left = [i for i in left if i not in alike]
        start = len(regions)
        _label(lab, barrier, colour, alike, boxes, scale, home, regions)
        for at in range(start, len(regions)):
            if _runs_across(regions[at], panels):
                regions[at] = replace(regions[at], closed=False)


def _runs_across(region: Region, panels: Sequence[Box]) -> bool:
    """Whether a region is the back of a panel: it reaches from side to side, with little lettering on it."""
    if region.lettered >= LETTERED_ACROSS or sum(region.corners) >= 3:
        return False
    return any(
        region.box.w >= 0.96 * panel.w and region.box.overlap(panel) >= 0.8 * region.box.area for panel in panels
    )


def _scaled(box: Box, scale: float, size: tuple[int, int]) -> Box:
    return Box(
        round(box.x * scale), round(box.y * scale), max(round(box.w * scale), 1), max(round(box.h * scale), 1)
    ).within(*size)


def _ground(lab: NDArray[np.float32], box: Box) -> NDArray[np.float32] | None:
    """The colour (Lab) that most of a row's box has, or None if there is no such colour."""
    pixels = lab[box.y : box.bottom, box.x : box.right].reshape(-1, 3)
    bins = np.bincount(np.clip(pixels[:, 0] / 5, 0, 20).astype(int), minlength=21)
    smooth = np.convolve(bins, [1, 1, 1], "same")
    around = pixels[np.abs(pixels[:, 0] / 5 - (smooth.argmax() + 0.5)) <= 1.5]
    colour = np.median(around, axis=0)
    near = away_from(colour, pixels) < NEAR_GROUND
    return colour.astype(np.float32) if near.mean() >= 0.3 else None


def _label(
    lab: NDArray[np.float32],
    barrier: NDArray[np.uint8],
    colour: NDArray[np.float32],
    alike: list[int],
    boxes: list[Box],
    scale: float,
    home: list[int | None],
    regions: list[Region],
) -> None:
    """Find the connected grounds of one colour under the rows `alike`."""
    spread = _spread(lab, colour, [boxes[i] for i in alike])
    near = (away_from(colour, lab) < spread).astype(np.uint8)
    filled = near.copy()
    for i in alike:
        if min(boxes[i].w, boxes[i].h) > 2 * ROW_SIDE:
            continue
        core = _core(boxes[i])
        filled[core.y : core.bottom, core.x : core.right] = 1
    filled *= barrier
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))
    # Thin gaps in an outline must not let the inside of a balloon run out into the art.
    solid = cv2.erode(filled, kernel)
    _, labels = cv2.connectedComponents(solid, connectivity=4)
    members: dict[int, list[int]] = {}
    for i in alike:
        core = _core(boxes[i])
        inside = labels[core.y : core.bottom, core.x : core.right]
        inside = inside[inside > 0]
        if len(inside):
            members.setdefault(int(np.bincount(inside).argmax()), []).append(i)
    for label, rows in members.items():
        shape = np.asarray(cv2.dilate((labels == label).astype(np.uint8), kernel), np.uint8)
        for i in rows:
            home[i] = len(regions)
        found = _region(shape, near, [boxes[i] for i in rows], scale, colour, spread, len(regions))
        regions.append(
            replace(found, edged=_edged(lab, shape, colour), ink=_ink(lab, colour, [boxes[i] for i in rows]))
        )


def _lines(lab: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Where strokes are drawn that are thin or faint, but darker than the ground at both sides of them."""
    lightness = np.ascontiguousarray(lab[..., 0])
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))
    return np.asarray(cv2.morphologyEx(lightness, cv2.MORPH_BLACKHAT, kernel) > FAINT)


def _spread(lab: NDArray[np.float32], colour: NDArray[np.float32], boxes: list[Box]) -> float:
    """How far from its colour (Lab) a ground goes: little in clean artwork, more on printed paper."""
    away = [away_from(colour, lab[box.y : box.bottom, box.x : box.right]).ravel() for box in boxes]
    joined = np.concatenate(away)
    within = joined[joined < NEAR_GROUND]
    middle = float(np.median(within)) if within.size else NEAR_GROUND
    return float(np.clip(CLEAN_GROUND + SPREADS * middle, CLEAN_GROUND, NEAR_GROUND))


def _core(box: Box) -> Box:
    """A row's box without the slack that the detector leaves round the letters."""
    slack = max(round(0.16 * min(box.w, box.h)), 1)
    return Box(box.x + slack, box.y + slack, max(box.w - 2 * slack, 1), max(box.h - 2 * slack, 1))


def _ink(lab: NDArray[np.float32], colour: NDArray[np.float32], rows: Sequence[Box]) -> float:
    """How far from grey (Lab) most of the letters in some rows are; 0 if nothing in them differs from the ground."""
    pixels = np.concatenate([lab[box.y : box.bottom, box.x : box.right].reshape(-1, 3) for box in rows])
    away = away_from(colour, pixels)
    inked = pixels[away > max(0.5 * float(np.percentile(away, 97)), NEAR_GROUND)]
    return float(np.median(np.hypot(inked[:, 1], inked[:, 2]))) if len(inked) else 0.0


def _edged(lab: NDArray[np.float32], ground: NDArray[np.uint8], colour: NDArray[np.float32]) -> float:
    """The share of a ground's rim beside which something differs clearly from it: an outline, or other paint."""
    x, y, w, h = cv2.boundingRect(ground)
    room = RIM + 1
    top, left = max(y - room, 0), max(x - room, 0)
    part = np.s_[top : y + h + room, left : x + w + room]
    away = away_from(colour, lab[part])
    far = cv2.dilate(away, np.ones((2 * RIM + 1, 2 * RIM + 1), np.uint8))
    outlines, _ = cv2.findContours(np.ascontiguousarray(ground[part]), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    rim = np.concatenate(outlines).reshape(-1, 2)
    return float((far[rim[:, 1], rim[:, 0]] > CLEAR_EDGE).mean())


def _region(
    ground: NDArray[np.uint8],
    near: NDArray[np.uint8],
    rows: list[Box],
    scale: float,
    colour: NDArray[np.float32],
    spread: float,
    number: int,
) -> Region:
    x, y, w, h = cv2.boundingRect(ground)
    view = np.ascontiguousarray(ground[y : y + h, x : x + w])
    outlines, _ = cv2.findContours(view, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    shape = cv2.drawContours(np.zeros_like(view), outlines, -1, 1, cv2.FILLED)
    area = max(int(shape.sum()), 1)
    # Lettering set tight against a box's border pinches the ground off at its corners.
    filled = shape.copy()
    for row in rows:
        filled[max(row.y - y, 0) : max(row.bottom - y, 0), max(row.x - x, 0) : max(row.right - x, 0)] = 1
    a, b = max(round(0.12 * w), 2), max(round(0.12 * h), 2)
    corners = tuple(
        bool(corner.mean() > 0.5) for corner in (filled[:b, :a], filled[:b, -a:], filled[-b:, :a], filled[-b:, -a:])
    )
    full, lettered = area / (w * h), min(sum(_core(box).area for box in rows) / area, 1.0)
    return Region(
        box=Box(round(x / scale), round(y / scale), round(w / scale), round(h / scale)),
        corners=corners,
        full=full,
        lettered=lettered,
        colour=colour,
        spread=spread,
        edged=0.0,
        ink=0.0,
        closed=lettered >= LEAST_LETTERED and full >= LEAST_FULL and area <= MOST_OF_PAGE * ground.size,
        shape=shape.astype(bool),
        plain=near[y : y + h, x : x + w].astype(bool),
        scale=scale,
        number=number,
    )
