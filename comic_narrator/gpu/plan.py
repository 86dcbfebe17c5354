"""What a boot of vLLM will do on a card, before it is tried: whether it comes up, what it takes, what is left."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from comic_narrator.gpu import needs
from comic_narrator.gpu.flags import VllmFlags
from comic_narrator.gpu.kv import KvLayout, kv_layout
from comic_narrator.gpu.needs import CONTEXT, GIB
from comic_narrator.gpu.profiles import Figures
from comic_narrator.gpu.shape import ModelShape

Refusal = Literal["too_long_for_model", "free_memory", "load_oom", "no_kv", "kv_too_small", "mamba_blocks"]
"""Why a boot is refused, in the order in which vLLM looks."""

WHY: dict[Refusal, str] = {
    "too_long_for_model": "max_model_len is more than the model was made for",
    "free_memory": "its share of the card is more than is free",
    "load_oom": "the weights are larger than what is free",
    "no_kv": "weights and the profiling pass leave nothing for the KV cache",
    "kv_too_small": "the KV cache does not hold one request of full length",
    "mamba_blocks": "the cache has fewer blocks of state than there are seats",
}


@dataclass(frozen=True)
class Room:
    """A card's memory in bytes as CUDA sees it: all of it, and what is free before the server starts."""

    total: int
    free: int


@dataclass(frozen=True)
class BootPlan:
    """A boot foreseen, in bytes; `kv` is 0 where nothing is left, and `short` says how much is missing then."""

    flags: VllmFlags
    room: Room
    requested: int
    weights: int
    activation: int
    non_torch: int
    graphs: int
    kv: int
    short: int
    layout: KvLayout
    longest: int
    refusal: Refusal | None

    @property
    def up(self) -> bool:
        """Whether the server comes up."""
        return self.refusal is None

    @property
    def lacks(self) -> int:
        """Bytes that are missing; negative, where it comes up, for what the cache has beyond one longest request."""
        return self.short or self.layout.bytes_for(self.flags.max_model_len) - self.kv

    @property
    def overhead(self) -> int:
        """What is neither weights nor KV cache."""
        return self.activation + self.non_torch + self.graphs

    @property
    def concurrency(self) -> float:
        """Requests of full length that the cache holds at the same time."""
        return self.layout.concurrency(self.kv, self.flags.max_model_len)

    @property
    def seats(self) -> int:
        """Requests that are answered at the same time; 0 where the server stays down. `concurrency` says how long."""
        return self.flags.max_num_seqs if self.up else 0

    @property
    def kv_tokens(self) -> int:
        """Tokens of the cache, as logs from 0.20.1 on say it."""
        return self.logged_tokens((0, 20, 1))

    def logged_tokens(self, version: tuple[int, int, int]) -> int:
        """Tokens of the cache, as this version's log says it."""
        return self.layout.logged_tokens(self.kv, self.flags.max_model_len, version)

    @property
    def takes(self) -> int:
        """What the card holds of this server once it is up, the CUDA context included."""
        return CONTEXT + self.weights + self.overhead + self.kv

    @property
    def left(self) -> int:
        """What is left of the free memory beside it: for speech, and for the video encoder."""
        return max(0, self.room.free - self.takes)


def plan_boot(shape: ModelShape, flags: VllmFlags, room: Room, figures: Figures | None = None) -> BootPlan:
    """Foresee a boot; `figures` are measured and come before what the shape tells.

    The share is a fraction of *all* memory, held against what is *free* once the process has its CUDA context. What
    weights, the profiling pass, the libraries and the CUDA graphs leave of the share is the KV cache, unless
    kv_cache_memory_bytes gives its size; the check against the free memory is made all the same.
    """
    requested = math.ceil(room.total * flags.gpu_memory_utilization)
    weights, activation, non_torch, graphs = _measured(shape, flags, figures)
    layout = kv_layout(shape, flags)
    given = flags.kv_cache_memory_bytes
    kv = given if given is not None else requested - weights - activation - non_torch - graphs
    longest = layout.longest(kv, shape.positions)
    free = max(0, room.free - CONTEXT)
    needed = layout.bytes_for(flags.max_model_len)
    refusal: Refusal | None = None
    short = 0
    if flags.max_model_len > shape.positions:
        refusal, short = "too_long_for_model", max(1, needed - layout.bytes_for(shape.positions))
    elif requested > free:
        refusal, short = "free_memory", requested - free
    elif weights + (given or 0) > free:
        refusal, short = "load_oom", weights + (given or 0) - free
    elif kv < layout.block_bytes:
        refusal, short = "no_kv", needed - kv
    elif kv < needed:
        refusal, short = "kv_too_small", needed - kv
    elif shape.mamba and not flags.enforce_eager and layout.blocks(kv) < flags.max_num_seqs:
        refusal, short = "mamba_blocks", flags.max_num_seqs * layout.block_bytes - kv
    return BootPlan(
        flags, room, requested, weights, activation, non_torch, graphs, max(0, kv), short, layout, longest, refusal
    )


def _measured(shape: ModelShape, flags: VllmFlags, figures: Figures | None) -> tuple[int, int, int, int]:
    """Weights, activation, the libraries' part and graphs: as measured where that was done, else by the shape."""
    weights, activation = needs.weights(shape, flags), needs.activation(shape, flags)
    non_torch, graphs = needs.non_torch(flags), needs.graphs(flags)
    if figures is None:
        return weights, activation, non_torch, graphs
    if figures.peak_gib is not None:
        # Measured at one setting; what another setting changes follows from the shape.
        there = flags.model_copy(update={"max_num_batched_tokens": figures.batched_tokens})
        activation = max(0, int(figures.peak_gib * GIB) + activation - needs.activation(shape, there))
        graphs = 0
    if figures.non_torch_gib is not None:
        non_torch = int(figures.non_torch_gib * GIB)
    return int(figures.weights_gib * GIB), activation, non_torch, graphs
