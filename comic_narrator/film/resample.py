"""Resampling: a plane of pixels drawn at any size and any fraction of a pixel, one direction after the other.

Cubic convolution (Keys 1981, a = -1/2), stretched where the plane shrinks; where it grows, Lanczos' kernel of three
lobes, which keeps small pages sharper. The loops are compiled by numba; where numba is not installed OpenCV's own cubic
warp takes their place, whose places are rounded to a 32nd of a pixel.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from threading import Lock, Thread

import cv2
import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.uint8]
"""One channel of a picture, shape (h, w)."""
Kernel = Callable[..., None]

SHIFT = 14
ONE = 1 << SHIFT
"""Weights are whole numbers, of which this is one: sums of bytes stay within 32 bits."""
HALF, DARKEST, BRIGHTEST = np.int32(ONE // 2), np.int32(0), np.int32(255)
LOBES = 3
"""Of Lanczos' kernel, to either side."""
TAPS = 2 * LOBES
"""Pixels that a pixel of the result is mixed from in one direction: the loop over them is written out."""
COARSEST = 1.5
"""Pixels of a plane that a step may be: the cubic kernel, four steps wide, then reaches as many pixels."""
SHARPENING = 0.1
"""Lanczos' kernel takes over little by little, until a pixel of the result is less than one of the plane by so much."""
PAD = 4
"""Pixels by which a plane's edges are repeated around it, so that no tap falls outside."""


@dataclass(frozen=True)
class Axis:
    """Where the pixels of one direction come from: pixel i of the result lies at `start` + i x `step` of the plane.

    Where a step is more than `COARSEST`, what is finer shimmers: only masks, which are soft, are drawn so.
    """

    start: float
    step: float
    count: int


def laid(plane: Plane) -> Plane:
    """The plane as `resample` takes it: on its side, shape (w, h), with its edges repeated around it."""
    turned = cv2.transpose(plane)
    return cv2.copyMakeBorder(turned, PAD, PAD, PAD, PAD, cv2.BORDER_REPLICATE).astype(np.uint8, copy=False)


def resample(plane: Plane, columns: Axis, rows: Axis, out: Plane) -> None:
    """Draw a plane that is `laid` into `out`, shape (rows.count, columns.count), perhaps a part of a larger array."""
    with _loading:
        kernel = _kernel()
    kernel(plane, columns, rows, out)


@cache
def get_ready() -> None:
    """Load the compiled loops beside whatever is done next, such as the decoding of a page: half a second, once."""
    spot = np.zeros((1, 1), np.uint8)
    Thread(target=resample, args=(laid(spot), Axis(0, 1, 1), Axis(0, 1, 1), spot), daemon=True).start()


_loading = Lock()


@cache
def _kernel() -> Kernel:
    # Here, for numba takes a second to be imported.
    try:
        import numba
    except ImportError:
        return _warped
    mix_rows = numba.njit(cache=True, nogil=True, boundscheck=False)(_mix_rows)
    weigh = numba.njit(cache=True, nogil=True, boundscheck=False)(_weigh)

    # Both planes of colour have the same.
    @lru_cache(maxsize=2)
    def taps_of(axis: Axis, length: int) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
        first, weights = np.empty(axis.count, np.int64), np.empty((axis.count, TAPS), np.int16)
        weigh(float(axis.start), float(axis.step), min(max(float(axis.step), 1.0), COARSEST), length, first, weights)
        return first, weights

    def separable(plane: Plane, columns: Axis, rows: Axis, out: Plane) -> None:
        first_column, column_weights = taps_of(columns, plane.shape[0])
        first_row, row_weights = taps_of(rows, plane.shape[1])
        top, bottom = int(first_row[0]), int(first_row[-1]) + TAPS
        # Rows are mixed many pixels at a time, columns one by one. The plane lies on its side: its columns are rows.
        narrow = np.empty((columns.count, bottom - top), np.uint8)
        mix_rows(plane[:, top:bottom], first_column, column_weights, narrow)
        mix_rows(cv2.transpose(narrow), first_row - top, row_weights, out)

    return separable


def _weigh(start, step, wide, length, first, weights):  # type: ignore[no-untyped-def]  # compiled
    """Fill in, for each pixel of a direction, its first tap in a padded one of `length` and the weights, in 2^-14."""
    taps = weights.shape[1]
    shares = np.empty(taps)
    sharp = min(max((1 - step) / SHARPENING, 0.0), 1.0)
    for i in range(first.shape[0]):
        centre = start + step * i + PAD
        begin = min(max(math.ceil(centre - taps / 2), 0), length - taps)
        total = 0.0
        for k in range(taps):
            x = abs(begin + k - centre) / wide
            share = 0.0
            if x < 1:
                share = (1.5 * x - 2.5) * x * x + 1
            elif x < 2:
                share = ((-0.5 * x + 2.5) * x - 4) * x + 2
            if sharp > 0:
                lanczos = 0.0 if x >= LOBES else 1.0
                if 1e-9 < x < LOBES:
                    turn = math.pi * x
                    lanczos = LOBES * math.sin(turn) * math.sin(turn / LOBES) / (turn * turn)
                share += (lanczos - share) * sharp
            shares[k] = share
            total += share
        # Far outside the plane no tap has any weight: its edge is repeated.
        if abs(total) < 1e-6:
            for k in range(taps):
                shares[k] = 0.0
            shares[0 if centre < length / 2 else taps - 1] = total = 1.0
        left, largest = ONE, 0
        for k in range(taps):
            weights[i, k] = round(shares[k] / total * ONE)
            left -= weights[i, k]
            if weights[i, k] > weights[i, largest]:
                largest = k
        # What rounding lost goes to the largest, so that white stays white.
        weights[i, largest] += left
        first[i] = begin


def _mix_rows(source, first, weights, out):  # type: ignore[no-untyped-def]  # compiled, and for that as plain as C
    """Make each row of `out` from the six rows of `source` that begin at its `first`, by its `weights`.

    Sums of two products of short numbers are one instruction: weights have 16 bits, and nothing here has more than 32.
    From a seventh row on the compiler gives up, and it takes twice as long.
    """
    for j in range(out.shape[0]):
        k, mixed = first[j], out[j]
        row_0, row_1, row_2 = source[k], source[k + 1], source[k + 2]
        row_3, row_4, row_5 = source[k + 3], source[k + 4], source[k + 5]
        weight_0, weight_1, weight_2 = np.int32(weights[j, 0]), np.int32(weights[j, 1]), np.int32(weights[j, 2])
        weight_3, weight_4, weight_5 = np.int32(weights[j, 3]), np.int32(weights[j, 4]), np.int32(weights[j, 5])
        for i in range(out.shape[1]):
            total = HALF + (np.int32(row_0[i]) * weight_0 + np.int32(row_1[i]) * weight_1)
            total += np.int32(row_2[i]) * weight_2 + np.int32(row_3[i]) * weight_3
            total += np.int32(row_4[i]) * weight_4 + np.int32(row_5[i]) * weight_5
            mixed[i] = np.uint8(min(max(np.int32(total >> SHIFT), DARKEST), BRIGHTEST))


def _warped(plane: Plane, columns: Axis, rows: Axis, out: Plane) -> None:
    # From a plane on its side: what is across in the result is down there.
    matrix = np.array([[0, rows.step, rows.start + PAD], [columns.step, 0, columns.start + PAD]])
    flags = (cv2.INTER_CUBIC if max(columns.step, rows.step) <= 1 else cv2.INTER_LINEAR) | cv2.WARP_INVERSE_MAP
    size = (columns.count, rows.count)
    out[:] = cv2.warpAffine(plane, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
