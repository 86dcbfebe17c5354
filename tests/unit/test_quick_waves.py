"""The voice's graph made quick: it says the same in fewer steps, and the same of less."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from comic_narrator.voices.quick_waves import (
    COLUMNS,
    ENERGY,
    FEATURES,
    HEARD,
    MOMENTS,
    PITCH,
    WAVES,
    WHOLE_PITCH,
    make_waves_quick,
    quick_halves,
    rims_of,
)
from comic_narrator.voices.silences import Kept

CHANNELS, LENGTH = 3, 40
Steps = list[tuple[str, list[str], str]]


def _norm(turned: bool = False) -> Steps:
    """Channels brought to one mean and variance, scaled and shifted, as Kokoro writes it."""

    def pair(a: str, b: str) -> list[str]:
        return [b, a] if turned else [a, b]

    return [
        ("ReduceMean", ["x", "last"], "mean"),
        ("Sub", ["x", "mean"], "moved"),
        ("Mul", ["moved", "moved"], "squares"),
        ("ReduceMean", ["squares", "last"], "variance"),
        ("Add", ["variance", "least"], "more"),
        ("Sqrt", ["more"], "spread"),
        ("Div", ["moved", "spread"], "normal"),
        ("Mul", pair("scale", "normal"), "scaled"),
        ("Add", pair("scaled", "shift"), "y"),
    ]


WAVE: Steps = [
    ("Mul", ["alpha", "y"], "turns"),
    ("Sin", ["turns"], "sine"),
    ("Pow", ["sine", "two"], "sine squared"),
    ("Mul", ["one over alpha", "sine squared"], "swing"),
    ("Add", ["y", "swing"], "z"),
]
CONVOLUTION: Steps = [
    ("ConvInteger", ["q", "kernel", "q zero", "kernel zero"], "sum"),
    ("Div", ["bias", "unit"], "bias in units"),
    ("Floor", ["bias in units"], "bias floor"),
    ("Cast", ["bias floor"], "bias whole"),
    ("Reshape", ["bias whole", "row"], "bias row"),
    ("Add", ["sum", "bias row"], "sum and bias"),
    ("Cast", ["sum and bias"], "sum as float"),
    ("Mul", ["sum as float", "unit"], "w"),
]


def _constants() -> dict[str, np.ndarray]:
    alpha = np.array([0.7, 2.0, 5.0], np.float32).reshape(1, CHANNELS, 1)
    dice = np.random.default_rng(4)
    return {
        "last": np.array([2], np.int64),
        "least": np.array(1e-5, np.float32),
        "two": np.array(2, np.float32),
        "scale": np.array([1.5, -0.5, 2.0], np.float32).reshape(1, CHANNELS, 1),
        "shift": np.array([0.1, 0.2, -3.0], np.float32).reshape(1, CHANNELS, 1),
        "alpha": alpha,
        "one over alpha": 1 / alpha,
        "kernel": dice.integers(0, 255, (4, CHANNELS, 3)).astype(np.uint8),
        "kernel zero": np.array(120, np.uint8),
        "kernel scale": np.array(0.01, np.float32),
        "bias": dice.normal(size=4).astype(np.float32),
        "row": np.array([1, -1, 1], np.int64),
    }


def _nodes(steps: Steps, part: str) -> list[onnx.NodeProto]:
    how: dict[str, dict[str, Any]] = {
        "bias whole": {"to": TensorProto.INT32},
        "sum as float": {"to": TensorProto.FLOAT},
    }
    how["sum"] = {"pads": [2, 2], "dilations": [2], "kernel_shape": [3], "strides": [1]}
    return [helper.make_node(kind, put, [out], name=f"/{part}/{out}", **how.get(out, {})) for kind, put, out in steps]


def _model(steps: Steps, out: str, part: str = "decoder/generator") -> onnx.ModelProto:
    nodes = _nodes(steps, part)
    if out == "w":
        quantised = helper.make_node("DynamicQuantizeLinear", ["z"], ["q", "q scale", "q zero"], name="quantised")
        unit = helper.make_node("Mul", ["q scale", "kernel scale"], ["unit"], name="unit")
        at = next(place for place, node in enumerate(nodes) if node.op_type == "ConvInteger")
        nodes[at:at] = [quantised, unit]
    graph = helper.make_graph(
        nodes,
        "one",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, CHANNELS, "n"])],
        [helper.make_tensor_value_info(out, TensorProto.FLOAT, [1, None, "n"])],
        [numpy_helper.from_array(value, name) for name, value in _constants().items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def _whole(frames: int) -> Kept:
    return Kept(np.arange(frames), np.ones(frames, np.float32), slice(0, frames))


def _said(model: onnx.ModelProto, x: np.ndarray, kept: Kept) -> np.ndarray:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    given: dict[str, np.ndarray] = {"x": x, HEARD: np.array([kept.heard], np.float32)}
    for each in COLUMNS:
        rims, shares = rims_of(each)
        given |= {rims: kept.rims(each), shares: kept.shares(each)}
    asked = {value.name for value in session.get_inputs()}
    return np.asarray(session.run(None, {name: value for name, value in given.items() if name in asked})[0])


def _x(length: int = LENGTH) -> np.ndarray:
    return np.random.default_rng(3).normal(2.0, 5.0, (1, CHANNELS, length)).astype(np.float32)


def _steps(model: onnx.ModelProto) -> Counter[str]:
    return Counter(node.op_type for node in model.graph.node)


@pytest.mark.parametrize("turned", [False, True], ids=["as written", "turned round"])
def test_what_normalises_channels_says_the_same_in_one_step(turned: bool) -> None:
    model = _model(_norm(turned), "y")
    before = _said(model, _x(), _whole(2))
    make_waves_quick(model)
    assert _steps(model)["InstanceNormalization"] == 1
    np.testing.assert_allclose(_said(model, _x(), _whole(2)), before, rtol=1e-4, atol=1e-5)


def test_a_wave_and_the_convolution_behind_it_say_the_same_with_fewer_products() -> None:
    model = _model([*_norm(), *WAVE, *CONVOLUTION], "w")
    before = _said(model, _x(), _whole(2))
    make_waves_quick(model)
    steps = _steps(model)
    assert (steps["Conv"], steps["Sin"], steps["Pow"]) == (1, 1, 0)
    said = _said(model, _x(), _whole(2))
    # The integers of 8 bits that it was written with round: half a step of each input times the kernel's sum, at most.
    rounded = np.ptp(_said(_model([*_norm(), *WAVE], "z"), _x(), _whole(2))) / 255 / 2
    kernel = np.abs((_constants()["kernel"].astype(np.float32) - 120) * 0.01).sum(axis=(1, 2)).max()
    assert np.abs(said - before).max() <= rounded * kernel + 0.02
    assert np.abs(said - before).max() < 0.05 * np.ptp(before)


def test_what_is_left_out_is_counted_by_what_stands_for_it() -> None:
    frames, gap = 8, 5
    x = _x(20 * frames)
    stands = x[:, :, 40:60]
    whole = np.concatenate([x[:, :, :40], *[stands] * gap, x[:, :, 40:]], axis=2)
    model = _model(_norm(), "y")
    make_waves_quick(model)
    before = _said(model, whole, _whole(frames + gap))
    weights = np.ones(frames, np.float32)
    weights[2] += gap
    after = _said(model, x, Kept(np.delete(np.arange(frames + gap), range(3, 3 + gap)), weights, slice(0, frames)))
    np.testing.assert_allclose(after, np.delete(before, range(60, 60 + 20 * gap), axis=2), rtol=1e-4, atol=1e-4)


def test_other_parts_of_the_model_stay_as_they_are() -> None:
    model = _model(_norm(), "y", part="encoder")
    steps = _steps(model)
    make_waves_quick(model)
    assert _steps(model) == steps


def test_the_model_is_cut_where_it_is_known_what_is_said_when() -> None:
    nodes = [
        helper.make_node("Unsqueeze", ["tokens", "one"], ["token row"], name="/encoder/tokens"),
        helper.make_node("Mul", ["token row", "style"], [FEATURES], name="/encoder/features"),
        helper.make_node("Add", ["tokens", "two"], [PITCH], name="/encoder/pitch"),
        helper.make_node("Sub", ["tokens", "two"], [ENERGY], name="/encoder/energy"),
        helper.make_node("Unsqueeze", [PITCH, "one"], ["pitch row"], name="/decoder/pitch"),
        helper.make_node("Identity", ["pitch row"], [WAVES], name="/decoder/f0_upsamp/Resize"),
        helper.make_node("ReduceSum", [FEATURES], ["features"], name="/decoder/features"),
        helper.make_node("ReduceSum", [ENERGY], ["energy"], name="/decoder/energy"),
        helper.make_node("Add", ["features", "energy"], ["both"], name="/decoder/both"),
        helper.make_node("Add", ["both", WAVES], ["sound"], name="/decoder/sound"),
    ]
    graph = helper.make_graph(
        nodes,
        "one",
        [
            helper.make_tensor_value_info("tokens", TensorProto.FLOAT, [1, "n"]),
            helper.make_tensor_value_info("style", TensorProto.FLOAT, [1, 512, 1]),
        ],
        [helper.make_tensor_value_info("sound", TensorProto.FLOAT, None)],
        [
            numpy_helper.from_array(np.array([1], np.int64), "one"),
            numpy_helper.from_array(np.array(2, np.float32), "two"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    first, second = (
        onnxruntime.InferenceSession(half, providers=["CPUExecutionProvider"])
        for half in quick_halves(model.SerializeToString())
    )
    tokens, style = np.arange(6, dtype=np.float32)[None], np.ones((1, 512, 1), np.float32) / 512
    features, pitch, energy = first.run([FEATURES, PITCH, ENERGY], {"tokens": tokens, "style": style})
    assert {value.name for value in second.get_inputs()} == {FEATURES, ENERGY, WHOLE_PITCH, MOMENTS}
    kept = np.array([0, 1, 4])
    given = {FEATURES: features[:, :, kept], ENERGY: energy[:, kept], WHOLE_PITCH: pitch, MOMENTS: kept}
    (sound,) = second.run(None, given)
    assert sound.ravel().tolist() == [float(5 + (-2 - 1 + 2) + (token + 2)) for token in (0, 1, 4)]
