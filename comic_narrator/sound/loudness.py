"""Loudness by EBU R128: measured with ffmpeg, set by one gain and, where peaks would pass, a true-peak limiter."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from comic_narrator import ffmpeg
from comic_narrator.errors import FilmError
from comic_narrator.model import SAMPLE_RATE

CEILING_DBTP = -1.5
MOST_GAIN_DB = 20.0
SILENCE_LUFS = -69.5
TOLERANCE_LU = 0.25
MOST_TRIES = 3
LIMITER_MARGIN_DB = 0.3


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


def measure(audio: Path | RawAudio) -> Loudness:
    """Loudness of a sound file, one channel counted as played from both sides; FilmError if it cannot be read."""
    said = ffmpeg.run([*_input(audio), "-af", "ebur128=peak=true:framelog=quiet:dualmono=true", "-f", "null", "-"])
    summary = said.rpartition("Summary:")[2]
    integrated = re.search(r"\bI:\s+(\S+) LUFS", summary)
    peak = re.search(r"\bPeak:\s+(\S+) dBFS", summary)
    if integrated is None or peak is None:
        raise FilmError("ffmpeg measured no loudness.", "log.txt in the work folder has its whole message.")
    return Loudness(float(integrated[1]), float(peak[1]))


def master(mix: RawAudio, out: Path, target: float) -> Loudness:
    """Write `mix` as 24-bit WAV at `target` LUFS and at most -1.5 dBTP, raised by no more than 20 dB; what came out."""
    raw = measure(mix)
    most = 0.0 if raw.is_silence else MOST_GAIN_DB
    gain = step = min(target - raw.integrated, most)
    reached = raw.integrated
    limit = CEILING_DBTP - LIMITER_MARGIN_DB
    for _ in range(MOST_TRIES):
        _write(mix, out, gain, limit if raw.true_peak + gain > CEILING_DBTP else None)
        got = measure(out)
        # A limiter takes loudness away, and peaks return in part between the samples: the next try knows by how much.
        yielded = (got.integrated - reached) / step if abs(step) > TOLERANCE_LU else 1.0
        step = min((target - got.integrated) / min(max(yielded, 0.3), 1.0), most - gain)
        passed = got.true_peak - CEILING_DBTP
        if abs(step) <= TOLERANCE_LU and passed <= 0:
            break
        gain, reached = gain + step, got.integrated
        limit -= passed + 0.1 if passed > 0 else 0.0
    return got


def _write(mix: RawAudio, out: Path, gain_db: float, limit_db: float | None) -> None:
    filters = [f"volume={gain_db:.3f}dB"]
    if limit_db is not None:
        ceiling = 10 ** (limit_db / 20)
        filters += [
            f"aresample={4 * SAMPLE_RATE}",
            f"alimiter=limit={ceiling:.6f}:level=disabled:attack=5:release=60:latency=1",
            f"aresample={SAMPLE_RATE}",
        ]
    wav = ["-c:a", "pcm_s24le", "-f", "wav", "-rf64", "auto", "-flags", "+bitexact", "-fflags", "+bitexact"]
    ffmpeg.run([*_input(mix), "-af", ",".join(filters), *wav, str(out)])


def _input(audio: Path | RawAudio) -> list[str]:
    if isinstance(audio, RawAudio):
        return ["-f", "f32le", "-ar", str(SAMPLE_RATE), "-ac", str(audio.channels), "-i", str(audio.file)]
    return ["-i", str(audio)]
