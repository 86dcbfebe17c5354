"""Drawing: a page shown by a view in one frame, to a fraction of a pixel, inside an area and over a ground."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from comic_narrator.film.emphasis import Lit
from comic_narrator.film.overlays import Relief, lit
from comic_narrator.film.planes import MIDDLE, Canvas, Pixels, Planes, to_planes
from comic_narrator.film.resample import Axis, Plane, resample
from comic_narrator.model import Box, View

LEVEL_RATIO = 2**0.5
"""Each level of the pyramid is so much larger than the next: fine steps keep screentone from shimmering, and within
what `resample` takes."""
BLACK = 16
"""Brightness of black."""


class Pyramid:
    """A page at its own size and smaller ones, each made when it is first asked for.

    It is made of RGB pictures of one width, shape (h, w, 3), the next below the one before, and keeps none of them.
    """

    def __init__(self, *pictures: Pixels) -> None:
        self._levels = {0: to_planes(*pictures)}
        self.size = self._levels[0].size

    def level(self, scale: float) -> Planes:
        """The smallest level that has a pixel for each pixel of a frame that shows the page at `scale`."""
        # A hair of tolerance: a page shown at its own size is shown from its own pixels.
        step = max(math.floor(math.log(0.999 / scale, LEVEL_RATIO) + 0.01), 0)
        if step not in self._levels:
            self._levels[step] = self._levels[0].shrunk(LEVEL_RATIO**step)
        return self._levels[step]


@dataclass(frozen=True)
class Emphasis:
    """What is set off in a frame: the light, and who has come nearer, by which share of their way."""

    light: Lit | None = None
    nearer: tuple[tuple[Relief, float], ...] = ()


NOTHING = Emphasis()


@dataclass(frozen=True)
class _Patch:
    """The part of a frame's plane that shows the page: its pixels, and its first column and row in the plane.

    `coarse` is 2 for a plane of colour, one pixel of which stands for two by two of brightness; the plane shows the
    page's pixels at `scale`, and one of the page is `ratio` (across, down) of the level that it is drawn from.
    """

    pixels: Plane
    corner: tuple[int, int]
    scale: float
    coarse: int
    ratio: tuple[float, float]

    @property
    def middle(self) -> tuple[float, float]:
        """Where in the plane the middle of its first pixel is: of colour at the left ones, as H.264 takes it."""
        return self.corner[0] + (0.5 if self.coarse == 1 else 0.25), self.corner[1] + 0.5

    def show(self, source: Plane, view: View, zoom: float = 1.0) -> None:
        """Draw what `view` shows of the level's plane; the view is `zoom` times as near as the patch's scale says."""
        (x, y), scale, (height, width) = self.middle, self.scale * zoom, self.pixels.shape
        across = Axis((view.x + x / scale) * self.ratio[0] - 0.5, self.ratio[0] / scale, width)
        down = Axis((view.y + y / scale) * self.ratio[1] - 0.5, self.ratio[1] / scale, height)
        resample(source, across, down, self.pixels)

    def part(self, box: Box, view: View) -> _Patch | None:
        """The part of the patch in which a box of the page may be seen, if any."""
        height, width = self.pixels.shape
        left = max(math.floor((box.x - view.x) * self.scale) - self.corner[0], 0)
        top = max(math.floor((box.y - view.y) * self.scale) - self.corner[1], 0)
        right = min(math.ceil((box.right - view.x) * self.scale) - self.corner[0], width)
        bottom = min(math.ceil((box.bottom - view.y) * self.scale) - self.corner[1], height)
        if right <= left or bottom <= top:
            return None
        corner = self.corner[0] + left, self.corner[1] + top
        return _Patch(self.pixels[top:bottom, left:right], corner, self.scale, self.coarse, self.ratio)


def draw(pyramid: Pyramid, view: View, area: Box, ground: Canvas, canvas: Canvas, emphasis: Emphasis = NOTHING) -> None:
    """Draw one frame onto `canvas`: the part of the page inside `area` as `view` shows it, over `ground`.

    The area's edges are blended by how much of each pixel they cover, so that they glide instead of stepping.
    """
    scale = canvas.size[0] / view.w
    level = pyramid.level(scale)
    colours: tuple[Plane | None, Plane | None] = level.colours or (None, None)
    for i, source in enumerate((level.brightness, *colours)):
        _draw_plane(source, pyramid.size, level, view, area, scale, i > 0, ground.planes[i], canvas.planes[i], emphasis)


def _draw_plane(
    source: Plane | None,
    page: tuple[int, int],
    level: Planes,
    view: View,
    area: Box,
    scale: float,
    colour: bool,
    ground: Plane,
    out: Plane,
    emphasis: Emphasis,
) -> None:
    """Draw one plane of a level of the page over that of the ground; the frame shows the page's pixels at `scale`."""
    coarse = 2 if colour else 1
    height, width = out.shape
    cover_x = _coverage((area.x - view.x) * scale / coarse, (area.right - view.x) * scale / coarse, width)
    cover_y = _coverage((area.y - view.y) * scale / coarse, (area.bottom - view.y) * scale / coarse, height)
    columns, rows = np.flatnonzero(cover_x), np.flatnonzero(cover_y)
    if columns.size == 0 or rows.size == 0:
        out[:] = ground
        return
    x0, x1, y0, y1 = int(columns[0]), int(columns[-1]) + 1, int(rows[0]), int(rows[-1]) + 1
    for beside in (np.s_[:y0], np.s_[y1:], np.s_[y0:y1, :x0], np.s_[y0:y1, x1:]):
        out[beside] = ground[beside]
    inside, below = out[y0:y1, x0:x1], ground[y0:y1, x0:x1]
    if source is None:
        inside[:] = MIDDLE
    else:
        patch = _Patch(inside, (x0, y0), scale / coarse, coarse, _ratio(page, level, coarse))
        patch.show(source, view)
        for relief, share in emphasis.nearer:
            _draw_nearer(source, relief, share, view, patch)
        if emphasis.light:
            lit(inside, emphasis.light, view, (x0, y0), scale / coarse, MIDDLE if colour else BLACK)
    _blend_edges(inside, below, cover_x[x0:x1], cover_y[y0:y1])


