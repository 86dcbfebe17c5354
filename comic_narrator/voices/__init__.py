"""Voices: spoken text in, a take of 48 kHz mono sound out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]
"""Mono sound at 48 kHz, float32 in [-1, 1], shape (n,)."""


@dataclass(frozen=True)
class VoiceProfile:
    """A voice of the bank; `id` is what cast.json and script.json name, `engine` what the engine needs to sound so."""

    id: str
    name: str
    language: str
    sex: Literal["female", "male"]
    age: Literal["child", "young", "adult", "old"]
    timbre: str
    engine: str
    licence: str
    source: str


@dataclass(frozen=True)
class Delivery:
    """How a text is meant: `speed` 1.0 is the voice's own; `attempt` counts takes of the same text, from 0."""

    speed: float = 1.0
    tone: str | None = None
    emotion: str | None = None
    attempt: int = 0


class Voice(Protocol):
    """Speaks texts; thread-safe. `identity` changes whenever its takes may."""

    @property
    def identity(self) -> str:
        """What the journal hashes: model and settings, never an address."""
        ...

    def check(self, language: str) -> None:
        """Raise the NarratorError that says what is missing, if it cannot speak `language` (BCP-47)."""
        ...

    def profiles(self, language: str) -> tuple[VoiceProfile, ...]:
        """The voices it has for `language`, best narrator first."""
        ...

    def speak(self, text: str, profile: VoiceProfile, delivery: Delivery) -> Samples:
        """Speak `text` once: no silence at either end beyond 50 ms; the same arguments give the same samples."""
        ...
