"""7z archives: unpacked as a whole at the first read, as their entries are packed together."""

from __future__ import annotations

import lzma
import os
import struct
import zlib
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import py7zr
from py7zr.exceptions import ArchiveError, PasswordRequired
from py7zr.io import NullIOFactory, Py7zIO, WriterFactory

from comic_narrator.errors import InputError, NarratorError
from comic_narrator.ingest.containers.bounds import (
    HEADER_MOST,
    broken_book,
    broken_entry,
    check_count,
    check_entry,
    check_password,
    check_total,
    password_needed,
    unwritable,
)
from comic_narrator.ingest.containers.names import plain_name
from comic_narrator.ingest.containers.unpacked import Unpacked
from comic_narrator.ingest.source import Entry, Files, Limits, Opening

KIND = "7z archive"

MAGIC = b"7z\xbc\xaf\x27\x1c"

BROKEN = (
    ArchiveError,
    lzma.LZMAError,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    MemoryError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    AssertionError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
)
"""What py7zr raises for damaged or made-up headers and data; it checks little before it uses it."""

LZMA, X86, AES = b"\x03\x01\x01", b"\x03\x03\x01\x03", b"\x06\xf1\x07\x01"

METHODS = {
    b"\x00": "copy",
    b"\x03": "delta",
    b"\x21": "LZMA2",
    LZMA: "LZMA",
    X86: "x86",
    b"\x04\x01\x08": "Deflate",
    b"\x04\x02\x02": "bzip2",
    AES: "AES",
}
"""The methods that pictures are packed with; the unpackers of others crash on damaged data (PPMd) or were not tried."""

ODD_METHODS = (X86, b"\x03\x04\x01", b"\x04\x01\x09", b"\x04\xf7\x11")
"""Other methods that py7zr would unpack a directory with: program filters, PPMd, Deflate64, Zstandard and Brotli."""

START = 32
"""Bytes of the start header: magic 6, version 2, checksum 4; of the directory the offset 8, size 8, checksum 4."""

PACKED_DIRECTORY = b"\x17"

GIVE_UP = 16
"""Damaged blocks after which the rest is taken for damaged too: each one costs a new start."""


def list_7z(path: Path, opening: Opening) -> Files:
    """The regular files of a 7z archive, in its order; InputError when broken or too large, PasswordNeededError."""
    try:
        _check_directory(path)
        with path.open("rb") as file, py7zr.SevenZipFile(file, password=opening.password) as archive:
            check_count(path.name, len(archive.files), opening.limits)
            found = [(i, info.filename, info.uncompressed) for i, info in enumerate(archive.files) if _is_file(info)]
            odd = {i for i, info in enumerate(archive.files) if not _is_known(info)}
            locked = archive.needs_password()
            first = _first_locked(archive.files)
    except PasswordRequired as error:
        raise password_needed(path.name, None) from error
    except BROKEN as error:
        # With encrypted headers a wrong password gives nonsense, and nothing tells it from damage.
        if opening.password is not None:
            raise password_needed(path.name, opening.password) from error
        raise broken_book(path.name, KIND, error) from error
    if locked and opening.password is None:
        raise password_needed(path.name, None)
    check_total(path.name, sum(size for _, _, size in found), opening.limits, path.stat().st_size)
    if locked and opening.password is not None:
        check_password(path.name, opening.password, [partial(_try, path, i, opening) for i in first if i not in odd])
    names = {number: f"{path.name}!{plain_name(name)}" for number, name, _ in found}
    unpacked = Unpacked(opening.spool, partial(_fill, path, names, odd, opening, locked))
    return Files(
        KIND,
        tuple(Entry(plain_name(name), size, partial(unpacked.read, number)) for number, name, size in found),
    )


def _check_directory(path: Path) -> None:
    """ValueError when the directory is too large, or packed with a method whose unpacker we do not trust."""
    with path.open("rb") as file:
        start = file.read(START)
        offset, size = struct.unpack_from("<QQ", start, 12)
        if size > HEADER_MOST:
            raise ValueError(f"its directory has {size} bytes, which no book needs")
        file.seek(offset, os.SEEK_CUR)
        directory = file.read(size)
    if directory.startswith(PACKED_DIRECTORY) and any(method in directory for method in ODD_METHODS):
        raise ValueError("its directory is packed in a way that is not read here")


def _is_known(info: py7zr.py7zr.ArchiveFile) -> bool:
    """Whether an entry is packed with known methods; the x86 filter is liblzma's own but where it meets old LZMA."""
    methods = set() if info.emptystream else {coder["method"] for coder in info.folder.coders}
    return methods <= METHODS.keys() and not methods >= {LZMA, X86}


def _is_file(info: py7zr.py7zr.ArchiveFile) -> bool:
    return not (info.is_directory or info.is_symlink or info.is_junction or info.is_socket)


