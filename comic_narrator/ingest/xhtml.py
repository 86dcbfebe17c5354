"""A page of an EPUB: the pictures that it shows and how much prose stands beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html.parser import HTMLParser

BACKGROUND = re.compile(r"url\(\s*['\"]?(.+?)['\"]?\s*\)")
"""A picture that is the ground of an element."""

UNREAD = frozenset({"head", "script", "style", "noscript"})
"""Elements whose text is not shown."""


@dataclass(frozen=True)
class Page:
    """The references to pictures in the order in which they stand on the page, and the letters of its prose."""

    hrefs: tuple[str, ...]
    letters: int


def read_page(data: bytes) -> Page:
    """What a page in XHTML or SVG shows; markup that is not well-formed is read as a browser would."""
    reader = _PageReader()
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    # The parser fails on marked sections that it does not know.
    reader.feed(data.decode(encoding, "replace").replace("<![", " "))
    reader.close()
    return Page(tuple(reader.hrefs or reader.grounds), reader.letters)


class _PageReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.hrefs: list[str] = []
        self.grounds: list[str] = []
        self.letters = 0
        self._unread = 0

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self._picture(tag, dict(attrs))
        self._unread += tag in UNREAD

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self._picture(tag, dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        self._unread = max(self._unread - (tag in UNREAD), 0)

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self.letters += len("".join(data.split()))

    def _picture(self, tag: str, attributes: dict[str, str | None]) -> None:
        keys = {"img": ("src",), "image": ("href", "xlink:href"), "object": ("data",)}.get(tag, ())
        self.hrefs += [href for key in keys if (href := attributes.get(key))][:1]
        self.grounds += BACKGROUND.findall(attributes.get("style") or "")
