"""The bed: a loop without a seam, calm in level and colour."""

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from comic_narrator.model import SAMPLE_RATE
from comic_narrator.sound import BED_CREDIT, make_bed
from comic_narrator.sound.bed import PROGRESSIONS, _lead_voices

Audio = NDArray[np.float32]


@cache
def played(seed: int) -> Audio:
    return make_bed(seed)


@pytest.fixture(params=[1, 4], ids="seed {}".format)
def bed(request: pytest.FixtureRequest) -> Audio:
    return played(int(request.param))


def test_it_is_a_minute_or_more_of_stereo_below_half_scale(bed: Audio) -> None:
    assert bed.dtype == np.float32
    assert bed.shape[1] == 2
    assert 60 <= len(bed) / SAMPLE_RATE <= 100
    assert np.abs(bed).max() < 0.5
    assert np.abs(bed.mean(axis=0)).max() < 1e-5


def test_the_seam_is_as_smooth_as_any_other_place(bed: Audio) -> None:
    steps = np.abs(np.diff(bed, axis=0))
    assert (np.abs(bed[0] - bed[-1]) < np.quantile(steps, 0.999)).all()
    turned = np.roll(bed, SAMPLE_RATE, axis=0)
    bends = np.abs(np.diff(turned, n=2, axis=0))
    at_seam = bends[SAMPLE_RATE - 3 : SAMPLE_RATE + 3].max()
    assert at_seam < np.quantile(bends, 0.9999)


def test_nothing_clicks(bed: Audio) -> None:
    bends = np.diff(np.concatenate([bed, bed[:2]]), n=2, axis=0)
    moments = bends.reshape(-1, SAMPLE_RATE // 50, 2)
    peaks = np.abs(moments).max(axis=1) / np.sqrt(np.mean(moments**2, axis=1))
    assert peaks.max() < 8


def test_the_level_is_steady(bed: Audio) -> None:
    seconds = bed[: len(bed) // (3 * SAMPLE_RATE) * 3 * SAMPLE_RATE].reshape(-1, 3 * SAMPLE_RATE, 2)
    level = 10 * np.log10(np.mean(seconds**2, axis=(1, 2)))
    assert level.max() - level.min() < 7
    assert level.std() < 2


def test_it_is_warm_and_leaves_consonants_alone(bed: Audio) -> None:
    power = np.abs(np.fft.rfft(bed.mean(axis=1))) ** 2
    hertz = np.fft.rfftfreq(len(bed), 1 / SAMPLE_RATE)
    assert 150 < (power * hertz).sum() / power.sum() < 600
    assert power[hertz > 2000].sum() < 1e-3 * power.sum()
    assert power[hertz < 30].sum() < 1e-4 * power.sum()


def test_it_is_wide_and_survives_mono(bed: Audio) -> None:
    alike = np.mean(bed[:, 0] * bed[:, 1]) / (bed[:, 0].std() * bed[:, 1].std())
    assert -0.1 < alike < 0.7


def test_a_seed_says_which_bed() -> None:
    assert np.array_equal(make_bed(1), played(1))
    assert not np.allclose(played(1), played(4))


@pytest.mark.parametrize("chords", PROGRESSIONS, ids=("bright", "dorian", "lydian"))
def test_voices_play_the_chord_and_move_little(chords: tuple[tuple[int, tuple[int, int, int, int]], ...]) -> None:
    voicings = _lead_voices(chords, 48)
    for (_, notes), voicing in zip(chords, voicings, strict=True):
        assert sorted(pitch % 12 for pitch in voicing) == sorted(notes)
        assert min(voicing) >= 50
        assert max(voicing) <= 76
    moves = np.abs(np.diff(np.array(voicings), axis=0))
    assert moves.mean() < 2.5


def test_its_credit_claims_nothing() -> None:
    assert BED_CREDIT.source == "comic_narrator.sound.bed"
    assert "free of claims" in BED_CREDIT.licence
