"""Ingest: a book in any container in, its pages as pictures out, in reading order."""

from __future__ import annotations

import os
from pathlib import Path

from comic_narrator.errors import InputError
from comic_narrator.ingest.containers import list_files
from comic_narrator.ingest.gather import source_of, source_of_picture
from comic_narrator.ingest.layout import choose_direction
from comic_narrator.ingest.pages import NumberedPage, page_range, pages_of, pick_pages, read_ahead
from comic_narrator.ingest.paging import Wishes, plan
from comic_narrator.ingest.pdf import is_pdf, open_pdf
from comic_narrator.ingest.source import Limits, Opening, PagePicture, PasswordNeededError, Source, Spool

__all__ = [
    "Limits",
    "NumberedPage",
    "Opening",
    "PagePicture",
    "PasswordNeededError",
    "Source",
    "Spool",
    "Wishes",
    "choose_direction",
    "open_book",
    "page_range",
    "pages_of",
    "pick_pages",
    "plan",
    "read_ahead",
]

METHOD = "ingest-3"
"""Raised when the same book may give other pages."""


def open_book(path: Path, opening: Opening) -> Source:
    """Open a PDF, an archive, a folder of pictures or one picture, told by content, not by name.

    Raises PasswordNeededError when it is encrypted and InputError when it cannot be opened or holds no pictures.
    """
    if not os.path.exists(path):  # noqa: PTH110 - Path.exists() raises where a name is too long
        raise InputError(f"There is no file or folder {path}.", "Check the path.")
    if is_pdf(path):
        return open_pdf(path, opening)
    files = list_files(path, opening)
    return source_of_picture(path, opening) if files is None else source_of(path, files, opening)
