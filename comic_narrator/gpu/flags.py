"""The flags of a vLLM server that decide what it needs, and the ones that are known to break it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

DEFAULT_UTILIZATION = 0.92
"""What vLLM takes of a card when it is not told (0.20; 0.9 before)."""


class MediaLimits(BaseModel):
    """How many pictures, videos and sounds one request may carry; None: vLLM's own limit, which is not 0."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    image: int = Field(2, ge=0, le=999)
    video: int | None = Field(None, ge=0)
    audio: int | None = Field(None, ge=0)

    @field_validator("*", mode="before")
    @classmethod
    def _count(cls, value: object) -> object:
        # vLLM also takes {"count": 2, "width": 1280, "height": 1792}; the size changed nothing that was measured.
        return value["count"] if isinstance(value, dict) and "count" in value else value


class VllmFlags(BaseModel):
    """Flags of `vllm serve` by vLLM's own names; what is None or false is not written."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_model_len: int = Field(ge=256, description="Tokens that one request may have, answer included.")
    max_num_seqs: int = Field(2, ge=1, le=4096, description="Seats: requests at the same time.")
    max_num_batched_tokens: int = Field(4096, ge=64, description="Tokens of one step; sizes the profiling pass.")
    gpu_memory_utilization: float = Field(DEFAULT_UTILIZATION, gt=0, le=1, description="Share of the card's memory.")
    limit_mm_per_prompt: MediaLimits = MediaLimits()
    max_pixels: int | None = Field(None, ge=1024, description="Pixels that a picture is scaled down to.")
    kv_cache_dtype: Literal["auto", "fp8"] = "auto"
    kv_cache_memory_bytes: int | None = Field(None, ge=1)
    mamba_ssm_cache_dtype: Literal["float32", "float16", "bfloat16"] | None = None
    quantization: str | None = None
    moe_backend: str | None = None
    enforce_eager: bool = False
    enable_sleep_mode: bool = False

    def argv(self) -> tuple[str, ...]:
        """The flags as `vllm serve` takes them."""
        limits = {key: value for key, value in self.limit_mm_per_prompt.model_dump().items() if value is not None}
        pixels = json.dumps({"max_pixels": self.max_pixels}, separators=(",", ":")) if self.max_pixels else None
        written: dict[str, object] = {
            "--max-model-len": self.max_model_len,
            "--max-num-seqs": self.max_num_seqs,
            "--max-num-batched-tokens": self.max_num_batched_tokens,
            "--gpu-memory-utilization": self.gpu_memory_utilization,
            "--limit-mm-per-prompt": json.dumps(limits, separators=(",", ":")),
            "--mm-processor-kwargs": pixels,
            "--kv-cache-dtype": None if self.kv_cache_dtype == "auto" else self.kv_cache_dtype,
            "--kv-cache-memory-bytes": self.kv_cache_memory_bytes,
            "--mamba-ssm-cache-dtype": self.mamba_ssm_cache_dtype,
            "--quantization": self.quantization,
            "--moe-backend": self.moe_backend,
        }
        switches = {"--enforce-eager": self.enforce_eager, "--enable-sleep-mode": self.enable_sleep_mode}
        pairs = [part for name, value in written.items() if value is not None for part in (name, str(value))]
        return (*pairs, *(name for name, on in switches.items() if on))


def breaking(
    flags: VllmFlags,
    environment: Mapping[str, str],
    *,
    nvfp4: bool,
    hears: bool,
    capability: tuple[int, int] | None,
) -> str | None:
    """Why these flags are known to break a server, as one sentence, or None.

    `hears` says whether the model takes sound; `capability` is the card's, None where it is not known: then what breaks
    on the consumer cards of SM120 is refused.
    """
    blackwell = capability is None or capability[0] == 12
    if nvfp4 and flags.moe_backend == "triton":
        return "moe_backend = triton has no kernels for NVFP4 experts; leave it out, or use marlin."
    if nvfp4 and blackwell and environment.get("VLLM_USE_FLASHINFER_MOE_FP4") == "1":
        return "VLLM_USE_FLASHINFER_MOE_FP4=1 picks kernels that fail for NVFP4 experts on SM120 cards; leave it out."
    if flags.limit_mm_per_prompt.video != 0:
        return (
            "limit_mm_per_prompt leaves video allowed, and then the profiling pass is sized by a video; say video = 0."
        )
    if hears and flags.limit_mm_per_prompt.audio != 0:
        return "limit_mm_per_prompt leaves audio allowed for a model that hears; say audio = 0."
    if flags.kv_cache_memory_bytes is not None and "gpu_memory_utilization" not in flags.model_fields_set:
        return (
            "kv_cache_memory_bytes does not lift the check of free memory, which then runs with "
            f"{DEFAULT_UTILIZATION}; give gpu_memory_utilization as well."
        )
    if flags.enable_sleep_mode and environment.get("VLLM_SERVER_DEV_MODE") != "1":
        return (
            "enable_sleep_mode needs VLLM_SERVER_DEV_MODE=1 in the environment, or nobody can put the server to sleep."
        )
    return None
