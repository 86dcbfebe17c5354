"""Rectangles: of pages, in whole pixels, and of what the camera shows of them."""

from __future__ import annotations

from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle in whole page pixels: left, top, width, height."""

    x: int
    y: int
    w: int
    h: int

    @property
    def right(self) -> int:
        """The first column outside the box."""
        return self.x + self.w

    @property
    def bottom(self) -> int:
        """The first row outside the box."""
        return self.y + self.h

    @property
    def area(self) -> int:
        """Pixels inside."""
        return self.w * self.h

    @property
    def center(self) -> tuple[float, float]:
        """The middle, in page pixels."""
        return self.x + self.w / 2, self.y + self.h / 2

    def overlap(self, other: Box) -> int:
        """Pixels that both boxes cover."""
        w = min(self.right, other.right) - max(self.x, other.x)
        h = min(self.bottom, other.bottom) - max(self.y, other.y)
        return w * h if w > 0 and h > 0 else 0

    def union(self, other: Box) -> Box:
        """The smallest box that holds both."""
        x, y = min(self.x, other.x), min(self.y, other.y)
        return Box(x, y, max(self.right, other.right) - x, max(self.bottom, other.bottom) - y)

    def cut(self, other: Box) -> Box | None:
        """What both boxes cover; None where they do not overlap."""
        if not self.overlap(other):
            return None
        x, y = max(self.x, other.x), max(self.y, other.y)
        return Box(x, y, min(self.right, other.right) - x, min(self.bottom, other.bottom) - y)

    def within(self, width: int, height: int) -> Box:
        """This box cut to a page of `width` x `height` pixels; at least one pixel is left."""
        x, y = min(max(self.x, 0), width - 1), min(max(self.y, 0), height - 1)
        return Box(x, y, max(min(self.right, width) - x, 1), max(min(self.bottom, height) - y, 1))


class View(NamedTuple):
    """What the camera shows: a rectangle in fractional page pixels, of the film's shape; it may leave the page."""

    x: float
    y: float
    w: float
    h: float
