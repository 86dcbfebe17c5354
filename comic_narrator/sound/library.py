"""The library of sounds: what there is, under which licence, and the samples themselves."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Literal

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray
from pydantic import Field

from comic_narrator.errors import InputError
from comic_narrator.model import SAMPLE_RATE, Part
from comic_narrator.report import Credit
from comic_narrator.sound.loudness import loudest_moment, steady_loudness

Audio = NDArray[np.float32]
Kind = Literal["effect", "ambience", "music"]

LONGEST_SECONDS = 120
"""No more than so much of a sound is played or held in memory; what is longer is looped earlier."""
GUARD = 4800
"""Samples before the beginning of a shipped loop in which its end turns into it."""
EFFECT_END = 480
"""Samples in which an effect is faded out at its very end."""
JOIN_SECONDS = 1.0
"""A loop of the user's is made seamless by blending so much of its end into its beginning."""


class Entry(Part):
    """A row of library.toml: `loudness` is in LUFS (of an effect: its loudest 0.4 s), `loop` in samples of its files.

    Music has two files: a base that may stand alone, and a lead that joins it where nobody speaks.
    """

    kind: Kind
    tags: tuple[str, ...] = Field(min_length=1)
    files: tuple[str, ...] = Field(min_length=1, max_length=2)
    seconds: float = Field(gt=0)
    loop: tuple[int, int] | None = None
    loudness: float
    licence: str
    source: str
    attribution: str


@dataclass(frozen=True)
class Sound:
    """A sound that can be played; `loudness` None = measured when it is. Its files lie at `paths`."""

    name: str
    kind: Kind
    tags: tuple[str, ...]
    paths: tuple[Path, ...]
    seconds: float
    licence: str
    source: str
    attribution: str
    loudness: float | None = None
    loop: tuple[int, int] | None = None
    gain_db: float = 0.0

    @property
    def credit(self) -> Credit:
        """Whose work it is."""
        return Credit(name=self.name, licence=self.licence, source=self.source, attribution=self.attribution)


@dataclass(frozen=True)
class Layer:
    """Decoded samples at 48 kHz, (n, 1) or (n, 2), as 16-bit numbers: times `scale` they are at -23 LUFS."""

    numbers: NDArray[np.int16]
    scale: float

    def stretch(self, first: int, count: int) -> Audio:
        """The samples from `first` on, over and over, float32 of shape (count, channels)."""
        whole = len(self.numbers)
        parts, at = [], first % whole
        while count > 0:
            parts.append(self.numbers[at : at + count])
            count -= len(parts[-1])
            at = 0
        return np.concatenate(parts).astype(np.float32) * np.float32(self.scale)


@cache
def shipped() -> tuple[Sound, ...]:
    """The sounds that come with the program."""
    folder = files("comic_narrator.sound") / "data"
    table = tomllib.loads((folder / "library.toml").read_text(encoding="utf-8"))
    with as_file(folder) as place:
        return tuple(_shipped(name, Entry.model_validate(row), place) for name, row in table.items())


def _shipped(name: str, entry: Entry, place: Path) -> Sound:
    return Sound(
        name=name,
        kind=entry.kind,
        tags=entry.tags,
        paths=tuple(place / file for file in entry.files),
        seconds=entry.seconds,
        licence=entry.licence,
        source=entry.source,
        attribution=entry.attribution,
        loudness=entry.loudness,
        loop=entry.loop,
    )


def licence_text(licence: str) -> str | None:
    """The text of a licence that shipped sounds are under; None for one that none is under."""
    file = files("comic_narrator.sound") / "data" / "licences" / f"{licence}.txt"
    return file.read_text(encoding="utf-8") if file.is_file() else None


def decode(sound: Sound) -> tuple[Layer, ...]:
    """The layers of a sound, all of one length; InputError when a file of it cannot be read."""
    return tuple(decode_layer(sound, i) for i in range(len(sound.paths)))


def decode_layer(sound: Sound, layer: int) -> Layer:
    """One layer of a sound; InputError when its file cannot be read."""
    return _packed(_normal(sound, _read(sound.paths[layer], sound)))


def _packed(wave: Audio) -> Layer:
    # A minute of music as floats takes 23 MB, and several pieces may be held at once.
    scale = max(float(np.abs(wave).max()), 1e-6) / 32767
    return Layer(np.round(wave / np.float32(scale)).astype(np.int16), scale)


def _read(path: Path, sound: Sound) -> Audio:
    try:
        with soundfile.SoundFile(path) as file:
            most = LONGEST_SECONDS * file.samplerate
            first, last = sound.loop or (0, most)
            # Read from its beginning: a decoder that is set into the middle of a file needs time to settle.
            whole = file.read(min(last, first + most), dtype="float32", always_2d=True)
            wave = _closed(whole, first) if sound.loop else whole
            rate = file.samplerate
    except (soundfile.LibsndfileError, OSError) as error:
        raise InputError(
            f"{path} cannot be played: {error}.", "Replace it, or take it out of sound.folders."
        ) from error
    if not len(wave) or not np.isfinite(wave).all():
        raise InputError(f"{path} holds no sound.", "Replace it, or take it out of sound.folders.")
    wave = wave[:, :2] if sound.kind != "effect" else wave.mean(axis=1, keepdims=True)
    return np.asarray(soxr.resample(wave, rate, SAMPLE_RATE), np.float32) if rate != SAMPLE_RATE else wave


def _closed(whole: Audio, first: int) -> Audio:
    """The loop that begins at `first`, its end turning into what lies before its beginning.

    Both are the same music, coded twice: a codec of few bits draws them so differently that a plain cut would click.
    """
    join = min(GUARD, first)
    turn = np.linspace(0, 1, join, endpoint=False, dtype=np.float32)[:, None]
    wave = whole[first:].copy()
    if join:
        wave[-join:] = wave[-join:] * (1 - turn) + whole[first - join : first] * turn
    return wave


def _normal(sound: Sound, wave: Audio) -> Audio:
    """The wave at -23 LUFS; a loop is stereo and without a seam."""
    if sound.kind == "effect":
        # Coding blurs an end that was faded out, and a file of the user's may just stop.
        end = min(EFFECT_END, len(wave))
        wave = np.concatenate([wave[:-end], wave[-end:] * np.linspace(1, 0, end, dtype=np.float32)[:, None]])
    else:
        wave = np.repeat(wave, 2, axis=1) if wave.shape[1] == 1 else wave
        wave = wave if sound.loop else _seamless(wave)
    loudness = sound.loudness
    if loudness is None:
        loudness = loudest_moment(wave[:, 0]) if sound.kind == "effect" else steady_loudness(wave)
    return wave * np.float32(10 ** ((-23 - max(loudness, -60) + sound.gain_db) / 20))


def _seamless(wave: Audio) -> Audio:
    join = min(round(JOIN_SECONDS * SAMPLE_RATE), len(wave) // 4)
    turn = np.linspace(0, np.pi / 2, join, dtype=np.float32)[:, None]
    out = wave[:-join].copy() if join else wave.copy()
    if join:
        out[:join] = wave[:join] * np.sin(turn) + wave[-join:] * np.cos(turn)
    return out


def by_kind(sounds: Sequence[Sound], kind: Kind) -> list[Sound]:
    """The sounds of one kind, in their order."""
    return [sound for sound in sounds if sound.kind == kind]
