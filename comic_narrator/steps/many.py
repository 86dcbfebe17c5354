"""Reading many pages and speaking many lines at once, in processes that each have a reader or a voice of their own."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from comic_narrator.backends import Choice, load
from comic_narrator.errors import DoesNotFitError
from comic_narrator.readers import PageToRead, Reader, Reading
from comic_narrator.settings import ReaderSettings, VoiceSettings
from comic_narrator.voices import Delivery, Samples, Voice, VoiceProfile

WORTH = 4
"""Pages for each process, at least: one takes as long to start as a page takes to read."""

LINES_WORTH = 6
"""The same for lines: a voice takes as long to start as a few lines take to speak."""

_readers: list[Reader] = []
"""The reader of this process, where it is one of many."""

_voices: list[Voice] = []
"""The same for its voice."""


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
    with _pool(processes, _begin, (choice, settings)) as pool:
        yield _told(pool, pages)


@contextmanager
def _pool(
    processes: int, begin: Callable[..., None], arguments: tuple[Choice, ReaderSettings | VoiceSettings]
) -> Iterator[ProcessPoolExecutor]:
    # Forked children would share the threads of a model that is loaded.
    spawn = multiprocessing.get_context("spawn")
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(processes, spawn, begin, arguments)
    try:
        yield pool
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


@contextmanager
def speaking(choice: Choice, settings: VoiceSettings, voice: Voice, lines: int) -> Iterator[Voice]:
    """A voice that speaks that many lines, from as many threads as its `lanes`: `voice`, or many of it in processes.

    The processes are ended when the block is left, however it is left.
    """
    processes = max(1, min(settings.processes or voice.processes, lines // LINES_WORTH))
    if processes == 1:
        yield voice
        return
    with _pool(processes, _begin_voice, (choice, settings.model_copy(update={"processes": processes}))) as pool:
        yield _Choir(voice, pool, processes)


class _Choir:
    """One voice in several processes; its takes are those of the voice alone."""

    def __init__(self, voice: Voice, pool: ProcessPoolExecutor, processes: int) -> None:
        self._pool = pool
        self.identity = voice.identity
        self.processes = processes
        self.lanes = processes * voice.lanes
        self.check = voice.check
        self.profiles = voice.profiles

    def speak(self, text: str, profile: VoiceProfile, delivery: Delivery) -> Samples:
        """As the voice speaks it, in the next process that is free; DoesNotFitError when one was killed."""
        try:
            return self._pool.submit(_speak, text, profile, delivery).result()
        except BrokenProcessPool as error:
            raise DoesNotFitError(
                "A process that spoke lines was killed, most likely because memory ran out.",
                "Close other programs, or run again with --set voice.processes=1: what is spoken stays.",
            ) from error


def _begin_voice(choice: Choice, settings: VoiceSettings) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _voices.append(load("voices", choice)(settings))


def _speak(text: str, profile: VoiceProfile, delivery: Delivery) -> Samples:
    return _voices[0].speak(text, profile, delivery)
