"""The bed: everything under the speech, block after block: ambience, music in layers, and effects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import SAMPLE_RATE
from comic_narrator.sound.choosing import Placement
from comic_narrator.sound.library import Kind, Layer, Sound, decode_layer

Audio = NDArray[np.float32]
Curve = NDArray[np.float32]

DECODED_LUFS = -23.0

ALONE_DB: dict[Kind, float] = {"music": -11.0, "ambience": -15.0, "effect": -1.0}
"""Loudness against the speech where nobody speaks, in LU."""
DUCKED_DB: dict[Kind, float] = {"music": -12.0, "ambience": -10.0, "effect": -13.0}
"""How much lower it is while somebody speaks: music and ambience together lie 20 LU under the voice (WCAG 1.4.7)."""
LEAD_DB = -2.0
"""The lead of a piece of music against its base."""


KEPT_BYTES = 48_000_000
"""How much decoded sound is kept for when it is heard again."""
STEP = 16
"""Samples that share one gain: nothing here moves by more than a fortieth of a decibel in so short a time."""


@dataclass(frozen=True)
class Stride:
    """How something steps back for speech, in seconds: ahead of a line, after it, and through gaps so short."""

    ahead: float
    back: float
    through: float


DIP = Stride(0.25, 0.8, 1.2)
LEAD_DIP = Stride(1.5, 3.0, 6.0)
"""The lead of the music does not come and go with every line."""


class Ducking:
    """Where somebody speaks (sorted spans, seconds), as a curve between 0 (nobody) and 1."""

    def __init__(self, spoken: Sequence[tuple[float, float]], stride: Stride = DIP) -> None:
        corners: list[float] = []
        for start, end in spoken:
            if corners and start - corners[-2] < stride.through:
                end = max(end, corners[-2])
                corners[-2:] = [end, end + stride.back]
            else:
                corners += [start - stride.ahead, start, end, end + stride.back]
        self._corners = np.array(corners)
        self._steps = np.tile((0.0, 1.0, 1.0, 0.0), len(corners) // 4)

    def curve(self, first: int, count: int) -> Curve:
        """The curve from sample `first` on, a value every STEP samples, for `count` samples."""
        start, end = first / SAMPLE_RATE, (first + count) / SAMPLE_RATE
        before, after = np.searchsorted(self._corners, (start, end))
        near = slice(max(before - 1, 0), after + 1)
        if not len(self._corners[near]):
            return np.zeros(-(-count // STEP), np.float32)
        time = np.arange(first, first + count, STEP) / SAMPLE_RATE
        return rounded(np.interp(time, self._corners[near], self._steps[near]))


def rounded(ramp: NDArray[np.floating]) -> Curve:
    """A straight ramp from 0 to 1 as one without corners."""
    return np.asarray(0.5 - 0.5 * np.cos(np.pi * ramp), np.float32)


class Bed:
    """Placements played under speech of `speech_lufs`; ask for its blocks in their order."""

    def __init__(
        self, placements: Sequence[Placement], spoken: Sequence[tuple[float, float]], speech_lufs: float
    ) -> None:
        self._placements = placements
        self._dip, self._lead_dip = Ducking(spoken), Ducking(spoken, LEAD_DIP)
        self._level = speech_lufs - DECODED_LUFS
        self._decoded: dict[tuple[str, int], Layer] = {}

    def block(self, first: int, count: int, kinds: frozenset[Kind]) -> Audio:
        """The sounds of these kinds from sample `first` on, float32 of shape (count, 2)."""
        out = np.zeros((count, 2), np.float32)
        here = [p for p in self._placements if p.sound.kind in kinds and self._touches(p, first, count)]
        self._forget({p.sound.name for p in here})
        dip = self._dip.curve(first, count) if here else np.zeros(0, np.float32)
        lead = self._lead_dip.curve(first, count) if any(p.sound.kind == "music" for p in here) else dip
        ducked = {kind: decibels(DUCKED_DB[kind] * dip) for kind in {p.sound.kind for p in here}}
        for placement in here:
            stepping = ducked[placement.sound.kind] if placement.ducked else np.ones_like(dip)
            self._add(placement, out, first, stepping, lead)
        return out

    @staticmethod
    def _touches(placement: Placement, first: int, count: int) -> bool:
        return placement.start * SAMPLE_RATE < first + count and placement.end * SAMPLE_RATE > first

    def _forget(self, needed: set[str]) -> None:
        """Let go of what was not heard for the longest time, as far as there is too much."""
        for key in [key for key in self._decoded if key[0] not in needed]:
            if sum(layer.numbers.nbytes for layer in self._decoded.values()) <= KEPT_BYTES:
                break
            del self._decoded[key]

    def _layer(self, sound: Sound, number: int = 0) -> Layer:
        key = (sound.name, number)
        # Taken out and put back: the dict is in the order in which sounds were last heard.
        layer = self._decoded.pop(key) if key in self._decoded else decode_layer(sound, number)
        self._decoded[key] = layer
        return layer

    def _add(self, placement: Placement, out: Audio, first: int, ducked: Curve, lead: Curve) -> None:
        begin, end = round(placement.start * SAMPLE_RATE), round(placement.end * SAMPLE_RATE)
        start, stop = max(begin, first), min(end, first + len(out))
        if stop <= start:
            return
        here = slice(start - first, stop - first)
        base = self._layer(placement.sound)
        kind = placement.sound.kind
        if kind == "effect":
            stop = min(stop, begin + len(base.numbers))
            here = slice(here.start, max(here.start, stop - first))
        if here.stop == here.start:
            return
        level = np.float32(10 ** ((self._level + ALONE_DB[kind] + placement.gain_db) / 20))
        gain = level * ducked * _fades(placement, first, len(out))
        wave = base.stretch(start - begin, here.stop - here.start)
        wave *= _spread(gain, here)
        if len(placement.sound.paths) > 1 and lead.min() < 1:
            joins = np.float32(10 ** (LEAD_DB / 20)) * (1 - lead) * gain
            wave += self._layer(placement.sound, 1).stretch(start - begin, len(wave)) * _spread(joins, here)
        out[here] += wave if placement.place == 0 and wave.shape[1] == 2 else wave * _sides(placement.place)


def _spread(gain: Curve, here: slice) -> Audio:
    """A gain every STEP samples as one for each sample of a part of the block, shape (n, 1)."""
    return np.repeat(gain, STEP)[here, None]


def decibels(curve: Curve) -> Curve:
    """Decibels as factors."""
    return np.asarray(np.exp(curve * np.float32(np.log(10) / 20)), np.float32)


def _fades(placement: Placement, first: int, count: int) -> Curve:
    """The gain of a placement's fades; sine and cosine, so that two unrelated sounds that cross keep their power."""
    gain = np.ones(-(-count // STEP), np.float32)
    time = np.arange(first, first + count, STEP) / SAMPLE_RATE
    for left, length in ((time - placement.start, placement.fade_in), (placement.end - time, placement.fade_out)):
        if length > 0 and min(left[0], left[-1]) < length:
            gain *= np.sin(np.pi / 2 * (left / length).clip(0, 1)).astype(np.float32)
    return gain


def _sides(place: float) -> Audio:
    angle = (place + 1) * np.pi / 4
    return np.asarray(np.sqrt(2) * np.array([np.cos(angle), np.sin(angle)]), np.float32)
