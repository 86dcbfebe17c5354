"""What is wrong with a take, told from its sound."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from comic_narrator.model import SAMPLE_RATE
from comic_narrator.voices.checks import Fault, Habit, Measured, habit_faults, learnt, measure, sound_faults
from comic_narrator.voices.takes import worst_first
from tests.fakes.babble import Sound, babble, cut_off

TEXT = "Nobody saw the small boat leave, and nobody asked where it might go."
CHANCE = np.random.default_rng(7)


USUAL = Habit(pitch=150.0)


def found(take: Sound, text: str, habit: Habit, speed: float) -> tuple[Fault, ...]:
    return worst_first((*sound_faults(take, text), *habit_faults(measure(take, text, "en", speed), habit)))


def faults(take: Sound, text: str = TEXT, habit: Habit = USUAL, speed: float = 1.0) -> list[str]:
    return [fault.kind for fault in found(take, text, habit, speed)]


@pytest.mark.parametrize("text", ["Oh!", "Run!", TEXT, f"{TEXT} {TEXT} {TEXT}"], ids=["oh", "run", "line", "long"])
@pytest.mark.parametrize("pitch", [95.0, 150.0, 240.0])
def test_a_good_take_has_no_fault(text: str, pitch: float) -> None:
    assert faults(babble(text, pitch=pitch), text, Habit(pitch=pitch)) == []


def silent(take: Sound) -> Sound:
    return take * 0


def half(take: Sound) -> Sound:
    return take[: len(take) // 3]


def thrice(take: Sound) -> Sound:
    return np.concatenate([take, take, take])


def with_a_gap(take: Sound) -> Sound:
    middle = len(take) // 2
    return np.concatenate([take[:middle], np.zeros(2 * SAMPLE_RATE, np.float32), take[middle:]])


def clipped(take: Sound) -> Sound:
    top = 0.35 * np.abs(take).max()
    return np.clip(take, -top, top)


def hissing(take: Sound) -> Sound:
    return np.asarray(take + 0.4 * np.abs(take).max() * CHANCE.standard_normal(len(take)), np.float32)


def humming(take: Sound) -> Sound:
    time = np.arange(len(take)) / SAMPLE_RATE
    return np.asarray(take + 0.25 * np.abs(take).max() * np.sin(2 * np.pi * 50 * time), np.float32)


def tone(take: Sound) -> Sound:
    return (0.2 * np.sin(2 * np.pi * 440 * np.arange(len(take)) / SAMPLE_RATE)).astype(np.float32)


def cut(take: Sound) -> Sound:
    return cut_off(take, SAMPLE_RATE)


def half_rate(take: Sound) -> Sound:
    return np.repeat(take, 2)


def double_rate(take: Sound) -> Sound:
    return take[::2]


BROKEN: dict[str, tuple[Callable[[Sound], Sound], str]] = {
    "silent": (silent, "empty"),
    "half": (half, "short"),
    "thrice": (thrice, "long"),
    "gap": (with_a_gap, "silence"),
    "clipped": (clipped, "clipping"),
    "hiss": (hissing, "noise"),
    "hum": (humming, "noise"),
    "tone": (tone, "noise"),
    "cut": (cut, "cut"),
    "half-rate": (half_rate, "pitch"),
    "double-rate": (double_rate, "pitch"),
}


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_each_fault_is_told(name: str) -> None:
    spoil, kind = BROKEN[name]
    take = np.asarray(spoil(babble(TEXT)), np.float32)
    assert kind in faults(take)


def test_an_empty_take_is_told() -> None:
    assert faults(np.zeros(0, np.float32))[0] == "empty"


def test_another_voice_is_told_by_its_pitch() -> None:
    assert faults(babble(TEXT, pitch=220.0), habit=Habit(pitch=110.0)) == ["pitch"]


def test_a_speed_that_was_wished_is_no_fault() -> None:
    quick = babble(TEXT)[::2]
    assert "short" not in faults(quick, speed=2.0, habit=Habit())


def test_the_rate_of_a_voice_is_learnt_and_then_bounds_it_more_closely() -> None:
    slow = [Measured(3.0, 1.5, 120.0 + i) for i in range(5)]
    habit = learnt(slow)
    assert habit == Habit(1.5, 122.0, True)
    assert learnt(slow[:4], 99.0) == Habit(1.0, 99.0, False)
    take = babble(TEXT, pitch=122.0)
    assert "short" not in faults(take, habit=Habit(pitch=122.0))
    assert "short" in faults(take[: int(0.8 * len(take))], habit=Habit(1.5, 122.0, True))


@pytest.mark.parametrize("pitch", [80.0, 110.0, 165.0, 230.0, 330.0])
def test_pitch_is_measured(pitch: float) -> None:
    assert measure(babble(TEXT, pitch=pitch), TEXT, "en", 1.0).pitch == pytest.approx(pitch, rel=0.05)


def test_noise_has_no_pitch() -> None:
    noise = (0.1 * CHANCE.standard_normal(SAMPLE_RATE)).astype(np.float32)
    assert measure(noise, TEXT, "en", 1.0).pitch is None


def test_the_worst_comes_first() -> None:
    told = found(np.repeat(babble(TEXT), 4).astype(np.float32), TEXT, USUAL, 1.0)
    assert len(told) >= 2
    assert [fault.weight for fault in told] == sorted((fault.weight for fault in told), reverse=True)
    assert all(fault.what for fault in told)


def test_japanese_takes_as_long_as_its_kana() -> None:
    text = "先生、昨日の宿題を忘れました。"
    assert measure(babble(text, language="ja"), text, "ja-JP", 1.0).rate == pytest.approx(1.0, abs=0.01)
