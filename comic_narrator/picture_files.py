"""Picture files: told by their first bytes, and opened by Pillow's readers without being decoded."""

from __future__ import annotations

import math
import re
import struct
import zlib
from io import BytesIO
from typing import Literal

from PIL import (
    AvifImagePlugin,
    BmpImagePlugin,
    GifImagePlugin,
    Image,
    ImageFile,
    Jpeg2KImagePlugin,
    JpegImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)

from comic_narrator.errors import BrokenPictureError, InputError

SUBFILE_TYPE = 254
"""The TIFF tag that says what a frame is for."""

NO_PAGE = 1 | 4
"""Bits of SUBFILE_TYPE: a smaller copy of another frame, a transparency mask."""

SIGNATURE = 64
"""Bytes at the beginning of a file that tell whether it is a picture, and of what kind."""

TIFF = re.compile(rb"II[*+]\0|MM\0[*+]")
"""How a TIFF begins; with a plus its offsets have eight bytes."""

ANCILLARY = 0x20
"""The bit in the first letter of a PNG chunk's kind that says that the picture can be shown without it."""

BROKEN = (
    OSError,
    RuntimeError,
    SyntaxError,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    EOFError,
    MemoryError,
    AttributeError,
    Image.DecompressionBombError,
    struct.error,
    zlib.error,
)
"""What Pillow's readers end in on damaged files: they trust what a header says."""


def is_picture(head: bytes) -> bool:
    """Whether a file that begins with these SIGNATURE bytes is a picture of a kind that is read."""
    return _reader(head) is not None


def read_header(data: bytes, name: str, megapixels: float = math.inf, place: int | None = None) -> Image.Image:
    """A picture with its size and colours known but nothing decoded, of the page at one of its `page_places`.

    InputError naming the picture when it is none, is broken, or has more than that many megapixels.
    """
    # Pillow's Image.open would apply a pixel limit that is global to the process; its readers by themselves do not.
    reader = _reader(data[:SIGNATURE])
    if reader is None and not data:
        raise BrokenPictureError(f"{name} is broken: it is empty.", "Replace or remove that page.")
    if reader is None:
        raise BrokenPictureError(f"{name} is not a picture this program can read.", "Use JPEG, PNG or WebP.")
    try:
        if reader is TiffImagePlugin.TiffImageFile:
            place = _page_places(data, 1)[0] if place is None else place
            picture: ImageFile.ImageFile = reader(_FrameFirst(data, place))
        elif reader is PngImagePlugin.PngImageFile:
            picture = _read_png(data, name, megapixels)
        else:
            picture = reader(BytesIO(data))
    except BROKEN as error:
        raise _broken(name, error) from error
    refuse_bomb(*picture.size, name, megapixels)
    return picture


def decode(picture: Image.Image, name: str) -> None:
    """Decode what `read_header` gave; InputError naming the picture when it is broken."""
    try:
        picture.load()
    except BROKEN as error:
        raise _broken(name, error) from error


def page_places(data: bytes, name: str, most: int) -> tuple[int | None, ...]:
    """Where in a file each of its pages begins: a TIFF may have several; a GIF's other frames are no pages.

    One None for a picture that is no TIFF, of which nothing but its first bytes is looked at. InputError when a TIFF is
    broken or has more than `most` pages.
    """
    if not TIFF.match(data):
        return (None,)
    try:
        places = _page_places(data, most + 1)
    except BROKEN as error:
        raise _broken(name, error) from error
    if len(places) > most:
        raise InputError(f"{name} holds more than {most} pages.", "Allow more with `--set limits.entries=...`.")
    return tuple(places)


def mended_png(data: bytes) -> bytes:
    """A PNG as every viewer takes it: without damaged parts that it does not need, and with its end.

    The very `data` where nothing is amiss with that.
    """
    view = memoryview(data)
    parts: list[bytes | memoryview] = [view[:8]]
    place, sound = 8, True
    while place + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, place)
        end = place + 12 + length
        if kind[0] & ANCILLARY and zlib.crc32(view[place + 4 : end - 4]) != int.from_bytes(data[end - 4 : end], "big"):
            sound = False
        elif end > len(data):
            parts.append(_chunk(kind, data[place + 8 : end - 4]))
        else:
            parts.append(view[place:end])
        if kind == b"IEND":
            return data if sound else b"".join(parts)
        place = end
    return b"".join([*parts, _chunk(b"IEND", b"")])


