"""Page pictures as they are to be seen: upright, in sRGB, on white; the one place that decodes them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageCms, JpegImagePlugin, PngImagePlugin, TiffImagePlugin

from comic_narrator.picture_files import BROKEN, decode, read_header

ORIENTATION = 0x0112
"""The EXIF tag that says how a camera or scanner was held."""

TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""What makes a picture of that EXIF orientation upright."""

SIDEWAYS = frozenset({5, 6, 7, 8})
"""The orientations whose width and height change places."""

BAND = 4_000_000
"""Pixels that are turned into sRGB at once: Pillow takes four bytes for each, in each of several copies."""

SUPPORT = 3
"""Pixels of the result over which Lanczos' filter reaches to either side."""

SMALLEST_JPEG = 1 / 8
"""Share of its width and height at which a JPEG can be decoded at least."""

SAME_COLOUR = 8
"""A profile that moves no colour by more of 255 levels than this shows the picture as sRGB does, to the eye."""


def orientation(picture: Image.Image) -> int:
    """The picture's EXIF orientation, 1 (upright) to 8; 1 where it says none or what it says is broken."""
    if isinstance(picture, TiffImagePlugin.TiffImageFile):
        # Pillow turns these itself.
        return 1
    if isinstance(picture, PngImagePlugin.PngImageFile) and not {"exif", "Raw profile type exif"} & set(picture.info):
        # Pillow would decode the picture to look for one behind the pixels.
        return 1
    try:
        said = picture.getexif().get(ORIENTATION, 1)
    except BROKEN:
        return 1
    return said if said in TURNS else 1


def upright_size(picture: Image.Image) -> tuple[int, int]:
    """Width and height of a picture, decoded or not, once it is turned as its EXIF says."""
    width, height = picture.size
    return (height, width) if orientation(picture) in SIDEWAYS else (width, height)


def shows_srgb(profile: bytes | None, mode: str) -> bool:
    """Whether numbers of that mode ("L", "RGB", "CMYK") with that ICC profile are plain grey or sRGB.

    True without a profile and with a broken one, but CMYK always needs turning.
    """
    return mode != "CMYK" and (not profile or _to_srgb(profile, mode) is None)


def upright_rgb(picture: Image.Image, size: tuple[int, int] | None = None) -> Image.Image:
    """The picture turned as its EXIF says, on white where it is transparent, in sRGB (mode RGB) or grey (mode L).

    `size` is what it is scaled down to, (width, height) when upright. Beside the picture and the result it takes little
    memory.
    """
    turned = orientation(picture)
    goal = (size[::-1] if turned in SIDEWAYS else size) if size else picture.size
    if picture.width * picture.height <= BAND:
        result = _shown(picture)
        if goal != picture.size:
            result = result.resize(goal, Image.Resampling.LANCZOS, reducing_gap=2.0)
    else:
        bands = _scaled_bands(picture, goal)
        _, first = next(bands)
        result = Image.new(first.mode, goal)
        result.paste(first)
        for top, band in bands:
            result.paste(band, (0, top))
    return result.transpose(TURNS[turned]) if turned in TURNS else result


