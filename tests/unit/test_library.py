"""The library that ships: enough of it, small, licensed, loud as it says, and loops without a seam."""

from __future__ import annotations

from collections import Counter
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from comic_narrator.model import SAMPLE_RATE
from comic_narrator.sound import Sound, decode, licence_text, shipped
from comic_narrator.sound.loudness import steady_loudness

LOOPS = [sound for sound in shipped() if sound.kind != "effect"]
EFFECTS = [sound for sound in shipped() if sound.kind == "effect"]
DATA = Path(str(files("comic_narrator.sound") / "data"))


@cache
def layers(sound: Sound) -> tuple[NDArray[np.float32], ...]:
    return tuple(layer.stretch(0, len(layer.numbers)) for layer in decode(sound))


def test_there_is_enough_of_each_and_it_is_small() -> None:
    kinds = Counter(sound.kind for sound in shipped())
    assert kinds["ambience"] >= 25
    assert kinds["effect"] >= 60
    assert kinds["music"] >= 12
    assert sum(file.stat().st_size for file in DATA.rglob("*") if file.is_file()) <= 15_000_000
    assert len({sound.name for sound in shipped()}) == len(shipped())


def test_every_entry_says_whose_it_is_and_its_licence_text_is_there() -> None:
    for sound in shipped():
        assert licence_text(sound.licence), sound.name
        assert sound.source
        assert sound.attribution
        assert len(sound.tags) >= 1
        assert all(path.is_file() for path in sound.paths)
    assert {sound.licence for sound in shipped()} == {"CC0-1.0", "MIT"}
    assert "Permission is hereby granted" in (licence_text("MIT") or "")
    assert "Frank Wen" in (licence_text("MIT") or "")
    assert not set(DATA.rglob("*.opus")) - {path for sound in shipped() for path in sound.paths}


def test_ambiences_and_effects_have_synonyms() -> None:
    assert sum(len(sound.tags) for sound in shipped()) >= 3 * len(shipped())


@pytest.mark.parametrize("sound", LOOPS, ids=lambda sound: sound.name)
def test_a_loop_has_its_length_and_no_seam(sound: Sound) -> None:
    """Around the seam there is no more high-frequency change than anywhere else in the loop."""
    assert sound.loop
    for wave in layers(sound):
        assert wave.shape == (sound.loop[1] - sound.loop[0], 2)
        assert len(wave) / SAMPLE_RATE == pytest.approx(sound.seconds, abs=0.01)
        turned = np.roll(wave, len(wave) // 2, axis=0)
        # The third difference is a high-pass of 18 dB an octave: a click stands out in it.
        bends = np.abs(np.diff(turned, n=3, axis=0)).max(axis=1)
        seam = len(wave) // 2
        moments = bends[: len(bends) // 480 * 480].reshape(-1, 480).max(axis=1)
        assert bends[seam - 6 : seam + 6].max() <= np.quantile(moments, 0.98) + 1e-5


@pytest.mark.parametrize("sound", LOOPS, ids=lambda sound: sound.name)
def test_a_loop_is_as_loud_as_all_others_and_never_silent(sound: Sound) -> None:
    for wave in layers(sound):
        assert steady_loudness(wave) == pytest.approx(-23, abs=1.0)
        assert np.abs(wave).max() < 1.5
    whole = np.sum(layers(sound), axis=0)
    seconds = whole[: len(whole) // SAMPLE_RATE * SAMPLE_RATE].reshape(-1, SAMPLE_RATE, 2)
    assert 10 * np.log10(np.mean(seconds**2, axis=(1, 2))).min() > -60


@pytest.mark.parametrize("sound", EFFECTS, ids=lambda sound: sound.name)
def test_an_effect_begins_at_once_and_ends_in_silence(sound: Sound) -> None:
    (wave,) = layers(sound)
    size = np.abs(wave[:, 0]) / np.abs(wave).max()
    assert 0.03 <= sound.seconds <= 4.6
    assert np.argmax(size > 0.01) < 0.05 * SAMPLE_RATE
    assert size[-48:].max() < 0.05
    assert abs(float(wave.mean())) < 0.02
