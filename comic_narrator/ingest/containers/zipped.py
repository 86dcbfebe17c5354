"""ZIP and CBZ archives: entries are read one at a time, straight from the archive."""

from __future__ import annotations

import stat
import struct
import zlib
from bz2 import BZ2Decompressor
from collections.abc import Sequence
from copy import copy
from functools import partial
from lzma import LZMAError
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_LZMA, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import pyzipper

from comic_narrator.ingest.containers.bounds import (
    STEP,
    HeaderFile,
    broken_book,
    broken_entry,
    check_count,
    check_entry,
    check_password,
    check_total,
    password_needed,
)
from comic_narrator.ingest.containers.names import decode_names, plain_name
from comic_narrator.ingest.source import Entry, Files, Opening, is_page_name

KIND = "ZIP archive"

BROKEN = (
    BadZipFile,
    pyzipper.BadZipFile,
    EOFError,
    OSError,
    MemoryError,
    NotImplementedError,
    LZMAError,
    zlib.error,
    struct.error,
    ValueError,
    OverflowError,
)
"""What reading a damaged ZIP archive raises."""

ENCRYPTED, UTF8 = 0x1, 0x800
"""Flag bits of an entry."""

AES = 99
"""The compression method that stands for WinZip's AES encryption."""

UNIX = 3
"""The system whose file types an entry's attributes tell."""

UNICODE_PATH = 0x7075
"""The extra field in which Info-ZIP gives a name as UTF-8 beside one of another code page."""

SMALL_STEP = 4096
"""Packed bytes taken at once of LZMA: zipfile sets no bound to what it unpacks them to, 30 MB at most."""


def list_zip(path: Path, opening: Opening) -> Files:
    """The entries of a ZIP archive, in its order; InputError when it is broken or too large, PasswordNeededError."""
    try:
        with HeaderFile(path) as file, ZipFile(file) as directory:
            check_count(path.name, len(directory.filelist), opening.limits)
            aes = any(info.compress_type == AES for info in directory.filelist)
        archive: ZipFile = pyzipper.AESZipFile(path) if aes else ZipFile(path)
    except BROKEN as error:
        reason = "it is cut off, or its directory is gone" if "not a zip file" in str(error) else error
        raise broken_book(path.name, KIND, reason) from error
    named = [(name, info) for name, info in zip(_names(archive), archive.filelist, strict=True) if _is_file(name, info)]
    check_total(path.name, sum(info.file_size for _, info in named), opening.limits)
    _check_password(path.name, archive, named, opening)
    return Files(
        KIND,
        tuple(
            Entry(name, info.file_size, partial(_read, archive, info, f"{path.name}!{name}", opening))
            for name, info in named
        ),
        decode_names([archive.comment])[0],
    )


def _names(archive: ZipFile) -> list[str]:
    """The entries' names; those that say no code page are decoded together."""
    unsaid = {i: info.orig_filename.encode("cp437") for i, info in enumerate(archive.filelist) if not _said(info)}
    decoded = dict(zip(unsaid, decode_names(list(unsaid.values())), strict=True))
    return [
        plain_name(decoded[i] if i in decoded else _said(info) or info.orig_filename)
        for i, info in enumerate(archive.filelist)
    ]


def _said(info: ZipInfo) -> str | None:
    """The name as UTF-8, where the entry gives it so."""
    if info.flag_bits & UTF8:
        return info.orig_filename
    extra = info.extra
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        body, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind == UNICODE_PATH and body[1:5] == zlib.crc32(info.orig_filename.encode("cp437")).to_bytes(4, "little"):
            return body[5:].decode("utf-8", "replace")
    return None


def _is_file(name: str, info: ZipInfo) -> bool:
    kind = stat.S_IFMT(info.external_attr >> 16) if info.create_system == UNIX else 0
    return kind in {0, stat.S_IFREG} and not name.endswith("/")


def _check_password(book: str, archive: ZipFile, named: Sequence[tuple[str, ZipInfo]], opening: Opening) -> None:
    """PasswordNeededError when a page or all is encrypted and no password given, or one that does not open it."""
    full = [(name, info) for name, info in named if info.file_size]
    locked = [(name, info) for name, info in full if info.flag_bits & ENCRYPTED]
    if opening.password is None:
        if locked and (len(locked) == len(full) or any(is_page_name(name) for name, _ in locked)):
            raise password_needed(book, None)
        return
    smallest = sorted((info for _, info in locked), key=lambda info: info.file_size)
    check_password(book, opening.password, [partial(_read, archive, info, book, opening) for info in smallest])


def _read(archive: ZipFile, info: ZipInfo, name: str, opening: Opening) -> bytes:
    check_entry(name, info.file_size, opening.limits, info.compress_size)
    encrypted = bool(info.flag_bits & ENCRYPTED)
    if encrypted and opening.password is None:
        raise password_needed(name, None)
    try:
        return _unpack(archive, info, name, opening)
    except RuntimeError as error:
        if "password" in str(error):
            raise password_needed(name, opening.password) from error
        raise broken_entry(name, error) from error
    except BROKEN as error:
        raise broken_entry(name, f"{error}, or the password is wrong" if encrypted else error) from error


def _unpack(archive: ZipFile, info: ZipInfo, name: str, opening: Opening) -> bytes:
    password = opening.password.encode() if info.flag_bits & ENCRYPTED and opening.password is not None else None
    if info.compress_type == ZIP_BZIP2 and password is None:
        return _bzip2(archive, info)
    step = SMALL_STEP if info.compress_type == ZIP_LZMA else STEP
    data = bytearray()
    with archive.open(info, pwd=password) as stream:
        while chunk := stream.read(step):
            data += chunk
            check_entry(name, len(data), opening.limits)
    if len(data) != info.file_size:
        raise EOFError(f"it gives {len(data)} of its {info.file_size} bytes")
    return bytes(data)


def _bzip2(archive: ZipFile, info: ZipInfo) -> bytes:
    """What a bzip2 entry unpacks to, no more than it says: zipfile would unpack 100 bytes to gigabytes at once."""
    packed = copy(info)
    packed.compress_type, packed.file_size = ZIP_STORED, info.compress_size
    del packed.CRC
    unpacker = BZ2Decompressor()
    data = bytearray()
    with archive.open(packed) as stream:
        while len(data) <= info.file_size and not unpacker.eof:
            chunk = stream.read(STEP) if unpacker.needs_input else b""
            if unpacker.needs_input and not chunk:
                break
            data += unpacker.decompress(chunk, info.file_size + 1 - len(data))
    if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
        raise BadZipFile("its checksum is wrong")
    return bytes(data)
