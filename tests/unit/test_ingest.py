"""Ingest as a whole: a book in any container gives its pages in order, or one clear sentence."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest
import rars
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from comic_narrator.errors import InputError
from comic_narrator.ingest import Opening, Spool, open_book
from comic_narrator.ingest.source import natural_key
from tests.books import opened


def png(shade: int = 200, size: tuple[int, int] = (60, 90)) -> bytes:
    out = BytesIO()
    Image.new("RGB", size, (shade,) * 3).save(out, "PNG")
    return out.getvalue()


def jpeg(picture: Image.Image) -> bytes:
    out = BytesIO()
    picture.save(out, "JPEG", quality=90)
    return out.getvalue()


def sources(path: Path, unpacked: Path) -> list[str]:
    with opened(path, unpacked) as (_, pages):
        return [page.source for page in pages if page.picture]


def test_archive_pages_come_in_natural_order_without_litter(tmp_path: Path) -> None:
    book = tmp_path / "x.cbz"
    names = ["v1/page_10.png", "v1/page_2.png", "v1/page_1.png", "__MACOSX/v1/._page_1.png", ".hidden.png", "notes.txt"]
    names += ["@eaDir/page_1.png/SYNOPHOTO_THUMB_M.png", ".@__thumb/page_1.png"]
    with ZipFile(book, "w") as archive:
        for name in names:
            archive.writestr(name, png())
    assert sources(book, tmp_path) == [f"x.cbz!v1/page_{i}.png" for i in (1, 2, 10)]


def test_a_tiff_has_its_pages_whatever_its_name_says_and_is_read_once_for_all(
    tmp_path: Path, page_image: Image.Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [Image.new("RGB", page_image.size, colour) for colour in ("teal", "maroon")]
    page_image.save(tmp_path / "2.jpg", "TIFF", save_all=True, append_images=others)
    for name in ("1.jpg", "3.jpg"):
        page_image.save(tmp_path / name)
    with ZipFile(tmp_path / "x.cbz", "w") as archive:
        for name in ("1.jpg", "2.jpg", "3.jpg"):
            archive.write(tmp_path / name, name)
    reads: list[str] = []
    read = ZipFile.open

    def counted(self: ZipFile, name: ZipInfo, pwd: bytes | None = None) -> IO[bytes]:
        reads.append(name.filename)
        return read(self, name, pwd=pwd)

    monkeypatch.setattr(ZipFile, "open", counted)
    with opened(tmp_path / "x.cbz", tmp_path) as (_, pages):
        assert [page.source.partition("!")[2] for page in pages] == ["1.jpg", "2.jpg", "2.jpg#2", "2.jpg#3", "3.jpg"]
        looked = reads.copy()
        reads.clear()
        assert all(page.picture and page.picture().height == 420 for page in pages)
    assert sorted(looked) == sorted(reads) == ["1.jpg", "2.jpg", "3.jpg"]


def test_two_entries_of_one_name_are_two_pages(tmp_path: Path) -> None:
    book = tmp_path / "x.cbz"
    with ZipFile(book, "w") as archive:
        archive.writestr("1.png", png(10))
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("1.png", png(200))
    with opened(book, tmp_path) as (_, pages):
        assert [page.picture().data for page in pages if page.picture] == [png(10), png(200)]


def test_plain_pictures_keep_their_very_bytes(tmp_path: Path, page_image: Image.Image) -> None:
    data = jpeg(page_image)
    (tmp_path / "1.jpg").write_bytes(data)
    with opened(tmp_path, tmp_path) as (_, (page,)):
        assert page.picture
        picture = page.picture()
    assert (picture.data, picture.suffix, picture.width, picture.height) == (data, ".jpg", *page_image.size)


@pytest.mark.parametrize(
    ("name", "data", "word"),
    [
        ("x.pdf", b"this is text, not a book", "not a PDF"),
        ("x.pdf", b"%PDF-1.7 and then nothing", "not a readable PDF"),
        ("x.cbz", b"PK\x03\x04 broken", "broken ZIP"),
        ("x.cbr", b"Rar!\x1a\x07\x00 rest", "RAR"),
        ("x.cb7", b"7z\xbc\xaf\x27\x1c rest", "7z"),
        ("x.jpg", jpeg(Image.new("RGB", (200, 200), "red"))[:-300], "broken"),
        ("x.png", b"", "empty"),
    ],
)
def test_an_unreadable_book_is_one_sentence_and_a_hint(tmp_path: Path, name: str, data: bytes, word: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=word) as error, opened(tmp_path / name, tmp_path):
        pass
    assert error.value.hint
    assert "\n" not in error.value.what


def test_a_work_folder_inside_the_book_is_not_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "1.png").write_bytes(png())
    pages = tmp_path / "film.mp4.work" / "pages" / "0001"
    pages.mkdir(parents=True)
    (pages / "page.png").write_bytes(png())
    (tmp_path / "film.mp4.work" / "journal.jsonl").write_text("")
    assert sources(tmp_path, tmp_path) == ["1.png"]


def test_a_corrupt_entry_is_named_and_the_book_goes_on(tmp_path: Path) -> None:
    book = tmp_path / "x.cbz"
    with ZipFile(book, "w", ZIP_DEFLATED) as archive:
        archive.writestr("1.png", png(200, (400, 600)))
        archive.writestr("2.png", png(200, (400, 600)))
    data = bytearray(book.read_bytes())
    data[60:90] = bytes(30)
    book.write_bytes(data)
    with opened(book, tmp_path) as (paging, pages):
        assert [page.source for page in pages if page.picture] == ["x.cbz!2.png"]
        assert "x.cbz!1.png" in str(paging.pictures[0].why)


def test_missing_and_empty_books(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file or folder"), opened(tmp_path / "nothing.pdf", tmp_path):
        pass
    with pytest.raises(InputError, match="holds no pictures"), opened(tmp_path, tmp_path):
        pass


def test_an_archive_of_books_says_so(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("one.cbz", b"PK")
        archive.writestr("two.cbr", b"Rar!")
    with pytest.raises(InputError, match=r"2 books, one\.cbz"), opened(tmp_path / "all.zip", tmp_path):
        pass


@given(st.lists(st.text("ab/._0123456789", max_size=12)))
def test_natural_order_does_not_depend_on_where_it_starts(names: list[str]) -> None:
    backwards = names[::-1]
    assert sorted(names, key=natural_key) == sorted(backwards, key=natural_key)


def test_a_picture_that_nothing_decodes_is_named(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "x.cbz", "w") as archive:
        archive.writestr("1.png", png())
        archive.writestr("2.jxl", b"\xff\x0a rest")
    with opened(tmp_path / "x.cbz", tmp_path) as (paging, _):
        assert [picture.treat for picture in paging.pictures] == ["page", "broken"]


def test_a_book_in_several_files_has_one_name_and_is_all_of_them(tmp_path: Path) -> None:
    packer = rars.RarBuilder(store=True, volume_size=9_000)
    for i in range(3):
        noise = Image.effect_noise((80, 80), 80 + i)
        out = BytesIO()
        noise.save(out, "PNG")
        packer.add_bytes(out.getvalue(), f"{i}.png")
    volumes = [Path(str(volume)) for volume in packer.write_volumes(str(tmp_path / "My Book.part1.rar"))]
    assert len(volumes) > 1
    with Spool(tmp_path / "unpacked") as spool:
        source = open_book(volumes[0], Opening(spool))
        assert source.name == "My Book"
        assert [path.name for _, path in source.parts] == [volume.name for volume in volumes]
    whole = tmp_path / "cut.cbz"
    with ZipFile(whole, "w") as archive:
        archive.writestr("1.png", png())
    data = whole.read_bytes()
    for i, part in enumerate((data[:90], data[90:]), 1):
        (tmp_path / f"cut.cbz.00{i}").write_bytes(part)
    whole.unlink()
    with Spool(tmp_path / "unpacked") as spool:
        source = open_book(tmp_path / "cut.cbz.001", Opening(spool))
        assert source.name == "cut"
        assert [path.read_bytes() for _, path in source.parts] == [data]
