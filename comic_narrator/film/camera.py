"""Camera: which part of the page a shot shows, as pure functions of page pixels and the frame's shape."""

from __future__ import annotations

from comic_narrator.model import Box, View

MARGIN = 1.05
"""A framed box leaves this much room around itself at the end of a shot."""

PUSH = 1.05
"""A shot begins this much wider than it ends: a slow push in."""

LONG_PANEL = 10.0
"""A panel whose shape is so many times narrower or flatter than the frame's is travelled instead of shown whole."""


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


def push_in(box: Box, shape: float) -> tuple[View, View]:
    """The first and last view of a slow push that keeps `box` whole in the frame throughout."""
    end = framed(box, shape)
    return scaled(end, PUSH), end


def is_long(box: Box, shape: float) -> bool:
    """Whether `box` would be small in a frame of `shape` when shown whole."""
    aspect = box.w / box.h
    return max(aspect / shape, shape / aspect) > LONG_PANEL


def close_up(panel: Box, focus: Box, shape: float) -> View:
    """A view across the short side of a long panel, holding `focus` whole and as central as the panel lets."""
    short_side = panel.w if panel.w / panel.h < shape else panel.h * shape
    span = max(short_side, focus.w, focus.h * shape) * MARGIN
    height = span / shape
    x = _within(focus.center[0], span, panel.x, panel.w)
    y = _within(focus.center[1], height, panel.y, panel.h)
    return View(x - span / 2, y - height / 2, span, height)


def at(from_view: View, to_view: View, progress: float) -> View:
    """The view at `progress` in [0, 1]: the zoom is geometric and its fixed point stands still."""
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


def _within(center: float, span: float, start: float, length: float) -> float:
    if span >= length:
        return start + length / 2
    return min(max(center, start + span / 2), start + length - span / 2)


def _mix(a: float, b: float, share: float) -> float:
    return a + (b - a) * share
