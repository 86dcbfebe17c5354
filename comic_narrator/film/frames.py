"""Frames: a page's shots as a moviepy clip, drawn with sub-pixel motion over a ground made of the page."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

import cv2
import numpy as np
from moviepy import VideoClip
from numpy.typing import NDArray

from comic_narrator.film.camera import abrupt, at, shaken, smooth
from comic_narrator.film.planes import MIDDLE, Canvas, Pixels, Planes, canvas_of, to_planes
from comic_narrator.film.resample import Axis, Plane, resample
from comic_narrator.film.transitions import SLIDE, TURN, slide, turn
from comic_narrator.model import Box, Scene, Shot, View

Ground = Literal["blur", "page", "black"]

LEVEL_RATIO = 2**0.5
"""Each level of the pyramid is so much larger than the next: fine steps keep screentone from shimmering."""

GROUND_LIGHT = 0.5
"""Brightness of the blurred ground against the page."""


class Pyramid:
    """A page, an RGB array (h, w, 3), at its own size and smaller ones, each made when it is first asked for."""

    def __init__(self, page: Pixels) -> None:
        self.size = (page.shape[1], page.shape[0])
        self._page = page
        self._levels: dict[int, Planes] = {}

    def level(self, scale: float) -> Planes:
        """The smallest level that has a pixel for each pixel of a frame that shows the page at `scale`."""
        # A hair of tolerance: a page shown at its own size is shown from its own pixels.
        step = max(math.floor(math.log(0.999 / scale, LEVEL_RATIO) + 0.01), 0)
        if step not in self._levels:
            self._levels[step] = to_planes(self._shrunk(step))
        return self._levels[step]

    def _shrunk(self, step: int) -> Pixels:
        if step == 0:
            return self._page
        width, height = (max(round(side / LEVEL_RATIO**step), 1) for side in self.size)
        small = cv2.resize(self._page, (width, height), interpolation=cv2.INTER_AREA)
        return small.astype(np.uint8, copy=False)


class SceneClip(VideoClip):  # type: ignore[misc]
    """The picture of one scene: frames of `size` (width, height, both even) from `page`, an RGB array (h, w, 3).

    Of a strip, `above` and `below` are what lies over and under the page on it, as wide as it is. `after` is the page
    and the first shot of the scene that this one gives way to, where it does not just end; `leftwards` is where shots
    move to that give way: against the direction of reading.
    """

    def __init__(
        self,
        page: Pixels,
        scene: Scene,
        size: tuple[int, int],
        fps: int,
        ground: Ground,
        above: Pixels | None = None,
        below: Pixels | None = None,
        after: tuple[Pixels, Shot] | None = None,
        leftwards: bool = True,
    ) -> None:
        super().__init__(duration=scene.frames / fps)
        self.size = size
        self.fps = fps
        self._scene = scene
        self._top = 0 if above is None else above.shape[0]
        self._pyramid = Pyramid(np.concatenate([part for part in (above, page, below) if part is not None]))
        self._ground = make_ground(page, size, ground)
        self._after = _first_frame(*after, size, ground) if after else None
        self._leftwards = leftwards

    # A method, not a function stored on the instance: that would tie a reference cycle and keep every page alive.
    def frame_function(self, t: float) -> Pixels:
        """The RGB frame at `t` seconds, shape (height, width, 3): what moviepy and its layers ask for."""
        return self._drawn(round(t * self.fps), Canvas(self.size)).to_rgb()

    def planar_frames(self, frames: int) -> Iterator[memoryview]:
        """The first `frames` frames as video takes them (I420, BT.709); each is gone when the next is asked for."""
        canvas, before = Canvas(self.size), None
        for index in range(frames):
            shot = shot_at(self._scene, index)
            shown = view_at(shot, index), shot.focus, self._changing(index)
            # A held frame is drawn once.
            if shown != before:
                self._drawn(index, canvas)
            before = shown
            yield canvas.memory.data

    def _drawn(self, index: int, canvas: Canvas) -> Canvas:
        self._draw_shot(index, canvas)
        changing = self._changing(index)
        if changing is None:
            return canvas
        along, last = changing
        drawn = Canvas(self.size)
        np.copyto(drawn.memory, canvas.memory)
        if last:
            assert self._after is not None
            old, new, give_way = drawn, self._after, turn if self._scene.leave == "turn" else slide
        else:
            before = shot_at(self._scene, index).first_frame - 1
            old, new, give_way = self._draw_shot(before, Canvas(self.size)), drawn, slide
        give_way(old, new, along, leftwards=self._leftwards, out=canvas)
        return canvas

    def _draw_shot(self, index: int, canvas: Canvas) -> Canvas:
        shot = shot_at(self._scene, index)
        view = view_at(shot, index)
        view = view._replace(y=view.y + self._top)
        area = shot.focus._replace(y=shot.focus.y + self._top) if shot.focus else Box(0, 0, *self._pyramid.size)
        draw(self._pyramid, view, area, self._ground, canvas)
        return canvas

    def _changing(self, index: int) -> tuple[float, bool] | None:
        """How far a frame is on the way from one shot to another, in (0, 1), and whether that is to the next scene."""
        if self._after is not None:
            frames = round((TURN if self._scene.leave == "turn" else SLIDE) * self.fps)
            passed = index - (self._scene.frames - frames) + 1
            if passed > 0:
                return passed / (frames + 1), True
        shot = shot_at(self._scene, index)
        frames = round(SLIDE * self.fps) if shot.enter == "slide" else 0
        passed = index - shot.first_frame + 1
        return (passed / (frames + 1), False) if passed <= frames else None


def _first_frame(page: Pixels, shot: Shot, size: tuple[int, int], ground: Ground) -> Canvas:
    """What a scene begins with."""
    canvas = Canvas(size)
    area = shot.focus or Box(0, 0, page.shape[1], page.shape[0])
    draw(Pyramid(page), view_at(shot, shot.first_frame), area, make_ground(page, size, ground), canvas)
    return canvas


def end_of_strip(picture: Pixels, width: int, rows: int, *, last: bool) -> Pixels:
    """The `last` or first rows of a strip's picture, as wide as a page of `width` pixels and `rows` of its rows."""
    scale = width / picture.shape[1]
    taken = min(math.ceil(rows / scale), picture.shape[0])
    part = picture[-taken:] if last else picture[:taken]
    if scale == 1:
        return part
    size = (width, max(round(taken * scale), 1))
    return cv2.resize(part, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


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


def beginning(shot: Shot) -> tuple[View, Box | None]:
    """All that matters of a shot to the scene that gives way to it: what it shows at first, and within which area."""
    return view_at(shot, shot.first_frame), shot.focus


def make_ground(page: Pixels, size: tuple[int, int], kind: Ground) -> Canvas:
    """What lies around a panel: the page filling the frame, blurred and darkened, the colour of its edge, or black."""
    width, height = size
    if kind != "blur":
        colour = edge_colour(page) if kind == "page" else np.zeros(3, np.uint8)
        return canvas_of(np.broadcast_to(colour, (height, width, 3)).copy())
    page_height, page_width = page.shape[:2]
    scale = max(width / page_width, height / page_height)
    cut_width, cut_height = min(round(width / scale), page_width), min(round(height / scale), page_height)
    left, top = (page_width - cut_width) // 2, (page_height - cut_height) // 2
    # Blurring a thumbnail and enlarging it is the same soft picture at a hundredth of the work.
    small = cv2.resize(page[top : top + cut_height, left : left + cut_width], (64, 64), interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small, (0, 0), 3)
    big = cv2.resize(soft, size, interpolation=cv2.INTER_CUBIC)
    return canvas_of(np.clip(big * GROUND_LIGHT, 0, 255).astype(np.uint8))


def edge_colour(page: Pixels) -> Pixels:
    """The colour that most of a page's edge has, shape (3,): its paper, or its ground."""
    edge = np.concatenate([page[0], page[-1], page[:, 0], page[:, -1]])
    coarse, counts = np.unique(edge >> 4, axis=0, return_counts=True)
    most = (edge >> 4 == coarse[counts.argmax()]).all(axis=1)
    colour: Pixels = np.median(edge[most], axis=0).astype(np.uint8)
    return colour


def draw(pyramid: Pyramid, view: View, area: Box, ground: Canvas, canvas: Canvas) -> None:
    """Draw one frame onto `canvas`: the part of the page inside `area` as `view` shows it, over `ground`.

    The area's edges are blended by how much of each pixel they cover, so that they glide instead of stepping.
    """
    np.copyto(canvas.memory, ground.memory)
    scale = canvas.size[0] / view.w
    level = pyramid.level(scale)
    colours: tuple[Plane | None, Plane | None] = level.colours or (None, None)
    for i, source in enumerate((level.brightness, *colours)):
        # A colour pixel stands for two by two of brightness: at the left ones, as H.264 takes it, and midway down.
        coarse = 1 if i == 0 else 2
        _draw_plane(source, pyramid.size, level.size, view, area, scale / coarse, coarse, canvas.planes[i])


def _draw_plane(
    source: Plane | None,
    page: tuple[int, int],
    size: tuple[int, int],
    view: View,
    area: Box,
    scale: float,
    coarse: int,
    out: Plane,
) -> None:
    """Draw one plane of a level of `size` onto that of a frame which shows the page's pixels at `scale`."""
    height, width = out.shape
    cover_x = _coverage((area.x - view.x) * scale, (area.right - view.x) * scale, width)
    cover_y = _coverage((area.y - view.y) * scale, (area.bottom - view.y) * scale, height)
    columns, rows = np.flatnonzero(cover_x), np.flatnonzero(cover_y)
    if columns.size == 0 or rows.size == 0:
        return
    x0, x1, y0, y1 = int(columns[0]), int(columns[-1]) + 1, int(rows[0]), int(rows[-1]) + 1
    inside = out[y0:y1, x0:x1]
    below = inside[[0, -1]].copy(), inside[:, [0, -1]].copy()
    if source is None:
        inside[:] = MIDDLE
    else:
        # Pixel centres: pixel i of the frame shows the page at view.x + (i + middle) / scale.
        middle = 0.5 if coarse == 1 else 0.25
        across = Axis(*_source(view.x + (x0 + middle) / scale, 1 / scale, page[0], size[0], coarse), x1 - x0)
        down = Axis(*_source(view.y + (y0 + 0.5) / scale, 1 / scale, page[1], size[1], coarse), y1 - y0)
        resample(source, across, down, inside)
    _blend_edges(inside, below, cover_x[x0:x1], cover_y[y0:y1])


def _source(start: float, step: float, page: int, size: int, coarse: int) -> tuple[float, float]:
    """A place and a step in page pixels as those of a plane: pixels of a level, halved where it is one of colour."""
    ratio = size / page / coarse
    return start * ratio - 0.5, step * ratio


def _coverage(start: float, end: float, length: int) -> NDArray[np.float32]:
    """How much of each of `length` unit cells the interval [start, end] covers, 0 to 1."""
    cells = np.arange(length, dtype=np.float32)
    inside = np.minimum(cells + 1, end) - np.maximum(cells, start)
    covered: NDArray[np.float32] = np.clip(inside, 0, 1).astype(np.float32)
    return covered


def _blend_edges(
    patch: Plane, below: tuple[Plane, Plane], cover_x: NDArray[np.float32], cover_y: NDArray[np.float32]
) -> None:
    """Mix the patch's outermost columns and rows with what lay below them, in place."""
    rows, columns = below
    for i in (0, -1):
        patch[:, i] = np.rint(patch[:, i] * cover_x[i] + columns[:, i] * (1 - cover_x[i]))
    for i in (0, -1):
        patch[i] = np.rint(patch[i] * cover_y[i] + rows[i] * (1 - cover_y[i]))
