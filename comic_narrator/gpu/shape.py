"""The shape of a model, as its config.json tells it: what its weights, its activations and its KV cache follow from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from comic_narrator.errors import InputError

Format = Literal["bf16", "fp8", "int8", "w4", "nvfp4", "mxfp4"]
"""How the weights of linear layers are stored."""

BYTES_A_WEIGHT: dict[Format, float] = {
    "bf16": 2.0,
    "fp8": 1.0,
    "int8": 1.0,
    # Four bits, with a scale (16 bit) and a zero point (4 bit) for each group of 128.
    "w4": 0.5 + 2.5 / 128,
    # Four bits, with a scale of 8 bit for each group of 16 (nvfp4) or 32 (mxfp4).
    "nvfp4": 0.5 + 1 / 16,
    "mxfp4": 0.5 + 1 / 32,
}


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Experts(_Part):
    """A mixture of experts: `layers` of them, `count` experts each, `chosen` for a token, `inner` wide."""

    layers: int = Field(ge=1)
    count: int = Field(ge=1)
    chosen: int = Field(ge=1)
    inner: int = Field(ge=1)
    shared_inner: int = Field(0, ge=0)
    matrices: int = Field(3, ge=2, le=3, description="3: gate, up, down; 2: up, down.")


class Mamba(_Part):
    """Mamba-2 layers, whose state has one size however long a request is."""

    layers: int = Field(ge=1)
    heads: int = Field(ge=1)
    head_dim: int = Field(ge=1)
    state: int = Field(ge=1)
    groups: int = Field(ge=1)
    conv_kernel: int = Field(ge=2)

    @property
    def inner(self) -> int:
        """Channels inside a layer."""
        return self.heads * self.head_dim

    @property
    def convolved(self) -> int:
        """Channels that pass the convolution."""
        return self.inner + 2 * self.groups * self.state


class Sliding(_Part):
    """Attention layers that look back over a window of tokens only."""

    layers: int = Field(ge=1)
    window: int = Field(ge=1)
    kv_heads: int = Field(ge=1)
    head_dim: int = Field(ge=1)


class Vision(_Part):
    """The part that turns a picture into tokens: one token for merge x merge patches of patch x patch pixels."""

    depth: int = Field(ge=1)
    hidden: int = Field(ge=1)
    inner: int = Field(ge=1)
    patch: int = Field(ge=1)
    merge: int = Field(2, ge=1)
    frames: int = Field(2, ge=1, description="Frames that a patch spans; a picture is repeated.")
    positions: int = Field(0, ge=0)
    deepstack: int = Field(0, ge=0, description="Further levels that are handed to the text model.")
    gated: bool = False
    max_pixels: int = Field(16_777_216, ge=1, description="Largest picture that the processor lets through.")

    def tokens(self, pixels: int) -> int:
        """Tokens of a picture of that many pixels, limited by what the processor lets through."""
        return max(1, min(pixels, self.max_pixels) // (self.patch * self.merge) ** 2)


class ModelShape(_Part):
    """Dimensions of a text model with or without eyes; one of `full`, `sliding` and `mamba` layers has to be there."""

    vocabulary: int = Field(ge=1)
    hidden: int = Field(ge=1)
    heads: int = Field(ge=1)
    kv_heads: int = Field(ge=1)
    head_dim: int = Field(ge=1)
    full: int = Field(ge=0, description="Layers with attention over the whole request.")
    dense: int = Field(0, ge=0, description="Layers with a plain feed-forward part.")
    inner: int = Field(0, ge=0, description="Width of that part.")
    sliding: Sliding | None = None
    mamba: Mamba | None = None
    experts: Experts | None = None
    tied: bool = False
    positions: int = Field(32_768, ge=1)
    mrope: bool = False
    format: Format = "bf16"
    vision: Vision | None = None

    @model_validator(mode="after")
    def _has_layers(self) -> Self:
        if not (self.full or self.sliding or self.mamba):
            raise ValueError("it has no layer that keeps anything of a request")
        return self

    @property
    def attention_layers(self) -> int:
        """Layers with attention, over all or over a window."""
        return self.full + (self.sliding.layers if self.sliding else 0)


def read_shape(folder: Path) -> ModelShape:
    """The shape of the model in `folder`, by its config.json and preprocessor_config.json; InputError."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        preprocessor = folder / "preprocessor_config.json"
        pictures = json.loads(preprocessor.read_text(encoding="utf-8")) if preprocessor.is_file() else {}
        return shape_of(config, pictures)
    except OSError as error:
        raise InputError(f"{folder} has no readable config.json.", "Give the folder that a model lies in.") from error
    except (ValueError, KeyError, TypeError, AttributeError, ValidationError) as error:
        raise InputError(
            f"The config.json in {folder} describes no model that the planner knows ({type(error).__name__}: {error}).",
            "Write the model's dimensions into [tenant.vision.shape] of a profile instead.",
        ) from error


