"""What all voices on servers have in common: how long they are waited for, and how their answers become a take."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import soxr

from comic_narrator.http import Patience
from comic_narrator.model import SAMPLE_RATE
from comic_narrator.voices import Delivery, Samples, VoiceProfile
from comic_narrator.voices.colouring import PACES, SHIFTS, coloured, with_effort
from comic_narrator.voices.embedded import LIFT, PAUSE, finished, trimmed
from comic_narrator.voices.sniff import Sound
from comic_narrator.voices.stretch import stretched

SLOWEST = 25.0
"""Seconds of work for a second of speech that a server may take: a model without a GPU needs ten and more."""
WARMING_UP = 120.0
"""Seconds that the first answer may take longer, while the server loads or compiles its model."""


def patience_for(seconds: float) -> Patience:
    """How long to wait for speech of about so many seconds: a server that stalls is not waited out."""
    total = WARMING_UP + SLOWEST * seconds
    return Patience(connect=5, read=total, total=total, attempts=3)


def seed_of(text: str, profile: VoiceProfile, delivery: Delivery) -> int:
    """A number (31 bits) that is the same for the same line, voice and attempt, and another for another attempt."""
    what = f"{text}\n{profile.sound}\n{delivery.attempt}".encode()
    return int.from_bytes(hashlib.sha256(what).digest()[:4], "big") >> 1


def licensed(profile: VoiceProfile, weights: str) -> VoiceProfile:
    """`profile` with the licence of the model that speaks, beside that of the voice it is copied from."""
    return replace(profile, licence=f"{weights}; voice: {profile.licence}")


def joined(sounds: Sequence[Sound], profile: VoiceProfile, delivery: Delivery, *, told_speed: bool = False) -> Samples:
    """The pieces of a line as one take at 48 kHz, a pause between them, at the speed and with the colouring wished.

    `told_speed`: the server was told the speed and has kept it.
    """
    colourings = [colouring for colouring in (profile.colouring, delivery.colouring) if colouring]
    factor = 2 ** ((sum(SHIFTS[colouring] for colouring in colourings) + LIFT * max(delivery.effort, 0.0)) / 12)
    speed = 1.0 if told_speed else min(max(delivery.speed, 0.5), 2.0)
    for colouring in colourings:
        speed *= PACES.get(colouring, 1.0)
    pause = np.zeros(round(PAUSE * SAMPLE_RATE), np.float32)
    parts: list[Samples] = []
    for sound in sounds:
        # Played faster, a voice is higher, and so is its vocal tract; stretched, it takes its time again.
        at_rate = soxr.resample(sound.samples, sound.rate * factor, SAMPLE_RATE, quality="HQ")
        parts += [trimmed(np.asarray(at_rate, np.float32), SAMPLE_RATE), pause]
    whole = with_effort(stretched(np.concatenate(parts[:-1]), speed / factor), delivery.effort)
    for colouring in colourings:
        whole = coloured(whole, colouring)
    return finished(whole)
