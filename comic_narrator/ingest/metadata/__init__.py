"""What a book says of itself: the descriptions in it, field by field, and its name as the last resort."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import TypeVar

from comic_narrator.errors import InputError
from comic_narrator.ingest.epub import is_epub, read_opf
from comic_narrator.ingest.markup import plain, read_bytes
from comic_narrator.ingest.metadata.acbf import read_acbf
from comic_narrator.ingest.metadata.comicbookinfo import NAME as COMMENT
from comic_narrator.ingest.metadata.comicbookinfo import read_comment
from comic_narrator.ingest.metadata.comicinfo import read_comicinfo
from comic_narrator.ingest.metadata.filenames import ORIGIN, read_name
from comic_narrator.ingest.source import Entry, Files, Metadata, PasswordNeededError, natural_key

T = TypeVar("T")


def read_metadata(files: Files, pictures: Sequence[str], book_name: str) -> Metadata:
    """What a container says of the book whose pages are the entries `pictures`, in the book's order.

    ComicInfo.xml goes before ACBF, ComicBookInfo, the package of an EPUB, folders and the book's name, which always
    gives a title. A broken description is passed over, and `origin` says so.
    """
    told: list[Metadata] = []
    broken: list[str] = []
    for name, read in _descriptions(files, pictures):
        try:
            found = read()
        except PasswordNeededError:
            raise
        except InputError:
            broken.append(name)
        else:
            told += [found] if found else []
    # The folders in an EPUB are its maker's business.
    folders = Metadata(chapters={} if is_epub(files) else folder_chapters(pictures))
    merged = _merged([*told, folders], read_name(book_name), book_name)
    return replace(merged, origin=_origin(told, merged, broken))


def completed(told: Metadata, book_name: str) -> Metadata:
    """What a book says of itself, and what its name says where it is silent; there is always a title."""
    merged = _merged([told], read_name(book_name), book_name)
    return replace(merged, origin=_origin([told], merged, []))


def _descriptions(files: Files, pictures: Sequence[str]) -> Iterator[tuple[str, Callable[[], Metadata | None]]]:
    """The descriptions in a container, the weightiest first, each with its name for the user."""
    comicinfos = _outermost(entry for entry in files.entries if _base(entry).casefold() == "comicinfo.xml")
    if comicinfos:
        yield _base(comicinfos[0]), partial(_comicinfo, comicinfos, len(pictures))
    for entry in _outermost(entry for entry in files.entries if _base(entry).casefold().endswith(".acbf"))[:1]:
        yield _base(entry), partial(_acbf, entry, pictures)
    yield COMMENT, partial(read_comment, files.comment)
    if is_epub(files):
        yield "the EPUB's package", partial(read_opf, files)


def _base(entry: Entry) -> str:
    return PurePosixPath(entry.name).name


def _outermost(entries: Iterable[Entry]) -> list[Entry]:
    """Those in the fewest folders, in natural order."""
    kept = sorted(
        (entry for entry in entries if "__MACOSX" not in entry.name), key=lambda entry: natural_key(entry.name)
    )
    depth = min((entry.name.count("/") for entry in kept), default=0)
    return [entry for entry in kept if entry.name.count("/") == depth]


def _comicinfo(entries: Sequence[Entry], count: int) -> Metadata:
    found = read_comicinfo(read_bytes(entries[0]), entries[0].name, count)
    if len(entries) == 1:
        return found
    # One beside another: each describes its folder, and only what they share holds for the book.
    return replace(found, title=None, number=None, chapters={}, kinds={})


def _acbf(entry: Entry, pictures: Sequence[str]) -> Metadata:
    return read_acbf(read_bytes(entry), entry.name, pictures)


def _merged(told: Sequence[Metadata], named: Metadata, book_name: str) -> Metadata:
    """Field by field, the first that says anything; a title is made of series and number where none is told."""
    everything = [*told, named]
    series = _first(metadata.series for metadata in everything)
    number = _first(metadata.number for metadata in everything)
    # Where a series is known, a name without one is its, or somebody's remark, and no title.
    title = _first(metadata.title for metadata in (everything if named.series or not series else told))
    return Metadata(
        title=title or " ".join(part for part in (series, number if series else None) if part) or plain(book_name),
        series=series,
        number=number,
        language=_first(metadata.language for metadata in everything),
        direction=_first(metadata.direction for metadata in everything),
        chapters=_first(metadata.chapters for metadata in everything) or {},
        kinds=_first(metadata.kinds for metadata in everything) or {},
    )


def _first(values: Iterable[T | None]) -> T | None:
    return next((value for value in values if value), None)


def _origin(told: Sequence[Metadata], merged: Metadata, broken: Sequence[str]) -> str:
    """Who said what decides: the direction and the kinds of pages; else who said anything; and what is broken."""
    deciding = [
        _first(metadata.origin for metadata in told if metadata.direction),
        _first(metadata.origin for metadata in told if metadata.kinds),
    ]
    anything = _first(metadata.origin for metadata in told if replace(metadata, origin="") != Metadata())
    names = list(dict.fromkeys(name for name in deciding if name)) or [anything or ORIGIN]
    return " and ".join(names) + "".join(f" ({name} is broken)" for name in broken)


def folder_chapters(pictures: Sequence[str]) -> Mapping[int, str]:
    """The chapters that folders make: each with pictures and no further such folder, if there are two or more."""
    folders = [tuple(part for part in picture.split("/")[:-1] if part.strip(". ")) for picture in pictures]
    outer = {folder[:depth] for folder in folders for depth in range(len(folder))}
    begins: dict[tuple[str, ...], int] = {}
    for place, folder in enumerate(folders):
        if folder not in outer:
            begins.setdefault(folder, place)
    if len(begins) < 2:
        return {}
    shared = len(_shared(list(begins)))
    return {place: title for folder, place in begins.items() if (title := plain(", ".join(folder[shared:])))}


def _shared(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    first, last = min(paths), max(paths)
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:length]
