"""The silence around a text: Kokoro makes more than half a second of it, as dear as speech, only to be cut off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

QUIET = -5.0
"""Energy, as the model counts it, of frames that lie 55 dB and more below the loudest: takes are cut at -44 dB."""

MARGIN = 2
"""Frames of silence that stay before the first and behind the last sound: most steps of the model see no farther."""

ENDS = 2
"""Frames that stay at either end, where the model hears the text begin and end."""


@dataclass(frozen=True)
class Kept:
    """Which frames of a text stay, rising, for how many frames each stands, and which of them are sound.

    `frames` and `weights` are of shape (kept,). `sound` goes by the place among them: outside of it lie the rims of
    what is left out, where two silences meet and may click.
    """

    frames: NDArray[np.int64]
    weights: NDArray[np.float32]
    sound: slice

    @property
    def heard(self) -> float:
        """The share of all frames that stays."""
        return float(len(self.frames) / self.weights.sum())

    def columns(self, each: int) -> NDArray[np.int64]:
        """Where the columns of the frames that stay lie among all, if each frame has that many."""
        return _columns(self.frames, each)

    def rims(self, each: int) -> NDArray[np.int64]:
        """Where, among what stays, the columns lie that stand for more than themselves; the first ones if none do."""
        return _columns(self._rims(), each)

    def shares(self, each: int) -> NDArray[np.float32]:
        """For what share of all columns those of `rims` stand beyond themselves, of shape (columns, 1)."""
        shares = (self.weights[self._rims()] - 1) / (self.weights.sum() * each)
        return np.asarray(np.repeat(shares, each)[:, None], np.float32)

    def _rims(self) -> NDArray[np.int64]:
        rims = np.flatnonzero(self.weights > 1)
        return rims if rims.size else np.array([0])


def without_silence(energy: NDArray[np.float32]) -> Kept:
    """The frames that stay of a text whose frames have this `energy`, of shape (frames,).

    Inside the silence before and behind the speech frames are left out. The two at the rims of such a gap stand for
    them, whichever is the more like them: the silence of a full stop is not that of the end of a text.
    """
    count = len(energy)
    weights, stays, sound = np.ones(count, np.float32), np.ones(count, bool), np.ones(count, bool)
    loud = np.flatnonzero(energy > QUIET)
    first, last = (loud[0], loud[-1]) if loud.size else (0, count - 1)
    before, behind = (ENDS, first - MARGIN), (last + 1 + MARGIN, count - ENDS)
    for (start, end), silent in ((before, slice(0, first - MARGIN + 1)), (behind, slice(last + MARGIN, count))):
        if start >= end:
            continue
        stays[start:end], sound[silent] = False, False
        like_the_end = np.abs(energy[start:end] - energy[end]) < np.abs(energy[start:end] - energy[start - 1])
        weights[end] += like_the_end.sum()
        weights[start - 1] += (~like_the_end).sum()
    heard = np.flatnonzero(sound[stays])
    return Kept(np.flatnonzero(stays), weights[stays], slice(int(heard[0]), int(heard[-1]) + 1))


def _columns(frames: NDArray[np.int64], each: int) -> NDArray[np.int64]:
    return np.asarray((frames[:, None] * each + np.arange(each)).ravel())
