"""Camera: which part of the page a shot shows, as pure functions of page pixels and the frame's shape."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import reduce

from comic_narrator.model import Box, View

MARGIN = 1.05
"""A framed box leaves this much room around itself."""

SHAKE_PERIOD, SHAKE_DECAY, SHAKE_REACH = 4.0, 5.0, 0.0016
"""A shake swings once in so many frames, loses two thirds of itself in so many, and reaches at first so much of the
view's width to either side: three pixels of 1920."""


def framed(box: Box, shape: float, margin: float = MARGIN) -> View:
    """The smallest view of `shape` (width / height) that holds `box` with `margin` around it, centred on it."""
    width = max(box.w, box.h * shape) * margin
    height = width / shape
    x, y = box.center
    return View(x - width / 2, y - height / 2, width, height)


def scaled(view: View, factor: float) -> View:
    """The view grown by `factor` about its centre."""
    return View(
        view.x - view.w * (factor - 1) / 2, view.y - view.h * (factor - 1) / 2, view.w * factor, view.h * factor
    )


def holding(boxes: Iterable[Box], area: Box, narrowest: float, shape: float) -> View:
    """The smallest view of `shape` that holds all `boxes` with a margin and shows as much of `area` as it can.

    It is `narrowest` wide at least, and no wider than what shows all of the area. Where it shows more than the area's
    width or height, the area is in its middle: the camera does not wander off into the ground beside a panel. Boxes
    lie inside the area.
    """
    whole = framed(area, shape)
    wanted = reduce(Box.union, boxes)
    width = min(max(framed(wanted, shape).w, narrowest), whole.w)
    height = width / shape
    edge = whole.w * (1 - 1 / MARGIN) / 2
    x = _within(wanted.center[0], width, area.x - edge, area.right + edge)
    y = _within(wanted.center[1], height, area.y - edge, area.bottom + edge)
    return View(x - width / 2, y - height / 2, width, height)


def _within(center: float, span: float, first: float, last: float) -> float:
    """The centre nearest to `center` of a span inside [first, last], or in its middle where it does not fit in."""
    if span >= last - first:
        return (first + last) / 2
    return min(max(center, first + span / 2), last - span / 2)


def holds(view: View, box: Box) -> bool:
    """Whether all of `box` is in the view, to a hundredth of a pixel."""
    slack = 0.01
    across = view.x <= box.x + slack and box.right <= view.x + view.w + slack
    return across and view.y <= box.y + slack and box.bottom <= view.y + view.h + slack


def meets(view: View, box: Box) -> bool:
    """Whether any of `box` is in the view."""
    across = view.x < box.right and box.x < view.x + view.w
    return across and view.y < box.bottom and box.y < view.y + view.h


def at(from_view: View, to_view: View, progress: float) -> View:
    """The view at `progress` in [0, 1]: the zoom is geometric and its fixed point stands still.

    What both views hold is in every view between them: each is a mean of the two.
    """
    if abs(to_view.w - from_view.w) < 1e-9:
        along = progress
        width = from_view.w
    else:
        width = from_view.w * (to_view.w / from_view.w) ** progress
        along = (width - from_view.w) / (to_view.w - from_view.w)
    height = width * from_view.h / from_view.w
    x = _mix(from_view.x + from_view.w / 2, to_view.x + to_view.w / 2, along)
    y = _mix(from_view.y + from_view.h / 2, to_view.y + to_view.h / 2, along)
    return View(x - width / 2, y - height / 2, width, height)


def smooth(t: float) -> float:
    """Ease in and out without a jump in speed or acceleration (Perlin's smootherstep), [0, 1] to [0, 1]."""
    t = min(max(t, 0.0), 1.0)
    return t * t * t * (t * (6 * t - 15) + 10)


def abrupt(t: float) -> float:
    """Ease that begins at full speed and comes to rest, [0, 1] to [0, 1]."""
    return 1 - (1 - min(max(t, 0.0), 1.0)) ** 3


def shaken(view: View, frame: int) -> View:
    """The view `frame` frames after a blow: swung to the sides and up and down, less and less."""
    left = SHAKE_REACH * view.w * math.exp(-frame / SHAKE_DECAY)
    turn = 2 * math.pi * frame / SHAKE_PERIOD
    return View(view.x + left * math.sin(turn), view.y + left * math.cos(turn * 0.75), view.w, view.h)


def _mix(a: float, b: float, share: float) -> float:
    return a + (b - a) * share
