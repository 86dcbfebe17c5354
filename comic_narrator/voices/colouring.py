"""Colourings: a take made into a child's, an old one's, a robot's, a monster's, a whisper, a thought.

All are sums over the samples of a take and give the same samples for the same take. Pitch and length are the engine's:
`SHIFTS` says by how many semitones it shall speak higher before the rest is done here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import SAMPLE_RATE
from comic_narrator.voice_profiles import Colouring

Sound = NDArray[np.float32]

SHIFTS: dict[Colouring, float] = {
    "boy": 2.0, "girl": 2.5, "old_man": -0.8, "old_woman": -0.8, "robot": -1.0, "monster": -3.0, "whisper": 0.0,
    "thought": 0.0,
}  # fmt: skip
"""Semitones by which voice and vocal tract are moved together: a child's tract is shorter, a monster's longer."""

PACES: dict[Colouring, float] = {"old_man": 0.93, "old_woman": 0.93, "monster": 0.92, "whisper": 0.95, "thought": 0.97}
"""Speed of delivery by which the engine speaks."""

FRAME = 1024
HOP = FRAME // 4


def coloured(sound: Sound, colouring: Colouring | None) -> Sound:
    """`sound` (48 kHz mono) with `colouring` done to it, of the same length but for a room's tail of 0.2 s."""
    match colouring:
        case "old_man" | "old_woman":
            return _trembling(sound)
        case "robot":
            return _robot(sound)
        case "monster":
            return _monster(sound)
        case "whisper":
            return _whispered(sound)
        case "thought":
            return _in_a_room(sound)
        case "boy" | "girl" | None:
            return sound


def with_effort(sound: Sound, effort: float) -> Sound:
    """`sound` as said with `effort` from -1 to 1: who calls out is brighter above 1.5 kHz, by up to 5 dB."""
    if effort == 0:
        return sound
    decades = 5 * effort / 20
    return _shaped(
        sound, lambda hertz: np.exp(np.log(10) * decades * np.clip(np.log2(np.maximum(hertz, 1) / 750) / 2, 0, 1))
    )


def _shaped(sound: Sound, gain: Callable[[Any], Any]) -> Sound:
    """`sound` with each frequency (Hz) made louder by the factor that `gain` gives it."""
    spectrum = np.fft.rfft(sound)
    spectrum *= gain(np.fft.rfftfreq(len(sound), 1 / SAMPLE_RATE))
    return np.asarray(np.fft.irfft(spectrum, len(sound)), np.float32)


def _trembling(sound: Sound) -> Sound:
    """An old voice: it trembles in loudness and pitch about five times a second, and has lost some of its edge."""
    seconds = np.arange(len(sound)) / SAMPLE_RATE
    wander = 0.00028 * np.sin(2 * np.pi * 5.3 * seconds) + 0.00012 * np.sin(2 * np.pi * 3.1 * seconds + 1)
    moved = np.interp(seconds + wander, seconds, sound)
    louder = 1 + 0.16 * np.sin(2 * np.pi * 5.3 * seconds + 0.5)
    aged: Sound = np.asarray(moved * louder, np.float32)
    return _shaped(aged, lambda hertz: 1 / np.sqrt(1 + (hertz / 5200) ** 4))


def _robot(sound: Sound) -> Sound:
    """A machine: the voice through a comb of short echoes, and a copy of it that a low tone chops."""
    tone = np.sin(2 * np.pi * 55 * np.arange(len(sound)) / SAMPLE_RATE).astype(np.float32)
    comb = sound.copy()
    for tap, gain in ((240, 0.55), (480, 0.4), (720, 0.3)):
        comb[tap:] += gain * sound[:-tap]
    return np.asarray(0.7 * comb + 0.35 * sound * tone, np.float32)


def _monster(sound: Sound) -> Sound:
    """A monster: a growl half as fast as the voice's own buzz, and more of what is low."""
    seconds = np.arange(len(sound)) / SAMPLE_RATE
    growl = 1 + 0.3 * np.sign(np.sin(2 * np.pi * 32 * seconds)) * np.abs(np.sin(2 * np.pi * 32 * seconds)) ** 0.5
    return _shaped((sound * growl).astype(np.float32), lambda hertz: 1 + 0.9 / (1 + (hertz / 220) ** 2))


def _whispered(sound: Sound) -> Sound:
    """A whisper: the spectrum's shape, moment by moment, filled with noise in place of the voice.

    A little of the voice stays, as in a stage whisper, for words to be told by.
    """
    noise = np.random.default_rng(82).standard_normal(len(sound)).astype(np.float32)
    voice, breath = _frames(sound), _frames(noise)
    shape = _smooth(np.abs(voice))
    whisper = _joined(shape * breath / np.maximum(_smooth(np.abs(breath)), 1e-9), len(sound))
    bright = _shaped(whisper, lambda hertz: 0.25 + 0.75 * np.clip(hertz / 1000, 0, 1))
    level = float(np.sqrt(np.mean(sound**2)) / max(float(np.sqrt(np.mean(bright**2))), 1e-9))
    return np.asarray(bright * level + 0.22 * sound, np.float32)


def _in_a_room(sound: Sound) -> Sound:
    """A thought: nearer and darker, in a small soft room."""
    length = round(0.2 * SAMPLE_RATE)
    fall = np.exp(-np.arange(length) / SAMPLE_RATE / 0.05)
    room = np.random.default_rng(5).standard_normal(length) * fall
    room[: round(0.008 * SAMPLE_RATE)] = 0
    room *= 0.42 / np.sqrt((room**2).sum())
    size = len(sound) + length
    wet = np.fft.irfft(np.fft.rfft(sound, size) * np.fft.rfft(room, size), size)
    whole = np.concatenate([sound, np.zeros(length, np.float32)]) + wet
    return _shaped(whole.astype(np.float32), lambda hertz: 1 / np.sqrt(1 + (hertz / 6000) ** 4))


def _frames(sound: Sound) -> NDArray[np.complex128]:
    """Spectra of overlapping Hann frames; shape (frames, FRAME // 2 + 1)."""
    padded = np.concatenate([np.zeros(FRAME), sound, np.zeros(2 * FRAME)])
    views = np.lib.stride_tricks.sliding_window_view(padded, FRAME)[::HOP]
    return np.fft.rfft(views * np.hanning(FRAME + 1)[:-1], axis=1)


def _joined(spectra: NDArray[np.complex128], samples: int) -> Sound:
    """The sound of overlapping frames, `samples` long."""
    pieces = np.fft.irfft(spectra, FRAME, axis=1) * np.hanning(FRAME + 1)[:-1]
    out = np.zeros(HOP * (len(pieces) - 1) + FRAME)
    for i, piece in enumerate(pieces):
        out[i * HOP : i * HOP + FRAME] += piece
    return np.asarray(out[FRAME : FRAME + samples] / 1.5, np.float32)


def _smooth(magnitudes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Spectra without their harmonics: the mean over about 300 Hz."""
    width = 7
    kernel = np.hanning(width + 2)[1:-1]
    kernel /= kernel.sum()
    padded = np.pad(magnitudes, ((0, 0), (width // 2, width // 2)), mode="edge")
    return np.asarray(sum(kernel[i] * padded[:, i : i + magnitudes.shape[1]] for i in range(width)))
