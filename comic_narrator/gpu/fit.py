"""Whether a profile fits on the cards that are there: each tenant's need, what is left, and what to change."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from comic_narrator.errors import UsageError
from comic_narrator.gpu.needs import CONTEXT, GIB
from comic_narrator.gpu.plan import WHY, BootPlan, Room, plan_boot
from comic_narrator.gpu.profiles import GpuProfile, VisionTenant, load_profile
from comic_narrator.gpu.remedy import in_words, what_fits
from comic_narrator.gpu.shape import ModelShape, read_shape

ASLEEP = int(1.5 * GIB)
"""What a sleeping vLLM server still holds: context, graphs and libraries. Measured for an 8B model on an H200."""

BY_CARD = (
    "agent-80g",
    "agent-48g",
    "agent-32g",
    "agent-24g",
    "agent-16g",
    "agent-12g",
    "agent-8g",
)
"""The profiles for one card, the largest first; of two for the same card the one whose figures were measured."""


@dataclass(frozen=True)
class CardFit:
    """One card under a profile, in bytes: what is free, what its tenants take of it at the most, and what is left."""

    index: int
    room: Room
    takes: int

    @property
    def left(self) -> int:
        """What stays free beside the tenants."""
        return max(0, self.room.free - self.takes)


@dataclass(frozen=True)
class ProfileFit:
    """A profile on its cards: the boot of the vision tenant, each card's account, and what does not fit with a hint."""

    profile: GpuProfile
    vision: BootPlan | None
    speech: int
    cards: tuple[CardFit, ...]
    problem: str | None
    hint: str | None

    @property
    def fits(self) -> bool:
        """Whether it fits."""
        return self.problem is None


def vision_shape(vision: VisionTenant, environment: Mapping[str, str] = os.environ) -> ModelShape:
    """The model's shape: from the profile, else from config.json in its folder or the hub's cache; UsageError."""
    if vision.shape is not None:
        return vision.shape
    home = Path(environment.get("HF_HOME", Path.home() / ".cache" / "huggingface"))
    hub = Path(environment.get("HF_HUB_CACHE", home / "hub")) / f"models--{vision.model.replace('/', '--')}"
    folders = [Path(vision.model), *sorted(hub.glob("snapshots/*"))]
    folder = next((folder for folder in folders if (folder / "config.json").is_file()), None)
    if folder is None:
        raise UsageError(
            f"Nothing tells the dimensions of {vision.model}.",
            "Fetch the model first, or write its dimensions into [tenant.vision.shape] of the profile.",
        )
    return read_shape(folder)


def fit_profile(profile: GpuProfile, rooms: Mapping[int, Room]) -> ProfileFit:
    """Whether the tenants of a profile fit on cards with so much memory, by how they share.

    Side by side each has its place at once; with naps the speech server idles while the eyes are open, and they sleep
    while it speaks; in two passes either has the card to itself.
    """
    vision, speech, sharing = profile.tenant.vision, profile.tenant.speech, profile.gpu
    if vision is None:
        return ProfileFit(profile, None, 0, (), None, None)
    wanted = {vision.gpu, *([speech.gpu] if speech else ())}
    missing = sorted(wanted - set(rooms))
    if missing:
        there = "there is no GPU" if not rooms else f"the cards here are {', '.join(map(str, sorted(rooms)))}"
        return ProfileFit(
            profile, None, 0, (), f"Profile {profile.name} wants card {missing[0]}, and {there}.", "Use --profile cpu."
        )
    shape = vision_shape(vision)
    beside = speech is not None and speech.gpu == vision.gpu
    idle = int(speech.expected_gib * GIB) if speech and beside and sharing.share == "nap" else 0
    awake = int(speech.reserve_gib * GIB) if speech else 0
    encoder = int(sharing.nvenc_gib * GIB)
    plan = plan_boot(shape, vision.flags, rooms[vision.gpu], vision.figures)
    takes = dict.fromkeys(wanted, 0)
    takes[vision.gpu] = {
        "nap": max(plan.takes + idle, ASLEEP + (awake if beside else 0) + encoder),
        "two-pass": max(plan.takes, (awake if beside else 0) + encoder),
    }.get(sharing.share, plan.takes + (awake if beside else 0) + encoder)
    if speech and not beside:
        takes[speech.gpu] += awake
    cards = tuple(CardFit(index, rooms[index], takes[index]) for index in sorted(wanted))
    problem, hint = _problem(profile, plan, cards, shape)
    return ProfileFit(profile, plan, awake, cards, problem, hint)


def _problem(
    profile: GpuProfile, plan: BootPlan, cards: Iterable[CardFit], shape: ModelShape
) -> tuple[str | None, str | None]:
    vision = profile.tenant.vision
    assert vision
    if plan.refusal in ("free_memory", "load_oom") and plan.weights + CONTEXT > plan.room.free:
        return (
            f"The weights of the vision tenant, {plan.weights / GIB:.1f} GiB, do not fit into the "
            f"{plan.room.free / GIB:.1f} GiB that are free on card {vision.gpu}.",
            "Take a profile for a smaller card, or free this one.",
        )
    if plan.refusal:
        words = in_words(what_fits(plan, shape, vision.figures))
        hint = f"{words[:1].upper()}{words[1:]}." if words else "Take a profile for a smaller card, or free this one."
        return (
            f"The vision tenant would not start on card {vision.gpu}: {WHY[plan.refusal]} "
            f"({plan.short / GIB:.2f} GiB are missing).",
            hint,
        )
    for card in cards:
        if card.takes > card.room.free:
            over = card.takes - card.room.free
            return (
                f"The tenants take {card.takes / GIB:.1f} GiB of card {card.index}, and {card.room.free / GIB:.1f} are "
                "free.",
                f"Lower gpu_memory_utilization by {over / card.room.total:.2f}, free {over / GIB:.1f} GiB, or take a "
                "profile that shares by naps or in two passes.",
            )
    return None, None


def profile_for(rooms: Mapping[int, Room]) -> str:
    """The shipped profile for these cards: the largest that the first card is meant to hold; cpu where none does."""
    if not rooms:
        return "cpu"
    total = rooms[min(rooms)].total / GIB
    for name in BY_CARD:
        meant = load_profile(name).gpu.card_gib
        # Cards of one size differ by what their driver keeps.
        if meant is not None and total >= meant * 0.97:
            return name
    return "cpu"