def shape_of(config: Mapping[str, Any], pictures: Mapping[str, Any]) -> ModelShape:
    """A parsed config.json (and preprocessor_config.json) as a shape; KeyError, TypeError, ValueError if it is none."""
    text = config.get("text_config") or config.get("llm_config") or config
    pattern: str = text.get("hybrid_override_pattern") or ""
    layers: int = text["num_hidden_layers"]
    heads: int = text["num_attention_heads"]
    kv_heads: int = text.get("num_key_value_heads") or heads
    head_dim: int = text.get("head_dim") or text["hidden_size"] // heads
    sliding = _sliding(text, kv_heads, head_dim)
    full = pattern.count("*") if pattern else layers - (sliding.layers if sliding else 0)
    experts = _experts(text, pattern, layers)
    dense = pattern.count("-") if pattern else layers - (experts.layers if experts else 0)
    rope = text.get("rope_parameters") or text.get("rope_scaling") or {}
    return ModelShape(
        vocabulary=text["vocab_size"],
        hidden=text["hidden_size"],
        heads=heads,
        kv_heads=text.get("num_global_key_value_heads") or kv_heads,
        head_dim=text.get("global_head_dim") or head_dim,
        full=full,
        dense=dense,
        inner=text["intermediate_size"] if dense else 0,
        sliding=sliding,
        mamba=_mamba(text, pattern),
        experts=experts,
        tied=bool(config.get("tie_word_embeddings", text.get("tie_word_embeddings", False))),
        positions=text.get("max_position_embeddings", 32_768),
        mrope="mrope_section" in rope,
        format=_format(config.get("quantization_config") or text.get("quantization_config") or {}),
        vision=_vision(config["vision_config"], pictures) if config.get("vision_config") else None,
    )


def _sliding(text: Mapping[str, Any], kv_heads: int, head_dim: int) -> Sliding | None:
    layers = (text.get("layer_types") or []).count("sliding_attention")
    if not layers or not text.get("sliding_window"):
        return None
    return Sliding(layers=layers, window=text["sliding_window"], kv_heads=kv_heads, head_dim=head_dim)


def _mamba(text: Mapping[str, Any], pattern: str) -> Mamba | None:
    if "M" not in pattern:
        return None
    return Mamba(
        layers=pattern.count("M"),
        heads=text["mamba_num_heads"],
        head_dim=text["mamba_head_dim"],
        state=text["ssm_state_size"],
        groups=text["n_groups"],
        conv_kernel=text["conv_kernel"],
    )


def _experts(text: Mapping[str, Any], pattern: str, layers: int) -> Experts | None:
    count = text.get("num_experts") or text.get("n_routed_experts")
    if not count:
        return None
    plain = text.get("mlp_only_layers") or []
    return Experts(
        layers=pattern.count("E") if pattern else layers - len(plain),
        count=count,
        chosen=text["num_experts_per_tok"],
        inner=text["moe_intermediate_size"],
        shared_inner=text.get("moe_shared_expert_intermediate_size")
        or text.get("shared_expert_intermediate_size")
        or 0,
        # Squared ReLU has no gate, so no third matrix.
        matrices=2 if text.get("mlp_hidden_act") == "relu2" else 3,
    )


def _vision(vision: Mapping[str, Any], pictures: Mapping[str, Any]) -> Vision:
    size = pictures.get("size") or {}
    given = {"max_pixels": pictures.get("max_pixels") or size.get("longest_edge")}
    return Vision(
        depth=vision["depth"],
        hidden=vision["hidden_size"],
        inner=vision["intermediate_size"],
        patch=vision["patch_size"],
        merge=vision.get("spatial_merge_size", 2),
        frames=vision.get("temporal_patch_size", 2),
        positions=vision.get("num_position_embeddings", 0),
        deepstack=len(vision.get("deepstack_visual_indexes") or ()),
        # Qwen2.5-VL's blocks, told by their windows, have a gate; Qwen3-VL's have none.
        gated="fullatt_block_indexes" in vision,
        **{key: value for key, value in given.items() if value},
    )


def _format(quantization: Mapping[str, Any]) -> Format:
    """How a checkpoint's `quantization_config` says that its linear layers are stored; bf16 where it says nothing."""
    told = json.dumps(quantization).lower()
    if not quantization:
        return "bf16"
    names: tuple[tuple[str, Format], ...] = (
        ("nvfp4", "nvfp4"),
        ("mxfp4", "mxfp4"),
        ("awq", "w4"),
        ("gptq", "w4"),
        ('"num_bits": 4', "w4"),
        ("fp8", "fp8"),
        ("float", "fp8"),
    )
    return next((stored for name, stored in names if name in told), "int8")
