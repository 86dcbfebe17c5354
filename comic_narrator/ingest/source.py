"""What every container gives: a title and pages that are read one at a time."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image

from comic_narrator.model import Box
from comic_narrator.pictures import open_picture, stored_as_is, upright_rgb

PICTURE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff"})


@dataclass(frozen=True)
class PagePicture:
    """A page as it is stored: encoded bytes with the file suffix they need, and the size in pixels."""

    data: bytes
    suffix: str
    width: int
    height: int
    source_box: Box


@dataclass(frozen=True)
class PageSource:
    """One page of a container; `name` says where it lies, `picture` reads it; `file` is its own file, if it has one."""

    name: str
    picture: Callable[[], PagePicture]
    file: Path | None = None


@dataclass(frozen=True)
class Source:
    """An opened book: its title and its pages in natural order."""

    title: str
    pages: tuple[PageSource, ...]


def natural_key(name: str) -> tuple[tuple[object, ...], ...]:
    """A sort key that puts page_2 before page_10 and keeps folders together."""
    folders = tuple(
        tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.findall(r"[0-9]+|[^0-9]+", folder))
        for folder in name.casefold().split("/")
    )
    return (*folders, ((2, 0, name),))


def is_page_name(name: str) -> bool:
    """Whether a file of that path inside a container is a page, by its suffix; system litter is none."""
    *folders, file = name.split("/")
    litter = file.startswith(".") or "__MACOSX" in folders
    return not litter and any(file.lower().endswith(suffix) for suffix in PICTURE_SUFFIXES)


def encode(data: bytes, name: str) -> PagePicture:
    """A picture file as a stored page: its own bytes where every later stage can read them, else converted to PNG."""
    picture = open_picture(data, name)
    suffix = stored_as_is(picture, name)
    if suffix is not None:
        return PagePicture(data, suffix, *picture.size, Box(0, 0, *picture.size))
    return encode_png(upright_rgb(picture))


def encode_png(picture: Image.Image) -> PagePicture:
    """A decoded picture as a stored page, PNG with light compression."""
    out = BytesIO()
    picture.save(out, "PNG", compress_level=3)
    return PagePicture(out.getvalue(), ".png", *picture.size, Box(0, 0, *picture.size))
