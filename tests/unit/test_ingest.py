"""Ingest: pages in natural order, as they are where that is possible, and one clear sentence where it is not."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from comic_narrator.errors import InputError, UsageError
from comic_narrator.ingest import direction_of, open_book, pick_pages
from comic_narrator.ingest.source import natural_key


def png(shade: int = 255, size: tuple[int, int] = (60, 90), mode: str = "RGB") -> bytes:
    out = BytesIO()
    Image.new(mode, size, shade if mode != "RGB" else (shade,) * 3).save(out, "PNG")
    return out.getvalue()


def jpeg(picture: Image.Image) -> bytes:
    out = BytesIO()
    picture.save(out, "JPEG", quality=90)
    return out.getvalue()


def test_archive_pages_come_in_natural_order_without_litter(tmp_path: Path) -> None:
    book = tmp_path / "x.cbz"
    names = ["v1/page_10.png", "v1/page_2.png", "v1/page_1.png", "__MACOSX/v1/._page_1.png", ".hidden.png", "notes.txt"]
    with ZipFile(book, "w") as archive:
        for name in names:
            archive.writestr(name, png())
    assert [page.name for page in open_book(book).pages] == [f"x.cbz!v1/page_{i}.png" for i in (1, 2, 10)]


def test_two_entries_of_one_name_are_two_pages(tmp_path: Path) -> None:
    book = tmp_path / "x.cbz"
    with ZipFile(book, "w") as archive:
        archive.writestr("1.png", png(10))
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("1.png", png(200))
    assert {page.picture().data for page in open_book(book).pages} == {png(10), png(200)}


def test_plain_pictures_keep_their_very_bytes(tmp_path: Path, page_image: Image.Image) -> None:
    data = jpeg(page_image)
    (tmp_path / "1.jpg").write_bytes(data)
    picture = open_book(tmp_path).pages[0].picture()
    assert (picture.data, picture.suffix, picture.width, picture.height) == (data, ".jpg", *page_image.size)


def test_a_scan_in_a_pdf_is_taken_as_it_is_and_a_drawn_page_is_rendered(
    tmp_path: Path, page_image: Image.Image
) -> None:
    data = jpeg(page_image)
    with pymupdf.open() as document:
        page = document.new_page(width=page_image.width, height=page_image.height)
        page.insert_image(page.rect, stream=data)
        page.insert_text((20, 20), "hidden words", render_mode=3)
        document.new_page(width=400, height=600).insert_text((50, 50), "drawn words")
        document.save(tmp_path / "x.pdf")
    scan, drawn = (page.picture() for page in open_book(tmp_path / "x.pdf").pages)
    assert scan.data == data
    assert (drawn.suffix, drawn.width, drawn.height) == (".png", 2000, 3000)


def test_transparent_pages_lie_on_white_and_turned_ones_are_upright(tmp_path: Path) -> None:
    clear = Image.new("RGBA", (40, 60), (0, 0, 0, 0))
    clear.save(tmp_path / "1.png")
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (60, 40), "red").save(tmp_path / "2.jpg", exif=exif)
    on_white, upright = (page.picture() for page in open_book(tmp_path).pages)
    assert np.asarray(Image.open(BytesIO(on_white.data))).min() == 255
    assert (upright.width, upright.height) == (40, 60)


@pytest.mark.parametrize(
    ("name", "data", "word"),
    [
        ("x.pdf", b"this is text, not a book", "not a PDF"),
        ("x.pdf", b"%PDF-1.7 and then nothing", "not a readable PDF"),
        ("x.cbz", b"PK\x03\x04 broken", "broken ZIP"),
        ("x.cbr", b"Rar!\x1a\x07\x00 rest", "RAR"),
        ("x.jpg", jpeg(Image.new("RGB", (200, 200)))[:-300], "broken"),
        ("x.png", b"", "not a PDF"),
    ],
)
def test_an_unreadable_book_is_one_sentence_and_a_hint(tmp_path: Path, name: str, data: bytes, word: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=word) as error:
        open_book(tmp_path / name)
    assert error.value.hint


def test_a_work_folder_inside_the_book_is_not_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "1.png").write_bytes(png())
    pages = tmp_path / "film.mp4.work" / "pages" / "0001"
    pages.mkdir(parents=True)
    (pages / "page.png").write_bytes(png())
    (tmp_path / "film.mp4.work" / "journal.jsonl").write_text("")
    assert [page.name for page in open_book(tmp_path).pages] == ["1.png"]


def test_a_pdf_page_that_shows_half_of_a_spread_shows_that_half(tmp_path: Path, page_image: Image.Image) -> None:
    with pymupdf.open() as document:
        for side in (0, 1):
            page = document.new_page(width=150, height=420)
            page.insert_image(pymupdf.Rect(-150 * side, 0, 300 - 150 * side, 420), stream=jpeg(page_image))
        document.save(tmp_path / "x.pdf")
    left, right = (page.picture() for page in open_book(tmp_path / "x.pdf").pages)
    assert left.width / left.height == pytest.approx(150 / 420, rel=0.02)
    assert left.data != right.data


def test_a_corrupt_entry_is_named(tmp_path: Path) -> None:
    book = tmp_path / "x.cbz"
    with ZipFile(book, "w", ZIP_DEFLATED) as archive:
        archive.writestr("1.png", png(200, (400, 600)))
    data = bytearray(book.read_bytes())
    data[60:90] = bytes(30)
    book.write_bytes(data)
    with pytest.raises(InputError, match=r"1\.png"):
        open_book(book).pages[0].picture()


def test_missing_and_empty_books(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file or folder"):
        open_book(tmp_path / "nothing.pdf")
    with pytest.raises(InputError, match="holds no pictures"):
        open_book(tmp_path)


@pytest.mark.parametrize(
    ("asked", "numbers"), [(None, [1, 2, 3]), ("2", [2]), ("2-3", [2, 3]), ("2-", [2, 3]), ("3-9", [3])]
)
def test_pages_are_picked_by_number(tmp_path: Path, asked: str | None, numbers: list[int]) -> None:
    for i in range(3):
        (tmp_path / f"{i}.png").write_bytes(png())
    assert [number for number, _ in pick_pages(open_book(tmp_path), asked)] == numbers


@pytest.mark.parametrize("asked", ["7-9", "x", "1-y", "-"])
def test_a_wrong_page_range_is_a_usage_error(tmp_path: Path, asked: str) -> None:
    (tmp_path / "1.png").write_bytes(png())
    with pytest.raises(UsageError, match="--pages"):
        pick_pages(open_book(tmp_path), asked)


def test_direction_by_layout_shape_and_language() -> None:
    pages, strip = [(1000, 1500)], [(800, 9000)]
    assert direction_of("auto", "en", pages) == "ltr"
    assert direction_of("auto", "ja-JP", pages) == "rtl"
    assert direction_of("auto", "ja", strip) == "vertical"
    assert direction_of("western", "ja", strip) == "ltr"


@given(st.lists(st.text("ab/._0123456789", max_size=12)))
def test_natural_order_does_not_depend_on_where_it_starts(names: list[str]) -> None:
    backwards = names[::-1]
    assert sorted(names, key=natural_key) == sorted(backwards, key=natural_key)
