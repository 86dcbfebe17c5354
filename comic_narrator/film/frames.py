"""Frames: a page's shots as a moviepy clip, drawn with sub-pixel motion over a ground made of the page."""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import cycle, groupby, repeat

import cv2
import numpy as np
from moviepy import VideoClip

from comic_narrator.film.camera import abrupt, at, shaken, smooth
from comic_narrator.film.drawing import Emphasis, Pyramid, draw
from comic_narrator.film.emphasis import light_at, nearness_at
from comic_narrator.film.ground import Ground, make_ground
from comic_narrator.film.overlays import Relief
from comic_narrator.film.planes import Canvas, Pixels
from comic_narrator.film.transitions import SLIDE, TURN, slide, turn
from comic_narrator.model import Box, Cutout, Scene, Shot, View


class SceneClip(VideoClip):  # type: ignore[misc]
    """The picture of one scene: frames of `size` (width, height, both even) from `page`, an RGB array (h, w, 3).

    Of a strip, `above` and `below` are what lies over and under the page on it, as wide as it is. `after` is the first
    frame of the scene that this one gives way to, where it does not just end; `leftwards` is where shots move to that
    give way: against the direction of reading. Nothing holds on to the pictures.
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
        after: Canvas | None = None,
        leftwards: bool = True,
    ) -> None:
        super().__init__(duration=scene.frames / fps)
        self.size = size
        self.fps = fps
        self._scene = scene
        self._top = 0 if above is None else above.shape[0]
        self._pyramid = Pyramid(*(part for part in (above, page, below) if part is not None))
        self._ground = make_ground(page, size, ground)
        self._after = after
        self._leftwards = leftwards
        self._reliefs = [(cutout, self._relief(cutout)) for cutout in scene.cutouts]

    # A method, not a function stored on the instance: that would tie a reference cycle and keep every page alive.
    def frame_function(self, t: float) -> Pixels:
        """The RGB frame at `t` seconds, shape (height, width, 3): what moviepy and its layers ask for."""
        return self._drawn(round(t * self.fps), Canvas(self.size)).to_rgb()

    def planar_frames(self, frames: int) -> Iterator[memoryview]:
        """The first `frames` frames as video takes them (I420, BT.709); each is gone when the next is asked for.

        The next one is drawn meanwhile.
        """
        canvases = cycle((Canvas(self.size), Canvas(self.size)))
        drawing: Future[Canvas] | None = None
        times = 0
        # More threads than one would wait for each other: to hand a frame on takes longer than to draw one.
        with ThreadPoolExecutor(1) as pool:
            # A held frame is drawn once.
            for run in (list(run) for _, run in groupby(range(frames), self._shown)):
                before, drawing = drawing, pool.submit(self._drawn, run[0], next(canvases))
                if before is not None:
                    yield from repeat(before.result().memory.data, times)
                times = len(run)
            if drawing is not None:
                yield from repeat(drawing.result().memory.data, times)

    def _shown(self, index: int) -> tuple[object, ...]:
        """All that makes a frame what it is: two with the same look the same."""
        shot = shot_at(self._scene, index)
        return view_at(shot, index), shot.focus, self._changing(index), self._emphasis(shot, index)

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
        draw(self._pyramid, view, self._area(shot), self._ground, canvas, self._emphasis(shot, index))
        return canvas

    def _area(self, shot: Shot) -> Box:
        return shot.focus._replace(y=shot.focus.y + self._top) if shot.focus else Box(0, 0, *self._pyramid.size)

    def _emphasis(self, shot: Shot, index: int) -> Emphasis:
        light = light_at(self._scene, shot, index)
        if light is not None and self._top:
            light = light._replace(top=light.top + self._top, bottom=light.bottom + self._top)
        near = ((relief, nearness_at(cutout, index)) for cutout, relief in self._reliefs if cutout.panel == shot.panel)
        return Emphasis(light, tuple((relief, share) for relief, share in near if share > 0))

    def _relief(self, cutout: Cutout) -> Relief:
        own = (self._area(shot) for shot in self._scene.shots if shot.panel == cutout.panel)
        size = self._pyramid.size
        return Relief(cutout, next(own, Box(0, 0, *size)), size)

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


def first_frame(page: Pixels, shot: Shot, size: tuple[int, int], ground: Ground) -> Canvas:
    """What a scene begins with, whose first shot that is: a frame of `size` from `page`, an RGB array (h, w, 3)."""
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
