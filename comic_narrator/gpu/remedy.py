"""Which one change of a server's flags would make it fit, by trying them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from comic_narrator.gpu.flags import VllmFlags
from comic_narrator.gpu.needs import CONTEXT, GIB
from comic_narrator.gpu.plan import BootPlan, Room, plan_boot
from comic_narrator.gpu.profiles import Figures
from comic_narrator.gpu.shape import ModelShape

STEPS = (8192, 4096, 2048)
"""Tokens of a step that are tried; fewer slow the reading of a page down."""

SHORTEST = 4096
"""Tokens below which no request for a page fits, so that no shorter limit is proposed."""


LEAST = int(0.05 * GIB)
"""Bytes below which a change is not worth saying."""


@dataclass(frozen=True)
class Change:
    """One flag from one value to another; `frees` bytes, and whether that is enough after what is done `first`."""

    flag: str
    old: str
    new: str
    frees: int
    fits: bool
    flags: VllmFlags
    first: str = ""

    @property
    def told(self) -> str:
        """The change as a person would say it."""
        return f"{self.first} and {self._alone}" if self.first else self._alone

    @property
    def _alone(self) -> str:
        words = {"gpu_memory_utilization": "util", "max_num_batched_tokens": "batched tokens"}
        name = words.get(self.flag, self.flag)
        if self.flag in ("gpu_memory_utilization", "kv_cache_dtype"):
            return f"{name} {self.old} -> {self.new}"
        freed = f" (frees about {self.frees / GIB:.1f} GiB)" if self.flag != "max_model_len" else ""
        return f"lower {name} {self.old} -> {self.new}{freed}"


Short = Callable[[VllmFlags], int]
"""Bytes that are missing with these flags; 0 or less where they fit."""


def changes(flags: VllmFlags, short: Short, highest: float | None, longest: int) -> tuple[Change, ...]:
    """Every single change that helps, those that are enough first, the gentlest first among them.

    `highest` is the largest share of the card that its free memory allows, where that is known; `longest` the longest
    request that fits, 0 where that is not known.
    """
    missing = short(flags)
    found: dict[str, Change] = {}
    for flag, other in _tries(flags, short, highest, longest):
        left = short(other)
        old, new = (_shown(flag, which) for which in (flags, other))
        change = Change(flag, old, new, missing - left, left <= 0, other)
        # Of the steps of one flag the first that is enough counts, else the one that frees most.
        if change.frees > LEAST and not (flag in found and found[flag].fits):
            found[flag] = change
    enough = tuple(change for change in found.values() if change.fits)
    if enough:
        return enough + tuple(change for change in found.values() if not change.fits)
    return _together(flags, tuple(found.values()), short)


def _together(flags: VllmFlags, found: tuple[Change, ...], short: Short) -> tuple[Change, ...]:
    """Changes of which none is enough, and before them the first few of them that are enough together."""
    made, first = flags, ""
    for change in found:
        before = short(made)
        key = "limit_mm_per_prompt" if change.flag == "images" else change.flag
        made = made.model_copy(update={key: dict(change.flags)[key]})
        left = short(made)
        if left <= 0:
            return (replace(change, frees=before - left, fits=True, flags=made, first=first), *found)
        told = replace(change, frees=before - left).told
        first = f"{first}, {told}" if first else told
    return found


def _shown(flag: str, flags: VllmFlags) -> str:
    if flag == "images":
        return str(flags.limit_mm_per_prompt.image)
    return str(flags.model_dump()[flag])


def _tries(flags: VllmFlags, short: Short, highest: float | None, longest: int) -> Iterator[tuple[str, VllmFlags]]:
    for tokens in STEPS:
        if tokens < flags.max_num_batched_tokens:
            yield "max_num_batched_tokens", flags.model_copy(update={"max_num_batched_tokens": tokens})
    if flags.limit_mm_per_prompt.image > 1:
        one = flags.limit_mm_per_prompt.model_copy(update={"image": 1})
        yield "images", flags.model_copy(update={"limit_mm_per_prompt": one})
    if highest is not None:
        for hundredths in range(math.floor(flags.gpu_memory_utilization * 100) + 1, math.floor(highest * 100) + 1):
            other = flags.model_copy(update={"gpu_memory_utilization": hundredths / 100})
            if short(other) <= 0 or hundredths == math.floor(highest * 100):
                yield "gpu_memory_utilization", other
                break
    length = longest // 1024 * 1024
    if SHORTEST <= length < flags.max_model_len:
        yield "max_model_len", flags.model_copy(update={"max_model_len": length})
    if flags.kv_cache_dtype == "auto":
        yield "kv_cache_dtype", flags.model_copy(update={"kv_cache_dtype": "fp8"})
    for seats in (flags.max_num_seqs // 2, 1):
        if 0 < seats < flags.max_num_seqs:
            yield "max_num_seqs", flags.model_copy(update={"max_num_seqs": seats})


def highest_share(room: Room) -> float:
    """The largest --gpu-memory-utilization, in hundredths, that the free memory allows."""
    return math.floor(100 * max(0, room.free - CONTEXT) / room.total) / 100


def what_fits(plan: BootPlan, shape: ModelShape, figures: Figures | None = None) -> tuple[Change, ...]:
    """The changes that would help a boot that is foreseen to be refused."""
    highest = highest_share(plan.room)

    def short(flags: VllmFlags) -> int:
        return plan_boot(shape, flags, plan.room, figures).lacks

    if plan.refusal == "free_memory":
        if highest <= 0:
            return ()
        lower = plan.flags.model_copy(update={"gpu_memory_utilization": highest})
        left = plan_boot(shape, lower, plan.room, figures)
        change = Change(
            "gpu_memory_utilization",
            str(plan.flags.gpu_memory_utilization),
            str(highest),
            plan.requested - left.requested,
            left.up,
            lower,
        )
        if left.up:
            return (change,)
        return tuple(replace(then, first=change.told) for then in what_fits(left, shape, figures) if then.fits)
    if plan.up or plan.refusal == "load_oom":
        return ()
    if plan.refusal == "too_long_for_model":
        shorter = plan.flags.model_copy(update={"max_model_len": shape.positions})
        there = plan_boot(shape, shorter, plan.room, figures)
        change = Change(
            "max_model_len", str(plan.flags.max_model_len), str(shape.positions), plan.short, there.up, shorter
        )
        more = () if there.up else what_fits(there, shape, figures)
        return (change,) if there.up else tuple(replace(then, first=change.told) for then in more if then.fits)
    return changes(plan.flags, short, highest, plan.longest)


def in_words(found: tuple[Change, ...]) -> str | None:
    """The changes as one clause: those that are enough, or the ones that help without being enough; None: nothing."""
    enough = [change.told for change in found if change.fits]
    if enough:
        return "; or ".join(enough[:3])
    if found:
        return "; and ".join(change.told for change in found[:3]) + "; none of these is enough alone"
    return None
