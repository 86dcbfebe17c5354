"""Which way the panels of a book are read."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from comic_narrator.ingest.languages import is_read_right_to_left, language_name
from comic_narrator.ingest.source import Metadata
from comic_narrator.model import Direction

STRIP_SHAPE = 2.5
"""A book whose median picture is at least so many times taller than wide is a strip: it can only be read downwards."""


def choose_direction(
    layout: str, metadata: Metadata, language: str | None, sizes: Sequence[tuple[int, int]]
) -> tuple[Direction, str] | None:
    """The reading direction and the reason for it; None when it hangs on a language that is not known yet.

    `layout` is manga, western, webtoon or auto; `language` a BCP-47 tag; `sizes` are the pictures' widths and heights.
    """
    given: dict[str, Direction] = {"manga": "rtl", "western": "ltr", "webtoon": "vertical"}
    if layout in given:
        return given[layout], f"the layout is set to {layout}"
    shape = median(height / max(width, 1) for width, height in sizes) if sizes else 0
    if shape >= STRIP_SHAPE:
        return "vertical", f"its pages are {shape:.1f} times taller than wide"
    if metadata.direction:
        words: dict[Direction, str] = {"ltr": "left to right", "rtl": "right to left", "vertical": "from top to bottom"}
        return metadata.direction, f"{metadata.origin} says {words[metadata.direction]}"
    if language is None:
        return None
    if is_read_right_to_left(language):
        return "rtl", f"{language_name(language)} is read right to left"
    return "ltr", "nothing says otherwise"
