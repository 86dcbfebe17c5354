"""What a run is: what is wanted, with which backends, in which work folder, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import Field

from comic_narrator import __version__
from comic_narrator.backends import Choice
from comic_narrator.console import Watch
from comic_narrator.errors import BackendDownError, InputError, UsageError
from comic_narrator.ingest import Source, page_range
from comic_narrator.model import Artefact
from comic_narrator.readers import Reader
from comic_narrator.report import Credit, Report
from comic_narrator.settings import Settings
from comic_narrator.steps.gpu import Turns
from comic_narrator.voices import Voice
from comic_narrator.work import Work, digest_of

Until = Literal["pages", "panels", "reading", "script", "speech", "film"]

REPORT = "report.json"
READER = "reader.json"


class ReaderSeen(Artefact):
    """reader.json: what a reader with these settings, and what else it does, was when it was last there to tell."""

    schema_: Literal["comic_narrator.reader/1"] = Field("comic_narrator.reader/1", alias="schema")
    settings: str
    identities: dict[str, str] = Field(default_factory=dict)


FIRST = "first"
FEW = 3
"""Pages of a part that is named `FIRST`."""


@dataclass(frozen=True)
class Cut:
    """A part of the book that is filmed by itself: its pages, which option named them, and the folder of its files.

    A part that is `alone` has no whole film to belong to yet: nothing is read but its own pages.
    """

    pages: str
    option: str
    folder: str
    alone: bool = False

    def numbers(self, there: Sequence[int]) -> Collection[int]:
        """Which of the page numbers that are `there`, in rising order, are its own; UsageError where it is no range."""
        return there[:FEW] if self.pages == FIRST else page_range(self.pages, self.option, there[-1])


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
    cut: Cut | None = None

    def place(self, name: str) -> str:
        """The name in the work folder of a file of the film: those of a part lie apart, not over the whole film's."""
        return f"{self.cut.folder}/{name}" if self.cut else name

    def shelf(self, name: str) -> str:
        """The same of a file about all pages that are read: a part that is alone has its own of these, too."""
        return self.place(name) if self.cut and self.cut.alone else name


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
    gpu: Turns = field(default_factory=Turns)

    @cached_property
    def reader_identity(self) -> str:
        """The reader's identity, or the one that it had when its server was last up."""
        return self.identity_of("reader", lambda: self.reader.identity)

    def identity_of(self, what: str, told: Callable[[], str]) -> str:
        """The identity of something that the reader's server does, as `told`, or as it was when that was last up.

        So a second pass, whose pages are all read, needs no server. BackendDownError: it is down, and was never seen.
        """
        settings = digest_of(self.choices["reader"].name, self.settings.reader)
        seen = self.work.read(ReaderSeen, READER) if self.work.path(READER).is_file() else None
        if seen is None or seen.settings != settings:
            seen = ReaderSeen(settings=settings)
        try:
            identity = told()
        except BackendDownError:
            if what not in seen.identities:
                raise
            return seen.identities[what]
        if seen.identities.get(what) != identity:
            self.work.put(READER, seen.model_copy(update={"identities": {**seen.identities, what: identity}}))
        return identity

    def check_reader(self, language: str, until: Until) -> None:
        """Raise what would stop the reader, before much work is done; a reader that naps is looked at when it wakes."""
        self._check_passes(until)
        if not self.gpu.naps:
            self.reader.check(language)

    @contextmanager
    def reading(self, language: str | None, until: Until) -> Iterator[None]:
        """Have the card, and a reader that is awake and well, for a block; UsageError: this run has no reading pass."""
        self._check_passes(until)
        with self.gpu.turn("vision", lambda: self.reader.check(language)):
            yield

    def _check_passes(self, until: Until) -> None:
        if self.gpu.two_passes and until in ("speech", "film"):
            raise UsageError(
                "Pages are still to be read, and with this profile reading and speech each need the whole card.",
                "Run the same command with --vision-only first; it then says how to go on.",
            )

    @contextmanager
    def stage(self, name: str, steps: int, weights: Sequence[float] = ()) -> Iterator[Callable[[], None]]:
        """Show and count a stage of so many steps; call the yielded function after each.

        `weights` are the work in each step against the others, where they differ: the time left is told by them.
        """
        with self.work.stage(name), self.watch.stage(name, steps, weights) as step:
            made = self.work.made

            def stepped() -> None:
                nonlocal made
                before, made = made, self.work.made
                step(made > before)

            yield stepped

    def leave_out(self, page: str, why: str) -> None:
        """Go on without the file of a page that cannot be read, and say so."""
        self.broken.append(why)
        self.work.failed(page, why)
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
            gpu=self.gpu.report(),
            reading=self.reader.account(),
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
