"""Page pictures as arrays: the one place that decodes them."""

from __future__ import annotations

import math
import struct
import zlib
from functools import lru_cache
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import (
    AvifImagePlugin,
    BmpImagePlugin,
    GifImagePlugin,
    Image,
    ImageChops,
    ImageCms,
    ImageFile,
    Jpeg2KImagePlugin,
    JpegImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)

from comic_narrator.errors import InputError

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

SUBFILE_TYPE = 254
"""The TIFF tag that says what a frame is for."""

NO_PAGE = 1 | 4
"""Bits of SUBFILE_TYPE: a smaller copy of another frame, a transparency mask."""

SAME_COLOUR = 8
"""A profile that moves no colour by more of 255 levels than this shows the picture as sRGB does, to the eye."""

BROKEN = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    EOFError,
    MemoryError,
    AttributeError,
    NotImplementedError,
    struct.error,
    zlib.error,
)
"""What Pillow's readers end in on damaged files: they trust what a header says."""


def read_header(data: bytes, name: str, megapixels: float = math.inf, frame: int = 0) -> Image.Image:
    """A picture with its size and colours known but nothing decoded; `frame` counts the pages of a TIFF.

    InputError naming the picture when it is none, is broken, or has more than that many megapixels.
    """
    # Pillow's Image.open would apply a pixel limit that is global to the process; its readers by themselves do not.
    reader = _reader(data, name)
    try:
        picture = reader(BytesIO(data))
        if isinstance(picture, TiffImagePlugin.TiffImageFile):
            picture.seek(_page_frames(picture, frame + 1)[frame])
        if isinstance(picture, PngImagePlugin.PngImageFile) and "exif" not in picture.info and b"eXIf" in data:
            # It may stand behind the pixels.
            _refuse_bomb(picture, name, megapixels)
            picture.load()
    except BROKEN as error:
        raise _broken(name, error) from error
    _refuse_bomb(picture, name, megapixels)
    return picture


def open_picture(data: bytes, name: str, megapixels: float = math.inf, frame: int = 0) -> Image.Image:
    """A picture decoded wholly; InputError as for `read_header`."""
    picture = read_header(data, name, megapixels, frame)
    decode(picture, name)
    return picture


def decode(picture: Image.Image, name: str) -> None:
    """Decode what `read_header` gave; InputError naming the picture when it is broken."""
    try:
        picture.load()
    except BROKEN as error:
        raise _broken(name, error) from error


def count_frames(data: bytes, name: str, most: int) -> int:
    """How many pages a picture file holds: a TIFF may have several; a GIF's other frames are no pages."""
    picture = read_header(data, name)
    if not isinstance(picture, TiffImagePlugin.TiffImageFile):
        return 1
    try:
        frames = len(_page_frames(picture, most + 1))
    except BROKEN as error:
        raise _broken(name, error) from error
    if frames > most:
        raise InputError(f"{name} holds more than {most} pages.", "Allow more with `--set limits.entries=...`.")
    return frames


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


def upright_rgb(picture: Image.Image) -> Image.Image:
    """The picture turned as its EXIF says, on white where it is transparent, in sRGB (mode RGB) or grey (mode L)."""
    turn = TURNS.get(orientation(picture))
    profile = picture.info.get("icc_profile")
    picture = _managed(_on_white(_eight_bit(picture)), profile)
    return picture if turn is None else picture.transpose(turn)


def load_rgb(path: Path) -> NDArray[np.uint8]:
    """A stored page image as an array of shape (height, width, 3), RGB."""
    picture = upright_rgb(open_picture(path.read_bytes(), path.name))
    return np.asarray(picture if picture.mode == "RGB" else picture.convert("RGB"))


def _reader(data: bytes, name: str) -> type[ImageFile.ImageFile]:
    """Pillow's reader for the picture, told by its first bytes."""
    for signature, reader in (
        (b"\xff\xd8\xff", JpegImagePlugin.JpegImageFile),
        (b"\x89PNG\r\n\x1a\n", PngImagePlugin.PngImageFile),
        (b"GIF8", GifImagePlugin.GifImageFile),
        (b"BM", BmpImagePlugin.BmpImageFile),
        (b"II*\0", TiffImagePlugin.TiffImageFile),
        (b"MM\0*", TiffImagePlugin.TiffImageFile),
        (b"II+\0", TiffImagePlugin.TiffImageFile),
        (b"MM\0+", TiffImagePlugin.TiffImageFile),
        (b"\0\0\0\x0cjP  \r\n\x87\n", Jpeg2KImagePlugin.Jpeg2KImageFile),
        (b"\xff\x4f\xff\x51", Jpeg2KImagePlugin.Jpeg2KImageFile),
    ):
        if data.startswith(signature):
            return reader
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return WebPImagePlugin.WebPImageFile
    if data[4:8] == b"ftyp" and b"avi" in data[8:64]:
        return AvifImagePlugin.AvifImageFile
    if not data:
        raise InputError(f"{name} is broken: it is empty.", "Replace or remove that page.")
    raise InputError(f"{name} is not a picture this program can read.", "Use JPEG, PNG or WebP.")


def _broken(name: str, error: BaseException) -> InputError:
    return InputError(f"{name} is broken: {error}.", "Replace or remove that page.")


def _refuse_bomb(picture: Image.Image, name: str, megapixels: float) -> None:
    width, height = picture.size
    if width * height > megapixels * 1e6:
        raise InputError(
            f"{name} has {width * height / 1e6:.0f} megapixels, more than the {megapixels:g} that are safe to decode.",
            "Scale that page down, or allow more with `--set limits.megapixels=...`.",
        )


def _page_frames(picture: TiffImagePlugin.TiffImageFile, most: int) -> list[int]:
    """The frames of a TIFF that are pages, the first `most` of them; all frames where none says to be one."""
    pages: list[int] = []
    frame = 0
    while len(pages) < most:
        try:
            picture.seek(frame)
        except EOFError:
            break
        if not int(picture.tag_v2.get(SUBFILE_TYPE, 0)) & NO_PAGE:
            pages.append(frame)
        frame += 1
    return pages or list(range(min(frame, most)))


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
    if picture.mode == "CMYK" and isinstance(picture, JpegImagePlugin.JpegImageFile) and "adobe" not in picture.info:
        # Pillow takes all of them for inverted, but only Adobe's are.
        return ImageChops.invert(picture)
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
