"""Rows of lettering become lines: which belong together, what they are, in which order and by whom."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from comic_narrator.model import Box, Direction
from comic_narrator.readers import ReadLine
from comic_narrator.readers.balloons import Group, at_home, columns_in_order, gather
from comic_narrator.readers.kinds import Page, kind_of, one_kind
from comic_narrator.readers.lettering import is_lettering, join_rows, language_of, lettered_rows, mend
from comic_narrator.readers.placing import reading_order
from comic_narrator.readers.regions import find_regions
from comic_narrator.readers.tails import Tail
from comic_narrator.readers.words import OVERLAP, Row, spans

PAGE = Box(0, 0, 600, 400)


def row(text: str, x: int, y: int, w: int, h: int = 24, confidence: float = 0.98) -> Row:
    return Row(text, confidence, Box(x, y, w, h))


def groups_on(picture: Image.Image, rows: list[Row], panels: tuple[Box, ...]) -> list[Group]:
    image = np.asarray(picture)
    home, regions = find_regions(image, rows, panels)
    return gather(rows, panels, home, regions)


def scene() -> tuple[Image.Image, ImageDraw.ImageDraw]:
    picture = Image.new("RGB", (PAGE.w, PAGE.h), (120, 150, 170))
    return picture, ImageDraw.Draw(picture)


def balloon(pen: ImageDraw.ImageDraw, box: tuple[int, int, int, int], square: bool = False) -> None:
    shape = pen.rectangle if square else pen.ellipse
    shape(box, fill=(255, 255, 255), outline=(0, 0, 0), width=3)


def letters(pen: ImageDraw.ImageDraw, rows: list[Row]) -> None:
    """Bars in place of letters: the grouping looks at grounds and boxes only."""
    for one in rows:
        for x in range(one.box.x + 4, one.box.right - 8, 12):
            pen.rectangle((x, one.box.y + 5, x + 5, one.box.bottom - 6), fill=(0, 0, 0))


def texts(groups: list[Group]) -> set[tuple[str, ...]]:
    return {tuple(one.text for one in group.rows) for group in groups}


def test_rows_in_one_balloon_are_one_and_touching_balloons_are_two() -> None:
    picture, pen = scene()
    balloon(pen, (40, 30, 260, 170))
    balloon(pen, (255, 30, 480, 170))
    left = [row("OF COURSE", 90, 66, 130), row("WE WILL DO", 90, 88, 160), row("NOW!", 110, 110, 80)]
    right = [row("SHARE IT,", 267, 88, 170), row("OLD PAL!", 310, 110, 110)]
    letters(pen, left + right)
    got = groups_on(picture, [right[1], left[2], left[0], right[0], left[1]], (PAGE,))
    assert texts(got) == {("OF COURSE", "WE WILL DO", "NOW!"), ("SHARE IT,", "OLD PAL!")}
    for group in got:
        assert group.balloon is not None
        assert group.balloon.box.w == pytest.approx(222, abs=16)
        assert group.balloon.box.h == pytest.approx(140, abs=16)


def test_balloons_joined_one_above_the_other_are_two_lines_unless_a_row_between_was_not_read() -> None:
    upper = [row("IT LOOKS", 120, 60, 120), row("GOOD TO ME", 110, 82, 140)]
    lower = [row("PERFECT", 190, 126, 110), row("IN FACT", 190, 148, 110)]

    def joined(drawn: list[Row]) -> list[Group]:
        picture, pen = scene()
        pen.ellipse((80, 40, 270, 122), fill=(255, 255, 255))
        pen.ellipse((150, 110, 340, 190), fill=(255, 255, 255))
        letters(pen, drawn)
        return groups_on(picture, upper + lower, (PAGE,))

    got = joined(upper + lower)
    assert texts(got) == {("IT LOOKS", "GOOD TO ME"), ("PERFECT", "IN FACT")}
    top, bottom = sorted((group.balloon for group in got if group.balloon), key=lambda region: region.box.y)
    assert top.number == bottom.number
    assert top.box.y < bottom.box.y
    assert top.box.bottom < bottom.box.bottom
    unread = row("BETWEEN", 180, 103, 80)
    assert len(joined([*upper, unread, *lower])) == 1


def test_a_group_never_spans_two_panels() -> None:
    picture, pen = scene()
    pen.rectangle((0, 0, 599, 399), fill=(255, 255, 255))
    rows = [row("UP HERE", 200, 170, 120), row("DOWN THERE", 200, 206, 140)]
    letters(pen, rows)
    upper, lower = Box(0, 0, 600, 200), Box(0, 201, 600, 199)
    assert texts(groups_on(picture, rows, (upper, lower))) == {("UP HERE",), ("DOWN THERE",)}


def judged(picture: Image.Image, rows: list[Row], usual: float = 24.0, panels: tuple[Box, ...] = (PAGE,)) -> str:
    (group,) = groups_on(picture, rows, panels)
    text = join_rows([one.text for one in group.rows], "en")
    return kind_of(group, text, Page(1000, 1500, panels, usual, 100.0, "en"))


def test_kinds_follow_the_shape_round_the_words() -> None:
    rows = [row("I SAW THE", 100, 60, 130), row("MONEY FIRST.", 95, 82, 140)]
    picture, pen = scene()
    balloon(pen, (50, 20, 290, 150))
    letters(pen, rows)
    assert judged(picture, rows) == "dialogue"
    picture, pen = scene()
    balloon(pen, (84, 50, 246, 116), square=True)
    letters(pen, rows)
    assert judged(picture, rows) == "caption"
    board = [row("USED", 100, 60, 90), row("MOTORS", 95, 82, 110)]
    picture, pen = scene()
    balloon(pen, (84, 50, 220, 116), square=True)
    letters(pen, board)
    assert judged(picture, board) == "sign"
    loud = [row("OWW!", 100, 60, 200, 70)]
    picture, pen = scene()
    letters(pen, loud)
    assert judged(picture, loud) == "sfx"


def test_what_is_as_large_as_its_words_is_a_label_and_no_cloud() -> None:
    label = [row("ORANGE TOP", 100, 60, 110)]
    page = Page(1000, 1500, (PAGE,), 24.0, 100.0, "en")
    for place, kind in (((98, 58, 212, 84), "sign"), ((60, 40, 250, 104), "thought")):
        picture, pen = scene()
        balloon(pen, place)
        letters(pen, label)
        (group,) = groups_on(picture, label, (PAGE,))
        assert kind_of(group, "ORANGE TOP", page, Tail((90, 100), (0.0, 1.0), 1.0, bubbles=True)) == kind


@pytest.mark.parametrize(
    ("text", "square", "kind"),
    [
        ("10 DOLLARS?", False, "dialogue"),
        ("3... 2... 1...", False, "dialogue"),
        ("PARIS, 1889", True, "caption"),
        ("DEC. 10¢ NO.13", True, "sign"),
        ("MARCH 3, 1942.", True, "caption"),
        ("1942", True, "caption"),
        ("12", True, "sign"),
        ("12", False, "sign"),
    ],
)
def test_numbers_are_said_where_a_balloon_or_box_holds_them(text: str, square: bool, kind: str) -> None:
    numbers = [row(text, 24, 16, 150)]
    picture, pen = scene()
    balloon(pen, (4, 4, 194, 52) if square else (4, 4, 200, 64), square)
    letters(pen, numbers)
    assert judged(picture, numbers) == kind


def test_numbers_on_the_art_are_signs() -> None:
    plate = [row("ROOM 12", 200, 200, 150)]
    picture, pen = scene()
    letters(pen, plate)
    assert judged(picture, plate) == "sign"


LEFT, RIGHT = Box(0, 0, 290, 400), Box(310, 0, 290, 400)
ACROSS = [row("I STAND ACROSS", 215, 100, 180), row("THE GUTTER", 235, 122, 140), row("HERE", 300, 144, 60)]


def across() -> Image.Image:
    """A balloon over the gutter between two panels, a little more of it in the left one."""
    picture, pen = scene()
    pen.rectangle((290, 0, 310, 399), fill=(255, 255, 255))
    for panel in (LEFT, RIGHT):
        pen.rectangle((panel.x, 0, panel.right - 1, 399), outline=(0, 0, 0), width=3)
    balloon(pen, (160, 70, 430, 200))
    letters(pen, ACROSS)
    return picture


def test_a_balloon_across_a_gutter_is_one_and_stands_where_its_tail_points_or_most_of_it_lies() -> None:
    (group,) = groups_on(across(), ACROSS, (LEFT, RIGHT))
    assert len(group.rows) == 3
    assert group.balloon is not None
    assert group.balloon.box.x < 180
    assert group.balloon.box.right > 410
    page = Page(PAGE.w, PAGE.h, (LEFT, RIGHT), 24.0, 100.0, "en")
    at = at_home(group, None, (LEFT, RIGHT), PAGE)
    assert at.panel == 0
    assert kind_of(at, "I STAND ACROSS THE GUTTER HERE", page) == "dialogue"
    pointed = Tail((400, 300), (0.4, 0.9), 4.0)
    assert at_home(group, pointed, (LEFT, RIGHT), PAGE).panel == 1


def test_a_balloon_whose_panel_was_not_found_is_said_in_the_nearest() -> None:
    (group,) = groups_on(across(), ACROSS, (Box(450, 250, 150, 150),))
    assert group.panel is None
    assert at_home(group, None, (Box(450, 250, 150, 150),), PAGE).panel == 0


def test_words_in_a_gutter_that_joins_two_balloons_are_not_taken_for_one_balloon() -> None:
    picture, pen = scene()
    pen.rectangle((290, 0, 310, 399), fill=(255, 255, 255))
    balloon(pen, (100, 70, 300, 150))
    balloon(pen, (300, 170, 500, 250))
    pen.rectangle((280, 95, 305, 125), fill=(255, 255, 255))
    pen.rectangle((295, 195, 320, 225), fill=(255, 255, 255))
    rows = [row("UP HERE WE", 130, 96, 140), row("DOWN THERE", 330, 196, 140)]
    letters(pen, rows)
    got = groups_on(picture, rows, (LEFT, RIGHT))
    assert [at_home(group, None, (LEFT, RIGHT), PAGE).panel for group in got] == [0, 1]


def test_the_dots_below_the_words_of_a_balloon_belong_to_them() -> None:
    rows = [row("I SAW THE", 100, 60, 130), row("MONEY", 125, 82, 80), row("...", 145, 122, 36, 8)]
    picture, pen = scene()
    balloon(pen, (50, 20, 290, 150))
    letters(pen, rows[:2])
    pen.rectangle((150, 124, 175, 128), fill=(0, 0, 0))
    assert texts(groups_on(picture, rows, (PAGE,))) == {("I SAW THE", "MONEY", "...")}


def test_short_painted_words_on_ground_without_an_edge_are_a_sound() -> None:
    gulp = [row("Gulp", 250, 180, 90, 40)]
    away = np.hypot(
        *(np.indices((PAGE.h, PAGE.w)) - np.array([200, 295])[:, None, None]) / np.array([1, 1.4])[:, None, None]
    )
    glow = np.clip(245 - 1.3 * np.maximum(away - 25, 0), 120, 245).astype(np.uint8)

    def kind(ink: tuple[int, int, int], text: str) -> str:
        picture = Image.fromarray(np.repeat(glow[..., None], 3, axis=2))
        pen = ImageDraw.Draw(picture)
        for x in range(256, 330, 12):
            pen.rectangle((x, 186, x + 5, 212), fill=ink)
        (group,) = groups_on(picture, gulp, (PAGE,))
        assert group.balloon is not None
        return kind_of(group, text, Page(1000, 1500, (PAGE,), 40.0, 96.0, "en"))

    assert kind((230, 40, 60), "Gulp") == "sfx"
    assert kind((20, 20, 20), "Gulp") == "dialogue"
    assert kind((230, 40, 60), "Oh no!") == "dialogue"


def test_words_drawn_again_and_again_in_a_panel_are_of_one_kind() -> None:
    gulp = (1, "gulp")
    assert one_kind(["sfx", "sfx", "sign", "dialogue"], [gulp, gulp, gulp, (2, "gulp")]) == [
        "sfx", "sfx", "sfx", "dialogue",
    ]  # fmt: skip
    assert one_kind(["sfx", "sign", "dialogue"], [gulp] * 3) == ["sfx"] * 3


def test_a_balloon_that_the_frame_cuts_straight_is_no_box() -> None:
    rows = [row("I SAW THE", 20, 20, 130), row("MONEY FIRST.", 15, 42, 140)]
    picture, pen = scene()
    balloon(pen, (-60, -50, 200, 92))
    letters(pen, rows)
    assert judged(picture, rows) == "dialogue"
    picture, pen = scene()
    balloon(pen, (-5, -5, 170, 80), square=True)
    letters(pen, rows)
    assert judged(picture, rows) == "caption"
    narrow = (Box(0, 0, 180, 400),)
    picture, pen = scene()
    pen.polygon(((0, 0), (180, 0), (180, 60), (120, 80), (0, 84)), fill=(255, 255, 255), outline=(0, 0, 0))
    letters(pen, rows)
    assert judged(picture, rows, panels=narrow) == "dialogue"


def test_a_board_written_across_is_no_speech_where_speech_is_written_in_columns() -> None:
    board = [row("第一内科", 200, 150, 160, 40)]
    picture, pen = scene()
    balloon(pen, (190, 140, 370, 200), square=True)
    letters(pen, board)
    (group,) = groups_on(picture, board, (PAGE,))
    page = Page(1000, 1500, (PAGE,), 40.0, 100.0, "ja", columns=True)
    assert kind_of(group, "第一内科", page) == "sign"
    assert kind_of(group, "午後六時、駅前はまだ明るい。", page) == "caption"


def test_words_on_another_ground_than_the_balloons_are_a_caption_unless_somebody_says_them() -> None:
    rows = [row("Komona City;", 100, 60, 130), row("Market day", 95, 82, 140)]
    picture, pen = scene()
    pen.ellipse((50, 20, 290, 150), fill=(250, 225, 120))
    letters(pen, rows)
    (group,) = groups_on(picture, rows, (PAGE,))
    white = np.array([100, 0, 0], np.float32)
    page = Page(600, 400, (PAGE,), 24.0, 100.0, "en", paper=white)
    assert kind_of(group, "Komona City; Market day", page) == "caption"
    assert kind_of(group, "I will buy a car", page) == "dialogue"


def test_balloons_drawn_with_thin_faint_lines_on_uneven_paper_are_told_apart() -> None:
    picture = Image.new("RGB", (PAGE.w, PAGE.h), (235, 230, 215))
    pen = ImageDraw.Draw(picture)
    for box in ((60, 30, 220, 110), (320, 30, 480, 110)):
        pen.ellipse(box, outline=(192, 185, 167), width=2)
    rows = [row("JUST-", 85, 60, 110), row("YES THERE", 345, 60, 110)]
    letters(pen, rows)
    paper = np.random.default_rng(3).normal(0, 9, (PAGE.h, PAGE.w, 1))
    picture = Image.fromarray(np.clip(np.asarray(picture) + paper, 0, 255).astype(np.uint8))
    got = groups_on(picture, rows, (PAGE,))
    assert [group.balloon is not None for group in got] == [True, True]
    assert judged(picture, rows[:1]) == "dialogue"


def test_words_outside_all_panels_are_signs() -> None:
    picture, pen = scene()
    pen.rectangle((0, 0, 599, 60), fill=(255, 255, 255))
    head = [row("BUSTER BEAR", 200, 20, 180)]
    letters(pen, head)
    assert judged(picture, head, panels=(Box(0, 60, 600, 340),)) == "sign"


def test_kana_beside_a_column_are_no_line_of_their_own() -> None:
    rows = [row("熱海温泉", 150, 50, 40, 190), row("あたみ", 194, 50, 18, 80)]
    picture, pen = scene()
    balloon(pen, (130, 30, 240, 260), square=True)
    letters(pen, rows)
    assert texts(groups_on(picture, rows, (PAGE,))) == {("熱海温泉",)}


def test_columns_run_from_the_right_without_furigana() -> None:
    columns = [
        row("手伝いでさ……", 100, 50, 40, 210),
        row("教授の実験の", 150, 50, 40, 190),
        row("きょうじゅ", 192, 50, 18, 80),
    ]
    assert [one.text for one in columns_in_order(columns)] == ["教授の実験の", "手伝いでさ……"]


@pytest.mark.parametrize(
    ("rows", "language", "text"),
    [
        (["I SAW IT FIRST,--", "YOU WERE"], "en", "I SAW IT FIRST,-- YOU WERE"),
        (["WITH EXCITE-", "MENT, THEY"], "en", "WITH EXCITEMENT, THEY"),
        (["I'M GOOD-", "HEARTED!"], "en", "I'M GOOD-HEARTED!"),
        (["TO ME, WILLIE-", "I THINK"], "en", "TO ME, WILLIE- I THINK"),
        (["W-", "WHAT WAS"], "en", "W- WHAT WAS"),
        (["DEAL TO ME WILLIE-", "I THINK!"], "en", "DEAL TO ME WILLIE- I THINK!"),
        (["PLACES OF EVIL-", "THESE BARS"], "en", "PLACES OF EVIL- THESE BARS"),
        (["THAT'S NOT FAIR.,", "WILLIE |", "SAID"], "en", "THAT'S NOT FAIR, WILLIE I SAID"),
        (["Happy  day ,", "Sir"], "en", "Happy day, Sir"),
        (["... a potion", "challenge?"], "en", "... a potion challenge?"),
        (["もう24時間以上", "ここにいるよ"], "ja", "もう24時間以上ここにいるよ"),
        (["波が三メ1トル", "1カ所だけ"], "ja", "波が三メートル1カ所だけ"),
    ],
)
def test_rows_are_joined_as_they_are_meant(rows: list[str], language: str, text: str) -> None:
    assert join_rows(rows, language) == text


@pytest.mark.parametrize("text", ["IT'S 3.5, OR $3.98...", "Mr. Smith, Jr.", "WHAT?! NO!", "D-D-DOL--D-D"])
def test_right_text_is_not_mended(text: str) -> None:
    assert mend(text, "en") == text


@pytest.mark.parametrize(
    ("text", "confidence", "language", "kept"),
    [
        ("DOLLAR BILL!", 0.99, "en", True),
        ("GRRR...", 0.97, "en", True),
        ("OWW", 0.4, "en", False),
        ("★育食食", 0.9, "en", False),
        ("277H", 0.75, "en", False),
        ("XKRT BN", 0.7, "en", False),
        ("教授の実験の", 0.95, "ja", True),
        ("EAI", 0.7, "ja", False),
        ("H", 0.99, "ja", False),
        ("ICU", 0.99, "ja", True),
    ],
)
def test_drawing_read_as_letters_is_dropped(text: str, confidence: float, language: str, kept: bool) -> None:
    assert is_lettering(row(text, 0, 0, 200, 24, confidence), language) is kept


def test_a_page_that_was_guessed_at_is_not_spoken() -> None:
    guesses = [row("COAE BBCK", 0, 30 * i, 200, 24, 0.6 + 0.02 * i) for i in range(12)]
    assert lettered_rows(guesses, "en") == []
    sure = [row("COME BACK", 0, 30 * i, 200, 24, 0.97) for i in range(12)]
    assert [one.text for one in lettered_rows([*sure, guesses[0]], "en")] == ["COME BACK"] * 12


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (["I SAW IT FIRST"], "en"),
        (["もう24時間以上", "SAKU"], "ja"),
        (["안녕하세요"], "ko"),
        (["我们明天再见"], "zh"),
        ([], "en"),
    ],
)
def test_the_language_is_told_by_its_script(texts: list[str], language: str) -> None:
    assert language_of([row(text, 0, 0, 200) for text in texts]) == language


def line(text: str, x: int, y: int) -> ReadLine:
    return ReadLine(0, "dialogue", text, Box(x, y, 100, 60), 0.9)


@pytest.mark.parametrize(("direction", "expected"), [("ltr", "ABCD"), ("rtl", "BADC"), ("vertical", "ABCD")])
def test_level_balloons_follow_the_direction_and_higher_ones_come_first(direction: Direction, expected: str) -> None:
    lines = [line("C", 30, 200), line("D", 400, 210), line("B", 400, 20), line("A", 30, 35)]
    assert "".join(lines[i].text for i in reading_order(lines, (PAGE,), direction)) == expected


@given(st.integers(1, 20_000), st.integers(40, 3000))
def test_windows_cover_a_strip_and_overlap(length: int, most: int) -> None:
    windows = spans(length, most)
    assert windows[0][0] == 0
    assert sum(windows[-1]) == length
    assert all(size <= most for _, size in windows)
    for (start, size), (following, _) in pairwise(windows):
        assert start + size - following >= OVERLAP * most - 2


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("YES THERE IS", "dialogue"),
        ("Here you are, that's 60Ko*", "dialogue"),
        ("...Oh dear", "dialogue"),
        ("GLUP GLUP GLUP", "sfx"),
        ("8 PIECES FOR 60 KO A KILO", "sign"),
    ],
)
def test_words_that_only_people_say_are_said_on_open_paper_too(text: str, kind: str) -> None:
    words = [row(text, 130, 160, 300)]
    picture, pen = scene()
    pen.rectangle((0, 0, 599, 399), fill=(255, 255, 255))
    letters(pen, words)
    assert judged(picture, words) == kind


def test_lettering_in_a_low_row_of_panels_is_no_larger_than_on_a_page() -> None:
    words = [row("YES THERE IS", 130, 160, 300)]
    picture, pen = scene()
    pen.rectangle((0, 0, 599, 399), fill=(255, 255, 255))
    letters(pen, words)
    (group,) = groups_on(picture, words, (PAGE,))
    assert kind_of(group, "YES THERE IS", Page(1500, 400, (PAGE,), 24.0, 100.0, "en")) == "dialogue"
