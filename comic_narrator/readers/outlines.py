"""The drawn outline of a balloon, as a mask: what stands out of it, what leads away from it, how pointed it is.

A mask is 1 in the balloon and 0 around it; `side` is the height of the balloon's lettering in the mask's pixels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import Box

Mask = NDArray[np.uint8]

THICK = 1.0
"""What is wider than this share of the lettering's height is no tail but the balloon itself."""
SHORT = 0.12
"""Spikes shorter than this share of the lettering's height are the outline's own."""
FAT = 0.75
"""Plain ground outside a balloon that is wider than this share of the lettering's height is the art's, not a tail."""
SMALLEST, LARGEST = 0.2, 1.3
"""A bubble of a thought's tail is so many heights of the lettering across."""
ROUND = 0.6
"""It fills at least so much of the circle around it."""
CLOUD, DENT = 5, 0.035
"""A cloud has so many dents at least, so many heights of the lettering deep."""
SCALLOPS, DEEP, APART = 8, 0.1, 100.0
"""An outline made of scallops has so many dents, so many heights of the lettering deep, all round: no two neighbours
are further apart, in degrees, as seen from its middle."""
ARM, SHARP = 0.3, 75.0
"""An outline has a point where it turns by more degrees than this within so many heights of the lettering each way."""
ALONG, ACROSS, FAR = 0.25, 0.35, 1.2
"""An outline is followed by its course over so many heights of the lettering, and its stroke lies so many outside, or
further where ground goes on so far, as in the points of a burst."""
SPECK = 0.05
"""Strokes and breaks shorter than twice so many heights of the lettering are specks."""
DASHES = 10
"""So many dashes at least make a dashed outline: fewer breaks are a tail, a joint, or a pen that was lifted."""
GAP = 0.06, 0.9
"""A gap between dashes is so many heights of the lettering long, at least and at most."""
EVEN = 1.8
"""From the start of one dash to that of the next it is the usual way, or within such a factor of it."""
REGULAR, DRAWN = 0.7, (0.3, 0.88)
"""So much of a dashed outline is regular, and the dashes' share of it lies between these."""
STEP = 0.6
"""So many heights of the lettering, at most, lie between bubbles, and between the first and the balloon."""
SHRINKS = 0.95
"""A bubble is at most so many times as wide as the one nearer to the balloon."""


@dataclass(frozen=True)
class Spike:
    """What stands out of a shape: its tip, where that points (a unit vector) and its length, in the shape's pixels."""

    tip: tuple[float, float]
    toward: tuple[float, float]
    length: float


def grown(near: Mask, body: Mask, side: float, gap: int) -> Mask:
    """The balloon with the thin plain ground that runs out of it through gaps wider than `gap` pixels."""
    around = np.asarray(cv2.dilate(body, _disc(9)), np.uint8)
    core = np.asarray(cv2.erode(body, _disc(5)), np.uint8)
    open_ground = np.asarray(cv2.erode(near, _disc(gap)), np.uint8) | core
    count, labels = cv2.connectedComponents(open_ground, connectivity=4)
    ground = _parts(np.asarray(labels), count, core)
    ground = np.asarray(np.asarray(cv2.dilate(ground, _disc(gap)), np.uint8) & near | core, np.uint8)
    outside = np.asarray(ground & (1 - around), np.uint8)
    fat = _opened(outside, FAT * side / 2)
    count, parts = cv2.connectedComponents(outside, connectivity=8)
    return _filled(np.asarray(ground & (1 - _parts(np.asarray(parts), count, fat)), np.uint8))


def _parts(labels: NDArray[Any], count: int, touched: Mask) -> Mask:
    """The parts, of `count` with the background, that have a pixel in `touched`."""
    chosen = np.zeros(count, np.uint8)
    chosen[labels[touched > 0]] = 1
    chosen[0] = 0
    return np.asarray(chosen[labels], np.uint8)


def _place(mask: Mask) -> tuple[slice, slice]:
    """Rows and columns of a mask that hold all of it, and of what is around it a rim."""
    x, y, w, h = cv2.boundingRect(mask)
    return slice(max(y - 2, 0), y + h + 2), slice(max(x - 2, 0), x + w + 2)


def _opened(mask: Mask, radius: float) -> Mask:
    """What discs of that radius fill of a mask; the picture's rim bounds it like any edge."""
    opened = np.zeros_like(mask)
    here = _place(mask)
    ringed = cv2.copyMakeBorder(mask[here], 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
    deep = np.asarray(cv2.distanceTransform(ringed, cv2.DIST_L2, 5) <= radius, np.uint8)
    if not deep.all():
        filled = cv2.distanceTransform(deep, cv2.DIST_L2, 5) <= radius
        opened[here] = np.asarray(filled[1:-1, 1:-1], np.uint8) & mask[here]
    return opened


def _disc(size: int) -> Mask:
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), np.uint8)


