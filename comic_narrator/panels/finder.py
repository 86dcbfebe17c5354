"""Where the panels of a page lie, from its gutters and frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import Box
from comic_narrator.panels.cuts import best_cut
from comic_narrator.panels.insets import insets
from comic_narrator.panels.paper import grounds, lab_of
from comic_narrator.panels.pieces import Edged, Piece, edged, hull, reach, split, trimmed, without_specks
from comic_narrator.panels.profiles import Mask
from comic_narrator.panels.rules import ink_mask, ruled_boxes

MAX_PANELS = 60
LEAST_SIDE = 0.045
"""A panel's shorter side is at least this share of the page's shorter side."""

LARGE = 0.5
"""Where a panel takes up this share of the page, there may be rules in it."""
UNFOUNDED = 0.3
"""How sure it is that a page on which nothing was found is one panel."""
RULED_SURE = 0.6
"""How sure panels between single rules are."""
INSET_SURE = 0.6
"""How sure insets are."""
SPREAD = (1.15, 1.8)
"""Two pages side by side are so many times wider than high."""
FIGURE = 0.3
"""Something in a panel, or its frame, reaches over this share of its shorter side; what has only letters is print."""
LETTER = 0.06
"""Letters, but for titles, are smaller than this share of the page's side."""
ALONE = 3
"""The only panel of a page has so many sides that are straight and have a margin beside them."""
BARE = 0.25
"""What a panel with nothing drawn on it counts as evidence that the right ground was taken."""


@dataclass(frozen=True)
class FoundPanel:
    """A panel's box and how sure it is that this is one, 0..1."""

    box: Box
    confidence: float


@dataclass(frozen=True)
class Found:
    """Panels with the certainty of the cuts that made them, and what is drawn on the page on their ground."""

    panels: tuple[FoundPanel, ...]
    evidence: float
    drawing: Mask


def panels_of(picture: NDArray[np.uint8]) -> tuple[FoundPanel, ...]:
    """The panels of a page, unordered, as boxes on its sheet's picture (RGB); at least one.

    Cuts the page in two along its clearest gutter, again and again (X-Y cut, Nagy & Seth 1984, here along slanting
    lines too); where that leaves most of the page whole, along single rules.
    """
    found = _found_in(picture)
    height, width = picture.shape[:2]
    covered = sum(panel.box.area for panel in found)
    unparted = len(found) == 1 or covered < LARGE * width * height
    if unparted and SPREAD[0] <= width / height <= SPREAD[1]:
        # The pages of a spread bleed into each other at the fold.
        fold = width // 2
        left, right = _found_in(picture[:, :fold]), _found_in(picture[:, fold:])
        if len(left) > 1 and len(right) > 1:
            return left + tuple(FoundPanel(_moved(panel.box, fold), panel.confidence) for panel in right)
    return found


def _moved(box: Box, right: int) -> Box:
    return Box(box.x + right, box.y, box.w, box.h)


def _found_in(picture: NDArray[np.uint8]) -> tuple[FoundPanel, ...]:
    lab = lab_of(picture)
    best = Found((), 0.0, np.zeros(lab.shape[:2], np.uint8))
    content = Box(0, 0, lab.shape[1], lab.shape[0])
    page = content.area
    for ground in grounds(lab):
        found = _panels_on(ground, picture)
        if content.area == page:
            content = _content(found.drawing)
        if found.evidence > best.evidence:
            best = found
    panels = best.panels or (FoundPanel(content, UNFOUNDED),)
    if max(panel.box.area for panel in panels) >= LARGE * page:
        ruled = ruled_boxes(ink_mask(picture), content)
        if len(ruled) >= 2 * len(panels):
            return tuple(FoundPanel(box, RULED_SURE) for box in ruled)
    if best.panels:
        boxes = [panel.box for panel in panels]
        panels += tuple(FoundPanel(box, INSET_SURE) for box in insets(best.drawing, picture, boxes))
    return panels


def _content(drawing: Mask) -> Box:
    """What a page without panels shows: all but an even margin."""
    whole = Box(0, 0, drawing.shape[1], drawing.shape[0])
    box = hull(drawing)
    return box if box is not None and box.area >= 0.4 * whole.area else whole


