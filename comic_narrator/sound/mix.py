"""The film's sound: speech, and under it ambience, music and effects that step back before each line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

from comic_narrator.model import SAMPLE_RATE
from comic_narrator.sound.bed import Bed, rounded
from comic_narrator.sound.choosing import Placement
from comic_narrator.sound.library import Kind
from comic_narrator.sound.loudness import Loudness, RawAudio, master, measure

Audio = NDArray[np.float32]

BLOCK = 5 * SAMPLE_RATE
FADE_IN_SECONDS = 1.0
FADE_OUT_SECONDS = 2.5
UNSPOKEN_LUFS = -23.0
"""What a film in which nobody speaks is mixed against."""

ALL: frozenset[Kind] = frozenset(["effect", "ambience", "music"])
STEMS: Mapping[str, frozenset[Kind] | None] = {
    "speech": None,
    "music": frozenset(["music"]),
    "effects": frozenset(["effect", "ambience"]),
}
"""The stems there are, by the kinds of sound in them; None is the speech."""


@dataclass(frozen=True)
class Mixed:
    """What was measured on a finished mix, and the gain in dB that brought it to its loudness."""

    loudness: Loudness
    gain_db: float


def mix_film(
    speech: Iterable[Audio],
    spoken: Sequence[tuple[float, float]],
    samples: int,
    placements: Sequence[Placement],
    out: Path,
    *,
    loudness: float = -16.0,
    stems: Mapping[str, Path] | None = None,
) -> Mixed:
    """Write the film's sound to `out` as stereo 24-bit WAV of exactly `samples` at 48 kHz.

    `speech` yields the stems of scene after scene, each (n,) or all (n, 2); `spoken` are the sorted spans, in seconds
    of the film's clock, in which somebody speaks. Integrated loudness becomes `loudness` LUFS, true peak at most
    -1.5 dBTP; silence stays silence. `stems` names files for some of STEMS: they add up to the film, but for its
    limiter. Two files of bare samples lie beside `out` meanwhile. ValueError if the speech does not hold `samples`.
    """
    bare_speech, bare_mix = (out.with_name(f"{out.name}.{name}.part") for name in ("speech", "mix"))
    try:
        voices = _spool(speech, bare_speech)
        if voices.samples != samples:
            raise ValueError(f"the stems hold {voices.samples} samples, the film has {samples}")
        said = measure(voices, peaks="none")
        level = UNSPOKEN_LUFS if said.is_silence else said.integrated
        mix = _spool(_mixed(voices, Bed(placements, spoken, level)), bare_mix)
        made, gain = master(mix, out, loudness)
        for name, file in (stems or {}).items():
            kinds = STEMS[name]
            blocks = _both(voices) if kinds is None else _bed_alone(voices, Bed(placements, spoken, level), kinds)
            _write_stem(blocks, file, samples, gain)
        return Mixed(made, gain)
    finally:
        bare_speech.unlink(missing_ok=True)
        bare_mix.unlink(missing_ok=True)


def _mixed(voices: RawAudio, bed: Bed) -> Iterator[Audio]:
    first = 0
    for voice in _both(voices):
        yield voice + bed.block(first, len(voice), ALL) * _edges(first, len(voice), voices.samples)
        first += len(voice)


def _bed_alone(voices: RawAudio, bed: Bed, kinds: frozenset[Kind]) -> Iterator[Audio]:
    for first in range(0, voices.samples, BLOCK):
        count = min(BLOCK, voices.samples - first)
        yield bed.block(first, count, kinds) * _edges(first, count, voices.samples)


def _edges(first: int, count: int, samples: int) -> Audio:
    """The film's fade in and out, of the bed alone, shape (count, 1)."""
    if first >= FADE_IN_SECONDS * SAMPLE_RATE and first + count <= samples - FADE_OUT_SECONDS * SAMPLE_RATE:
        return np.ones((1, 1), np.float32)
    place = np.arange(first, first + count)
    left = (samples - place) / (FADE_OUT_SECONDS * SAMPLE_RATE)
    return rounded(np.minimum(place / (FADE_IN_SECONDS * SAMPLE_RATE), left).clip(0, 1))[:, None]


def _write_stem(blocks: Iterator[Audio], file: Path, samples: int, gain_db: float) -> None:
    # A WAV file ends at 4 GB.
    form = "RF64" if samples * 6 > 4_000_000_000 else "WAV"
    gain = np.float32(10 ** (gain_db / 20))
    with soundfile.SoundFile(file, "w", SAMPLE_RATE, 2, subtype="PCM_24", format=form) as sink:
        for block in blocks:
            sink.write(block * gain)


def _both(audio: RawAudio) -> Iterator[Audio]:
    """The blocks of spooled speech, stereo."""
    for block in _blocks(audio):
        yield np.repeat(block[:, None], 2, axis=1) if audio.channels == 1 else block.reshape(-1, 2)


def _spool(blocks: Iterable[Audio], file: Path) -> RawAudio:
    samples, channels = 0, 1
    with file.open("wb") as sink:
        for block in blocks:
            channels = block.shape[1] if block.ndim == 2 else 1
            sink.write(np.ascontiguousarray(block, np.float32).data)
            samples += len(block)
    return RawAudio(file, channels, samples)


def _blocks(audio: RawAudio) -> Iterator[Audio]:
    with audio.file.open("rb") as source:
        while len(block := np.fromfile(source, np.float32, BLOCK * audio.channels)):
            yield block
