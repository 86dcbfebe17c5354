"""Voices as values: a profile of the bank, what was measured of its sound, and how far apart two voices are heard."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Colouring = Literal["boy", "girl", "old_man", "old_woman", "robot", "monster", "whisper", "thought"]
"""What is done to a voice: who it is made into (boy ... monster), or how one line is meant (whisper, thought)."""

Age = Literal["child", "young", "adult", "old"]


@dataclass(frozen=True)
class VoicePrint:
    """What was measured of a voice's sound.

    `pitch` is the median F0 in Hz, `spread` how far F0 swings about it (standard deviation, semitones), `brightness`
    the centroid of the spectrum of voiced sound in Hz, `timbre` its shape: mel cepstrum coefficients 1 to 12, in dB.
    """

    pitch: float
    spread: float
    brightness: float
    timbre: tuple[float, ...] = ()


@dataclass(frozen=True)
class Reference:
    """A recording of a voice: a mono WAV that ends with 0.5 s of silence, its words, and the sha256 of its bytes."""

    wav: Path
    text: str
    sha256: str


@dataclass(frozen=True)
class VoiceProfile:
    """A voice of the bank; `id` is what cast.json and script.json name, `engine` what the engine needs to sound so.

    `colouring` is what is done to the engine's sound for every line of this voice.
    """

    id: str
    name: str
    language: str
    sex: Literal["female", "male"]
    age: Age
    timbre: str
    engine: str
    licence: str
    source: str
    colouring: Colouring | None = None
    reference: Reference | None = None
    measured: VoicePrint | None = None

    @property
    def sound(self) -> str:
        """All that decides how it sounds: a take made for it is good while this is the same, whatever its name."""
        return repr((self.language, self.engine, self.colouring, self.reference and self.reference.sha256))


def semitones(one: float, other: float) -> float:
    """How many semitones lie between two pitches in Hz, never negative."""
    return abs(12 * math.log2(one / other))


def distance(one: VoicePrint, other: VoicePrint) -> float:
    """How far apart two voices are heard; 1.0 is about two semitones of pitch, or as much of timbre.

    The root of the squared differences of pitch, swing, brightness and timbre, each in a step that is well heard.
    """
    shape = math.dist(one.timbre, other.timbre) if len(one.timbre) == len(other.timbre) else 0.0
    parts = (
        semitones(one.pitch, other.pitch) / 2,
        (one.spread - other.spread) / 4,
        semitones(one.brightness, other.brightness) / 6,
        shape / 12,
    )
    return math.hypot(*parts)
