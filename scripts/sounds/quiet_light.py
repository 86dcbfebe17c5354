"""Quiet beds of music made of sines and noise alone: no recording, no sample."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import SAMPLE_RATE

Audio = NDArray[np.float32]
Spectrum = NDArray[np.complex64]
Chord = tuple[int, tuple[int, int, int, int]]

# A bass and four upper notes, in semitones above the tonic. No dominant sevenths and no leading note that wants
# to go home: a cadence would tell the listener that something in the story has ended.
BRIGHT: tuple[Chord, ...] = (
    (0, (0, 2, 4, 7)), (9, (0, 4, 7, 9)), (5, (0, 4, 7, 9)),
    (4, (0, 2, 4, 7)), (2, (0, 5, 7, 9)), (7, (0, 2, 5, 7)),
)  # fmt: skip
DORIAN: tuple[Chord, ...] = (
    (0, (2, 3, 7, 10)), (10, (0, 2, 5, 9)), (5, (0, 2, 7, 9)),
    (3, (2, 5, 7, 10)), (10, (0, 2, 5, 7)), (5, (0, 3, 7, 9)),
)  # fmt: skip
LYDIAN: tuple[Chord, ...] = (
    (0, (2, 4, 7, 11)), (0, (2, 4, 6, 9)), (9, (0, 4, 7, 11)),
    (4, (2, 6, 7, 11)), (2, (2, 4, 6, 9)), (7, (2, 4, 7, 9)),
)  # fmt: skip

# Above 12 kHz the bed has nothing to say: it is played at half the rate, and the last transform doubles that.
RATE = SAMPLE_RATE // 2
CHORD_SECONDS = 8
CROSSFADE_SECONDS = 3.5
TABLE_SECONDS = 12
LOUDNESS_LUFS = -26.0


def make_bed(chords: tuple[Chord, ...], layer: str, seed: int) -> Audio:
    """A seamless loop of 8 s a chord, float32 of shape (n, 2) at 48 kHz, -26 LUFS; `layer` is base or lead."""
    rng = np.random.default_rng(seed)
    tonic = 48 + int(rng.integers(-3, 4))
    voicings = _lead_voices(chords, tonic)
    loop = np.zeros((len(chords) * CHORD_SECONDS * RATE, 2), np.float32)
    if layer == "base":
        _play_pads(rng, loop, voicings)
        _play_bass(rng, loop, [tonic + bass - (12 if bass > 4 else 0) for bass, _ in chords])
    else:
        _play_bells(rng, loop, voicings)
    spectrum = np.fft.rfft(loop, axis=0).astype(np.complex64)
    spectrum *= 1 + 0.45 * _room(rng, len(loop))
    if layer == "base":
        spectrum += _air(rng, len(loop)) * _level(spectrum, len(loop))
    spectrum *= _band(len(loop))
    spectrum *= 10 ** (LOUDNESS_LUFS / 20) / _level(spectrum, len(loop))
    return np.fft.irfft(2 * spectrum, 2 * len(loop), axis=0).astype(np.float32)


def _lead_voices(chords: tuple[Chord, ...], tonic: int) -> list[tuple[int, ...]]:
    """Four pitches a chord (MIDI numbers, upwards), each chord as near to the one before as its notes allow."""
    last: tuple[int, ...] = (tonic + 7, tonic + 12, tonic + 16, tonic + 21)
    voicings = []
    for _, notes in chords:
        choices = []
        for order in permutations(notes):
            pitches = sorted(_nearest(tonic + note, old) for note, old in zip(order, last, strict=True))
            moved = sum(abs(new - old) for new, old in zip(pitches, last, strict=True))
            # Seconds low down are mud; the register may drift only so far before it is pulled back.
            crowded = sum(12 for low, high in pairwise(pitches) if high - low < 2)
            crowded += 4 if pitches[1] - pitches[0] < 3 else 0
            drifted = abs(sum(pitches) / 4 - (tonic + 14)) + 0.5 * max(pitches[-1] - pitches[0] - 16, 0)
            choices.append((moved + crowded + 2 * drifted, tuple(pitches)))
        last = min(choices)[1]
        voicings.append(last)
    return voicings


def _nearest(pitch: int, target: int) -> int:
    return pitch + 12 * round((target - pitch) / 12)


def _play_pads(rng: np.random.Generator, loop: Audio, voicings: list[tuple[int, ...]]) -> None:
    warm, glow = _pad_envelopes()
    pitches = sorted({pitch for voicing in voicings for pitch in voicing})
    tables = {pitch: (_pad_table(rng, pitch, 18, 1.9), _pad_table(rng, pitch, 30, 0.9)) for pitch in pitches}
    for index, voicing in enumerate(voicings):
        for voice, pitch in enumerate(voicing):
            dark, bright = tables[pitch]
            # Two places of one table are unrelated waves of equal colour: width that vanishes in mono without holes.
            left, right = (np.roll(dark, int(turn))[: len(warm)] for turn in rng.integers(len(dark), size=2))
            shine = np.roll(bright, int(rng.integers(len(bright))))[: len(warm)] * glow
            side = (-0.25, 0.25, -0.4, 0.4)[voice]
            sound = np.stack([left * (1 - side), right * (1 + side)], 1) * warm[:, None]
            sound += 0.16 * shine[:, None] * np.array([1 + side, 1 - side], np.float32)
            _add_round(loop, index * CHORD_SECONDS, sound * np.float32(1 - 0.12 * voice))


def _play_bass(rng: np.random.Generator, loop: Audio, pitches: list[int]) -> None:
    warm, _ = _pad_envelopes()
    tables = {pitch: _pad_table(rng, pitch, 9, 2.2) for pitch in sorted({*pitches})}
    for index, pitch in enumerate(pitches):
        sound = np.roll(tables[pitch], int(rng.integers(len(tables[pitch]))))[: len(warm)] * warm
        _add_round(loop, index * CHORD_SECONDS, np.stack([sound, sound], 1) * np.float32(0.75))


def _play_bells(rng: np.random.Generator, loop: Audio, voicings: list[tuple[int, ...]]) -> None:
    """One to three soft struck notes a chord, of the chord, wandering by small steps; some chords have none."""
    last = voicings[0][-1] + 12
    for index, voicing in enumerate(voicings):
        count = int(rng.choice(4, p=(0.2, 0.3, 0.35, 0.15)))
        for beat in sorted(rng.choice(np.arange(1, 7), count, replace=False)):
            reachable = {pitch + octave for pitch in voicing for octave in (12, 24)} - {last}
            near = sorted((abs(pitch - last), pitch) for pitch in reachable if pitch < 86)[:3]
            last = near[int(rng.integers(len(near)))][1]
            start = index * CHORD_SECONDS + float(beat) + float(rng.uniform(-0.06, 0.06))
            _add_round(loop, start, _bell(last, float(rng.uniform(0.5, 1.0)), float(rng.uniform(-0.45, 0.45))))


def _bell(pitch: int, strength: float, side: float) -> Audio:
    time = np.arange(int(4.5 * RATE), dtype=np.float32) / RATE
    tone = np.zeros_like(time)
    # Felt on strings: upper partials are weak, sharp by stiffness and gone first.
    for partial, loud in ((1, 1.0), (2, 0.22 * strength), (3, 0.09 * strength), (4, 0.04 * strength)):
        pitch_hz = _hertz(pitch) * partial * (1 + 0.0004 * partial**2)
        tone += loud * np.sin(2 * np.pi * pitch_hz * time) * np.exp(-time * (0.9 + 0.9 * partial))
    attack = np.clip(time / 0.012, 0, 1)
    release = np.clip((time[-1] - time) / 0.5, 0, 1)
    # Ears are keener the higher it gets, and a high note that stands out takes the listener from the story.
    tone *= np.sin(np.pi / 2 * attack) ** 2 * release * (1.4 * strength * 2 ** ((72 - pitch) / 16))
    return np.stack([tone * (1 - side), tone * (1 + side)], 1).astype(np.float32)


def _pad_envelopes() -> tuple[Audio, Audio]:
    """Gain over one pad note of the warm layer and of the brighter one that swells inside it."""
    time = np.arange(int((CHORD_SECONDS + CROSSFADE_SECONDS) * RATE), dtype=np.float32) / RATE
    # Sine and cosine keep the power level through the cross-fade of unrelated waves.
    attack = np.sin(np.pi / 2 * np.clip(time / CROSSFADE_SECONDS, 0, 1))
    release = np.cos(np.pi / 2 * np.clip((time - CHORD_SECONDS) / CROSSFADE_SECONDS, 0, 1))
    return (attack * release).astype(np.float32), (np.sin(np.pi * time / time[-1]) ** 2).astype(np.float32)


def _pad_table(rng: np.random.Generator, pitch: int, cents: float, tilt: float) -> Audio:
    """One endless pad note of 12 s, RMS 1 (PADsynth, Nasca 2005: harmonics as narrow bands of random phase)."""
    size = TABLE_SECONDS * RATE
    spectrum = np.zeros(size // 2 + 1, np.complex64)
    for harmonic in range(1, 15):
        center = _hertz(pitch) * harmonic
        spread = center * (2 ** (cents / 1200) - 1) / 2
        bins = np.arange(int((center - 4 * spread) * TABLE_SECONDS), int((center + 4 * spread) * TABLE_SECONDS) + 1)
        band = np.exp(-0.5 * ((bins / TABLE_SECONDS - center) / spread) ** 2) / np.sqrt(spread)
        loud = harmonic**-tilt / (1 + (center / 1400) ** 2)
        spectrum[bins] += loud * band * np.exp(2j * np.pi * rng.random(len(bins)))
    wave: Audio = np.fft.irfft(spectrum, size).astype(np.float32)
    wave /= np.sqrt(np.mean(wave**2))
    return wave


def _add_round(loop: Audio, start_seconds: float, sound: Audio) -> None:
    """Add `sound` to the loop; what passes its end goes on at its beginning, so that the loop has no seam."""
    start = round(start_seconds * RATE) % len(loop)
    head = min(len(sound), len(loop) - start)
    loop[start : start + head] += sound[:head]
    loop[: len(sound) - head] += sound[head:]


def _room(rng: np.random.Generator, samples: int) -> Spectrum:
    """Spectrum of a soft hall: noise that dies away within 3.2 s, the high notes faster, unrelated left and right."""
    time = np.arange(4 * RATE, dtype=np.float32)[:, None] / RATE
    noise = rng.standard_normal((len(time), 2), np.float32)
    response = np.zeros((samples, 2), np.float32)
    delay = int(0.02 * RATE)
    response[delay : delay + len(time)] = noise * np.exp(-6.9 * time / 3.2) * (1 - np.exp(-time / 0.03))
    response /= np.sqrt(np.sum(response[: delay + len(time)] ** 2, axis=0))
    damped: Spectrum = np.fft.rfft(response, axis=0).astype(np.complex64) / (1 + (_bins(samples) / 1800) ** 2)
    return damped


def _air(rng: np.random.Generator, samples: int) -> Spectrum:
    """Spectrum of a wide, faint wind 34 dB below a bed of level 1; whole bins, hence without a seam."""
    hertz = _bins(samples)
    shape = 1 / np.sqrt(1 + (hertz / 500) ** 2) / (1 + (hertz / 3500) ** 2)
    phase = rng.random((len(hertz), 2), np.float32) * np.float32(2 * np.pi)
    wind: Spectrum = shape * (np.cos(phase) + np.complex64(1j) * np.sin(phase))
    wind *= 10 ** (-34 / 20) / _level(wind, samples)
    return wind


def _band(samples: int) -> Audio:
    """Gain a bin: nothing at 0 Hz, little below 35 Hz, and a gentle roll-off that leaves room for consonants."""
    hertz = _bins(samples)
    gain = hertz**4 / (hertz**4 + np.float32(35) ** 4) / np.sqrt(1 + (hertz / 5000) ** 4)
    return gain.astype(np.float32, copy=False)


def _level(spectrum: Spectrum, samples: int) -> float:
    """Loudness as an amplitude, 1 = 0 LUFS: BS.1770 without gates, the K filter as its gain a bin."""
    # The low filter's poles lie so near the unit circle that single precision would not resolve the lowest bins.
    turn = np.exp(np.complex128(-2j * np.pi / SAMPLE_RATE) * _bins(samples))
    shelf = (1.53512485958697 + turn * (-2.69169618940638 + turn * 1.19839281085285)) / (
        1 + turn * (-1.69065929318241 + turn * 0.73248077421585)
    )
    high_pass = (1 - turn) ** 2 / (1 + turn * (-1.99004745483398 + turn * 0.99007225036621))
    weight = (np.abs(shelf * high_pass) ** 2).astype(np.float32)
    power = float(np.sum((spectrum.real**2 + spectrum.imag**2) * weight, dtype=np.float64)) * 2 / samples**2
    return float(np.sqrt(power * 10**-0.0691))


def _bins(samples: int) -> Audio:
    return (np.arange(samples // 2 + 1, dtype=np.float32) * np.float32(RATE / samples))[:, None]


def _hertz(pitch: int) -> float:
    return float(440 * 2 ** ((pitch - 69) / 12))
