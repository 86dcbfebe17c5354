"""Lettering to spoken words: what a reader-aloud would say for what is printed."""

from __future__ import annotations

import re
import unicodedata

KEPT_CAPITALS = frozenset({
    "AI", "BBC", "CEO", "CIA", "CNN", "DJ", "DNA", "FBI", "GPS", "HQ", "IQ", "LAPD", "NASA", "NYPD", "OK", "PC", "SOS",
    "TV", "UFO", "UK", "USA", "USS", "VIP", "XL",
})  # fmt: skip
"""Words that are spoken letter by letter; US is none, for in a balloon of capitals it is nearly always "us"."""

INTERJECTIONS = {
    "hmph": "humph",
    "hmpf": "humph",
    "tch": "tsk",
    "tsk": "tsk",
    "grr": "gurr",
    "brr": "burr",
    "pfft": "pff",
    "psst": "pst",
    "shh": "shush",
    "sh": "shush",
    "hm": "hmm",
    "mm": "mmm",
    "mhm": "mm-hmm",
    "zzz": "",
    "argh": "arg",
    "aargh": "arg",
    "eek": "eek",
    "ack": "ack",
    "ugh": "ugh",
    "ohh": "oh",
    "ahh": "ah",
    "ooh": "ooh",
    "whew": "whew",
    "heh": "heh",
}
"""Sounds people make, by what their letters say when runs of a letter are cut to three, as a voice can say them."""

SAYABLE = {
    "en": re.compile(r"[A-Za-z0-9\u00c0-\u024f]"),
    "ja": re.compile(r"[0-9A-Za-z\u3041-\u3096\u30a1-\u30fa\u3400-\u9fff]"),
}
"""A text without such a letter holds nothing that can be said."""

QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "`": "'", "´": "'"})


def to_spoken(text: str, language: str) -> str | None:
    """The words to speak for printed `text` in `language` (BCP-47), or None where it holds nothing to say."""
    clean = unicodedata.normalize("NFKC", text.replace("…", "...").translate(QUOTES))
    clean = "".join(
        c for c in clean if unicodedata.category(c) not in ("So", "Sk", "Cs", "Co", "Cn", "Cc", "Cf") or c == "\n"
    )
    clean = _japanese(clean) if language.split("-")[0] == "ja" else _western(clean)
    return clean if SAYABLE["ja" if language.split("-")[0] == "ja" else "en"].search(clean) else None


def _japanese(text: str) -> str:
    text = re.sub(r"\s+", "", text)
    text = re.sub(r"(\.{2,}|・{2,})", "…", text)
    text = re.sub(r"[♪♡♥*＊~〜\"'「」『』“”]+", "", text)
    text = re.sub(r"[!?]*\?[!?]*", "？", text)
    return re.sub(r"!+", "！", text).strip("…、")


def _western(text: str) -> str:
    text = re.sub(r"(\w)-\s*\n\s*(\w)", _rejoin, text)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"[♪♡♥*~_<>{}\[\]|\\^=]+", " ", text)
    text = _without_stutters(re.sub(r"\s*(--+|—|–)\s*", " — ", text))
    text = re.sub(r"(?<=\w)-\s+", " — ", text)
    text = re.sub(r"\.(\s?\.){1,}", "...", text)
    text = re.sub(r"[!?]*\?[!?]*", "?", text)
    text = re.sub(r"!+", "!", text)
    text = text.replace("&", " and ").replace('"', "")
    text = _sentence_case(text) if _is_lettered_in_capitals(text) else _shouted_words(text)
    text = re.sub(r"[A-Za-z']+", lambda m: _interjection(m[0]), text)
    text = re.sub(
        rf"^(\W*)({'|'.join(filter(None, INTERJECTIONS.values()))}) (?=\w)", r"\1\2... ", text, flags=re.IGNORECASE
    )
    text = re.sub(r"\s+([,.!?;:])", r"\1", re.sub(r"\s+", " ", text))
    text = re.sub(r"[,;:]+(?=[.!?])|\.(?=,)", "", text)
    return re.sub(r"^[\s.,;:—-]+|[\s,;:—-]+$", "", text)


def _rejoin(match: re.Match[str]) -> str:
    return match[1] + match[2]


def _without_stutters(text: str) -> str:
    # "W-what" is "what", "a fri-fri- pal" is "a pal": a voice makes other words of such scraps. "Ha-ha" stays.
    text = re.sub(r"(?<![\w-])(\w{1,4})-(?:\1-)*(?=\1\w)", "", text, flags=re.IGNORECASE)
    return re.sub(r"(?<![\w-])(\w{1,4})(?:-\1)+-(?=\s)", "", text, flags=re.IGNORECASE)


def _is_lettered_in_capitals(text: str) -> bool:
    letters = [c for c in text if c.isalpha()]
    return sum(c.isupper() for c in letters) > 0.7 * len(letters) if letters else False


def _sentence_case(text: str) -> str:
    words = re.sub(r"[^\W\d_]+(?:'[^\W\d_]+)*", lambda m: m[0] if _is_abbreviation(m[0]) else m[0].lower(), text)
    words = re.sub(r"\b(i)(?=\b(?!')|'(?:m|d|ll|ve)\b)", "I", words)
    return re.sub(r"(^|[.!?]\s+)(\W*)([^\W\d_])", lambda m: m[1] + m[2] + m[3].upper(), words)


def _shouted_words(text: str) -> str:
    shouted = r"\b[A-Z]+(?:'[A-Z]+)*\b"
    return re.sub(shouted, lambda m: m[0] if len(m[0]) < 2 or _is_abbreviation(m[0]) else m[0].lower(), text)


def _is_abbreviation(word: str) -> bool:
    return word in KEPT_CAPITALS


def _unstretch(match: re.Match[str]) -> str:
    # "Nooo" is no, "sooon" is soon, "freee" is free: English doubles o inside a word and e at its end.
    letter, after = match[1], match[2]
    doubled = (letter == "o" and after) or (letter == "e" and not after)
    return letter * (2 if doubled else 1) + after


def _interjection(word: str) -> str:
    short = re.sub(r"(\w)\1{2,}", r"\1\1", word.lower())
    said = INTERJECTIONS.get(short, INTERJECTIONS.get(re.sub(r"(\w)\1+$", r"\1", short)))
    if said is None:
        return re.sub(r"([A-Za-z])\1{2,}([a-z]?)", _unstretch, word)
    return said.capitalize() if word[0].isupper() else said
