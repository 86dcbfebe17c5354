"""Ground: what lies around a panel, made of its page."""

from __future__ import annotations

from typing import Literal

import cv2
import numpy as np

from comic_narrator.film.planes import Canvas, Pixels, canvas_of

Ground = Literal["blur", "page", "black"]

GROUND_LIGHT = 0.5
"""Brightness of the blurred ground against the page."""


def make_ground(page: Pixels, size: tuple[int, int], kind: Ground) -> Canvas:
    """What lies around a panel: the page filling the frame, blurred and darkened, the colour of its edge, or black."""
    width, height = size
    if kind != "blur":
        colour = edge_colour(page) if kind == "page" else np.zeros(3, np.uint8)
        return canvas_of(np.broadcast_to(colour, (height, width, 3)).copy())
    page_height, page_width = page.shape[:2]
    scale = max(width / page_width, height / page_height)
    cut_width, cut_height = min(round(width / scale), page_width), min(round(height / scale), page_height)
    left, top = (page_width - cut_width) // 2, (page_height - cut_height) // 2
    # Blurring a thumbnail and enlarging it is the same soft picture at a hundredth of the work.
    small = cv2.resize(page[top : top + cut_height, left : left + cut_width], (64, 64), interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small, (0, 0), 3)
    # Darkened while it is small; enlarged in whole numbers, which take an eighth of the memory.
    dark = cv2.convertScaleAbs(soft, alpha=GROUND_LIGHT)
    big = cv2.resize(dark, size, interpolation=cv2.INTER_CUBIC)
    return canvas_of(big.astype(np.uint8, copy=False))


def edge_colour(page: Pixels) -> Pixels:
    """The colour that most of a page's edge has, shape (3,): its paper, or its ground."""
    edge = np.concatenate([page[0], page[-1], page[:, 0], page[:, -1]])
    coarse, counts = np.unique(edge >> 4, axis=0, return_counts=True)
    most = (edge >> 4 == coarse[counts.argmax()]).all(axis=1)
    colour: Pixels = np.median(edge[most], axis=0).astype(np.uint8)
    return colour
