"""The picture that panels are searched on: a page at a bounded size, turned upright, and the way back to its pixels."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import Box
from comic_narrator.panels.profiles import profiles

WORK_SIDE = 1200
"""The longer side of the picture that is searched, for pages of book shape."""
MOST_GROWN = 3.0
"""A small scan is enlarged at most so much: its gutters have a pixel or two."""
MOST_TILT = 0.09
"""Scans lie crooked by up to five degrees; what slants more was drawn so."""
LEAST_TILT = 0.008
"""Half a degree is within what cuts allow anyway."""
PLAIN = 1.5
"""The page is turned when its level and its upright lines are so much sharper at the tilt than as it lies."""


@dataclass(frozen=True)
class Sheet:
    """A page's picture for the search, RGB of shape (h, w, 3); `back` (2, 3) maps its pixels to the page's."""

    picture: NDArray[np.uint8]
    back: NDArray[np.float64]
    width: int
    height: int

    def on_page(self, box: Box) -> Box:
        """The smallest box in page pixels around a box of the sheet."""
        corners = np.array([(x, y, 1) for x in (box.x, box.right) for y in (box.y, box.bottom)], np.float64)
        places = corners @ self.back.T
        left, top = (round(float(v)) for v in places.min(axis=0))
        right, bottom = (round(float(v)) for v in places.max(axis=0))
        return Box(left, top, max(right - left, 1), max(bottom - top, 1)).within(self.width, self.height)


def sheet_of(image: NDArray[np.uint8]) -> Sheet:
    """The sheet of an RGB page of shape (h, w, 3)."""
    height, width = image.shape[:2]
    scale = min(WORK_SIDE / min(max(height, width), 2 * min(height, width)), MOST_GROWN)
    size = (max(round(width * scale), 8), max(round(height * scale), 8))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    picture = np.asarray(cv2.resize(image, size, interpolation=method), np.uint8)
    back = np.array([[width / size[0], 0, 0], [0, height / size[1], 0]], np.float64)
    slope = tilt(picture)
    if slope:
        turn = cv2.getRotationMatrix2D((size[0] / 2, size[1] / 2), float(np.degrees(np.arctan(slope))), 1.0)
        picture = np.asarray(
            cv2.warpAffine(picture, turn, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8
        )
        undo = np.vstack([cv2.invertAffineTransform(turn), [0, 0, 1]])
        back = back @ undo
    return Sheet(picture, back, width, height)


def tilt(picture: NDArray[np.uint8]) -> float:
    """The slope of a crooked scan's level lines, 0 where the page lies straight or nothing says how it lies.

    Frames are long straight edges: summed along their own slope they give sharp peaks (after Postl, "Detection of
    linear oblique structures and skew scan in digitized documents", 1986), level and upright ones alike.
    """
    reduced = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(reduced, cv2.COLOR_RGB2GRAY).astype(np.int16)
    level = (np.abs(np.diff(grey, axis=0)) > 24).astype(np.uint8)
    upright = np.ascontiguousarray((np.abs(np.diff(grey, axis=1)) > 24).astype(np.uint8).T)
    if min(grey.shape) < 32 or not level.any() or not upright.any():
        return 0.0
    slopes = tuple(np.round(np.arange(-MOST_TILT, MOST_TILT + 0.001, 0.003), 4).tolist())
    flat = _sharpness(level, slopes)
    steep = _sharpness(upright, tuple(-slope for slope in slopes))
    straight = len(slopes) // 2
    both = flat / flat.mean() + steep / steep.mean()
    best = int(both.argmax())
    sharper = min(flat[best] / max(flat[straight], 1), steep[best] / max(steep[straight], 1)) >= PLAIN
    return float(slopes[best]) if sharper and abs(slopes[best]) >= LEAST_TILT else 0.0


def _sharpness(edges: NDArray[np.uint8], slopes: tuple[float, ...]) -> NDArray[np.float64]:
    lines = profiles(edges, np.ones_like(edges), slopes)
    marked = (lines.share * lines.length).astype(np.float64)
    sharp: NDArray[np.float64] = (np.diff(marked, axis=1) ** 2).sum(axis=1)
    return sharp
