"""Time left, from measured rates: right within a fifth after the first tenth."""

from __future__ import annotations

from itertools import accumulate

import pytest

from comic_narrator.pace import Pace, in_words


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("kept", [0, 40], ids=["from the start", "resumed"])
@pytest.mark.parametrize("pages", ["alike", "unlike"])
def test_time_left_is_within_a_fifth_after_the_first_tenth(pages: str, kept: int) -> None:
    """Scenes of 2 to 30 s in no order, half of a second each way by chance; those of an earlier run take no time."""
    clock = Clock()
    weights = [1.0 if pages == "alike" else 2.0 + (i * 7919) % 29 for i in range(200)]
    pace = Pace(200, weights, clock)
    for _ in range(kept):
        pace.step(made=False)
    took = [0.3 * weight + 0.05 * ((i * 31) % 7 - 3) for i, weight in enumerate(weights)][kept:]
    rest = [sum(took) - done for done in accumulate(took)]
    for i, (seconds, truth) in enumerate(zip(took, rest, strict=True)):
        clock.now += seconds
        pace.step(made=True)
        if i >= len(took) // 10 and truth > 1:
            assert pace.left == pytest.approx(truth, rel=0.2), i


def test_a_model_that_loads_first_does_not_spoil_the_rate() -> None:
    clock = Clock()
    pace = Pace(60, clock=clock)
    for i in range(6):
        clock.now += 20 if i == 0 else 1
        pace.step(made=True)
    assert pace.left == pytest.approx(54)


def test_nothing_is_said_before_anything_was_measured() -> None:
    pace = Pace(10)
    pace.step(made=False)
    assert pace.left is None


def test_time_goes_on_between_two_steps() -> None:
    clock = Clock()
    pace = Pace(3, clock=clock)
    clock.now += 10
    pace.step(made=True)
    clock.now += 4
    assert pace.left == pytest.approx(16)
    clock.now += 100
    assert pace.left == 0


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.4, "0 s"), (59.4, "59 s"), (60, "1 min"), (185, "3 min 5 s"), (7800, "2 h 10 min")]
)
def test_lengths_are_told_as_people_say_them(seconds: float, said: str) -> None:
    assert in_words(seconds) == said
