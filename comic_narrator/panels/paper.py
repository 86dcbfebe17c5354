"""What lies behind the panels: the colour of the gutters, and the masks that the search for cuts runs on."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.uint8]
Colour = NDArray[np.float32]


def _lab(image: NDArray[np.uint8]) -> NDArray[np.float32]:
    return np.asarray(cv2.cvtColor(image.astype(np.float32) / 255.0, cv2.COLOR_RGB2LAB), np.float32)


def ground_colours(image: NDArray[np.uint8]) -> list[Colour]:
    """Colours (Lab) that the gutters of an RGB page may have, the likeliest first: what its margins are made of."""
    height, width = image.shape[:2]
    lab = _lab(image)
    band = max(round(0.02 * min(height, width)), 2)
    rim = np.concatenate([part.reshape(-1, 3) for part in (lab[:band], lab[-band:], lab[:, :band], lab[:, -band:])])
    colours = _modes(rim, least=0.12, most=2)
    bright = lab[::2, ::2].reshape(-1, 3)
    bright = bright[bright[:, 0] >= np.percentile(bright[:, 0], 80)]
    for colour in _modes(bright, least=0.3, most=1):
        if all(np.linalg.norm(colour - other) > 12 for other in colours):
            colours.append(colour)
    return colours


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


def ground_mask(image: NDArray[np.uint8], colour: Colour) -> Mask:
    """1 where an RGB page has the ground's colour, give or take its print's unevenness, else 0."""
    lab = _lab(image)
    away = lab - colour
    # Old paper darkens and yellows towards its edges: brightness and yellowness may drift more than redness.
    distance = np.sqrt((away[..., 0] / 1.2) ** 2 + away[..., 1] ** 2 + (away[..., 2] / 1.3) ** 2)
    spread = float(np.median(distance[distance < 20])) if (distance < 20).any() else 0.0
    mask: Mask = (distance < np.clip(4 * spread, 9.0, 16.0)).astype(np.uint8)
    return mask


def rule_mask(image: NDArray[np.uint8]) -> Mask:
    """1 where an RGB page has ink much darker than its surroundings, thickened by a pixel, else 0."""
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    side = max(round(0.02 * min(grey.shape)), 5) | 1
    around = cv2.blur(grey, (side, side))
    ink: Mask = ((around.astype(np.int16) - grey) > 25).astype(np.uint8)
    return ink
