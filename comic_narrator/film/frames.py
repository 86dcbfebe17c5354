"""Frames: a page's shots as a moviepy clip, drawn with sub-pixel motion over a ground made of the page."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from moviepy import VideoClip
from numpy.typing import NDArray

from comic_narrator.film.camera import abrupt, at, shaken, smooth
from comic_narrator.model import Box, Scene, Shot, View

Pixels = NDArray[np.uint8]
Ground = Literal["blur", "black"]

LEVEL_RATIO = 2**0.5
"""Each level of the pyramid is so much larger than the next: fine steps keep screentone from shimmering."""

MOST_PIXELS = 40_000_000
"""No level is enlarged beyond this: 120 MB."""

GROUND_LIGHT = 0.5
"""Brightness of the blurred ground against the page."""


@dataclass(frozen=True)
class Pyramid:
    """A page of `size` (width, height) at several sizes, largest first, each an RGB array (h, w, 3)."""

    size: tuple[int, int]
    levels: tuple[Pixels, ...]

    def level(self, scale: float) -> Pixels:
        """The smallest level that has a pixel for each pixel of a frame that shows the page at `scale`."""
        enough = [level for level in self.levels if level.shape[1] >= self.size[0] * scale * 0.999]
        return enough[-1] if enough else self.levels[0]


class SceneClip(VideoClip):  # type: ignore[misc]
    """The picture of one scene: frames of `size` (width, height) from `page`, an RGB array (h, w, 3)."""

    def __init__(self, page: Pixels, scene: Scene, size: tuple[int, int], fps: int, ground: Ground) -> None:
        super().__init__(duration=scene.frames / fps)
        self.size = size
        self.fps = fps
        self._scene = scene
        self._pyramid = make_pyramid(page, max(size[0] / shot.to_view.w for shot in scene.shots))
        self._ground = make_ground(page, size, ground)

    # A method, not a function stored on the instance: that would tie a reference cycle and keep every page alive.
    def frame_function(self, t: float) -> Pixels:
        """The RGB frame at `t` seconds, shape (height, width, 3)."""
        return self.frame(round(t * self.fps))

    def frame(self, index: int) -> Pixels:
        """Frame number `index` of the scene."""
        shot = shot_at(self._scene, index)
        return draw(self._pyramid, view_at(shot, index), shot.focus or Box(0, 0, *self._pyramid.size), self._ground)


def shot_at(scene: Scene, index: int) -> Shot:
    """The shot that frame `index` belongs to; the last one holds to the end."""
    return next((shot for shot in scene.shots if shot.first_frame <= index < shot.end_frame), scene.shots[-1])


def view_at(shot: Shot, index: int) -> View:
    """What the camera shows in frame `index` of the scene."""
    if shot.ease == "hold":
        return shot.to_view
    passed = index - shot.first_frame
    along = passed / max(shot.end_frame - shot.first_frame - 1, 1)
    if shot.ease == "shake":
        return shaken(at(shot.from_view, shot.to_view, smooth(along)), passed)
    return at(shot.from_view, shot.to_view, abrupt(along) if shot.ease == "abrupt" else smooth(along))


def make_pyramid(page: Pixels, closest: float) -> Pyramid:
    """The page from about 64 pixels up to the scale of its closest shot, so that frames only ever shrink a level a bit.

    Enlarged levels are made with a sharp kernel once, which leaves the cheap linear one to each frame.
    """
    height, width = page.shape[:2]
    steps = max(math.ceil(math.log(closest, LEVEL_RATIO)), 0)
    while steps > 0 and width * height * LEVEL_RATIO ** (2 * steps) > MOST_PIXELS:
        steps -= 1
    levels: list[Pixels] = []
    while min(height, width) * LEVEL_RATIO**steps > 64 or not levels:
        size = (round(width * LEVEL_RATIO**steps), round(height * LEVEL_RATIO**steps))
        kernel = cv2.INTER_LANCZOS4 if steps > 0 else cv2.INTER_AREA
        levels.append(page if steps == 0 else cv2.resize(page, size, interpolation=kernel).astype(np.uint8, copy=False))
        steps -= 1
    return Pyramid((width, height), tuple(levels))


def make_ground(page: Pixels, size: tuple[int, int], kind: Ground) -> Pixels:
    """What lies around a panel, (height, width, 3): the page filling the frame, blurred and darkened, or black."""
    width, height = size
    if kind == "black":
        return np.zeros((height, width, 3), np.uint8)
    page_height, page_width = page.shape[:2]
    scale = max(width / page_width, height / page_height)
    cut_width, cut_height = min(round(width / scale), page_width), min(round(height / scale), page_height)
    left, top = (page_width - cut_width) // 2, (page_height - cut_height) // 2
    # Blurring a thumbnail and enlarging it is the same soft picture at a hundredth of the work.
    small = cv2.resize(page[top : top + cut_height, left : left + cut_width], (64, 64), interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small, (0, 0), 3)
    big = cv2.resize(soft, size, interpolation=cv2.INTER_CUBIC)
    lit: Pixels = np.clip(big * GROUND_LIGHT, 0, 255).astype(np.uint8)
    return lit


def draw(pyramid: Pyramid, view: View, area: Box, ground: Pixels) -> Pixels:
    """One frame: the part of the page inside `area` as `view` shows it, over a copy of `ground`.

    The area's edges are blended by how much of each pixel they cover, so that they glide instead of stepping.
    """
    height, width = ground.shape[:2]
    scale = width / view.w
    cover_x = _coverage((area.x - view.x) * scale, (area.right - view.x) * scale, width)
    cover_y = _coverage((area.y - view.y) * scale, (area.bottom - view.y) * scale, height)
    columns, rows = np.flatnonzero(cover_x), np.flatnonzero(cover_y)
    frame = ground.copy()
    if columns.size == 0 or rows.size == 0:
        return frame
    x0, x1, y0, y1 = int(columns[0]), int(columns[-1]) + 1, int(rows[0]), int(rows[-1]) + 1
    patch = _sample(pyramid, view, scale, (x0, y0, x1 - x0, y1 - y0))
    inside = frame[y0:y1, x0:x1]
    _blend_edges(patch, inside, cover_x[x0:x1], cover_y[y0:y1])
    inside[:] = patch
    return frame


def _coverage(start: float, end: float, length: int) -> NDArray[np.float32]:
    """How much of each of `length` unit cells the interval [start, end] covers, 0 to 1."""
    cells = np.arange(length, dtype=np.float32)
    inside = np.minimum(cells + 1, end) - np.maximum(cells, start)
    covered: NDArray[np.float32] = np.clip(inside, 0, 1).astype(np.float32)
    return covered


def _sample(pyramid: Pyramid, view: View, scale: float, patch: tuple[int, int, int, int]) -> Pixels:
    """The page under a patch (x, y, w, h) of frame pixels."""
    level = pyramid.level(scale)
    sx, sy = level.shape[1] / pyramid.size[0], level.shape[0] / pyramid.size[1]
    x, y, w, h = patch
    # Pixel centres: frame pixel i shows page position view.x + (i + 0.5) / scale.
    matrix = np.array(
        [
            [sx / scale, 0, (view.x + (x + 0.5) / scale) * sx - 0.5],
            [0, sy / scale, (view.y + (y + 0.5) / scale) * sy - 0.5],
        ]
    )
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    sampled = cv2.warpAffine(level, matrix, (w, h), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return sampled.astype(np.uint8, copy=False)


def _blend_edges(patch: Pixels, below: Pixels, cover_x: NDArray[np.float32], cover_y: NDArray[np.float32]) -> None:
    """Mix the patch's outermost rows and columns with what lies below them, in place."""
    for i in (0, -1):
        share = cover_x[i]
        patch[:, i] = np.rint(patch[:, i] * share + below[:, i] * (1 - share))
    for i in (0, -1):
        share = cover_y[i]
        patch[i] = np.rint(patch[i] * share + below[i] * (1 - share))
