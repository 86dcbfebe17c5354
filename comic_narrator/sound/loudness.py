"""Loudness by EBU R128: of films measured with ffmpeg, set by one gain and, where peaks would pass, a true-peak
limiter; of single sounds measured here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from comic_narrator import ffmpeg
from comic_narrator.errors import FilmError
from comic_narrator.model import SAMPLE_RATE

Wave = NDArray[np.float32] | NDArray[np.float64]

CEILING_DBTP = -1.5
MOST_GAIN_DB = 20.0
SILENCE_LUFS = -69.5
TOLERANCE_LU = 0.4
MOST_TRIES = 3
LIMITER_TAKES_LU = 0.2
"""What the limiter is expected to take away at first."""
LIMITER_MARGIN_DB = 1.3
"""How much further down the samples are held, since the wave between them passes over them."""


@dataclass(frozen=True)
class Loudness:
    """Integrated loudness in LUFS (-70 = nothing passed the gate) and true peak in dBTP (-inf = silence)."""

    integrated: float
    true_peak: float

    @property
    def is_silence(self) -> bool:
        """Nothing was loud or long enough to be measured."""
        return self.integrated <= SILENCE_LUFS


@dataclass(frozen=True)
class RawAudio:
    """A file of bare float32 samples at 48 kHz, channels interleaved; `samples` counts them per channel."""

    file: Path
    channels: int
    samples: int


def measure(audio: Path | RawAudio, peaks: Literal["true", "sample", "none"] = "true") -> Loudness:
    """Loudness of a sound file, one channel counted as played from both sides; FilmError if it cannot be read.

    To find the peaks between the samples takes three times as long as all the rest: where a guess will do, `peaks` are
    those of the samples, or 0 dB where nobody asks.
    """
    # The meter's filters take ten times as long over digital silence, as between lines; they take the shift out again.
    shift = "dcshift=0.00001," if peaks == "none" else ""
    meter = f"{shift}ebur128=peak={peaks}:framelog=quiet:dualmono=true"
    said = ffmpeg.run([*_input(audio), "-af", meter, "-f", "null", "-"])
    summary = said.rpartition("Summary:")[2]
    integrated = re.search(r"\bI:\s+(\S+) LUFS", summary)
    peak = re.search(r"\bPeak:\s+(\S+) dBFS", summary)
    if integrated is not None and peaks == "none":
        return Loudness(float(integrated[1]), 0.0)
    if integrated is None or peak is None:
        raise FilmError("ffmpeg measured no loudness.", "log.txt in the work folder has its whole message.")
    return Loudness(float(integrated[1]), float(peak[1]))


def master(mix: RawAudio, out: Path, target: float) -> tuple[Loudness, float]:
    """Write `mix` as 24-bit WAV at `target` LUFS and at most -1.5 dBTP, raised by no more than 20 dB.

    What came out, and the gain in dB that made it so.
    """
    raw = measure(mix, peaks="sample")
    most = 0.0 if raw.is_silence else MOST_GAIN_DB
    gain = step = min(target - raw.integrated, most)
    reached, last = raw.integrated, gain
    limit = CEILING_DBTP - LIMITER_MARGIN_DB
    if raw.true_peak + gain > limit:
        gain = step = gain + min(LIMITER_TAKES_LU, most - gain)
    for _ in range(MOST_TRIES):
        _write(mix, out, gain, limit if raw.true_peak + gain > limit else None)
        got = measure(out)
        # A limiter takes loudness away, and peaks return in part between the samples: the next try knows by how much.
        yielded = (got.integrated - reached) / step if abs(step) > TOLERANCE_LU else 1.0
        step = min((target - got.integrated) / min(max(yielded, 0.3), 1.0), most - gain)
        passed = got.true_peak - CEILING_DBTP
        if abs(step) <= TOLERANCE_LU and passed <= 0:
            return got, gain
        last = gain
        gain, reached = gain + step, got.integrated
        limit -= passed + 0.1 if passed > 0 else 0.0
    return got, last


def k_weighted(wave: Wave) -> NDArray[np.float64]:
    """A wave (n,) or (n, channels) at 48 kHz through the K filter of ITU-R BS.1770-4."""
    size = 1 << int(np.ceil(np.log2(len(wave) + SAMPLE_RATE // 4)))
    turn = np.exp(-2j * np.pi * np.fft.rfftfreq(size))
    shelf = (1.53512485958697 + turn * (-2.69169618940638 + turn * 1.19839281085285)) / (
        1 + turn * (-1.69065929318241 + turn * 0.73248077421585)
    )
    gain = shelf * (1 - turn) ** 2 / (1 + turn * (-1.99004745483398 + turn * 0.99007225036621))
    gain = gain[:, None] if wave.ndim == 2 else gain
    return np.asarray(np.fft.irfft(np.fft.rfft(wave, size, axis=0) * gain, size, axis=0)[: len(wave)])


def steady_loudness(wave: Wave) -> float:
    """LUFS of a stereo sound (n, 2) as a whole, without gates; -120 of silence."""
    return float(-0.691 + 10 * np.log10(np.mean(k_weighted(wave) ** 2) * 2 + 1e-12))


def loudest_moment(wave: Wave) -> float:
    """LUFS of the loudest 0.4 s of a mono sound (n,), played from both sides; -120 of silence."""
    window = round(0.4 * SAMPLE_RATE)
    power = np.cumsum(np.pad(k_weighted(np.concatenate([wave, np.zeros(window, np.float32)])) ** 2, (1, 0)))
    return float(-0.691 + 10 * np.log10(2 * (power[window:] - power[:-window]).max() / window + 1e-12))


def _write(mix: RawAudio, out: Path, gain_db: float, limit_db: float | None) -> None:
    filters = [f"volume={gain_db:.3f}dB"]
    if limit_db is not None:
        ceiling = 10 ** (limit_db / 20)
        filters.append(f"alimiter=limit={ceiling:.6f}:level=disabled:attack=5:release=60:latency=1")
    wav = ["-c:a", "pcm_s24le", "-f", "wav", "-rf64", "auto", "-flags", "+bitexact", "-fflags", "+bitexact"]
    ffmpeg.run([*_input(mix), "-af", ",".join(filters), *wav, str(out)])


def _input(audio: Path | RawAudio) -> list[str]:
    if isinstance(audio, RawAudio):
        return ["-f", "f32le", "-ar", str(SAMPLE_RATE), "-ac", str(audio.channels), "-i", str(audio.file)]
    return ["-i", str(audio)]
