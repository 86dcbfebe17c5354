"""Transitions: what was shown gives way to what is shown next, in the direction in which the book is read."""

from __future__ import annotations

import cv2
import numpy as np

from comic_narrator.film.camera import smooth
from comic_narrator.film.planes import Canvas
from comic_narrator.film.resample import Plane

SLIDE, TURN = 0.25, 0.45
"""Seconds from panel to panel and from page to page."""
BLACK = 16
SHADOW, SHADE = 0.45, 0.35
"""How much darker the page is at the edge of the leaf that is turned over it, and the leaf as it stands upright."""
SHADOW_REACH = 0.12
"""How far the shadow falls, of the frame's width."""


def slide(old: Canvas, new: Canvas, along: float, *, leftwards: bool, out: Canvas) -> None:
    """Push the old frame out of the picture with the new one, `along` the way in [0, 1]."""
    gone = _even(smooth(along) * old.size[0])
    for was, is_, drawn in zip(old.planes, new.planes, out.planes, strict=True):
        width = drawn.shape[1]
        moved = gone * width // old.size[0]
        if leftwards:
            drawn[:, : width - moved], drawn[:, width - moved :] = was[:, moved:], is_[:, :moved]
        else:
            drawn[:, moved:], drawn[:, :moved] = was[:, : width - moved], is_[:, width - moved :]


def turn(old: Canvas, new: Canvas, along: float, *, leftwards: bool, out: Canvas) -> None:
    """Turn the old frame over like a leaf that is bound at the side it moves to, over the new one."""
    turned = smooth(along)
    leaf = _even((1 - turned) * old.size[0])
    np.copyto(out.memory, new.memory)
    for i, (was, drawn) in enumerate(zip(old.planes, out.planes, strict=True)):
        height, width = drawn.shape
        wide = leaf * width // old.size[0]
        bare = drawn[:, wide:] if leftwards else drawn[:, : width - wide]
        if i == 0:
            _shadow(bare, width, from_left=leftwards, strength=SHADOW * min(4 * turned * (1 - turned) + 0.3, 1))
        if wide == 0:
            continue
        narrow = cv2.resize(was, (wide, height), interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
        if i == 0:
            narrow = _darker(narrow, np.full(wide, 1 - SHADE * turned, np.float32))
        (drawn[:, :wide] if leftwards else drawn[:, width - wide :])[:] = narrow


def _shadow(bare: Plane, width: int, *, from_left: bool, strength: float) -> None:
    """Darken what the leaf has bared, most at the leaf's edge, in place."""
    reach = min(max(round(width * SHADOW_REACH), 1), bare.shape[1])
    if reach == 0:
        return
    fall = 1 - strength * np.linspace(1, 0, reach, dtype=np.float32)
    near = bare[:, :reach] if from_left else bare[:, bare.shape[1] - reach :]
    near[:] = _darker(near, fall if from_left else fall[::-1])


def _darker(plane: Plane, light: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> Plane:
    """A plane of brightness with so much of its light left in each column."""
    lit: Plane = np.rint((plane.astype(np.float32) - BLACK) * light + BLACK).clip(0, 255).astype(np.uint8)
    return lit


def _even(pixels: float) -> int:
    """Whole pixels, two at a time: a colour pixel stands for two."""
    return 2 * round(pixels / 2)