def _panels_on(ground: Mask, picture: NDArray[np.uint8]) -> Found:
    height, width = ground.shape
    unit = min(height, width)
    # A scan's last few lines are often the edge of the sheet, and would pass for a frame.
    rim = round(0.004 * unit) + 1
    ground[:rim] = ground[-rim:] = 1
    ground[:, :rim] = ground[:, -rim:] = 1
    drawing = without_specks(1 - ground)
    pieces, evidence = _divide(drawing)
    if len(pieces) == 1:
        return _alone(pieces[0], drawing, rim)
    boxes = _boxes([edge for piece in pieces if (edge := edged(piece, drawing, unit)) is not None], unit)
    usual = float(np.median([panel.box.area for panel in boxes])) if boxes else 0.0
    kept = tuple(panel for panel in boxes if min(panel.box[2:]) >= LEAST_SIDE * unit and panel.box.area >= 0.06 * usual)
    # What lies between bare panels of another colour is as straight as they are, but nothing is drawn on it.
    drawn_on = sum(1.0 if _is_drawn_on(picture, panel.box) else BARE for panel in kept)
    # Panels fill a page; what is found on another ground than theirs are margins and balloons.
    covered = sum(panel.box.area for panel in kept) / ground.size
    return Found(kept, evidence * covered * drawn_on / max(len(kept), 1), drawing)


def _alone(piece: Piece, drawing: Mask, rim: int) -> Found:
    """The only panel of a page, if it is one: margins lie around it, for the edge of the paper is no frame."""
    edge = edged(piece, drawing, min(drawing.shape))
    if edge is None:
        return Found((), 0.0, drawing)
    height, width = drawing.shape
    box = edge.content
    away = (box.x > 2 * rim, box.y > 2 * rim, box.right < width - 2 * rim, box.bottom < height - 2 * rim)
    framed = sum(straight and margin for straight, margin in zip(edge.straight, away, strict=True))
    panels = _boxes([edge], min(drawing.shape)) if framed >= ALONE else []
    return Found(tuple(panels), BARE if panels else 0.0, drawing)


def _is_drawn_on(picture: NDArray[np.uint8], box: Box) -> bool:
    a, b = box.w // 10 + 1, box.h // 10 + 1
    inner = picture[box.y + b : box.bottom - b : 2, box.x + a : box.right - a : 2]
    return inner.size > 0 and float(inner.std(axis=(0, 1)).max()) > 4.0


def _divide(drawing: Mask) -> tuple[list[Piece], float]:
    """Cut the page along gutters until nothing gives."""
    height, width = drawing.shape
    sheet = Box(0, 0, width, height)
    whole = trimmed(Piece(np.ones_like(drawing), sheet, sheet, 1.0), drawing)
    todo = [whole] if whole else []
    done: list[Piece] = []
    evidence = 0.0
    while todo:
        piece = todo.pop()
        ground = 1 - drawing[piece.box.y : piece.box.bottom, piece.box.x : piece.box.right]
        cut = best_cut(ground, piece.part, min(height, width)) if len(todo) + len(done) < MAX_PANELS else None
        if cut is None:
            done.append(piece)
            continue
        evidence += cut.score
        todo.extend(side for rough in split(piece, cut) if (side := trimmed(rough, drawing)) is not None)
    return done, evidence


def _boxes(edges: list[Edged], unit: int) -> list[FoundPanel]:
    """The pieces' boxes; furniture is dropped."""
    edges = [edge for edge in edges if edge.figure >= max(FIGURE * min(edge.content.w, edge.content.h), LETTER * unit)]
    framed = [edge for edge in edges if edge.sides >= 2]
    if not framed:
        return []
    field = framed[0].content
    for edge in framed[1:]:
        field = field.union(edge.content)
    return [FoundPanel(reach(edge, field), _confidence(edge)) for edge in edges if _is_panel(edge, field)]


def _confidence(edge: Edged) -> float:
    """How sure a piece is a panel: by its straight sides, and by how bare the poorest gutter beside it is."""
    return 0.28 + 0.12 * edge.sides + 0.22 * edge.clear**2


def _is_panel(edge: Edged, field: Box) -> bool:
    """Whether a piece is framed, or well filled and among the framed ones; titles and running heads are neither."""
    if edge.sides >= 2:
        return True
    return edge.drawn >= 0.25 and edge.content.overlap(field) >= 0.6 * edge.content.area
