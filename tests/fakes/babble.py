"""Sound that passes for speech: syllables of a buzzing pitch with rests between them, as long as its text takes."""

from __future__ import annotations

import hashlib
import io

import numpy as np
import soundfile
from numpy.typing import NDArray

from comic_narrator.voices.checks import usual_seconds

Sound = NDArray[np.float32]


def babble(text: str, rate: int = 48_000, *, pitch: float = 150.0, seed: int = 0, language: str = "en") -> Sound:
    """`text` as babble at `rate` samples a second; the same arguments give the same sound, another seed another one."""
    seconds = usual_seconds(text, language)
    chance = np.random.default_rng(int.from_bytes(hashlib.sha256(f"{text}/{seed}".encode()).digest()[:8], "big"))
    time = np.arange(round(seconds * rate)) / rate
    contour = pitch * (1 + 0.06 * np.sin(2 * np.pi * 0.7 * time + chance.uniform(0, 6)))
    phase = 2 * np.pi * np.cumsum(contour) / rate
    buzz = sum(np.sin(k * phase + chance.uniform(0, 6)) / k for k in range(1, 12))
    whole = max(round(4.4 * seconds), 1)
    syllables = np.clip(np.sin(np.pi * whole * time / seconds) ** 2 - 0.15, 0, None)
    floor = 0.0004 * chance.standard_normal(len(time))
    return (0.12 * buzz * syllables + floor).astype(np.float32)


def cut_off(sound: Sound, rate: int) -> Sound:
    """The sound without its end, cut in the middle of its last syllable but one."""
    window = rate // 50
    tail = sound[-rate // 2 :]
    loudest = int(np.argmax([np.abs(tail[i : i + window]).max() for i in range(0, len(tail) - window, window)]))
    return sound[: len(sound) - len(tail) + (loudest + 1) * window]


def wav(sound: Sound, rate: int, container: str = "WAV") -> bytes:
    """A sound file of 16 bit in memory."""
    file = io.BytesIO()
    if container == "WAV":
        soundfile.write(file, sound, rate, format="WAV", subtype="PCM_16")
    else:
        soundfile.write(file, sound, rate, format=container)
    return file.getvalue()
