"""Boxes as models write them: in thousandths, in pixels of the picture that was sent, or as shares of it.

Models are trained on one of these and fall back to it whatever they are asked for. So each answer also tells the box of
a panel, which is known: the way of reading that gives that panel is the one that is meant. Where none does, it is the
one that puts the boxes into the panels that they are said to be in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from comic_narrator.model import Box

INSIDE = 0.5
"""A box that lies in its panel with less of its area is none."""
FITS = 0.9
"""A way of reading that puts so much of the boxes into their panels, on average, is taken before later ones."""
SAME = 0.7
"""A box that shares so much with a panel (intersection over union) is that panel."""
WIDER = 0.04
"""Figures and balloons reach over the frame by a little: a panel is taken this share of its longer side larger."""
LEAST = 4
"""Pixels of the page: what is narrower or lower is no figure and no lettering."""


@dataclass(frozen=True)
class Shown:
    """What a picture that is sent shows: `region` of the page, in page pixels, and its own size in pixels."""

    region: Box
    width: int
    height: int

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture."""
        return self.width, self.height


@dataclass(frozen=True)
class Stated:
    """The numbers of an answer that are to be a box, and the panel that it is said to lie in, in page pixels."""

    numbers: Sequence[float]
    panel: Box


def place(stated: Sequence[Stated], shown: Shown, frame: Stated) -> list[Box | None]:
    """The boxes in page pixels, cut to what is shown; None for numbers that are no box, or none in its panel.

    All of an answer's boxes are read the same way, the one in which `frame` is its panel, else the first that puts them
    into their panels: thousandths, which are asked for, before pixels and shares, corners before sizes.
    """
    given = [one for one in stated if len(one.numbers) == 4]
    ways = [
        (x_unit, y_unit, corners)
        for (x_unit, y_unit), corners in product(
            (
                (shown.region.w / 1000, shown.region.h / 1000),
                (shown.region.w / shown.width, shown.region.h / shown.height),
                (shown.region.w, shown.region.h),
            ),
            (True, False),
        )
    ]

    def fit(way: tuple[float, float, bool]) -> tuple[float, float]:
        shares = [_share(_box(one.numbers, way, shown.region), one.panel) for one in given]
        told = _box(frame.numbers, way, shown.region) if len(frame.numbers) == 4 else None
        same = _union_share(told, frame.panel) if told else 0.0
        # Beyond FITS the order of the ways decides, not a pixel more or less.
        return same if same >= SAME else 0.0, min(sum(shares) / max(len(shares), 1), FITS)

    best = max(ways, key=fit)
    boxes = [_box(one.numbers, best, shown.region) if len(one.numbers) == 4 else None for one in stated]
    return [
        _cut(box, shown.region) if box is not None and _share(box, one.panel) >= INSIDE else None
        for box, one in zip(boxes, stated, strict=True)
    ]


def _box(numbers: Sequence[float], way: tuple[float, float, bool], region: Box) -> Box | None:
    x_unit, y_unit, corners = way
    left, top, x, y = numbers
    width, height = (x - left, y - top) if corners else (x, y)
    box = Box(
        region.x + round(left * x_unit),
        region.y + round(top * y_unit),
        round(width * x_unit),
        round(height * y_unit),
    )
    return box if min(box.w, box.h) >= LEAST else None


def _share(box: Box | None, panel: Box) -> float:
    """How much of a box lies in its panel, 0..1."""
    if box is None:
        return 0.0
    wider = round(WIDER * max(panel.w, panel.h))
    return box.overlap(Box(panel.x - wider, panel.y - wider, panel.w + 2 * wider, panel.h + 2 * wider)) / box.area


def _union_share(box: Box, panel: Box) -> float:
    """Intersection over union of a box and a panel, 0..1."""
    both = box.overlap(panel)
    return both / (box.area + panel.area - both)


def _cut(box: Box, region: Box) -> Box:
    inside = Box(box.x - region.x, box.y - region.y, box.w, box.h).within(region.w, region.h)
    return Box(inside.x + region.x, inside.y + region.y, inside.w, inside.h)
