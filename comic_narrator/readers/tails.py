"""Tails: the spike of a balloon's outline, or the chain of small bubbles, that points at who speaks or thinks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import Box
from comic_narrator.readers.regions import Region

Picture = NDArray[np.uint8]
Mask = NDArray[np.uint8]

SIDE = 48.0
"""Lettering is this high, in pixels, on the cutting that a tail is looked for in."""
REACH = 5.0
"""Tails are looked for so many heights of the lettering around the balloon."""
THICK = 1.0
"""What is wider than this share of the lettering's height is no tail but the balloon itself."""
SHORT = 0.12
"""Spikes shorter than this share of the lettering's height are the outline's own."""
LONG = 0.7
"""A balloon with a spike so many heights of its lettering long is spoken, whatever is round it."""
SAME_TIP = 0.6
"""Two views see one tip if they place it no further apart than this share of the lettering's height."""
ALONE = 1.4
JAGGED, ALONE_JAGGED = 5, 2.0
"""A tail is so many times as long as any other spike of the outline, or there is no telling which it is; more so where
the outline has many points."""
CLEAR = 20.0
"""Pixels that differ from the ground by less (Lab) are still it: the inside of a tail is narrow and blurred."""
FAT = 0.75
"""Plain ground outside a balloon that is wider than this share of the lettering's height is the art's, not a tail."""


SMALLEST, LARGEST = 0.2, 1.3
"""A bubble of a thought's tail is so many heights of the lettering across."""
ROUND = 0.6
"""It fills at least so much of the circle around it."""
CLOUD, DENT = 5, 0.035
"""A cloud has so many dents at least, so many heights of the lettering deep."""
ARM, SHARP = 0.3, 75.0
"""An outline has a point where it turns by more degrees than this within so many heights of the lettering each way."""
STEP = 0.6
"""So many heights of the lettering, at most, lie between bubbles, and between the first and the balloon."""
SHRINKS = 0.95
"""A bubble is at most so many times as wide as the one nearer to the balloon."""


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

    `points` counts all sharp points of the outline: a burst has many, an oval or a cloud its tail at most.
    """

    spikes: tuple[Tail, ...]
    bubbles: Tail | None = None
    points: int = 0

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
    """The neighbourhood of a balloon: how far (Lab) its pixels are from the ground, where it lies, its scale."""

    away: NDArray[np.float32]
    body: Mask
    place: Box
    scale: float
    size: float

    def page(self, spike: _Spike, bubbles: bool = False) -> Tail:
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
    away = np.asarray(np.linalg.norm(lab - region.colour, axis=2), np.float32)
    empty = _Cutting(away, np.zeros(away.shape, np.uint8), place, scale, size)
    return replace(empty, body=_body(region, empty))


def _outline(cutting: _Cutting, spread: float, gap: int, panel: Box | None, lettering: Sequence[Box]) -> Outline:
    near = np.asarray(cutting.away < spread, np.uint8)
    side = cutting.size * cutting.scale
    grown = _grown(near, cutting.body, side, gap)
    spikes = [cutting.page(spike) for spike in _spikes(grown, side)]
    kept = [spike for spike in spikes if not _on_frame(spike, panel, cutting.size)]
    chain = _bubbles(near, grown, side, [cutting.here(box) for box in lettering])
    return Outline(
        tuple(sorted(kept, key=lambda spike: -spike.length)),
        None if chain is None else cutting.page(chain, bubbles=True),
        _points(grown, side),
    )


def _body(region: Region, cutting: _Cutting) -> Mask:
    """The balloon as it is known, drawn into the cutting."""
    body = np.zeros_like(cutting.body)
    x, y, w, h = cutting.here(region.box)
    drawn = cv2.resize(region.shape.astype(np.uint8), (w, h), interpolation=cv2.INTER_NEAREST)
    view = body[max(y, 0) : y + h, max(x, 0) : x + w]
    view[:] = drawn[max(-y, 0) : max(-y, 0) + view.shape[0], max(-x, 0) : max(-x, 0) + view.shape[1]]
    return body


def _grown(near: Mask, body: Mask, side: float, gap: int) -> Mask:
    """The balloon with the thin plain ground that runs out of it through gaps wider than `gap` pixels."""
    around = np.asarray(cv2.dilate(body, _disc(9)), np.uint8)
    core = np.asarray(cv2.erode(body, _disc(5)), np.uint8)
    open_ground = np.asarray(cv2.erode(near, _disc(gap)), np.uint8) | core
    _, labels = cv2.connectedComponents(open_ground, connectivity=4)
    inside = np.unique(labels[core > 0])
    ground = np.isin(labels, inside[inside > 0]).astype(np.uint8)
    ground = np.asarray(np.asarray(cv2.dilate(ground, _disc(gap)), np.uint8) & near | core, np.uint8)
    outside = np.asarray(ground & (1 - around), np.uint8)
    fat = _opened(outside, FAT * side / 2)
    _, parts = cv2.connectedComponents(outside, connectivity=8)
    leaks = np.unique(parts[fat > 0])
    return _filled(np.asarray(ground & (1 - np.isin(parts, leaks[leaks > 0])), np.uint8))


def _opened(mask: Mask, radius: float) -> Mask:
    """What discs of that radius fill of a mask; the picture's rim bounds it like any edge."""
    ringed = cv2.copyMakeBorder(mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
    deep = np.asarray(cv2.distanceTransform(ringed, cv2.DIST_L2, 5) <= radius, np.uint8)
    if deep.all():
        return np.zeros_like(mask)
    filled = cv2.distanceTransform(deep, cv2.DIST_L2, 5) <= radius
    return np.asarray(filled[1:-1, 1:-1], np.uint8) & mask


def _disc(size: int) -> Mask:
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), np.uint8)


