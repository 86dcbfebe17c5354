"""Tails: the spike of a balloon's outline, or the chain of small bubbles, that points at who speaks or thinks."""

from __future__ import annotations

from dataclasses import dataclass

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
ALONE = 1.4
"""A tail is so many times as long as any other spike of the outline, or there is no telling which it is."""
CLEAR = 20.0
"""Pixels that differ from the ground by less (Lab) are still it: the inside of a tail is narrow and blurred."""
FAT = 0.75
"""Plain ground outside a balloon that is wider than this share of the lettering's height is the art's, not a tail."""


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
    """What stands out of a balloon: its spikes, longest first, with their lengths in heights of the lettering."""

    spikes: tuple[Tail, ...]

    @property
    def tail(self) -> Tail | None:
        """The spike that is the tail, if one is much longer than the others."""
        if not self.spikes:
            return None
        others = self.spikes[1].length if len(self.spikes) > 1 else 0.0
        return self.spikes[0] if self.spikes[0].length >= ALONE * others else None


def trace(image: Picture, region: Region, size: float, panel: Box | None) -> Outline:
    """What stands out of the balloon `region` on an RGB page; `size` is its lettering's height, `panel` where it is."""
    height, width = image.shape[:2]
    reach = round(REACH * size)
    box = region.box
    cut = Box(box.x - reach, box.y - reach, box.w + 2 * reach, box.h + 2 * reach)
    x, y = max(cut.x, 0), max(cut.y, 0)
    cut = Box(x, y, min(cut.right, width) - x, min(cut.bottom, height) - y)
    scale = min(SIDE / size, 2.0)
    shape = (max(round(cut.w * scale), 8), max(round(cut.h * scale), 8))
    picture = cv2.resize(image[cut.y : cut.bottom, cut.x : cut.right], shape, interpolation=cv2.INTER_AREA)
    lab = cv2.cvtColor(picture.astype(np.float32) / 255.0, cv2.COLOR_RGB2LAB)
    near = (np.linalg.norm(lab - region.colour, axis=2) < max(region.spread, CLEAR)).astype(np.uint8)
    body = _body(region, cut, scale, near.shape)
    side = size * scale
    for gap in (1, 3):
        found = [
            Tail(
                (round(cut.x + spike.tip[0] / scale), round(cut.y + spike.tip[1] / scale)),
                spike.toward,
                spike.length / side,
            )
            for spike in _spikes(_grown(near, body, side, gap), side)
        ]
        kept = [spike for spike in found if not _on_frame(spike, panel, size)]
        outline = Outline(tuple(sorted(kept, key=lambda spike: -spike.length)))
        if outline.tail is not None:
            break
    return outline


def _body(region: Region, cut: Box, scale: float, shape: tuple[int, ...]) -> Mask:
    """The balloon as it is known, drawn into the cutting."""
    body = np.zeros(shape, np.uint8)
    x, y = round((region.box.x - cut.x) * scale), round((region.box.y - cut.y) * scale)
    w, h = max(round(region.box.w * scale), 1), max(round(region.box.h * scale), 1)
    drawn = cv2.resize(region.shape.astype(np.uint8), (w, h), interpolation=cv2.INTER_NEAREST)
    view = body[max(y, 0) : y + h, max(x, 0) : x + w]
    view[:] = drawn[max(-y, 0) : max(-y, 0) + view.shape[0], max(-x, 0) : max(-x, 0) + view.shape[1]]
    return body


def _grown(near: Mask, body: Mask, side: float, gap: int) -> Mask:
    """The balloon with the thin plain ground that runs out of it, through gaps in the outline wider than `gap` pixels."""
    around = cv2.dilate(body, _disc(9))
    core = cv2.erode(body, _disc(5))
    _, labels = cv2.connectedComponents(cv2.erode(near, _disc(gap)) | core, connectivity=4)
    inside = np.unique(labels[core > 0])
    ground = np.isin(labels, inside[inside > 0]).astype(np.uint8)
    ground = np.asarray((cv2.dilate(ground, _disc(gap)) & near) | core, np.uint8)
    outside = np.asarray(ground & (1 - around), np.uint8)
    fat = cv2.morphologyEx(outside, cv2.MORPH_OPEN, _disc(max(round(FAT * side), 3)))
    _, parts = cv2.connectedComponents(outside, connectivity=8)
    leaks = np.unique(parts[fat > 0])
    return _filled(np.asarray(ground & (1 - np.isin(parts, leaks[leaks > 0])), np.uint8))


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
    thick = max(round(THICK * side), 3) | 1
    room = thick + 2
    padded = cv2.copyMakeBorder(grown, room, room, room, room, cv2.BORDER_REPLICATE)
    opened = cv2.morphologyEx(padded, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (thick, thick)))
    opened = opened[room:-room, room:-room]
    if not opened.any():
        return []
    away = cv2.distanceTransform(1 - opened, cv2.DIST_L2, 5)
    count, labels = cv2.connectedComponents(np.asarray(grown & (1 - opened), np.uint8), connectivity=8)
    spikes = []
    for label in range(1, count):
        ys, xs = np.nonzero(labels == label)
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


def _on_frame(spike: Tail, panel: Box | None, size: float) -> bool:
    """Whether a spike is only the wedge between a balloon and the frame that cuts it."""
    if panel is None or spike.length > 1.0:
        return False
    x, y = spike.tip
    near = 0.35 * size
    beside = x - panel.x < near or panel.right - x < near
    above = y - panel.y < near or panel.bottom - y < near
    return (beside and abs(spike.toward[1]) > 0.5) or (above and abs(spike.toward[0]) > 0.5)
