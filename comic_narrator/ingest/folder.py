"""A folder of pictures, or one picture."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from comic_narrator.errors import InputError
from comic_narrator.ingest.source import (
    PICTURE_SUFFIXES,
    PagePicture,
    PageSource,
    Source,
    encode,
    is_page_name,
    natural_key,
)
from comic_narrator.pictures import open_picture

WORK_MARK = "journal.jsonl"
"""A folder with such a file is the work folder of a film."""


def open_folder(path: Path) -> Source:
    """The pictures in a folder and below it, in natural order; InputError when there are none."""
    names = sorted(_page_names(path, path), key=natural_key)
    if not names:
        raise InputError(
            f"The folder {path} holds no pictures.", f"Pages are files named {', '.join(sorted(PICTURE_SUFFIXES))}."
        )
    return Source(path.resolve().name, tuple(_page(path / name, name) for name in names))


def _page_names(folder: Path, book: Path) -> Iterator[str]:
    """The pictures below a folder of the book; work folders hold pictures too, but of another book's pages."""
    for entry in folder.iterdir():
        name = entry.relative_to(book).as_posix()
        if entry.is_dir() and not entry.name.startswith(".") and not (entry / WORK_MARK).is_file():
            yield from _page_names(entry, book)
        elif entry.is_file() and is_page_name(name):
            yield name


def open_single(path: Path) -> Source:
    """One picture as a book of one page; InputError when it is none."""
    wrong = f"{path.name} is not a PDF, a CBZ/ZIP or a picture, whatever its name says."
    try:
        open_picture(_bytes(path), path.name)
    except InputError as error:
        if "not a picture" in error.what:
            raise InputError(wrong, "Give a PDF, a CBZ, a folder of pictures or one picture.") from error
        raise
    return Source(path.stem, (_page(path, path.name),))


def _page(path: Path, name: str) -> PageSource:
    return PageSource(name, partial(_read, path, name), path)


def _read(path: Path, name: str) -> PagePicture:
    return encode(_bytes(path), name)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Check its permissions.") from error
