"""Speech made faster or slower at its own pitch, for engines that cannot be told a speed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import SAMPLE_RATE
from comic_narrator.voices import Samples

FRAME = SAMPLE_RATE // 25
HOP = FRAME // 2
REACH = SAMPLE_RATE // 100
"""How far a frame may be moved so that its waves meet those before it: a period of the lowest voice."""
NOTICEABLE = 0.01


def stretched(take: Samples, speed: float) -> Samples:
    """`take` said `speed` times as fast; itself where nobody would notice, or where it is too short to cut.

    By overlapping frames that are moved to where they fit best (WSOLA, Verhelst and Roelands 1993).
    """
    if abs(speed - 1) < NOTICEABLE or len(take) < 2 * FRAME:
        return take
    sound = np.concatenate([take.astype(np.float32), np.zeros(2 * FRAME + REACH, np.float32)])
    window = np.hanning(FRAME + 1)[:FRAME].astype(np.float32)
    length = round(len(take) / speed)
    made = np.zeros(length + 2 * FRAME, np.float32)
    at = 0
    made[:HOP] = sound[:HOP]
    for start in range(0, length, HOP):
        wanted = min(round(start * speed), len(take))
        at = wanted if start == 0 else wanted + _shift(sound, at + HOP, wanted)
        frame = sound[at : at + FRAME] * window
        if start == 0:
            frame[:HOP] = sound[:HOP]
            made[:FRAME] = frame
        else:
            made[start : start + FRAME] += frame
    return made[:length]


def _shift(sound: NDArray[np.float32], natural: int, wanted: int) -> int:
    """By how many samples the frame at `wanted` is moved to look most like what would come next, at `natural`."""
    ahead = sound[natural : natural + HOP]
    low = max(wanted - REACH, 0)
    field = sound[low : wanted + REACH + len(ahead)]
    likeness = np.correlate(field, ahead, "valid")
    energy = np.convolve(field**2, np.ones(len(ahead), np.float32), "valid")
    return int(np.argmax(likeness / np.sqrt(np.maximum(energy, 1e-9)))) + low - wanted
