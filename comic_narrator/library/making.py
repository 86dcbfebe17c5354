"""Making the films of a library: what is left to do, in order, so many at once, and what became of each."""

from __future__ import annotations

import fnmatch
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock, Timeout

from comic_narrator import __version__
from comic_narrator.console import Bookshelf, Watch
from comic_narrator.errors import BackendDownError, DoesNotFitError, InTheWayError, ItemsFailedError, MissingToolError
from comic_narrator.library.engines import Ended, Engine
from comic_narrator.library.ledger import Finished, Ledger
from comic_narrator.library.shelf import Shelved, content_of, shelve
from comic_narrator.work import JOURNAL, Work, digest_of, standings
from comic_narrator.work.digests import Digests

LOCK, DIGESTS = ".library.lock", ".library.digests.json"
INTERRUPTED = 130
FILM = "film"
"""The last stage."""

HOPELESS = (MissingToolError.exit_code, BackendDownError.exit_code, DoesNotFitError.exit_code)
"""Exit codes that the next book would end with as well: twice in a row, and no more books are begun."""

POLL = 10.0
"""Seconds between two looks at a library that is watched."""


def _nothing() -> None:
    """Nothing changes hands."""


@dataclass
class LibraryRun:
    """One run over a library: `arguments` are the options of each book, `stages` how far all go before any goes on.

    `only` are patterns of names, `newest` how many of the books that changed last are taken. `between` is called when
    all books came to a stage and are to go on.
    """

    library: Path
    out: Path
    arguments: Sequence[str]
    stages: Sequence[str]
    engine: Engine
    watch: Watch
    only: Sequence[str] = ()
    newest: int | None = None
    between: Callable[[], None] = _nothing
    made: list[Finished] = field(default_factory=list)
    failed: list[Finished] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    exits: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class _Wanted:
    """A book that is to be made, the digest of its content, its options and the digest of all that is asked of it."""

    shelved: Shelved
    content: str
    arguments: tuple[str, ...]
    asked: str


def make_films(run: LibraryRun, *, watching: bool = False, wait: Callable[[float], None] = time.sleep) -> None:
    """Make every film that is not made yet; with `watching` go on for new and changed books until interrupted.

    Raises InTheWayError when another run makes this library.
    """
    run.out.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(run.out / LOCK, timeout=0):
            tried = _round(run, frozenset())
            while watching:
                before = _stamps(run)
                wait(POLL)
                # A book that is still being copied changes between two looks.
                if _stamps(run) == before:
                    tried |= _round(run, tried)
    except Timeout:
        raise InTheWayError(
            f"Another run is making the films in {run.out}.", "Wait until it ends, or give another folder with -o."
        ) from None


def _stamps(run: LibraryRun) -> list[tuple[str, int, int]]:
    seen = ((book.name, book.book.stat()) for book in shelve(run.library, run.out))
    return [(name, stat.st_size, stat.st_mtime_ns) for name, stat in seen]


