"""A page's text layer as a second opinion on what was recognised: it helps where it matches the picture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from comic_narrator.lexicon import english_words
from comic_narrator.model import Box, PrintedWord
from comic_narrator.readers.words import Row

MATCHES = 0.6
"""Two readings of one row that share less of their letters are not of the same row: the layer lies elsewhere."""
AGREED = 0.97
"""How sure a row is that two readers read alike."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def with_hints(rows: Sequence[Row], words: Sequence[PrintedWord]) -> tuple[Row, ...]:
    """The rows with what the text layer's words (page pixels) mend; columns and rows that it misses stay as they are.

    A layer is often another recogniser's work and no better: of two readings that differ, the one with more known words
    is taken, and the picture's own where they have as many.
    """
    return tuple(_mended(row, words) for row in rows) if words else tuple(rows)


def _mended(row: Row, words: Sequence[PrintedWord]) -> Row:
    inside = [word for word in words if _holds(row.box, word.bbox)]
    if row.upright or not inside:
        return row
    hint = " ".join(word.text for word in sorted(inside, key=lambda word: word.bbox.x))
    ours, theirs = _letters(row.text), _letters(hint)
    if not ours or SequenceMatcher(None, ours, theirs, autojunk=False).ratio() < MATCHES:
        return row
    if ours == theirs:
        return replace(row, confidence=max(row.confidence, AGREED))
    return replace(row, text=hint) if _unknown(hint) < _unknown(row.text) else row


def _holds(row: Box, word: Box) -> bool:
    x, y = word.center
    return row.x <= x <= row.right and row.y <= y <= row.bottom


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _unknown(text: str) -> int:
    """How many words of `text` English does not have."""
    return sum(word.casefold().replace("’", "'") not in english_words() for word in _WORD.findall(text))