def refuse_bomb(width: int, height: int, name: str, megapixels: float) -> None:
    """BrokenPictureError when a picture of that size has more megapixels than are safe to decode."""
    if width * height > megapixels * 1e6:
        raise BrokenPictureError(
            f"{name} has {width * height / 1e6:.0f} megapixels, more than the {megapixels:g} that are safe to decode.",
            "Scale that page down, or allow more with `--set limits.megapixels=...`.",
        )


class _FrameFirst(BytesIO):
    """A TIFF file that says that the frame at `place` is its first: Pillow reads all before the one it wants."""

    def __init__(self, data: bytes, place: int) -> None:
        super().__init__(data)
        order: Literal["little", "big"] = "little" if data.startswith(b"II") else "big"
        at, long = _first_place(data)
        self._head = data[:at] + place.to_bytes(long, order)

    def read(self, size: int | None = -1) -> bytes:
        """Bytes of the file; only its first ones are other than they were."""
        at = self.tell()
        got = super().read(size)
        return self._head[at : at + len(got)] + got[max(len(self._head) - at, 0) :] if at < len(self._head) else got


def _first_place(data: bytes) -> tuple[int, int]:
    """Where a TIFF says where its first frame begins, and in how many bytes."""
    return (8, 8) if b"+" in data[:4] else (4, 4)


def _page_places(data: bytes, most: int) -> list[int]:
    """Where those frames of a TIFF begin that are pages, the first `most`; all frames where none says to be one."""
    picture = TiffImagePlugin.TiffImageFile(BytesIO(data))
    at, long = _first_place(data)
    place = int.from_bytes(data[at : at + long], "little" if data.startswith(b"II") else "big")
    pages: list[int] = []
    others: list[int] = []
    seen: set[int] = set()
    while place and place not in seen and len(pages) < most:
        seen.add(place)
        picture.seek(len(seen) - 1)
        (others if int(picture.tag_v2.get(SUBFILE_TYPE, 0)) & NO_PAGE else pages).append(place)
        place = int(picture.tag_v2.next)
    return pages or others[:most]


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _read_png(data: bytes, name: str, megapixels: float) -> PngImagePlugin.PngImageFile:
    """Pillow's reader of a PNG, which knows the EXIF wherever it stands."""
    picture = PngImagePlugin.PngImageFile(BytesIO(mended_png(data)))
    if "exif" not in picture.info and b"eXIf" in data:
        refuse_bomb(*picture.size, name, megapixels)
        picture.load()
    return picture


def _reader(head: bytes) -> type[ImageFile.ImageFile] | None:
    """Pillow's reader for the picture that begins with these bytes, or None for other files."""
    for signature, reader in (
        (b"\xff\xd8\xff", JpegImagePlugin.JpegImageFile),
        (b"\x89PNG\r\n\x1a\n", PngImagePlugin.PngImageFile),
        (b"GIF8", GifImagePlugin.GifImageFile),
        (b"BM", BmpImagePlugin.BmpImageFile),
        (b"\0\0\0\x0cjP  \r\n\x87\n", Jpeg2KImagePlugin.Jpeg2KImageFile),
        (b"\xff\x4f\xff\x51", Jpeg2KImagePlugin.Jpeg2KImageFile),
    ):
        if head.startswith(signature):
            return reader
    if TIFF.match(head):
        return TiffImagePlugin.TiffImageFile
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return WebPImagePlugin.WebPImageFile
    if head[4:8] == b"ftyp" and b"avi" in head[8:SIGNATURE]:
        return AvifImagePlugin.AvifImageFile
    return None


def _broken(name: str, error: BaseException) -> BrokenPictureError:
    if isinstance(error, Image.DecompressionBombError):
        return BrokenPictureError(f"{name} has more pixels than a TIFF or GIF may have.", "Save that page as PNG.")
    return BrokenPictureError(f"{name} is broken: {error}.", "Replace or remove that page.")
