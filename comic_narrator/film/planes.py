"""Planes: pictures as video keeps them, brightness apart from colour at half size, in the terms of BT.709."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.film.resample import PAD, Plane

Pixels = NDArray[np.uint8]
"""An RGB picture, shape (h, w, 3)."""

RED, GREEN, BLUE = 0.2126, 0.7152, 0.0722
"""Shares of the primaries in brightness (ITU-R BT.709)."""
MIDDLE = 128
GREY = 2
"""A picture whose colour strays no further from grey is grey: scans of ink on paper."""
BAND = 256
"""Rows that are turned into planes at once, an even number."""

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
    """A picture of `size` (width, height) as `laid` planes: brightness, and two of colour at half size, if any."""

    size: tuple[int, int]
    brightness: Plane
    colours: tuple[Plane, Plane] | None

    def shrunk(self, ratio: float) -> Planes:
        """The picture with its sides so many times shorter; a side has a pixel at least."""
        width, height = self.size
        size = (max(round(width / ratio), 1), max(round(height / ratio), 1))
        half = (-(-size[0] // 2), -(-size[1] // 2))
        colours = tuple(_resized(plane, half) for plane in self.colours or ())
        return Planes(size, _resized(self.brightness, size), (colours[0], colours[1]) if colours else None)


def to_planes(*pictures: Pixels) -> Planes:
    """RGB pictures of one width, the next below the one before, as planes of limited range."""
    width, height = pictures[0].shape[1], sum(picture.shape[0] for picture in pictures)
    sizes = (height, width), (-(-height // 2), -(-width // 2))
    brightness, *colours = (np.empty((w + 2 * PAD, h + 2 * PAD), np.uint8) for h, w in (sizes[0], sizes[1], sizes[1]))
    top, strays = 0, 0
    for band in _bands(pictures):
        yuv = cv2.transform(band, _TO_YUV)
        rows = yuv.shape[0]
        yuv = cv2.copyMakeBorder(yuv, 0, rows % 2, 0, width % 2, cv2.BORDER_REPLICATE)
        half = cv2.resize(yuv, (yuv.shape[1] // 2, yuv.shape[0] // 2), interpolation=cv2.INTER_AREA)
        _inner(brightness)[:, top : top + rows] = cv2.transpose(yuv[:rows, :width, 0])
        for channel, plane in enumerate(colours, 1):
            _inner(plane)[:, top // 2 : top // 2 + half.shape[0]] = cv2.transpose(half[..., channel])
        strays = max(strays, int(np.abs(half[..., 1:].astype(np.int16) - MIDDLE).max()))
        top += rows
    for plane in (brightness, *colours):
        _repeat_edges(plane)
    return Planes((width, height), brightness, (colours[0], colours[1]) if strays > GREY else None)


def _bands(pictures: Sequence[Pixels]) -> Iterator[Pixels]:
    """The rows of the pictures, `BAND` at a time, so that there is no second copy of a page; only the last are odd."""
    left: Pixels | None = None
    for i, picture in enumerate(pictures):
        first = 0
        if left is not None:
            # The odd row that the picture above has left over goes with the first of this one.
            yield np.concatenate([left, picture[:1]])
            first, left = 1, None
        end = picture.shape[0]
        if (end - first) % 2 and i < len(pictures) - 1:
            end -= 1
            left = picture[end:]
        for top in range(first, end, BAND):
            yield picture[top : min(top + BAND, end)]


def _inner(plane: Plane) -> Plane:
    return plane[PAD:-PAD, PAD:-PAD]


def _repeat_edges(plane: Plane) -> None:
    plane[:, :PAD], plane[:, -PAD:] = plane[:, PAD : PAD + 1], plane[:, -PAD - 1 : -PAD]
    plane[:PAD], plane[-PAD:] = plane[PAD], plane[-PAD - 1]


def _resized(plane: Plane, size: tuple[int, int]) -> Plane:
    """A plane that is laid, of a smaller picture of `size` (width, height)."""
    small = cv2.resize(_inner(plane), size[::-1], interpolation=cv2.INTER_AREA)
    return cv2.copyMakeBorder(small, PAD, PAD, PAD, PAD, cv2.BORDER_REPLICATE).astype(np.uint8, copy=False)


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
