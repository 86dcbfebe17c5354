"""Kokoro's graph made quick for a processor: in operations that onnxruntime has quick kernels for, and in two halves.

Between the halves stands what is said when: the features, the pitch and the energy of each frame. There silence can be
left out (`silences.py`). The second half takes means over all frames, which say how loud and how bright the voice is;
it takes them with weights, so that what is left sounds as if nothing had been left out.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEATURES, PITCH, ENERGY = "/encoder/MatMul_1_output_0", "/encoder/Reshape_output_0", "/encoder/Reshape_1_output_0"
"""What the first half gives: float32 of shape (1, 512, frames), and twice (1, 2 * frames)."""

WHOLE_PITCH, MOMENTS = "whole_pitch", "moments"
"""Inputs of the second half: the pitch of all frames, as the phase runs through; the columns of its waves that stay."""

COLUMNS = (1, 2, 20, 120)
"""How many columns a frame has in the steps of the second half."""

DECODER, GENERATOR = "/decoder/", "/generator/"
"""The part of the model that is run on what stays, and its end, which makes the wave: most of the time goes there."""

PITCH_READER, WAVES = "/f0_upsamp/", "/decoder/decoder/generator/Concat_3_output_0"
FINEST = ("/noise_res.1/", "/resblocks.3/", "/resblocks.4/", "/resblocks.5/")

ROWS, AROUND = "rows", "around"
"""Names of added constants: an axis, and the two beside that of the channels."""


HEARD = "heard"
"""An input of the second half: the share of all frames that is there, float32 of shape (1,)."""


def rims_of(columns: int) -> tuple[str, str]:
    """The names of two inputs: which columns stand for what is left out, (n,), and for what share of all, (n, 1)."""
    return f"rims_{columns}", f"shares_{columns}"


class _Graph:
    """A graph with its constants by name, who makes and who uses each value."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.values = {value.name: value for value in graph.initializer}
        self.makers = {name: node for node in graph.node for name in node.output}
        self.users: dict[str, list[Any]] = defaultdict(list)
        self.stretched: dict[str, NDArray[np.float32]] = {}
        """Values that are rewritten to be so many times as large, by channel."""
        for node in graph.node:
            for name in node.input:
                self.users[name].append(node)

    def add(self, name: str, value: NDArray[Any]) -> str:
        """Add a constant and give its name."""
        from onnx import numpy_helper

        self.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def constant(self, name: str) -> NDArray[Any]:
        """The constant of that name."""
        from onnx import numpy_helper

        return np.asarray(numpy_helper.to_array(self.values[name]))

    def maker(self, name: str, kind: str) -> Any:
        """The node of that kind that makes a value, None where another makes it."""
        node = self.makers.get(name)
        return node if node is not None and node.op_type == kind else None

    def user(self, name: str, *kinds: str) -> Any:
        """The one node of those kinds that uses a value, None where there are none or more."""
        nodes = [node for node in self.users[name] if node.op_type in kinds]
        return nodes[0] if len(nodes) == 1 else None


def quick_halves(model: bytes) -> tuple[bytes, bytes]:
    """The `model` with quick waves, cut in two: from tokens to FEATURES, PITCH and ENERGY, and from what stays of these
    to sound."""
    import onnx
    from onnx import TensorProto, helper

    whole = onnx.load_model_from_string(model)
    make_waves_quick(whole)
    cut = [
        helper.make_tensor_value_info(FEATURES, TensorProto.FLOAT, [1, 512, "frames"]),
        helper.make_tensor_value_info(PITCH, TensorProto.FLOAT, [1, "halves"]),
        helper.make_tensor_value_info(ENERGY, TensorProto.FLOAT, [1, "halves"]),
    ]
    first = _part(whole, list(whole.graph.node), list(whole.graph.input), cut)
    nodes = []
    row = _Graph(whole.graph).add(f"{WHOLE_PITCH}_axis", np.array([1], np.int64))
    for node in whole.graph.node:
        if {FEATURES, PITCH, ENERGY} & set(node.output):
            continue
        if PITCH_READER in node.name:
            nodes.append(helper.make_node("Unsqueeze", [WHOLE_PITCH, row], [f"{WHOLE_PITCH}_row"]))
            node.input[0] = f"{WHOLE_PITCH}_row"
        nodes.append(node)
        if WAVES in node.output:
            node.output[0] = f"{WAVES}_whole"
            nodes.append(helper.make_node("Gather", [f"{WAVES}_whole", MOMENTS], [WAVES], axis=2))
    added = [
        helper.make_tensor_value_info(WHOLE_PITCH, TensorProto.FLOAT, [1, "all halves"]),
        helper.make_tensor_value_info(MOMENTS, TensorProto.INT64, ["moments"]),
    ]
    return first, _part(whole, nodes, [*whole.graph.input, *cut, *added], list(whole.graph.output))


