"""A page's text layer as a second opinion on what was recognised: it helps where it matches the picture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from comic_narrator.lexicon import english_words
from comic_narrator.model import Box, PrintedWord
from comic_narrator.readers.lettering import english
from comic_narrator.readers.words import Row

MATCHES = 0.6
"""Two readings of one row that share less of their letters are not of the same row: the layer lies elsewhere."""
AGREED = 0.97
"""How sure a row is that two readers read alike."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def with_hints(rows: Sequence[Row], words: Sequence[PrintedWord], language: str) -> tuple[Row, ...]:
    """The rows with what the text layer's words (page pixels) mend; columns and rows that it misses stay as they are.

    A layer is often another recogniser's work and no better: of two readings that differ, the one with the smaller
    share of unknown letters is taken, in the language whose words we know; else only what both read alike is surer.
    """
    return tuple(_mended(row, words, language) for row in rows) if words else tuple(rows)


def _mended(row: Row, words: Sequence[PrintedWord], language: str) -> Row:
    inside = [word for word in words if _holds(row.box, word.bbox)]
    if row.upright or not inside:
        return row
    hint = " ".join(word.text for word in sorted(inside, key=lambda word: word.bbox.x))
    ours, theirs = _letters(row.text), _letters(hint)
    if not ours or SequenceMatcher(None, ours, theirs, autojunk=False).ratio() < MATCHES:
        return row
    if ours == theirs:
        return replace(row, confidence=max(row.confidence, AGREED))
    better = english(language) and _unknown(hint) < _unknown(row.text)
    # The letters behind the row's text are those of the picture.
    return replace(row, text=hint, letters=()) if better else row


def _holds(row: Box, word: Box) -> bool:
    x, y = word.center
    return row.x <= x <= row.right and row.y <= y <= row.bottom


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _unknown(text: str) -> float:
    """The share of the letters of `text` that stand in words which English does not have."""
    words = _WORD.findall(text)
    strange = sum(len(word) for word in words if word.casefold().replace("’", "'") not in english_words())
    return strange / max(sum(map(len, words)), 1)
