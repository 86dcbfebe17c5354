"""Lines of which something was not read, or that may be heard and are not, are less sure than those read right."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from comic_narrator.model import Box, LineKind
from comic_narrator.readers.balloons import Group
from comic_narrator.readers.doubts import sureness
from comic_narrator.readers.recogniser import Guess, Letter
from comic_narrator.readers.regions import Region
from comic_narrator.readers.words import Row

WIDTH = 40
PITCH = 27
"""A column's box is so wide, and its letters so far from each other: there is slack round them."""


def column(text: str, squares: int, before: dict[int, Guess] | None = None, x: int = 200) -> Row:
    """A column as long as so many letters; `before` says what may stand unread before the letters of those numbers."""
    hidden = before or {}
    letters = tuple(Letter(char, 0.99, before=(hidden[i],) if i in hidden else ()) for i, char in enumerate(text))
    return Row(text, 0.99, Box(x, 100, WIDTH, WIDTH + PITCH * (squares - 1)), letters=letters)


def balloon(lettering: Box, *inked: Box) -> Region:
    """A balloon with 50 pixels of room around its lettering, and with ink in places."""
    box = Box(lettering.x - 50, lettering.y - 50, lettering.w + 100, lettering.h + 100)
    shape = np.ones((box.h, box.w), np.bool_)
    plain = shape.copy()
    for one in inked:
        plain[one.y - box.y : one.bottom - box.y, one.x - box.x : one.right - box.x] = False
    return Region(
        box=box, corners=(True,) * 4, full=0.8, lettered=0.3, colour=np.zeros(3, np.float32), spread=8.0,
        closed=True, edged=0.9, ink=0.0,
        shape=shape, plain=plain, scale=1.0, number=0,
    )  # fmt: skip


def sure(*rows: Row, ink: tuple[Box, ...] = ()) -> float:
    region = balloon(Group(rows, 0, None).box, *(row.box for row in rows), *ink)
    return sureness(Group(rows, 0, region), "".join(row.text for row in rows), "dialogue", "ja")


def test_a_column_longer_than_its_letters_lost_some_and_is_the_more_doubtful_the_more() -> None:
    whole = sure(column("これは駅前です", 7))
    assert whole > 0.9
    lost = [sure(column("これは駅前です", squares)) for squares in (9, 10, 11)]
    assert all(after < before for before, after in pairwise([whole, *lost]))
    assert lost[0] < 0.8
    assert lost[1] < 0.7


@pytest.mark.parametrize(("text", "squares"), [("急患です！！", 5), ("もう24時間", 5), ("60代", 2), ("なのだ……", 5)])
def test_figures_and_marks_side_by_side_stand_in_one_square(text: str, squares: int) -> None:
    assert sure(column(text, squares)) > 0.9
    assert sure(column(text, squares + 2)) < 0.7


def test_pieces_of_one_column_are_measured_as_one() -> None:
    upper = column("これは", 3)
    lower = Row("駅前です", 0.99, Box(200, upper.box.bottom, WIDTH, WIDTH + PITCH * 3))
    assert sure(upper, lower) > 0.9
    apart = Row("駅前です", 0.99, lower.box._replace(y=lower.box.y + 3 * PITCH))
    assert sure(upper, apart) < 0.7
    assert sure(upper, column("駅前です", 4, x=150)) > 0.9


def test_a_letter_that_may_stand_unread_between_others_makes_a_line_doubtful() -> None:
    whole = sure(column("じゃあ行こう", 6))
    assert whole > 0.9
    assert sure(column("じゃあ行こう", 6, {3: Guess("、", 0.04)})) < 0.9
    assert sure(column("じゃあ行こう", 6, {3: Guess("、", 0.12)})) < 0.7
    # The letters to both sides are only read early, or late.
    for char in ("あ", "行", " "):
        assert sure(column("じゃあ行こう", 6, {3: Guess(char, 0.4)})) == whole


def test_ink_at_the_end_of_a_column_is_a_mark_that_was_not_read() -> None:
    read = column("これは駅前です", 7)
    whole, mark = sure(read), Box(204, read.box.bottom + 6, 10, 12)
    assert sure(read, ink=(mark,)) < 0.85 < whole
    assert sure(read, ink=(mark._replace(y=read.box.y - 20),)) < 0.85


def test_dots_that_are_poorly_read_do_not_spoil_a_line() -> None:
    dots = Row("……", 0.7, Box(150, 100, WIDTH, WIDTH + PITCH))
    assert sure(column("これは駅前です", 7), dots) > 0.9
    assert sure(column("これは駅前です", 7), Row("はい", 0.7, dots.box)) < 0.7


@pytest.mark.parametrize(
    ("text", "kind", "doubtful"),
    [
        ("YES THERE IS", "sfx", True),
        ("...Oh dear", "sfx", True),
        ("KNOCK KNOCK", "sfx", False),
        ("KRAKOOOM!", "sfx", False),
        ("Here you are, that's all", "sign", True),
        ("USED CARS", "sign", False),
    ],
)
def test_a_sound_or_sign_in_a_panel_that_reads_like_speech_is_doubtful(
    text: str, kind: LineKind, doubtful: bool
) -> None:
    rows = (Row(text, 0.99, Box(150, 100, 200, 30)),)
    # Left of what unknown words take: what is asked here is whether the kind is doubted.
    there, outside = (
        sureness(Group(rows, panel, balloon(rows[0].box, rows[0].box)), text, kind, "en") for panel in (0, None)
    )
    assert (there < outside) == doubtful
    assert there < 0.7 or not doubtful
