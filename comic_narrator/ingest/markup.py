"""The small texts that describe a book, read safely: bounded size, no entities, plain words out."""

from __future__ import annotations

import re
import unicodedata
from html.entities import html5
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from comic_narrator.errors import InputError
from comic_narrator.ingest.source import Entry, PasswordNeededError

MAX_BYTES = 4 * 1024 * 1024
"""No description of a book comes near it; a longer one is a mistake or an attack."""

LONGEST = 300
"""Letters of a title or a name that are kept: what is longer is a summary in the wrong place."""

SPARE_ZEROS = re.compile(r"^0+(?=\d)|(?<=\d)\.0+$")
"""The zeros that pad a number for sorting ("007"), and those of a whole number written as a fraction ("1.0")."""


class BrokenMetadataError(InputError):
    """A file that describes the book cannot be read; the pages may be fine."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name} is broken: {why}.", "Mend it, or remove it from the book.")


def read_bytes(entry: Entry) -> bytes:
    """The content of a small entry; BrokenMetadataError when it is too large or cannot be unpacked."""
    if entry.size > MAX_BYTES:
        raise BrokenMetadataError(entry.name, f"it is longer than {MAX_BYTES} bytes")
    try:
        data = entry.read()
    except PasswordNeededError:
        raise
    except InputError as error:
        raise BrokenMetadataError(entry.name, error.what.rstrip(".")) from error
    if len(data) > MAX_BYTES:
        raise BrokenMetadataError(entry.name, f"it is longer than {MAX_BYTES} bytes")
    return data


def parse_xml(data: bytes, name: str) -> Element:
    """XML as a tree of local names, namespaces dropped; BrokenMetadataError names `name` where it is not well-formed.

    A document that declares entities is refused: they serve attacks only.
    """
    tree = TreeBuilder()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True

    def start(tag: str, attributes: dict[str, str]) -> None:
        tree.start(_local(tag), {_local(key): value for key, value in attributes.items()})

    def end(tag: str) -> None:
        tree.end(_local(tag))

    def skipped(entity: str, is_parameter: bool) -> None:
        tree.data("" if is_parameter else html5.get(f"{entity};", ""))

    def declared(*_: object) -> NoReturn:
        raise BrokenMetadataError(name, "it declares entities")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = tree.data
    parser.SkippedEntityHandler = skipped
    parser.EntityDeclHandler = declared
    try:
        parser.Parse(data.lstrip(), True)
    # The parser raises the last two for encodings that it cannot read.
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise BrokenMetadataError(name, str(error)) from error
    return tree.close()


def _local(tag: str) -> str:
    return tag.rpartition(" ")[2]


def plain(text: str | None) -> str | None:
    """Text on one line without control characters, at most LONGEST letters; None when nothing is left."""
    kept = "".join(
        c if unicodedata.category(c) not in ("Cc", "Cs", "Cn") else " " for c in (text or "")[: 10 * LONGEST]
    )
    return " ".join(kept.split())[:LONGEST].strip() or None


def plain_number(text: str | None) -> str | None:
    """A number in a series as people write it: "007" is 7, "1.0" is 1, "12.5" and "3A" stay; None when it is none."""
    words = plain(text)
    return SPARE_ZEROS.sub("", words) if words and any(c.isnumeric() for c in words) else None
