"""What every container gives: its files, and of them the pictures that make a book, read one at a time."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from comic_narrator.errors import InputError
from comic_narrator.model import Box, Direction, PrintedWord

UNREADABLE_SUFFIXES = frozenset({".jxl", ".heic", ".heif"})
"""Suffixes of pictures that nothing here decodes: they are pages all the same, and are named as broken."""

PICTURE_SUFFIXES = frozenset(
    {".jpg", ".jpeg", ".jpe", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".avif", ".jp2", ".j2k", ".jpx"}
)

LITTER = frozenset({"__MACOSX", "@eaDir"})
"""Folders in which macOS and network drives keep thumbnails and the like."""


class PasswordNeededError(InputError):
    """The book is encrypted, and no password or a wrong one was given."""


@dataclass(frozen=True)
class Limits:
    """How much a book may unpack to; beyond it lies either a mistake or an attack."""

    entries: int = 20_000
    entry_mb: int = 512
    total_mb: int = 16_384
    ratio: int = 1_000
    """Unpacked bytes for each packed one, for entries of more than a megabyte."""
    megapixels: int = 200


class Spool:
    """A folder below `parent` that takes what must be unpacked as a whole; made at first use, gone after `with`."""

    def __init__(self, parent: Path) -> None:
        self._parent = parent
        self._folder: Path | None = None

    def folder(self) -> Path:
        """The folder; it is made at the first call."""
        if self._folder is None:
            self._parent.mkdir(parents=True, exist_ok=True)
            self._folder = Path(mkdtemp(prefix=f"unpacked-{os.getpid()}-", dir=self._parent))
        return self._folder

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            rmtree(self._folder, ignore_errors=True)


@dataclass(frozen=True)
class Opening:
    """How a book may be opened: with what password, within what limits, and where it may be unpacked."""

    spool: Spool
    password: str | None = field(default=None, repr=False)
    limits: Limits = Limits()


@dataclass(frozen=True)
class Entry:
    """A regular file in a container: its path there, parts joined by "/", its unpacked size, and how it is read.

    `read` raises InputError naming the entry when it cannot be unpacked.
    """

    name: str
    size: int
    read: Callable[[], bytes]
    file: Path | None = None


@dataclass(frozen=True)
class Files:
    """What a container holds, as it says in its own order; `kind` names the container for the user.

    `parts` are the files of a container that does not lie in the one that was opened alone.
    """

    kind: str
    entries: tuple[Entry, ...]
    comment: str = ""
    parts: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Look:
    """What a picture is without being decoded: its size in upright pixels, and whether nothing is drawn on it."""

    width: int
    height: int
    blank: bool = False


@dataclass(frozen=True)
class PagePicture:
    """A page as it is stored: encoded bytes with the file suffix they need, and the size in pixels.

    `source_box` is the part of the source picture that it shows, in upright source pixels; `words` is a text layer.
    """

    data: bytes
    suffix: str
    width: int
    height: int
    source_box: Box
    words: tuple[PrintedWord, ...] = ()

    @cached_property
    def sha256(self) -> str:
        """The digest of its bytes, hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True)
class PageSource:
    """One picture of a book; `name` says where it lies.

    `frames` counts its pages (a TIFF may hold many), `look` reads what can be told of one without decoding it,
    `picture` gives one as it is to be stored: all three raise InputError when the picture is broken.
    """

    name: str
    frames: Callable[[], int]
    look: Callable[[int], Look]
    picture: Callable[[int], PagePicture]


@dataclass(frozen=True)
class Metadata:
    """What a book says of itself; pictures are counted from 0 in the book's order.

    `origin` names where it was said, for the user; `chapters` maps a picture to the title that begins there, `kinds` to
    what ComicInfo calls its type (FrontCover, Advertisement, ...).
    """

    origin: str = ""
    title: str | None = None
    series: str | None = None
    number: str | None = None
    language: str | None = None
    direction: Direction | None = None
    chapters: Mapping[int, str] = field(default_factory=dict)
    kinds: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Source:
    """An opened book: the kind of its container, its name without suffix, and its pictures in reading order.

    `parts` are the files that it lies in, each with a name that stays when the book is moved. `metadata` is read when
    it is asked for: in a solid archive that may mean to unpack all of it.
    """

    kind: str
    name: str
    parts: tuple[tuple[str, Path], ...]
    pages: tuple[PageSource, ...]
    metadata: Callable[[], Metadata]


def natural_key(name: str) -> tuple[tuple[object, ...], ...]:
    """A sort key that puts page_2 before page_10 and keeps folders together."""
    folders = tuple(
        tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.findall(r"[0-9]+|[^0-9]+", folder))
        for folder in name.casefold().split("/")
    )
    return (*folders, ((2, 0, name),))


def is_page_name(name: str) -> bool:
    """Whether a file of that path inside a container is a page, by its suffix; what systems leave behind is none."""
    *folders, file = name.split("/")
    litter = file.startswith(".") or any(re.match(r"\.[^.]", folder) or folder in LITTER for folder in folders)
    return not litter and file.lower().endswith((*PICTURE_SUFFIXES, *UNREADABLE_SUFFIXES))
