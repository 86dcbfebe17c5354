"""What a vLLM server takes of a card beside its KV cache: weights, profiling pass, CUDA graphs, what CUDA itself holds.

Formulas by cause, checked against the boots of a real vLLM 0.20.2 (benchmarks/plan_vs_boot.py prints the table). All
figures are bytes. 16-bit activations throughout.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from comic_narrator.gpu.flags import VllmFlags
from comic_narrator.gpu.shape import BYTES_A_WEIGHT, Format, ModelShape, Vision

GIB = 1 << 30

CONTEXT = int(0.51 * GIB)
"""What a process's CUDA context holds before anything is loaded. Measured on an H200."""

NON_TORCH_EAGER, NON_TORCH_COMPILED = int(0.22 * GIB), int(0.24 * GIB)
"""What libraries take outside of torch while a model runs for the first time. Measured on an H200, 8B and 30B alike."""

WORKSPACE = int(0.04 * GIB)
"""The matrix library's workspace (32 MiB on Hopper) and what the allocator rounds up."""

GRAPH_POOL, A_GRAPH = int(0.03 * GIB), int(0.0034 * GIB)
"""The pool that all CUDA graphs share and what each adds; from boots with 5 graphs (0.05 GiB) and with 12 (0.07)."""

ONLINE: dict[str, Format] = {"fp8": "fp8"}
"""Values of --quantization that quantise a 16-bit model while it is loaded; others name how it already lies there."""


@dataclass(frozen=True)
class ProfilingPass:
    """What vLLM runs once to learn its peak: `tokens` of text, and `pictures` of `picture_tokens` each."""

    tokens: int
    pictures: int
    picture_tokens: int


