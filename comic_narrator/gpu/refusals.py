"""Why a server did not come up: the causes that its log can name, and the change that would fit, computed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from comic_narrator.gpu.flags import VllmFlags
from comic_narrator.gpu.needs import CONTEXT, GIB, NON_TORCH_COMPILED, weights
from comic_narrator.gpu.plan import Room, plan_boot
from comic_narrator.gpu.profiles import Figures
from comic_narrator.gpu.remedy import Change, changes, highest_share, in_words, what_fits
from comic_narrator.gpu.shape import ModelShape

N = r"(-?[\d.]+)"

CAUSES: dict[str, re.Pattern[str]] = {
    "free_memory": re.compile(
        rf"Free memory on device(?: \S+)? \({N}/{N} GiB\) on startup is less than desired GPU memory utilization "
        rf"\({N}, {N} GiB\)"
    ),
    "kv_too_small": re.compile(
        rf"max seq len \((\d+)\), \({N} GiB KV cache is needed, which is larger than the available KV cache memory "
        rf"\({N} GiB\)\.(?:.*?estimated maximum model length is ([\d,]+))?"
    ),
    "no_kv": re.compile(r"No available memory for the cache blocks"),
    "profile_race": re.compile(
        rf"Error in memory profiling\. Initial free memory {N} GiB, current free memory {N} GiB"
    ),
    "mamba_blocks": re.compile(r"max_num_seqs \((\d+)\) exceeds available Mamba cache blocks(?: \((\d+)\))?"),
    "nvfp4": re.compile(
        r"No NvFp4 MoE backend supports|NvFp4 MoE backend '\w+' does not support"
        r"|moe_backend='\w+' is not supported for NvFP4"
    ),
    "load_oom": re.compile(r"Failed to load model - not enough GPU memory"),
    "sampler_oom": re.compile(r"CUDA out of memory occurred when warming up sampler with (\d+) dummy requests"),
    "cuda_oom": re.compile(r"CUDA out of memory\. Tried to allocate ([\d.]+ [GM]iB)"),
    "no_kernel": re.compile(r"no kernel image is available|cudaErrorIllegalInstruction|illegal instruction was enc"),
    "no_card": re.compile(r"Failed to infer device type|No CUDA GPUs are available|Found no NVIDIA driver"),
    "too_long_for_model": re.compile(
        r"User-specified max_model_len \((\d+)\) is greater than the derived max_model_len \(.*?=(\d+)"
    ),
    "port_taken": re.compile(r"[Aa]ddress already in use"),
    "no_model": re.compile(
        r"is not a local folder and is not a valid model identifier|Repo id must be|LocalEntryNotFoundError"
        r"|couldn't connect to 'https://huggingface.co'|Invalid repository ID or local directory"
    ),
    "unknown_flag": re.compile(r"error: (unrecognized arguments: .+|argument .+)$"),
}
"""What a log says of each cause, the more telling first."""

SYMPTOMS = (
    re.compile(r"EngineCore failed to start"),
    re.compile(r"Engine core initialization failed"),
    re.compile(r"EngineCore encountered an issue"),
)
"""Lines that say that it failed, not why."""


@dataclass(frozen=True)
class Refusal:
    """Why a server did not come up: the cause, one sentence of what with its numbers, one of what to do."""

    cause: str
    what: str
    hint: str
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True)
class Account:
    """What a boot log has said so far; GiB and seconds; None: not said (yet)."""

    version: tuple[int, int, int] | None = None
    model: str | None = None
    flags: VllmFlags | None = None
    total_gib: float | None = None
    free_gib: float | None = None
    weights_gib: float | None = None
    load_seconds: float | None = None
    profiled_pictures: int | None = None
    activation_gib: float | None = None
    non_torch_gib: float | None = None
    graphs_gib: float | None = None
    kv_gib: float | None = None
    kv_tokens: int | None = None
    concurrency: float | None = None
    compile_seconds: float | None = None
    init_seconds: float | None = None
    attention_block: int | None = None
    sleeping_gib: float | None = None
    address: str | None = None
    ready: bool = False
    refusal: Refusal | None = None
    milestones: tuple[str, ...] = ()

    def over_its_share(self, total_gib: float) -> float:
        """GiB by which weights and cache are more than the server's share of a card of that size; 0.0 where not known.

        A server takes memory for free that another process gives back while it measures.
        """
        if self.flags is None or self.weights_gib is None or self.kv_gib is None or self.flags.kv_cache_memory_bytes:
            return 0.0
        return max(0.0, self.weights_gib + self.kv_gib - self.flags.gpu_memory_utilization * total_gib)


def explain(
    found: tuple[str, re.Match[str]] | None,
    unknown: str | None,
    told: Account,
    shape: ModelShape | None,
    room: Room | None,
) -> Refusal:
    """The refusal for a cause that was found, or for an exception that is none of those known.

    With the model's `shape` the changes are those that the plan finds, put right by what this very log measured;
    without it they follow from the log's numbers alone.
    """
    if found is None:
        return Refusal(
            "engine",
            f"The engine did not start: {unknown}.",
            "The lines above that one in the log say where; docs/gpu.md lists the errors that are known.",
        )
    cause, match = found
    if cause == "free_memory":
        return _free_memory(match, told, shape, room)
    if cause in ("no_kv", "kv_too_small"):
        return _no_cache(cause, match, told, shape, room)
    if cause == "mamba_blocks":
        return _mamba(match)
    what, hint = _PLAIN[cause]
    numbers = [group for group in match.groups() if group]
    return Refusal(cause, what.format(*numbers, *[""] * 3).replace("  ", " "), hint)


_PLAIN: dict[str, tuple[str, str]] = {
    "profile_race": (
        "Another process gave memory of this card back while the server measured ({0} GiB were free, then {1}).",
        "Boot one server after another, each when the one before is ready and has settled.",
    ),
    "nvfp4": (
        "No kernels for NVFP4 experts work with the ones that were asked for on this card.",
        "Leave --moe-backend and VLLM_USE_FLASHINFER_MOE_FP4 out, or set --moe-backend marlin.",
    ),
    "load_oom": (
        "The weights are larger than the memory that is free.",
        "Take a smaller or more quantised model, or free the card; `comic-narrator doctor` says who holds it.",
    ),
    "sampler_oom": (
        "The memory ran out when {0} seats were tried.",
        "Lower max_num_seqs, or gpu_memory_utilization, which leaves more beside the cache.",
    ),
    "cuda_oom": (
        "The card's memory ran out when {0} more were asked for.",
        "Lower gpu_memory_utilization or batched tokens; `comic-narrator doctor` says who else holds memory.",
    ),
    "no_kernel": (
        "This vLLM has no kernels for this card.",
        "Install a vLLM built for its compute capability; `comic-narrator doctor` shows that.",
    ),
    "no_card": (
        "vLLM finds no GPU.",
        "Check the driver with nvidia-smi, and CUDA_VISIBLE_DEVICES; without a GPU use --profile cpu.",
    ),
    "too_long_for_model": (
        "max_model_len {0} is more than the model was made for ({1}).",
        "Lower max_model_len to what the model was made for.",
    ),
    "port_taken": (
        "The port is taken by another process.",
        "Stop that process, or give the tenant another port; `comic-narrator doctor` shows who listens.",
    ),
    "no_model": (
        "The model is neither a folder here nor in the cache of the hub.",
        "Fetch it beforehand with `hf download MODEL`, or name the folder that it lies in.",
    ),
    "unknown_flag": (
        "This vLLM does not know a flag: {0}.",
        "Take it out of the profile, or install the vLLM version that docs/gpu.md names.",
    ),
}


def _free_memory(match: re.Match[str], told: Account, shape: ModelShape | None, room: Room | None) -> Refusal:
    free, total, share, asked = (float(number) for number in match.groups())
    # The gate's own numbers: what is free there is already without the server's CUDA context.
    seen = Room(int(total * GIB), int(free * GIB) + CONTEXT)
    what = (
        f"It asks for {asked:.2f} GiB ({share} of {total:.2f}), and {free:.2f} are free: other processes hold "
        f"{total - free:.1f} GiB."
    )
    missing = f"free {asked - free:.1f} GiB that another process holds (`comic-narrator doctor` names it)"
    found: tuple[Change, ...] = ()
    if told.flags:
        if shape:
            found = what_fits(plan_boot(shape, told.flags, seen), shape)
        elif (most := highest_share(seen)) > 0:
            lower = told.flags.model_copy(update={"gpu_memory_utilization": most})
            freed = int((asked - most * total) * GIB)
            found = (Change("gpu_memory_utilization", str(share), str(most), freed, True, lower),)
    words = in_words(found)
    return Refusal(
        "free_memory", what, f"{_sentence(words)}; or {missing}." if words else f"{_sentence(missing)}.", found
    )


def _no_cache(cause: str, match: re.Match[str], told: Account, shape: ModelShape | None, room: Room | None) -> Refusal:
    needed = float(match.group(2)) if cause == "kv_too_small" else None
    there = float(match.group(3)) if cause == "kv_too_small" else told.kv_gib
    longest = int((match.group(4) or "0").replace(",", "")) if cause == "kv_too_small" else 0
    if cause == "kv_too_small":
        length = int(match.group(1))
        what = f"One request of {length:,} tokens needs {needed:.2f} GiB of KV cache, and {there:.2f} are left."
        if longest:
            what += f" {longest:,} tokens fit."
    else:
        lack = f" ({-there:.2f} GiB are missing before the cache has a single block)" if there and there < 0 else ""
        what = f"Weights and the profiling pass leave nothing for the KV cache{lack}."
    flags = told.flags
    if flags is None or there is None:
        return Refusal(cause, what, "Lower batched tokens, images or max_model_len, or raise gpu_memory_utilization.")
    found = _changes(flags, there, needed, longest, told, shape, room)
    words = in_words(found)
    if words:
        return Refusal(cause, what, f"{_sentence(words)}.", found)
    if told.total_gib is None and room is None:
        return Refusal(
            cause, what, "Raise gpu_memory_utilization as far as the free memory allows, or lower batched tokens."
        )
    return Refusal(cause, what, "Take a smaller or more quantised model: no change of flags is enough on this card.")


def _changes(
    flags: VllmFlags,
    there: float,
    needed: float | None,
    longest: int,
    told: Account,
    shape: ModelShape | None,
    room: Room | None,
) -> tuple[Change, ...]:
    total = told.total_gib or (room.total / GIB if room else None)
    free = told.free_gib or (max(0, room.free - CONTEXT) / GIB if room else None)
    highest = free / total if free and total else None
    if shape and total:
        card = Room(int(total * GIB), int((free if free is not None else total) * GIB) + CONTEXT)
        peak = _peak(flags, there, total, told)
        figures = (
            Figures(weights_gib=told.weights_gib, peak_gib=max(0.0, peak), batched_tokens=flags.max_num_batched_tokens)
            if told.weights_gib
            else None
        )

        def computed(other: VllmFlags) -> int:
            plan = plan_boot(shape, other, card, figures)
            # The rows that carry further levels of the eyes count among the weights, and follow the step as well.
            spared = weights(shape, flags) - weights(shape, other) if figures else 0
            return plan.lacks - spared

        return changes(flags, computed, highest, longest or plan_boot(shape, flags, card, figures).longest)

    def estimated(other: VllmFlags) -> int:
        """By the log alone: what a step holds follows its tokens, what a request needs its length."""
        gained = 0.0
        if total:
            gained += (other.gpu_memory_utilization - flags.gpu_memory_utilization) * total
            peak = _peak(flags, there, total, told)
            gained += max(0.0, peak) * (1 - other.max_num_batched_tokens / flags.max_num_batched_tokens)
        need = (needed or 0.0) * other.max_model_len / flags.max_model_len
        if other.kv_cache_dtype != flags.kv_cache_dtype:
            need /= 2
        return int((need - there - gained) * GIB)

    return changes(flags, estimated, highest, longest)


def _peak(flags: VllmFlags, there: float, total: float, told: Account) -> float:
    """GiB of activation and graphs: as logged, else what the share leaves when weights and cache are taken off."""
    if told.activation_gib is not None:
        return told.activation_gib
    aside = told.non_torch_gib if told.non_torch_gib is not None else NON_TORCH_COMPILED / GIB
    return flags.gpu_memory_utilization * total - (told.weights_gib or 0.0) - there - aside


def _mamba(match: re.Match[str]) -> Refusal:
    seats, blocks = match.groups()
    what = f"{seats} seats need a block of state each, and the cache has {blocks or 'fewer'}."
    hint = f"Lower max_num_seqs to {blocks} or fewer." if blocks else "Lower max_num_seqs."
    return Refusal("mamba_blocks", what, hint)


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]
