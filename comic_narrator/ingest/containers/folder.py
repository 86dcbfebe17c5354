"""A folder of pictures, with the folders below it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from comic_narrator.ingest.containers.bounds import check_count, check_entry, unreadable
from comic_narrator.ingest.containers.names import decode_names, plain_name
from comic_narrator.ingest.source import Entry, Files, Limits, Opening

KIND = "folder"

WORK_MARK = "journal.jsonl"
"""A folder with such a file is the work folder of a film."""


def list_folder(path: Path, opening: Opening) -> Files:
    """The regular files in a folder and below it, by name; InputError when it cannot be read or holds too many.

    Links count as what they lead to as long as that lies in the folder; hidden folders and work folders are left out.
    """
    found: list[tuple[str, Path]] = []
    try:
        for file in _files(path.resolve()):
            found.append((_name(file.relative_to(path.resolve())), file))
            check_count(path.name, len(found), opening.limits)
    except OSError as error:
        raise unreadable(str(path), error) from error
    return Files(
        KIND,
        tuple(
            Entry(name, _size(file), partial(_read, file, name, opening.limits), file) for name, file in sorted(found)
        ),
    )


def _name(relative: Path) -> str:
    """The name by which a file is shown; names that are no UTF-8 on disk are decoded as those of archives are."""
    return plain_name(decode_names([os.fsencode(relative.as_posix())])[0])


def _files(book: Path) -> Iterator[Path]:
    """The regular files below a folder, each folder once however many links lead to it."""
    seen, folders = {book}, [book]
    while folders:
        for entry in sorted(folders.pop().iterdir()):
            try:
                real = entry.resolve(strict=True)
                kind = real.stat().st_mode
            except (OSError, RuntimeError):
                continue  # a link that leads nowhere, or in circles
            if not real.is_relative_to(book):
                continue
            if stat.S_ISREG(kind):
                yield entry
            elif stat.S_ISDIR(kind) and real not in seen and _belongs(entry):
                seen.add(real)
                folders.append(entry)


def _belongs(folder: Path) -> bool:
    return not folder.name.startswith(".") and not (folder / WORK_MARK).is_file()


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0  # gone since it was listed: reading it says so


def _read(file: Path, name: str, limits: Limits) -> bytes:
    check_entry(name, _size(file), limits)
    try:
        return file.read_bytes()
    except OSError as error:
        raise unreadable(name, error) from error
