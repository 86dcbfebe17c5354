"""The text of rows: which rows are words at all, small slips mended, rows joined to one text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from comic_narrator.lexicon import english_words
from comic_narrator.readers.spelling import known_share, spelled, with_apostrophes, word_counts
from comic_narrator.readers.words import Row

SURE = 0.6
"""Rows read with less confidence are art, or too poor to be spoken."""
VERY_SURE = 0.9
LEGIBLE = 0.8
"""The median confidence of a page that can be read; upright print has 0.9 and more, upside down 0.7."""
FEW_ROWS = 6
WEAKEST, WEAKEST_KNOWN = 0.5, 0.35
"""How much the least sure letter of a row lowers the row's confidence, if some or none of its words are unknown."""
UNKNOWN = 0.4
"""How much unknown words lower it: misread rows of comics have them three times as often as well-read ones."""

_KANA = re.compile(r"[\u3041-\u30ff\uff66-\uff9f]")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_VOWEL = re.compile(r"[AEIOUYaeiouy\u00c0-\u024f]")
_MIXED = re.compile(r"[A-Za-z]\d|\d(?!ST|ND|RD|TH|st|nd|rd|th)[A-Za-z]")
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+(?:['’][A-Za-z]+)*")

_WHOLE = re.compile(
    r"all|and|are|as|at|be|because|but|by|can|did|do|does|for|from|had|has|have|he|her|his|how|if|in|is|it|its|just|let"
    r"|look|my|no|not|now|of|oh|on|or|our|she|so|that|the|their|them|then|there|these|they|this|those|to|too|was|we"
    r"|well|were|what|when|where|which|who|why|will|with|would|yes|you|your",
    re.IGNORECASE,
)
"""Words that a broken word does not end in: the hyphen before them is a dash."""

UNSPACED = ("ja", "zh")
"""Languages that are written without spaces, often in columns."""
_WIDE = ("ja", "zh", "ko")


def count_scripts(texts: Sequence[str]) -> dict[str, int]:
    """How many characters of each script stand in `texts`: kana, han, hangul, latin."""
    joined = "".join(texts)
    patterns = {"kana": _KANA, "han": _HAN, "hangul": _HANGUL, "latin": _LATIN}
    return {name: len(pattern.findall(joined)) for name, pattern in patterns.items()}


def language_of(rows: Sequence[Row]) -> str:
    """The BCP-47 tag of the language that sure rows are lettered in; "en" when there are none."""
    counts = count_scripts([row.text for row in rows if row.confidence >= 0.75])
    wide = counts["kana"] + counts["han"] + counts["hangul"]
    # A Latin letter is a smaller part of a word than a kana or a kanji is.
    if wide * 3 <= counts["latin"]:
        return "en"
    if counts["hangul"] * 2 >= wide:
        return "ko"
    if counts["kana"] * 12 >= counts["han"]:
        return "ja"
    return "zh"


def wide(language: str) -> bool:
    """Whether a language may be written in columns."""
    return language.split("-")[0] in _WIDE


def english(language: str) -> bool:
    """Whether a language is English of any country."""
    return language.split("-")[0] == "en"


def unspaced(language: str) -> bool:
    """Whether a language is written without spaces."""
    return language.split("-")[0] in UNSPACED


def lettered_rows(rows: Sequence[Row], language: str) -> list[Row]:
    """The rows of a page that are likely to be words of `language`; none if the page as a whole was read poorly.

    A page that stands on its head, or is too small or blurred, is guessed at throughout: its rows' median tells it.
    English words that were misread are mended; a row's confidence becomes how likely all of it is right.
    """
    long = [row.confidence for row in rows if sum(c.isalnum() for c in row.text) >= 3]
    if len(long) >= FEW_ROWS and median(long) < LEGIBLE:
        return []
    if not english(language):
        return [rated(row, 1.0) for row in rows if is_lettering(row, language)]
    kept = [row for row in spelled(rows) if is_lettering(row, language)]
    names = frozenset(word for word, count in word_counts(kept).items() if count > 1)
    return [rated(row, known_share(row.text, names)) for row in kept]


def rated(row: Row, known: float) -> Row:
    """`row` with its confidence lowered by its least sure letter, and by words that are not `known` (a share)."""
    least = min((letter.sure for letter in row.letters if letter.char.isalnum()), default=row.confidence)
    sure = row.confidence * least ** (WEAKEST if known < 1 else WEAKEST_KNOWN)
    return replace(row, confidence=sure * (1 - UNKNOWN * (1 - known)))


def is_lettering(row: Row, language: str) -> bool:
    """Whether a row is likely to be words of `language`, rather than drawing read as letters."""
    letters = [c for c in row.text if c.isalnum()]
    if row.confidence < SURE:
        return False
    if not letters:
        return row.confidence >= 0.8 and any(c in ".…!?！？" for c in row.text)
    if wide(language):
        return _is_wide_lettering(row, len(letters))
    return _is_latin_lettering(row, len(letters), language)


def _is_wide_lettering(row: Row, letters: int) -> bool:
    counts = count_scripts([row.text])
    native = counts["kana"] + counts["han"] + counts["hangul"]
    if native == 0:
        # Strokes of a drawing are easily read as one letter or digit.
        return row.confidence >= VERY_SURE and letters > 1
    return letters >= 4 or row.confidence >= 0.8


def _is_latin_lettering(row: Row, letters: int, language: str) -> bool:
    counts = count_scripts([row.text])
    if counts["kana"] + counts["han"] + counts["hangul"] or row.upright:
        return False
    if row.confidence < VERY_SURE and _MIXED.search(row.text):
        return False
    known = known_share(row.text) if english(language) else 0.0
    if row.confidence < 0.8 and english(language) and known < 0.5:
        return False
    if letters < 4 and row.confidence < (0.7 if known == 1 and letters > 1 else 0.8):
        return False
    words = [word for word in _WORD.findall(row.text) if len(word) > 2]
    odd = [word for word in words if not pronounceable(word)]
    return row.confidence >= 0.95 or len(odd) * 2 <= len(words)


def pronounceable(word: str) -> bool:
    """Whether a Latin word has a vowel, or is a drawn-out sound such as "GRRR"."""
    return bool(_VOWEL.search(word)) or len(set(word.casefold())) <= 2


_MENDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\|"), "I"),
    (re.compile(r"\b[1l](?=['’](?:M|LL|VE|D|m|ll|ve|d)\b)"), "I"),
    (re.compile(r"(?<=[A-Z'’] )[1lL](?= [A-Z])"), "I"),
    (re.compile(r"^[lL](?= [A-Z]{2})"), "I"),
    (re.compile(r"(?<=[A-Z]-)[1l](?= [A-Z])"), "I"),
    (re.compile(r"(?<=[A-Z])0(?=[A-Z])"), "O"),
    (re.compile(r"(?<![.])[.]+,"), ","),
    (re.compile(r",[.](?![.])"), ","),
    (re.compile(r"\s+(?=[,;:](?:\s|$))"), ""),
    (re.compile(r"(?<=[A-Za-z])\s+(?=[.](?:\s|$))"), ""),
    (re.compile(r"([,;:])(?=[A-Za-z]{2})"), r"\1 "),
    (re.compile(r"(?<=[a-z]{2}|[A-Z]{2})([!?])(?=[A-Za-z]{2})"), r"\1 "),
    (re.compile(r"\s{2,}"), " "),
)


_LONG_VOWEL = re.compile(r"(?<=[\u30a1-\u30fa])[1lI|\u4e00](?=[\u30a1-\u30fa])")
"""In a column the mark of a long vowel is an upright stroke, and is read as a one."""


def mend(text: str, language: str) -> str:
    """`text` with the recogniser's harmless slips mended: "|" for I, stray spaces, "FAIR.," for "FAIR,"."""
    text = text.strip()
    if unspaced(language):
        return re.sub(r"(?<![A-Za-z])\s+|\s+(?![A-Za-z])", "", text)
    text = unicodedata.normalize("NFKC", text.replace("…", "..."))
    for pattern, put in _MENDS:
        text = pattern.sub(put, text)
    return (with_apostrophes(text) if english(language) else text).strip()


def join_rows(texts: Sequence[str], language: str) -> str:
    """Rows of one balloon as one text; a word broken by a hyphen at a row's end is made whole."""
    if unspaced(language):
        return mend("".join(_LONG_VOWEL.sub("\u30fc", text) for text in texts), language)
    joined = ""
    for text in (text.strip() for text in texts):
        joined = _continued(joined, text, language)
    return mend(joined, language)


def _continued(before: str, after: str, language: str) -> str:
    """`before` and the row after it: "EXCITE-" + "MENT" is a word, "GOOD-" + "HEARTED" two, "WILLIE-" + "I" a dash."""
    tail = re.search(r"(?<![A-Za-z-])([A-Za-z]{2,})-$", before)
    head = re.match(r"[A-Za-z]{2,}", after)
    if tail is None or head is None or _WHOLE.fullmatch(head[0]):
        return f"{before} {after}"
    if not (head[0][0].islower() or (tail[1].isupper() and head[0].isupper())):
        return f"{before} {after}"
    known = english_words() if english(language) else frozenset()
    parts = tail[1].casefold(), head[0].casefold()
    compound = "".join(parts) not in known and all(part in known for part in parts)
    return before + after if compound else before[:-1] + after
