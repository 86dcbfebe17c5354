"""Small archives of every kind, written on the spot."""

from __future__ import annotations

import io
import tarfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import py7zr
import pyzipper
import rars

Contents = Sequence[tuple[str, bytes]]

STAMP = (1980, 1, 1, 0, 0, 0)


def write_zip(path: Path, contents: Contents) -> Path:
    """A ZIP archive; two entries may have one name."""
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, data in contents:
            # Set after the fact, as ZipInfo() itself cuts and turns what it is given.
            info = ZipInfo("x", STAMP)
            info.filename, info.compress_type = name, ZIP_DEFLATED
            archive.NameToInfo.pop(name, None)
            archive.writestr(info, data)
    return path


def write_aes_zip(path: Path, contents: Contents, password: str) -> Path:
    """A ZIP archive with WinZip's AES."""
    with pyzipper.AESZipFile(path, "w", compression=ZIP_DEFLATED, encryption=pyzipper.WZ_AES) as archive:
        archive.setpassword(password.encode())
        for name, data in contents:
            archive.writestr(name, data)
    return path


def write_locked_zip(path: Path, contents: Contents, password: str) -> Path:
    """A ZIP archive with the encryption of PKZIP 2, which Python reads but does not write; its data are stored."""
    with ZipFile(path, "w") as archive:
        for name, data in contents:
            archive.writestr(name, bytes(12) + data)
    raw = bytearray(path.read_bytes())
    with ZipFile(path) as archive:
        infos = archive.infolist()
    at = archive.start_dir
    for info, (_, data) in zip(infos, contents, strict=True):
        crc = zlib.crc32(data)
        start = info.header_offset + 30 + len(info.orig_filename.encode())
        hidden = _pkzip(bytes(11) + bytes([crc >> 24]) + data, password.encode())
        raw[start : start + len(hidden)] = hidden
        for header, flags, checksum in ((info.header_offset, 6, 14), (at, 8, 16)):
            raw[header + flags] |= 1
            raw[header + checksum : header + checksum + 4] = crc.to_bytes(4, "little")
            raw[header + checksum + 8 : header + checksum + 12] = len(data).to_bytes(4, "little")
        at += 46 + len(info.orig_filename.encode())
    path.write_bytes(raw)
    return path


def _pkzip(data: bytes, password: bytes) -> bytes:
    """The bytes as the traditional encryption of PKZIP hides them (APPNOTE.TXT, 6.1)."""
    keys = [0x12345678, 0x23456789, 0x34567890]

    def turn(byte: int) -> None:
        keys[0] = ~zlib.crc32(bytes([byte]), ~keys[0] & 0xFFFFFFFF) & 0xFFFFFFFF
        keys[1] = ((keys[1] + (keys[0] & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = ~zlib.crc32(bytes([keys[1] >> 24]), ~keys[2] & 0xFFFFFFFF) & 0xFFFFFFFF

    for byte in password:
        turn(byte)
    out = bytearray()
    for byte in data:
        key = keys[2] & 0xFFFF | 2
        out.append(byte ^ (key * (key ^ 1) >> 8 & 0xFF))
        turn(byte)
    return bytes(out)


def write_7z(path: Path, contents: Contents, password: str | None = None, *, hide_names: bool = False) -> Path:
    """A 7z archive, all in one block."""
    with py7zr.SevenZipFile(path, "w", password=password, header_encryption=hide_names) as archive:
        for name, data in contents:
            archive.writestr(data, name)
    return path


def write_tar(path: Path, contents: Contents, how: str = "w") -> Path:
    """A TAR archive; `how` is the mode of tarfile."""
    with tarfile.open(path, how) as archive:  # type: ignore[call-overload]
        for name, data in contents:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def rar_writer(version: str, *, solid: bool = False) -> Callable[[Path, Contents], Path]:
    """A writer of RAR archives of that version."""

    def write(path: Path, contents: Contents) -> Path:
        builder = rars.RarBuilder(format=version, solid=solid)
        for name, data in contents:
            builder.add_bytes(data, name)
        builder.write(str(path))
        return path

    return write


WRITERS: dict[str, Callable[[Path, Contents], Path]] = {
    "zip": write_zip,
    "7z": write_7z,
    "tar": write_tar,
    "tar.gz": lambda path, contents: write_tar(path, contents, "w:gz"),
    "tar.bz2": lambda path, contents: write_tar(path, contents, "w:bz2"),
    "tar.xz": lambda path, contents: write_tar(path, contents, "w:xz"),
    "rar2": rar_writer("rar20"),
    "rar4": rar_writer("rar29"),
    "rar4 solid": rar_writer("rar29", solid=True),
    "rar5": rar_writer("rar50"),
    "rar5 solid": rar_writer("rar50", solid=True),
}
