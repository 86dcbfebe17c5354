"""RAR archives of all versions, solid, encrypted, in one file or several.

The library that unpacks them, rars, holds an archive in memory. So we cut it ourselves: the headers alone make an
archive that can be listed, and one entry with its data makes one that can be read.
"""

from __future__ import annotations

import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import rars

from comic_narrator.errors import InputError, NarratorError
from comic_narrator.ingest.containers.bounds import (
    FETCH_AGAIN,
    MEGABYTE,
    broken_book,
    broken_entry,
    check_count,
    check_entry,
    check_total,
    password_needed,
)
from comic_narrator.ingest.containers.names import decode_names, plain_name
from comic_narrator.ingest.containers.rar_blocks import Block
from comic_narrator.ingest.containers.rar_parts import Part, read_parts
from comic_narrator.ingest.containers.unpacked import Unpacked
from comic_narrator.ingest.source import Entry, Files, Limits, Opening, PasswordNeededError

KIND = "RAR archive"

SIGNATURE = b"Rar!\x1a\x07"

BROKEN = (rars.Error, OSError, MemoryError, ValueError, LookupError)
"""What rars raises: MemoryError when a limit is passed."""

DICTIONARY_MOST = 1024 * MEGABYTE
"""Bytes that RAR 5 may look back; WinRAR itself goes no further unless asked to."""

WHOLE_MOST = 1024 * MEGABYTE
"""Bytes of an archive that rars may take into memory where we cannot cut it, twice over while it lists it."""

UNIX_4, UNIX_5 = 3, 1
"""The numbers of Unix among the systems that a RAR 4 and a RAR 5 entry can be from."""

REPARSE_POINT = 0x400
"""The DOS attribute of a Windows link."""


@dataclass(frozen=True)
class _Member:
    """An entry as rars lists it, with the file and the block that it begins in where we know them."""

    name: str
    info: rars.RarInfo
    regular: bool
    part: Part | None
    block: Block | None


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
        members, comment = _members(path, parts, opening)
    except (rars.PasswordRequired, rars.BadPassword) as error:
        raise password_needed(path.name, opening.password) from error
    except BROKEN as error:
        raise broken_book(path.name, KIND, error) from error
    files = [member for member in members if member.regular]
    check_count(path.name, len(members), opening.limits)
    check_total(path.name, sum(member.info.file_size for member in files), opening.limits)
    if opening.password is None and _all_encrypted(files):
        raise password_needed(path.name, None)
    if len(parts) == 1 and not any(member.info.is_solid for member in members):
        entries = _loose(path, files, opening)
    else:
        volumes = [part.path for part in parts] or [path]
        check_total(path.name, sum(m.info.file_size for m in files), opening.limits, _bytes(volumes))
        unpacked = Unpacked(opening.spool, partial(_fill, volumes, members, opening))
        entries = [
            Entry(member.name, member.info.file_size, partial(unpacked.read, i))
            for i, member in enumerate(members)
            if member.regular
        ]
    return Files(KIND, tuple(entries), comment)


def _bytes(files: Sequence[Path]) -> int:
    return sum(file.stat().st_size for file in files)


def _members(path: Path, parts: Sequence[Part], opening: Opening) -> tuple[list[_Member], str]:
    """All entries that begin in these files, and the archive's comment; without parts rars reads the file whole."""
    options = _options(opening.limits)
    found: list[tuple[rars.RarInfo, bool, Part | None, Block | None]] = []
    comment = b""
    for part in parts:
        archive = rars.RarFile.from_bytes(part.skeleton, password=opening.password, options=options)
        comment = comment or archive.comment or b""
        infos = zip(archive.infolist(), part.files, strict=True)
        found += [(info, _is_file(archive, info), part, block) for info, block in infos]
    if not parts:
        archive = rars.RarFile(str(path), password=opening.password, options=options)
        comment = archive.comment or b""
        found += [(info, _is_file(archive, info), None, None) for info in archive.infolist()]
    begun = [member for member in found if not member[0].is_split_before]
    names = decode_names([info.orig_filename_bytes for info, *_ in begun])
    members = [_Member(plain_name(name), *member) for name, member in zip(names, begun, strict=True)]
    return members, decode_names([comment.rstrip(b"\0")])[0]


def _options(limits: Limits) -> rars.ReadOptions:
    return rars.ReadOptions(
        max_total_output_bytes=limits.total_mb * MEGABYTE,
        rar50_dictionary_size_limit=DICTIONARY_MOST,
        max_reader_workspace_bytes=2 * DICTIONARY_MOST,
    )