def _filled(mask: Mask) -> Mask:
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return np.asarray(cv2.drawContours(np.zeros_like(mask), outlines, -1, 1, cv2.FILLED), np.uint8)


def spikes_of(shape: Mask, side: float) -> list[Spike]:
    """The thin parts that stand out of a shape, in its pixels."""
    rows, columns = _place(shape)
    shape = shape[rows, columns]
    room = round(THICK * side) + 2
    padded = np.asarray(cv2.copyMakeBorder(shape, room, room, room, room, cv2.BORDER_REPLICATE), np.uint8)
    opened = _opened(padded, THICK * side / 2)[room:-room, room:-room]
    if not opened.any():
        return []
    away = cv2.distanceTransform(1 - opened, cv2.DIST_L2, 5)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(np.asarray(shape & (1 - opened), np.uint8))
    spikes = []
    for label in range(1, count):
        x, y, w, h, area = (int(value) for value in stats[label])
        if area < SHORT * side:
            continue
        ys, xs = np.nonzero(labels[y : y + h, x : x + w] == label)
        ys, xs = ys + y, xs + x
        far = away[ys, xs]
        end = int(far.argmax())
        length = float(far[end])
        if length < SHORT * side:
            continue
        # A curved tail points where its last part does.
        root = (far >= 0.3 * length) & (far <= 0.7 * length)
        root = root if root.any() else far <= far.min()
        tip = (float(xs[end]), float(ys[end]))
        dx, dy = tip[0] - float(xs[root].mean()), tip[1] - float(ys[root].mean())
        norm = max(float(np.hypot(dx, dy)), 1e-6)
        spikes.append(Spike((tip[0] + columns.start, tip[1] + rows.start), (dx / norm, dy / norm), length))
    return spikes


def bubbles_of(near: Mask, shape: Mask, side: float, hidden: Sequence[Box]) -> Spike | None:
    """The chain of shrinking round spots of ground that leads away from a balloon, in the cutting's pixels."""
    _, labels, stats, centres = cv2.connectedComponentsWithStats(near & (1 - shape), connectivity=4)
    small, across = stats[:, 2:4].min(axis=1), stats[:, 2:4].max(axis=1)
    whole = (small >= SMALLEST * side) & (across <= LARGEST * side) & (stats[:, 4] >= ROUND * math.pi * across**2 / 4)
    likely = [
        label
        for label in map(int, np.flatnonzero(whole))
        if label > 0 and not any(_holds(box, *centres[label]) for box in hidden)
    ]
    if len(likely) < 2:
        return None
    away = cv2.distanceTransform(1 - shape, cv2.DIST_L2, 5)
    spots: list[tuple[float, float, float, float]] = []
    for label in likely:
        x, y, w, h, _ = (int(value) for value in stats[label])
        far = float(away[y : y + h, x : x + w][labels[y : y + h, x : x + w] == label].min())
        spots.append((far, float(across[label]), float(centres[label][0]), float(centres[label][1])))
    chain: list[tuple[float, float, float, float]] = []
    for spot in sorted(spots):
        far, across, cx, cy = spot
        last = chain[-1] if chain else None
        if last is None:
            gap, fits = far, True
        else:
            gap = math.hypot(cx - last[2], cy - last[3]) - (across + last[1]) / 2
            fits = across <= SHRINKS * last[1] and far > last[0]
        if fits and gap <= STEP * side:
            chain.append(spot)
    if len(chain) < 2 or _dents(shape, side) < CLOUD:
        return None
    (_, _, x0, y0), (far, across, x1, y1) = chain[0], chain[-1]
    length = max(math.hypot(x1 - x0, y1 - y0), 1e-6)
    return Spike((x1, y1), ((x1 - x0) / length, (y1 - y0) / length), far + across)


def _holds(box: Box, x: float, y: float) -> bool:
    return box.x <= x < box.right and box.y <= y < box.bottom


