"""What the places look like that tails point at: the colours there that the rest of the panel does not have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import Box

Picture = NDArray[np.uint8]
Look = NDArray[np.float64]

SIDE = 12.0
"""Lettering is this high, in pixels, on the picture that colours are counted on: a face is a few dozen pixels then, and
screens of dots have melted into their colour."""
GREY_PAGE = 6.0
"""A page with less colour (mean chroma, Lab) is black and white, and its greys do not tell people apart."""
COMMON = 0.02
"""A colour's share of the panel is raised by this, or a speck of a rare one would outweigh all."""
LEAST = 16
"""Fewer pixels that are seen are edges of what hides the rest, and no place."""


@dataclass(frozen=True)
class Spot:
    """A place in a panel, in page pixels: around (x, y), `reach` to each side."""

    panel: Box
    x: float
    y: float
    reach: float


def looks_of(image: Picture, spots: Sequence[Spot], size: float, hidden: Sequence[Box]) -> list[Look | None]:
    """The look of each spot of an RGB page, a unit vector; None where nothing is seen, everywhere if the page is grey.

    `size` is the height of the lettering, `hidden` the balloons and boxes that cover the art.
    """
    scale = min(SIDE / size, 1.0)
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    lab = np.asarray(cv2.cvtColor(small.astype(np.float32) / 255.0, cv2.COLOR_RGB2LAB), np.float32)
    seen = np.ones(lab.shape[:2], np.bool_)
    for box in hidden:
        seen[_span(box.y, box.bottom, scale), _span(box.x, box.right, scale)] = False
    if float(np.hypot(lab[..., 1], lab[..., 2])[seen].mean() if seen.any() else 0.0) < GREY_PAGE:
        return [None for _ in spots]
    colours = _colours(lab)
    return [_look(colours, seen, spot, scale) for spot in spots]


def _span(start: float, end: float, scale: float) -> slice:
    return slice(max(int(start * scale), 0), max(int(end * scale) + 1, 0))


def _colours(lab: NDArray[np.float32]) -> NDArray[np.int64]:
    """The number of each pixel's colour, of 5 x 8 x 8 in Lab."""
    light = np.clip(lab[..., 0] // 20, 0, 4)
    a, b = (np.clip((lab[..., k] + 60) // 15, 0, 7) for k in (1, 2))
    return np.asarray(light * 64 + a * 8 + b, np.int64)


def _shares(colours: NDArray[np.int64], seen: NDArray[np.bool_], rows: slice, columns: slice) -> Look | None:
    there = colours[rows, columns][seen[rows, columns]]
    return np.bincount(there, minlength=320) / there.size if there.size >= LEAST else None


def _look(colours: NDArray[np.int64], seen: NDArray[np.bool_], spot: Spot, scale: float) -> Look | None:
    panel, reach = spot.panel, spot.reach
    here = _shares(
        colours,
        seen,
        _span(max(spot.y - reach, panel.y), min(spot.y + reach, panel.bottom), scale),
        _span(max(spot.x - reach, panel.x), min(spot.x + reach, panel.right), scale),
    )
    around = _shares(colours, seen, _span(panel.y, panel.bottom, scale), _span(panel.x, panel.right, scale))
    if here is None or around is None:
        return None
    look = np.sqrt(here / (around + COMMON))
    return np.asarray(look / np.linalg.norm(look), np.float64)
