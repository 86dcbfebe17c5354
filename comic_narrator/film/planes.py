"""Planes: pictures as video keeps them, brightness apart from colour at half size, in the terms of BT.709."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.film.resample import Plane, padded

Pixels = NDArray[np.uint8]
"""An RGB picture, shape (h, w, 3)."""

RED, GREEN, BLUE = 0.2126, 0.7152, 0.0722
"""Shares of the primaries in brightness (ITU-R BT.709)."""
MIDDLE = 128
GREY = 2
"""A picture whose colour strays no further from grey is grey: scans of ink on paper."""

_TO_YUV = np.array(
    [
        [219 * RED, 219 * GREEN, 219 * BLUE, 16 * 255],
        [-112 * RED / (1 - BLUE), -112 * GREEN / (1 - BLUE), 112, MIDDLE * 255],
        [112, -112 * GREEN / (1 - RED), -112 * BLUE / (1 - RED), MIDDLE * 255],
    ]
) / np.array([[255, 255, 255, 255]])
_FROM_YUV = np.linalg.inv(_TO_YUV[:, :3])
_TO_RGB = np.hstack([_FROM_YUV, -_FROM_YUV @ _TO_YUV[:, 3:]])


@dataclass(frozen=True)
class Planes:
    """A picture of `size` (width, height) as `padded` planes: brightness, and two of colour at half size, if any."""

    size: tuple[int, int]
    brightness: Plane
    colours: tuple[Plane, Plane] | None


def to_planes(picture: Pixels) -> Planes:
    """An RGB picture as planes, of limited range."""
    height, width = picture.shape[:2]
    yuv = cv2.transform(picture, _TO_YUV).astype(np.uint8, copy=False)
    even = (
        cv2.copyMakeBorder(yuv, 0, height % 2, 0, width % 2, cv2.BORDER_REPLICATE) if height % 2 or width % 2 else yuv
    )
    half = cv2.resize(even, (even.shape[1] // 2, even.shape[0] // 2), interpolation=cv2.INTER_AREA)
    coloured = np.abs(half[..., 1:].astype(np.int16) - MIDDLE).max() > GREY
    colours = (padded(_channel(half, 1)), padded(_channel(half, 2))) if coloured else None
    return Planes((width, height), padded(_channel(yuv, 0)), colours)


def _channel(picture: NDArray[np.generic], channel: int) -> Plane:
    return np.ascontiguousarray(picture[..., channel], np.uint8)


class Canvas:
    """A frame of `size` (width, height), both even, as one piece of memory in the order that video takes it (I420)."""

    def __init__(self, size: tuple[int, int]) -> None:
        width, height = size
        self.size = size
        self.memory = np.empty(width * height * 3 // 2, np.uint8)
        whole, quarter = width * height, width * height // 4
        self.planes: tuple[Plane, Plane, Plane] = (
            self.memory[:whole].reshape(height, width),
            self.memory[whole : whole + quarter].reshape(height // 2, width // 2),
            self.memory[whole + quarter :].reshape(height // 2, width // 2),
        )

    def to_rgb(self) -> Pixels:
        """The frame as an RGB picture, shape (height, width, 3)."""
        colours = [cv2.resize(plane, self.size, interpolation=cv2.INTER_LINEAR) for plane in self.planes[1:]]
        yuv = cv2.merge([self.planes[0], *colours])
        return cv2.transform(yuv, _TO_RGB).astype(np.uint8, copy=False)


def canvas_of(picture: Pixels) -> Canvas:
    """An RGB picture of even width and height as a frame."""
    height, width = picture.shape[:2]
    canvas = Canvas((width, height))
    yuv = cv2.transform(picture, _TO_YUV)
    half = cv2.resize(yuv, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    for plane, drawn in zip(canvas.planes, (yuv[..., 0], half[..., 1], half[..., 2]), strict=True):
        plane[:] = drawn
    return canvas
