"""Misread English words are mended by what else the recogniser thought of, and nothing else is touched."""

from __future__ import annotations

import pytest

from comic_narrator.model import Box
from comic_narrator.readers.lettering import lettered_rows
from comic_narrator.readers.recogniser import Guess, Letter
from comic_narrator.readers.spelling import is_known, known_share, spelled, with_apostrophes
from comic_narrator.readers.words import Row


def read(text: str, doubts: dict[int, tuple[str, float]] | None = None, lost: dict[int, str] | None = None) -> Row:
    """A row as read; `doubts` gives what else a letter may be and how likely, `lost` what may be unread before it."""
    letters = []
    for i, char in enumerate(text):
        other = (doubts or {}).get(i)
        before = (Guess(lost[i], 0.3),) if lost and i in lost else ()
        if other is None:
            letters.append(Letter(char, 0.99, (), before))
        else:
            letters.append(Letter(char, 0.98 - other[1], (Guess(other[0], other[1]),), before))
    sure = sum(letter.sure for letter in letters) / len(letters)
    return Row(text, sure, Box(0, 0, 20 * len(text), 24), letters=tuple(letters))


def mended(row: Row) -> str:
    return spelled([row])[0].text


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (read("A GOOO RIDER,", {5: ("D", 0.3)}), "A GOOD RIDER,"),
        (read("DEVILI", {5: ("!", 0.2)}), "DEVIL!"),
        (read("THEY RLE IT", {6: ("U", 0.2)}), "THEY RUE IT"),
        (read("SEETHNG", lost={5: "I"}), "SEETHING"),
        (read("I AMGOING", lost={4: " "}), "I AM GOING"),
        (read("WHENG", {4: ("", 0.2)}), "WHEN"),
    ],
)
def test_misread_words_become_the_words_they_were(row: Row, text: str) -> None:
    assert mended(row) == text


@pytest.mark.parametrize(
    "row",
    [
        read("MY FRIEND VEZIN"),
        read("VEZIN", {0: ("B", 0.004)}),
        read("60Ko*", {0: ("S", 0.2)}),
        read("IT IS A CAT", {10: ("R", 0.4)}),
        read("Y", {0: ("7", 0.4)}),
        read("XQ", {0: ("1", 0.3), 1: ("0", 0.3)}),
        read("W-WHAT"),
    ],
)
def test_names_known_words_and_marks_are_left_alone(row: Row) -> None:
    assert mended(row) == row.text


def test_a_name_that_stands_on_the_page_twice_is_left_alone() -> None:
    doubtful = read("SNOOKUS", {6: ("P", 0.2)})
    assert [row.text for row in spelled([doubtful, read("SNOOKUS")])] == ["SNOOKUS", "SNOOKUS"]


def test_misread_and_unknown_words_are_marked_doubtful_and_good_ones_are_not() -> None:
    good = read("YOU HAVE WON FIRST PRIZE!")
    blurred = read("BABY LS COMLA", {5: ("1", 0.3), 11: ("N", 0.4)})
    unknown = read("ACAOERYT VTHK", {4: ("Q", 0.3)})
    rows = {row.text: row.confidence for row in lettered_rows([good, blurred, unknown], "en")}
    assert rows.pop(good.text) > 0.9
    assert rows
    assert all(confidence < 0.7 for confidence in rows.values())


def test_a_name_that_recurs_is_not_doubtful() -> None:
    once, twice = (lettered_rows([read("SNOOKUMS!", {2: ("0", 0.06)})] * times, "en")[0].confidence for times in (1, 2))
    assert once < 0.7 < twice


def test_what_is_read_as_nonsense_is_dropped() -> None:
    nonsense = Row("GCCO HATJ", 0.72, Box(0, 0, 200, 24))
    words = Row("GOOD HATS", 0.72, Box(0, 0, 200, 24))
    assert [row.text for row in lettered_rows([nonsense, words], "en")] == ["GOOD HATS"]


def test_other_languages_are_not_mended() -> None:
    row = read("GOOO", {3: ("D", 0.4)})
    assert lettered_rows([row], "fr")[0].text == "GOOO"


@pytest.mark.parametrize(
    ("text", "put"),
    [("IM SORRY", "I'M SORRY"), ("Dont", "Don't"), ("ILL WINDS WERE", "ILL WINDS WERE"), ("HIM", "HIM")],
)
def test_lost_apostrophes_are_put_back_where_no_other_word_is_meant(text: str, put: str) -> None:
    assert with_apostrophes(text) == put


def test_known_words_are_told_from_others() -> None:
    assert all(map(is_known, ["Rider", "DON'T", "PIG'S", "I", "100", "they’ll"]))
    assert not any(map(is_known, ["GOOO", "Q", "HW", "XNEW"]))
    assert known_share("GRRR! MMM... OWW") == 1
    assert known_share("GOOD XNEW") == 0.5
