"""Ears for tests and benchmarks: the Whisper models of the extra `ears`, and fair rates of what they hear."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

import ctranslate2
import numpy as np
import soxr
from jiwer import cer, process_characters, process_words, wer
from numpy.typing import NDArray

from comic_narrator.model import SAMPLE_RATE
from comic_narrator.voices.ears import WHISPER_RATE, bare_kana, normal_words, transcribed, whisper
from comic_narrator.voices.phonemes import phonemes

DRAWN_TOGETHER = {
    "im": "i am", "ive": "i have", "youre": "you are", "youve": "you have", "youll": "you will", "hes": "he is",
    "shes": "she is", "thats": "that is", "whats": "what is", "theres": "there is", "heres": "here is",
    "weve": "we have", "theyre": "they are", "theyve": "they have", "theyll": "they will", "dont": "do not",
    "doesnt": "does not", "didnt": "did not", "isnt": "is not", "arent": "are not", "wasnt": "was not",
    "werent": "were not", "couldnt": "could not", "wouldnt": "would not", "shouldnt": "should not", "cannot": "can not",
    "lets": "let us", "cause": "because",
}  # fmt: skip
"""Contractions as `normal_words` leaves them, but for those that would be other words, such as well and its."""

Sound = Path | NDArray[np.float32]
"""A sound file that PyAV can read, or 48 kHz mono samples of shape (n,)."""


def english_words(sound: Sound) -> str:
    """What Whisper tiny.en hears in `sound`, as it writes it."""
    return transcribed(whisper("en"), sound, "en")


def japanese_kana(sound: Sound) -> str:
    """What Whisper base hears in `sound`, turned into katakana without marks."""
    return bare_kana(transcribed(whisper("ja"), sound, "ja"))


def heard_through(
    sound: NDArray[np.float32], language: str, ear: str, *, speech_only: bool, looks_back: bool = False
) -> str:
    """What Whisper hears in 48 kHz mono samples: English words, or katakana without marks.

    `ear` is the language whose model listens: "en" is tiny.en, any other base. With `speech_only` faster-whisper's own
    detector of speech (Silero) takes out what is none before Whisper listens; with `looks_back` Whisper knows, as it
    does by default, what it heard before. It listens as it always does: where it has gone astray and repeats itself,
    once more at a higher temperature. Chance is the same each time.
    """
    ctranslate2.set_random_seed(1)
    wave = soxr.resample(sound, SAMPLE_RATE, WHISPER_RATE).astype(np.float32)
    segments, _ = whisper(ear).transcribe(
        wave,
        language=language,
        beam_size=5,
        condition_on_previous_text=looks_back,
        vad_filter=speech_only,
    )
    words = " ".join(segment.text.strip() for segment in segments)
    return bare_kana(words) if language == "ja" else words


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


def words_wrong(written: str, heard: str) -> int:
    """How many English words of `written` are heard wrong, missing or added, both as `normal_words`.

    Words count by their sound, for Whisper writes won for one. So does where they are parted (some day, someday), and
    what it draws together or spells out (I've, I have), as its own normaliser does.
    """
    said, got = (normal_words(text).split() for text in (written, heard))
    matched = SequenceMatcher(None, [_sound(word) for word in said], [_sound(word) for word in got], autojunk=False)
    wrong = 0
    for tag, i1, i2, j1, j2 in matched.get_opcodes():
        if tag != "equal" and _together(said[i1:i2]) != _together(got[j1:j2]):
            wrong += max(i2 - i1, j2 - j1)
    return wrong


def _together(words: Sequence[str]) -> str:
    """How words sound in one breath, contractions spelled out."""
    return "".join(_sound(word) for each in words for word in DRAWN_TOGETHER.get(each, each).split())


@cache
def _sound(word: str) -> str:
    # Stress and the weak vowels that it leaves are no difference between words; nor are t and d where they are flapped.
    return re.sub(r"[ˈˌ ]", "", phonemes(word, "en-US")).translate(str.maketrans("ɪᵻɐᵊT", "əəəəd")) or word
