"""Archives that were cut into several files without knowing of it, or as ZIP does it: joined again in the spool."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from itertools import count, takewhile
from pathlib import Path
from shutil import copyfileobj
from typing import IO

from comic_narrator.errors import InputError
from comic_narrator.ingest.containers.bounds import (
    HEADER_MOST,
    BrokenBookError,
    broken_book,
    missing_part,
    unreadable,
    unwritable,
)
from comic_narrator.ingest.source import Opening

NUMBERED = re.compile(
    r"(?P<whole>.+\.(zip|cbz|rar|cbr|7z|cb7|tar|cbt|tgz|gz|bz2|xz))\.(?P<number>[0-9]{3})", re.IGNORECASE
)
"""x.zip.001, x.zip.002, ...: cut anywhere; a number alone may as well be that of an issue."""

ZIP_PART = re.compile(r"(?P<stem>.+)\.z[0-9]{2,}", re.IGNORECASE)
"""x.z01, x.z02, ..., x.zip: the last has the directory, in which places are told by the number of a part."""

ZIP_SUFFIXES = (".zip", ".cbz")

END = struct.Struct("<4s4H2IH")
"""The end of a ZIP archive: this part, that of the directory, entries here, in all, size, place, size of comment."""

ENTRY = struct.Struct("<4s24x4H6xI")
"""An entry of its directory: sizes of name, extra and comment, the part that it begins in, its place there."""

PART_AT, PLACE_AT = 34, 42
"""Where in such an entry the part and the place lie."""

COMMENT_MOST = 0xFFFF

PLACE_MOST = 0xFFFFFFFE
"""Places beyond it are told in another way, which we do not write."""


def joined(path: Path, opening: Opening) -> Path:
    """A file as it is, or the parts that it is one of, joined; InputError when a part is missing.

    Raises OSError when one cannot be read.
    """
    if numbered := NUMBERED.fullmatch(path.name):
        parts = _numbered(path, numbered["whole"])
        return _join(parts, numbered["whole"], opening) if len(parts) > 1 else path
    if part := ZIP_PART.fullmatch(path.name):
        path = _last_of_zip(path, part["stem"])
    if path.suffix.casefold() not in ZIP_SUFFIXES or not (before := _parts_before(path)):
        return path
    parts = [path.with_suffix(f"{'.Z' if path.suffix.isupper() else '.z'}{i:02}") for i in range(1, before + 1)]
    for one in parts:
        if not one.is_file():
            raise missing_part(one.name, path.name)
    book = _join([*parts, path], path.name, opening)
    sizes = [one.stat().st_size for one in parts]
    try:
        with book.open("r+b") as file:
            _tell_places_anew(file, [sum(sizes[:i]) for i in range(len(sizes) + 1)])
    except (ValueError, struct.error, IndexError) as error:
        raise broken_book(path.name, "ZIP archive", error) from error
    return book


def cut_off(path: Path, error: BrokenBookError) -> InputError:
    """The error for a book that is broken: where it is cut by number, its next part may be what it lacks."""
    numbered = NUMBERED.fullmatch(path.name)
    if numbered is None:
        return error
    following = path.with_name(f"{numbered['whole']}.{len(_numbered(path, numbered['whole'])) + 1:03}")
    return InputError(
        f"{following.name} is missing, or what comes before it is damaged: {error.what}",
        "Put all parts into one folder; if these are all, fetch them again.",
    )


def _numbered(path: Path, whole: str) -> list[Path]:
    """All parts of a set by number; InputError when one is missing that others follow."""
    there = {file.name for file in path.parent.iterdir()}
    named = (f"{whole}.{i:03}" for i in count(1))
    names = list(takewhile(lambda name: name in there, named))
    if any(name > f"{whole}.{len(names) + 1:03}" and NUMBERED.fullmatch(name) for name in _siblings(there, whole)):
        raise missing_part(f"{whole}.{len(names) + 1:03}", path.name)
    return [path.with_name(name) for name in names]


def _siblings(names: set[str], whole: str) -> list[str]:
    return [name for name in names if name.startswith(f"{whole}.")]


def _last_of_zip(path: Path, stem: str) -> Path:
    """The part with the directory; InputError when it is missing."""
    for file in path.parent.iterdir():
        if file.stem == stem and file.suffix.casefold() in ZIP_SUFFIXES:
            return file
    raise missing_part(f"{stem}.zip", path.name)


def _parts_before(path: Path) -> int:
    """How many parts come before the last one of a ZIP archive; a whole one whose end is damaged has none."""
    with path.open("rb") as file:
        head = file.read(4)
        end = _end(file)
    if end is None or end[1] == 0xFFFF or (head == b"PK\x03\x04" and not path.with_suffix(".z01").exists()):
        return 0
    return int(end[1])


def _end(file: IO[bytes]) -> tuple[int, ...] | None:
    """The place of the end record, then its numbers: this part, that of the directory, ..., the directory's place."""
    size = file.seek(0, 2)
    file.seek(max(0, size - END.size - COMMENT_MOST))
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or at + END.size > len(tail):
        return None
    _, *numbers, comment = END.unpack_from(tail, at)
    return (size - len(tail) + at, *numbers) if at + END.size + comment == len(tail) else None


def _join(parts: Sequence[Path], name: str, opening: Opening) -> Path:
    folder = opening.spool.folder() / "joined"
    try:
        folder.mkdir(exist_ok=True)
        out = (folder / name).open("wb")
    except OSError as error:
        raise unwritable(error) from error
    with out:
        for part in parts:
            try:
                source = part.open("rb")
            except OSError as error:
                raise unreadable(part.name, error) from error
            try:
                with source:
                    copyfileobj(source, out)
            except OSError as error:
                raise unwritable(error) from error
    return folder / name


def _tell_places_anew(file: IO[bytes], starts: Sequence[int]) -> None:
    """Make the directory of a joined ZIP archive one of a single part; `starts` are where its parts begin in it."""
    end = _end(file)
    if end is None:
        raise ValueError("its directory is gone")
    at, _, first, _, entries, size, place = end
    if size > HEADER_MOST or starts[first] + place + size > at:
        raise ValueError("its directory lies elsewhere than it says")
    file.seek(starts[first] + place)
    directory = bytearray(file.read(size))
    entry = 0
    for _ in range(entries):
        _, name, extra, comment, part, offset = ENTRY.unpack_from(directory, entry)
        if starts[part] + offset > PLACE_MOST:
            raise ValueError("its parts have more than 4 GB in all, and it has to be joined before")
        struct.pack_into("<H", directory, entry + PART_AT, 0)
        struct.pack_into("<I", directory, entry + PLACE_AT, starts[part] + offset)
        entry += ENTRY.size + name + extra + comment
    file.seek(starts[first] + place)
    file.write(directory)
    file.seek(at + 4)
    file.write(struct.pack("<4H2I", 0, 0, entries, entries, size, starts[first] + place))
