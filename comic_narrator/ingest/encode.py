"""A picture file as a page is stored: its own bytes where that is possible, else turned, coloured and coded anew."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from comic_narrator import picture_files, pictures
from comic_narrator.errors import BrokenPictureError
from comic_narrator.ingest import intact
from comic_narrator.ingest.source import Limits, Look, PagePicture
from comic_narrator.model import Box, PrintedWord

LONG_SIDE = 6000
"""Pixels of a stored page's longer side at most: a 4K frame still shows a panel of two thirds of the page sharply."""

STRIP_WIDTH = 3000
"""Pixels of a stored strip's width at most; its height is what makes it a strip."""

STRIP_SHAPE = 2.5
"""From this height for each width on a picture is a strip and is later cut into pages."""

JPEG_MOST = 65_500
"""Pixels of a side that a JPEG can have."""

PLAIN = {("JPEG", "L"), ("JPEG", "RGB"), ("PNG", "1"), ("PNG", "L"), ("PNG", "RGB"), ("PNG", "P")}
"""Formats and modes that every later stage reads as they are."""

SUFFIXES = {"JPEG": ".jpg", "PNG": ".png"}

LOSSY = frozenset({"JPEG", "AVIF", "JPEG2000"})
"""Formats whose pixels carry the grain of a lossy code; WebP may."""

LOSSLESS_WEBP = b"VP8L"
"""The chunk of a WebP that holds its pixels without loss."""

LARGE = 1_000_000
"""Pixels from which a lossy picture is coded as JPEG again.

A scan of 1.6 megapixels takes 280 ms and 3.3 MB as PNG, 12 ms and 1.1 MB as JPEG, which keeps it within 47 dB.
"""

JPEG_QUALITY = 95

PNG_LEVEL = 1
"""Higher levels take up to six times as long to save a tenth of the bytes."""

WHITE = 230
"""Levels of 255 from which paper is near-white."""

EVEN = 16
"""Levels by which an empty page's pixels may differ: the grain of a scanner or of a lossy code."""

EMPTY_BITS = {"JPEG": 0.6, "WEBP": 0.2, "AVIF": 0.2, "JPEG2000": 0.2, "GIF": 0.05, "PNG": 0.005}
"""Coded bits a pixel up to which a page may be empty, for PNG for each bit that it has; drawn pages take far more.

Formats that are not listed may be uncompressed, so that their size says nothing.
"""


def places(data: bytes, name: str, limits: Limits) -> tuple[int | None, ...]:
    """Where in a picture file its pages begin, one place for each; InputError when a TIFF is broken or has too many."""
    return picture_files.page_places(data, name, limits.entries)


def look(data: bytes, name: str, limits: Limits, place: int | None = None) -> Look:
    """What a picture file is, told without decoding it where that is possible; `place` is where its page begins.

    InputError naming the picture when it is none, is cut off or damaged, or is larger than the limits allow.
    """
    picture = _whole(data, name, limits, place, closely=True)
    width, height = pictures.upright_size(picture)
    bits = 8 * len(data) / (width * height)
    return Look(width, height, blank=_may_be_blank(picture, bits) and _is_blank(picture, name))


def encode(data: bytes, name: str, limits: Limits, place: int | None = None) -> PagePicture:
    """A picture file, which was looked at before, as a page to store; InputError as for `look`."""
    picture = _whole(data, name, limits, place, closely=False)
    if _plain(picture):
        return _own(picture, data)
    size = pictures.upright_size(picture)
    fitting = fit(*size)
    if fitting != size:
        # A JPEG can be decoded at a fraction of its size, before its sides change places.
        share = fitting[0] / size[0]
        picture.draft(picture.mode, (round(picture.width * share), round(picture.height * share)))
    picture_files.decode(picture, name)
    lossy = picture.format in LOSSY or (picture.format == "WEBP" and LOSSLESS_WEBP not in data)
    return _coded(pictures.upright_rgb(picture, fitting), lossy and _large(fitting), Box(0, 0, *size), ())