def profiling_pass(shape: ModelShape, flags: VllmFlags) -> ProfilingPass:
    """The pass that vLLM sizes by the tokens of a step, the largest picture, and how many a step could carry.

    Source: vLLM's multi-modal budget (v1/worker/utils.py): the encoder's budget is the larger of a step and of one
    picture; it is filled with the largest pictures, but with no more than all seats could send.
    """
    if shape.vision is None or not flags.limit_mm_per_prompt.image:
        return ProfilingPass(flags.max_num_batched_tokens, 0, 0)
    picture = shape.vision.tokens(flags.max_pixels or shape.vision.max_pixels)
    budget = max(flags.max_num_batched_tokens, picture)
    a_request = max(1, min(flags.limit_mm_per_prompt.image, flags.max_model_len // picture))
    return ProfilingPass(
        flags.max_num_batched_tokens, max(1, min(budget // picture, flags.max_num_seqs * a_request)), picture
    )


def weights(shape: ModelShape, flags: VllmFlags) -> int:
    """Bytes after loading: parameters as they are stored, and the tables and buffers that belong to the model."""
    online = ONLINE.get(flags.quantization or "") if shape.format == "bf16" else None
    linear = BYTES_A_WEIGHT[online or shape.format]
    # A checkpoint quantised beforehand leaves the eyes at 16 bit; quantised while loading, they shrink as well.
    seeing = BYTES_A_WEIGHT[online or "bf16"]
    embeddings = shape.vocabulary * shape.hidden * (1 if shape.tied else 2)
    text = _text_parameters(shape)
    eyes = _vision_parameters(shape.vision, shape.hidden) if shape.vision else 0
    return int(text * linear + eyes * seeing + embeddings * 2) + _buffers(shape, flags)


def _text_parameters(shape: ModelShape) -> int:
    hidden = shape.hidden
    found = shape.full * _attention_parameters(hidden, shape.heads, shape.kv_heads, shape.head_dim)
    if shape.sliding:
        one = _attention_parameters(hidden, shape.heads, shape.sliding.kv_heads, shape.sliding.head_dim)
        found += shape.sliding.layers * one
    found += shape.dense * 3 * hidden * shape.inner
    if shape.experts:
        e = shape.experts
        found += e.layers * (e.matrices * hidden * (e.count * e.inner + e.shared_inner) + hidden * e.count)
    if shape.mamba:
        m = shape.mamba
        into = hidden * (m.inner + m.convolved + m.heads)
        found += m.layers * (into + m.inner * hidden + m.convolved * m.conv_kernel)
    return found


def _attention_parameters(hidden: int, heads: int, kv_heads: int, head_dim: int) -> int:
    return hidden * head_dim * (2 * heads + 2 * kv_heads)


def _vision_parameters(vision: Vision, text_hidden: int) -> int:
    block = 4 * vision.hidden**2 + (3 if vision.gated else 2) * vision.hidden * vision.inner
    merged = vision.hidden * vision.merge**2
    # One merger into the text model, and one more for each further level that is handed over.
    mergers = (1 + vision.deepstack) * (merged**2 + merged * text_hidden)
    patches = 3 * vision.frames * vision.patch**2 * vision.hidden
    return vision.depth * block + mergers + patches + vision.positions * vision.hidden


def _buffers(shape: ModelShape, flags: VllmFlags) -> int:
    """Tables of the rotary positions (four times as long for M-RoPE) and the rows that carry further vision levels."""
    rope = shape.positions * (4 if shape.mrope else 1) * shape.head_dim * 2 if shape.full else 0
    deep = shape.vision.deepstack * flags.max_num_batched_tokens * shape.hidden * 2 if shape.vision else 0
    return rope + deep


def activation(shape: ModelShape, flags: VllmFlags) -> int:
    """Peak bytes of the profiling pass beside the weights: of the text model or of the eyes, whichever is more.

    The eyes run first; what they made is held while the text model runs.
    """
    profiled = profiling_pass(shape, flags)
    stored = ONLINE.get(flags.quantization or "", shape.format)
    seen = profiled.pictures * profiled.picture_tokens
    made = seen * shape.hidden * 2 * (1 + (shape.vision.deepstack if shape.vision else 0))
    text = profiled.tokens * _bytes_a_token(shape, stored) + made
    deeper = seen * shape.hidden * 2 * shape.vision.deepstack if shape.vision else 0
    eyes = seen * shape.vision.merge**2 * _bytes_a_patch(shape.vision) + deeper if shape.vision else 0
    return max(text, eyes) + WORKSPACE


def _bytes_a_token(shape: ModelShape, stored: Format) -> int:
    """Bytes that one token holds in the widest kind of layer: residual, input, normed input and output, and the inside.

    Where weights are stored in 8 or 4 bits that the card computes with, the inside is held once more as such.
    """
    quantised = {"fp8": 1.0, "int8": 1.0, "nvfp4": 0.5625, "mxfp4": 0.53}.get(stored, 0.0)
    stream = 4 * shape.hidden * 2
    inside = [2 * shape.head_dim * (2 * shape.heads + 2 * shape.kv_heads)]
    if shape.dense:
        inside.append(int(shape.inner * (3 * 2 + quantised)))
    if shape.experts:
        e = shape.experts
        wide = max((e.matrices - 1) * e.inner, shape.hidden)
        chosen = e.chosen * (2 * wide + 2 * e.inner + int(quantised * e.inner)) + 4 * e.count
        inside.append(chosen + e.shared_inner * 2 * e.matrices)
    if shape.mamba:
        m = shape.mamba
        inside.append(2 * (2 * m.inner + 2 * m.convolved + m.heads + m.inner))
    return stream + max(inside)


def _bytes_a_patch(vision: Vision) -> int:
    """Bytes that one patch holds in a feed-forward part: its pixels, its place, three rows, the inside twice."""
    pixels = 3 * vision.frames * vision.patch**2
    inside = vision.inner * (3 if vision.gated else 2)
    return 2 * (pixels + vision.hidden + 3 * vision.hidden + inside)


def graphs(flags: VllmFlags) -> int:
    """Bytes of the CUDA graphs: for mixed steps of 1, 2, 4, 8 ... tokens up to twice the seats, for decoding once."""
    if flags.enforce_eager:
        return 0
    most = min(2 * flags.max_num_seqs, 512)
    sizes = [1, 2, 4, *range(8, 256, 8), *range(256, 513, 16)]
    mixed = bisect_right(sizes, most)
    decoding = bisect_right(sizes, flags.max_num_seqs)
    return GRAPH_POOL + (mixed + decoding) * A_GRAPH


def non_torch(flags: VllmFlags) -> int:
    """Bytes that libraries take outside of torch."""
    return NON_TORCH_EAGER if flags.enforce_eager else NON_TORCH_COMPILED
