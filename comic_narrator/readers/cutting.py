"""Pictures of single rows, cut upright out of a page."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Corners = NDArray[np.float64]
"""The four corners of a row, (4, 2) page pixels, clockwise from its top left."""

TALL = 1.5
"""A row so many times as high as wide is a column, and is laid on its side: so the recogniser was taught to read it."""


def sides(corners: Corners) -> tuple[float, float]:
    """The width and height of a quadrilateral, in page pixels."""
    width = max(np.linalg.norm(corners[0] - corners[1]), np.linalg.norm(corners[3] - corners[2]))
    height = max(np.linalg.norm(corners[0] - corners[3]), np.linalg.norm(corners[1] - corners[2]))
    return float(width), float(height)


def grown(corners: Corners, along: float, across: float) -> Corners:
    """A row made longer at both ends and thicker on both sides, by shares of its thickness; negative ones shrink it."""
    width, height = sides(corners)
    right = (corners[1] - corners[0] + corners[2] - corners[3]) / (2 * max(width, 1.0))
    down = (corners[3] - corners[0] + corners[2] - corners[1]) / (2 * max(height, 1.0))
    if height >= TALL * width:
        right, down = right * across * width, down * along * width
    else:
        right, down = right * along * height, down * across * height
    return np.asarray(corners + np.array([-right - down, right - down, right + down, down - right]), np.float64)


def cut(image: Picture, corners: Corners, height: int) -> Picture:
    """The row in `corners` of an RGB page, upright and `height` pixels high; a column is laid on its left side."""
    low = np.maximum(np.floor(corners.min(axis=0)).astype(int) - 2, 0)
    high = np.ceil(corners.max(axis=0)).astype(int) + 2
    part = image[low[1] : high[1], low[0] : high[0]]
    corners = corners - low
    width, tall = sides(corners)
    column = tall >= TALL * width
    scale = height / max(width if column else tall, 1.0)
    if 2 * scale < 1:
        # The warp looks at neighbouring pixels only: large lettering is brought near its size first.
        size = max(round(part.shape[1] * 2 * scale), 1), max(round(part.shape[0] * 2 * scale), 1)
        corners = corners * (size[0] / part.shape[1], size[1] / part.shape[0])
        part = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
    across, down = max(round(width * scale), 1), max(round(tall * scale), 1)
    target = np.array([[0, 0], [across, 0], [across, down], [0, down]], np.float32)
    warp = cv2.getPerspectiveTransform(corners.astype(np.float32), target)
    row = cv2.warpPerspective(part, warp, (across, down), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.ascontiguousarray(np.rot90(row) if column else row)
