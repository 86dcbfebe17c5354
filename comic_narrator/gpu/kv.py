"""The KV cache of a vLLM server: blocks, what a request needs of them, and how many tokens the log will say.

Rules of vLLM's V1 engine (v1/core/kv_cache_utils.py, v1/kv_cache_interface.py and platforms/interface.py of 0.20).
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal

from comic_narrator.gpu.flags import VllmFlags
from comic_narrator.gpu.shape import ModelShape

BLOCK = 16
"""Tokens of a block where nothing asks for more."""

STATE_BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}

GROUPS_OF_THE_LARGEST = 1.5
"""Kinds of layers less than this apart in number share groups as large as the larger kind, padded."""


@dataclass(frozen=True)
class _Kind:
    kind: Literal["full", "sliding", "mamba"]
    layers: int
    token_bytes: int
    window: int = 0


@dataclass(frozen=True)
class KvLayout:
    """How the cache is cut: blocks of `block_tokens` tokens and `block_bytes` bytes for `groups` of layers."""

    block_tokens: int
    block_bytes: int
    groups: tuple[_Kind, ...]
    batched_tokens: int

    def blocks(self, available: int) -> int:
        """Blocks that fit into so many bytes."""
        return max(0, available) // self.block_bytes

    def blocks_for(self, tokens: int) -> int:
        """Blocks that one request of so many tokens needs at most."""
        return sum(self._needed(group, tokens) for group in self.groups)

    def _needed(self, group: _Kind, tokens: int) -> int:
        if group.kind == "mamba":
            return 1
        if group.kind == "sliding":
            return -(-min(group.window - 1 + self.batched_tokens, tokens) // self.block_tokens) + 1
        return -(-tokens // self.block_tokens)

    def bytes_for(self, tokens: int) -> int:
        """Bytes that one request of so many tokens needs at most."""
        return self.blocks_for(tokens) * self.block_bytes

    def longest(self, available: int, most: int) -> int:
        """Tokens of the longest request, `most` at most, that fits into so many bytes; 0 where none does."""
        there = self.blocks(available)
        return bisect_right(range(1, most + 1), there, key=self.blocks_for)

    def concurrency(self, available: int, tokens: int) -> float:
        """How many requests of so many tokens fit at the same time."""
        return self.blocks(available) / self.blocks_for(tokens)

    def logged_tokens(self, available: int, tokens: int, version: tuple[int, int, int]) -> int:
        """The size that this version's log gives the cache for a longest request of `tokens`.

        Up to 0.20.0 the blocks are divided among the groups; from 0.20.1 on it is the concurrency times the longest
        request, so that the same pool of a hybrid model reads 76,608 and then 294,912.
        """
        if version <= (0, 20, 0):
            return self.blocks(available) // len(self.groups) * self.block_tokens
        return int(self.concurrency(available, tokens) * tokens)


def kv_layout(shape: ModelShape, flags: VllmFlags) -> KvLayout:
    """How vLLM cuts the cache of this model: one group of layers, or as many as kinds of layers ask for."""
    number = 1 if flags.kv_cache_dtype == "fp8" else 2
    kinds = []
    if shape.full:
        kinds.append(_Kind("full", shape.full, 2 * shape.kv_heads * shape.head_dim * number))
    if shape.sliding:
        s = shape.sliding
        kinds.append(_Kind("sliding", s.layers, 2 * s.kv_heads * s.head_dim * number, s.window))
    if shape.mamba:
        kinds.append(_Kind("mamba", shape.mamba.layers, 0))
    token = max(kind.token_bytes for kind in kinds) or 1
    block = BLOCK
    if shape.mamba:
        # A block of attention grows until it is at least as large as the state of a mamba layer.
        block = BLOCK * max(1, -(-_state_bytes(shape, flags) // (BLOCK * token)))
    fewest, most = min(kind.layers for kind in kinds), max(kind.layers for kind in kinds)
    size = most if most < GROUPS_OF_THE_LARGEST * fewest else fewest
    groups = tuple(kind for kind in kinds for _ in range(-(-kind.layers // size)))
    return KvLayout(block, block * token * size, groups, flags.max_num_batched_tokens)


def _state_bytes(shape: ModelShape, flags: VllmFlags) -> int:
    """Bytes of one mamba layer's state: the tail of its convolution at 16 bit, and the state itself."""
    assert shape.mamba
    m = shape.mamba
    state = m.heads * m.head_dim * m.state * STATE_BYTES[flags.mamba_ssm_cache_dtype or "float32"]
    return m.convolved * (m.conv_kernel - 1) * 2 + state