def in_bands(picture: Image.Image) -> Iterator[Image.Image]:
    """The picture in sRGB or grey on white, as it lies, in bands of rows that take little memory."""
    rows = max(BAND // picture.width, 1)
    for top in range(0, picture.height, rows):
        yield _shown(picture, top, min(top + rows, picture.height))


def decode_rgb(data: bytes, name: str, width: int = 0) -> NDArray[np.uint8]:
    """A stored page image as an array of shape (height, width, 3), RGB; InputError naming it when it is broken.

    With `width` a JPEG may come at a half, a quarter or an eighth of its size, but not narrower than that: which takes
    less time and memory.
    """
    picture = read_header(data, name)
    if width:
        share = min(max(width / picture.width, SMALLEST_JPEG), 1)
        picture.draft(picture.mode, (math.ceil(picture.width * share), math.ceil(picture.height * share)))
    decode(picture, name)
    if orientation(picture) != 1:
        picture = upright_rgb(picture)
    # numpy alone would copy all pixels three times on the way.
    pixels = np.empty((picture.height, picture.width, 3), np.uint8)
    top = 0
    for band in in_bands(picture):
        pixels[top : top + band.height] = np.asarray(band if band.mode == "RGB" else band.convert("RGB"))
        top += band.height
    return pixels


def load_rgb(path: Path, name: str | None = None) -> NDArray[np.uint8]:
    """A stored page image as an array of shape (height, width, 3), RGB; `name` is what an error calls it."""
    return decode_rgb(path.read_bytes(), name or path.name)


def _scaled_bands(picture: Image.Image, goal: tuple[int, int]) -> Iterator[tuple[int, Image.Image]]:
    """The picture in sRGB or grey, scaled to `goal`, in bands, each with its first row."""
    scale = picture.height / goal[1]
    margin = math.ceil(SUPPORT * scale) + 1 if goal != picture.size else 0
    rows = max(int(BAND / picture.width / scale), 1)
    for top in range(0, goal[1], rows):
        bottom = min(top + rows, goal[1])
        first = max(int(top * scale) - margin, 0)
        part = _shown(picture, first, min(math.ceil(bottom * scale) + margin, picture.height))
        if goal != picture.size:
            box = (0, top * scale - first, picture.width, min(bottom * scale - first, part.height))
            part = part.resize((goal[0], bottom - top), Image.Resampling.LANCZOS, box)
        yield top, part


def _shown(picture: Image.Image, top: int = 0, bottom: int | None = None) -> Image.Image:
    """Those rows of a picture in sRGB or grey, on white."""
    profile = picture.info.get("icc_profile")
    # Pillow takes all of them for inverted, but only Adobe's are.
    inverted = picture.mode == "CMYK" and isinstance(picture, JpegImagePlugin.JpegImageFile)
    inverted = inverted and "adobe" not in picture.info
    part = picture if bottom is None else picture.crop((0, top, picture.width, bottom))
    return _managed(_on_white(_eight_bit(ImageChops.invert(part) if inverted else part)), profile)


def _eight_bit(picture: Image.Image) -> Image.Image:
    """16-bit grey as mode L: Pillow clips it instead of scaling."""
    if picture.mode.startswith("I"):
        return Image.fromarray((np.asarray(picture) >> 8).clip(0, 255).astype(np.uint8))
    return picture


def _on_white(picture: Image.Image) -> Image.Image:
    """The picture in mode L, RGB or CMYK, on white where it is transparent."""
    if picture.has_transparency_data:
        over = picture.convert("RGBA")
        white = Image.new("RGB", over.size, "white")
        white.paste(over, mask=over.getchannel("A"))
        return white
    if picture.mode in ("L", "RGB", "CMYK"):
        return picture
    return picture.convert("L" if picture.mode == "1" else "RGB")


def _managed(picture: Image.Image, profile: bytes | None) -> Image.Image:
    """The picture in sRGB or grey; without a usable profile CMYK is taken for plain inks, as browsers do."""
    transform = _to_srgb(profile, picture.mode) if profile else None
    if transform is not None:
        managed = transform.apply(picture)
        return managed.getchannel(0) if picture.mode == "L" else managed
    return picture.convert("RGB") if picture.mode == "CMYK" else picture


@lru_cache(maxsize=8)
def _to_srgb(profile: bytes, mode: str) -> ImageCms.ImageCmsTransform | None:
    """What turns colours of that profile to sRGB; None where nothing need or can be turned."""
    try:
        transform = ImageCms.buildTransform(
            ImageCms.ImageCmsProfile(BytesIO(profile)),
            ImageCms.createProfile("sRGB"),
            mode,
            "RGB",
            flags=ImageCms.Flags.BLACKPOINTCOMPENSATION,
        )
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        # A broken profile, or one for another kind of colours.
        return None
    if mode == "CMYK":
        return transform
    steps = np.linspace(0, 255, 18).round().astype(np.uint8)
    samples = steps[:, None] if mode == "L" else np.stack(np.meshgrid(steps, steps, steps), -1).reshape(-1, 1, 3)
    before = Image.fromarray(samples)
    moved = np.asarray(transform.apply(before), np.int16) - np.asarray(before.convert("RGB"), np.int16)
    return transform if int(np.abs(moved).max()) > SAME_COLOUR else None
