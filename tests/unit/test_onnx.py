"""Models for onnxruntime: weights that are as good as nothing cost nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from comic_narrator.onnx import frugal_session, without_denormals
from comic_narrator.readers.words import Words

WEIGHTS = np.array([[1.0, 1e-40], [-1e-30, 1e-6], [0.0, -2.0]], np.float32)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model that multiplies by WEIGHTS, and by a whole number."""
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["x", "weights"], ["product"]),
            helper.make_node("Gather", ["product", "row"], ["y"]),
        ],
        "one",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 2])],
        [numpy_helper.from_array(WEIGHTS, "weights"), numpy_helper.from_array(np.array([0], np.int64), "row")],
    )
    file = tmp_path / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(file))
    return file


def test_weights_as_good_as_nothing_become_nothing_and_the_others_stay(model: Path) -> None:
    kept = {
        one.name: numpy_helper.to_array(one)
        for one in onnx.load_model_from_string(without_denormals(model)).graph.initializer
    }
    np.testing.assert_array_equal(kept["weights"], np.array([[1.0, 0.0], [0.0, 1e-6], [0.0, -2.0]], np.float32))
    np.testing.assert_array_equal(kept["row"], [0])


def test_a_model_answers_the_same_without_them(model: Path) -> None:
    put = {"x": np.array([[0.5, 2.0, -3.0]], np.float32)}
    whole, lighter = (frugal_session(each).run(None, put)[0] for each in (model, without_denormals(model)))
    np.testing.assert_array_equal(whole, lighter)
    np.testing.assert_allclose(lighter, [[0.5, 6.000002]], rtol=1e-6)


def test_the_reader_s_models_have_such_weights_and_lose_them() -> None:
    tiny = np.finfo(np.float32).tiny
    for file in Words.models():
        before, after = (
            sum(
                int(((values != 0) & (np.abs(values) < tiny)).sum())
                for one in loaded.graph.initializer
                if (values := numpy_helper.to_array(one)).dtype == np.float32
            )
            for loaded in (onnx.load(str(file)), onnx.load_model_from_string(without_denormals(file)))
        )
        assert before > 0
        assert after == 0
