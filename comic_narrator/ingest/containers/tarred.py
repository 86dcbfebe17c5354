"""TAR archives, plain or compressed with gzip, bzip2 or xz."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO

from comic_narrator.ingest.containers.bounds import (
    STEP,
    HeaderFile,
    broken_book,
    broken_entry,
    check_count,
    check_entry,
    check_total,
    unreadable,
    unwritable,
)
from comic_narrator.ingest.containers.names import decode_names, plain_name
from comic_narrator.ingest.source import Entry, Files, Opening

KIND = "TAR archive"

BLOCK = tarfile.BLOCKSIZE

BROKEN = (tarfile.TarError, EOFError, OSError, ValueError, OverflowError, RecursionError)
"""What reading damaged headers of a TAR archive raises."""

BROKEN_STREAM = (EOFError, OSError, MemoryError, zlib.error, lzma.LZMAError, ValueError)
"""What unpacking a damaged gzip, bzip2 or xz stream raises."""


def list_tar(path: Path, opening: Opening) -> Files | None:
    """The regular files of a TAR archive, in its order; None when it is none, InputError when broken or too large.

    A compressed one is first unpacked into the spool, as it could only be read from its start for each entry.
    """
    try:
        with _stream(path) as stream:
            if not _is_header(stream.read(BLOCK)):
                return None
    except BROKEN_STREAM as error:
        raise broken_book(path.name, KIND, error) from error
    plain = path if _magic(path) is None else _decompressed(path, opening)
    try:
        infos = list(_members(plain, path.name, opening))
    except BROKEN as error:
        raise broken_book(path.name, KIND, error) from error
    check_total(path.name, sum(info.size for info in infos), opening.limits)
    names = decode_names([info.name.encode("utf-8", "surrogateescape") for info in infos])
    return Files(
        KIND,
        tuple(
            Entry(name, info.size, partial(_read, plain, info, f"{path.name}!{name}", opening))
            for name, info in zip(map(plain_name, names), infos, strict=True)
        ),
    )


def _magic(path: Path) -> str | None:
    """How a file is compressed, by its first bytes."""
    with path.open("rb") as file:
        head = file.read(6)
    magics = {"gzip": b"\x1f\x8b", "bzip2": b"BZh", "xz": b"\xfd7zXZ\0"}
    return next((name for name, magic in magics.items() if head.startswith(magic)), None)


def _stream(path: Path) -> BinaryIO | gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile:
    """The bytes of a file, decompressed where it is compressed."""
    match _magic(path):
        case "gzip":
            return gzip.open(path)
        case "bzip2":
            return bz2.open(path)
        case "xz":
            return lzma.open(path)
        case _:
            return path.open("rb")


def _is_header(block: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError):
        return False
    return True


def _decompressed(path: Path, opening: Opening) -> Path:
    """The plain archive, in the spool; InputError when it is broken or unpacks to more than it may."""
    packed, size = path.stat().st_size, 0
    handle, name = mkstemp(dir=opening.spool.folder(), suffix=".tar")
    with open(handle, "wb") as out, _stream(path) as stream:  # noqa: PTH123 - opens the handle
        while True:
            try:
                chunk = stream.read(STEP)
            except BROKEN_STREAM as error:
                raise broken_book(path.name, KIND, error) from error
            if not chunk:
                return Path(name)
            size += len(chunk)
            check_total(path.name, size, opening.limits, packed)
            try:
                out.write(chunk)
            except OSError as error:
                raise unwritable(error) from error


def _members(plain: Path, book: str, opening: Opening) -> Iterator[tarfile.TarInfo]:
    """The regular files; an archive that ends amid a file or goes on with something else than a header is broken."""
    end = plain.stat().st_size
    with HeaderFile(plain) as file, tarfile.open(fileobj=file, mode="r:") as archive:
        count = 0
        for count, info in enumerate(archive, 1):
            check_count(book, count, opening.limits)
            if info.size < 0 or (info.isreg() and not info.issparse() and info.offset_data + info.size > end):
                raise EOFError(f"it is cut off in {info.name!a}")
            if info.isreg():
                yield info
        file.seek(archive.offset)
        if any(file.read(BLOCK)):
            raise tarfile.ReadError(f"what follows its {count} entries is no header")


def _read(plain: Path, info: tarfile.TarInfo, name: str, opening: Opening) -> bytes:
    check_entry(name, info.size, opening.limits)
    if info.issparse():
        raise broken_entry(name, "it is stored as a sparse file")
    try:
        with plain.open("rb") as file:
            file.seek(info.offset_data)
            data = file.read(info.size)
    except OSError as error:
        raise unreadable(name, error) from error
    if len(data) != info.size:
        raise broken_entry(name, "the archive is cut off there")
    return data
