"""The pictures that the model gets: a page or a part of it, clean, and with its panels and lettering numbered."""

from __future__ import annotations

import math
from collections.abc import Mapping
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from comic_narrator.model import Box
from comic_narrator.readers.vllm.boxes import Shown
from comic_narrator.readers.vllm.chat import Picture

PANEL = (220, 0, 50)
LINE = (20, 80, 230)
FEW_COLOURS = 256
"""A picture with no more colours is smaller and sharper as PNG."""
QUALITY = 90
TAG = 0.016
"""Height of a number against the longer side of the picture."""


def sized(region: Box, pixels: int) -> Shown:
    """The size at which a region is sent: of its shape, of at most so many pixels, never larger than it is."""
    scale = min(math.sqrt(pixels / region.area), 1.0)
    return Shown(region, max(round(region.w * scale), 1), max(round(region.h * scale), 1))


def clean(page: NDArray[np.uint8], shown: Shown) -> Picture:
    """What is shown of an RGB page, as it is."""
    return _coded(_scaled(page, shown))


def numbered(page: NDArray[np.uint8], shown: Shown, panels: Mapping[int, Box], lines: Mapping[int, Box]) -> Picture:
    """The same with thin frames: panels red as P1, P2, ..., lettering blue as 1, 2, ...; boxes are page pixels."""
    picture = _scaled(page, shown)
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(max(round(TAG * max(picture.size)), 11))
    for number, box in panels.items():
        frame = _on_picture(box, shown)
        pen.rectangle(frame, outline=PANEL, width=2)
        _tag(pen, (frame[0] + 2, frame[1] + 2), f"P{number}", PANEL, font, picture.size)
    for number, box in lines.items():
        frame = _on_picture(box, shown)
        pen.rectangle(frame, outline=LINE, width=1)
        # Beside the lettering: a number on it would hide a letter.
        _tag(pen, (frame[2] + 1, frame[1]), str(number), LINE, font, picture.size)
    return _coded(picture)


def _scaled(page: NDArray[np.uint8], shown: Shown) -> Image.Image:
    region = shown.region
    part = Image.fromarray(page[region.y : region.bottom, region.x : region.right])
    return part if part.size == shown.size else part.resize(shown.size, Image.Resampling.LANCZOS)


def _on_picture(box: Box, shown: Shown) -> tuple[float, float, float, float]:
    x, y = shown.width / shown.region.w, shown.height / shown.region.h
    left, top = (box.x - shown.region.x) * x, (box.y - shown.region.y) * y
    return left, top, left + max(box.w * x - 1, 0), top + max(box.h * y - 1, 0)


def _tag(
    pen: ImageDraw.ImageDraw,
    corner: tuple[float, float],
    text: str,
    colour: tuple[int, int, int],
    font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
    within: tuple[int, int],
) -> None:
    left, top, right, bottom = pen.textbbox((0, 0), text, font=font)
    width, height = right - left + 4, bottom - top + 4
    x, y = max(min(corner[0], within[0] - width), 0), max(min(corner[1], within[1] - height), 0)
    pen.rectangle((x, y, x + width, y + height), fill=colour)
    pen.text((x + 2 - left, y + 2 - top), text, fill=(255, 255, 255), font=font)


def _coded(picture: Image.Image) -> Picture:
    out = BytesIO()
    if picture.getcolors(FEW_COLOURS) is not None:
        picture.save(out, "PNG")
        return Picture(out.getvalue(), "image/png", picture.width, picture.height)
    picture.save(out, "JPEG", quality=QUALITY, subsampling=0)
    return Picture(out.getvalue(), "image/jpeg", picture.width, picture.height)
