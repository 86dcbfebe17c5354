"""Drawn sound words of many languages, and what sounds they stand for."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from importlib.resources import files

from comic_narrator import lexicon

NEAR_LETTERS = 5
"""A Latin word of so many letters may differ in one from a word of the table: hand-drawn letters are misread."""

SMALL_KANA = str.maketrans("", "", "ぁぃぅぇぉっーゎ~〜～ｰ-‐–—")


def sound_of(text: str, language: str) -> str | None:
    """The tag of the sound that lettering stands for, or None: the whole text, else the first word that is known.

    A word of any language is known in every book; `language` (BCP-47) only says whether plain English words are met.
    """
    known = _table()
    whole = _key(text)
    if whole in known:
        return known[whole]
    parts = re.split(r"[\s!！?？。、,.…~〜・*\"“”'’()]+", text)
    for part in parts:
        if (word := _key(part)) in known:
            return known[word]
    english = language.split("-")[0] == "en"
    return next((tag for part in parts if (tag := _stemmed(_key(part)) or _near(part, english))), None)


def _stemmed(word: str) -> str | None:
    stems = (word.removesuffix(ending) for ending in ("es", "s", "ing", "ed") if word.endswith(ending))
    return next((tag for stem in stems if len(stem) > 2 and (tag := _table().get(stem))), None)


def _near(written: str, english: bool) -> str | None:
    """The tag of the words that differ from it in one letter, if they all stand for one sound; none of a plain word."""
    word = _key(written)
    if len(word) < NEAR_LETTERS or not word.isascii():
        return None
    tags = {tag for other, tag in _table().items() if other[0] == word[0] and _one_apart(word, other)}
    plain = english and tags and written.casefold() in lexicon.english_words()
    return tags.pop() if len(tags) == 1 and not plain else None


def _one_apart(word: str, other: str) -> bool:
    if not other.isascii() or abs(len(word) - len(other)) > 1 or len(other) < NEAR_LETTERS - 1:
        return False
    same = 0
    while same < min(len(word), len(other)) and word[same] == other[same]:
        same += 1
    ends = {(word[same + i :], other[same + j :]) for i, j in ((1, 1), (1, 0), (0, 1))}
    return any(left == right for left, right in ends)


def _key(text: str) -> str:
    """What is compared: letters in lower case, kana as hiragana, no long vowels, repetitions as two."""
    plain = "".join(_hiragana(c) for c in unicodedata.normalize("NFKC", text).casefold())
    plain = plain.translate(SMALL_KANA)
    letters = "".join(c for c in plain if unicodedata.category(c)[0] in "LM")
    # CRAAASH is crash, and so is "crasch" of no table: only runs of one letter are cut.
    cut = re.sub(r"([a-zà-ÿ])\1+", r"\1", letters)
    cut = re.sub(r"([^a-z])\1{2,}", r"\1\1", cut)
    return re.sub(r"^(.{1,5}?)\1{2,}$", r"\1\1", cut)


def _hiragana(letter: str) -> str:
    return chr(ord(letter) - 0x60) if "ァ" <= letter <= "ヶ" else letter


@cache
def table_words() -> tuple[tuple[str, str, str], ...]:
    """Every row of the table: tag, language, word."""
    text = (files("comic_narrator.script") / "data" / "drawn_sounds.toml").read_text(encoding="utf-8")
    return tuple(
        (tag, language, word)
        for tag, languages in tomllib.loads(text).items()
        for language, words in languages.items()
        for word in words
    )


@cache
def _table() -> dict[str, str]:
    told: dict[str, str] = {}
    for tag, _, word in table_words():
        told.setdefault(_key(word), tag)
    return told
