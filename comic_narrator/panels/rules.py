"""Panels parted by single or double rules instead of gutters, as in newspaper strips."""

from __future__ import annotations

import cv2
import numpy as np

from comic_narrator.model import Box
from comic_narrator.panels.cuts import GENTLE, LEAST_PIECE
from comic_narrator.panels.pieces import Piece, split, trimmed
from comic_narrator.panels.profiles import Mask, band, profiles, runs
from comic_narrator.panels.strips import Cut

RULED = 0.85
"""A rule is inked over this share of its length."""
COARSE = 0.12
"""What block sums may lose of that, for a rule is a pixel or two thick."""
THICKEST = 0.02
"""A rule, or the two of a double one with what is between them, is at most this share of the page's side thick."""
INK = 16
"""A faint rule on old paper is so many grey levels darker than what is around it."""
FEWEST = 3
"""A horizon or a pole may part a picture in two like a rule; a strip has three panels or more."""
MOST = 40
"""No page has more; what does is a pattern."""


def ruled_boxes(ink: Mask, within: Box) -> list[Box]:
    """The panels that rules part a region into, none where it has no rules; `ink` marks the whole page's."""
    unit = min(ink.shape)
    view = np.s_[within.y : within.bottom, within.x : within.right]
    whole = trimmed(Piece(np.ones_like(ink[view]), within, within, 1.0), ink)
    todo, done = [whole] if whole else [], list[Piece]()
    while todo:
        piece = todo.pop()
        inner = _without_frame(piece, ink, unit)
        cut = _best_rule(inner, ink, unit) if len(todo) + len(done) < MOST else None
        if cut is None:
            done.append(piece)
        else:
            todo += split(inner, cut)
    boxes = [piece.box for piece in done if min(piece.box.w, piece.box.h) >= LEAST_PIECE * unit]
    return boxes if len(boxes) >= FEWEST else []


def _without_frame(piece: Piece, ink: Mask, unit: int) -> Piece:
    """A piece without the lines that run along its sides, so that a rule that ends at them is whole."""
    here = ink[piece.box.y : piece.box.bottom, piece.box.x : piece.box.right] * piece.part
    deep = max(round(THICKEST * unit), 4)
    if min(here.shape) <= 4 * deep:
        return piece
    rows, columns = here.mean(axis=1), here.mean(axis=0)
    top, low, left, right = (
        int(np.flatnonzero(line >= 0.5)[-1]) + 1 if (line >= 0.5).any() else 0
        for line in (rows[:deep], rows[::-1][:deep], columns[:deep], columns[::-1][:deep])
    )
    box = Box(piece.box.x + left, piece.box.y + top, piece.box.w - left - right, piece.box.h - top - low)
    part = np.ascontiguousarray(piece.part[top : piece.box.h - low, left : piece.box.w - right])
    return Piece(part, box, box, piece.clear)


def _best_rule(piece: Piece, ink: Mask, unit: int) -> Cut | None:
    here = ink[piece.box.y : piece.box.bottom, piece.box.x : piece.box.right] * piece.part
    best: Cut | None = None
    for horizontal in (True, False):
        marked, part = (mask if horizontal else np.ascontiguousarray(mask.T) for mask in (here, piece.part))
        for cut in _rules(marked, part, unit):
            if best is None or cut.score > best.score:
                best = Cut(horizontal, cut.slope, cut.start, cut.end, cut.score, cut.clear)
    return best


def _rules(marked: Mask, part: Mask, unit: int) -> list[Cut]:
    """The full-length lines of ink across a part, masks of shape (across, along)."""
    thickest, least = max(round(THICKEST * unit), 4), round(2 * LEAST_PIECE * unit)
    if part.shape[0] < 2 * least:
        return []
    # A hand-drawn rule wavers by a pixel.
    marked = np.asarray(cv2.dilate(marked, np.ones((3, 1), np.uint8)), np.uint8) * part
    lines = profiles(marked, part, GENTLE)
    which, starts, ends = runs(lines.whole & (lines.share >= RULED - COARSE))
    found = []
    for s, start, end in zip(which.tolist(), starts.tolist(), ends.tolist(), strict=True):
        first, last = start - lines.margin, end - lines.margin
        if last - first > thickest or first < least or part.shape[0] - last < least:
            continue
        slope = lines.slopes[s]
        inside = np.maximum(band(part, slope, first - 1, last + 1).sum(axis=1), 1)
        share = float((band(marked, slope, first - 1, last + 1).sum(axis=1) / inside).max())
        if share >= RULED:
            found.append(Cut(True, slope, first, last, share - abs(slope), share))
    return found


def ink_mask(picture: Mask) -> Mask:
    """1 where an RGB page has ink much darker than its surroundings, else 0."""
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    side = max(round(0.02 * min(grey.shape)), 5) | 1
    around = cv2.blur(grey, (side, side))
    ink: Mask = ((around.astype(np.int16) - grey) > INK).astype(np.uint8)
    return ink
