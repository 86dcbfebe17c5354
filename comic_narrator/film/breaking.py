"""Breaking a text for the screen: cues of at most two lines, parted where a reader would pause."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from itertools import pairwise

from uniseg.graphemecluster import grapheme_clusters
from uniseg.linebreak import line_break_units

COLUMNS = 42
"""Widest line, in columns; a Chinese, Japanese or Korean letter takes two."""
LINES = 2

SENTENCE_ENDS = frozenset(".!?…。！？｡‼⁇⁈⁉؟۔")
PAUSES = frozenset(",;:—–、，；：،؛")
CLOSERS = frozenset("\"'”’»)]）」』】")

CUE_COST = 60
"""What a further cue costs: a text stands in as few as hold it."""
CUE_BREAKS = {"sentence": 0, "pause": 30, "word": 120}
LINE_BREAKS = {"sentence": 0, "pause": 4, "word": 16}
CLINGING = 24
"""What parting a small word (an article, a preposition) from the word after it costs."""
RAGGED = 0.4
"""What each column costs by which the lines of a cue differ."""

_SMALL = """
    a an the my your his her its our their this that these those of in on at to by for from with and or but nor as if
    than i i'm you're he's she's it's we're they're is are was were be been not no very so mr. mrs. ms. dr. st.
"""
SMALL_WORDS = frozenset(_SMALL.split())


def width_of(text: str) -> int:
    """How many columns a text takes: two for wide letters, none for marks that combine."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text.strip()
    )


def break_text(text: str) -> tuple[tuple[str, ...], ...]:
    """The cues of a text, each of one or two lines of at most 42 columns, split where that hurts the least.

    Lines part only where Unicode's line breaking (UAX #14) allows it, and inside a word that is wider than a line.
    Dynamic programming over all ways to part them, as in Knuth and Plass, "Breaking paragraphs into lines" (1981).
    """
    units = _units(" ".join(text.split()))
    if not units:
        return ()

    # What the units from each place cost at least, where it begins a cue; and where that cue's lines end.
    costs: dict[int, float] = {len(units): 0.0}
    ways: dict[int, tuple[int, ...]] = {}
    for start in range(len(units) - 1, -1, -1):
        costs[start], ways[start] = min(_ways(units, start, costs))
    cues, at = [], 0
    while at < len(units):
        ends = ways[at]
        cues.append(tuple(_line(units, *span) for span in pairwise((at, *ends))))
        at = ends[-1]
    return tuple(cues)


def _ways(units: tuple[str, ...], start: int, costs: Mapping[int, float]) -> Iterator[tuple[float, tuple[int, ...]]]:
    """What each cue of one or two lines from `start` costs, with all after it, and where its lines end."""
    for end in _ends(units, start):
        yield CUE_COST + _parting(units, end, CUE_BREAKS) + costs[end], (end,)
        first = width_of(_line(units, start, end))
        for close in _ends(units, end):
            ragged = RAGGED * abs(first - width_of(_line(units, end, close)))
            parted = _parting(units, end, LINE_BREAKS) + _parting(units, close, CUE_BREAKS)
            yield CUE_COST + ragged + parted + costs[close], (end, close)


def _line(units: tuple[str, ...], start: int, end: int) -> str:
    return "".join(units[start:end]).strip()


def _units(text: str) -> tuple[str, ...]:
    """The pieces of a text between which a line may break, none wider than a line."""
    pieces: list[str] = []
    for unit in line_break_units(text):
        if width_of(unit) <= COLUMNS:
            pieces.append(unit)
            continue
        piece = ""
        for letter in grapheme_clusters(unit):
            if width_of(piece + letter) > COLUMNS:
                pieces.append(piece)
                piece = ""
            piece += letter
        pieces.append(piece)
    return tuple(piece for piece in pieces if piece)


def _ends(units: tuple[str, ...], start: int) -> list[int]:
    """Where a line may end that begins at `start`."""
    ends, line = [], ""
    for i in range(start, len(units)):
        line += units[i]
        if width_of(line) > COLUMNS:
            break
        ends.append(i + 1)
    return ends


def _parting(units: tuple[str, ...], at: int, costs: dict[str, int]) -> float:
    """What parting the text before unit `at` costs."""
    if at == len(units):
        return 0
    word = units[at - 1].strip()
    bare = word.rstrip("".join(CLOSERS))
    if word.casefold() in SMALL_WORDS:
        return costs["word"] + CLINGING
    if bare and bare[-1] in SENTENCE_ENDS:
        return costs["sentence"]
    return costs["pause"] if bare and bare[-1] in PAUSES else costs["word"]
