"""Lettering to spoken words: what a reader-aloud would say for what is printed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from num2words import num2words

from comic_narrator.script.spoken.english import english
from comic_narrator.script.spoken.japanese import japanese

SAYABLE = {
    "en": re.compile(r"[A-Za-z0-9\u00c0-\u024f]"),
    "ja": re.compile(r"[0-9A-Za-z\u3041-\u3096\u30a1-\u30fa\u3400-\u9fff]"),
}
"""A text without such a letter holds nothing that can be said in that language; any letter will do in others."""

QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "`": "'", "´": "'", "«": '"', "»": '"'})
KEPT = frozenset("♪♡♥☆★°＋=+^~`|<>$£€¥¢½⅓⅔¼¾⁄")
"""Signs that say something, or that a language's own rules take away."""


def to_spoken(text: str, language: str, names: Collection[str] = ()) -> str | None:
    """The words to speak for printed `text` in `language` (BCP-47), or None where it holds nothing to say.

    `names` are words of the book that keep their capital where all lettering is in capitals.
    """
    primary = language.lower().partition("-")[0]
    fractions = re.sub(r"(?<=\d)(?=[½⅓⅔¼¾])", " ", text)
    clean = fractions.replace("…", "...").replace("\ufe0f", "").replace("❤", "♥").translate(QUOTES)
    clean = "".join(c if c in KEPT else unicodedata.normalize("NFKC", c) for c in unicodedata.normalize("NFC", clean))
    clean = "".join(c for c in clean if c in KEPT or c == "\n" or not _is_a_picture(c))
    if primary == "ja":
        spoken = japanese(clean)
    else:
        spoken = english(clean, names) if primary == "en" else _other(clean, primary, names)
    sayable = SAYABLE.get(primary)
    said = sayable.search(spoken) is not None if sayable else any(c.isalnum() for c in spoken)
    return spoken if said else None


def _is_a_picture(sign: str) -> bool:
    """Emoji, private signs, controls: what no voice can say."""
    return unicodedata.category(sign) in ("So", "Sk", "Cs", "Co", "Cn", "Cc", "Cf")


def _other(text: str, language: str, names: Collection[str]) -> str:
    """Lettering of a language that has no rules here: sentence case, marks written one way, numbers in words."""
    text = re.sub(r"(\w)-\s*\n\s*(\w)", r"\1\2", text)
    text = re.sub(r"[♪♡♥☆★*~_<>{}\[\]|\\^=\"]+", " ", re.sub(r"\s+", " ", text))
    text = re.sub(r"\s*(--+|—|–)\s*", " — ", text)
    text = re.sub(r"\.(\s?\.)+", "...", text)
    text = re.sub(r"[!?]*\?[!?]*", "?", re.sub(r"!+(?!\?)", "!", text))
    letters = [c for c in text if c.isalpha()]
    if letters and sum(c.isupper() for c in letters) > 0.7 * len(letters):
        kept = {name.lower(): name for name in names}
        text = re.sub(r"[^\W\d_]+", lambda m: kept.get(m[0].lower(), m[0].lower()), text)
        text = re.sub(r"(^|[.!?]\s+)(\W*)([^\W\d_])", lambda m: m[1] + m[2] + m[3].upper(), text)
    text = re.sub(r"\d+", lambda m: _number(m[0], language), text)
    text = re.sub(r"(\w)\1{3,}", r"\1\1", text)
    text = re.sub(r"\s+([,.!?])", r"\1", re.sub(r"\s+", " ", text))
    return re.sub(r"^[\s.,;:—-]+|[\s,;:-]+$", "", text)


def _number(digits: str, language: str) -> str:
    try:
        return str(num2words(int(digits[:15]), lang=language))
    except NotImplementedError:
        return digits
