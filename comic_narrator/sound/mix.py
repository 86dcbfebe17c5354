"""The film's sound: speech, and under it a bed of music that steps back before each line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import SAMPLE_RATE
from comic_narrator.sound.loudness import Loudness, RawAudio, master, measure

Audio = NDArray[np.float32]
Curve = NDArray[np.float64]

BLOCK = 10 * SAMPLE_RATE
DIP_SECONDS = 0.25
RETURN_SECONDS = 0.8
STAY_DOWN_SECONDS = 1.2
FADE_IN_SECONDS = 1.0
FADE_OUT_SECONDS = 2.5


def mix_film(
    speech: Iterable[Audio],
    spoken: Sequence[tuple[float, float]],
    samples: int,
    bed: Audio | None,
    out: Path,
    *,
    loudness: float = -16.0,
    bed_below_speech: float = 20.0,
    bed_alone: float = 9.0,
) -> Loudness:
    """Write the film's sound to `out` as stereo 24-bit WAV of exactly `samples` at 48 kHz; what was measured on it.

    `speech` yields the mono stems, shape (n,), of scene after scene; `spoken` are the sorted spans, in seconds of the
    film's clock, in which somebody speaks; `bed`, shape (m, 2), is looped. It plays `bed_below_speech` LU below the
    speech during the spans (20: WCAG 1.4.7) and `bed_alone` LU below it elsewhere. Integrated loudness becomes
    `loudness` LUFS, true peak at most -1.5 dBTP; silence stays silence. Two files of bare samples lie beside `out`
    meanwhile. ValueError if the stems do not hold `samples`.
    """
    bare_speech, bare_mix = (out.with_name(f"{out.name}.{name}.part") for name in ("speech", "mix"))
    try:
        voices = _spool(speech, 1, bare_speech)
        if voices.samples != samples:
            raise ValueError(f"the stems hold {voices.samples} samples, the film has {samples}")
        blocks: Iterator[Audio]
        if bed is None:
            blocks = (np.repeat(block[:, None], 2, axis=1) for block in _blocks(voices))
        else:
            level = _bed_gain_db(voices, bed, bare_mix, bed_alone)
            blocks = _over_bed(voices, spoken, bed, level, bed_below_speech - bed_alone)
        mix = _spool(blocks, 2, bare_mix)
        bare_speech.unlink()
        return master(mix, out, loudness)
    finally:
        bare_speech.unlink(missing_ok=True)
        bare_mix.unlink(missing_ok=True)


def duck_curve(spoken: Sequence[tuple[float, float]], first: int, count: int) -> Curve:
    """How far the bed steps back at each of `count` samples from `first` on: 0 = not at all, 1 = wholly."""
    corners: list[float] = []
    for start, end in spoken:
        if corners and start - corners[-2] < STAY_DOWN_SECONDS:
            end = max(end, corners[-2])
            corners[-2:] = [end, end + RETURN_SECONDS]
        else:
            corners += [start - DIP_SECONDS, start, end, end + RETURN_SECONDS]
    if not corners:
        return np.zeros(count)
    time = np.arange(first, first + count) / SAMPLE_RATE
    ramp = np.interp(time, corners, np.tile((0.0, 1.0, 1.0, 0.0), len(corners) // 4))
    return _rounded(ramp)


def _over_bed(
    voices: RawAudio, spoken: Sequence[tuple[float, float]], bed: Audio, level_db: float, duck_db: float
) -> Iterator[Audio]:
    first = 0
    for voice in _blocks(voices):
        place = np.arange(first, first + len(voice))
        left = (voices.samples - place) / (FADE_OUT_SECONDS * SAMPLE_RATE)
        fade = _rounded(np.minimum(place / (FADE_IN_SECONDS * SAMPLE_RATE), left).clip(0, 1))
        gain = fade * 10 ** ((level_db - duck_db * duck_curve(spoken, first, len(voice))) / 20)
        yield voice[:, None] + bed[place % len(bed)] * gain[:, None].astype(np.float32)
        first += len(voice)


def _bed_gain_db(voices: RawAudio, bed: Audio, scratch: Path, below: float) -> float:
    """Gain that puts the bed `below` LU under the speech; none where either cannot be measured."""
    said, played = measure(voices), measure(_spool([bed], 2, scratch))
    return 0.0 if said.is_silence or played.is_silence else said.integrated - below - played.integrated


def _rounded(ramp: Curve) -> Curve:
    return 0.5 - 0.5 * np.cos(np.pi * ramp)


def _spool(blocks: Iterable[Audio], channels: int, file: Path) -> RawAudio:
    samples = 0
    with file.open("wb") as sink:
        for block in blocks:
            sink.write(np.ascontiguousarray(block, np.float32).data)
            samples += len(block)
    return RawAudio(file, channels, samples)


def _blocks(audio: RawAudio) -> Iterator[Audio]:
    with audio.file.open("rb") as source:
        while len(block := np.fromfile(source, np.float32, BLOCK * audio.channels)):
            yield block
