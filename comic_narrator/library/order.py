"""The place of a book in its series: by its name, or by what the book says of itself where names do not tell."""

from __future__ import annotations

import re
import tempfile
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from comic_narrator.errors import NarratorError
from comic_narrator.ingest import Opening, Spool, open_book
from comic_narrator.ingest.source import natural_key

Key = tuple[tuple[object, ...], ...]


def in_order(books: Mapping[Path, str]) -> list[Path]:
    """Books, each with its name below the library, folder after folder, by the numbers in their names.

    Where a name in a folder holds no number, its books come by the numbers that they say of themselves (ComicInfo.xml
    and its like) if all say one; where no name holds any, those that say none come after the others.
    """
    folders = defaultdict(list)
    for book in books:
        folders[book.parent].append(book)
    keys: dict[Path, Key] = {}
    for folder in folders.values():
        numbers = _numbers(folder)
        for book in folder:
            keys[book] = _key(books[book], numbers.get(book))
    return sorted(books, key=keys.__getitem__)


def _numbers(folder: Sequence[Path]) -> Mapping[Path, float]:
    """The numbers by which the books of a folder come; none where their names are enough."""
    numbered = [any(c.isdigit() for c in book.stem) for book in folder]
    if len(folder) == 1 or all(numbered):
        return {}
    told = {book: number for book in folder if (number := _told_by(book)) is not None}
    return told if len(told) == len(folder) or not any(numbered) else {}


def _key(name: str, number: float | None) -> Key:
    *parents, own, whole = natural_key(name)
    return (*parents, ((-1, number, ""),) if number is not None else own, whole)


def _told_by(book: Path) -> float | None:
    seen = book.stat()
    return _number(book, seen.st_size, seen.st_mtime_ns)


@cache
def _number(book: Path, size: int, time: int) -> float | None:
    """The number that a book says of itself; `size` and `time` are those of its file: a library is looked at often."""
    del size, time
    with tempfile.TemporaryDirectory() as place, Spool(Path(place)) as spool:
        try:
            text = open_book(book, Opening(spool)).metadata().number
        except (NarratorError, OSError):
            # What is wrong with it is said when its film is to be made.
            return None
    found = re.match(r"[0-9]+(?:\.[0-9]+)?", text or "")
    if found:
        return float(found[0])
    return unicodedata.numeric(text, None) if text and len(text) == 1 else None
