"""ComicInfo.xml, as ComicRack made it and the Anansi Project describes it (version 2.1)."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from comic_narrator.ingest.languages import is_written_right_to_left, language_tag
from comic_narrator.ingest.markup import BrokenMetadataError, parse_xml, plain, plain_number
from comic_narrator.ingest.source import Metadata
from comic_narrator.model import Direction

FIRST_YEAR = 1900
"""A volume with so high a number is the year in which a series began."""


def read_comicinfo(data: bytes, name: str, count: int) -> Metadata:
    """What ComicInfo.xml says of a book of `count` pictures; BrokenMetadataError when it cannot be read."""
    root = parse_xml(data, name)
    if root.tag.casefold() != "comicinfo":
        raise BrokenMetadataError(name, f"it holds {root.tag[:40]}, not ComicInfo")
    language = language_tag(root.findtext("LanguageISO"))
    return Metadata(
        origin=name.rpartition("/")[2],
        title=plain(root.findtext("Title")),
        series=plain(root.findtext("Series")),
        number=plain_number(root.findtext("Number")) or _volume(root.findtext("Volume")),
        language=language,
        direction=_direction(root.findtext("Manga", ""), language),
        chapters={i: title for i, page in _pages(root, count) if (title := plain(page.get("Bookmark")))},
        kinds={i: kind for i, page in _pages(root, count) if (kind := _kind(page.get("Type", "")))},
    )


def _pages(root: Element, count: int) -> Iterator[tuple[int, Element]]:
    for page in root.iterfind("Pages/Page"):
        image = page.get("Image", "").strip()
        if image.isdecimal() and len(image) <= len(str(count)) and int(image) < count:
            yield int(image), page


def _volume(text: str | None) -> str | None:
    """Volumes of manga are often numbered there and nowhere else."""
    number = plain_number(text)
    return number if number and number.isdecimal() and len(number) <= 4 and int(number) < FIRST_YEAR else None


def _direction(manga: str, language: str | None) -> Direction | None:
    match manga.strip().casefold():
        case "yesandrighttoleft":
            return "rtl"
        case "no" if not (language and is_written_right_to_left(language)):
            return "ltr"
    # "Yes" says what it is, not which way it goes: translations of manga may be mirrored.
    return None


def _kind(text: str) -> str | None:
    kinds = text.split()
    # The schema says Deleted, its documentation says Delete; a page may have several types.
    return "Deleted" if {"Deleted", "Delete"} & set(kinds) else next(iter(kinds), None)
