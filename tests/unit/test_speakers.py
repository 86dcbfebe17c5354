"""Lines are told apart, or together, by who seems to say them."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comic_narrator.model import Box, Direction, LineKind
from comic_narrator.readers import ReadLine
from comic_narrator.readers.looks import Spot, looks_of
from comic_narrator.readers.speakers import Said, merged, with_speakers
from comic_narrator.readers.tails import Tail

PANELS = tuple(Box(0, 400 * i, 600, 400) for i in range(4))
SIZE = 20.0


def said(
    text: str,
    panel: int,
    x: int,
    y: int = 40,
    kind: LineKind = "dialogue",
    tail: tuple[int, int] | None = None,
    ground: int | None = None,
) -> Said:
    """A balloon of 100 x 60 at (x, y) of a panel; `tail` is its tip, there, and it points away from the balloon."""
    box = Box(x, PANELS[panel].y + y, 100, 60)
    spike = None
    if tail is not None:
        tip = (tail[0], PANELS[panel].y + tail[1])
        dx, dy = tip[0] - box.center[0], tip[1] - box.center[1]
        length = math.hypot(dx, dy)
        spike = Tail(tip, (dx / length, dy / length), 1.0)
    return Said(ReadLine(panel, kind, text, box, 0.9, balloon=box), SIZE, spike, ground)


def voices(lines: list[Said], direction: Direction = "ltr") -> list[str | None]:
    return [line.speaker for line in with_speakers(lines, PANELS, direction)]


def sureness(lines: list[Said], direction: Direction = "ltr") -> list[float]:
    return [line.speaker_confidence or 0.0 for line in with_speakers(lines, PANELS, direction)]


def test_two_who_talk_keep_their_sides_through_the_page() -> None:
    lines = [said(text, panel, x) for panel in range(3) for text, x in (("AH.", 30), ("OH.", 450))]
    left, right, *later = voices(lines)
    assert left != right
    assert later == [left, right, left, right]


def test_captions_signs_and_sounds_have_no_speaker_and_no_confidence() -> None:
    lines = with_speakers([said("LATER", 0, 30, kind="caption"), said("BANG", 0, 300, kind="sfx")], PANELS, "ltr")
    assert [(line.speaker, line.speaker_confidence) for line in lines] == [(None, None), (None, None)]


def test_balloons_that_are_joined_are_one_voice_wherever_they_stand() -> None:
    first, second = voices([said("Well,", 0, 30, ground=7), said("I know.", 0, 420, ground=7)])
    assert first == second


def test_a_tail_that_ends_at_another_balloon_joins_them() -> None:
    first, second = voices([said("a potion", 0, 30, tail=(180, 60)), said("tomorrow", 0, 180, y=45)])
    assert first == second


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_tails_that_meet_are_one_voice_and_tails_that_part_are_two(direction: Direction) -> None:
    upper, lower = (60, 20), (420, 250)
    met = [said("Ah.", 0, *upper, tail=(230, 120)), said("Oh.", 0, *lower, tail=(330, 210))]
    apart = [said("Ah.", 0, *upper, tail=(40, 120)), said("Oh.", 0, *lower, tail=(580, 330))]
    first, second = voices(met, direction)
    assert first == second
    first, second = voices(apart, direction)
    assert first != second


def test_a_line_that_takes_up_the_one_before_is_the_same_voice() -> None:
    first, second = voices([said("First, a few pearls ...", 0, 30), said("... and some berries", 1, 420)], "rtl")
    assert first == second


def test_balloons_side_by_side_in_a_splash_are_two_voices_however_wide_it_is() -> None:
    splash = Box(0, 0, 4000, 4000)
    for gap in (2, 20, 200):
        lines = [said("Ah.", 0, 40), said("Oh.", 0, 140 + gap, y=50)]
        left, right = with_speakers(lines, (splash,), "ltr")
        assert left.speaker != right.speaker


def test_lettering_that_shares_rows_is_side_by_side_though_its_balloons_fit_into_each_other() -> None:
    fitted = [said("That's not fair.", 0, 40, y=40), said("We'll share it.", 0, 100, y=70)]
    first, second = voices(fitted)
    assert first != second


def test_balloons_close_above_each_other_are_one_voice_and_far_above_two() -> None:
    first, second = voices([said("Ah.", 0, 40, y=20), said("Oh.", 0, 60, y=90)])
    assert first == second
    first, second = voices([said("Ah.", 0, 40, y=20), said("Oh.", 0, 60, y=240)])
    assert first != second


def test_a_guess_within_a_panel_is_unsure_and_clear_evidence_is_sure() -> None:
    guessed = sureness([said("Ah.", 0, 450), said("Oh.", 0, 40)], "rtl")
    assert all(0.5 <= sure < 0.6 for sure in guessed)
    parted = sureness([said("Ah.", 0, 30, tail=(40, 300)), said("Oh.", 0, 450, tail=(580, 330))])
    assert all(sure > 0.9 for sure in parted)
    joined = sureness([said("Ah,", 0, 30, ground=7), said("Oh.", 0, 420, ground=7)])
    assert all(sure > 0.9 for sure in joined)


def test_the_only_speaker_of_a_page_is_surer_with_a_tail() -> None:
    (untailed,) = sureness([said("Ah.", 0, 30)])
    (tailed,) = sureness([said("Ah.", 0, 30, tail=(40, 300))])
    assert 0.7 <= untailed < tailed


def test_voices_are_those_of_the_plain_rule_that_puts_the_likeliest_pair_of_groups_together() -> None:
    rng = np.random.default_rng(5)
    for n in (1, 2, 9, 24):
        odds = rng.normal(0.0, 1.0, (n, n))
        odds += odds.T
        apart = rng.random((n, n)) < 0.05
        apart |= apart.T
        start = [k // 2 for k in range(n)]
        assert merged(start, odds, apart) == plainly_merged(start, odds, apart)


def plainly_merged(
    groups: list[int],
    odds: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    apart: np.ndarray[tuple[int, int], np.dtype[np.bool_]],
) -> list[int]:
    numbers = list(groups)
    while True:
        means = {}
        for a, b in combinations(sorted(set(numbers)), 2):
            at = np.ix_([g == a for g in numbers], [g == b for g in numbers])
            if not apart[at].any():
                means[a, b] = float(odds[at].mean())
        best = max(means, key=lambda pair: means[pair], default=None)
        if best is None or means[best] <= 0:
            return numbers
        numbers = [best[0] if g == best[1] else g for g in numbers]


@pytest.mark.parametrize(("question", "answer"), [("どうですか田村さん？", "いや"), ("来ましたかあ", "いや今日は")])
def test_a_question_is_answered_by_another_voice(question: str, answer: str) -> None:
    first, second = voices([said(question, 0, 450), said(answer, 0, 40)], "rtl")
    assert first != second
    first, second = voices([said("教授の手伝いでさ", 0, 450), said("三時間だ", 0, 40)], "rtl")
    assert first == second


def test_looks_tell_people_apart_across_panels() -> None:
    picture = np.full((1600, 600, 3), (230, 220, 200), np.uint8)
    for panel, colour in enumerate(((150, 60, 30), (30, 90, 160), (150, 60, 30), (30, 90, 160))):
        picture[400 * panel + 160 : 400 * panel + 280, 240:360] = colour
    lines = [said("Hm.", panel, 250, tail=(300, 150)) for panel in range(4)]
    spots = [Spot(PANELS[i], *line.mouth, 50.0) for i, line in enumerate(lines)]
    looks = looks_of(picture, spots, SIZE, [line.box for line in lines])
    seen = [Said(line.line, line.size, line.tail, line.ground, look) for line, look in zip(lines, looks, strict=True)]
    a, b, c, d = voices(seen)
    assert (a, b) == (c, d)
    assert a != b


def test_two_that_a_panel_tells_apart_stay_apart_though_both_look_like_a_third() -> None:
    lines = [said("Who?", 0, 450), said("Me.", 0, 40), said("Hm.", 1, 200)]
    alike = [replace(line, look=np.array([1.0])) for line in lines]
    first, second, third = voices(alike, "rtl")
    assert first != second
    assert third == second


def test_a_grey_page_has_no_looks() -> None:
    grey = np.random.default_rng(1).integers(0, 256, (400, 600, 1), np.uint8).repeat(3, axis=2)
    assert looks_of(grey, [Spot(PANELS[0], 300, 200, 50)], SIZE, []) == [None]


places = st.tuples(st.integers(0, 3), st.integers(0, 480), st.integers(0, 320), st.booleans())


@given(st.lists(places, max_size=14), st.sampled_from(["ltr", "rtl", "vertical"]))
def test_every_spoken_line_has_a_label_and_a_confidence_and_the_same_page_the_same_answer(
    spots: list[tuple[int, int, int, bool]], direction: Direction
) -> None:
    lines = [said("Hm.", panel, x, y, tail=(x, y + 75) if tail else None) for panel, x, y, tail in sorted(spots)]
    got = with_speakers(lines, PANELS, direction)
    assert all(line.speaker for line in got)
    assert all(line.speaker_confidence is not None and 0 <= line.speaker_confidence <= 1 for line in got)
    assert got == with_speakers(lines, PANELS, direction)
