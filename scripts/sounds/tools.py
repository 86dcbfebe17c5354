"""Building blocks of sounds: noise that loops, envelopes, rings, grains; all arrays are float64 at 48 kHz."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

RATE = 48_000

Wave = NDArray[np.float64]
"""Shape (n,), or (n, 2) where it says stereo."""
Random = np.random.Generator


def seconds(length: float) -> Wave:
    """The time of each sample, in seconds."""
    return np.arange(round(length * RATE)) / RATE


def shaped(rng: Random, length: float, gain: Callable[[Wave], Wave]) -> Wave:
    """Noise of RMS 1 whose spectrum is `gain` of the frequency in Hz; whole bins, hence without a seam when looped."""
    count = round(length * RATE)
    hertz = np.fft.rfftfreq(count, 1 / RATE)
    size = gain(np.maximum(hertz, 1e-3)) * (hertz > 15)
    wave = np.fft.irfft(size * np.exp(2j * np.pi * rng.random(len(hertz))), count)
    return wave / max(float(np.sqrt(np.mean(wave**2))), 1e-12)


def band(low: float, high: float, slope: float = 2.0) -> Callable[[Wave], Wave]:
    """A band-pass as a gain of the frequency, falling by `slope` x 6 dB an octave beyond its corners."""
    return lambda hertz: 1 / np.sqrt((1 + (low / hertz) ** (2 * slope)) * (1 + (hertz / high) ** (2 * slope)))


def pink(low: float, high: float) -> Callable[[Wave], Wave]:
    """Pink noise within a band."""
    inside = band(low, high)
    return lambda hertz: inside(hertz) * np.sqrt(200 / hertz)


def noise(rng: Random, length: float, low: float, high: float, slope: float = 2.0) -> Wave:
    """Band noise of RMS 1."""
    return shaped(rng, length, band(low, high, slope))


def wide(rng: Random, length: float, gain: Callable[[Wave], Wave], alike: float = 0.3) -> Wave:
    """Stereo noise of RMS 1 whose sides share the part `alike` of their power."""
    both, left, right = (shaped(rng, length, gain) for _ in range(3))
    return np.stack([np.sqrt(alike) * both + np.sqrt(1 - alike) * side for side in (left, right)], 1)


def drift(rng: Random, length: float, period: float, low: float, high: float) -> Wave:
    """A slow random curve between `low` and `high` that changes within about `period` seconds and has no seam."""
    count = round(length * RATE)
    cycles = max(1, round(length / period))
    time = np.arange(count) / count
    curve = np.zeros(count)
    for turn in range(1, cycles + 1):
        curve += rng.standard_normal() * np.sin(2 * np.pi * (turn * time + rng.random()))
    curve -= curve.min()
    return low + (high - low) * curve / max(float(curve.max()), 1e-12)


def filtered(wave: Wave, gain: Callable[[Wave], Wave]) -> Wave:
    """The wave (n,) through a gain of the frequency, without phase."""
    hertz = np.maximum(np.fft.rfftfreq(len(wave), 1 / RATE), 1e-3)
    return np.fft.irfft(np.fft.rfft(wave) * gain(hertz), len(wave))


def swept(rng: Random, length: float, low: Wave, high: Wave, pieces: int = 24) -> Wave:
    """Noise whose band moves with time: `low` and `high` in Hz a sample; cross-faded pieces of still bands."""
    count = round(length * RATE)
    out = np.zeros(count)
    middles = np.linspace(0, count - 1, pieces)
    for i, middle in enumerate(middles):
        at = int(middle)
        weight = np.interp(np.arange(count), middles, np.eye(pieces)[i])
        out += np.sqrt(weight) * noise(rng, length, float(low[at]), float(high[at]), 2.5)
    return out


def strike(length: float, decay: float, attack: float = 0.001) -> Wave:
    """A sudden rise within `attack` s and an exponential fall to -60 dB within `decay` s."""
    time = seconds(length)
    return np.minimum(time / attack, 1) * np.exp(-6.9 * time / decay)


def hump(length: float, rise: float, power: float = 2.0) -> Wave:
    """A swell that peaks at the part `rise` of its length and ends at nothing on both sides."""
    place = np.linspace(0, 1, round(length * RATE))
    return np.where(place < rise, place / rise, (1 - place) / (1 - rise)) ** power


def ring(rng: Random, length: float, partials: Sequence[tuple[float, float, float]]) -> Wave:
    """Struck modes: (Hz, level, seconds to -60 dB) each."""
    time = seconds(length)
    wave = np.zeros_like(time)
    for hertz, level, decay in partials:
        wave += level * np.sin(2 * np.pi * hertz * time + 2 * np.pi * rng.random()) * np.exp(-6.9 * time / decay)
    return wave * np.minimum(time / 0.0008, 1)


def glide(pitch: Wave, harmonics: Sequence[float] = (1.0,)) -> Wave:
    """A tone whose pitch in Hz is given for each sample, with the levels of its harmonics."""
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    return sum((level * np.sin((i + 1) * phase) for i, level in enumerate(harmonics)), np.zeros_like(phase))


def place(loop: Wave, start: float, sound: Wave, level: float = 1.0, side: float = 0.0) -> None:
    """Add mono `sound` to a stereo `loop` at `start` s; what passes its end goes on at its beginning."""
    first = round(start * RATE)
    gains = level * np.array([np.cos((side + 1) * np.pi / 4), np.sin((side + 1) * np.pi / 4)]) * np.sqrt(2)
    np.add.at(loop, np.arange(first, first + len(sound)) % len(loop), sound[:, None] * gains)


def add(wave: Wave, start: float, sound: Wave, level: float = 1.0) -> None:
    """Add mono `sound` to mono `wave` at `start` s, cut at the end."""
    first = round(start * RATE)
    part = sound[: max(len(wave) - first, 0)]
    wave[first : first + len(part)] += level * part


def joined(*parts: tuple[float, Wave, float]) -> Wave:
    """Several mono sounds as one: (start s, wave, level) each."""
    out = np.zeros(max(round(start * RATE) + len(wave) for start, wave, _ in parts))
    for start, wave, level in parts:
        add(out, start, wave, level)
    return out


def unit(wave: Wave) -> Wave:
    """The wave with a peak of 1."""
    return wave / max(float(np.abs(wave).max()), 1e-12)


def level(wave: Wave, rms: float = 1.0) -> Wave:
    """The wave with that RMS."""
    return wave * (rms / max(float(np.sqrt(np.mean(wave**2))), 1e-12))


def hall(rng: Random, wave: Wave, length: float, wet: float, damp: float = 3000) -> Wave:
    """The wave in a room that dies away within `length` s, longer by that; mono."""
    count = round(length * RATE)
    response = noise(rng, length, 150, damp, 1) * np.exp(-6.9 * np.arange(count) / count)
    response /= np.sqrt(np.sum(response**2))
    size = len(wave) + count
    late = np.fft.irfft(np.fft.rfft(wave, size) * np.fft.rfft(response, size), size)
    return np.pad(wave, (0, count)) + wet * late


def round_hall(rng: Random, loop: Wave, length: float, wet: float, damp: float = 3000) -> Wave:
    """A stereo loop in such a room; its tail goes on at its beginning."""
    count = round(length * RATE)
    out = loop.copy()
    for side in (0, 1):
        response = np.zeros(len(loop))
        response[:count] = noise(rng, length, 150, damp, 1) * np.exp(-6.9 * np.arange(count) / count)
        response /= np.sqrt(np.sum(response**2))
        out[:, side] += wet * np.fft.irfft(np.fft.rfft(loop[:, side]) * np.fft.rfft(response), len(loop))
    return out
