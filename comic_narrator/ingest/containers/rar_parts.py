"""The files that a RAR archive consists of, and what lies where in them; volumes are named as WinRAR names them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from comic_narrator.ingest.containers.bounds import MEGABYTE, HeaderFile, check_count, missing_part
from comic_narrator.ingest.containers.rar_blocks import MORE, RAR4, RAR5, Block, blocks
from comic_narrator.ingest.source import Limits

LOCKED, VOLUME, SPLIT_AFTER = 0x80, 0x1, 0x2
"""Flags: headers are encrypted (RAR 4 main block); main block; RAR 4 file block."""

COMMENT_MOST = MEGABYTE

NEW = re.compile(r"(?P<stem>.+\.part)(?P<number>[0-9]+)(?P<suffix>\.[^.]+)", re.IGNORECASE)
"""x.part1.rar, x.part2.rar, ... or x.part01.rar, ..."""

OLD = re.compile(r"(?P<stem>.+\.)(?P<letter>[a-z])(?P<number>[0-9]{2})", re.IGNORECASE)
"""x.rar, x.r00, x.r01, ..., x.r99, x.s00, ..."""


@dataclass(frozen=True)
class Part:
    """One file of an archive: what comes before its entries, the blocks of those, what ends it.

    `skeleton` is all that without any data.
    """

    path: Path
    signature: bytes
    head: bytes
    files: tuple[Block, ...]
    tail: bytes
    skeleton: bytes
    volume: bool
    more: bool


def read_parts(path: Path, limits: Limits) -> list[Part]:
    """The files of the archive that `path` is of; InputError when one is missing, EOFError, ValueError when broken."""
    part = _part(path, limits)
    if not part.volume:
        return [part]
    parts: list[Part] = []
    at = _first_volume(path)
    while True:
        if not at.is_file():
            raise missing_part(at.name, path.name)
        parts.append(_part(at, limits))
        if not parts[-1].more:
            return parts
        at = _next_volume(at)


def _part(path: Path, limits: Limits) -> Part:
    with HeaderFile(path) as file:
        signature = file.read(len(RAR5))
        signature = RAR5 if signature == RAR5 else RAR4
        file.seek(len(signature))
        found: list[Block] = []
        files = 0
        for block in blocks(file, signature):
            found.append(block)
            files += block.kind == "file"
            check_count(path.name, files, limits)
            if block.kind == "encryption" or (signature == RAR4 and block.kind == "main" and block.flags & LOCKED):
                raise ValueError("its headers are encrypted")
        if not found or found[0].kind != "main":
            raise ValueError("it does not begin as an archive does")
        skeleton = signature + b"".join(_kept(file, block) for block in found)
    *_, last = found
    split = signature == RAR4 and last.kind == "file" and bool(last.flags & SPLIT_AFTER)
    return Part(
        path,
        signature,
        signature + found[0].header,
        tuple(block for block in found if block.kind == "file"),
        last.bare if last.kind == "end" else b"",
        skeleton,
        volume=bool(found[0].flags & VOLUME),
        more=split or (last.kind == "end" and bool(last.flags & MORE)),
    )


def _kept(file: HeaderFile, block: Block) -> bytes:
    """A block as it is needed for a list of entries: without its data, unless that is the comment."""
    if block.kind in {"main", "end"}:
        return block.header
    if block.kind == "service" and b"CMT" in block.header and block.packed <= COMMENT_MOST:
        file.seek(block.start)
        return block.header + file.read(block.packed)
    return block.bare if block.kind == "file" else b""


def _first_volume(path: Path) -> Path:
    """The first volume of the set that `path` is one of, by its name."""
    if new := NEW.fullmatch(path.name):
        return path.with_name(f"{new['stem']}{1:0{len(new['number'])}}{new['suffix']}")
    if old := OLD.fullmatch(path.name):
        return next(
            (file for file in path.parent.glob(f"{_escaped(old['stem'])}[rRcC][aAbB][rR]")), path.with_suffix(".rar")
        )
    return path


def _next_volume(path: Path) -> Path:
    """The volume that follows `path`, by its name; it need not exist."""
    if new := NEW.fullmatch(path.name):
        number = f"{int(new['number']) + 1:0{len(new['number'])}}"
        return path.with_name(f"{new['stem']}{number}{new['suffix']}")
    if old := OLD.fullmatch(path.name):
        count = int(old["number"]) + 1
        letter = old["letter"] if count < 100 else chr(ord(old["letter"]) + 1)
        return path.with_name(f"{old['stem']}{letter}{count % 100:02}")
    return path.with_suffix(f"{path.suffix[:2] or '.r'}00")


def _escaped(text: str) -> str:
    return re.sub(r"([\[*?])", r"[\1]", text)
