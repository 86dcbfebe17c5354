"""How a line is said, by the size of its letters and the outline of its balloon."""

from __future__ import annotations

import re

from comic_narrator.readers.tails import Outline

SHOUTING, WHISPERING = "shouting", "whispering"

LARGE = 1.4
HUGE = 1.8
"""Letters so many times the page's usual size are shouted; the smaller of the two with an exclamation mark."""
SMALL = 0.74
"""Letters of at most this share of it are whispered: a single row without long letters seems small, too."""
JAGGED, JAGGED_LOUD = 8, 5
"""An outline with so many sharp points is a burst, if the words are an exclamation: scallops have some, too. Fewer do
where it is a loud one ("!!")."""


def tone_of(text: str, size: float, usual: float, outline: Outline | None) -> str | None:
    """ "shouting", "whispering", or None for a voice as usual.

    `size` is the height of the line's letters, `usual` that of most of the page's, both in page pixels.
    """
    exclaims = "!" in text or "！" in text
    if size >= HUGE * usual or (exclaims and size >= LARGE * usual):
        return SHOUTING
    points = outline.points if outline is not None and exclaims else 0
    if points >= JAGGED or (points >= JAGGED_LOUD and re.search("[!！]{2}", text)):
        return SHOUTING
    return WHISPERING if size <= SMALL * usual or (outline is not None and outline.dashed) else None