def make_waves_quick(model: Any) -> None:
    """Put what makes the wave in an ONNX model in quick operations; it says the same.

    Integer convolutions, in one dimension, become two-dimensional ones of floats, which also saves one rounding. The
    normalisation of channels, written out in seven steps that each go through all of the memory, becomes two, the
    second of which counts what was left out. The wave that follows it, x + sin(ax)^2 / a, loses its two products: a
    goes into the normalisation, and 1 / a into the convolution behind.
    """
    from onnx import TensorProto, helper

    graph = _Graph(model.graph)
    graph.add(ROWS, np.array([2], np.int64))
    graph.add(AROUND, np.array([0, 2], np.int64))
    instead: dict[str, list[Any]] = {}
    for node in model.graph.node:
        # The decoder's own convolutions gain nothing from floats, and would take half a gigabyte more.
        if node.op_type == "ConvInteger" and GENERATOR in node.name:
            instead.update(_as_floats(node, graph))
        elif node.op_type == "Add" and DECODER in node.name:
            instead.update(_as_one_norm(node, graph))
    nodes = []
    for node in model.graph.node:
        nodes += instead.get(node.output[0], [node])
    model.graph.input.append(helper.make_tensor_value_info(HEARD, TensorProto.FLOAT, [1]))
    for columns in COLUMNS:
        rims, shares = rims_of(columns)
        model.graph.input.append(helper.make_tensor_value_info(rims, TensorProto.INT64, [f"{rims}_n"]))
        model.graph.input.append(helper.make_tensor_value_info(shares, TensorProto.FLOAT, [f"{rims}_n", 1]))
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def _columns(name: str) -> int:
    """How many columns a frame has in the step of that name."""
    if GENERATOR in name:
        return 120 if any(block in name for block in FINEST) else 20
    return 2 if "/decode.3/norm2/" in name else 1


def _as_one_norm(last: Any, graph: _Graph) -> dict[str, list[Any]]:
    """What makes the same as `last`, if it is the end of (x - mean) / sqrt(variance + epsilon) * scale + shift."""
    for product, shift in (last.input, reversed(last.input)):
        scaled = graph.maker(product, "Mul")
        for normal, scale in (scaled.input, reversed(scaled.input)) if scaled is not None else ():
            divided = graph.maker(normal, "Div")
            moved = graph.maker(divided.input[0], "Sub") if divided is not None else None
            root = graph.maker(divided.input[1], "Sqrt") if divided is not None else None
            if moved is None or root is None or graph.maker(moved.input[1], "ReduceMean") is None:
                continue
            least = next(name for name in graph.makers[root.input[0]].input if name in graph.values)
            wave = _wave_of(last.output[0], graph)
            made = _norm(moved.input[0], scale, shift, last, wave, float(graph.constant(least)), graph)
            return made if wave is None else {**made, **_wave(last.output[0], wave, graph)}
    return {}


