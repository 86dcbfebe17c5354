"""Overlays: the light on what is spoken and the cut-outs that come nearer, drawn into the planes of a frame."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.film.emphasis import Lit
from comic_narrator.film.resample import HALF, ONE, SHIFT, Axis, Plane, laid, resample
from comic_narrator.model import Box, Cutout, View

DIM = 0.16
"""How much darker it is where no light falls."""
REACH = 0.22
"""How far the light's soft edge reaches, of the view's height."""
NEARER = 0.045
"""How much larger somebody gets who comes as near as they do."""
SOFT = 2.0
"""The edge of a cut-out is blurred by so many page pixels at least, and by so many thousandths of its panel's side."""
FULL = np.int32(1 << 16)
"""The light of a place that it falls on from both directions."""

Shares = NDArray[np.int32]


def lit(patch: Plane, light: Lit, view: View, corner: tuple[int, int], scale: float, zero: int) -> None:
    """Darken a part of a plane where the light does not fall, in place; `zero` is the plane's value of no light.

    `corner` is the part's first column and row in the frame's plane, which shows the page's pixels at `scale`.
    """
    height, width = patch.shape
    reach = REACH * view.h
    across = _falling(light.left, light.right, reach, view.x + corner[0] / scale, scale, width)
    down = _falling(light.top, light.bottom, reach, view.y + corner[1] / scale, scale, height)
    _shading()(patch, across, down, round(DIM * light.strength * ONE), zero)


@cache
def _shading() -> Callable[[Plane, Shares, Shares, int, int], None]:
    # Here, for numba takes a second to be imported.
    try:
        import numba
    except ImportError:
        return _shade_at_once
    return numba.njit(cache=True, nogil=True, boundscheck=False)(_shade)


def _shade(patch, across, down, dim, zero):  # type: ignore[no-untyped-def]  # compiled, and for that as plain as C
    """Darken each pixel by `dim`, in 2^-14, less what light falls on its column and its row, both in 2^-8."""
    dark, base = np.int32(dim), np.int32(zero)
    for j in range(patch.shape[0]):
        row, falls = patch[j], np.int32(down[j])
        for i in range(row.shape[0]):
            lost = np.int32(np.int32(dark * np.int32(FULL - np.int32(across[i] * falls))) >> 16)
            left = np.int32(np.int32(row[i]) - base) * np.int32(ONE - lost)
            row[i] = np.uint8(base + np.int32(np.int32(left + HALF) >> SHIFT))


def _shade_at_once(patch: Plane, across: Shares, down: Shares, dim: int, zero: int) -> None:
    lost = dim * (FULL - np.outer(down, across)) >> 16
    patch[:] = zero + ((patch.astype(np.int32) - zero) * (ONE - lost) + HALF >> SHIFT)


def _falling(begin: float, end: float, reach: float, first: float, scale: float, length: int) -> Shares:
    """How much light falls on each of `length` pixels in one direction, in 2^-8: all inside, ever less beside."""
    at = first + (np.arange(length, dtype=np.float32) + 0.5) / scale
    away = np.clip(np.maximum(begin - at, at - end) / reach, 0, 1)
    shares: Shares = np.rint((1 - away * away * (3 - 2 * away)) * 256).astype(np.int32)
    return shares


class Relief:
    """A cut-out of a page of `size` (width, height), ready to be drawn nearer than the page that it is part of."""

    def __init__(self, cutout: Cutout, panel: Box, size: tuple[int, int]) -> None:
        corners = np.array(cutout.mask, np.int32)
        x, y, w, h = cv2.boundingRect(corners)
        sigma = max(SOFT, max(panel.w, panel.h) * SOFT / 1000)
        room = math.ceil(max(w, h) * NEARER + 3 * sigma)
        self.box = Box(x - room, y - room, w + 2 * room, h + 2 * room).within(*size)
        # Whoever comes nearer keeps their feet, or where the panel cuts them, in place.
        self._foot = (x + w / 2, float(y + h))
        offset = -self.box.x, -self.box.y
        inside = np.zeros((self.box.h, self.box.w), np.uint8)
        cv2.fillPoly(inside, [corners + offset], 255)
        free = self._free(cutout, panel, sigma)
        soft = cv2.GaussianBlur(inside, (0, 0), sigma)
        self._free_plane = laid(free)
        self._mask = laid(cv2.multiply(soft, free, scale=1 / 255).astype(np.uint8, copy=False))

    def _free(self, cutout: Cutout, panel: Box, sigma: float) -> Plane:
        """Where the cut-out may be drawn: within its panel and, with a soft edge, beside the lettering."""
        free = np.zeros((self.box.h, self.box.w), np.uint8)
        edge = math.ceil(3 * sigma)
        _fill(free, panel, self.box, -2 * edge, 255)
        for box in cutout.lettering:
            _fill(free, box, self.box, 2 * edge, 0)
        blurred = cv2.GaussianBlur(free, (0, 0), sigma).astype(np.uint8, copy=False)
        for box in cutout.lettering:
            _fill(blurred, box, self.box, 0, 0)
        return blurred

    def seen_from(self, view: View, share: float) -> View:
        """What of the page lies where `view` shows the cut-out, that has come near by that share: a smaller view."""
        factor = 1 / (1 + NEARER * share)
        x, y = self._foot
        return View(x + (view.x - x) * factor, y + (view.y - y) * factor, view.w * factor, view.h * factor)

    def shares(
        self, view: View, nearer: View, corner: tuple[float, float], scale: float, size: tuple[int, int]
    ) -> Plane:
        """How much of each pixel is the cut-out's, 0 to 255, shape `size` (height, width).

        `corner` is the middle of the first pixel in the frame, which shows the page's pixels at `scale`.
        """
        own, free = np.empty(size, np.uint8), np.empty(size, np.uint8)
        zoom = view.w / nearer.w
        for plane, seen, at, out in ((self._mask, nearer, scale * zoom, own), (self._free_plane, view, scale, free)):
            across = Axis(seen.x + corner[0] / at - self.box.x - 0.5, 1 / at, size[1])
            down = Axis(seen.y + corner[1] / at - self.box.y - 0.5, 1 / at, size[0])
            resample(plane, across, down, out)
        return cv2.multiply(own, free, scale=1 / 255).astype(np.uint8, copy=False)


def _fill(plane: Plane, box: Box, around: Box, grown: int, value: int) -> None:
    """Fill a box of the page, grown on all sides, in the plane of the part `around`."""
    left, top = max(box.x - grown - around.x, 0), max(box.y - grown - around.y, 0)
    right, bottom = max(box.right + grown - around.x, 0), max(box.bottom + grown - around.y, 0)
    plane[top:bottom, left:right] = value
