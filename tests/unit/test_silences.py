"""The silence around a text is left out, and what stands for it is counted."""

from __future__ import annotations

import numpy as np
import pytest

from comic_narrator.voices.silences import ENDS, MARGIN, without_silence

BEFORE, SPEECH, STOP, BEHIND = [-9.5] * 10, [4.0, 7.0, -8.0, -8.0, 6.0], [-6.5] * 8, [-9.0] * 6


def _energy(*parts: list[float]) -> np.ndarray:
    return np.array([value for part in parts for value in part], np.float32)


def test_silence_around_speech_is_left_out_but_none_within() -> None:
    kept = without_silence(_energy(BEFORE, SPEECH, STOP, BEHIND))
    speech = range(len(BEFORE) - MARGIN, len(BEFORE) + len(SPEECH) + MARGIN)
    assert kept.frames.tolist() == [*range(ENDS), *speech, 29 - ENDS, 29 - 1]


def test_what_is_left_out_is_counted_where_it_is_alike() -> None:
    kept = without_silence(_energy(BEFORE, SPEECH, STOP, BEHIND))
    assert kept.weights.sum() == 29
    behind = kept.weights[kept.frames >= len(BEFORE) + len(SPEECH)]
    assert behind.tolist() == [1, 1 + len(STOP) - MARGIN, 1 + len(BEHIND) - ENDS, 1]
    assert kept.heard == pytest.approx(len(kept.frames) / 29)


def test_the_sound_is_what_lies_between_the_rims() -> None:
    kept = without_silence(_energy(BEFORE, SPEECH, STOP, BEHIND))
    first, last = len(BEFORE) - MARGIN + 1, len(BEFORE) + len(SPEECH) + MARGIN - 2
    assert kept.frames[kept.sound].tolist() == [*range(first, last + 1)]
    assert not (kept.weights[kept.sound] > 1).any()


@pytest.mark.parametrize(
    "energy",
    [_energy(SPEECH), _energy(BEFORE), _energy(BEFORE[:3], SPEECH, BEHIND[:3]), _energy([5.0])],
    ids=["all speech", "all silence", "short silence", "one frame"],
)
def test_where_there_is_nothing_to_leave_out_all_stays(energy: np.ndarray) -> None:
    kept = without_silence(energy)
    assert kept.frames.tolist() == [*range(len(energy))]
    assert kept.frames[kept.sound].tolist() == [*range(len(energy))]
    assert not kept.shares(2).any()
    assert kept.heard == 1


def test_columns_follow_their_frames() -> None:
    kept = without_silence(_energy(BEFORE, SPEECH))
    assert kept.columns(2)[: 2 * ENDS + 2].tolist() == [0, 1, 2, 3, 16, 17]
    assert kept.rims(3).tolist() == [3, 4, 5]
    assert kept.shares(3).shape == (3, 1)
    assert kept.shares(3).sum() + kept.heard == pytest.approx(1)
