"""Where the panels of a page lie, from its gutters and frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import Box
from comic_narrator.panels.cuts import Cut, best_cut
from comic_narrator.panels.paper import ground_colours, ground_mask, rule_mask

Mask = NDArray[np.uint8]

WORK_SIDE = 1200
"""The longer side of the picture that is searched, for pages of book shape."""
MAX_PANELS = 60
LEAST_SIDE = 0.045
"""A panel's shorter side is at least this share of the page's shorter side."""


@dataclass(frozen=True)
class Piece:
    """A part of the page that no cut divides; `part` marks it on the searched picture."""

    part: Mask
    box: Box


@dataclass(frozen=True)
class Found:
    """Panels with the certainty of the cuts that made them."""

    boxes: tuple[Box, ...]
    evidence: float


def panel_boxes(image: NDArray[np.uint8]) -> tuple[Box, ...]:
    """The panels of an RGB page of shape (h, w, 3), unordered, as boxes in its pixels; at least one.

    Cuts the page in two along its clearest gutter, again and again (X-Y cut, Nagy & Seth 1984, on sheared pictures so
    that slanting gutters count); a page without gutters is cut along single rules.
    """
    height, width = image.shape[:2]
    scale = min(WORK_SIDE / min(max(height, width), 2 * min(height, width)), 3.0)
    size = (max(round(width * scale), 8), max(round(height * scale), 8))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    small = np.asarray(cv2.resize(image, size, interpolation=method), np.uint8)
    best = Found((), 0.0)
    for colour in ground_colours(small):
        found = _panels_on(ground_mask(small, colour), small)
        if found.evidence > best.evidence:
            best = found
    if len(best.boxes) < 2:
        ruled = _ruled_panels(small)
        if len(ruled.boxes) > 1:
            best = ruled
    if not best.boxes:
        best = Found((_content(small),), 0.0)
    return tuple(_to_page(box, scale, width, height) for box in best.boxes)


def _to_page(box: Box, scale: float, width: int, height: int) -> Box:
    left, top = round(box.x / scale), round(box.y / scale)
    return Box(left, top, round(box.right / scale) - left, round(box.bottom / scale) - top).within(width, height)


def _content(small: NDArray[np.uint8]) -> Box:
    """What a page without panels shows: all but an even margin."""
    height, width = small.shape[:2]
    for colour in ground_colours(small)[:1]:
        box = _hull(1 - ground_mask(small, colour))
        if box is not None and box.area >= 0.4 * height * width:
            return box
    return Box(0, 0, width, height)


def _panels_on(ground: Mask, small: NDArray[np.uint8]) -> Found:
    height, width = ground.shape
    # A scan's last few lines are often the edge of the sheet, and would pass for a frame.
    rim = round(0.004 * min(height, width)) + 1
    ground = ground.copy()
    ground[:rim] = ground[-rim:] = 1
    ground[:, :rim] = ground[:, -rim:] = 1
    pieces, evidence = _divide(ground, rules=False)
    boxes = _boxes(pieces, ground)
    least = LEAST_SIDE * min(height, width)
    usual = float(np.median([box.area for box in boxes])) if boxes else 0.0
    kept = tuple(box for box in boxes if min(box.w, box.h) >= least and box.area >= 0.06 * usual)
    # What lies between bare panels of another colour is as straight as they are, but nothing is drawn on it.
    return Found(kept, evidence * sum(_is_drawn_on(small, box) for box in kept) / max(len(kept), 1))


def _is_drawn_on(small: NDArray[np.uint8], box: Box) -> bool:
    a, b = box.w // 10 + 1, box.h // 10 + 1
    inner = small[box.y + b : box.bottom - b, box.x + a : box.right - a]
    return inner.size > 0 and float(inner.std(axis=(0, 1)).max()) > 4.0


def _ruled_panels(small: NDArray[np.uint8]) -> Found:
    rules = rule_mask(small)
    pieces, evidence = _divide(rules, rules=True)
    height, width = rules.shape
    least = 2 * LEAST_SIDE * min(height, width)
    drawn = _content(small)
    wide = [piece.box for piece in pieces if min(piece.box.w, piece.box.h) >= least]
    boxes = tuple(_shared(box, drawn) for box in wide if box.overlap(drawn))
    return Found(boxes, evidence)


def _shared(box: Box, other: Box) -> Box:
    """The part of a box that lies in the other, which it overlaps."""
    x, y = max(box.x, other.x), max(box.y, other.y)
    return Box(x, y, min(box.right, other.right) - x, min(box.bottom, other.bottom) - y)


def _divide(mask: Mask, rules: bool) -> tuple[list[Piece], float]:
    """Cut the page along gutters (`mask` marks the ground) or single rules (`mask` marks ink) until nothing gives."""
    height, width = mask.shape
    whole = np.ones_like(mask)
    todo = [Piece(whole, Box(0, 0, width, height))]
    done: list[Piece] = []
    evidence = 0.0
    while todo:
        piece = todo.pop()
        cut = best_cut(mask, piece.part, piece.box, rules) if len(todo) + len(done) < MAX_PANELS else None
        if cut is None:
            done.append(piece)
            continue
        evidence += cut.score
        todo.extend(_split(piece, cut))
    return done, evidence


def _split(piece: Piece, cut: Cut) -> list[Piece]:
    height, width = piece.part.shape
    ys, xs = np.ogrid[:height, :width]
    along, across = (xs, ys) if cut.horizontal else (ys, xs)
    place = across - cut.slope * along
    parts = []
    for side in (place < cut.start, place >= cut.end):
        part: Mask = piece.part * side.astype(np.uint8)
        box = _hull(part)
        if box is not None:
            parts.append(Piece(part, box))
    return parts


def _hull(mask: Mask) -> Box | None:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return None
    return Box(int(columns[0]), int(rows[0]), int(columns[-1] - columns[0]) + 1, int(rows[-1] - rows[0]) + 1)


@dataclass(frozen=True)
class _Edge:
    """A trimmed piece: its content's box, the sides that are straight, and how much of the box is drawn."""

    content: Box
    limit: Box
    straight: tuple[bool, bool, bool, bool]
    drawn: float


