"""Ingest: a book file or folder in, its pages as pictures out, in natural order."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from comic_narrator.errors import InputError, UsageError
from comic_narrator.ingest.archive import open_zip
from comic_narrator.ingest.folder import open_folder, open_single
from comic_narrator.ingest.pdf import open_pdf
from comic_narrator.ingest.source import PagePicture, PageSource, Source
from comic_narrator.model import Direction

__all__ = ["PagePicture", "PageSource", "Source", "direction_of", "open_book", "pick_pages"]

METHOD = "ingest-1"
"""Raised when the same book may give other pages."""


STRIP_SHAPE = 2.5
"""A book whose median page is at least so many times taller than wide is a webtoon."""

NOT_YET = {b"Rar!": "a RAR archive", b"7z\xbc\xaf": "a 7z archive"}


def open_book(path: Path) -> Source:
    """Open a PDF, a CBZ/ZIP, a folder of pictures or one picture, told by content; InputError says what is wrong."""
    if not os.path.exists(path):  # noqa: PTH110 - Path.exists() raises where a name is too long
        raise InputError(f"There is no file or folder {path}.", "Check the path.")
    if path.is_dir():
        return open_folder(path)
    try:
        with path.open("rb") as file:
            head = file.read(1024)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Check its permissions.") from error
    if head.startswith(b"PK"):
        return open_zip(path)
    if b"%PDF-" in head:
        return open_pdf(path)
    for magic, what in NOT_YET.items():
        if head.startswith(magic):
            raise InputError(f"{path.name} is {what}, which cannot be opened yet.", "Unpack it and give the folder.")
    return open_single(path)


def pick_pages(source: Source, pages: str | None) -> tuple[tuple[int, PageSource], ...]:
    """The pages named by `pages` ("3-10", "5", "4-"; None = all), each with its number from 1."""
    numbered = tuple(enumerate(source.pages, 1))
    if pages is None:
        return numbered
    first, dash, last = pages.partition("-")
    try:
        low = int(first)
        high = (int(last) if last else len(numbered)) if dash else low
    except ValueError:
        raise UsageError(f"--pages {pages} is not a range.", "Write --pages 3-10, 5 or 4-.") from None
    picked = tuple((number, page) for number, page in numbered if low <= number <= high)
    if not picked:
        raise UsageError(f"--pages {pages} names no page of this book.", f"It has {len(numbered)} pages, from 1.")
    return picked


def direction_of(layout: str, language: str, sizes: Sequence[tuple[int, int]]) -> Direction:
    """Reading direction by the layout setting or, when that is "auto", by page shape (width, height) and language."""
    named: dict[str, Direction] = {"manga": "rtl", "western": "ltr", "webtoon": "vertical"}
    if layout in named:
        return named[layout]
    if median(height / width for width, height in sizes) >= STRIP_SHAPE:
        return "vertical"
    return "rtl" if language.split("-")[0] == "ja" else "ltr"
