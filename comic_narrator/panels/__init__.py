"""Panels: where they are on a page and in which order they are read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import Direction
from comic_narrator.panels.finder import FoundPanel, panels_of
from comic_narrator.panels.order import reading_order
from comic_narrator.panels.sheet import sheet_of

METHOD = "panels-2"
"""Raised when find_panels() may answer otherwise for the same page."""

__all__ = ["METHOD", "FoundPanel", "find_panels"]


def find_panels(image: NDArray[np.uint8], direction: Direction) -> tuple[FoundPanel, ...]:
    """The panels of a page in reading order, as boxes in its pixels with their confidence; at least one.

    `image` is RGB of shape (h, w, 3); a page without panels (a cover, a splash, an advertisement) is one.
    """
    sheet = sheet_of(image)
    panels = panels_of(sheet.picture)
    order = reading_order([panel.box for panel in panels], direction)
    return tuple(FoundPanel(sheet.on_page(panels[i].box), panels[i].confidence) for i in order)
