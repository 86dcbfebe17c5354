"""Ears for tests and benchmarks: the Whisper models of the extra `ears`, and fair rates of what they hear."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from jiwer import cer, wer
from numpy.typing import NDArray

from comic_narrator.voices.ears import bare_kana, normal_words, transcribed, whisper

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
