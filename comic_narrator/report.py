"""The report of a run: what was made, how long it took, what fell short, and whose work is heard."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from comic_narrator.model import Artefact, Part


class StageReport(Part):
    """What one stage did in this run."""

    stage: str
    made: int
    kept: int
    failed: int
    seconds: float


class Credit(Part):
    """A voice or sound that is heard in the film, and its licence."""

    name: str
    licence: str
    source: str


class CardUse(Part):
    """Memory of one card over a run, MiB, all processes together."""

    card: int
    total_mib: int
    before_mib: int
    peak_mib: int
    after_mib: int


class ServerUse(Part):
    """What a vLLM server did during a run, for all its clients: mean seconds, and the fullest its KV cache was (0..1)."""

    requests: int
    latency: float | None
    first_token: float | None
    kv_peak: float | None
    waiting_peak: int


class NapReport(Part):
    """A nap of the vision tenant: seconds to fall asleep, MiB that came back, seconds to wake; None: not, or unknown."""

    asleep_seconds: float
    freed_mib: int | None
    wake_seconds: float | None = None


class GpuReport(Part):
    """How a run shared the GPU: the profile, seconds waited for the card, naps, tenants that were started anew and why."""

    profile: str
    share: str
    waited_seconds: float
    cards: tuple[CardUse, ...] = ()
    vision: ServerUse | None = None
    naps: tuple[NapReport, ...] = ()
    restarts: tuple[str, ...] = ()


class Report(Artefact):
    """report.json: what this run made, how long it took, what fell short and whose work is heard."""

    schema_: Literal["comic_narrator.report/1"] = Field("comic_narrator.report/1", alias="schema")
    version: str
    film: str | None = None
    film_seconds: float | None = None
    backends: dict[str, str]
    layout: str | None = None
    broken: tuple[str, ...] = ()
    stages: tuple[StageReport, ...]
    shortfalls: tuple[str, ...]
    voices: tuple[Credit, ...]
    sounds: tuple[Credit, ...]
    gpu: GpuReport | None = None
