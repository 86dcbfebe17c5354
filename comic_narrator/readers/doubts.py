"""How sure a line is: whether its letters were read well, are words, and are all that stands in the balloon."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from comic_narrator.lexicon import english_words
from comic_narrator.model import SPOKEN_KINDS, Box, LineKind
from comic_narrator.readers.balloons import Group
from comic_narrator.readers.lettering import english, unspaced, wide
from comic_narrator.readers.regions import Region

POOR, GOOD = 0.8, 0.97
"""Rows that are read with these confidences are likely wrong, and likely right."""
UNKNOWN = 0.9
"""A line loses this share of its sureness if no letter of it belongs to a known word; names are not known either."""
UNREAD = 1.5
"""A balloon with ink beside its rows loses so many times the share of that ink in all of its ink: rows that were not
recognised hold more letters than they seem to, for outlines that reach into the balloon are ink too."""
MOST_UNREAD = 0.7
"""What a line may lose at most by one sign that some of it is unread: the sign may be a drawing, or wide setting."""
SPEECH_LIKE = 0.65
"""The most that is left to a sound or a sign that reads like speech: its words may be right, its kind hardly is."""
SENTENCE = {"sfx": 2, "sign": 3}
"""So many different known words, in a panel, read like speech: a sound is one word however often, plates have two."""
SQUARE = 0.8
"""A column's letters stand in squares of at most this share of its box's width, for boxes have slack around letters: a
column longer than that holds marks or small kana that were not read. Measured: half of all columns are set at 0.63,
nine in ten under 0.78, those that lost a letter above."""
LACKING = 0.4
"""What each letter that a column seems to lack takes from the line: most of such lines are wrong."""
HIDDEN, SEEMING = 0.35, 0.1
"""What a letter that may stand unread between others takes from a line, in full if it is as likely as the second: the
recogniser gives a letter that it skips a few hundredths, and one that is not there none."""
END_INK, ENDED = 0.05, 0.8
"""A column with so much ink in the square before or after it, as the smallest marks have, and what is left to it."""
COLUMN = 0.45
"""Pieces of one column stand in line to within this share of their width; columns side by side do not."""
LOOSE = 0.85
"""What is left of the sureness of words that stand in no balloon or box, and of words that may be drawn."""
OPEN_END = 0.88
"""The same for a line in Latin letters without a stop at its end: its last row may be missing."""
LEGIBLE = 15.0
"""Letters lower than so many page pixels are hard to read: their strokes are a pixel wide, and run together."""
USUAL = 0.92
PAGE = 0.8
MANY = 10
"""A page whose lines, MANY of them, are less sure than USUAL on the average was read poorly: all lose by this power."""
LEAST, MOST = 0.05, 0.99
"""Nothing is certain, and every line that was read has something to it."""
MARGIN = 3
"""Pixels of a region's picture along its rim that hold the outline's own ink; rows lie within."""

_CELL = re.compile(r"[0-9０-９]{1,3}|[!?！？‼⁇⁈⁉]{1,3}|\S")
"""What stands in one square of a column: a letter, a few figures side by side, or marks side by side."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def with_page(sure: Sequence[float]) -> list[float]:
    """How sure the lines of a page are, seen together: one that seems well read on a poor page may be luck."""
    if not sure:
        return []
    share = min(float(np.mean(sure)) / USUAL, 1.0) ** (PAGE * min(len(sure) / MANY, 1.0))
    return [float(np.clip(one * share, LEAST, MOST)) for one in sure]


def sureness(group: Group, text: str, kind: LineKind, language: str) -> float:
    """How likely the words and the kind of a line are right (0-1), by the line alone."""
    sure = _read(group)
    if english(language):
        sure *= 1 - UNKNOWN * _unknown(text)
    sure *= 1 - min(UNREAD * _unread(group), MOST_UNREAD)
    if unspaced(language):
        sure *= 1 - HIDDEN * min(_hidden(group) / SEEMING, 1)
        sure *= _whole_columns(group) if group.upright else 1.0
    if group.balloon is None and kind not in ("sign", "sfx"):
        sure *= LOOSE
    if not wide(language) and text[-1:].isalnum():
        sure *= OPEN_END
    sure *= min(group.size / LEGIBLE, 1.0)
    if english(language) and kind not in SPOKEN_KINDS and group.panel is not None and _speaks(text, kind):
        sure = min(sure, SPEECH_LIKE)
    return float(np.clip(sure, LEAST, MOST))


def _read(group: Group) -> float:
    """How surely the letters of a line were read: one row that was read poorly spoils it, however well the others."""
    # A row of dots adds no words, and is read poorly as often as not.
    rows = [row for row in group.rows if any(c.isalnum() for c in row.text)] or list(group.rows)
    weights = [max(len(row.text), 1) for row in rows]
    sure = [row.confidence for row in rows]
    worst = min(min(sure), float(np.average(sure, weights=weights)))
    return 0.5 + 0.5 * float(np.clip((worst - POOR) / (GOOD - POOR), 0, 1))


def _speaks(text: str, kind: LineKind) -> bool:
    """Whether a text reads like what somebody says."""
    known = english_words()
    words = {word.casefold().replace("’", "'") for word in _WORD.findall(text)}
    return len(words & known) >= SENTENCE.get(kind, 0)


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


def _hidden(group: Group) -> float:
    """How likely a letter stands unread between those of a line, in the likeliest place (0-1)."""
    most = 0.0
    for row in group.rows:
        before = ""
        for letter in row.letters:
            # That a letter was begun earlier, or ended later, is no other letter.
            beside = {_form(before), _form(letter.char), ""}
            most = max([most, *(guess.sure for guess in letter.before if _form(guess.char) not in beside)])
            before = letter.char
    return most


def _form(char: str) -> str:
    return unicodedata.normalize("NFKC", char).strip()


def _whole_columns(group: Group) -> float:
    """What is left of the sureness of a line in columns by what they seem to lack, within and at their ends."""
    columns = _columns(group)
    width = max(box.w for box, _ in columns)
    lacks = max((box.h / width - 1) / SQUARE + 1 - len(_CELL.findall(text)) for box, text in columns)
    left = 1 - min(LACKING * max(lacks, 0.0), MOST_UNREAD)
    ends = [Box(box.x, y, box.w, width) for box, _ in columns for y in (box.y - width, box.bottom)]
    region = group.region
    return left * ENDED if region is not None and any(_inked(region, end) >= END_INK for end in ends) else left


def _columns(group: Group) -> list[tuple[Box, str]]:
    """The columns of a line, pieces of one column put together."""
    columns: list[tuple[Box, str]] = []
    for row in group.rows:
        middle = row.box.center[0]
        if columns and abs(columns[-1][0].center[0] - middle) < COLUMN * row.box.w:
            box, text = columns[-1]
            columns[-1] = box.union(row.box), text + row.text
        else:
            columns.append((row.box, row.text))
    return columns


def _inked(region: Region, box: Box) -> float:
    """The share of a box, in page pixels, in which there is ink of a region."""
    (top, bottom), (left, right) = (
        (max(round((start - low) * region.scale), 0), max(round((end - low) * region.scale), 0))
        for start, end, low in ((box.y, box.bottom, region.box.y), (box.x, box.right, region.box.x))
    )
    part = np.s_[top:bottom, left:right]
    ink = region.shape[part] & ~region.plain[part]
    return float(ink.mean()) if ink.size else 0.0


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
    beside[:MARGIN] = beside[-MARGIN:] = False
    beside[:, :MARGIN] = beside[:, -MARGIN:] = False
    return int(beside.sum()) / total if total else 0.0
