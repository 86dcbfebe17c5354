"""Resampling: a plane of pixels drawn at any size and any fraction of a pixel, one direction after the other.

Cubic convolution (Keys 1981, a = -1/2), stretched where the plane shrinks. The loops are compiled by numba; where numba
is not installed OpenCV's own cubic warp takes their place, whose places are rounded to a 32nd of a pixel.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.uint8]
"""One channel of a picture, shape (h, w)."""
Kernel = Callable[..., None]

SHIFT = 14
ONE = 1 << SHIFT
"""Weights are whole numbers, of which this is one: sums of bytes stay within 32 bits."""
PAD = 4
"""Pixels by which a plane's edges are repeated around it, so that no tap falls outside."""


@dataclass(frozen=True)
class Axis:
    """Where the pixels of one direction come from: pixel i of the result lies at `start` + i x `step` of the plane."""

    start: float
    step: float
    count: int


def padded(plane: Plane) -> Plane:
    """The plane with its edges repeated around it, as `resample` takes it."""
    return cv2.copyMakeBorder(plane, PAD, PAD, PAD, PAD, cv2.BORDER_REPLICATE).astype(np.uint8, copy=False)


def resample(plane: Plane, columns: Axis, rows: Axis, out: Plane) -> None:
    """Draw a `padded` plane into `out`, shape (rows.count, columns.count), which may be part of a larger array."""
    _kernel()(plane, columns, rows, out)


@cache
def _kernel() -> Kernel:
    # Here, for numba takes a second to be imported.
    try:
        import numba
    except ImportError:
        return _warped
    mix_rows = numba.njit(cache=True, nogil=True, boundscheck=False)(_mix_rows)

    def separable(plane: Plane, columns: Axis, rows: Axis, out: Plane) -> None:
        first_row, row_weights = _taps(rows, plane.shape[0])
        first_column, column_weights = _taps(columns, plane.shape[1])
        left, right = int(first_column.min()), int(first_column.max()) + column_weights.shape[1]
        short = np.empty((rows.count, right - left), np.uint8)
        mix_rows(plane[:, left:right], first_row, row_weights, short)
        # Rows are mixed eight and more pixels at a time, columns one by one: so columns are made rows, twice.
        turned = np.empty((columns.count, rows.count), np.uint8)
        mix_rows(cv2.transpose(short), first_column - left, column_weights, turned)
        out[:] = cv2.transpose(turned)

    return separable


def _taps(axis: Axis, length: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """For each pixel the first of its taps in a padded direction of that length, and the weights of all, in 2^-14."""
    wide = max(axis.step, 1.0)
    # A whole number of taps for all pixels, one more than the kernel is wide: it begins between two pixels.
    taps = min(math.ceil(4 * wide) + (wide > 1), length)
    centres = axis.start + axis.step * np.arange(axis.count) + PAD
    first = np.clip(np.ceil(centres - taps / 2), 0, length - taps).astype(np.int64)
    weights = _cubic((first[:, None] + np.arange(taps) - centres[:, None]) / wide)
    total = weights.sum(axis=1, keepdims=True)
    # Far outside the plane no tap has any weight: its edge is repeated.
    weights[np.abs(total[:, 0]) < 1e-6, 0] = 1.0
    whole = np.rint(weights / weights.sum(axis=1, keepdims=True) * ONE).astype(np.int32)
    # What rounding lost goes to the largest, so that white stays white.
    whole[np.arange(axis.count), whole.argmax(axis=1)] += ONE - whole.sum(axis=1, dtype=np.int32)
    return first, whole


def _cubic(x: NDArray[np.float64]) -> NDArray[np.float64]:
    x = np.abs(x)
    near = (1.5 * x - 2.5) * x * x + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))


def _mix_rows(source, first, weights, out):  # type: ignore[no-untyped-def]  # compiled, and for that as plain as C
    """Make each row of `out` from the rows of `source` that begin at its `first`, by its `weights`."""
    width, taps = out.shape[1], weights.shape[1]
    total = np.empty(width, np.int32)
    for j in range(out.shape[0]):
        row, weight = source[first[j]], weights[j, 0]
        for i in range(width):
            total[i] = np.int32(ONE // 2) + np.int32(row[i]) * weight
        for k in range(1, taps):
            row, weight = source[first[j] + k], weights[j, k]
            for i in range(width):
                total[i] += np.int32(row[i]) * weight
        mixed = out[j]
        for i in range(width):
            mixed[i] = np.uint8(min(max(total[i] >> SHIFT, 0), 255))


def _warped(plane: Plane, columns: Axis, rows: Axis, out: Plane) -> None:
    matrix = np.array([[columns.step, 0, columns.start + PAD], [0, rows.step, rows.start + PAD]])
    flags = (cv2.INTER_CUBIC if max(columns.step, rows.step) <= 1 else cv2.INTER_LINEAR) | cv2.WARP_INVERSE_MAP
    size = (columns.count, rows.count)
    out[:] = cv2.warpAffine(plane, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
