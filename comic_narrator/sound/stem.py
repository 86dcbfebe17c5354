"""The speech of one scene as one stretch of sound."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import SAMPLE_RATE


def speech_stem(clips: Sequence[tuple[float, NDArray[np.float32], float]], samples: int) -> NDArray[np.float32]:
    """The takes (start in seconds, mono 48 kHz, gain in dB) added up over `samples`; ValueError if one would be cut."""
    stem = np.zeros(samples, np.float32)
    for start_seconds, take, gain_db in clips:
        start = round(start_seconds * SAMPLE_RATE)
        if start < 0 or start + len(take) > samples:
            raise ValueError(f"a take of {len(take)} samples at {start} does not fit a scene of {samples}")
        stem[start : start + len(take)] += take * np.float32(10 ** (gain_db / 20))
    return stem
