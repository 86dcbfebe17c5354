"""GPU profiles: the tables [gpu] and [tenant.*] of a profile, parsed and checked."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from comic_narrator.errors import UsageError
from comic_narrator.gpu.flags import VllmFlags, breaking
from comic_narrator.gpu.shape import ModelShape
from comic_narrator.settings import GPU_TABLES, read_profile

Share = Literal["co-resident", "nap", "two-pass", "none"]
"""How tenants share a card: side by side, the big one asleep while the other speaks, one after the other, or none."""

Kind = Literal["vision", "speech"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Figures(_Part):
    """What was measured of a model where its shape alone does not tell it, in GiB, at `batched_tokens` a step."""

    weights_gib: float = Field(gt=0)
    peak_gib: float | None = Field(None, ge=0, description="Activation and CUDA graphs together.")
    non_torch_gib: float | None = Field(None, ge=0)
    batched_tokens: int = Field(4096, ge=64)


class VisionTenant(_Part):
    """A vLLM server: what starts it, where it answers, and what it needs."""

    program: tuple[str, ...] = ("vllm", "serve")
    model: str
    served_name: str = "reader"
    host: str = "127.0.0.1"
    port: int = Field(8000, ge=1, le=65535)
    gpu: int = Field(0, ge=0)
    environment: dict[str, str] = {}
    flags: VllmFlags
    extra: tuple[str, ...] = Field((), description="Further flags, word for word.")
    shape: ModelShape | None = None
    figures: Figures | None = None
    hears: bool = Field(False, description="Whether the model takes sound as well.")
    sources: tuple[str, ...] = Field(min_length=1, description="Where the figures come from.")

    @property
    def nvfp4(self) -> bool:
        """Whether the experts are stored as NVFP4."""
        told = f"{self.model} {self.flags.quantization or ''} {self.shape.format if self.shape else ''}".lower()
        return "nvfp4" in told

    @property
    def seats(self) -> int:
        """Requests that the server answers at the same time."""
        return self.flags.max_num_seqs

    def argv(self) -> tuple[str, ...]:
        """The whole command line."""
        where = ("--served-model-name", self.served_name, "--host", self.host, "--port", str(self.port))
        return (*self.program, self.model, *where, *self.flags.argv(), *self.extra)


class SpeechTenant(_Part):
    """A speech server: what starts it, where it answers, how much it takes."""

    engine: Literal["fish", "openai"] = "fish"
    program: tuple[str, ...] = Field(min_length=1)
    host: str = "127.0.0.1"
    port: int = Field(8080, ge=1, le=65535)
    gpu: int = Field(0, ge=0)
    environment: dict[str, str] = {}
    expected_gib: float = Field(gt=0, description="What it holds once it has spoken.")
    reserve_gib: float = Field(gt=0, description="What is kept free for it, growth included.")
    sources: tuple[str, ...] = Field(min_length=1)

    def argv(self) -> tuple[str, ...]:
        """The whole command line."""
        return self.program


class Tenants(_Part):
    """The servers of a profile."""

    vision: VisionTenant | None = None
    speech: SpeechTenant | None = None


class Sharing(_Part):
    """How the tenants share the card or cards."""

    share: Share = "none"
    card_gib: float | None = Field(None, gt=0, description="Memory of the card that the profile is meant for.")
    first: Kind = Field("vision", description="Which tenant boots first.")
    sleep_level: int = Field(1, description="How deep the vision tenant sleeps.")
    desktop_gib: float = Field(0.5, ge=0, description="Kept free for the desktop.")
    nvenc_gib: float = Field(0.0, ge=0, description="Kept free for the video encoder.")

    @model_validator(mode="after")
    def _sleeps_lightly(self) -> Self:
        if self.sleep_level != 1:
            raise ValueError(
                f"sleep_level = {self.sleep_level} throws the weights away, and vision models have answered garbage "
                "after that (vllm#29341); only level 1 is used"
            )
        return self


class GpuProfile(_Part):
    """A profile's GPU side: its name, how the card is shared, and the tenants."""

    name: str
    gpu: Sharing = Sharing()
    tenant: Tenants = Tenants()

    @property
    def seats(self) -> int:
        """Pages that are read at the same time; 0 without a vision tenant."""
        return self.tenant.vision.seats if self.tenant.vision else 0

    @property
    def boot_order(self) -> tuple[Kind, ...]:
        """Tenants in the order in which they are started; each waits until the one before has settled."""
        return tuple(sorted(self.ports, key=lambda kind: kind != self.gpu.first))

    @property
    def ports(self) -> dict[Kind, int]:
        """The port of each tenant."""
        ports: dict[Kind, int] = {}
        if self.tenant.vision:
            ports["vision"] = self.tenant.vision.port
        if self.tenant.speech:
            ports["speech"] = self.tenant.speech.port
        return ports

    @model_validator(mode="after")
    def _tenants_match_the_share(self) -> Self:
        share, tenant = self.gpu.share, self.tenant
        if share == "none" and (tenant.vision or tenant.speech):
            raise ValueError('it names tenants, so gpu.share has to be "co-resident", "nap" or "two-pass"')
        if share != "none" and not tenant.vision:
            raise ValueError(f'gpu.share = "{share}" needs a [tenant.vision]')
        if share == "nap" and tenant.vision and not tenant.vision.flags.enable_sleep_mode:
            raise ValueError('gpu.share = "nap" needs enable_sleep_mode = true in [tenant.vision.flags]')
        if len(set(self.ports.values())) < len(self.ports):
            raise ValueError("both tenants have the same port")
        return self


