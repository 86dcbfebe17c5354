"""What lies behind the panels: the colour of the gutters, and the masks that the search for cuts runs on."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import Box

Mask = NDArray[np.uint8]
Colour = NDArray[np.float32]


def lab_of(image: NDArray[np.uint8]) -> NDArray[np.float32]:
    """An RGB picture in CIE Lab, as floats."""
    return np.asarray(cv2.cvtColor(image.astype(np.float32) / 255.0, cv2.COLOR_RGB2LAB), np.float32)


def grounds(lab: NDArray[np.float32]) -> Iterator[Mask]:
    """Masks of what may be the ground behind the panels of a page (Lab), the likeliest first, 1 where it shows.

    Its colour is one of those that the margins or the brightest parts are made of. Where a scan shows the bed of the
    scanner around the paper, it is also one of the paper's margins, and the bed counts as ground.
    """
    colours = _modes(_rim(lab), least=0.12, most=2)
    bright = lab[::2, ::2].reshape(-1, 3)
    bright = bright[bright[:, 0] >= np.percentile(bright[:, 0], 80)]
    colours += _new(_modes(bright, least=0.3, most=1), colours)
    for colour in colours:
        yield ground_mask(lab, colour)
    paper = _paper(lab, colours[0]) if colours else None
    if paper is not None:
        view = lab[paper.y : paper.bottom, paper.x : paper.right]
        for colour in _new(_modes(_rim(view), least=0.4, most=1), colours[:1]):
            mask: Mask = np.ones(lab.shape[:2], np.uint8)
            mask[paper.y : paper.bottom, paper.x : paper.right] = ground_mask(view, colour)
            yield mask


def _new(found: list[Colour], known: list[Colour]) -> list[Colour]:
    return [colour for colour in found if all(np.linalg.norm(colour - other) > 12 for other in known)]


def _paper(lab: NDArray[np.float32], bed: Colour) -> Box | None:
    """The sheet of paper on a scanner's bed of one colour, without its ragged edge; None where there is no bed."""
    height, width = lab.shape[:2]
    away = np.linalg.norm(lab[::4, ::4] - bed, axis=2) > 12
    rows, columns = (np.flatnonzero(away.mean(axis=axis) > 0.5) * 4 for axis in (1, 0))
    edge = round(0.012 * min(height, width)) + 1
    if not len(rows) or not len(columns):
        return None
    box = Box(int(columns[0]) + edge, int(rows[0]) + edge, *(int(s[-1] - s[0]) - 2 * edge for s in (columns, rows)))
    return box if min(box.w, box.h) > 0 and box.area >= 0.4 * height * width else None


def _rim(lab: NDArray[np.float32]) -> NDArray[np.float32]:
    band = max(round(0.02 * min(lab.shape[:2])), 2)
    return np.concatenate([part.reshape(-1, 3) for part in (lab[:band], lab[-band:], lab[:, :band], lab[:, -band:])])


def _modes(pixels: NDArray[np.float32], least: float, most: int) -> list[Colour]:
    """The commonest colours of `pixels` (n, 3), each worth a share of at least `least`."""
    steps = np.round(pixels / 8).astype(np.int32)
    keys = (steps[:, 0] * 256 + steps[:, 1] + 64) * 256 + steps[:, 2] + 64
    left = np.ones(len(pixels), bool)
    found: list[Colour] = []
    while len(found) < most:
        values, counts = np.unique(keys[left], return_counts=True)
        if not len(values):
            break
        seed = np.median(pixels[left & (keys == values[counts.argmax()])], axis=0)
        near = left & (np.linalg.norm(pixels - seed, axis=1) < 12)
        if near.mean() < least:
            break
        found.append(np.median(pixels[near], axis=0).astype(np.float32))
        left &= np.linalg.norm(pixels - seed, axis=1) >= 20
    return found


def ground_mask(lab: NDArray[np.float32], colour: Colour) -> Mask:
    """1 where a page (Lab) has the ground's colour, give or take its print's unevenness, else 0."""
    # Old paper darkens and yellows towards its edges: brightness and yellowness may drift more than redness.
    scale = np.array([1 / 1.2, 1.0, 1 / 1.3], np.float32)
    away = cv2.transform(lab, np.column_stack([np.diag(scale), -colour * scale]))
    distance = cv2.transform(cv2.multiply(away, away, away), np.ones((1, 3), np.float32))
    some = np.sqrt(distance[::3, ::3])
    spread = float(np.median(some[some < 20])) if (some < 20).any() else 0.0
    mask: Mask = (distance < np.clip(4 * spread, 9.0, 16.0) ** 2).astype(np.uint8)
    return mask
