"""Kokoro's graph made quick for a processor: what onnxruntime has no quick kernel for, as what it has one for."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

GENERATOR = "/generator/"
"""The part of the model that makes the wave: nearly all of the time goes into it."""

ROWS, AROUND = "rows", "around"
"""Names of added constants: an axis, and the two beside that of the channels."""


class _Graph:
    """A graph with its constants by name, who makes and who uses each value."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.values = {value.name: value for value in graph.initializer}
        self.makers = {name: node for node in graph.node for name in node.output}
        self.users: dict[str, list[Any]] = defaultdict(list)
        for node in graph.node:
            for name in node.input:
                self.users[name].append(node)

    def add(self, name: str, value: NDArray[Any]) -> None:
        """Add a constant."""
        from onnx import numpy_helper

        self.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(value), name))

    def is_two(self, name: str) -> bool:
        """Whether a value is the constant 2."""
        from onnx import numpy_helper

        return name in self.values and bool((numpy_helper.to_array(self.values[name]) == 2).all())

    def maker(self, name: str, kind: str) -> Any:
        """The node of that kind that makes a value, None where another makes it."""
        node = self.makers.get(name)
        return node if node is not None and node.op_type == kind else None


def with_quick_waves(model: bytes) -> bytes:
    """The ONNX `model` with its generator in operations that onnxruntime has quick kernels for; it says the same.

    Integer convolutions, and those in one dimension, become two-dimensional ones of floats, which also saves one
    rounding. The normalisation of channels, written out in seven steps that each go through all of the memory, becomes
    one, and squares are products.
    """
    import onnx
    from onnx import helper

    loaded = onnx.load_model_from_string(model)
    graph = _Graph(loaded.graph)
    graph.add(ROWS, np.array([2], np.int64))
    graph.add(AROUND, np.array([0, 2], np.int64))
    instead: dict[str, list[Any]] = {}
    for node in loaded.graph.node:
        if GENERATOR not in node.name:
            continue
        if node.op_type == "ConvInteger":
            whole, quick = _as_floats(node, graph)
            instead[whole] = quick
        elif node.op_type == "Add":
            instead.update(_as_one_norm(node, graph))
        elif node.op_type == "Pow" and graph.is_two(node.input[1]):
            instead[node.output[0]] = [helper.make_node("Mul", [node.input[0]] * 2, node.output)]
    nodes = []
    for node in loaded.graph.node:
        nodes += instead.get(node.output[0], [node])
    _keep_what_is_used(loaded.graph, nodes)
    return bytes(loaded.SerializeToString())


def _as_one_norm(last: Any, graph: _Graph) -> dict[str, list[Any]]:
    """What makes the same as `last`, if it is the end of (x - mean) / sqrt(variance + epsilon) * scale + shift."""
    from onnx import helper, numpy_helper

    for product, shift in (last.input, reversed(last.input)):
        scaled = graph.maker(product, "Mul")
        for normal, scale in (scaled.input, reversed(scaled.input)) if scaled is not None else ():
            divided = graph.maker(normal, "Div")
            moved = graph.maker(divided.input[0], "Sub") if divided is not None else None
            root = graph.maker(divided.input[1], "Sqrt") if divided is not None else None
            if moved is None or root is None or graph.maker(moved.input[1], "ReduceMean") is None:
                continue
            least = next(graph.values[name] for name in graph.makers[root.input[0]].input if name in graph.values)
            flat = [f"{last.name}_scale", f"{last.name}_shift"]
            put, epsilon = [moved.input[0], *flat], float(numpy_helper.to_array(least))
            return {
                last.output[0]: [
                    helper.make_node("Squeeze", [scale, AROUND], flat[:1]),
                    helper.make_node("Squeeze", [shift, AROUND], flat[1:]),
                    helper.make_node("InstanceNormalization", put, last.output, epsilon=epsilon),
                ]
            }
    return {}


def _as_floats(node: Any, graph: _Graph) -> tuple[str, list[Any]]:
    """The name of what a ConvInteger comes to in the end, and the nodes that make the same of floats."""
    from onnx import helper, numpy_helper

    bias: list[str] = []
    after = graph.users[node.output[0]][0]
    if after.op_type == "Add":
        divided = after.input[1]
        for _ in range(4):  # Reshape, Cast, Floor, Div: the bias in units of the sum.
            divided = graph.makers[divided].input[0]
        bias = [divided]
        after = graph.users[after.output[0]][0]
    scaled = graph.users[after.output[0]][0]
    scale = graph.makers[next(name for name in scaled.input if name != after.output[0])]
    unit = numpy_helper.to_array(graph.values[next(name for name in scale.input if name in graph.values)])
    zero = numpy_helper.to_array(graph.values[node.input[3]]).astype(np.float32)
    kernel = (numpy_helper.to_array(graph.values[node.input[1]]).astype(np.float32) - zero) * unit
    how = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    for name in ("kernel_shape", "dilations", "strides"):
        how[name] = [1, *how[name]]
    how["pads"] = [0, how["pads"][0], 0, how["pads"][1]]
    flat, weights, wide = f"{node.name}_in", f"{node.name}_kernel", f"{node.name}_out"
    source = graph.makers[node.input[0]].input[0]
    graph.add(weights, kernel[:, :, None])
    return (
        scaled.output[0],
        [
            helper.make_node("Unsqueeze", [source, ROWS], [flat]),
            helper.make_node("Conv", [flat, weights, *bias], [wide], **how),
            helper.make_node("Squeeze", [wide, ROWS], [scaled.output[0]]),
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
