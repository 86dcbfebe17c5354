"""Panels: where they are on a page and in which order they are read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import Box, Direction
from comic_narrator.panels.finder import panel_boxes
from comic_narrator.panels.order import reading_order

METHOD = "panels-1"
"""Raised when find_panels() may answer otherwise for the same page."""


def find_panels(image: NDArray[np.uint8], direction: Direction) -> tuple[Box, ...]:
    """The panels of a page in reading order, as boxes in its pixels; at least one.

    `image` is RGB of shape (h, w, 3); a page without panels (a cover, a splash, an advertisement) is one.
    """
    boxes = panel_boxes(image)
    return tuple(boxes[i] for i in reading_order(boxes, direction))
