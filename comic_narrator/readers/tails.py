"""Tails: the spike of a balloon's outline, or the chain of small bubbles, that points at who speaks or thinks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import Box
from comic_narrator.readers.outlines import Mask, Spike, bubbles_of, dashed, grown, points_of, scalloped, spikes_of
from comic_narrator.readers.regions import Region, away_from

Picture = NDArray[np.uint8]

SIDE = 48.0
"""Lettering is this high, in pixels, on the cutting that a tail is looked for in."""
REACH = 5.0
"""Tails are looked for so many heights of the lettering around the balloon."""
LONG = 0.7
"""A balloon with a spike so many heights of its lettering long is spoken, whatever is round it."""
SAME_TIP = 0.6
"""Two views see one tip if they place it no further apart than this share of the lettering's height."""
ALONE = 1.4
JAGGED, ALONE_JAGGED = 5, 2.0
"""A tail is so many times as long as any other spike of the outline, or there is no telling which it is; more so where
the outline has many points."""
STROKE, INK = 0.15, 25.0
"""A line is at most twice so many heights of the lettering thick, and so much darker (Lab) than what is beside it."""
CLEAR = 20.0
"""Pixels that differ from the ground by less (Lab) are still it: the inside of a tail is narrow and blurred."""


@dataclass(frozen=True)
class Tail:
    """The tip of a tail and where it points (a unit vector), in page pixels; `length` is in heights of the lettering.

    `bubbles` says whether it is a chain of bubbles, as thoughts have.
    """

    tip: tuple[int, int]
    toward: tuple[float, float]
    length: float
    bubbles: bool = False


@dataclass(frozen=True)
class Outline:
    """What stands out of a balloon: its spikes, longest first, and its chain of bubbles if it has one.

    `points` counts all sharp points of the outline: a burst has many, an oval or a cloud its tail at most; `dashed`
    says whether it is drawn in dashes, `cloud` whether in scallops, with no sharp points.
    """

    spikes: tuple[Tail, ...]
    bubbles: Tail | None = None
    points: int = 0
    dashed: bool = False
    cloud: bool = False

    @property
    def tail(self) -> Tail | None:
        """The chain of bubbles, or the spike that is the tail, if one is much longer than the others."""
        if self.bubbles is not None or not self.spikes:
            return self.bubbles
        others = self.spikes[1].length if len(self.spikes) > 1 else 0.0
        alone = ALONE if self.points < JAGGED else ALONE_JAGGED
        return self.spikes[0] if self.spikes[0].length >= alone * others else None


def trace(
    image: Picture, region: Region, size: float, panel: Box | None = None, lettering: Sequence[Box] = ()
) -> Outline:
    """What stands out of the balloon `region` on an RGB page, and what bubbles lead away from it.

    `size` is its lettering's height, `panel` where it is; `lettering` are the rows of the page, which are no bubbles.
    """
    cutting = _cutting(image, region, size)
    # A tight view keeps to the balloon, a loose one sees the blurred inside of a small tail, a third closes gaps in the
    # outline. Each leaks in places of its own: what two of them see is there.
    loose = max(region.spread, CLEAR)
    views = [
        _outline(cutting, spread, gap, panel, lettering) for spread, gap in ((region.spread, 1), (loose, 1), (loose, 3))
    ]
    bubbles = [view.bubbles for view in views if view.bubbles is not None]
    spoken = bool(views[0].spikes) and views[0].spikes[0].length >= LONG
    return Outline(
        _agreed([view.spikes for view in views], SAME_TIP * size),
        bubbles[0] if len(bubbles) > 1 and not spoken else None,
        sorted(view.points for view in views)[1],
        dashed(cutting.body, np.asarray(cutting.away < loose, np.uint8), cutting.stroke, cutting.size * cutting.scale),
        sum(view.cloud for view in views) > 1 and not spoken,
    )


def _agreed(views: Sequence[Sequence[Tail]], near: float) -> tuple[Tail, ...]:
    """The spikes that at least two views have within `near` page pixels of each other, longest first."""
    agreed: list[Tail] = []
    left = [list(view) for view in views]
    for k, view in enumerate(left):
        for spike in view:
            same = [spike]
            for other in left[k + 1 :]:
                twins = [twin for twin in other if math.dist(twin.tip, spike.tip) <= near]
                if twins:
                    same.append(twins[0])
                    other.remove(twins[0])
            if len(same) > 1:
                agreed.append(replace(spike, length=sum(one.length for one in same) / len(same)))
    return tuple(sorted(agreed, key=lambda spike: -spike.length))


