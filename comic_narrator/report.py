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
