"""RAR archives that are unpacked as a whole: solid ones, those in several volumes, those whose headers are encrypted.

None of their names ever becomes a path. Where we can read the headers, a copy of the archive is unpacked in which each
entry is called by its number and which holds neither folders nor links; else rars gives the data and we write them.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shutil import rmtree

import rars

from comic_narrator.errors import InputError, NarratorError
from comic_narrator.ingest.containers.bounds import (
    MEGABYTE,
    STEP,
    broken_book,
    broken_entry,
    check_entry,
    password_needed,
    unreadable,
    unwritable,
)
from comic_narrator.ingest.containers.rar_blocks import Block, renamed
from comic_narrator.ingest.containers.rar_members import BROKEN, KIND, Member, read_options
from comic_narrator.ingest.containers.rar_parts import Part
from comic_narrator.ingest.source import Opening

AT_ONCE = 128 * MEGABYTE
"""Bytes of entries that rars gives in one call; for each further call a solid archive is unpacked from its start."""

NUMBER = re.compile(r"(?<=')[0-9]{6,}(?=')")
"""An entry as rars names it in its errors, where we named it."""


def unpack_volumes(
    parts: Sequence[Part], members: Sequence[Member], opening: Opening, folder: Path
) -> Mapping[int, Path | NarratorError]:
    """Unpack an archive of known parts in one go; what follows a damaged entry is lost, as it builds upon it."""
    book = parts[0].path.name
    packed, unpacked = folder / "packed", folder / "unpacked"
    try:
        packed.mkdir()
        unpacked.mkdir()
    except OSError as error:
        raise unwritable(error) from error
    volumes = _renamed(parts, members, packed)
    reason: Exception | str = "it is not in the archive"
    places = {i: unpacked / _number(i) for i in range(len(members))}
    try:
        rars.extract_volumes(
            [str(volume) for volume in volumes],
            str(unpacked),
            password=opening.password,
            options=read_options(opening.limits),
        )
    except (rars.PasswordRequired, rars.BadPassword) as error:
        raise password_needed(book, opening.password) from error
    except BROKEN as error:
        places = _whole(places, members)
        if not places and any(member.info.is_encrypted for member in members):
            raise password_needed(book, opening.password) from error
        names = {_number(i): member.name for i, member in enumerate(members)}
        reason = NUMBER.sub(lambda found: names.get(found[0], found[0]), str(error)) or error
    rmtree(packed, ignore_errors=True)
    return {
        i: _place(f"{book}!{member.name}", member, places.get(i), reason, opening) for i, member in enumerate(members)
    }


def _number(i: int) -> str:
    return f"{i:06}"


def _renamed(parts: Sequence[Part], members: Sequence[Member], folder: Path) -> list[Path]:
    """Copies of the volumes, in which regular files are called by their numbers and all else is left out."""
    volumes: list[Path] = []
    number = -1
    for part in parts:
        kept: list[tuple[bytes, Block]] = []
        for block in part.files:
            number += not block.continued
            if number >= 0 and members[number].regular:
                try:
                    kept.append((renamed(block.header, part.signature, _number(number).encode()), block))
                except (ValueError, IndexError) as error:
                    raise broken_book(part.path.name, KIND, error) from error
        volumes.append(folder / f"{len(volumes)}.rar")
        _write(part, kept, volumes[-1])
    return volumes


def _write(part: Part, kept: Sequence[tuple[bytes, Block]], volume: Path) -> None:
    try:
        source = part.path.open("rb")
    except OSError as error:
        raise unreadable(part.path.name, error) from error
    try:
        with source, volume.open("wb") as out:
            out.write(part.head)
            for header, block in kept:
                out.write(header)
                source.seek(block.start)
                for at in range(0, block.packed, STEP):
                    out.write(source.read(min(STEP, block.packed - at)))
            out.write(part.tail)
    except OSError as error:
        raise unwritable(error) from error


def _whole(places: Mapping[int, Path], members: Sequence[Member]) -> dict[int, Path]:
    """The files that are there when rars gave up: in their order, so that only the last one may be cut off or wrong."""
    there = {i: place for i, place in places.items() if place.is_file()}
    if there:
        last = max(there)
        if there[last].stat().st_size != members[last].info.file_size or _crc(there[last]) != members[last].crc:
            del there[last]
    return there


def _crc(file: Path) -> int:
    crc = 0
    with file.open("rb") as stream:
        while chunk := stream.read(STEP):
            crc = zlib.crc32(chunk, crc)
    return crc


def _place(
    name: str, member: Member, place: Path | None, reason: Exception | str, opening: Opening
) -> Path | NarratorError:
    """Where an entry lies, or why it cannot be had."""
    try:
        check_entry(name, member.info.file_size, opening.limits)
    except InputError as error:
        return error
    return broken_entry(name, reason) if place is None or not place.is_file() else place


def unpack_hidden(
    path: Path, members: Sequence[Member], opening: Opening, folder: Path
) -> Mapping[int, Path | NarratorError]:
    """Unpack an archive whose headers only rars can read; in a solid one what follows a damaged entry is lost."""
    try:
        archive = rars.RarFile(str(path), password=opening.password, options=read_options(opening.limits))
        infos = [info for info in archive.infolist() if not info.is_split_before]
    except BROKEN as error:
        raise broken_book(path.name, KIND, error) from error
    entries: dict[int, Path | NarratorError] = {}
    fitting: list[int] = []
    for i, member in enumerate(members):
        try:
            check_entry(f"{path.name}!{member.name}", member.info.file_size, opening.limits)
        except InputError as error:
            entries[i] = error
        else:
            fitting += [i] * member.regular
    for numbers in _batches(fitting, members):
        for i, data in zip(numbers, _read(archive, [infos[i] for i in numbers], opening), strict=True):
            if isinstance(data, bytes):
                entries[i] = _written(folder / _number(i), data)
            else:
                entries[i] = broken_entry(f"{path.name}!{members[i].name}", data)
    return entries


def _batches(numbers: Sequence[int], members: Sequence[Member]) -> Iterator[list[int]]:
    """The numbers in lots of AT_ONCE bytes, or of one entry that is larger."""
    batch: list[int] = []
    size = 0
    for i in numbers:
        size += members[i].info.file_size
        if batch and size > AT_ONCE:
            yield batch
            batch, size = [], members[i].info.file_size
        batch.append(i)
    if batch:
        yield batch


def _read(archive: rars.RarFile, infos: Sequence[rars.RarInfo], opening: Opening) -> list[bytes | Exception]:
    """The data of some entries, or why they cannot be had."""
    options = read_options(opening.limits)
    try:
        return [bytes(data) for data in archive.read_many(infos, options=options)]
    except BROKEN:
        pass  # one of them is damaged: which one, shows when they are read one by one
    read: list[bytes | Exception] = []
    for info in infos:
        try:
            read.append(bytes(archive.read(info, options=options)))
        except BROKEN as error:
            read.append(error)
            if info.is_solid:
                return read + [error] * (len(infos) - len(read))
    return read


def _written(place: Path, data: bytes) -> Path:
    try:
        place.write_bytes(data)
    except OSError as error:
        raise unwritable(error) from error
    return place
