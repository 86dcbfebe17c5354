"""Long texts in pieces."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comic_narrator.voices.pieces import SHORT, TRIES, limit_for, pieces


def signs(text: str) -> float:
    return float(len(text))


def test_a_text_that_fits_is_one_piece() -> None:
    assert pieces(" Stop! Or I go. ", signs, 40) == ["Stop! Or I go."]
    assert pieces("  ", signs, 40) == []


def test_long_texts_are_cut_at_the_ends_of_sentences_and_short_sentences_stay_together() -> None:
    text = "One. Two is longer. And three, the longest, has a comma! Four?"
    assert pieces(text, signs, 30) == ["One. Two is longer.", "And three, the longest,", "has a comma! Four?"]


def test_a_quote_stays_with_its_sentence() -> None:
    assert pieces('He said "stop." Then he went away for good.', signs, 30)[0] == 'He said "stop."'


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("待て。そこの者、名を名乗れ。さもなくば斬る。", ["待て。", "そこの者、名を名乗れ。", "さもなくば斬る。"]),
        ("あああああああああああああああああああああああ", ["あああああああああああ", "ああああああああああああ"]),
    ],
    ids=["sentences", "one-word"],
)
def test_japanese_needs_no_spaces(text: str, wanted: list[str]) -> None:
    assert pieces(text, signs, 12) == wanted


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab .,!?…—;:あ漢。、", max_size=120))
def test_no_sign_is_lost_and_no_piece_is_too_long(text: str) -> None:
    found = pieces(text, signs, 10)
    assert re.sub(r"\s", "", "".join(found)) == re.sub(r"\s", "", text)
    assert all(len(piece) <= 10 or re.fullmatch(r"[A-Za-z'-]+", piece) for piece in found)


def test_the_last_try_of_a_round_is_in_short_pieces() -> None:
    assert [limit_for(attempt, 22.0) for attempt in range(2 * TRIES)] == [22.0, 22.0, SHORT] * 2
