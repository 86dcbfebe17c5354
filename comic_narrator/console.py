"""The one console: progress and messages on stderr, results on stdout."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from comic_narrator.errors import NarratorError

Step = Callable[[], None]


class Watch:
    """Shows a run: a bar a stage with time left on a terminal, a line each tenth where stderr is piped."""

    def __init__(self, verbosity: int = 0, *, quiet: bool = False) -> None:
        self._console = Console(stderr=True, highlight=False, quiet=quiet)
        self._verbosity = verbosity

    def say(self, text: str, *, detail: bool = False) -> None:
        """One line for the user; a `detail` is shown only with -v."""
        if self._verbosity > 0 or not detail:
            self._console.print(text, markup=False, soft_wrap=True)

    def fail(self, error: NarratorError) -> None:
        """The two sentences of an error."""
        self._console.print("[bold red]Error:[/] ", end="")
        self._console.print(error.what, markup=False, soft_wrap=True)
        self._console.print(error.hint, markup=False, soft_wrap=True)

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Step]:
        """Follow `total` steps of a stage; call the yielded function after each."""
        if self._console.is_terminal:
            with self._bar() as bar:
                task = bar.add_task(name, total=total)
                yield lambda: bar.advance(task)
        else:
            yield self._tenths(name, total)

    def _bar(self) -> Progress:
        return Progress(
            TextColumn("{task.description:<10}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=self._console,
        )

    def _tenths(self, name: str, total: int) -> Step:
        done = 0

        def step() -> None:
            nonlocal done
            done += 1
            if done * 10 // total > (done - 1) * 10 // total:
                self.say(f"{name}: {done} of {total}")

        return step


def result(text: str) -> None:
    """A result for the caller, on stdout."""
    sys.stdout.write(text + "\n")


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table for the caller, on stdout; wide where it is piped."""
    table = Table(*headings, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else 160).print(table)
