"""Right checksums for damaged headers: without them, damage ends at the first check and nothing behind it is tried."""

from __future__ import annotations

import struct
import zlib

from comic_narrator.ingest.containers.rar_blocks import RAR4, RAR5


def mend_7z(data: bytes) -> bytes:
    """A 7z archive whose start and main header have the checksums of what they now hold."""
    if len(data) < 32:
        return data
    offset, size = struct.unpack_from("<QQ", data, 12)
    out = bytearray(data)
    out[:6] = b"7z\xbc\xaf\x27\x1c"
    if 32 + offset + size <= len(data):
        out[28:32] = zlib.crc32(data[32 + offset : 32 + offset + size]).to_bytes(4, "little")
    out[8:12] = zlib.crc32(out[12:32]).to_bytes(4, "little")
    return bytes(out)


def mend_rar4(data: bytes) -> bytes:
    """A RAR 1.5 to 4 archive whose block headers have right checksums, as far as the blocks follow each other."""
    out = bytearray(data)
    out[:7] = RAR4
    at = 7
    while at + 7 <= len(out):
        kind, flags, size = out[at + 2], *struct.unpack_from("<HH", out, at + 3)
        if size < 7 or at + size > len(out):
            break
        out[at : at + 2] = (zlib.crc32(out[at + 2 : at + size]) & 0xFFFF).to_bytes(2, "little")
        follows = struct.unpack_from("<I", out, at + 7)[0] if size >= 11 and (flags & 0x8000 or kind == 0x74) else 0
        at += size + follows
    return bytes(out)


def mend_rar5(data: bytes) -> bytes:
    """A RAR 5 archive whose block headers have right checksums, as far as the blocks follow each other."""
    out = bytearray(data)
    out[:8] = RAR5
    at = 8
    while at + 7 <= len(out):
        size, behind = _number(out, at + 4)
        end = behind + size
        if end > len(out) or size == 0:
            break
        out[at : at + 4] = zlib.crc32(out[at + 4 : end]).to_bytes(4, "little")
        _, place = _number(out, behind)
        flags, place = _number(out, place)
        if flags & 1:
            _, place = _number(out, place)
        at = end + (_number(out, place)[0] if flags & 2 else 0)
    return bytes(out)


def _number(data: bytearray, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data):
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            break
    return value, at


def mend_tar(data: bytes) -> bytes:
    """A TAR archive in which every block that looks like a header has the checksum of one."""
    out = bytearray(data)
    for at in range(0, len(out) - 511, 512):
        if out[at + 257 : at + 262] == b"ustar" or at == 0:
            out[at + 148 : at + 156] = b" " * 8
            out[at + 148 : at + 156] = b"%06o\0 " % sum(out[at : at + 512])
    return bytes(out)
