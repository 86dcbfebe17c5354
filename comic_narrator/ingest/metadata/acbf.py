"""ACBF, the Advanced Comic Book Format (version 1.1): an XML file that describes the pictures beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from comic_narrator.ingest.languages import language_tag
from comic_narrator.ingest.markup import BrokenMetadataError, parse_xml, plain, plain_number
from comic_narrator.ingest.source import Metadata


def read_acbf(data: bytes, name: str, pictures: Sequence[str]) -> Metadata:
    """What an ACBF file at the path `name` says of a book of `pictures`; BrokenMetadataError when it cannot be read."""
    root = parse_xml(data, name)
    if root.tag.casefold() != "acbf":
        raise BrokenMetadataError(name, f"it holds {root.tag[:40]}, not ACBF")
    language = _drawn_language(root)
    sequence = root.find("meta-data/book-info/sequence")
    return Metadata(
        origin=name.rpartition("/")[2],
        title=_in_language(root.iterfind("meta-data/book-info/book-title"), language),
        series=plain(sequence.get("title")) if sequence is not None else None,
        number=plain_number(sequence.text) if sequence is not None else None,
        language=language,
        chapters=_chapters(root, PurePosixPath(name).parent, pictures, language),
    )


def _drawn_language(root: Element) -> str | None:
    """The language of the lettering in the pictures: the layer that is not to be shown, as it is drawn already."""
    layers = list(root.iterfind("meta-data/book-info/languages/text-layer"))
    drawn = [layer for layer in layers if layer.get("show", "").casefold() == "false"]
    return next((tag for layer in drawn or layers if (tag := language_tag(layer.get("lang")))), None)


def _in_language(elements: Iterable[Element], language: str | None) -> str | None:
    """The words in the book's language, else in English, else the first."""
    found = [(language_tag(element.get("lang")), words) for element in elements if (words := plain(element.text))]
    for wanted in (language, "en"):
        for tag, words in found:
            if tag == wanted:
                return words
    return found[0][1] if found else None


def _chapters(root: Element, folder: PurePosixPath, pictures: Sequence[str], language: str | None) -> Mapping[int, str]:
    """Pages that bear a title begin a chapter."""
    places = {picture: i for i, picture in enumerate(pictures)}
    chapters = {}
    for page in root.iterfind("body/page"):
        image = page.find("image")
        href = unquote(image.get("href", "")) if image is not None else ""
        place = places.get((folder / href).as_posix())
        title = _in_language(page.iterfind("title"), language)
        if place is not None and title:
            chapters[place] = title
    return chapters
