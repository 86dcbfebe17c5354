"""EPUB books of pictures: the pages in the order of the spine, and what the package says of the book."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from comic_narrator.errors import InputError
from comic_narrator.ingest.epub.opf import CONTAINER, Item, Package, Shelf, open_package
from comic_narrator.ingest.epub.xhtml import Page, read_page
from comic_narrator.ingest.languages import language_tag
from comic_narrator.ingest.markup import BrokenMetadataError, parse_xml, plain, plain_number, read_bytes
from comic_narrator.ingest.source import Entry, Files, Metadata, is_page_name
from comic_narrator.model import Direction

ENCRYPTION = "META-INF/encryption.xml"
"""Where the Open Container Format says which files are encrypted, and how."""

FONT_OBFUSCATION = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
"""Fonts may be scrambled by these; whatever else is encrypted is locked by a shop."""

PROSE = 1500
"""Letters of a printed page of prose: a book with as many for each of its pictures is a book of text."""

WRITING_MODES: dict[str, Direction] = {"horizontal-rl": "rtl", "vertical-rl": "rtl"}
"""How books made for Kindle say it."""


@dataclass
class _Walk:
    """The pictures met on the way through the spine, where each of its files begins, and the letters of prose."""

    pictures: list[Entry] = field(default_factory=list)
    begins: dict[str, int] = field(default_factory=dict)
    bare: set[str] = field(default_factory=set)
    letters: int = 0


def is_epub(files: Files) -> bool:
    """Whether the files of a container make an EPUB."""
    return Shelf(files).find(CONTAINER) is not None


def picture_names(files: Files, name: str = "This EPUB") -> list[str]:
    """The entries that are the pages of an EPUB, in reading order; none where it shows none.

    `name` is the book's. Raises InputError when its package is broken, when it is locked, or when it is a book of text.
    """
    _check_lock(files, name)
    package = open_package(files)
    walk = _walk(package)
    if walk.letters > PROSE * len(walk.pictures) and not _has_fixed_pages(package, walk):
        raise InputError(
            f"{name} is a book of text, not of pictures.",
            "Give a comic: an EPUB whose pages are pictures, a CBZ, a PDF.",
        )
    return [entry.name for entry in walk.pictures]


def read_opf(files: Files) -> Metadata:
    """What the package of an EPUB says of it, its pictures counted as picture_names() does; InputError when broken."""
    package = open_package(files)
    series, number = _collection(package.root)
    return Metadata(
        origin=package.name.rpartition("/")[2],
        title=_title(package.root),
        series=series,
        number=number,
        language=next((tag for text in _texts(package.root, "language") if (tag := language_tag(text))), None),
        direction=_direction(package.root),
        chapters=_chapters(package),
    )


def _check_lock(files: Files, name: str) -> None:
    entry = Shelf(files).find(ENCRYPTION)
    if entry is None:
        return
    locks = parse_xml(read_bytes(entry), entry.name)
    methods = {method.get("Algorithm") for method in locks.iterfind("EncryptedData/EncryptionMethod")}
    if methods - FONT_OBFUSCATION:
        raise InputError(f"{name} is locked by its shop (DRM) and cannot be read.", "Give an edition without DRM.")


def _walk(package: Package) -> _Walk:
    walk = _Walk()
    for place, spine_item in enumerate(package.spine):
        # A cover is often marked as not linear, and is the first page all the same.
        if not spine_item.is_linear and place > 0:
            continue
        page, pictures = _shown(package, spine_item.item)
        walk.letters += page.letters
        before = len(walk.pictures)
        for picture in pictures:
            if not _is_doubled(walk.pictures, picture):
                walk.pictures.append(picture)
        repeats = bool(pictures) and len(walk.pictures) == before
        walk.begins.setdefault(spine_item.item.entry.name, before - repeats)
        if not pictures:
            walk.bare.add(spine_item.item.entry.name)
    return walk


def _shown(package: Package, item: Item) -> tuple[Page, list[Entry]]:
    """The page that a file of the spine is, and the pictures on it that the book holds."""
    nothing = Page((), 0)
    if item.media_type.startswith("image/") and "svg" not in item.media_type:
        return nothing, [item.entry]
    if not any(kind in item.media_type for kind in ("html", "svg", "xml")):
        return nothing, []
    page = read_page(read_bytes(item.entry), item.entry.name)
    found = [package.shelf.find(href, item.entry.name) for href in page.hrefs]
    return page, [entry for entry in found if entry and is_page_name(entry.name)]


def _is_doubled(pictures: Sequence[Entry], picture: Entry) -> bool:
    """Whether a picture was the last one already: enlarged parts of a page, or the cover again as the first page."""
    if not pictures:
        return False
    last = pictures[-1]
    if last.name == picture.name:
        return True
    try:
        return len(pictures) == 1 and last.size == picture.size and last.read() == picture.read()
    except InputError:
        # The page is broken, which whoever reads it will say.
        return False


def _has_fixed_pages(package: Package, walk: _Walk) -> bool:
    """Whether the pages are laid out once for all, so that prose on them stands on the pictures."""
    said = [
        meta.get("content", meta.text or "").strip().casefold()
        for meta in package.root.iterfind("metadata/meta")
        if "rendition:layout" in (meta.get("property"), meta.get("name")) or meta.get("name") == "fixed-layout"
    ]
    return bool(walk.pictures) and ("pre-paginated" in said or "true" in said)


def _texts(root: Element, tag: str) -> list[str]:
    return [words for element in root.iterfind(f"metadata//{tag}") if (words := plain(element.text))]


def _refined(root: Element, element: Element, key: str) -> str | None:
    """What EPUB 3 says further of an element of the metadata."""
    for meta in root.iterfind("metadata/meta"):
        if meta.get("property") == key and meta.get("refines") == f"#{element.get('id')}":
            return plain(meta.text)
    return None


def _title(root: Element) -> str | None:
    titles = [element for element in root.iterfind("metadata//title") if plain(element.text)]
    main = [element for element in titles if _refined(root, element, "title-type") == "main"]
    return plain((main or titles)[0].text) if titles else None


def _collection(root: Element) -> tuple[str | None, str | None]:
    """Series and number, as EPUB 3 or as calibre writes them."""
    for meta in root.iterfind("metadata/meta"):
        if meta.get("property") == "belongs-to-collection" and (series := plain(meta.text)):
            return series, plain_number(_refined(root, meta, "group-position"))
    named = {meta.get("name"): meta.get("content") for meta in root.iterfind("metadata//meta")}
    return plain(named.get("calibre:series")), plain_number(named.get("calibre:series_index"))


def _direction(root: Element) -> Direction | None:
    spine = root.find("spine")
    match spine.get("page-progression-direction") if spine is not None else None:
        case "rtl":
            return "rtl"
        case "ltr":
            return "ltr"
    named = {meta.get("name"): meta.get("content", "") for meta in root.iterfind("metadata//meta")}
    return WRITING_MODES.get(named.get("primary-writing-mode", ""))


def _chapters(package: Package) -> Mapping[int, str]:
    """The table of contents, where it is one: each file that it names begins a chapter at its first picture."""
    walk = _walk(package)
    named = [(entry.name, title) for entry, title in _contents(package) if entry.name in walk.begins]
    chapters: dict[int, str] = {}
    # A file without pictures lends its title to the picture that follows, unless that has one of its own.
    for name, title in [*(n for n in named if n[0] not in walk.bare), *(n for n in named if n[0] in walk.bare)]:
        if walk.begins[name] < len(walk.pictures):
            chapters.setdefault(walk.begins[name], title)
    # A list of all pages is no table of contents.
    return {} if len(chapters) == len(walk.pictures) > 2 else dict(sorted(chapters.items()))


def _contents(package: Package) -> Iterator[tuple[Entry, str]]:
    """The entries of the table of contents of EPUB 3 (nav) or, where there is none, of EPUB 2 (NCX)."""
    for read, items in ((_nav, _navs(package)), (_ncx, _ncxs(package))):
        for item in items:
            try:
                root = parse_xml(read_bytes(item.entry), item.entry.name)
            except BrokenMetadataError:
                continue
            found = [
                (entry, title)
                for href, title in read(root)
                if title and (entry := package.shelf.find(href, item.entry.name))
            ]
            if found:
                yield from found
                return


def _navs(package: Package) -> list[Item]:
    return [item for item in package.items.values() if "nav" in item.properties]


def _ncxs(package: Package) -> list[Item]:
    return [item for item in package.items.values() if item.media_type == "application/x-dtbncx+xml"]


def _nav(root: Element) -> Iterator[tuple[str, str | None]]:
    for nav in root.iter("nav"):
        if "toc" in nav.get("type", "").split():
            for link in nav.iter("a"):
                yield link.get("href", ""), plain("".join(link.itertext()))


def _ncx(root: Element) -> Iterator[tuple[str, str | None]]:
    for point in root.iter("navPoint"):
        content = point.find("content")
        yield content.get("src", "") if content is not None else "", plain(point.findtext("navLabel/text"))
