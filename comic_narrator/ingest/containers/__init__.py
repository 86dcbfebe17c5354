"""Any container, told by its content: what it holds."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path
from shutil import copyfileobj
from zipfile import is_zipfile

from comic_narrator.errors import InputError
from comic_narrator.ingest.containers.bounds import BrokenBookError, unreadable, unwritable
from comic_narrator.ingest.containers.folder import list_folder
from comic_narrator.ingest.containers.rar import SIGNATURE, list_rar
from comic_narrator.ingest.containers.seven import MAGIC, list_7z
from comic_narrator.ingest.containers.split import cut_off, joined
from comic_narrator.ingest.containers.tarred import list_tar
from comic_narrator.ingest.containers.zipped import list_zip
from comic_narrator.ingest.source import Files, Opening

ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08PK\x03\x04")

AHEAD_MOST = 4 * 1024 * 1024
"""Bytes at the start of a file in which an archive is looked for; self-extracting ones begin with 60 kB to 1 MB."""

NOT_CONTAINERS = (
    b"%PDF", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"BM", b"II*\0", b"MM\0*", b"\0\0\0\x0cjP", b"\xff\x4f\xff"
)  # fmt: skip
"""Heads of PDFs and pictures: a ZIP directory at their end was hidden there or belongs to something they hold."""


def list_files(path: Path, opening: Opening) -> Files | None:
    """What a folder or archive holds, in its own order; None when it is neither.

    Raises InputError for what cannot be read, is broken or passes a limit, PasswordNeededError for what is encrypted.
    """
    try:
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind):
            return list_folder(path, opening)
        if not stat.S_ISREG(kind):
            raise InputError(f"{path} is neither a file nor a folder.", "Give a book file or a folder of pictures.")
        book = joined(path, opening)
        with book.open("rb") as file:
            head = file.read(1024)
    except OSError as error:
        raise unreadable(str(path), error) from error
    try:
        files = _list_archive(book, head, opening)
    except BrokenBookError as error:
        raise cut_off(path, error) from error
    return replace(files, parts=(book,)) if files and book != path else files


def _list_archive(path: Path, head: bytes, opening: Opening) -> Files | None:
    if head.startswith(ZIP):
        return list_zip(path, opening)
    if head.startswith(SIGNATURE):
        return list_rar(path, opening)
    if head.startswith(MAGIC):
        return list_7z(path, opening)
    if head.startswith(NOT_CONTAINERS) or b"%PDF-" in head:
        return None
    return list_tar(path, opening) or _behind_something(path, opening)


def _behind_something(path: Path, opening: Opening) -> Files | None:
    """The archive behind something else, as behind the program of a self-extracting one."""
    if is_zipfile(path):
        return list_zip(path, opening)
    with path.open("rb") as file:
        ahead = file.read(AHEAD_MOST)
    for magic, read in ((SIGNATURE, list_rar), (MAGIC, list_7z)):
        start = ahead.find(magic)
        if start >= 0:
            return read(_tail(path, start, opening), opening)
    return None


def _tail(path: Path, start: int, opening: Opening) -> Path:
    """What follows in a file from an offset, as a file of its name in the spool: archives are read from their start."""
    folder = opening.spool.folder() / "tail"
    try:
        folder.mkdir(exist_ok=True)
        with path.open("rb") as file, (folder / path.name).open("wb") as out:
            file.seek(start)
            copyfileobj(file, out)
    except OSError as error:
        raise unwritable(error) from error
    return folder / path.name
