"""How sure a line is: whether its letters were read well, are words, and are all that stands in the balloon."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from comic_narrator.lexicon import english_words
from comic_narrator.model import LineKind
from comic_narrator.readers.balloons import Group
from comic_narrator.readers.lettering import wide

POOR, GOOD = 0.8, 0.97
"""Rows that are read with these confidences are likely wrong, and likely right."""
UNKNOWN = 0.9
"""A line loses this share of its sureness if no letter of it belongs to a known word; names are not known either."""
UNREAD = 1.5
"""A balloon with ink beside its rows loses so many times the share of that ink in all of its ink."""
LOOSE = 0.85
"""What is left of the sureness of words that stand in no balloon or box, and of words that may be drawn."""
OPEN_END = 0.88
"""The same for a line in Latin letters without a stop at its end: its last row may be missing."""
LEGIBLE = 15.0
"""Letters lower than so many page pixels are hard to read."""
USUAL = 0.92
PAGE = 0.8
MANY = 10
"""A page whose lines, MANY of them, are less sure than USUAL on the average was read poorly: all lose by this power."""
LEAST, MOST = 0.05, 0.99

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def with_page(sure: Sequence[float]) -> list[float]:
    """How sure the lines of a page are, seen together: one that seems well read on a poor page may be luck."""
    if not sure:
        return []
    share = min(float(np.mean(sure)) / USUAL, 1.0) ** (PAGE * min(len(sure) / MANY, 1.0))
    return [float(np.clip(one * share, LEAST, MOST)) for one in sure]


def sureness(group: Group, text: str, kind: LineKind, language: str) -> float:
    """How likely the words and the kind of a line are right (0-1), by the line alone."""
    weights = [max(len(row.text), 1) for row in group.rows]
    # One row that was read poorly spoils the line, however well the others were.
    read = float(np.clip((np.array([row.confidence for row in group.rows]) - POOR) / (GOOD - POOR), 0, 1).min())
    mean = float(np.average([row.confidence for row in group.rows], weights=weights))
    sure = 0.5 + 0.5 * min(read, float(np.clip((mean - POOR) / (GOOD - POOR), 0, 1)))
    if language.startswith("en"):
        sure *= 1 - UNKNOWN * _unknown(text)
    sure *= max(1 - UNREAD * _unread(group), 0.3)
    if group.balloon is None and kind not in ("sign", "sfx"):
        sure *= LOOSE
    if not wide(language) and text[-1:].isalnum():
        sure *= OPEN_END
    sure *= min(group.size / LEGIBLE, 1.0)
    return float(np.clip(sure, LEAST, MOST))


def _unknown(text: str) -> float:
    """The share of a text's letters that stand in no known English word; two-letter scraps count."""
    known = english_words()
    letters = strange = 0
    for word in _WORD.findall(text):
        letters += len(word)
        plain = word.casefold().replace("’", "'")
        if plain not in known and plain.removesuffix("'s") not in known and len(set(plain)) > 2:
            strange += len(word)
    return strange / letters if letters else 0.0


def _unread(group: Group) -> float:
    """The share of the ink in a balloon that lies beside its rows, as rows that were not recognised do."""
    region = group.balloon
    if region is None:
        return 0.0
    inked = region.shape & ~region.plain
    total = int(inked.sum())
    beside = inked.copy()
    for row in group.rows:
        slack = 0.3 * group.size
        x, y = (row.box.x - slack - region.box.x) * region.scale, (row.box.y - slack - region.box.y) * region.scale
        right = (row.box.right + slack - region.box.x) * region.scale
        bottom = (row.box.bottom + slack - region.box.y) * region.scale
        beside[max(int(y), 0) : max(int(bottom), 0), max(int(x), 0) : max(int(right), 0)] = False
    # The outline's own ink lies at the rim, rows lie within.
    margin = 3
    beside[:margin] = beside[-margin:] = False
    beside[:, :margin] = beside[:, -margin:] = False
    return int(beside.sum()) / total if total else 0.0
