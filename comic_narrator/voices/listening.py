"""What can be measured of a voice: its pitch, how far it swings, how bright it is, the shape of its spectrum.

Pitch is found by the difference function of de Cheveigné and Kawahara (YIN, 2002); timbre are the mel cepstrum
coefficients of Davis and Mermelstein (1980), averaged over voiced frames.
"""

from __future__ import annotations

import numpy as np
import soxr
from numpy.typing import NDArray

from comic_narrator.model import SAMPLE_RATE
from comic_narrator.voice_profiles import VoicePrint

RATE = 16_000
FRAME = 1024
HOP = 256
LOWEST, HIGHEST = 55.0, 550.0
"""Hz between which a voice's pitch is looked for."""

UNSURE = 0.2
"""A frame whose difference function falls no lower than this has no pitch."""

BANDS = 32
COEFFICIENTS = 12
LEAST_VOICED = 10
"""Frames, 16 ms each: with fewer there is no voice to measure."""


def measured(sound: NDArray[np.float32]) -> VoicePrint | None:
    """The print of a voice from `sound` (48 kHz mono, a few seconds of speech); None where nobody is heard."""
    low = soxr.resample(sound, SAMPLE_RATE, RATE, quality="HQ")
    if len(low) < FRAME + HOP:
        return None
    frames = np.lib.stride_tricks.sliding_window_view(low, FRAME)[::HOP].astype(np.float64)
    loud = np.sqrt((frames**2).mean(axis=1))
    frames = frames[loud > 0.12 * loud.max(initial=0.0)]
    pitches = _pitches(frames)
    voiced = frames[pitches > 0]
    pitches = pitches[pitches > 0]
    if len(pitches) < LEAST_VOICED:
        return None
    middle = float(np.median(pitches))
    notes = 12 * np.log2(pitches / middle)
    notes = notes[np.abs(notes) < 10]
    power = np.abs(np.fft.rfft(voiced * np.hanning(FRAME), axis=1)) ** 2
    hertz = np.fft.rfftfreq(FRAME, 1 / RATE)
    centroid = float((power.mean(axis=0) * hertz).sum() / power.mean(axis=0).sum())
    return VoicePrint(
        round(middle, 1), round(float(notes.std()), 2), round(centroid), tuple(np.round(_timbre(power), 2).tolist())
    )


def _pitches(frames: NDArray[np.float64]) -> NDArray[np.float64]:
    """F0 of each frame in Hz, 0 where it has none."""
    size = 2 * FRAME
    half = FRAME // 2
    head = np.fft.rfft(frames[:, :half], size, axis=1)
    whole = np.fft.rfft(frames, size, axis=1)
    product = np.fft.irfft(np.conj(head) * whole, size, axis=1)[:, : half + 1]
    squares = np.concatenate([np.zeros((len(frames), 1)), np.cumsum(frames**2, axis=1)], axis=1)
    energy = squares[:, half : FRAME + 1] - squares[:, : half + 1]
    difference = np.maximum(energy[:, :1] + energy - 2 * product, 0)
    lags = np.arange(half + 1)
    running = np.cumsum(difference, axis=1)
    normal = np.where(lags > 0, difference * lags / np.maximum(running, 1e-12), 1.0)
    first, last = int(RATE / HIGHEST), min(int(RATE / LOWEST), half - 1)
    return np.array([_pitch(row, first, last) for row in normal])


def _pitch(normal: NDArray[np.float64], first: int, last: int) -> float:
    """The frequency of the first deep enough dip of a frame's difference function, with a parabola between lags."""
    low = np.flatnonzero(normal[first : last + 1] < UNSURE)
    if not low.size:
        return 0.0
    lag = first + int(low[0])
    while lag < last and normal[lag + 1] < normal[lag]:
        lag += 1
    before, at, after = normal[lag - 1], normal[lag], normal[lag + 1]
    bend = before - 2 * at + after
    return RATE / (lag + (0.5 * (before - after) / bend if bend > 0 else 0.0))


def _timbre(power: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean mel cepstrum of voiced frames (`power` spectra), coefficients 1 to COEFFICIENTS, in dB."""
    hertz = np.fft.rfftfreq(FRAME, 1 / RATE)
    edges = 700 * (10 ** (np.linspace(0, 2595 * np.log10(1 + 7600 / 700), BANDS + 2) / 2595) - 1)
    rising = (hertz - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - hertz) / (edges[2:] - edges[1:-1])[:, None]
    bands = power @ np.clip(np.minimum(rising, falling), 0, None).T
    decibels = 10 * np.log10(np.maximum(bands, 1e-12))
    order = np.arange(1, COEFFICIENTS + 1)[:, None]
    cosines = np.cos(np.pi * order * (np.arange(BANDS) + 0.5) / BANDS)
    return np.asarray((decibels @ cosines.T * np.sqrt(2 / BANDS)).mean(axis=0))
