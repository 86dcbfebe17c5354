"""The voice that is always at hand: Kokoro-82M (int8 ONNX) out of installed packages, in English and Japanese."""

from __future__ import annotations

import re
import threading

import numpy as np
import soxr
from numpy.typing import NDArray

from comic_narrator.errors import BackendAnswerError, UsageError
from comic_narrator.machine import cores, free_memory
from comic_narrator.model import SAMPLE_RATE
from comic_narrator.settings import VoiceSettings
from comic_narrator.voices import Delivery, Samples, VoiceProfile
from comic_narrator.voices.bank import blend, own_folder, profiles, tables_digest
from comic_narrator.voices.colouring import PACES, SHIFTS, coloured, with_effort
from comic_narrator.voices.kokoro import MODEL_RATE, Kokoro, model_digest
from comic_narrator.voices.phonemes import VERSION, calls, phonemes

METHOD = "sound-4"
"""Raised when the same phonemes may give other samples."""

MEMORY = 950_000_000
"""Bytes that a process with the model takes, at most."""

PAUSE = 0.25
"""Seconds between the sentences of a text that is too long for one call."""

SPEECH_DBFS = -23.0
"""Level of every take: RMS of its loud parts, so that voices are equally loud before the mix."""

LIFT = 1.2
"""Semitones by which a shout lies above talk."""

PEAK = 0.9
EDGE = 0.03
FADE = 0.005
SILENCE = 0.006
"""Below this share of the loudest moment (-44 dB) an edge counts as silence; a final f or s lies above."""


class EmbeddedVoice:
    """Speaks English and Japanese with Kokoro-82M; loads the model on the first take; safe to share between threads."""

    lanes = 1
    """The model itself uses all cores that this voice may."""
    sampled = False

    def __init__(self, settings: VoiceSettings) -> None:
        self._threads = max(1, cores() // settings.processes) if settings.processes else cores()
        self._folder = own_folder(settings.bank)
        self._lock = threading.Lock()
        self._model: Kokoro | None = None

    @property
    def identity(self) -> str:
        """The model's recorded digest, that of the voice tables, and the versions of phonemes and sound."""
        return f"kokoro-82m-int8/{model_digest()[:12]}/tables-{tables_digest()[:12]}/{VERSION}/{METHOD}"

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
        model_digest()

    def profiles(self, language: str) -> tuple[VoiceProfile, ...]:
        """The voices of the bank for `language` that it can mix, best narrator first; none for one it cannot speak."""
        return tuple(profile for profile in profiles(language, self._folder) if profile.engine)

    def speak(self, text: str, profile: VoiceProfile, delivery: Delivery) -> Samples:
        """Speak `text` at `delivery.speed` (0.5 to 2), coloured; tone and emotion are not the model's to give.

        Raises BackendAnswerError if nothing in the text can be said, UsageError for a malformed or unknown
        `profile.engine`, MissingToolError if a package is missing or broken.
        """
        spoken = phonemes(text, profile.language, dict(delivery.phonemes))
        if not spoken:
            raise BackendAnswerError(
                f"Nothing in “{text}” can be said in the language {profile.language}.",
                "Mend the text of that beat, or turn the beat into a pause.",
            )
        return self.say(spoken, profile, delivery)

    def close(self) -> None:
        """Nothing: a call of the model is over in seconds."""

    def say(self, spoken: str, profile: VoiceProfile, delivery: Delivery) -> Samples:
        """Say phonemes of Kokoro's alphabet, as `speak` says a text."""
        engine, tuned = tuning(profile.engine)
        table, shift = blend(engine), 3 * delivery.attempt % 25
        colourings = [colouring for colouring in (profile.colouring, delivery.colouring) if colouring]
        speed = min(max(delivery.speed, 0.5), 2.0) * _drift(delivery.attempt)
        for colouring in colourings:
            tuned += SHIFTS[colouring]
            speed *= PACES.get(colouring, 1.0)
        # A voice that is played faster is higher, and so is its vocal tract; asked to speak slower, it keeps its pace.
        factor = 2 ** ((tuned + LIFT * max(delivery.effort, 0.0)) / 12)
        pause = np.zeros(round(PAUSE / speed * SAMPLE_RATE), np.float32)
        sound: list[NDArray[np.float32]] = []
        for piece in calls(spoken):
            said = trimmed(self._loaded().say(piece, table, shift, speed / factor), MODEL_RATE)
            sound += [soxr.resample(said, MODEL_RATE * factor, SAMPLE_RATE, quality="HQ"), pause]
        whole = with_effort(np.concatenate(sound[:-1]), delivery.effort)
        for colouring in colourings:
            whole = coloured(whole, colouring)
        return finished(whole)

    def _loaded(self) -> Kokoro:
        with self._lock:
            if self._model is None:
                self._model = Kokoro(self._threads)
            return self._model


def tuning(engine: str) -> tuple[str, float]:
    """The blend of an engine such as "am_adam+am_puck@-1.5", and by how many semitones it is moved."""
    blended, _, moved = engine.partition("@")
    if not re.fullmatch(r"[+-]?\d{1,2}(\.\d+)?|", moved):
        raise UsageError(
            f"The voice “{engine}” is malformed.", "Write semitones behind the @, as in af_heart:0.6+af_sky:0.4@-1.5."
        )
    return blended, float(moved or 0)


def _drift(attempt: int) -> float:
    """A factor on the speed by which take n of a text differs: 1, then 1.2 % faster, 1.2 % slower, 2.4 % faster."""
    step = (attempt + 1) // 2 % 3
    return 1 + 0.012 * step * (1 if attempt % 2 else -1)


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
