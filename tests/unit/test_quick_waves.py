"""The voice's graph made quick: it says the same in fewer steps."""

from __future__ import annotations

from collections import Counter

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from comic_narrator.voices.quick_waves import with_quick_waves

CHANNELS, LENGTH = 3, 40


def _model(part: str, *, turned: bool = False) -> bytes:
    """Channels brought to one mean and variance, scaled, shifted, and squared, as Kokoro writes it."""

    def pair(a: str, b: str) -> list[str]:
        return [b, a] if turned else [a, b]

    steps = (
        ("ReduceMean", ["x", "last"], "mean"),
        ("Sub", ["x", "mean"], "moved"),
        ("Mul", ["moved", "moved"], "squares"),
        ("ReduceMean", ["squares", "last"], "variance"),
        ("Add", ["variance", "least"], "more"),
        ("Sqrt", ["more"], "spread"),
        ("Div", ["moved", "spread"], "normal"),
        ("Mul", pair("scale", "normal"), "scaled"),
        ("Add", pair("scaled", "shift"), "y"),
        ("Pow", ["y", "two"], "z"),
    )
    constants: dict[str, np.ndarray] = {
        "last": np.array([2], np.int64),
        "least": np.array(1e-5, np.float32),
        "two": np.array(2, np.float32),
        "scale": np.array([1.5, -0.5, 2.0], np.float32).reshape(1, CHANNELS, 1),
        "shift": np.array([0.1, 0.2, -3.0], np.float32).reshape(1, CHANNELS, 1),
    }
    graph = helper.make_graph(
        [helper.make_node(kind, put, [out], name=f"/{part}/{out}") for kind, put, out in steps],
        "one",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, CHANNELS, "n"])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, CHANNELS, "n"]) for name in ("y", "z")],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9).SerializeToString()
    )


def _said(model: bytes) -> list[np.ndarray]:
    x = np.random.default_rng(3).normal(2.0, 5.0, (1, CHANNELS, LENGTH)).astype(np.float32)
    return list(onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, {"x": x}))


def _steps(model: bytes) -> Counter[str]:
    return Counter(node.op_type for node in onnx.load_model_from_string(model).graph.node)


@pytest.mark.parametrize("turned", [False, True], ids=["as written", "turned round"])
def test_what_normalises_channels_is_one_step_and_squares_are_products(turned: bool) -> None:
    written = _model("generator", turned=turned)
    quick = with_quick_waves(written)
    assert _steps(quick) == {"Squeeze": 2, "InstanceNormalization": 1, "Mul": 1}
    for before, after in zip(_said(written), _said(quick), strict=True):
        np.testing.assert_allclose(after, before, rtol=1e-4, atol=1e-5)


def test_other_parts_of_the_model_stay_as_they_are() -> None:
    written = _model("encoder")
    assert _steps(with_quick_waves(written)) == _steps(written)
