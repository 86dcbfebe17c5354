"""RAR archives of all versions, solid, encrypted, in one file or several.

The library that unpacks them, rars, holds an archive in memory. So we cut it ourselves: the headers alone make an
archive that can be listed, and one entry with its data makes one that can be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import rars

from comic_narrator.ingest.containers.bounds import (
    MEGABYTE,
    broken_book,
    broken_entry,
    check_count,
    check_entry,
    check_password,
    check_total,
    password_needed,
)
from comic_narrator.ingest.containers.rar_members import BROKEN, KIND, Member, list_members, read_options
from comic_narrator.ingest.containers.rar_parts import read_parts
from comic_narrator.ingest.containers.rar_whole import unpack_hidden, unpack_volumes
from comic_narrator.ingest.containers.unpacked import Unpacked
from comic_narrator.ingest.source import Entry, Files, Opening, is_page_name

SIGNATURE = b"Rar!\x1a\x07"

WHOLE_MOST = 1024 * MEGABYTE
"""Bytes of an archive that rars may take into memory where we cannot cut it, twice over while it lists it."""


def list_rar(path: Path, opening: Opening) -> Files:
    """The regular files of a RAR archive, in its order, those of all its volumes if it has several.

    Raises InputError when it is broken, too large or a volume is missing, PasswordNeededError when it is encrypted.
    """
    try:
        parts = read_parts(path, opening.limits)
    except (EOFError, ValueError) as error:
        if path.stat().st_size > WHOLE_MOST:
            raise broken_book(path.name, KIND, error) from error
        parts = []  # encrypted headers, or what only rars understands, or what it finds words for
    try:
        members, comment = list_members(path, parts, opening)
    except (rars.PasswordRequired, rars.BadPassword) as error:
        raise password_needed(path.name, opening.password) from error
    except BROKEN as error:
        raise broken_book(path.name, KIND, error) from error
    files = [member for member in members if member.regular]
    check_count(path.name, len(members), opening.limits)
    check_total(path.name, sum(member.info.file_size for member in files), opening.limits)
    loose = len(parts) == 1 and not any(member.info.is_solid for member in members)
    _check_password(path, files, opening, loose=loose)
    if loose:
        entries = _loose(path, files, opening)
    else:
        packed = sum(volume.stat().st_size for volume in [part.path for part in parts] or [path])
        check_total(path.name, sum(member.info.file_size for member in files), opening.limits, packed)
        how = partial(unpack_volumes, parts) if parts else partial(unpack_hidden, path)
        unpacked = Unpacked(opening.spool, partial(how, members, opening))
        entries = [
            Entry(member.name, member.info.file_size, partial(unpacked.read, i))
            for i, member in enumerate(members)
            if member.regular
        ]
    return Files(KIND, tuple(entries), comment, tuple(part.path for part in parts) if len(parts) > 1 else ())


def _loose(path: Path, files: Sequence[Member], opening: Opening) -> list[Entry]:
    """Entries that are read one at a time."""
    return [
        Entry(member.name, member.info.file_size, partial(_read, member, f"{path.name}!{member.name}", opening))
        for member in files
    ]


def _check_password(path: Path, files: Sequence[Member], opening: Opening, *, loose: bool) -> None:
    """PasswordNeededError when a page or all is encrypted and no password given, or one that does not open it.

    The smallest encrypted entries are tried; of a solid archive the first, as others cannot be read alone.
    """
    full = [member for member in files if member.info.file_size]
    locked = [member for member in full if member.info.is_encrypted]
    if opening.password is None:
        if locked and (len(locked) == len(full) or any(is_page_name(member.name) for member in locked)):
            raise password_needed(path.name, None)
        return
    tried = sorted(locked, key=lambda member: member.info.file_size) if loose else full[:1]
    reads = [
        partial(_read, member, path.name, opening)
        for member in tried
        if member.block is not None and member.info.is_encrypted and not member.info.is_split_after
    ]
    check_password(path.name, opening.password, reads)


def _read(member: Member, name: str, opening: Opening) -> bytes:
    """One entry, from an archive of its own: what its archive begins with, its header, its data."""
    part, block, info = member.part, member.block, member.info
    if part is None or block is None:
        raise broken_entry(name, "its place in the archive is not known")
    check_entry(name, info.file_size, opening.limits, block.packed)
    try:
        with part.path.open("rb") as file:
            file.seek(block.start)
            data = file.read(block.packed)
        alone = rars.RarFile.from_bytes(
            part.head + block.header + data, password=opening.password, options=read_options(opening.limits)
        )
        (only,) = alone.infolist()
        return bytes(alone.read(only, options=read_options(opening.limits)))
    except (rars.PasswordRequired, rars.BadPassword) as error:
        raise password_needed(name, opening.password) from error
    except BROKEN as error:
        # RAR 4 cannot tell a wrong password from damage.
        raise (password_needed(name, opening.password) if info.is_encrypted else broken_entry(name, error)) from error
