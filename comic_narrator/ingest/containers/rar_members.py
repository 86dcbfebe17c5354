"""The entries of a RAR archive, as rars lists them from its headers alone."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import rars

from comic_narrator.ingest.containers.bounds import MEGABYTE
from comic_narrator.ingest.containers.names import decode_names, plain_name
from comic_narrator.ingest.containers.rar_blocks import Block
from comic_narrator.ingest.containers.rar_parts import Part
from comic_narrator.ingest.source import Limits, Opening

KIND = "RAR archive"

BROKEN = (rars.Error, OSError, MemoryError, ValueError, LookupError)
"""What rars raises: MemoryError when a limit is passed."""

DICTIONARY_MOST = 1024 * MEGABYTE
"""Bytes that RAR 5 may look back; WinRAR itself goes no further unless asked to."""

UNIX_4, UNIX_5 = 3, 1
"""The numbers of Unix among the systems that a RAR 4 and a RAR 5 entry can be from."""

REPARSE_POINT = 0x400
"""The DOS attribute of a Windows link."""


@dataclass(frozen=True)
class Member:
    """An entry, with the file and the block that it begins in where we know them; `crc` is that of all its data."""

    name: str
    info: rars.RarInfo
    regular: bool
    crc: int | None
    part: Part | None = None
    block: Block | None = None


def list_members(path: Path, parts: Sequence[Part], opening: Opening) -> tuple[list[Member], str]:
    """All entries that begin in these files, and the archive's comment; without parts rars reads the file whole.

    Raises what rars raises.
    """
    options = read_options(opening.limits)
    found: list[Member] = []
    comment = b""
    for part in parts:
        archive = rars.RarFile.from_bytes(part.skeleton, password=opening.password, options=options)
        comment = comment or archive.comment or b""
        for info, block in zip(archive.infolist(), part.files, strict=True):
            if not block.continued:
                found.append(Member("", info, _is_file(archive, info), info.CRC, part, block))
            elif found:
                found[-1] = replace(found[-1], crc=info.CRC)
    if not parts:
        archive = rars.RarFile(str(path), password=opening.password, options=options)
        comment = archive.comment or b""
        found = [
            Member("", info, _is_file(archive, info), info.CRC)
            for info in archive.infolist()
            if not info.is_split_before
        ]
    names = decode_names([member.info.orig_filename_bytes for member in found])
    members = [replace(member, name=plain_name(name)) for name, member in zip(names, found, strict=True)]
    return members, decode_names([comment.rstrip(b"\0")])[0]


def read_options(limits: Limits) -> rars.ReadOptions:
    """What rars may take and give in one call."""
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
