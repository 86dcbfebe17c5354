"""The silence around a text: Kokoro makes half a second and more of it, which costs as much as speech and is cut off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

QUIET = -5.0
"""Energy (the model's logarithm of it) of frames that are more than 50 dB below the loudest: silence is cut at -44 dB."""

MARGIN = 2
"""Frames of silence that stay before the first and behind the last sound: steps of the model see as far."""

ENDS = 2
"""Frames that stay at either end, where the model hears the text begin and end."""


@dataclass(frozen=True)
class Kept:
    """Which frames of a text stay, rising, and for how many frames each stands; both of shape (kept,)."""

    frames: NDArray[np.int64]
    weights: NDArray[np.float32]

    @property
    def heard(self) -> float:
        """The share of all frames that stays."""
        return float(len(self.frames) / self.weights.sum())

    def columns(self, each: int) -> NDArray[np.int64]:
        """Where the columns of the frames that stay lie among all, if each frame has that many."""
        return np.asarray((self.frames[:, None] * each + np.arange(each)).ravel())

    def rims(self, each: int) -> NDArray[np.int64]:
        """Where, among what stays, the columns lie that stand for more than themselves; the first ones if none do."""
        return np.asarray((self._rims()[:, None] * each + np.arange(each)).ravel())

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
    weights = np.ones(len(energy), np.float32)
    loud = np.flatnonzero(energy > QUIET)
    if not loud.size:
        return Kept(np.arange(len(energy)), weights)
    stays = np.ones(len(energy), bool)
    for start, end in ((ENDS, loud[0] - MARGIN), (loud[-1] + 1 + MARGIN, len(energy) - ENDS)):
        if start >= end:
            continue
        stays[start:end] = False
        like_the_end = np.abs(energy[start:end] - energy[end]) < np.abs(energy[start:end] - energy[start - 1])
        weights[end] += like_the_end.sum()
        weights[start - 1] += (~like_the_end).sum()
    return Kept(np.flatnonzero(stays), weights[stays])
