"""Models run under onnxruntime, which is told to keep to itself and not to waste the processor."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

NOTHING = 1e-18
"""Weights nearer to 0 than this change no answer: what is added to them has seven digits."""


def silence_onnxruntime() -> None:
    """Keep onnxruntime from reporting to its maker and from leaving a device id in the user's cache.

    Releases since 2026 do both unless told otherwise before their first import, whichever package imports them.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"


def frugal_session(model: bytes | Path) -> InferenceSession:
    """A model, a file or its bytes, on the CPU: it keeps no memory between runs, and its threads do not spin.

    onnxruntime's own errors are raised where it is no model.
    """
    silence_onnxruntime()
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4
    # Threads that spin while they wait cost a third more; for a short row of letters, twice as much.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def without_denormals(model: Path) -> bytes:
    """The ONNX model of a file, its weights that are as good as 0 set to 0.

    Training with weight decay leaves channels that nothing uses with weights of 1e-40, and a processor takes a hundred
    times as long to multiply such numbers: in PP-OCRv6's detector they take two thirds of the time.
    """
    import onnx
    from onnx import numpy_helper

    loaded = onnx.load(str(model))
    for weights in loaded.graph.initializer:
        if weights.data_type != onnx.TensorProto.FLOAT:
            continue
        values = numpy_helper.to_array(weights)
        lost = (np.abs(values) < NOTHING) & (values != 0)
        if lost.any():
            weights.CopyFrom(numpy_helper.from_array(np.where(lost, np.float32(0), values), weights.name))
    return bytes(loaded.SerializeToString())
