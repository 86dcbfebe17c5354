"""The one console: progress and messages on stderr, results on stdout."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import ClassVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from comic_narrator.errors import NarratorError
from comic_narrator.pace import Pace, in_words

LEASH = "COMIC_NARRATOR_LEASH"
"""Set in the environment of a run that is to end when its stdin does: whoever started it was killed."""

Step = Callable[[bool], None]
"""One more step is done; whether it made something."""


class Watch:
    """Shows a run: a bar a stage with time left on a terminal, a line each tenth where stderr is piped, or events.

    Events are JSON, one a line on stderr: {"event": "stage" | "said" | "error" | ...}, for programs that watch.
    """

    events: ClassVar[bool] = False
    """Whether this process tells what it does as events; the command line decides once."""

    _one_at_a_time: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, verbosity: int = 0, *, quiet: bool = False) -> None:
        self._console = Console(stderr=True, highlight=False, quiet=quiet)
        self._verbosity = verbosity
        self._quiet = quiet

    def say(self, text: str, *, detail: bool = False) -> None:
        """One line for the user; a `detail` is shown only with -v."""
        if self.events:
            self.tell("said", text=text, detail=detail)
        elif self._verbosity > 0 or not detail:
            self._console.print(text, markup=False, soft_wrap=True)

    def fail(self, error: NarratorError) -> None:
        """The two sentences of an error."""
        if self.events:
            self.tell("error", what=error.what, hint=error.hint, exit=error.exit_code)
            return
        self._console.print("[bold red]Error:[/] ", end="")
        self._console.print(error.what, markup=False, soft_wrap=True)
        self._console.print(error.hint, markup=False, soft_wrap=True)

    def tell(self, event: str, **values: object) -> None:
        """One event for whoever reads them; nothing where nobody asked for events."""
        if self.events and not self._quiet:
            with self._one_at_a_time:
                sys.stderr.write(json.dumps({"event": event, **values}, ensure_ascii=False) + "\n")
                sys.stderr.flush()

    @contextmanager
    def stage(self, name: str, total: int, weights: Sequence[float] = ()) -> Iterator[Step]:
        """Follow `total` steps of a stage, call the yielded function after each; `weights` as Pace has them."""
        pace = Pace(total, weights)
        if self.events:
            yield self._telling(name, pace)
        elif self._console.is_terminal:
            with self._bar() as bar:
                task = bar.add_task(name, total=total, left="")

                def step(made: bool) -> None:
                    pace.step(made=made)
                    bar.update(task, completed=pace.done, left=_left(pace))

                yield step
        else:
            yield self._tenths(name, pace)

    @contextmanager
    def bookshelf(self, name: str, total: int) -> Iterator[Bookshelf]:
        """Follow `total` books that are made at once."""
        pace = Pace(total)
        if self._console.is_terminal and not self.events:
            with self._bar() as bars:
                yield Bookshelf(self, name, pace, bars)
        else:
            yield Bookshelf(self, name, pace, None)

    def _bar(self) -> Progress:
        return Progress(
            TextColumn("{task.description:<10}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=self._console,
        )

    def _tenths(self, name: str, pace: Pace) -> Step:
        def step(made: bool) -> None:
            before = pace.done * 10 // pace.total
            pace.step(made=made)
            if pace.done * 10 // pace.total > before:
                self.say(f"{name}: {pace.done} of {pace.total}{_left(pace)}")

        return step

    def _telling(self, name: str, pace: Pace) -> Step:
        def step(made: bool) -> None:
            pace.step(made=made)
            left = None if pace.left is None else round(pace.left, 1)
            self.tell("stage", stage=name, done=pace.done, total=pace.total, made=made, seconds_left=left)

        return step


class Bookshelf:
    """Shows many books that are made at once: how many are done, and what is done in each of those that run."""

    def __init__(self, watch: Watch, name: str, pace: Pace, bars: Progress | None) -> None:
        self._watch, self._pace, self._bars, self._name = watch, pace, bars, name
        self._tasks: dict[str, TaskID] = {}
        self._whole = bars.add_task(name, total=pace.total, left="") if bars else None
        self._lock = threading.Lock()

    def began(self, book: str) -> None:
        """A book is begun."""
        self._watch.tell("book", book=book, state="began")
        if self._bars:
            self._tasks[book] = self._bars.add_task(book, total=None, left="")

    def told(self, book: str, event: Mapping[str, object]) -> None:
        """A book's run told this event."""
        if event.get("event") == "stage":
            self._watch.tell("stage", book=book, **{k: v for k, v in event.items() if k != "event"})
            if self._bars:
                stage, done, total = (event.get(key) for key in ("stage", "done", "total"))
                self._bars.update(self._tasks[book], description=f"{book}: {stage}", completed=done, total=total)  # type: ignore[arg-type]

    def ended(self, book: str, text: str) -> None:
        """A book's run has ended; `text` is its film, or what stopped it."""
        with self._lock:
            self._pace.step(made=True)
            left = self._pace.left
            if self._bars and self._whole is not None:
                self._bars.remove_task(self._tasks[book])
                self._bars.update(self._whole, completed=self._pace.done, left=_left(self._pace))
            told = {"done": self._pace.done, "total": self._pace.total, "seconds_left": left}
            self._watch.tell("book", book=book, state="ended", said=text, **told)
            if not self._watch.events:
                self._watch.say(f"{self._name}: {self._pace.done} of {self._pace.total}{_left(self._pace)}: {text}")


def _left(pace: Pace) -> str:
    # The first seconds say little, and what takes so long needs no forecast.
    return f", {in_words(pace.left)} left" if pace.left and pace.elapsed + pace.left > 5 else ""


def result(text: str) -> None:
    """A result for the caller, on stdout."""
    sys.stdout.write(text + "\n")


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table for the caller, on stdout; wide where it is piped."""
    table = Table(*headings, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else 160).print(table)
