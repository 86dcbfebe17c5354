"""The report of a run: what was made, how long it took, what fell short, and whose work is heard."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from comic_narrator.model import Artefact, Part
from comic_narrator.pace import in_words

TOLD_STAGES = (("reading", "pages read"), ("speech", "lines spoken"), ("film", "scenes filmed"))
"""The stages that a person hears of at the end, and what each makes."""


class StageReport(Part):
    """What one stage did in this run."""

    stage: str
    made: int
    kept: int
    failed: int
    seconds: float


class Spread(Part):
    """How a measure spreads over many calls, in its unit; zeros where there was none."""

    median: float
    p95: float
    most: float


def spread(values: Sequence[float]) -> Spread:
    """The spread of these values; p95 is the least value that 95 in 100 do not exceed."""
    if not values:
        return Spread(median=0, p95=0, most=0)
    ranked = sorted(values)
    median, p95 = (ranked[math.ceil(share * len(ranked)) - 1] for share in (0.5, 0.95))
    return Spread(median=round(median, 4), p95=round(p95, 4), most=round(ranked[-1], 4))


class ServerReport(Part):
    """What was asked of a model server: calls, seconds waited in our line and in the call, tokens of all calls.

    `first_token` and `latency` count from the moment a call is sent.
    """

    model: str
    in_flight: int
    requests: int
    failed: int
    queue_wait: Spread
    first_token: Spread
    latency: Spread
    prompt_tokens: int
    completion_tokens: int


class ReadingReport(Part):
    """What reading by a model on a server took: all calls, and the tokens and seconds of calls for each page read."""

    pages: int
    tokens_per_page: Spread
    seconds_per_page: Spread
    server: ServerReport


FORBIDDING = (
    "all rights reserved", "personal use", "private use", "research only", "research use", "evaluation only",
    "no redistribution", "do not distribute", "not for distribution", "unpublished", "internal use", "proprietary",
)  # fmt: skip
"""What licences say that let a film with the sound be heard at home but not passed on. A licence that forbids selling
alone (-NC) is none of them."""


class Credit(Part):
    """A voice or sound that is heard in the film, its licence, and whom to name for it."""

    name: str
    licence: str
    source: str
    attribution: str = ""

    @property
    def forbids_publishing(self) -> bool:
        """Whether its licence says that a film with it may not be passed on."""
        return any(word in self.licence.lower() for word in FORBIDDING)


class CardUse(Part):
    """Memory of one card over a run, MiB, all processes together."""

    card: int
    total_mib: int
    before_mib: int
    peak_mib: int
    after_mib: int


class ServerUse(Part):
    """What a vLLM server did during a run, for all clients: mean seconds, how full its KV cache was at most (0..1)."""

    requests: int
    latency: float | None
    first_token: float | None
    kv_peak: float | None
    waiting_peak: int


class NapReport(Part):
    """A nap of the vision tenant: seconds to fall asleep, MiB that came back, seconds to wake; None: not known."""

    asleep_seconds: float
    freed_mib: int | None
    wake_seconds: float | None = None


class GpuReport(Part):
    """How a run shared the GPU: its profile, seconds waited for the card, naps, tenants started anew and why."""

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

    reading: ReadingReport | None = None

    def told(self) -> str:
        """What was made of what there is, how long it took and where most of that went, in a sentence or two."""
        seconds = sum(stage.seconds for stage in self.stages)
        named = {stage.stage: stage for stage in self.stages}
        made = [
            f"{named[stage].made} of {named[stage].made + named[stage].kept} {what}"
            for stage, what in TOLD_STAGES
            if stage in named
        ]
        length = f"{in_words(self.film_seconds)} of film" if self.film_seconds else "No film yet"
        longest = max(self.stages, key=lambda stage: stage.seconds, default=None)
        most = f", most of it in {longest.stage}" if longest and longest.seconds > 1 else ""
        return f"{length}, made in {in_words(seconds)}{most}. Made anew: {', '.join(made) or 'nothing'}."
