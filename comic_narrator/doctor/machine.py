"""What can be said of this machine beforehand: tools, ports, cards and who holds them, what a profile would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

import psutil

from comic_narrator import ffmpeg
from comic_narrator.errors import BackendAnswerError, BackendDownError, MissingToolError, UsageError
from comic_narrator.film.encode import works
from comic_narrator.gpu.boot import KNOCK
from comic_narrator.gpu.cards import MIB, Card, Cards, Holder
from comic_narrator.gpu.fit import ProfileFit, fit_profile, profile_for
from comic_narrator.gpu.needs import GIB
from comic_narrator.gpu.plan import Room
from comic_narrator.gpu.profiles import GpuProfile, Kind
from comic_narrator.http import Server
from comic_narrator.model import Part

OTHER_SERVER = "It is no server of the profile: end it, or give the tenant another port in a profile of your own."


class Finding(Part):
    """One thing that was looked at: whether it is as it has to be, what was seen, and what to do where it is not."""

    what: str
    fine: bool
    said: str
    do: str | None = None


class HolderReport(Part):
    """A process that holds memory of a card."""

    pid: int
    name: str
    mib: int | None


class CardReport(Part):
    """A card, its memory in MiB as programs can have it, and who holds it."""

    index: int
    name: str
    total_mib: int
    used_mib: int
    free_mib: int
    capability: str | None
    driver: str
    holders: tuple[HolderReport, ...]


class TenantReport(Part):
    """What a profile's vision tenant would take, in GiB, and how long requests may be."""

    model: str
    refused: str | None
    requested_gib: float
    weights_gib: float
    activation_gib: float
    libraries_gib: float
    graphs_gib: float
    kv_gib: float
    kv_tokens: int
    longest_request: int
    seats: int
    full_length_requests: float
    command: tuple[str, ...]


class PlanReport(Part):
    """What a profile would do: how it shares, its tenants, what is left on each card, and what does not fit."""

    profile: str
    share: str
    boot_order: tuple[str, ...]
    vision: TenantReport | None
    speech_gib: float
    left_gib: dict[int, float]
    fits: bool
    problem: str | None
    hint: str | None


class MachineReport(Part):
    """This machine as the doctor sees it."""

    findings: tuple[Finding, ...]
    cards: tuple[CardReport, ...]
    found_by: str
    plan: PlanReport | None
    recommended: str

    def rows(self) -> list[tuple[str, str]]:
        """The report as rows of a table."""
        rows = [(finding.what, finding.said) for finding in self.findings]
        if not self.cards:
            rows.append(("GPU", f"none found; use --profile {self.recommended}"))
        for card in self.cards:
            of = f"compute {card.capability}, driver {card.driver}"
            rows.append(
                (f"card {card.index}", f"{card.name}: {_gib(card.free_mib)} of {_gib(card.total_mib)} free; {of}")
            )
            rows += [("  held by", f"{h.name} (PID {h.pid}), {_gib(h.mib)}") for h in card.holders]
        if self.cards:
            rows.append(("profile for it", self.recommended))
        return rows

    def plan_rows(self) -> list[tuple[str, str]]:
        """What the profile would do, as rows of a table; empty without one that has tenants."""
        plan = self.plan
        if plan is None:
            return []
        rows = [("share", plan.share), ("boots", ", then ".join(plan.boot_order))]
        if plan.vision:
            v = plan.vision
            rows += [
                ("model", v.model),
                ("asks for", f"{v.requested_gib:.2f} GiB"),
                ("weights", f"{v.weights_gib:.2f} GiB"),
                ("activation", f"{v.activation_gib:.2f} GiB"),
                ("libraries, graphs", f"{v.libraries_gib:.2f} + {v.graphs_gib:.2f} GiB"),
                ("KV cache", f"{v.kv_gib:.2f} GiB = {v.kv_tokens:,} tokens"),
                ("longest request", f"{v.longest_request:,} tokens"),
                ("seats", f"{v.seats}, of which {v.full_length_requests:.1f} at full length"),
            ]
        if plan.speech_gib:
            rows.append(("speech", f"{plan.speech_gib:.1f} GiB kept for it"))
        rows += [(f"left on card {index}", f"{left:.1f} GiB") for index, left in plan.left_gib.items()]
        rows.append(("fits", "yes" if plan.fits else f"no: {plan.problem}"))
        return rows


def _gib(mib: int | None) -> str:
    return "an untold amount" if mib is None else f"{mib / 1024:.1f} GiB"


def examine_machine(
    cards: Cards,
    profile: GpuProfile | None,
    further: Sequence[Finding],
    listening: Mapping[int, Listener] | None = None,
) -> MachineReport:
    """What this machine is, and what `profile` would do on it; `further` are findings of the book and of the backends.

    `listening` says who listens on which port; None asks the system. What a tenant that is already up holds counts as
    free: it is what the plan is about.
    """
    findings = [*_tools(), *further]
    plan = None
    if profile and profile.tenant.vision:
        there = listeners(set(profile.ports.values())) if listening is None else listening
        strange = {port for kind, port in profile.ports.items() if port in there and _is_no_tenant(profile, kind)}
        own = {pid for port, listener in there.items() if port not in strange for pid in listener.family}
        others = tuple(
            replace(card, holders=tuple(h for h in card.holders if h.pid not in own)) for card in cards.cards
        )
        plan = plan_report(fit_profile(profile, _rooms(cards, own)), others)
        findings += _ports(profile, there, strange)
    return MachineReport(
        findings=tuple(findings),
        cards=tuple(_card(card) for card in cards.cards),
        found_by=cards.how,
        plan=plan,
        recommended=profile_for(cards.rooms()),
    )


