"""Reading many pages at once: each process has a reader of its own, and pages come back in order."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from comic_narrator.backends import Choice, load
from comic_narrator.errors import DoesNotFitError
from comic_narrator.readers import PageToRead, Reader, Reading
from comic_narrator.settings import ReaderSettings

WORTH = 4
"""Pages for each process, at least: one takes as long to start as a page takes to read."""

_readers: list[Reader] = []
"""The reader of this process, where it is one of many."""


def processes_for(reader: Reader, settings: ReaderSettings, pages: int) -> int:
    """In how many processes that many pages are read."""
    return max(1, min(settings.processes or reader.processes, pages // WORTH))


@contextmanager
def reading_ahead(
    choice: Choice, settings: ReaderSettings, pages: Sequence[PageToRead], processes: int
) -> Iterator[Iterator[Reading]]:
    """The readings of pages in their order, made by that many processes while they are asked for.

    They are ended when the block is left, however it is left. Raises what reading a page raises, and DoesNotFitError
    when a process was killed, as the system does where memory runs out.
    """
    # Forked children would share the threads of a model that is loaded.
    spawn = multiprocessing.get_context("spawn")
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(processes, spawn, _begin, (choice, settings))
    try:
        yield _told(pool, pages)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()


def _told(pool: ProcessPoolExecutor, pages: Sequence[PageToRead]) -> Iterator[Reading]:
    try:
        yield from pool.map(_read, pages)
    except BrokenProcessPool as error:
        raise DoesNotFitError(
            "A process that read pages was killed, most likely because memory ran out.",
            "Close other programs, or run again with --set reader.processes=1: what is read stays.",
        ) from error


def _begin(choice: Choice, settings: ReaderSettings) -> None:
    # Ctrl-C goes to the whole group; the first process ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _readers.append(load("readers", choice)(settings))


def _read(page: PageToRead) -> Reading:
    return _readers[0].read(page, ())
