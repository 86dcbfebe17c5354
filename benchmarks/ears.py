"""Ears for tests and benchmarks: the Whisper models of the extra `ears`, and fair rates of what they hear."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
from jiwer import cer, process_characters, process_words, wer
from numpy.typing import NDArray

from comic_narrator.voices.ears import bare_kana, normal_words, transcribed, whisper
from comic_narrator.voices.phonemes import phonemes

Sound = Path | NDArray[np.float32]
"""A sound file that PyAV can read, or 48 kHz mono samples of shape (n,)."""


def english_words(sound: Sound) -> str:
    """What Whisper tiny.en hears in `sound`, as it writes it."""
    return transcribed(whisper("en"), sound, "en")


def japanese_kana(sound: Sound) -> str:
    """What Whisper base hears in `sound`, turned into katakana without marks."""
    return bare_kana(transcribed(whisper("ja"), sound, "ja"))


def word_error_rate(reference: str, heard: str) -> float:
    """Share of the words of `reference` that `heard` has wrong, both in lower case, without marks, numbers in words."""
    return float(wer(normal_words(reference), normal_words(heard)))


def kana_error_rate(reference: str, heard: str) -> float:
    """Share of the kana of `reference` that `heard` has wrong; both may be any Japanese text."""
    return float(cer(bare_kana(reference), bare_kana(heard)))


def heard_wrong(reference: str, heard: str, language: str) -> tuple[int, int]:
    """How many words (Japanese: kana) of `reference` are heard wrong, and how many there are."""
    if language == "ja":
        told = process_characters(bare_kana(reference), bare_kana(heard))
        return told.substitutions + told.deletions + told.insertions, len(bare_kana(reference))
    words = process_words(normal_words(reference), normal_words(heard))
    return words.substitutions + words.deletions + words.insertions, len(normal_words(reference).split())


def by_sound(text: str) -> str:
    """`text` as `normal_words`, each word as it sounds: Whisper writes won for one, and names as it likes.

    Compounds are written in one way too: some day is someday.
    """
    words = re.sub(
        r"\b(any|some|a|ego|good|dog|pumpkin) (more|day|while|maniac|hearted|gone|stars)\b", r"\1\2", normal_words(text)
    )
    return " ".join(_sound(word) for word in words.split())


@cache
def _sound(word: str) -> str:
    # Stress and the weak vowels that it leaves are no difference between words.
    return re.sub(r"[ˈˌ ]", "", phonemes(word, "en-US")).translate(str.maketrans("ɪᵻɐᵊ", "əəəə")) or word