def _draw_nearer(source: Plane, relief: Relief, share: float, view: View, patch: _Patch) -> None:
    """Draw somebody who has come nearer over the page as it is."""
    part = patch.part(relief.box, view)
    if part is None:
        return
    nearer = relief.seen_from(view, share)
    drawn = replace(part, pixels=np.empty_like(part.pixels))
    drawn.show(source, nearer, view.w / nearer.w)
    own = relief.shares(view, nearer, part.middle, part.scale, part.pixels.shape).astype(np.float32) / 255
    part.pixels[:] = np.rint(part.pixels + (drawn.pixels.astype(np.float32) - part.pixels) * own)


def _ratio(page: tuple[int, int], level: Planes, coarse: int) -> tuple[float, float]:
    """What a pixel of the page is, across and down, of the pixels of a level's plane."""
    if coarse == 1:
        return level.size[0] / page[0], level.size[1] / page[1]
    # A plane of colour has a pixel for an odd last one, too.
    across, down = (-(-level.size[i] // 2) / (2 * -(-page[i] // 2)) for i in (0, 1))
    return across, down


def _coverage(start: float, end: float, length: int) -> NDArray[np.float32]:
    """How much of each of `length` unit cells the interval [start, end] covers, 0 to 1."""
    cells = np.arange(length, dtype=np.float32)
    inside = np.minimum(cells + 1, end) - np.maximum(cells, start)
    covered: NDArray[np.float32] = np.clip(inside, 0, 1).astype(np.float32)
    return covered


def _blend_edges(patch: Plane, below: Plane, cover_x: NDArray[np.float32], cover_y: NDArray[np.float32]) -> None:
    """Mix the patch's outermost columns and rows with what lies below them, in place."""
    for i in (0, -1):
        if cover_x[i] < 1:
            patch[:, i] = np.rint(patch[:, i] * cover_x[i] + below[:, i] * (1 - cover_x[i]))
    for i in (0, -1):
        if cover_y[i] < 1:
            patch[i] = np.rint(patch[i] * cover_y[i] + below[i] * (1 - cover_y[i]))
