"""From the files of a container to the pictures of a book."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from os import fstat
from pathlib import Path, PurePosixPath

from comic_narrator.errors import InputError
from comic_narrator.ingest import encode
from comic_narrator.ingest.containers.bounds import check_entry
from comic_narrator.ingest.epub import is_epub, picture_names
from comic_narrator.ingest.metadata import read_metadata
from comic_narrator.ingest.source import (
    PICTURE_SUFFIXES,
    Entry,
    Files,
    Limits,
    Look,
    Metadata,
    Opening,
    PagePicture,
    PageSource,
    Source,
    is_page_name,
    natural_key,
)
from comic_narrator.picture_files import SIGNATURE, is_picture

BOOK_SUFFIXES = frozenset({".cbz", ".zip", ".cbr", ".rar", ".cb7", ".7z", ".cbt", ".tar", ".pdf", ".epub"})

VOLUME = re.compile(r"\.part0*1$", re.IGNORECASE)
"""What the first volume of a RAR archive adds to its name."""

DESCRIPTIONS = frozenset({".xml", ".acbf"})
"""Suffixes of files that say something of a book."""


def source_of(path: Path, files: Files, opening: Opening) -> Source:
    """The pictures of a container in natural order, or in an EPUB's own; InputError when there are none."""
    if is_epub(files):
        places = {entry.name: entry for entry in files.entries}
        entries = [places[name] for name in picture_names(files, path.name)]
    else:
        entries = sorted(
            (entry for entry in files.entries if is_page_name(entry.name)), key=lambda entry: natural_key(entry.name)
        )
    if not entries:
        raise _no_pictures(path, files)
    reading = _Reading(opening.limits)
    label = "" if path.is_dir() else f"{path.name}!"
    name = path.resolve().name if path.is_dir() else _name_of(files.parts[0] if files.parts else path)
    return Source(
        kind=files.kind,
        name=name,
        parts=tuple((entry.name, entry.file) for entry in files.entries if entry.file and _matters(entry.name))
        or tuple((part.name, part) for part in files.parts or (path,)),
        pages=tuple(_page(f"{label}{entry.name}", entry, opening.limits, reading) for entry in entries),
        metadata=partial(read_metadata, files, tuple(entry.name for entry in entries), name),
    )


def _name_of(file: Path) -> str:
    """The book's name in that of its file, or of the first file of several."""
    return VOLUME.sub("", file.stem)


def _matters(name: str) -> bool:
    """Whether a file of a folder makes the book what it is: a page or a description; films may be made in it."""
    return is_page_name(name) or PurePosixPath(name).suffix.lower() in DESCRIPTIONS


def source_of_picture(path: Path, opening: Opening) -> Source:
    """One picture file as a book; InputError when it is none."""
    entry = Entry(path.name, 0, partial(_bytes, path, opening.limits), path)
    page = _page(path.name, entry, opening.limits, _Reading(opening.limits))
    try:
        page.look(0)
    except InputError as error:
        if "not a picture" in error.what:
            raise InputError(
                f"{path.name} is not a PDF, an archive or a picture, whatever its name says.",
                "Give a PDF, a CBZ, CBR, CB7, CBT or EPUB, a folder of pictures or one picture.",
            ) from error
        raise
    return Source("picture", path.stem, ((path.name, path),), (page,), partial(_named_only, path.stem))


def _named_only(name: str) -> Metadata:
    return read_metadata(Files("picture", ()), (), name)


@dataclass(frozen=True)
class _File:
    """A picture file that was read, and where in it its pages begin."""

    data: bytes
    places: tuple[int | None, ...]


class _Reading:
    """Reads picture files, each once for all its pages, as these are asked for one after the other."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._last: tuple[Entry, _File] | None = None

    def places(self, entry: Entry, label: str) -> tuple[int | None, ...]:
        """Where the pages of the file begin."""
        return self._read(entry, label).places

    def page(self, entry: Entry, label: str, frame: int) -> tuple[bytes, int | None]:
        """The file, and where in it that page begins."""
        file = self._read(entry, label)
        if len(file.places) == 1:
            self._last = None
        return file.data, file.places[frame]

    def _read(self, entry: Entry, label: str) -> _File:
        last = self._last
        if last is not None and last[0] is entry:
            return last[1]
        self._last = last = None
        data = entry.read()
        file = _File(data, encode.places(data, label, self._limits))
        self._last = entry, file
        return file


def _page(label: str, entry: Entry, limits: Limits, reading: _Reading) -> PageSource:
    def frames() -> int:
        return len(reading.places(entry, label))

    def look(frame: int) -> Look:
        data, place = reading.page(entry, label, frame)
        return encode.look(data, label, limits, place)

    def picture(frame: int) -> PagePicture:
        data, place = reading.page(entry, label, frame)
        return encode.encode(data, label, limits, place)

    return PageSource(label, frames, look, picture)


def _no_pictures(path: Path, files: Files) -> InputError:
    books = [entry.name for entry in files.entries if PurePosixPath(entry.name).suffix.lower() in BOOK_SUFFIXES]
    if books:
        several = f"{len(books)} books, {books[0]} among them" if len(books) > 1 else f"a book: {books[0]}"
        return InputError(
            f"{path.name} holds no pictures, but {several}.",
            "Give one of them at a time." if path.is_dir() else "Unpack it and give one of them at a time.",
        )
    return InputError(
        f"The {files.kind} {path.name} holds no pictures.",
        f"Pages are files named {', '.join(sorted(PICTURE_SUFFIXES))}.",
    )


def _bytes(path: Path, limits: Limits) -> bytes:
    """The file, of which no more than its beginning is read when it is no picture or larger than it may be."""
    try:
        with path.open("rb") as file:
            head = file.read(SIGNATURE)
            if not is_picture(head):
                return head
            check_entry(path.name, fstat(file.fileno()).st_size, limits)
            return head + file.read()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Check its permissions.") from error