def _boxes(pieces: list[Piece], ground: Mask) -> list[Box]:
    """The pieces' boxes: to the frame where it is straight, else to the cut beside it; furniture is dropped."""
    drawing = _without_specks(1 - ground)
    edges = [edge for piece in pieces if (edge := _edge(piece, drawing)) is not None]
    framed = [edge for edge in edges if sum(edge.straight) >= 2]
    if not framed:
        return []
    field = framed[0].content
    for edge in framed[1:]:
        field = field.union(edge.content)
    return [_reach(edge, field) for edge in edges if _is_panel(edge, field)]


def _is_panel(edge: _Edge, field: Box) -> bool:
    """Whether a piece is framed, or well filled and among the framed ones; titles and running heads are neither."""
    if sum(edge.straight) >= 2:
        return True
    return edge.drawn >= 0.25 and edge.content.overlap(field) >= 0.6 * edge.content.area


def _reach(edge: _Edge, field: Box) -> Box:
    left, top, right, bottom = edge.straight
    x = edge.content.x if left else max(min(edge.content.x, field.x), edge.limit.x)
    y = edge.content.y if top else max(min(edge.content.y, field.y), edge.limit.y)
    far = edge.content.right if right else min(max(edge.content.right, field.right), edge.limit.right)
    low = edge.content.bottom if bottom else min(max(edge.content.bottom, field.bottom), edge.limit.bottom)
    return Box(x, y, far - x, low - y)


def _without_specks(drawing: Mask) -> Mask:
    count, labels, stats, _ = cv2.connectedComponentsWithStats(drawing, connectivity=8)
    least = 0.01 * min(drawing.shape)
    keep = np.zeros(count, np.uint8)
    big = np.maximum(stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]) >= least
    keep[1:] = big[1:]
    kept: Mask = keep[labels]
    return kept


def _edge(piece: Piece, drawing: Mask) -> _Edge | None:
    drawn: NDArray[Any] = drawing * piece.part
    view = drawn[piece.box.y : piece.box.bottom, piece.box.x : piece.box.right]
    reach = max(round(0.015 * min(drawing.shape)), 3)
    far = round(0.05 * min(drawing.shape))
    top, low = _trim(view, reach, far)
    left, right = _trim(np.ascontiguousarray(view[top[0] : low[0]].T), reach, far)
    if low[0] <= top[0] or right[0] <= left[0]:
        return None
    inner = view[top[0] : low[0], left[0] : right[0]]
    content = Box(piece.box.x + left[0], piece.box.y + top[0], inner.shape[1], inner.shape[0])
    return _Edge(content, piece.box, (left[1], top[1], right[1], low[1]), float(inner.mean()))


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
    for start in range(0, min(far, len(view) - reach), max(reach // 3, 1)):
        if view[start : start + reach].any(axis=0).sum() >= 0.6 * width:
            if start == 0:
                return 0, True
            dense = view[start : start + reach].sum(axis=1) >= 0.3 * width
            return start + (int(np.flatnonzero(dense)[0]) if dense.any() else 0), True
    return 0, False
