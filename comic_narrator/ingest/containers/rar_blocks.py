"""The blocks a RAR archive is made of: what lies where, so that no more of it than one entry need be in memory.

After the format notes of RARLAB (technote.txt for RAR 1.5 to 4, "RAR 5.0 archive format").
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Literal

RAR4, RAR5 = b"Rar!\x1a\x07\x00", b"Rar!\x1a\x07\x01\x00"

Kind = Literal["main", "file", "service", "encryption", "end", "other"]

KINDS_4: dict[int, Kind] = {0x73: "main", 0x74: "file", 0x7A: "service", 0x7B: "end"}
KINDS_5: dict[int, Kind] = {1: "main", 2: "file", 3: "service", 4: "encryption", 5: "end"}

LONG, LARGE = 0x8000, 0x0100
"""Flags of a RAR 4 block: data follow it, and their size has high bits further on."""

EXTRA, DATA, CONTINUED = 0x1, 0x2, 0x8
"""Flags of a RAR 5 block: an extra area ends its header, data follow it, and they go on from the volume before."""

MORE = 0x1
"""Flag of an end block: the archive goes on in another volume."""

CONTINUED_4, UNICODE_4 = 0x1, 0x200
"""Flags of a RAR 4 file block: its data go on from the volume before; its name is there twice, as bytes and UTF-16."""

NAME_SIZE_4, NAME_4, NAME_LARGE_4 = 26, 32, 40
"""Where in a RAR 4 file block the length of the name and the name lie, the latter also with high bits of sizes."""

TIME_5, CHECKSUM_5 = 0x2, 0x4
"""Flags of a RAR 5 file block: a time and a checksum of 4 bytes each come before its name."""


@dataclass(frozen=True)
class Block:
    """A block: its kind, its header as stored, the same header as if no data followed, and where its data lie.

    `flags` are those of the kind: archive flags of a main block, end flags of an end block. `continued` says that its
    data go on from the volume before.
    """

    kind: Kind
    header: bytes
    bare: bytes
    start: int
    packed: int
    flags: int
    continued: bool

    @property
    def end(self) -> int:
        """The offset behind the data."""
        return self.start + self.packed


def blocks(file: IO[bytes], signature: bytes) -> Iterator[Block]:
    """The blocks from where `file` stands, behind the signature; EOFError or ValueError where it is no archive."""
    read = _block_4 if signature == RAR4 else _block_5
    end = file.seek(0, 1)
    size = file.seek(0, 2)
    while end < size:
        file.seek(end)
        block = read(file)
        if block.end > size:
            raise EOFError("it is cut off")
        yield block
        if block.kind in {"end", "encryption"}:
            return
        end = block.end


def _exactly(file: IO[bytes], size: int) -> bytes:
    data = file.read(size)
    if len(data) != size:
        raise EOFError("it is cut off")
    return data


def _block_4(file: IO[bytes]) -> Block:
    """checksum 2, type 1, flags 2, header size 2, then by type; packed size 4 first, its high part at 32."""
    head = _exactly(file, 7)
    kind, flags, size = head[2], int.from_bytes(head[3:5], "little"), int.from_bytes(head[5:7], "little")
    if size < 7:
        raise ValueError("a block of no size")
    header = head + _exactly(file, size - 7)
    if zlib.crc32(header[2:]) & 0xFFFF != int.from_bytes(header[:2], "little"):
        raise ValueError("a header is damaged, or holds an old comment")
    named = KINDS_4.get(kind, "other")
    bare, packed = bytearray(header), 0
    if (flags & LONG or named == "file") and named != "main" and size >= 11:
        packed = int.from_bytes(header[7:11], "little")
        bare[7:11] = bytes(4)
        if flags & LARGE and named in {"file", "service"}:
            packed += int.from_bytes(header[32:36], "little") << 32
            bare[32:36] = bytes(len(bare[32:36]))
    if named == "end":
        # It may hold a checksum of the data before it.
        bare = bytearray(head[:3] + (flags & MORE).to_bytes(2, "little") + b"\x07\x00")
    bare[:2] = (zlib.crc32(bare[2:]) & 0xFFFF).to_bytes(2, "little")
    return Block(named, header, bytes(bare), file.tell(), packed, flags, bool(flags & CONTINUED_4))


def _block_5(file: IO[bytes]) -> Block:
    """checksum 4, then variable-length numbers: header size, type, flags, size of extra, size of data."""
    checksum = _exactly(file, 4)
    sized = b""
    while not sized or sized[-1] & 0x80:
        sized += _exactly(file, 1)
        if len(sized) > 3:
            raise ValueError("a block of more than 2 MB")
    body = bytearray(_exactly(file, _number(sized, 0)[0]))
    if zlib.crc32(sized + body) != int.from_bytes(checksum, "little"):
        raise ValueError("a header is damaged")
    kind, at = _number(body, 0)
    flags, at = _number(body, at)
    if flags & EXTRA:
        _, at = _number(body, at)
    header, packed = bytes(checksum + sized + body), 0
    if flags & DATA:
        packed, behind = _number(body, at)
        body[at:behind] = b"\x80" * (behind - at - 1) + b"\x00"
        at = behind
    named = KINDS_5.get(kind, "other")
    bare = zlib.crc32(sized + body).to_bytes(4, "little") + sized + body
    own = _number(body, at)[0] if named in {"main", "end"} and at < len(body) else 0
    return Block(named, header, bytes(bare), file.tell(), packed, own, bool(flags & CONTINUED))


def _number(data: bytes | bytearray, at: int) -> tuple[int, int]:
    """A number of 7 bits a byte, low ones first, and the offset behind it."""
    value = 0
    for i, byte in enumerate(data[at : at + 10]):
        value |= (byte & 0x7F) << (7 * i)
        if not byte & 0x80:
            return value, at + i + 1
    raise ValueError("a number without an end")


def renamed(header: bytes, signature: bytes, name: bytes) -> bytes:
    """The header of a file block with another name, shorter than 128 bytes; ValueError when it holds none."""
    return _renamed_4(header, name) if signature == RAR4 else _renamed_5(header, name)


def _renamed_4(header: bytes, name: bytes) -> bytes:
    flags = int.from_bytes(header[3:5], "little")
    at = NAME_LARGE_4 if flags & LARGE else NAME_4
    behind = at + int.from_bytes(header[NAME_SIZE_4 : NAME_SIZE_4 + 2], "little")
    if behind > len(header):
        raise ValueError("a name is longer than its header")
    out = bytearray(header[:at] + name + header[behind:])
    out[3:5] = (flags & ~UNICODE_4).to_bytes(2, "little")
    out[5:7] = len(out).to_bytes(2, "little")
    out[NAME_SIZE_4 : NAME_SIZE_4 + 2] = len(name).to_bytes(2, "little")
    out[:2] = (zlib.crc32(out[2:]) & 0xFFFF).to_bytes(2, "little")
    return bytes(out)


def _renamed_5(header: bytes, name: bytes) -> bytes:
    """After type, flags and sizes: file flags, size, attributes, time, checksum, method, system, length of the name."""
    body = header[_number(header, 4)[1] :]
    _, at = _number(body, 0)
    flags, at = _number(body, at)
    for _ in range(bool(flags & EXTRA) + bool(flags & DATA)):
        _, at = _number(body, at)
    own, at = _number(body, at)
    for _ in range(2):
        _, at = _number(body, at)
    at += 4 * (bool(own & TIME_5) + bool(own & CHECKSUM_5))
    for _ in range(2):
        _, at = _number(body, at)
    size, start = _number(body, at)
    if start + size > len(body):
        raise ValueError("a name is longer than its header")
    body = body[:at] + bytes([len(name)]) + name + body[start + size :]
    sized = _as_number(len(body)) + body
    return zlib.crc32(sized).to_bytes(4, "little") + sized


def _as_number(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(0x80 | value & 0x7F)
        value >>= 7
    return bytes([*out, value])
