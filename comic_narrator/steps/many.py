"""Reading many pages and speaking many lines at once: in processes, or in threads that ask one server."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from comic_narrator.backends import Choice, load
from comic_narrator.errors import DoesNotFitError
from comic_narrator.readers import PageToRead, Reader, Reading
from comic_narrator.settings import ReaderSettings, VoiceSettings
from comic_narrator.voices import Delivery, Samples, Voice, VoiceProfile

WORTH = 4
"""Pages for each process, at least: one takes as long to start as a page takes to read."""
LOOK_AHEAD = 2
"""For each lane, pages that are read before the first of them is stored: a slow page stops the others no sooner."""

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
) -> Iterator[list[Future[Reading]]]:
    """The readings of pages, which that many processes begin to make in their order.

    They are ended when the block is left, however it is left. `told` takes a reading out.
    """
    with _pool(processes, _begin, (choice, settings)) as pool:
        with deaf_children():
            coming = [pool.submit(_read, page) for page in pages]
        yield coming


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


@contextmanager
def deaf_children() -> Iterator[None]:
    """Processes that this thread starts inside do not hear Ctrl-C, not even while they are still loading."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        # What came meanwhile comes now.
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def told(coming: Future[Reading]) -> Reading:
    """A reading that another process makes, when it is there.

    Raises what reading the page raises, and DoesNotFitError when a process was killed, as the system does where memory
    runs out.
    """
    try:
        return coming.result()
    except BrokenProcessPool as error:
        raise _killed("read pages", "reader", "read") from error


def _killed(did: str, section: str, kept: str) -> DoesNotFitError:
    """The error for a process that was ended from outside: what it did, whose setting helps, what is not lost."""
    return DoesNotFitError(
        f"A process that {did} was killed, most likely because memory ran out.",
        f"Close other programs, or run again with --set {section}.processes=1: what is {kept} stays.",
    )


def _belong() -> None:
    """Begin this process as one of many: it ends with the first, and leaves Ctrl-C, which all hear, to that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_first, daemon=True).start()


def _end_with_the_first() -> None:
    # One that is killed ends no others, and they would wait for work for ever.
    first = multiprocessing.parent_process()
    assert first is not None
    first.join()
    os._exit(1)


def _begin(choice: Choice, settings: ReaderSettings) -> None:
    _belong()
    _readers.append(load("readers", choice)(settings))


def _read(page: PageToRead) -> Reading:
    return _readers[0].read(page, ())


class Lanes:
    """Pieces of work done in their order by so many threads, and no further ahead than they are soon asked for."""

    def __init__(self, pool: ThreadPoolExecutor, work: Sequence[Callable[[], Reading]], ahead: int) -> None:
        self._pool = pool
        self._waiting = deque(work)
        self._begun: list[Future[Reading]] = []
        for _ in range(ahead):
            self._begin()

    def take(self, i: int) -> Reading:
        """The i-th result, when it is there; raises what its work raised. Another piece is begun for it."""
        self._begin()
        return self._begun[i].result()

    def there(self) -> dict[int, Reading]:
        """The results of all that is done, and done well."""
        done = {i: begun for i, begun in enumerate(self._begun) if begun.done() and not begun.cancelled()}
        return {i: begun.result() for i, begun in done.items() if begun.exception() is None}

    def _begin(self) -> None:
        if self._waiting:
            self._begun.append(self._pool.submit(self._waiting.popleft()))


@contextmanager
def in_lanes(reader: Reader, work: Sequence[Callable[[], Reading]]) -> Iterator[Lanes]:
    """The results of pieces of work that ask the reader, done in as many lanes as it has.

    When the block is left before its end, what is asked of the reader ends, and the reader with it.
    """
    pool = ThreadPoolExecutor(reader.lanes)
    try:
        yield Lanes(pool, work, reader.lanes * LOOK_AHEAD)
    except BaseException:
        reader.close()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def speaking(choice: Choice, settings: VoiceSettings, voice: Voice, lines: int) -> Iterator[Voice]:
    """A voice that speaks that many lines, from as many threads as its `lanes`: `voice`, or many of it in processes.

    The processes are ended when the block is left, however it is left.
    """
    # One process is all that a server needs, and its lanes are counted in it: no setting makes them more.
    wished = settings.processes if settings.processes and voice.processes > 1 else voice.processes
    processes = max(1, min(wished, lines // LINES_WORTH))
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
        self.sampled = voice.sampled
        self.check = voice.check
        self.close = voice.close
        self.profiles = voice.profiles

    def speak(self, text: str, profile: VoiceProfile, delivery: Delivery) -> Samples:
        """As the voice speaks it, in the next process that is free; DoesNotFitError when one was killed."""
        with deaf_children():
            take = self._pool.submit(_speak, text, profile, delivery)
        try:
            return take.result()
        except BrokenProcessPool as error:
            raise _killed("spoke lines", "voice", "spoken") from error


def _begin_voice(choice: Choice, settings: VoiceSettings) -> None:
    _belong()
    _voices.append(load("voices", choice)(settings))


def _speak(text: str, profile: VoiceProfile, delivery: Delivery) -> Samples:
    return _voices[0].speak(text, profile, delivery)