def _first_locked(files: py7zr.py7zr.ArchiveFileList) -> list[int]:
    """The first entry with data of each encrypted block, the smallest first: nothing before it need be unpacked."""
    first: dict[int, tuple[int, int]] = {}
    for i, info in enumerate(files):
        if not info.emptystream and any(coder["method"] == AES for coder in info.folder.coders):
            first.setdefault(id(info.folder), (info.uncompressed, i))
    return [i for _, i in sorted(first.values())]


def _try(path: Path, number: int, opening: Opening) -> None:
    """Unpack one entry; PasswordNeededError when that fails, as nothing tells a wrong password from damage."""
    try:
        with path.open("rb") as file, py7zr.SevenZipFile(file, password=opening.password) as archive:
            archive.files.files_list[number]["filename"] = name = "the entry that is tried"
            archive.extract(targets=[name], factory=NullIOFactory())
    except (*BROKEN, PasswordRequired) as error:
        raise password_needed(path.name, opening.password) from error


def _fill(
    path: Path, names: Mapping[int, str], odd: set[int], opening: Opening, locked: bool, folder: Path
) -> Mapping[int, Path | NarratorError]:
    """Unpack what can be; after a damaged entry the rest of its block is lost, and the next block goes on."""
    entries: dict[int, Path | NarratorError] = {
        number: broken_entry(names[number], "it is packed with a method that is not read here")
        for number in odd & set(names)
    }
    left = set(names) - odd
    for attempt in range(GIVE_UP):
        writers = _Writers(folder, names, opening.limits)
        blocks: list[int] = []
        try:
            with path.open("rb") as file, py7zr.SevenZipFile(file, password=opening.password) as archive:
                blocks = [id(info.folder) for info in archive.files]
                for number, described in enumerate(archive.files.files_list):
                    # Our own names: none of the archive's is ever a path, and two of one name stay two.
                    described["filename"] = str(number)
                archive.extract(targets=[str(number) for number in left], factory=writers)
        except (*BROKEN, PasswordRequired) as error:
            entries |= writers.done
            left -= set(writers.done)
            if locked and not writers.done:
                raise password_needed(path.name, opening.password) from error
            lost = _lost(left, writers.at, blocks, last=attempt == GIVE_UP - 1)
            entries |= {number: broken_entry(names[number], error) for number in lost}
            left -= lost
        else:
            entries |= writers.done
            left -= set(writers.done)
            break
    return entries | {number: broken_entry(names[number], "it is not in the archive") for number in left}


def _lost(left: set[int], at: int | None, blocks: list[int], *, last: bool) -> set[int]:
    """The entries that share the block of the one that failed, from it on; all when that cannot be told."""
    if at is None or last:
        return set(left)
    return {number for number in left if blocks[number] == blocks[at]}


class _Writers(WriterFactory):
    """Opens a file named by its number for each entry that py7zr begins to unpack."""

    def __init__(self, folder: Path, names: Mapping[int, str], limits: Limits) -> None:
        self.done: dict[int, Path | NarratorError] = {}
        self.at: int | None = None
        self._folder = folder
        self._names = names
        self._limits = limits

    def create(self, filename: str) -> Py7zIO:
        """The file for the entry of that number."""
        self.at = int(Path(filename).name)
        return _Writer(self, self.at, self._folder / str(self.at), self._names[self.at], self._limits)


class _Writer(Py7zIO):
    """One entry on its way to its file; it is done when it is closed."""

    def __init__(self, writers: _Writers, number: int, file: Path, name: str, limits: Limits) -> None:
        self._writers, self._number, self._file, self._name, self._limits = writers, number, file, name, limits
        self._size = 0
        self._refused: NarratorError | None = None
        self._append(b"")

    def write(self, s: bytes | bytearray) -> int:
        """Append to the file; of an entry that is too large nothing is kept, and the next ones still follow."""
        self._size += len(s)
        if self._refused is None:
            try:
                check_entry(self._name, self._size, self._limits)
                self._append(s)
            except InputError as error:
                self._refused = error
                self._file.unlink()
        return len(s)

    def _append(self, data: bytes | bytearray) -> None:
        try:
            with self._file.open("ab") as out:
                out.write(data)
        except OSError as error:
            raise unwritable(error) from error

    def close(self) -> None:
        """The entry is unpacked and its checksum right."""
        self._writers.done[self._number] = self._refused or self._file

    def read(self, size: int | None = None) -> bytes:
        """Nothing: an entry is only written."""
        return b""

    def seek(self, offset: int, whence: int = 0) -> int:
        """Stay at the end: py7zr rewinds what is already complete."""
        return offset

    def flush(self) -> None:
        """Nothing is held back."""

    def size(self) -> int:
        """Bytes written."""
        return self._size
