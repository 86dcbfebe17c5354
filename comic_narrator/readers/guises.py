"""How somebody looks through a book: the colours of the places where they speak, which their page has nowhere else."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import Box

Picture = NDArray[np.uint8]
Guise = NDArray[np.float64]

SIDE = 96.0
"""A place is so many pixels across on the picture that colours are counted on: screens of dots melt there."""
LIGHT, TINT = 20, 10
"""Steps of lightness and of a and b (Lab) that colours are counted in, before each is shared with its neighbours."""
REACH = 90
"""Colours of a page have a and b between minus and plus this."""
RARE = 0.001
"""A colour's share of the panel is raised by this, or a speck of a rare one would outweigh all."""
GREY = 6.0
"""A page with less colour (mean chroma, Lab) is black and white, and its greys do not tell people apart."""
LEAST = 64
"""Fewer pixels that are seen are edges of what hides the rest, and no place."""
TELLING = 0.12
"""A colour is told in words where so much of the place has it."""

HIDDEN = "hardly seen"

NAMES = (
    "black", "dark grey", "grey", "light grey", "white",
    "pink", "red", "orange", "yellow", "green", "teal", "blue", "purple", "pink", "brown", "beige",
)  # fmt: skip
SHADES = (15.0, 40.0, 70.0, 88.0)
"""The lightness (Lab) from which on a grey has the next name."""
DULL = 10.0
"""Colours with less chroma (Lab) are greys."""
HUES = (20.0, 45.0, 75.0, 105.0, 165.0, 225.0, 290.0, 330.0)
"""The angle (Lab, degrees) from which on a colour has the next name, "pink" first and last."""
WARM, DARK, PALE = (45.0, 95.0), 55.0, 28.0
"""Between these angles what is darker is brown, and what has less chroma is beige."""


class Paper:
    """A page image made small enough to count colours on; `places` are those that will be looked at, page pixels."""

    def __init__(self, image: Picture, places: Sequence[Box], hidden: Sequence[Box]) -> None:
        across = float(np.median([max(place.w, place.h) for place in places])) if places else SIDE
        self._scale = min(SIDE / across, 1.0)
        small = cv2.resize(image, None, fx=self._scale, fy=self._scale, interpolation=cv2.INTER_AREA)
        self._lab = np.asarray(cv2.cvtColor(small.astype(np.float32) / 255.0, cv2.COLOR_RGB2LAB), np.float32)
        self._seen = np.ones(self._lab.shape[:2], np.bool_)
        for box in hidden:
            self._seen[self._span(box)] = False
        chroma = np.hypot(self._lab[..., 1], self._lab[..., 2])[self._seen]
        self.grey = not chroma.size or float(chroma.mean()) < GREY

    def _span(self, box: Box) -> tuple[slice, slice]:
        sides = ((box.y, box.bottom), (box.x, box.right))
        rows, columns = (slice(max(int(a * self._scale), 0), max(int(b * self._scale) + 1, 0)) for a, b in sides)
        return rows, columns

    def guise(self, place: Box, panel: Box) -> Guise | None:
        """The colours of a place that its panel has less of, a unit vector; None where nothing or only grey is seen."""
        here = self._seen[self._span(place)]
        if self.grey or here.sum() < LEAST:
            return None
        around = self._shares(panel, self._seen[self._span(panel)].astype(np.float64))
        guise = np.sqrt(self._shares(place, here * _middle(here.shape)) / (around + RARE))
        return np.asarray(guise / np.linalg.norm(guise), np.float64)

    def words(self, place: Box, panel: Box) -> str:
        """The colours of a place that its panel has less of, most first, such as "brown, red and white"."""
        parts = [self._lab[span][self._seen[span]] for span in (self._span(place), self._span(panel))]
        if parts[0].size < LEAST:
            return HIDDEN
        here, around = (np.bincount(_colour_names(lab), minlength=len(NAMES)) / max(len(lab), 1) for lab in parts)
        telling = [k for k in np.argsort(-here, kind="stable") if here[k] >= TELLING]
        own = [k for k in telling if here[k] > around[k]] or telling
        *most, last = [NAMES[k] for k in own[:3]]
        return f"{', '.join(most)} and {last}" if most else last

    def _shares(self, box: Box, weights: NDArray[np.float64]) -> Guise:
        """How the colours of a box share its pixels, of 5 x 18 x 18, each pixel counted by its weight."""
        lab = self._lab[self._span(box)][weights > 0]
        steps = np.floor((lab + np.array((0, REACH, REACH))) / np.array((LIGHT, TINT, TINT))).astype(np.int64)
        shape = (100 // LIGHT, 2 * REACH // TINT, 2 * REACH // TINT)
        number = np.ravel_multi_index(tuple(np.clip(steps[:, k], 0, shape[k] - 1) for k in range(3)), shape)
        count: Guise = np.bincount(number, weights[weights > 0], minlength=int(np.prod(shape))).astype(np.float64)
        count = count.reshape(shape)
        for axis in range(3):
            # A colour at the edge of a step is as good as in the next.
            edged = np.pad(count, [(1, 1) if axis == k else (0, 0) for k in range(3)])
            before, after = (np.take(edged, range(start, start + shape[axis]), axis) for start in (0, 2))
            count = before / 4 + count / 2 + after / 4
        return np.asarray(count.ravel() / count.sum(), np.float64)


def _middle(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Weights that fall off from the middle of a place to its rim, where others begin."""
    down, across = (((np.arange(side) + 0.5) / side * 2 - 1) ** 2 for side in shape)
    return np.asarray(np.exp(-2 * (down[:, None] + across[None, :])), np.float64)


def _colour_names(lab: NDArray[np.float32]) -> NDArray[np.int64]:
    """The number in NAMES of each colour of (n, 3)."""
    light, chroma = lab[:, 0], np.hypot(lab[:, 1], lab[:, 2])
    angle = np.degrees(np.arctan2(lab[:, 2], lab[:, 1])) % 360
    warm = (angle >= WARM[0]) & (angle < WARM[1])
    names = len(SHADES) + 1 + np.searchsorted(HUES, angle, side="right")
    names = np.where(warm & (chroma < PALE), NAMES.index("beige"), names)
    names = np.where(warm & (light < DARK), NAMES.index("brown"), names)
    names = np.where(chroma < DULL, np.searchsorted(SHADES, light, side="right"), names)
    return np.asarray(np.where(light < SHADES[0], 0, names), np.int64)