def own_bytes(data: bytes, name: str, limits: Limits) -> PagePicture | None:
    """A picture file, which was looked at before, as a page with its very bytes; None where it must be coded anew."""
    picture = _whole(data, name, limits, None, closely=False)
    return _own(picture, data) if _plain(picture) else None


def store(picture: Image.Image, lossy: bool, source: tuple[int, int]) -> PagePicture:
    """A decoded upright picture in RGB or grey as a page to store, made to fit; `source` is the size it came from."""
    fitting = fit(*source)
    if picture.width > fitting[0] or picture.height > fitting[1]:
        picture = pictures.upright_rgb(picture, fitting)
    return _coded(picture, lossy and _large(picture.size), Box(0, 0, *source), ())


def encode_pixels(
    pixels: NDArray[np.uint8], source_box: Box, words: Sequence[PrintedWord] = (), lossy: bool = False
) -> PagePicture:
    """Part of a picture, of shape (height, width, 3), RGB, as a page to store; as JPEG where its source was `lossy`."""
    return _coded(Image.fromarray(np.ascontiguousarray(pixels)), lossy, source_box, words)


def fit(width: int, height: int) -> tuple[int, int]:
    """The size at which a picture of that size is stored, in the same shape."""
    most = STRIP_WIDTH / width if height >= STRIP_SHAPE * width else LONG_SIDE / max(width, height)
    return (width, height) if most >= 1 else (max(1, round(width * most)), max(1, round(height * most)))


def looks_blank(bands: Iterable[Image.Image]) -> bool:
    """Whether nothing is drawn on a decoded picture: all of it is one near-white, but for the grain of its code."""
    lowest, highest = 255, 0
    for band in bands:
        levels = np.asarray(band.convert("L"))
        lowest, highest = min(lowest, int(levels.min())), max(highest, int(levels.max()))
        if lowest < WHITE or highest - lowest > EVEN:
            return False
    return True


def _large(size: tuple[int, int]) -> bool:
    return size[0] * size[1] >= LARGE


def _coded(picture: Image.Image, lossy: bool, source_box: Box, words: Sequence[PrintedWord]) -> PagePicture:
    out = BytesIO()
    lossy = lossy and max(picture.size) <= JPEG_MOST
    if lossy:
        picture.save(out, "JPEG", quality=JPEG_QUALITY, subsampling=0, icc_profile=None)
    else:
        picture.save(out, "PNG", compress_level=PNG_LEVEL, icc_profile=None)
    return PagePicture(out.getvalue(), ".jpg" if lossy else ".png", *picture.size, source_box, tuple(words))


def _whole(data: bytes, name: str, limits: Limits, place: int | None, closely: bool) -> Image.Image:
    picture = picture_files.read_header(data, name, limits.megapixels, place)
    try:
        fault = intact.find_fault(picture, data, closely)
    except NotImplementedError:
        picture_files.decode(picture, name)
        return picture
    if fault:
        raise BrokenPictureError(f"{name} is broken: {fault}.", "Replace or remove that page.")
    return picture


def _plain(picture: Image.Image) -> bool:
    return (
        (picture.format, picture.mode) in PLAIN
        and fit(*picture.size) == picture.size
        and "transparency" not in picture.info
        and pictures.orientation(picture) == 1
        and pictures.shows_srgb(picture.info.get("icc_profile"), "L" if picture.mode in ("1", "L") else "RGB")
    )


def _own(picture: Image.Image, data: bytes) -> PagePicture:
    data = picture_files.mended_png(data) if picture.format == "PNG" else data
    return PagePicture(data, SUFFIXES[str(picture.format)], *picture.size, Box(0, 0, *picture.size))


def _may_be_blank(picture: Image.Image, bits: float) -> bool:
    depth = {"1": 1, "L": 8, "P": 8, "RGBA": 32}.get(picture.mode, 24) if picture.format == "PNG" else 1
    most = EMPTY_BITS.get(str(picture.format))
    return most is None or bits <= most * depth


def _is_blank(picture: Image.Image, name: str) -> bool:
    picture.draft("L", (max(1, picture.width // 8), max(1, picture.height // 8)))
    picture_files.decode(picture, name)
    return looks_blank(pictures.in_bands(picture))
