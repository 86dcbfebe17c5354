"""Where on a page rows are looked for, how they are cut out, and that lettering is read."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from comic_narrator.readers.cutting import cut, grown
from comic_narrator.readers.recogniser import Letter
from comic_narrator.readers.words import AREA, MOST_ENLARGED, Words, first_scale, stripped


@pytest.fixture(scope="module")
def words() -> Words:
    return Words()


def page(size: tuple[int, int], texts: dict[tuple[int, int], str], height: int, ink: int = 0) -> NDArray[np.uint8]:
    picture = Image.new("RGB", size, (240, 240, 240))
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(height)
    for place, text in texts.items():
        pen.text(place, text, fill=(ink, ink, ink), font=font)
    return np.asarray(picture)


LINES = {(60, 60): "THE CART IS HERE NOW", (60, 300): "WHERE IS MY HAT?"}


@pytest.mark.parametrize(("size", "height"), [((500, 700), 12), ((700, 1000), 24), ((2400, 3400), 80)])
def test_small_and_large_pages_are_read_alike(words: Words, size: tuple[int, int], height: int) -> None:
    rows = words.rows(page(size, LINES, height))
    assert {row.text for row in rows} == set(LINES.values())
    for row in rows:
        place = next(at for at, text in LINES.items() if text == row.text)
        assert row.box.x == pytest.approx(place[0], abs=height)
        assert row.box.y == pytest.approx(place[1], abs=height)
        assert "".join(letter.char for letter in row.letters) == row.text


def test_faint_lettering_is_found(words: Words) -> None:
    rows = words.rows(page((700, 1000), LINES, 22, ink=190))
    assert {row.text for row in rows} == set(LINES.values())


def test_a_page_without_lettering_has_no_rows(words: Words) -> None:
    assert words.rows(np.full((300, 200, 3), 255, np.uint8)) == ()
    assert words.rows(np.zeros((8, 900, 3), np.uint8)) == ()


@pytest.mark.parametrize(("width", "height"), [(1500, 2000), (2481, 3503), (9000, 13221), (500, 694)])
def test_pages_are_searched_at_a_bounded_size(width: int, height: int) -> None:
    scale = first_scale(width, height)
    assert width * height * scale**2 <= 1.3 * AREA
    assert 0 < scale <= MOST_ENLARGED


def test_a_double_page_gets_more_pixels_than_a_single_one() -> None:
    assert first_scale(3000, 2000) > first_scale(2000, 3000)
    assert first_scale(1055, 1528) == 1.0


def test_a_slanted_row_is_cut_upright_and_a_column_is_laid_on_its_side() -> None:
    picture = np.full((200, 300, 3), 255, np.uint8)
    picture[40:60, 100:220] = (10, 20, 30)
    row = cut(picture, np.array([[100.0, 40], [220, 40], [220, 60], [100, 60]]), 48)
    assert row.shape == (48, 288, 3)
    assert np.abs(row.astype(int) - (10, 20, 30)).mean() < 12
    column = cut(picture, np.array([[20.0, 10], [40, 10], [40, 130], [20, 130]]), 48)
    assert column.shape == (48, 288, 3)


def test_a_row_grows_along_its_own_axis() -> None:
    flat = np.array([[10.0, 10], [110, 10], [110, 30], [10, 30]])
    assert grown(flat, 0.5, 0.1).tolist() == [[0, 8], [120, 8], [120, 32], [0, 32]]
    tall = np.array([[10.0, 10], [30, 10], [30, 110], [10, 110]])
    assert grown(tall, 0.5, -0.1).tolist() == [[12, 0], [28, 0], [28, 120], [12, 120]]


def test_spaces_round_a_row_are_no_letters_of_it() -> None:
    letters = [Letter(char, 1.0) for char in " A B "]
    assert "".join(letter.char for letter in stripped(letters)) == "A B"
    assert stripped([Letter(" ", 1.0)]) == ()
