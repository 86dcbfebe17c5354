"""Whether a picture file is whole, told without decoding its pixels."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import numpy as np
from PIL import BmpImagePlugin, Image, TiffImagePlugin

from comic_narrator.picture_files import ANCILLARY

ALONE = frozenset({0x01, *range(0xD0, 0xD9)})
"""JPEG markers that have no length: TEM, the restarts and the start."""

END, SCAN, HUFFMAN = 0xD9, 0xDA, 0xC4
"""The JPEG markers that end the picture, that begin coded pixels and that begin tables of codes."""

UNKNOWN = frozenset({0x00, *range(0x02, 0xC0), *range(0xF0, 0xFE)})
"""What no decoder takes for a marker: where one is looked for, these stand in coded pixels that were damaged."""

END_MARKER = b"\xff\xd9"

PIECE = 1_000_000
"""Bytes of a PNG's pixels that are decoded at once to see whether all are there."""

CODED = np.zeros(256, bool)
CODED[[0x00, *range(0xD0, 0xD8), 0xFF]] = True
"""Bytes that may follow 0xFF in coded pixels: a zero, a restart, filling; any other makes a marker and ends them."""

STRIPS = ((273, 279), (324, 325))
"""TIFF tags: where strips or tiles begin, and how long they are."""


def find_fault(picture: Image.Image, data: bytes, closely: bool) -> str | None:
    """What is missing or damaged in the file whose header `picture` is, or None where it looks whole.

    `closely` also looks through the coded pixels of JPEG and PNG, which takes most of the time. NotImplementedError for
    formats that only decoding can tell.
    """
    if isinstance(picture, TiffImagePlugin.TiffImageFile):
        return _tiff_fault(picture, len(data))
    if isinstance(picture, BmpImagePlugin.BmpImageFile):
        return _bmp_fault(picture, len(data))
    match picture.format:
        case "JPEG":
            return _jpeg_fault(data, closely)
        case "PNG":
            return _png_fault(picture, data, closely)
        case "GIF":
            return _gif_fault(data)
        case "WEBP":
            return "it is cut off" if 8 + int.from_bytes(data[4:8], "little") > len(data) else None
    raise NotImplementedError(picture.format)


def _jpeg_fault(data: bytes, closely: bool) -> str | None:
    """Walk the segments and the scans to the end marker; what follows it is not the picture's."""
    place, scans = 2, 0
    while place + 2 <= len(data):
        marker = data[place + 1]
        if data[place] != 0xFF:
            # Every decoder passes over what stands between two parts.
            place = data.find(0xFF, place) % (len(data) + 1)
        elif marker == END:
            return None if scans else "it holds no pixels"
        elif marker == 0xFF:
            place += 1
        elif marker in ALONE:
            place += 2
        else:
            length = int.from_bytes(data[place + 2 : place + 4], "big")
            if length < 2 or marker in UNKNOWN:
                return "its parts do not join"
            if marker == HUFFMAN and not _codes_fit(data[place + 4 : place + 2 + length]):
                return "its code tables are damaged"
            place += 2 + length
            if marker == SCAN:
                scans += 1
                # Coded pixels hold no end marker, so the last one is the picture's or follows it.
                place = _scan_end(data, place) if closely else data.rfind(END_MARKER, place) % (len(data) + 1)
    return "it is cut off"


def _scan_end(data: bytes, start: int) -> int:
    """Where the marker stands that ends the coded pixels from `start`; the end of `data` where there is none."""
    # A damaged length may lead behind the end.
    coded = np.frombuffer(data, np.uint8)[start:]
    at = np.flatnonzero(coded[:-1] == 0xFF)
    ends = at[~CODED[coded[at + 1]]]
    return start + int(ends[0]) if ends.size else len(data)


def _codes_fit(tables: bytes) -> bool:
    """Whether Huffman tables have no more codes of any length than there can be, and a sound symbol for each."""
    place = 0
    while place + 17 <= len(tables):
        codes, counts = 0, tables[place + 1 : place + 17]
        for length, count in enumerate(counts, 1):
            codes = 2 * codes + count
            # The code of ones alone is never given.
            if codes >= 1 << length:
                return False
        # Of a table for mean levels (its class is 0) a symbol is a number of bits.
        if tables[place] < 16 and any(symbol > 15 for symbol in tables[place + 17 : place + 17 + sum(counts)]):
            return False
        place += 17 + sum(counts)
    return place == len(tables)


def _png_fault(picture: Image.Image, data: bytes, closely: bool) -> str | None:
    """Walk the chunks to the end chunk and compare each that the picture needs with its checksum."""
    place, pixels = 8, []
    view = memoryview(data)
    while place + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, place)
        end = place + 8 + length
        if kind == b"IDAT":
            pixels.append(view[place + 8 : end])
        if end + 4 > len(data):
            break
        needed = not kind[0] & ANCILLARY
        if closely and needed and zlib.crc32(view[place + 4 : end]) != int.from_bytes(data[end : end + 4], "big"):
            return f"a checksum in it is wrong ({kind.decode('latin-1')})"
        if kind == b"IEND":
            return None if pixels else "it holds no pixels"
        place = end + 4
    # Every viewer shows a picture whose pixels are all there.
    return None if _complete(pixels, picture) else "it is cut off"


def _complete(coded: Sequence[memoryview], picture: Image.Image) -> bool:
    """Whether the coded pixels of a PNG come to their end."""
    stream = zlib.decompressobj()
    # Sixteen bits of four channels, and what each row and each pass begins with.
    left = (picture.width * 8 + 8) * (picture.height + 8)
    try:
        for part in coded:
            rest: bytes | memoryview = part
            while rest and not stream.eof and left > 0:
                left -= len(stream.decompress(rest, PIECE))
                rest = stream.unconsumed_tail
    except zlib.error:
        return False
    return stream.eof


def _gif_fault(data: bytes) -> str | None:
    """Walk the blocks to the end of the first frame."""
    place = 13 + _gif_palette(data[10])
    while place < len(data):
        kind = data[place]
        if kind == 0x21:
            place += 2
        elif kind == 0x2C and place + 10 < len(data):
            place += 11 + _gif_palette(data[place + 9])
        else:
            return "it is cut off" if kind in (0x2C, 0x3B) else "its parts do not join"
        while place < len(data) and data[place]:
            place += 1 + data[place]
        place += 1
        if kind == 0x2C:
            return None if place <= len(data) else "it is cut off"
    return "it is cut off"


def _gif_palette(flags: int) -> int:
    """Bytes of the palette that those flags announce."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _bmp_fault(picture: BmpImagePlugin.BmpImageFile, size: int) -> str | None:
    """An uncompressed picture has a size that its header tells."""
    codec, box, offset, arguments = picture.tile[0]
    if codec != "raw" or not isinstance(arguments, tuple):
        raise NotImplementedError(codec)
    rows = box[3] - box[1] if box else picture.height
    return "it is cut off" if offset + rows * int(arguments[1]) > size else None


def _tiff_fault(picture: TiffImagePlugin.TiffImageFile, size: int) -> str | None:
    """The strips or tiles of the frame lie inside the file."""
    for places, lengths in STRIPS:
        if places in picture.tag_v2 and lengths in picture.tag_v2:
            spans = zip(_numbers(picture.tag_v2[places]), _numbers(picture.tag_v2[lengths]), strict=False)
            return "it is cut off" if any(place + length > size for place, length in spans) else None
    raise NotImplementedError("TIFF without strips")


def _numbers(value: int | Sequence[int]) -> Sequence[int]:
    return (value,) if isinstance(value, int) else value
