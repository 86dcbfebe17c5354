"""Insets: small panels that lie on a larger one, with a rim of bare ground around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import Box
from comic_narrator.panels.profiles import Mask

LEAST_SIDE = 0.09
"""An inset's shorter side is at least this share of the page's: what is smaller is a thing in the picture."""
LARGEST = 0.6
"""An inset leaves its host more than it takes."""
SAME = 0.6
"""What overlaps a panel so much (intersection over union) is that panel."""
INSIDE = 0.9
"""An inset lies in its host with this share of itself, or across several panels."""
LINED = 0.9
"""Its sides are straight lines over this share of their length."""
RIM = 0.035
"""The rim of ground around an inset is at most this share of the page's side wide."""
BARE = 0.06
"""So much may lie across the rim."""
CUT_OFF = 0.5
"""Beyond the rim the host's drawing goes on along this share of it; a window in a bare wall has none."""
FIGURE = 0.35
"""A picture has something in it that is this share of its height and width; letters are smaller."""


def insets(drawing: Mask, picture: NDArray[np.uint8], panels: Sequence[Box]) -> list[Box]:
    """The insets of a page; `drawing` marks what is not ground, and `panels` are those that gutters part."""
    unit = min(drawing.shape)
    found = []
    for box in _rectangles(drawing, unit):
        if any(_iou(box, panel) >= SAME for panel in panels):
            continue
        hosts = [panel for panel in panels if box.overlap(panel) >= 0.15 * box.area]
        inside = sum(box.overlap(host) for host in hosts) >= INSIDE * box.area
        if not inside or box.area > LARGEST * sum(host.area for host in hosts):
            continue
        if _is_rimmed(box, drawing, hosts, unit) and is_pictured(picture, box):
            found.append(box)
    return found


def _iou(a: Box, b: Box) -> float:
    shared = a.overlap(b)
    return shared / (a.area + b.area - shared)


def _rectangles(drawing: Mask, unit: int) -> Iterator[Box]:
    """Connected parts of the drawing that have four straight sides."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(drawing, connectivity=8)
    deep = max(round(0.006 * unit), 3)
    for label in range(1, count):
        x, y, w, h = (int(stats[label, i]) for i in range(4))
        if min(w, h) < LEAST_SIDE * unit:
            continue
        part = labels[y : y + h, x : x + w] == label
        sides = (
            part[:deep].any(axis=0),
            part[-deep:].any(axis=0),
            part[:, :deep].any(axis=1),
            part[:, -deep:].any(axis=1),
        )
        if min(float(side.mean()) for side in sides) >= LINED:
            yield Box(x, y, w, h)


def _is_rimmed(box: Box, drawing: Mask, hosts: Sequence[Box], unit: int) -> bool:
    """Whether a rim of ground parts a box from the drawing of its hosts, which goes on right behind the rim."""
    field = hosts[0]
    for host in hosts[1:]:
        field = field.union(host)
    bare = False
    for away in range(1, max(round(RIM * unit), 4)):
        line = _ring(box, away, drawing, field, round(RIM * unit))
        if not len(line):
            return False
        share = float(line.mean())
        bare = bare or share <= BARE
        if bare and share >= CUT_OFF:
            return True
    return False


def _ring(box: Box, away: int, drawing: Mask, field: Box, margin: int) -> Mask:
    """The pixels `away` from a box, on those sides that do not lie along the edge of the field."""
    left, top, right, bottom = box.x - away, box.y - away, box.right + away - 1, box.bottom + away - 1
    sides = []
    if top - margin > field.y:
        sides.append(drawing[top, max(left, 0) : right + 1])
    if bottom + margin < field.bottom:
        sides.append(drawing[bottom, max(left, 0) : right + 1])
    if left - margin > field.x:
        sides.append(drawing[max(top, 0) : bottom + 1, left])
    if right + margin < field.right:
        sides.append(drawing[max(top, 0) : bottom + 1, right])
    return np.concatenate(sides) if sides else np.zeros(0, np.uint8)


def is_pictured(picture: NDArray[np.uint8], box: Box) -> bool:
    """Whether a box shows more than lettering on one colour: a caption box is framed like a panel, too."""
    rim = max(min(box.w, box.h) // 12, 4)
    inner = picture[box.y + rim : box.bottom - rim, box.x + rim : box.right - rim]
    if not inner.size:
        return False
    grey = cv2.cvtColor(np.ascontiguousarray(inner), cv2.COLOR_RGB2GRAY)
    usual = int(np.bincount(grey.ravel() // 8).argmax()) * 8 + 4
    marks = (np.abs(grey.astype(np.int16) - usual) > 20).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(marks, connectivity=8)
    height, width = grey.shape
    large = (stats[1:, cv2.CC_STAT_HEIGHT] >= FIGURE * height) & (stats[1:, cv2.CC_STAT_WIDTH] >= FIGURE * width)
    return bool(large.any())
