"""A page of an EPUB: the pictures that it shows and how much prose stands beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from xml.etree.ElementTree import Element

from comic_narrator.ingest.markup import BrokenMetadataError, parse_xml

PICTURE_REFERENCES = {"img": "src", "image": "href", "object": "data"}
"""The elements that show a picture, of XHTML and of SVG, and their attributes that say which."""

UNREAD = frozenset({"head", "script", "style", "noscript"})
"""Elements whose text is not shown."""

GROUND = re.compile(r"url\(([^()]*)\)")
"""A picture that is the ground of an element, in its style."""

TAG = re.compile(r"<(/?[a-z][\w:-]*+)?+([^<>]*+)>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"""(?<![\w:-])([\w:-]++)\s*+=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
"""What markup that is not well-formed is read by. Python's own parser of HTML may take hours for a malicious page."""


@dataclass(frozen=True)
class Page:
    """The references to pictures in the order in which they stand on the page, and the letters of its prose."""

    hrefs: tuple[str, ...]
    letters: int


def read_page(data: bytes, name: str) -> Page:
    """What the page in XHTML or SVG at the path `name` shows; it need not be well-formed."""
    try:
        root = parse_xml(data, name)
    except BrokenMetadataError:
        text = data.decode("utf-8", "replace")
        return _page(list(_loose_elements(text)), TAG.sub(" ", text))
    for element in root.iter():
        element[:] = [child for child in element if child.tag.lower() not in UNREAD]
    return _page(list(root.iter()), "".join(root.itertext()))


def _page(elements: list[Element], text: str) -> Page:
    hrefs = [href for element in elements if (href := _picture(element))]
    grounds = [
        ground.strip(" '\"") for element in elements for ground in GROUND.findall(_attributes(element).get("style", ""))
    ]
    return Page(tuple(hrefs or grounds), len("".join(text.split())))


def _picture(element: Element) -> str | None:
    key = PICTURE_REFERENCES.get(element.tag.lower())
    return _attributes(element).get(key) if key else None


def _attributes(element: Element) -> dict[str, str]:
    return {key.lower(): value for key, value in element.attrib.items()}


def _loose_elements(text: str) -> Iterator[Element]:
    for tag, inside in TAG.findall(text):
        attributes = {key.rpartition(":")[2]: "".join(value) for key, *value in ATTRIBUTE.findall(inside)}
        yield Element(tag, {key: unescape(value) for key, value in attributes.items()})