def _norm(x: str, scale: str, shift: str, last: Any, wave: Any, epsilon: float, graph: _Graph) -> dict[str, list[Any]]:
    """The nodes of a normalisation of `x` with weighted means; what a `wave` of it multiplies with goes into it."""
    from onnx import helper

    def named(what: str) -> str:
        return f"{last.name}_{what}"

    stretch = []
    if wave is not None:
        for what, value in (("scale", scale), ("shift", shift)):
            stretch.append(helper.make_node("Mul", [value, wave.input[0]], [named(f"stretched_{what}")]))
        scale, shift = named("stretched_scale"), named("stretched_shift")
    rims, shares = rims_of(_columns(last.name))
    rows = {"scale_row": scale, "shift_row": shift, "mean_row": named("mean"), "spread_row": named("spread")}
    squeezed = {what: helper.make_node("Squeeze", [value, AROUND], [named(what)]) for what, value in rows.items()}
    given = ("scale_row", "shift_row")
    return {
        last.output[0]: [
            *stretch,
            *(squeezed[what] for what in given),
            helper.make_node("Shape", [named("scale_row")], [named("channels")]),
            *(
                helper.make_node(
                    "ConstantOfShape",
                    [named("channels")],
                    [named(what)],
                    value=helper.make_tensor(what, 1, [1], [value]),
                )
                for what, value in (("ones", 1.0), ("noughts", 0.0))
            ),
            helper.make_node(
                "InstanceNormalization", [x, named("ones"), named("noughts")], [named("heard")], epsilon=epsilon
            ),
            helper.make_node("Gather", [named("heard"), rims], [named("rims")], axis=2),
            helper.make_node("MatMul", [named("rims"), shares], [named("mean")]),
            helper.make_node("Mul", [named("rims")] * 2, [named("squares")]),
            helper.make_node("MatMul", [named("squares"), shares], [named("mean_square")]),
            helper.make_node("Mul", [named("mean")] * 2, [named("square_mean")]),
            helper.make_node("Sub", [named("mean_square"), named("square_mean")], [named("difference")]),
            helper.make_node("Add", [named("difference"), HEARD], [named("spread")]),
            *(squeezed[what] for what in rows if what not in given),
            helper.make_node("BatchNormalization", [named("heard"), *map(named, rows)], last.output, epsilon=0.0),
        ]
    }


def _wave_of(x: str, graph: _Graph) -> Any:
    """The product a * x where x + sin(a * x)^2 / a is all that is made of `x`, None elsewhere."""
    product = graph.user(x, "Mul")
    if len(graph.users[x]) != 2 or product is None or product.input[0] not in graph.values:
        return None
    return product if graph.user(product.output[0], "Sin") is not None else None


def _wave(x: str, product: Any, graph: _Graph) -> dict[str, list[Any]]:
    """The nodes of a wave of `x` that is already `product`: a times as large as before, which is noted."""
    from onnx import helper

    sine = graph.user(product.output[0], "Sin").output[0]
    square = graph.user(sine, "Pow", "Mul").output[0]
    whole = graph.user(graph.user(square, "Mul").output[0], "Add").output[0]
    graph.stretched[whole] = graph.constant(product.input[0]).ravel()
    return {
        sine: [helper.make_node("Sin", [x], [sine])],
        square: [helper.make_node("Mul", [sine, sine], [square])],
        whole: [helper.make_node("Add", [x, square], [whole])],
    }


def _as_floats(node: Any, graph: _Graph) -> dict[str, list[Any]]:
    """What makes of floats what a ConvInteger comes to in the end."""
    from onnx import helper

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
    unit = graph.constant(next(name for name in scale.input if name in graph.values))
    zero = graph.constant(node.input[3]).astype(np.float32)
    kernel = (graph.constant(node.input[1]).astype(np.float32) - zero) * unit
    source = graph.makers[node.input[0]].input[0]
    if source in graph.stretched:
        kernel /= graph.stretched[source][:, None]
    how = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    for name in ("kernel_shape", "dilations", "strides"):
        how[name] = [1, *how[name]]
    how["pads"] = [0, how["pads"][0], 0, how["pads"][1]]
    flat, weights, wide = f"{node.name}_in", graph.add(f"{node.name}_kernel", kernel[:, :, None]), f"{node.name}_out"
    return {
        scaled.output[0]: [
            helper.make_node("Unsqueeze", [source, ROWS], [flat]),
            helper.make_node("Conv", [flat, weights, *bias], [wide], **how),
            helper.make_node("Squeeze", [wide, ROWS], [scaled.output[0]]),
        ]
    }


def _part(model: Any, nodes: list[Any], given: list[Any], wanted: list[Any]) -> bytes:
    """A model of those of `nodes` that make what is `wanted`, with what they need of the constants and of `given`."""
    from onnx import helper

    needed = {output.name for output in wanted}
    kept = []
    for node in reversed(nodes):
        if needed & set(node.output):
            kept.append(node)
            needed |= set(node.input)
    put, values = ([value for value in of if value.name in needed] for of in (given, model.graph.initializer))
    graph = helper.make_graph(kept[::-1], "part", put, wanted, values)
    part = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
    return bytes(part.SerializeToString())