def _filled(mask: Mask) -> Mask:
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return np.asarray(cv2.drawContours(np.zeros_like(mask), outlines, -1, 1, cv2.FILLED), np.uint8)


@dataclass(frozen=True)
class _Spike:
    tip: tuple[float, float]
    toward: tuple[float, float]
    length: float


def _spikes(grown: Mask, side: float) -> list[_Spike]:
    """The thin parts that stand out of a shape, in its pixels."""
    room = round(THICK * side) + 2
    padded = np.asarray(cv2.copyMakeBorder(grown, room, room, room, room, cv2.BORDER_REPLICATE), np.uint8)
    opened = _opened(padded, THICK * side / 2)[room:-room, room:-room]
    if not opened.any():
        return []
    away = cv2.distanceTransform(1 - opened, cv2.DIST_L2, 5)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(np.asarray(grown & (1 - opened), np.uint8))
    spikes = []
    for label in range(1, count):
        x, y, w, h, area = (int(value) for value in stats[label])
        if area < SHORT * side:
            continue
        ys, xs = np.nonzero(labels[y : y + h, x : x + w] == label)
        ys, xs = ys + y, xs + x
        far = away[ys, xs]
        end = int(far.argmax())
        length = float(far[end])
        if length < SHORT * side:
            continue
        # A curved tail points where its last part does.
        root = (far >= 0.3 * length) & (far <= 0.7 * length)
        root = root if root.any() else far <= far.min()
        tip = (float(xs[end]), float(ys[end]))
        dx, dy = tip[0] - float(xs[root].mean()), tip[1] - float(ys[root].mean())
        norm = max(float(np.hypot(dx, dy)), 1e-6)
        spikes.append(_Spike(tip, (dx / norm, dy / norm), length))
    return spikes


def _bubbles(near: Mask, grown: Mask, side: float, hidden: Sequence[Box]) -> _Spike | None:
    """The chain of shrinking round spots of ground that leads away from a balloon, in the cutting's pixels."""
    away = cv2.distanceTransform(1 - grown, cv2.DIST_L2, 5)
    count, labels, stats, centres = cv2.connectedComponentsWithStats(near & (1 - grown), connectivity=4)
    spots: list[tuple[float, float, float, float]] = []
    for label in range(1, count):
        x, y, w, h, area = (int(value) for value in stats[label])
        across = float(max(w, h))
        if not SMALLEST * side <= min(w, h) <= across <= LARGEST * side or area < ROUND * math.pi * across**2 / 4:
            continue
        cx, cy = (float(value) for value in centres[label])
        if any(box.x <= cx < box.right and box.y <= cy < box.bottom for box in hidden):
            continue
        spots.append((float(away[y : y + h, x : x + w][labels[y : y + h, x : x + w] == label].min()), across, cx, cy))
    chain: list[tuple[float, float, float, float]] = []
    for spot in sorted(spots):
        far, across, cx, cy = spot
        last = chain[-1] if chain else None
        if last is None:
            gap, fits = far, True
        else:
            gap = math.hypot(cx - last[2], cy - last[3]) - (across + last[1]) / 2
            fits = across <= SHRINKS * last[1] and far > last[0]
        if fits and gap <= STEP * side:
            chain.append(spot)
    if len(chain) < 2 or _dents(grown, side) < CLOUD:
        return None
    (_, _, x0, y0), (far, across, x1, y1) = chain[0], chain[-1]
    length = max(math.hypot(x1 - x0, y1 - y0), 1e-6)
    return _Spike((x1, y1), ((x1 - x0) / length, (y1 - y0) / length), far + across)


def _points(shape: Mask, side: float) -> int:
    """How many sharp convex points a shape's outline has, those on the rim of the picture left out."""
    outlines, _ = cv2.findContours(shape, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    outline = max(outlines, key=cv2.contourArea, default=None)
    arm = max(round(ARM * side), 3)
    if outline is None or len(outline) < 6 * arm:
        return 0
    line = outline.reshape(-1, 2).astype(np.float64)
    # Contours run clockwise as seen, so that a right turn is convex.
    back, ahead = line - np.roll(line, arm, axis=0), np.roll(line, -arm, axis=0) - line
    turn = np.degrees(np.arctan2(back[:, 0] * ahead[:, 1] - back[:, 1] * ahead[:, 0], (back * ahead).sum(axis=1)))
    turn *= -1 if cv2.contourArea(outline, oriented=True) < 0 else 1
    sharp = turn > SHARP
    return int((sharp & ~np.roll(sharp, 1)).sum())


def _dents(shape: Mask, side: float) -> int:
    """How many dents a shape's outline has: a cloud has them all round."""
    outlines, _ = cv2.findContours(shape, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    outline = max(outlines, key=cv2.contourArea)
    hull = cv2.convexHull(outline, returnPoints=False)
    defects = cv2.convexityDefects(outline, hull) if len(hull) > 3 else None
    return 0 if defects is None else int((defects.reshape(-1, 4)[:, 3] / 256 > DENT * side).sum())


def _on_frame(spike: Tail, panel: Box | None, size: float) -> bool:
    """Whether a spike is only the wedge between a balloon and the frame that cuts it."""
    if panel is None or spike.length > 1.0:
        return False
    x, y = spike.tip
    near = 0.35 * size
    beside = x - panel.x < near or panel.right - x < near
    above = y - panel.y < near or panel.bottom - y < near
    return (beside and abs(spike.toward[1]) > 0.5) or (above and abs(spike.toward[0]) > 0.5)