def points_of(shape: Mask, side: float, frame: Box | None) -> int:
    """How many sharp convex points a shape's outline has, those left out where the `frame` of the panel cuts it."""
    outlines, _ = cv2.findContours(shape, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    outline = max(outlines, key=cv2.contourArea, default=None)
    arm = max(round(ARM * side), 3)
    if outline is None or len(outline) < 6 * arm:
        return 0
    line = outline.reshape(-1, 2).astype(np.float64)
    # Contours run clockwise as seen, so that a right turn is convex.
    back, ahead = line - np.roll(line, arm, axis=0), np.roll(line, -arm, axis=0) - line
    turn = np.degrees(np.arctan2(back[:, 0] * ahead[:, 1] - back[:, 1] * ahead[:, 0], (back * ahead).sum(axis=1)))
    turn *= -1 if cv2.contourArea(outline, oriented=True) < 0 else 1
    sharp = (turn > SHARP) & ~_beside(line, frame, arm)
    return int((sharp & ~np.roll(sharp, 1)).sum())


def dashed(shape: Mask, near: Mask, stroke: Mask, side: float) -> bool:
    """Whether the outline of a shape is drawn in dashes, as for a whisper.

    `near` is 1 where there is ground as in the shape, `stroke` where a line is drawn.
    """
    outlines, _ = cv2.findContours(_opened(shape, 0.5 * side), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    outline = max(outlines, key=len, default=None)
    if outline is None or len(outline) < 4 * side:
        return False
    inked = _inked(outline.reshape(-1, 2).astype(np.float64), near, stroke, side)
    starts = np.flatnonzero(inked & ~np.roll(inked, 1))
    if len(starts) < DASHES:
        return False
    inked = np.roll(inked, -starts[0])
    starts = starts - starts[0]
    steps = np.diff(np.append(starts, len(inked)))
    gaps = np.array([step - inked[start : start + step].sum() for start, step in zip(starts, steps, strict=True)])
    usual = float(np.median(steps))
    even = (steps < EVEN * usual) & (steps > usual / EVEN) & (gaps > GAP[0] * side) & (gaps < GAP[1] * side)
    drawn = float(inked.mean())
    return bool(even.sum() >= DASHES and steps[even].sum() >= REGULAR * len(inked) and DRAWN[0] < drawn < DRAWN[1])


def _inked(line: NDArray[np.float64], near: Mask, stroke: Mask, side: float) -> NDArray[np.bool_]:
    """For each point (n, 2) of a closed outline whether a stroke is drawn outside it, as far as the ground goes."""
    smooth = _smoothed(line, ALONG * side)
    reach = max(round(ALONG * side), 1)
    course = np.roll(smooth, -reach, axis=0) - np.roll(smooth, reach, axis=0)
    # Contours run clockwise as seen, so that what is to the left of their course lies outside.
    out = np.stack([course[:, 1], -course[:, 0]], axis=1) / np.maximum(np.linalg.norm(course, axis=1), 1e-6)[:, None]
    out *= -1 if cv2.contourArea(line.astype(np.float32), oriented=True) < 0 else 1
    height, width = stroke.shape
    found, ground = np.zeros(len(line), np.bool_), np.ones(len(line), np.bool_)
    for step in range(-round(ALONG * side / 2), round(FAR * side) + 1):
        x, y = np.rint(smooth + step * out).astype(np.int64).T
        inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
        x, y = np.clip(x, 0, width - 1), np.clip(y, 0, height - 1)
        found |= inside & (stroke[y, x] > 0) & (ground if step > ACROSS * side else True)
        ground &= near[y, x] > 0
    return np.asarray(_smoothed(found[:, None].astype(np.float64), SPECK * side)[:, 0] > 0.5, np.bool_)


def _smoothed(ring: NDArray[np.float64], reach: float) -> NDArray[np.float64]:
    """The mean of each value (n, k) of a ring and those up to `reach` places before and after it."""
    side = max(round(reach), 1)
    window = np.ones(2 * side + 1) / (2 * side + 1)
    ringed = np.concatenate([ring[-side:], ring, ring[:side]])
    return np.stack([np.convolve(ringed[:, k], window, "valid") for k in range(ring.shape[1])], axis=1)


def _beside(points: NDArray[np.float64], frame: Box | None, near: int) -> NDArray[np.bool_]:
    """Which of some points (n, 2) lie nearer than `near` to an edge of a frame, or beyond it."""
    if frame is None:
        return np.zeros(len(points), np.bool_)
    x, y = points.T
    within = np.minimum.reduce([x - frame.x, frame.right - x, y - frame.y, frame.bottom - y])
    return np.asarray(within < near)


def scalloped(shape: Mask, side: float) -> bool:
    """Whether a shape's outline goes in scallops all round, as a cloud's does."""
    dents = _dented(shape, DEEP * side)
    if len(dents) < SCALLOPS:
        return False
    away = dents - dents.mean(axis=0)
    turns = np.sort(np.degrees(np.arctan2(away[:, 1], away[:, 0])))
    return bool(np.diff(np.append(turns, turns[0] + 360)).max() <= APART)


def _dents(shape: Mask, side: float) -> int:
    """How many dents a shape's outline has: a cloud has them all round."""
    return len(_dented(shape, DENT * side))


def _dented(shape: Mask, deep: float) -> NDArray[np.float64]:
    """Where a shape's outline has dents that are so many pixels deep; points (n, 2)."""
    outlines, _ = cv2.findContours(shape, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    outline = max(outlines, key=cv2.contourArea, default=None)
    if outline is None:
        return np.zeros((0, 2))
    hull = cv2.convexHull(outline, returnPoints=False)
    defects = cv2.convexityDefects(outline, hull) if len(hull) > 3 else None
    if defects is None:
        return np.zeros((0, 2))
    flat = defects.reshape(-1, 4)
    return np.asarray(outline.reshape(-1, 2)[flat[flat[:, 3] / 256 > deep, 2]], np.float64)
