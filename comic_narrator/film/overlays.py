"""Overlays: the light on what is spoken and the cut-outs that come nearer, drawn into the planes of a frame."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.film.emphasis import Lit
from comic_narrator.film.resample import Axis, Plane, laid, resample
from comic_narrator.model import Box, Cutout, View

DIM = 0.16
"""How much darker it is where no light falls."""
REACH = 0.22
"""How far the light's soft edge reaches, of the view's height."""
NEARER = 0.045
"""How much larger somebody gets who comes as near as they do."""
SOFT = 2.0
"""The edge of a cut-out is blurred by so many page pixels at least, and by so many thousandths of its panel's side."""
COARSE = 4
"""The light is reckoned for one pixel in so many, each way: it has no edges."""

Shares = NDArray[np.float32]


def lit(patch: Plane, light: Lit, view: View, corner: tuple[int, int], scale: float, zero: int) -> None:
    """Darken a part of a plane where the light does not fall, in place; `zero` is the plane's value of no light.

    `corner` is the part's first column and row in the frame's plane, which shows the page's pixels at `scale`.
    """
    height, width = patch.shape
    reach = REACH * view.h
    across = _falling(light.left, light.right, reach, view.x + corner[0] / scale, scale, width)
    down = _falling(light.top, light.bottom, reach, view.y + corner[1] / scale, scale, height)
    left = 1 - DIM * light.strength * (1 - np.outer(down, across))
    share = cv2.resize(np.rint(left * 255).astype(np.uint8), (width, height), interpolation=cv2.INTER_LINEAR)
    darker = cv2.multiply(patch, share, scale=1 / 255)
    patch[:] = cv2.addWeighted(darker, 1, share, -zero / 255, zero)


def _falling(begin: float, end: float, reach: float, first: float, scale: float, length: int) -> Shares:
    """How much light falls on each `COARSE`-th of `length` pixels in one direction: all inside, ever less beside."""
    count = math.ceil(length / COARSE)
    at = first + (np.arange(count, dtype=np.float32) + 0.5) * (length / count) / scale
    away = np.clip(np.maximum(begin - at, at - end) / reach, 0, 1)
    shares: Shares = (1 - away * away * (3 - 2 * away)).astype(np.float32)
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
