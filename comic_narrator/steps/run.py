"""What a run is: what is wanted, with which backends, in which work folder, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from comic_narrator import __version__
from comic_narrator.backends import Choice
from comic_narrator.console import Step, Watch
from comic_narrator.errors import InputError, UsageError
from comic_narrator.ingest import Source
from comic_narrator.readers import Reader
from comic_narrator.report import Credit, Report
from comic_narrator.settings import Settings
from comic_narrator.voices import Voice
from comic_narrator.work import Work

Until = Literal["pages", "panels", "reading", "script", "speech", "film"]

REPORT = "report.json"


@dataclass(frozen=True)
class Job:
    """What the user asked for; the given files take the place of what the stages would make."""

    book: Path
    source: Source
    film: Path
    pages: str | None = None
    until: Until = "film"
    page_json: Path | None = None
    script_json: Path | None = None
    show: bool = False


@dataclass
class Run:
    """One run in an open work folder: settings, backends and why they were chosen, and what there is to report."""

    work: Work
    watch: Watch
    settings: Settings
    reader: Reader
    voice: Voice
    choices: dict[str, Choice]
    layout: str | None = None
    broken: list[str] = field(default_factory=list)
    shortfalls: list[str] = field(default_factory=list)
    voices_heard: list[Credit] = field(default_factory=list)
    sounds_heard: list[Credit] = field(default_factory=list)
    film: Path | None = None
    film_seconds: float | None = None

    @contextmanager
    def stage(self, name: str, steps: int) -> Iterator[Step]:
        """Show and count a stage of so many steps; call the yielded function after each."""
        with self.work.stage(name), self.watch.stage(name, steps) as step:
            yield step

    def leave_out(self, why: str) -> None:
        """Go on without a page that cannot be read, and say so."""
        self.broken.append(why)
        self.work.failed()
        self.watch.say(f"left out: {why}")

    def report(self) -> Report:
        """What this run made so far, how long it took, what fell short and whose work is heard."""
        return Report(
            version=__version__,
            film=str(self.film) if self.film else None,
            film_seconds=self.film_seconds,
            backends={kind: f"{choice.name} ({choice.why})" for kind, choice in self.choices.items()},
            stages=self.work.reports(),
            layout=self.layout,
            broken=tuple(self.broken),
            shortfalls=tuple(self.shortfalls),
            voices=tuple(self.voices_heard),
            sounds=tuple(self.sounds_heard),
        )


def read_given(file: Path) -> bytes:
    """A file that the user gave; InputError when it cannot be read."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.", "Check the path and its permissions.") from error


def refuse_unpublishable(heard: Sequence[Credit], *, private: bool) -> None:
    """UsageError where somebody's licence forbids passing the film on, unless it is for the user alone."""
    forbidden = [credit for credit in heard if credit.forbids_publishing]
    if forbidden and not private:
        raise UsageError(
            f"{forbidden[0].name} may not be in a film that is published: its licence is {forbidden[0].licence!r}.",
            "Choose another, or run again with --private and keep the film to yourself.",
        )


def save_report(run: Run) -> Report:
    """Leave the report in the work folder."""
    report = run.report()
    run.work.put(REPORT, report)
    return report
