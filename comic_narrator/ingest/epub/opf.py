"""The package of an EPUB: what it holds, in which order, and what it says of itself."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from comic_narrator.errors import InputError
from comic_narrator.ingest.markup import parse_xml, read_bytes
from comic_narrator.ingest.source import Entry, Files

CONTAINER = "META-INF/container.xml"
"""Where the Open Container Format says which file is the package."""

ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]+:|//", re.IGNORECASE)
"""How a reference to something outside of the book begins."""


@dataclass(frozen=True)
class Item:
    """A file of the book: its entry in the container, its media type and its properties ("nav", "cover-image")."""

    entry: Entry
    media_type: str
    properties: frozenset[str]


@dataclass(frozen=True)
class SpineItem:
    """A file in reading order; what is not linear is shown only when it is asked for."""

    item: Item
    is_linear: bool


class Shelf:
    """The entries of a container, found by the references in its files, though they differ in case or escapes."""

    def __init__(self, files: Files) -> None:
        self._entries = {_key(entry.name): entry for entry in reversed(files.entries)}
        self._exact = {entry.name: entry for entry in reversed(files.entries)}

    def find(self, href: str, base: str = "") -> Entry | None:
        """The entry that `href` in the file `base` points to; None when there is none or it lies outside the book."""
        if ELSEWHERE.match(href):
            return None
        bare = re.split(r"[#?]", href, maxsplit=1)[0]
        for spelling in (unquote(bare), href) if bare else ():
            path = posixpath.normpath(posixpath.join("/", posixpath.dirname(base), spelling)).lstrip("/")
            entry = self._exact.get(path) or self._entries.get(_key(path))
            if entry:
                return entry
        return None


@dataclass(frozen=True)
class Package:
    """A parsed package file at the path `name`, its items by id, and its spine."""

    name: str
    root: Element
    shelf: Shelf
    items: Mapping[str, Item]
    spine: tuple[SpineItem, ...]


def open_package(files: Files) -> Package:
    """The package of an EPUB; InputError when there is none or it cannot be read."""
    shelf = Shelf(files)
    entry = _package_entry(files, shelf)
    root = parse_xml(read_bytes(entry), entry.name)
    items = dict(_items(root, shelf, entry.name))
    spine = tuple(
        SpineItem(items[reference], is_linear=itemref.get("linear", "yes").strip() != "no")
        for itemref in root.iterfind("spine/itemref")
        if (reference := itemref.get("idref", "")) in items
    )
    return Package(entry.name, root, shelf, items, spine)


def _package_entry(files: Files, shelf: Shelf) -> Entry:
    container = shelf.find(CONTAINER)
    if container:
        for rootfile in parse_xml(read_bytes(container), container.name).iter("rootfile"):
            entry = shelf.find(rootfile.get("full-path", ""))
            if entry:
                return entry
    for entry in files.entries:
        if PurePosixPath(entry.name).suffix.lower() == ".opf":
            return entry
    raise InputError("This EPUB does not say what it holds: it has no package file.", "Fetch or convert it again.")


def _items(root: Element, shelf: Shelf, name: str) -> Iterator[tuple[str, Item]]:
    for item in root.iterfind("manifest/item"):
        entry = shelf.find(item.get("href", ""), name)
        if entry:
            media_type = item.get("media-type", "").strip().lower()
            yield item.get("id", ""), Item(entry, media_type, frozenset(item.get("properties", "").split()))


def _key(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
