"""The speech of one scene as one stretch of sound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import SAMPLE_RATE

Audio = NDArray[np.float32]

ROOM_SECONDS = 0.7
ROOM_SHARE = 0.3
"""Level of the room against the dry voice: heard as another place, every word still clear."""
WIDEST = 0.35
"""How far to a side the outermost balloon is heard, of 1."""


@dataclass(frozen=True)
class Said:
    """A take in its scene: start in seconds, mono 48 kHz samples, gain in dB, side from -1 to 1, in a room or not."""

    start: float
    take: Audio
    gain_db: float = 0.0
    place: float = 0.0
    in_room: bool = False


def speech_stem(clips: Sequence[Said], samples: int, *, stereo: bool = False) -> Audio:
    """The takes added up over `samples`: (n,), or (n, 2) where each has its side. ValueError if one would be cut.

    What rings on in a room after a take is cut where the scene ends.
    """
    stem = np.zeros((samples, 2 if stereo else 1), np.float32)
    for clip in clips:
        start = round(clip.start * SAMPLE_RATE)
        if start < 0 or start + len(clip.take) > samples:
            raise ValueError(f"a take of {len(clip.take)} samples at {start} does not fit a scene of {samples}")
        sound = in_room(clip.take) if clip.in_room else clip.take
        sound = sound[: samples - start] * np.float32(10 ** (clip.gain_db / 20))
        stem[start : start + len(sound)] += sound[:, None] * (_sides(clip.place) if stereo else np.float32(1))
    return stem if stereo else stem[:, 0]


def _sides(place: float) -> Audio:
    angle = (1 + WIDEST * place) * np.pi / 4
    return np.array([np.cos(angle), np.sin(angle)], np.float32) * np.float32(np.sqrt(2))


def in_room(take: Audio) -> Audio:
    """A take as heard in a room, longer by what rings on, at the level that it had; shape (n,)."""
    response = _room()
    size = 1 << (len(take) + len(response) - 1).bit_length()
    wet = np.fft.irfft(np.fft.rfft(take, size) * np.fft.rfft(response, size), size)[: len(take) + len(response)]
    both = np.pad(take, (0, len(response))) + ROOM_SHARE * wet.astype(np.float32)
    loud, was = np.sqrt(np.mean(both[: len(take)] ** 2)), np.sqrt(np.mean(take**2))
    return np.asarray(both * (was / loud if loud > 0 else 1), np.float32)


@cache
def _room() -> Audio:
    """The response of a small, soft room: noise that dies away, its high notes first; energy 1."""
    rng = np.random.default_rng(11)
    time = np.arange(round(ROOM_SECONDS * SAMPLE_RATE)) / SAMPLE_RATE
    noise = rng.standard_normal(len(time)) * np.exp(-6.9 * time / ROOM_SECONDS) * (time > 0.012)
    hertz = np.fft.rfftfreq(len(time), 1 / SAMPLE_RATE)
    soft = np.fft.irfft(np.fft.rfft(noise) * (hertz > 150) / (1 + (hertz / 2500) ** 2), len(time))
    return np.asarray(soft / np.sqrt(np.sum(soft**2)), np.float32)
