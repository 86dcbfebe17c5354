"""From the files of a container to the pictures of a book."""

from __future__ import annotations

from functools import partial
from pathlib import Path, PurePosixPath

from comic_narrator.errors import InputError
from comic_narrator.ingest import encode
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

BOOK_SUFFIXES = frozenset({".cbz", ".zip", ".cbr", ".rar", ".cb7", ".7z", ".cbt", ".tar", ".pdf", ".epub"})

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
    label = "" if path.is_dir() else f"{path.name}!"
    name = path.resolve().name if path.is_dir() else path.stem
    return Source(
        kind=files.kind,
        name=name,
        parts=tuple((entry.name, entry.file) for entry in files.entries if entry.file and _matters(entry.name))
        or ((path.name, path),),
        pages=tuple(_page(f"{label}{entry.name}", entry, opening.limits) for entry in entries),
        metadata=partial(read_metadata, files, tuple(entry.name for entry in entries), name),
    )


def _matters(name: str) -> bool:
    """Whether a file of a folder makes the book what it is: a page or a description; films may be made in it."""
    return is_page_name(name) or PurePosixPath(name).suffix.lower() in DESCRIPTIONS


def source_of_picture(path: Path, opening: Opening) -> Source:
    """One picture file as a book; InputError when it is none."""
    entry = Entry(path.name, 0, partial(_bytes, path), path)
    page = _page(path.name, entry, opening.limits)
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


def _page(label: str, entry: Entry, limits: Limits) -> PageSource:
    def frames() -> int:
        # Only a TIFF holds several pages, and asking costs as much as reading it.
        return encode.frames(entry.read(), label, limits) if label.lower().endswith((".tif", ".tiff")) else 1

    def look(frame: int) -> Look:
        return encode.look(entry.read(), label, limits, frame)

    def picture(frame: int) -> PagePicture:
        return encode.encode(entry.read(), label, limits, frame)

    return PageSource(label, frames, look, picture)


def _no_pictures(path: Path, files: Files) -> InputError:
    books = [entry.name for entry in files.entries if PurePosixPath(entry.name).suffix.lower() in BOOK_SUFFIXES]
    if books:
        return InputError(
            f"{path.name} holds no pictures, but {len(books)} books: {books[0]} ...",
            "Unpack it and give one of these files at a time.",
        )
    return InputError(
        f"The {files.kind} {path.name} holds no pictures.",
        f"Pages are files named {', '.join(sorted(PICTURE_SUFFIXES))}.",
    )


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Check its permissions.") from error