def _is_file(archive: rars.RarFile, info: rars.RarInfo) -> bool:
    """Whether an entry is a regular file: no folder, and no link as RAR 5 says or attributes tell."""
    if info.rar_version == "rar50_plus":
        try:
            archive.readlink(info)
        except rars.UnsupportedRarFeature:
            pass  # so it is none
        else:
            return False
    unix = info.host_os == (UNIX_5 if info.rar_version == "rar50_plus" else UNIX_4)
    if unix and stat.S_IFMT(info.file_attr) not in {0, stat.S_IFREG}:
        return False
    return not info.is_dir() and (unix or not info.file_attr & REPARSE_POINT)


def _all_encrypted(files: Sequence[_Member]) -> bool:
    full = [member for member in files if member.info.file_size]
    return bool(full) and all(member.info.is_encrypted for member in full)


def _loose(path: Path, files: Sequence[_Member], opening: Opening) -> list[Entry]:
    """Entries that are read one at a time; PasswordNeededError when all are encrypted and not with that password."""
    reads = [partial(_read, member, f"{path.name}!{member.name}", opening) for member in files]
    if _all_encrypted(files):
        smallest = min((member.info.file_size, i) for i, member in enumerate(files) if member.info.file_size)[1]
        try:
            reads[smallest]()
        except PasswordNeededError as error:
            raise password_needed(path.name, opening.password) from error
        except InputError:
            pass  # damaged: whoever reads it is told so
    return [Entry(member.name, member.info.file_size, read) for member, read in zip(files, reads, strict=True)]


def _read(member: _Member, name: str, opening: Opening) -> bytes:
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
            part.head + block.header + data, password=opening.password, options=_options(opening.limits)
        )
        (only,) = alone.infolist()
        return bytes(alone.read(only, options=_options(opening.limits)))
    except (rars.PasswordRequired, rars.BadPassword) as error:
        raise password_needed(name, opening.password) from error
    except BROKEN as error:
        # RAR 4 cannot tell a wrong password from damage.
        raise (password_needed(name, opening.password) if info.is_encrypted else broken_entry(name, error)) from error


def _fill(
    volumes: Sequence[Path], members: Sequence[_Member], opening: Opening, folder: Path
) -> Mapping[int, Path | NarratorError]:
    """Unpack everything in one go; what follows a damaged entry is lost, as it builds upon it.

    Here rars names the files, and refuses the whole archive if a name leads out of `folder` or is there twice.
    """
    book = volumes[0].name
    try:
        written = rars.extract_volumes(
            [str(volume) for volume in volumes],
            str(folder),
            password=opening.password,
            options=_options(opening.limits),
        )
    except (rars.PasswordRequired, rars.BadPassword) as error:
        raise password_needed(book, opening.password) from error
    except rars.UnsafeArchivePath as error:
        raise InputError(f"{book} holds files whose paths lead out of it.", FETCH_AGAIN) from error
    except BROKEN as error:
        # Entries are unpacked in their order, so the last one there is what rars gave up on.
        places = dict(list(_by_name(members, folder).items())[:-1])
        if not places and any(member.info.is_encrypted for member in members):
            raise password_needed(book, opening.password) from error
        reason: Exception | str = error
    else:
        there = [i for i, member in enumerate(members) if member.info.is_dir() or member.regular]
        paths = dict(zip(there, map(Path, written), strict=False))
        places = paths if len(there) == len(written) else _by_name(members, folder)
        reason = "it is not in the archive"
    return {
        i: _place(f"{book}!{member.name}", member, places.get(i), reason, opening) for i, member in enumerate(members)
    }


def _place(
    name: str, member: _Member, place: Path | None, reason: Exception | str, opening: Opening
) -> Path | NarratorError:
    """Where an entry lies, or why it cannot be had."""
    try:
        check_entry(name, member.info.file_size, opening.limits)
    except InputError as error:
        return error
    if place is None or place.is_symlink() or not place.is_file():
        return broken_entry(name, reason)
    return place


def _by_name(members: Sequence[_Member], folder: Path) -> dict[int, Path]:
    """The entries that were unpacked, in their order, as far as their names are those of the files."""
    there = {
        i: folder / member.info.filename.replace("\\", "/")
        for i, member in enumerate(members)
        if member.regular and ".." not in member.info.filename
    }
    return {i: place for i, place in there.items() if place.is_relative_to(folder) and place.is_file()}
