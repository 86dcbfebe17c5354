"""From the pieces that cuts leave of a page to the boxes of its panels."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from comic_narrator.model import Box
from comic_narrator.panels.profiles import Mask
from comic_narrator.panels.strips import Cut

OUTER = 0.6
"""A side is straight where what is drawn begins along this share of it at once: balloons may lie across a frame."""
INNER = 0.8
"""A frame may lie further in, behind what sticks out of it, and is a line over this share of the side then."""
PROTRUDING = 0.5
"""What sticks out of a frame takes up no more of the side; a round figure does as it grows."""


@dataclass(frozen=True)
class Piece:
    """A part of the page that cuts leave: `part` marks it inside its box, `cell` reaches to the cuts around it, and
    `clear` is the poorest of them."""

    part: Mask
    box: Box
    cell: Box
    clear: float


@dataclass(frozen=True)
class Edged:
    """A trimmed piece: its content's box, the sides (left, top, right, bottom) that are straight, how much is drawn,
    and how far its largest connected part reaches, in pixels."""

    content: Box
    limit: Box
    straight: tuple[bool, bool, bool, bool]
    drawn: float
    figure: int
    clear: float

    @property
    def sides(self) -> int:
        """How many of its sides are straight."""
        return sum(self.straight)


def split(piece: Piece, cut: Cut) -> list[Piece]:
    """The two sides of a cut through a piece; empty ones are left out."""
    height, width = piece.part.shape
    ys, xs = np.ogrid[:height, :width]
    along, across = (xs, ys) if cut.horizontal else (ys, xs)
    place = across - np.rint(cut.slope * along).astype(np.int64)
    parts = []
    # In the middle of the strip: frames are drawn by hand, and a crooked one reaches into it.
    middle = (cut.start + cut.end) / 2
    for side in (place < middle, place >= middle):
        part: Mask = piece.part * side.astype(np.uint8)
        box = hull(part)
        if box is not None:
            cropped = np.ascontiguousarray(part[box.y : box.bottom, box.x : box.right])
            whole = Box(piece.box.x + box.x, piece.box.y + box.y, box.w, box.h)
            parts.append(Piece(cropped, whole, _cell(whole, piece), min(piece.clear, cut.clear)))
    return parts


def _cell(box: Box, piece: Piece) -> Box:
    """A box within a piece, out to the piece's cell on the sides that the two share."""
    x = piece.cell.x if box.x == piece.box.x else box.x
    y = piece.cell.y if box.y == piece.box.y else box.y
    right = piece.cell.right if box.right == piece.box.right else box.right
    bottom = piece.cell.bottom if box.bottom == piece.box.bottom else box.bottom
    return Box(x, y, right - x, bottom - y)


def trimmed(piece: Piece, drawing: Mask) -> Piece | None:
    """A piece without the bare ground around what is drawn in it, None where nothing is."""
    box = hull(drawing[piece.box.y : piece.box.bottom, piece.box.x : piece.box.right] * piece.part)
    if box is None:
        return None
    part = np.ascontiguousarray(piece.part[box.y : box.bottom, box.x : box.right])
    return Piece(part, Box(piece.box.x + box.x, piece.box.y + box.y, box.w, box.h), piece.cell, piece.clear)


def hull(mask: Mask) -> Box | None:
    """The smallest box around what is marked."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return None
    return Box(int(columns[0]), int(rows[0]), int(columns[-1] - columns[0]) + 1, int(rows[-1] - rows[0]) + 1)


def edged(piece: Piece, drawing: Mask, unit: int) -> Edged | None:
    """A piece trimmed to what is drawn in it, None where nothing is; `drawing` marks the whole page's."""
    view = drawing[piece.box.y : piece.box.bottom, piece.box.x : piece.box.right] * piece.part
    reach = max(round(0.015 * unit), 3)
    far = round(0.05 * unit)
    top, low = _trim(view, reach, far)
    left, right = _trim(np.ascontiguousarray(view[top[0] : low[0]].T), reach, far)
    if low[0] <= top[0] or right[0] <= left[0]:
        return None
    inner = view[top[0] : low[0], left[0] : right[0]]
    content = Box(piece.box.x + left[0], piece.box.y + top[0], inner.shape[1], inner.shape[0])
    _, _, stats, _ = cv2.connectedComponentsWithStats(np.ascontiguousarray(inner), connectivity=8)
    largest = int(stats[1:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(initial=0))
    straight = (left[1], top[1], right[1], low[1])
    return Edged(content, piece.cell, straight, float(inner.mean()), largest, piece.clear)


def reach(edge: Edged, field: Box) -> Box:
    """A panel's box: to its frame where it is straight, else to the cut beside it or the end of the field of panels."""
    left, top, right, bottom = edge.straight
    x = edge.content.x if left else max(min(edge.content.x, field.x), edge.limit.x)
    y = edge.content.y if top else max(min(edge.content.y, field.y), edge.limit.y)
    far = edge.content.right if right else min(max(edge.content.right, field.right), edge.limit.right)
    low = edge.content.bottom if bottom else min(max(edge.content.bottom, field.bottom), edge.limit.bottom)
    return Box(x, y, far - x, low - y)


def without_specks(drawing: Mask) -> Mask:
    """A drawing without what is too small to be any of it."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(drawing, connectivity=8)
    least = 0.01 * min(drawing.shape)
    keep = np.zeros(count, np.uint8)
    big = np.maximum(stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]) >= least
    keep[1:] = big[1:]
    kept: Mask = keep[labels]
    return kept


def _trim(view: Mask, reach: int, far: int) -> tuple[tuple[int, bool], tuple[int, bool]]:
    """Where the drawing starts and ends down `view`, and whether straight: a straight edge within `far` comes first."""
    if not view.size:
        return (0, False), (0, False)
    rows = np.flatnonzero(view.mean(axis=1) >= 0.02)
    if not len(rows):
        return (0, False), (0, False)
    first, last = int(rows[0]), int(rows[-1]) + 1
    start, from_start = _straight_edge(view[first:last], reach, far)
    back, from_back = _straight_edge(view[first:last][::-1], reach, far)
    return (first + start, from_start), (last - back, from_back)


def _straight_edge(view: Mask, reach: int, far: int) -> tuple[int, bool]:
    """How far below the top of `view` a straight edge lies, and whether there is one; what is above it is furniture."""
    columns = np.flatnonzero(view.any(axis=0))
    if not len(columns):
        return 0, False
    width = int(columns[-1] - columns[0]) + 1
    if view[:reach].any(axis=0).sum() >= OUTER * width:
        return 0, True
    for start in range(max(reach // 3, 1), min(far, len(view) - reach), max(reach // 3, 1)):
        if view[:start].any(axis=0).sum() > PROTRUDING * width:
            break
        here = view[start : start + reach]
        if here.any(axis=0).sum() >= INNER * width:
            dense = here.sum(axis=1) >= 0.3 * width
            return start + (int(np.flatnonzero(dense)[0]) if dense.any() else 0), True
    return 0, False
