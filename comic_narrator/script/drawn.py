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

SMALL_VOWELS = str.maketrans("ぁぃぅぇぉ〜～~ｰ", "ーーーーーーーーー")
"""A small vowel, like a wave, draws the vowel before it out."""
DRAWN_OUT = str.maketrans("", "", "ーっ")


def sound_of(text: str, language: str) -> str | None:
    """The tag of the sound that lettering stands for, or None: the whole text, else the first word that is known.

    A word of any language is known in every book; `language` (BCP-47) only says whether plain English words are met.
    """
    parts = re.split(r"[\s!！?？。、,.…・*\"“”'’()]+", text)
    for part in (text, *parts):
        if tag := _known(part):
            return tag
    english = language.split("-")[0] == "en"
    return next((tag for part in parts if (tag := _stemmed(_key(part)) or _near(part, english))), None)


def _known(written: str) -> str | None:
    """The tag of a word as it is written, else without its long vowels, else of one of its repetitions."""
    exact, loose = _tables()
    word = _key(written)
    short = word.translate(DRAWN_OUT)
    half = short[: len(short) // 2]
    return exact.get(word) or loose.get(short) or (loose.get(half) if half and half * 2 == short else None)


def _stemmed(word: str) -> str | None:
    stems = (word.removesuffix(ending) for ending in ("es", "s", "ing", "ed") if word.endswith(ending))
    return next((tag for stem in stems if len(stem) > 2 and (tag := _tables()[1].get(stem))), None)


def _near(written: str, english: bool) -> str | None:
    """The tag of the words that differ from it in one letter, if they all stand for one sound; none of a plain word."""
    word = _key(written)
    if len(word) < NEAR_LETTERS or not word.isascii():
        return None
    tags = {tag for other, tag in _tables()[1].items() if other[0] == word[0] and _one_apart(word, other)}
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
    """What is compared: letters in lower case, kana as hiragana, many repetitions as two."""
    plain = "".join(_hiragana(c) for c in unicodedata.normalize("NFKC", text).casefold())
    plain = re.sub(r"ー+", "ー", plain.translate(SMALL_VOWELS))
    letters = "".join(c for c in plain if unicodedata.category(c)[0] in "LM" or c == "ー")
    # CRAAASH is crash, and so is "crasch" of no table: only runs of one letter are cut.
    cut = re.sub(r"([a-zà-ÿ])\1+", r"\1", letters)
    cut = re.sub(r"([^a-z])\1{2,}", r"\1\1", cut)
    return re.sub(r"^(.{1,5}?)\1{2,}$", r"\1\1", _without_stop(cut))


def _without_stop(word: str) -> str:
    """Without the small tsu, which says only how sudden a sound ends; a word of one letter and it stays as it is."""
    short = word.replace("っ", "")
    return short if len(short) > 1 else word


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
def _tables() -> tuple[dict[str, str], dict[str, str]]:
    """The tags of words as they are written, and of words without their long vowels; the first of a kind counts."""
    exact: dict[str, str] = {}
    loose: dict[str, str] = {}
    for tag, _, word in table_words():
        exact.setdefault(_key(word), tag)
        loose.setdefault(_key(word).translate(DRAWN_OUT), tag)
    return exact, loose
