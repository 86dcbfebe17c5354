"""Voices: spoken text in, a take of 48 kHz mono sound out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from comic_narrator.voice_profiles import Colouring, Reference, VoicePrint, VoiceProfile

__all__ = ["Colouring", "Delivery", "Reference", "Samples", "Voice", "VoicePrint", "VoiceProfile"]

Samples = NDArray[np.float32]
"""Mono sound at 48 kHz, float32 in [-1, 1], shape (n,)."""


@dataclass(frozen=True)
class Delivery:
    """How a text is meant: `speed` 1.0 is the voice's own; `attempt` counts takes of the same text, from 0.

    `effort` goes from -1 (hardly voiced) by 0 (talk) to 1 (a shout). `colouring` is what is done to the sound of this
    one line (whisper, thought), on top of what its profile asks for. `phonemes` says how words of the user's are
    pronounced: pairs of a word as it stands in the text, in lower case, and its IPA.
    """

    speed: float = 1.0
    tone: str | None = None
    emotion: str | None = None
    effort: float = 0.0
    colouring: Colouring | None = None
    phonemes: tuple[tuple[str, str], ...] = ()
    attempt: int = 0


class Voice(Protocol):
    """Speaks texts; thread-safe. `identity` changes whenever its takes may."""

    @property
    def identity(self) -> str:
        """What the journal hashes: model and settings, never an address."""
        ...

    @property
    def processes(self) -> int:
        """In how many processes, each with a voice of its own, many lines are spoken quickest; 1 where one will do."""
        ...

    @property
    def lanes(self) -> int:
        """How many lines one voice speaks at once, from as many threads; 1 where more are not quicker."""
        ...

    @property
    def sampled(self) -> bool:
        """Whether it draws by lot, so that a take may hold other words than its text and is best listened to."""
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

    def close(self) -> None:
        """End what is in flight, from another thread; it is asked for nothing afterwards."""
        ...
