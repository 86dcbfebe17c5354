"""A tiny ONNX model written by hand, in the form of a balloon detector: no package to build one need be installed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FLOAT, INTS = 1, 7


def balloon_model(side: int, candidates: Sequence[Sequence[float]]) -> bytes:
    """A model of a square of `side` pixels that always answers `candidates` (x, y, w, h, score).

    Their shape is what is redder than blue in the picture it is given: its prototypes are the picture, four times
    smaller.
    """
    rows = np.array([[*candidate, 1.0, 0.0, -1.0] for candidate in candidates], np.float32).reshape(-1, 8)
    strides = _attribute("kernel_shape", (4, 4)) + _attribute("strides", (4, 4))
    graph = b"".join(
        (
            _field(1, _node("Identity", "rows", "candidates")),
            _field(1, _node("AveragePool", "picture", "prototypes", strides)),
            _field(2, b"balloons"),
            _field(5, _tensor("rows", rows.T[None])),
            _field(11, _value("picture", (1, 3, side, side))),
            _field(12, _value("candidates", (1, 8, len(rows)))),
            _field(12, _value("prototypes", (1, 3, side // 4, side // 4))),
        )
    )
    return _number(1, 8) + _field(7, graph) + _field(8, _number(2, 17))


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _node(kind: str, takes: str, gives: str, attributes: bytes = b"") -> bytes:
    return _field(1, takes.encode()) + _field(2, gives.encode()) + _field(4, kind.encode()) + attributes


def _attribute(name: str, values: Sequence[int]) -> bytes:
    return _field(5, _field(1, name.encode()) + b"".join(_number(8, value) for value in values) + _number(20, INTS))


def _tensor(name: str, array: NDArray[np.float32]) -> bytes:
    dims = b"".join(_number(1, size) for size in array.shape)
    return dims + _number(2, FLOAT) + _field(8, name.encode()) + _field(9, np.ascontiguousarray(array, "<f4").tobytes())


def _value(name: str, shape: Sequence[int]) -> bytes:
    dims = b"".join(_field(1, _number(1, size)) for size in shape)
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, FLOAT) + _field(2, dims)))
