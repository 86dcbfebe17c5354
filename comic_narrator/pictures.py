"""Page pictures as arrays: the one place that decodes them."""

from __future__ import annotations

import warnings
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from comic_narrator.errors import InputError

PLAIN_MODES = frozenset({"1", "L", "RGB", "P"})
ORIENTATION = 0x0112
"""The EXIF tag that says how a camera or scanner was held."""


def open_picture(data: bytes, name: str) -> Image.Image:
    """Decode `data` wholly; InputError naming the picture when it is none, is broken, or is a decompression bomb."""
    try:
        with warnings.catch_warnings():
            # Pillow only warns up to twice its pixel limit; a big scan is welcome, its own error guards beyond that.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            picture = Image.open(BytesIO(data))
            picture.load()
    except UnidentifiedImageError as error:
        raise InputError(f"{name} is not a picture this program can read.", "Use JPEG, PNG or WebP.") from error
    except Image.DecompressionBombError as error:
        raise InputError(f"{name} has more pixels than is safe to decode.", "Scale that page down.") from error
    except (OSError, SyntaxError, ValueError) as error:
        raise InputError(f"{name} is broken: {error}.", "Replace or remove that page.") from error
    return picture


def stored_as_is(picture: Image.Image, name: str) -> str | None:
    """The suffix under which the picture's own bytes are stored, or None where it must be converted first."""
    upright = picture.getexif().get(ORIENTATION, 1) == 1
    opaque = "transparency" not in picture.info
    if picture.mode in PLAIN_MODES and upright and opaque:
        return {"JPEG": ".jpg", "PNG": ".png"}.get(picture.format or "")
    return None


def upright_rgb(picture: Image.Image) -> Image.Image:
    """The picture turned as its EXIF says, on white where it is transparent, in RGB or grey."""
    picture = ImageOps.exif_transpose(picture)
    if picture.mode.startswith("I"):
        # 16-bit grey: Pillow clips instead of scaling.
        picture = Image.fromarray((np.asarray(picture, np.float32) / 257).clip(0, 255).astype(np.uint8))
    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        over = picture.convert("RGBA")
        white = Image.new("RGBA", over.size, "white")
        return Image.alpha_composite(white, over).convert("RGB")
    return picture if picture.mode in ("L", "RGB") else picture.convert("RGB")


def load_rgb(path: Path) -> NDArray[np.uint8]:
    """A stored page image as an array of shape (height, width, 3), RGB."""
    return np.asarray(open_picture(path.read_bytes(), path.name).convert("RGB"))