@dataclass(frozen=True)
class _Cutting:
    """The neighbourhood of a balloon: how far (Lab) its pixels are from the ground, where it lies, its scale.

    `stroke` is 1 where a dark line is drawn.
    """

    away: NDArray[np.float32]
    stroke: Mask
    body: Mask
    place: Box
    scale: float
    size: float

    def page(self, spike: Spike, bubbles: bool = False) -> Tail:
        """A spike in page pixels."""
        x, y = self.place.x + spike.tip[0] / self.scale, self.place.y + spike.tip[1] / self.scale
        return Tail((round(x), round(y)), spike.toward, spike.length / (self.size * self.scale), bubbles)

    def here(self, box: Box) -> Box:
        """A box of the page in pixels of the cutting."""
        k, x, y = self.scale, box.x - self.place.x, box.y - self.place.y
        return Box(round(x * k), round(y * k), max(round(box.w * k), 1), max(round(box.h * k), 1))


def _cutting(image: Picture, region: Region, size: float) -> _Cutting:
    height, width = image.shape[:2]
    box, reach = region.box, round(REACH * size)
    x, y = max(box.x - reach, 0), max(box.y - reach, 0)
    place = Box(x, y, min(box.right + reach, width) - x, min(box.bottom + reach, height) - y)
    scale = min(SIDE / size, 2.0)
    shape = (max(round(place.w * scale), 8), max(round(place.h * scale), 8))
    picture = cv2.resize(image[y : place.bottom, x : place.right], shape, interpolation=cv2.INTER_AREA)
    lab = np.asarray(cv2.cvtColor(picture.astype(np.float32) / 255.0, cv2.COLOR_RGB2LAB), np.float32)
    away = away_from(region.colour, lab)
    wide = max(round(STROKE * size * scale), 1) * 2 + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (wide, wide))
    stroke = cv2.morphologyEx(np.ascontiguousarray(lab[..., 0]), cv2.MORPH_BLACKHAT, kernel) > INK
    empty = _Cutting(away, stroke.astype(np.uint8), np.zeros(away.shape, np.uint8), place, scale, size)
    return replace(empty, body=_body(region, empty))


def _outline(cutting: _Cutting, spread: float, gap: int, panel: Box | None, lettering: Sequence[Box]) -> Outline:
    near = np.asarray(cutting.away < spread, np.uint8)
    side = cutting.size * cutting.scale
    shape = grown(near, cutting.body, side, gap)
    spikes = [cutting.page(spike) for spike in spikes_of(shape, side)]
    kept = [spike for spike in spikes if not _on_frame(spike, panel, cutting.size)]
    points = points_of(shape, side, None if panel is None else cutting.here(panel))
    chain = bubbles_of(near, shape, side, [cutting.here(box) for box in lettering])
    return Outline(
        tuple(sorted(kept, key=lambda spike: -spike.length)),
        None if chain is None else cutting.page(chain, bubbles=True),
        points,
        cloud=points < JAGGED and scalloped(shape, side),
    )


def _body(region: Region, cutting: _Cutting) -> Mask:
    """The balloon as it is known, drawn into the cutting."""
    body = np.zeros_like(cutting.body)
    x, y, w, h = cutting.here(region.box)
    drawn = cv2.resize(region.shape.astype(np.uint8), (w, h), interpolation=cv2.INTER_NEAREST)
    view = body[max(y, 0) : y + h, max(x, 0) : x + w]
    view[:] = drawn[max(-y, 0) : max(-y, 0) + view.shape[0], max(-x, 0) : max(-x, 0) + view.shape[1]]
    return body


def _on_frame(spike: Tail, panel: Box | None, size: float) -> bool:
    """Whether a spike is only the wedge between a balloon and the frame that cuts it."""
    if panel is None or spike.length > 1.0:
        return False
    x, y = spike.tip
    near = 0.35 * size
    beside = x - panel.x < near or panel.right - x < near
    above = y - panel.y < near or panel.bottom - y < near
    return (beside and abs(spike.toward[1]) > 0.5) or (above and abs(spike.toward[0]) > 0.5)