def _round(run: LibraryRun, tried: frozenset[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """Make what is left, but not again what this run has `tried`; returns what it tried, by name and content."""
    ledger, digests = Ledger(run.out), Digests(run.out)
    digests.load(run.out / DIGESTS)
    wanted = [one for one in _wanted(run, ledger, digests) if (one.shelved.name, one.content) not in tried]
    digests.save(run.out / DIGESTS)
    if wanted:
        _make(run, wanted, ledger)
    return frozenset((one.shelved.name, one.content) for one in wanted)


def _wanted(run: LibraryRun, ledger: Ledger, digests: Digests) -> list[_Wanted]:
    left: list[_Wanted] = []
    seen: dict[str, str] = {}
    made_now = {one.book for one in run.made}
    for book in _picked(run):
        content = content_of(book.book, digests)
        arguments = (*run.arguments, *_beside(book, run.arguments))
        beside = {file.name: digests.whole(file) for file in book.beside}
        asked = digest_of(arguments[: len(run.arguments)], beside, run.stages[-1], __version__)
        if content in seen:
            run.skipped[book.name] = f"the same book as {seen[content]}"
            continue
        seen[content] = book.name
        done = ledger.made(content, asked)
        product = run.out / done.film if done else None
        if product and product.exists() and _untouched(product):
            if book.name not in made_now:
                run.skipped[book.name] = f"made already: {product}"
        else:
            left.append(_Wanted(book, content, arguments, asked))
    return left


def _picked(run: LibraryRun) -> Sequence[Shelved]:
    books = shelve(run.library, run.out)
    if run.only:
        books = tuple(b for b in books if any(fnmatch.fnmatch(b.name, f"*{pattern}*") for pattern in run.only))
    if run.newest is None:
        return books
    newest = sorted(books, key=lambda book: book.book.stat().st_mtime, reverse=True)[: run.newest]
    return tuple(book for book in books if book in newest)


def _beside(book: Shelved, arguments: Sequence[str]) -> list[str]:
    """The options that name the files of a book's series, where the user names no other."""
    named = " ".join(arguments)
    keys = {file: f"voice.{file.stem}" for file in book.beside}
    return [part for file, key in keys.items() if f"{key}=" not in named for part in ("--set", f"{key}={file}")]


def _product(run: LibraryRun, book: Shelved) -> Path:
    """What a book's run is for: its film, or its work folder where it stops before that."""
    return book.film if run.stages[-1] == FILM else book.work


def _untouched(product: Path) -> bool:
    """Whether nothing changed by hand in the work folder of a film is still to reach it, or the folder is gone."""
    root = product if product.is_dir() else product.with_name(f"{product.name}.work")
    if not (root / JOURNAL).is_file():
        return True
    work = Work(root)
    work.load()
    # What is made from an edited file is stale until a run has made it anew.
    return all(file.state in ("fresh", "edited", "failed") for file in standings(work))


def _make(run: LibraryRun, wanted: Sequence[_Wanted], ledger: Ledger) -> None:
    """Take all books through the first stage, then those that came through to the next."""
    books = "1 book" if len(wanted) == 1 else f"{len(wanted)} books"
    run.watch.say(f"{books} to make, {len(run.skipped)} skipped.")
    spent = dict.fromkeys((one.shelved.name for one in wanted), 0.0)
    left = list(wanted)
    for stage in run.stages:
        through = []
        with run.watch.bookshelf("library" if len(run.stages) == 1 else f"to {stage}", len(left)) as shelf:
            for one, ended in _each(run, left, stage, shelf):
                spent[one.shelved.name] += ended.seconds
                last = stage == run.stages[-1]
                # Pages that are broken do not keep the rest of a book from being filmed.
                if not last and ended.exit in (0, ItemsFailedError.exit_code):
                    through.append(one)
                else:
                    _finish(run, one, ended, spent[one.shelved.name], ledger)
        left = [one for one in wanted if one in through]
        if left and not _hopeless(run):
            run.between()


def _each(run: LibraryRun, books: Sequence[_Wanted], stage: str, shelf: Bookshelf) -> Iterator[tuple[_Wanted, Ended]]:
    """Each book as it ends; what still runs is ended when this is left."""
    pool = ThreadPoolExecutor(run.engine.lanes, "book")
    futures: dict[Future[Ended | None], _Wanted] = {pool.submit(_one, run, one, stage, shelf): one for one in books}
    try:
        for future in as_completed(futures):
            ended = future.result()
            # One that was not begun stays as it is, for the next run.
            if ended is not None and ended.exit != INTERRUPTED:
                yield futures[future], ended
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        if not all(future.done() for future in futures):
            run.engine.stop()


def _one(run: LibraryRun, one: _Wanted, stage: str, shelf: Bookshelf) -> Ended | None:
    name = one.shelved.name
    if _hopeless(run):
        return None
    shelf.began(name)
    target = ("--until", stage) if stage != FILM else ()
    book, film = str(one.shelved.book.absolute()), str(one.shelved.film.absolute())
    ended = run.engine.run((book, "-o", film, *one.arguments, *target), stage, lambda event: shelf.told(name, event))
    run.exits.append(ended.exit)
    shelf.ended(name, _in_a_line(ended, _product(run, one.shelved)))
    return ended


def _hopeless(run: LibraryRun) -> bool:
    """Whether what stopped the last books would stop the next one as well."""
    return run.exits[-2:] in ([code, code] for code in HOPELESS)


def _in_a_line(ended: Ended, product: Path) -> str:
    return str(product) if ended.exit == 0 else f"exit {ended.exit}: {ended.said}"


def _finish(run: LibraryRun, one: _Wanted, ended: Ended, seconds: float, ledger: Ledger) -> None:
    finished = Finished(
        book=one.shelved.name,
        content=one.content,
        asked=one.asked,
        exit=ended.exit,
        said=ended.said,
        film=str(_product(run, one.shelved).relative_to(run.out)),
        seconds=round(seconds, 1),
    )
    ledger.add(finished)
    (run.failed if ended.exit else run.made).append(finished)