def _rooms(cards: Cards, own: set[int]) -> dict[int, Room]:
    """The memory of each card, with what our own tenants hold counted as free."""
    rooms = {}
    for card in cards.cards:
        held = sum(holder.mib or 0 for holder in card.holders if holder.pid in own)
        rooms[card.index] = Room(card.room.total, min(card.room.total, card.room.free + held * MIB))
    return rooms


def _card(card: Card) -> CardReport:
    return CardReport(
        index=card.index,
        name=card.name,
        total_mib=card.total_mib,
        used_mib=card.used_mib,
        free_mib=card.free_mib,
        capability=".".join(map(str, card.capability)) if card.capability else None,
        driver=card.driver,
        holders=tuple(_holder(holder) for holder in card.holders),
    )


def _holder(holder: Holder) -> HolderReport:
    return HolderReport(pid=holder.pid, name=holder.name, mib=holder.mib)


def _tools() -> list[Finding]:
    """Whether ffmpeg is there, and which encoders it has; NVENC counts only where it codes a picture."""
    try:
        version, encoders = ffmpeg.version(), ffmpeg.encoders()
    except MissingToolError as error:
        return [Finding(what="ffmpeg", fine=False, said=error.what, do=error.hint)]
    has = "libx264" in encoders
    nvenc = (
        "there" if works("nvenc") else "in this ffmpeg, but it does not work here: no card with it, or an old driver"
    )
    return [
        Finding(what="ffmpeg", fine=True, said=version),
        Finding(
            what="x264",
            fine=has,
            said="there" if has else "this ffmpeg has no libx264",
            do=None if has else "Unset IMAGEIO_FFMPEG_EXE, or point it at an ffmpeg with libx264.",
        ),
        Finding(
            what="NVENC",
            fine=True,
            said=nvenc if "h264_nvenc" in encoders else "not in this ffmpeg",
        ),
    ]


@dataclass(frozen=True)
class Listener:
    """Who listens on a port: how to call it, and the processes that belong to it, as far as the system tells."""

    name: str
    family: frozenset[int]


def listeners(ports: set[int]) -> dict[int, Listener]:
    """Who listens on these ports of this machine, as far as the system tells."""
    try:
        connections = psutil.net_connections(kind="tcp")
    except psutil.AccessDenied:
        return {}
    return {
        connection.laddr.port: _listener(connection.pid)
        for connection in connections
        if connection.status == psutil.CONN_LISTEN and connection.laddr.port in ports
    }


def _listener(pid: int | None) -> Listener:
    if pid is None:
        return Listener("somebody", frozenset())
    try:
        process = psutil.Process(pid)
        # A server's engine is a child of the process that listens.
        family = frozenset({pid, *(child.pid for child in process.children(recursive=True))})
        return Listener(f"{process.name()} (PID {pid})", family)
    except psutil.Error:
        return Listener(f"PID {pid}", frozenset({pid}))


def _is_no_tenant(profile: GpuProfile, kind: Kind) -> bool:
    """Whether what listens on a tenant's port says itself that it is another server; silence says nothing."""
    speech = profile.tenant.speech
    if kind == "speech" and speech and speech.engine != "fish":
        # Of servers of the OpenAI kind not all have a page for their health.
        return False
    try:
        with Server(f"http://127.0.0.1:{profile.ports[kind]}") as server:
            server.get("/health" if kind == "vision" else "/v1/health", patience=KNOCK)
    except BackendDownError:
        return False
    except (BackendAnswerError, UsageError):
        return True
    return False


def _ports(profile: GpuProfile, listening: Mapping[int, Listener], strange: Set[int]) -> list[Finding]:
    return [
        Finding(
            what=f"port {port}",
            fine=port not in strange,
            said=f"{kind}: {listening[port].name} listens" if port in listening else f"{kind}: free",
            do=OTHER_SERVER if port in strange else None,
        )
        for kind, port in profile.ports.items()
    ]


def plan_report(fit: ProfileFit, others: Sequence[Card] = ()) -> PlanReport:
    """A profile's fit as it is told; `others` are the cards with those who hold their memory and are no tenants."""
    profile = fit.profile
    hint = fit.hint
    holders = [f"{h.name} (PID {h.pid}) holds {_gib(h.mib)}" for card in others for h in card.holders]
    if hint and holders:
        hint += f" {'; '.join(holders[:3])}."
    vision = None
    if fit.vision and profile.tenant.vision:
        boot = fit.vision
        vision = TenantReport(
            model=profile.tenant.vision.model,
            refused=boot.refusal,
            requested_gib=_rounded(boot.requested),
            weights_gib=_rounded(boot.weights),
            activation_gib=_rounded(boot.activation),
            libraries_gib=_rounded(boot.non_torch),
            graphs_gib=_rounded(boot.graphs),
            kv_gib=_rounded(boot.kv),
            kv_tokens=boot.kv_tokens,
            longest_request=min(boot.longest, boot.flags.max_model_len),
            seats=boot.seats,
            full_length_requests=round(boot.concurrency, 2),
            command=profile.tenant.vision.argv(),
        )
    return PlanReport(
        profile=profile.name,
        share=profile.gpu.share,
        boot_order=profile.boot_order,
        vision=vision,
        speech_gib=_rounded(fit.speech),
        left_gib={card.index: _rounded(card.left) for card in fit.cards},
        fits=fit.fits,
        problem=fit.problem,
        hint=hint,
    )


def _rounded(size: int) -> float:
    return round(size / GIB, 2)
