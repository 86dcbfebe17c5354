"""A folder of pictures, or one picture."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from comic_narrator.errors import InputError
from comic_narrator.ingest.source import (
    PICTURE_SUFFIXES,
    PagePicture,
    PageSource,
    Source,
    encode,
    is_page_name,
    natural_key,
)
from comic_narrator.pictures import open_picture


def open_folder(path: Path) -> Source:
    """The pictures in a folder and below it, in natural order; InputError when there are none."""
    names = [file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file()]
    names = sorted((name for name in names if is_page_name(name)), key=natural_key)
    if not names:
        raise InputError(
            f"The folder {path} holds no pictures.", f"Pages are files named {', '.join(sorted(PICTURE_SUFFIXES))}."
        )
    return Source(path.resolve().name, tuple(PageSource(name, partial(_read, path / name, name)) for name in names))


def open_single(path: Path) -> Source:
    """One picture as a book of one page; InputError when it is none."""
    wrong = f"{path.name} is not a PDF, a CBZ/ZIP or a picture, whatever its name says."
    try:
        open_picture(path.read_bytes(), path.name)
    except InputError as error:
        if "not a picture" in error.what:
            raise InputError(wrong, "Give a PDF, a CBZ, a folder of pictures or one picture.") from error
        raise
    return Source(path.stem, (PageSource(path.name, partial(_read, path, path.name)),))


def _read(path: Path, name: str) -> PagePicture:
    return encode(path.read_bytes(), name)
