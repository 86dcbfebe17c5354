"""The books of a library: files, and folders of pictures, in as many folders as there are; and where their films go."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from comic_narrator.ingest.source import is_page_name
from comic_narrator.library.order import in_order
from comic_narrator.work import digest_of
from comic_narrator.work.digests import Digests

BOOKS = (".pdf", ".epub", ".cbz", ".zip", ".cbr", ".rar", ".cb7", ".7z", ".cbt", ".tar")
"""Suffixes of the files that are books, where one file alone is not asked for by name."""

VOLUME = re.compile(r".+\.part(?P<number>[0-9]+)\.[^.]+", re.IGNORECASE)
PIECE = re.compile(r".+\.(zip|cbz|rar|cbr|7z|cb7|tar|cbt)\.001", re.IGNORECASE)
OURS = (".work",)
BESIDE = ("cast.toml", "lexicon.toml")
"""Files of a series: the nearest one from a book up to the library holds for it."""


@dataclass(frozen=True)
class Shelved:
    """A book of a library: where it is, its name below the library, where its film goes, the files of its series."""

    book: Path
    name: str
    film: Path
    beside: tuple[Path, ...] = ()

    @property
    def work(self) -> Path:
        """The film's work folder."""
        return self.film.with_name(f"{self.film.name}.work")


def holds_books(folder: Path) -> bool:
    """Whether a folder holds files that are books, at any depth, and no pictures of its own."""
    names = [entry.name for entry in os.scandir(folder)]
    return not any(is_page_name(name) for name in names) and any(book.is_file() for book in _books(folder, None))


def shelve(library: Path, out: Path) -> tuple[Shelved, ...]:
    """The books below `library` in the order of their series, each with a film of a name of its own below `out`.

    A folder of pictures is one book, with the folders in it; where a folder holds book files, pictures beside them are
    covers and no book. Nothing is looked for in `out` and in work folders.
    """
    books = in_order({book: _name(book, library) for book in _books(library, out.absolute())})
    places = [_place(book, library) for book in books]
    taken = Counter(map(_alike, places))
    shelved = []
    for book, place in zip(books, places, strict=True):
        # x.pdf and x.cbz are two books, and on many disks X.mp4 is x.mp4.
        film = place if taken[_alike(place)] == 1 else f"{place}{book.suffix}"
        shelved.append(Shelved(book, _name(book, library), out / f"{film}.mp4", tuple(_beside(book, library))))
    return tuple(shelved)


def _name(book: Path, library: Path) -> str:
    return library.name if book == library else book.relative_to(library).as_posix()


def _place(book: Path, library: Path) -> str:
    name = _name(book, library)
    return name if book.is_dir() else name.removesuffix(book.suffix)


def _alike(place: str) -> str:
    return unicodedata.normalize("NFC", place).casefold()


def _books(folder: Path, out: Path | None) -> Iterator[Path]:
    entries = [entry for entry in os.scandir(folder) if not entry.name.startswith((".", "__MACOSX"))]
    files = [Path(entry.path) for entry in entries if entry.is_file()]
    books = [file for file in files if _is_book(file.name)]
    if not books and any(is_page_name(file.name) for file in files):
        yield folder
        return
    yield from books
    for entry in entries:
        below = Path(entry.path)
        if entry.is_dir(follow_symlinks=False) and below.absolute() != out and below.suffix not in OURS:
            yield from _books(below, out)


def _is_book(name: str) -> bool:
    volume = VOLUME.fullmatch(name)
    first = volume is None or int(volume["number"]) == 1
    return first and (name.casefold().endswith(BOOKS) or PIECE.fullmatch(name) is not None)


def _beside(book: Path, library: Path) -> Iterator[Path]:
    folders = [library] if book == library else [book, *book.parents] if book.is_dir() else list(book.parents)
    if library in folders:
        folders = folders[: folders.index(library) + 1]
    for name in BESIDE:
        if found := next((folder / name for folder in folders if (folder / name).is_file()), None):
            yield found


def content_of(book: Path, digests: Digests) -> str:
    """SHA-256 of what a book holds, whatever it is called; OSError when it cannot be read."""
    if book.is_file():
        return digests.whole(book)
    files: Sequence[Path] = sorted(file for file in book.rglob("*") if file.is_file() and is_page_name(file.name))
    return digest_of(*((file.relative_to(book).as_posix(), digests.whole(file)) for file in files))
