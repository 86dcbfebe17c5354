"""A page's text layer mends what was recognised where it matches, and nowhere else."""

from __future__ import annotations

from comic_narrator.model import Box, PrintedWord
from comic_narrator.readers.hints import AGREED, with_hints
from comic_narrator.readers.words import Row

ROW = Box(100, 100, 300, 30)


def layer(*words: str, x: int = 100, y: int = 105) -> list[PrintedWord]:
    return [PrintedWord(text=word, bbox=Box(x + 60 * i, y, 50, 20)) for i, word in enumerate(words)]


def read(text: str, words: list[PrintedWord], confidence: float = 0.8, language: str = "en") -> Row:
    return with_hints([Row(text, confidence, ROW)], words, language)[0]


def test_a_slip_is_mended_by_the_words_of_the_layer() -> None:
    assert read("THE LIGHTHQUSE KEEPFR", layer("THE", "LIGHTHOUSE", "KEEPER")).text == "THE LIGHTHOUSE KEEPER"


def test_a_worse_layer_changes_nothing() -> None:
    assert read("THE LIGHTHOUSE KEEPER", layer("TNE", "LlGHTHOUSE", "KEEFER")).text == "THE LIGHTHOUSE KEEPER"


def test_names_that_neither_reading_knows_stay_as_the_picture_has_them() -> None:
    assert read("ZORGLUB WAITS", layer("ZORGLUD", "WAITS")).text == "ZORGLUB WAITS"


def test_a_layer_that_says_something_else_is_of_another_row() -> None:
    assert read("THE QUICK FOXX", layer("completely", "different", "words")).text == "THE QUICK FOXX"


def test_words_outside_the_row_are_not_looked_at() -> None:
    assert read("THE LIGHTHQUSE", layer("THE", "LIGHTHOUSE", y=400)).text == "THE LIGHTHQUSE"


def test_rows_that_both_read_alike_are_sure() -> None:
    assert read("the quick fox", layer("The", "quick", "fox!"), confidence=0.5).confidence == AGREED


def test_where_the_words_of_a_language_are_not_known_the_picture_has_its_way() -> None:
    assert read("WIR MÜSSEN GEHEN", layer("WIR", "MUSSEN", "THE"), language="de").text == "WIR MÜSSEN GEHEN"
    assert read("WIR GEHEN", layer("Wir", "gehen"), confidence=0.5, language="de").confidence == AGREED