def load_profile(profile: str, capability: tuple[int, int] | None = None) -> GpuProfile:
    """The GPU side of a shipped profile or of a TOML file; UsageError for a wrong key or value, or a flag that breaks.

    `capability` is the compute capability of the card that it is meant for, where that is known.
    """
    tables = read_profile(profile)
    name = Path(profile).stem if profile.endswith(".toml") else profile
    try:
        parsed = GpuProfile.model_validate({"name": name, **{key: tables[key] for key in GPU_TABLES if key in tables}})
    except ValidationError as error:
        raise _wrong(profile, error) from error
    vision = parsed.tenant.vision
    if vision:
        why = breaking(vision.flags, vision.environment, nvfp4=vision.nvfp4, hears=vision.hears, capability=capability)
        if why:
            raise UsageError(f"Profile {profile} would not start: {why}", "Change it in [tenant.vision].")
    return parsed


def _wrong(profile: str, error: ValidationError) -> UsageError:
    """The first complaint of pydantic as an error for the user, with the nearest key where one was not known."""
    # A key that is written wrongly is also one that is missing: the first is what the user did.
    first = min(error.errors(), key=lambda told: told["type"] != "extra_forbidden")
    where = ".".join(str(part) for part in first["loc"]) or "gpu"
    if first["type"] == "extra_forbidden":
        near = get_close_matches(where, _keys(GpuProfile), n=1, cutoff=0.5)
        hint = f"Did you mean {near[0]}?" if near else "docs/gpu.md lists them all."
        return UsageError(f"There is no setting {where} (from profile {profile}).", hint)
    if first["type"] == "missing":
        return UsageError(f"Profile {profile} lacks {where}.", "docs/gpu.md says what each setting means.")
    why = first["msg"].removeprefix("Value error, ")
    return UsageError(
        f"Setting {where} of profile {profile} cannot stay as it is: {why}.",
        "docs/gpu.md says what each setting means.",
    )


def _keys(model: type[BaseModel], before: str = "") -> list[str]:
    """Every key of a model and of those within it, dotted."""
    found = []
    for name, field in model.model_fields.items():
        found.append(f"{before}{name}")
        for kind in (field.annotation, *get_args(field.annotation)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                found += _keys(kind, f"{before}{name}.")
    return found
