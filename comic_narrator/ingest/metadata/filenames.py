"""What the name of a book tells: series, number, title, and hints at language and direction."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from comic_narrator.ingest.languages import COMIC_LANGUAGES, language_tag
from comic_narrator.ingest.markup import plain, plain_number
from comic_narrator.ingest.source import PICTURE_SUFFIXES, Metadata
from comic_narrator.model import Direction

ORIGIN = "the book's name"
"""How the user is told that a fact comes from there."""

SUFFIXES = PICTURE_SUFFIXES | {".cbz", ".zip", ".cbr", ".rar", ".cb7", ".7z", ".cbt", ".tar", ".pdf", ".epub"}
"""Endings that say what kind of file it is; any other is a part of the name."""

BRACKETED = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\}|【[^【】]*】|（[^（）]*）")
"""Who scanned it, in what year, in which language: names put beside the title what is not part of it."""

RANGE = r"(\d{1,5}(?:\.\d{1,3})?)(?:\s?[-~–]\s?(?:[a-z]{1,2})?(\d{1,5}(?:\.\d{1,3})?))?"
"""A number, or a first and a last one."""

CHAPTER, ISSUE, VOLUME = (
    tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
    for patterns in (
        (
            rf"\b(?:chapter|chapitre|chap|ch|kapitel|cap[ií]tulo|capitolo|episode|ep)[.\s]*{RANGE}(?!\w)",
            rf"\bc{RANGE}(?!\w)",
            rf"第\s*{RANGE}\s*[話话章回화]",
            rf"(?<!\d){RANGE}\s*[話话화]",
        ),
        (r"#\s*(\d{1,5}(?:\.\d{1,3})?(?:\.?[A-Z]{1,3}(?!\w))?|[½¼¾])", rf"(?:\b(?:no\.|nr\.?|n°)|№)\s*{RANGE}(?!\w)"),
        (
            rf"\b(?:volume|vol|tome|tomo|band|bd)[.\s]*{RANGE}(?!\w)",
            rf"\bv{RANGE}(?!\w)",
            rf"\bT(?=\d\d){RANGE}(?!\w)",
            rf"第\s*{RANGE}\s*[巻卷集권]",
            rf"(?<!\d){RANGE}\s*[巻卷권]",
        ),
    )
)
"""How a name marks the number of a chapter, an issue or a volume, in the languages that comics are mostly sold in."""

BARE = re.compile(rf"(?<=\s){RANGE}(?=$|\s+[-–—:])")
"""A number without a mark, at the end or before a dash."""

YEAR = re.compile(r"(?:19|20)\d\d")

NOT_A_SERIES = frozenset({
    "page", "pages", "pg", "p", "scan", "scans", "img", "image", "picture", "pic", "photo",
    "cover", "dsc", "seite", "ページ",
})  # fmt: skip
"""What cameras, scanners and people call single pictures; the number after it is not the book's."""

AFTER = re.compile(r"\s*[-–—:]\s*(?P<title>.*[^\W\d].*)")
"""A title follows the number after a dash or a colon."""

EDGES = " -–—_,.:;~#"
"""What is left over where a number was taken out of a name."""

DIRECTIONS: dict[str, Direction] = {
    "rtl": "rtl",
    "right to left": "rtl",
    "ltr": "ltr",
    "left to right": "ltr",
    "webtoon": "vertical",
    "long strip": "vertical",
    "웹툰": "vertical",
    "縦読み": "vertical",
}
"""What a remark in brackets says of the way a book is read."""

KANA, HANGUL = re.compile(r"[\u3041-\u30fa]"), re.compile(r"[\uac00-\ud7a3]")
"""Letters that only Japanese and only Korean is written with; Chinese characters alone may be either or neither."""


class _Mark(NamedTuple):
    start: int
    end: int
    number: str
    is_range: bool


def read_name(name: str) -> Metadata:
    """What the name of a file or folder tells of the book in it; a name without a number gives only a title."""
    stem = _stem(name)
    remarks = [match[0][1:-1].strip() for match in BRACKETED.finditer(stem)]
    text = _spaced(BRACKETED.sub(" ", stem)) or _spaced(stem)
    language = next((tag for remark in remarks if (tag := _language(remark))), None) or _by_script(text)
    direction = next((DIRECTIONS[key] for remark in remarks if (key := remark.casefold()) in DIRECTIONS), None)
    series, number, title = _parted(text)
    return Metadata(
        ORIGIN,
        title=plain(title),
        series=plain(series),
        number=plain_number(number),
        language=language,
        direction=direction,
    )


def _stem(name: str) -> str:
    # Digits of any script, mostly full-width ones, as ASCII.
    name = re.sub(r"\d", lambda digit: str(int(digit[0])), plain(name) or "")
    stem, dot, suffix = name.rpartition(".")
    return stem if stem and f"{dot}{suffix}".casefold() in SUFFIXES else name


def _spaced(text: str) -> str:
    """Words with spaces between them, where a name has dots, dashes or underlines in their place."""
    text = text.replace("_", " ").strip()
    for mark in ".-":
        if " " not in text and text.count(mark) > 1:
            text = re.sub(rf"(?<!\d)\{mark}|\{mark}(?!\d)", " ", text)
    return " ".join(text.split())


def _language(remark: str) -> str | None:
    tag = language_tag(remark)
    if tag is None or tag.partition("-")[0] not in COMIC_LANGUAGES:
        return None
    # Words of three letters are too often something else: (fin), (may).
    return None if len(remark) == 3 and remark.isascii() and not remark.isupper() else tag


def _by_script(text: str) -> str | None:
    return "ja" if KANA.search(text) else "ko" if HANGUL.search(text) else None


def _parted(text: str) -> tuple[str | None, str | None, str | None]:
    """Series, number and title."""
    chapters, issues, volumes = (list(_marks(patterns, text)) for patterns in (CHAPTER, ISSUE, VOLUME))
    # The finest number is the book's; but a book with a range of chapters is the volume that it is called.
    marks = [*chapters, *issues, *volumes]
    chosen = next((mark for mark in marks if not mark.is_range), None) or next(iter(marks), None)
    if chosen is None:
        marks = [mark for mark in _marks((BARE,), text) if not YEAR.fullmatch(mark.number.partition("-")[0])][-1:]
        chosen = next(iter(marks), None)
    if chosen is None:
        return None, None, text.strip(EDGES) or text
    series = text[: min(mark.start for mark in marks)].strip(EDGES)
    if series.casefold() in NOT_A_SERIES:
        return None, None, text
    if not any(c.isalpha() for c in series):
        return None, chosen.number, text
    title = AFTER.fullmatch(text[max(mark.end for mark in marks) :])
    return series, chosen.number, title["title"].strip(EDGES) if title else None


def _marks(patterns: tuple[re.Pattern[str], ...], text: str) -> Iterator[_Mark]:
    for pattern in patterns:
        for match in pattern.finditer(text):
            first, *rest = match.groups()
            last = rest[0] if rest else None
            number = f"{plain_number(first)}-{plain_number(last)}" if last else first
            yield _Mark(match.start(), match.end(), number, is_range=last is not None)
