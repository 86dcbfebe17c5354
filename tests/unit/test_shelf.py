"""The books of a library: which they are, in which order, and what their films are called."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from comic_narrator.library import holds_books, shelve
from comic_narrator.library.shelf import content_of
from comic_narrator.work.digests import Digests


def lay(root: Path, *names: str) -> Path:
    for name in names:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(name.encode())
    return root


def names(library: Path, out: Path | None = None) -> list[str]:
    return [book.name for book in shelve(library, out or library / "films")]


def test_volumes_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    lay(tmp_path, "B/v10.cbz", "B/v2.cbz", "B/v1.pdf", "A/x.cbr")
    assert names(tmp_path) == ["A/x.cbr", "B/v1.pdf", "B/v2.cbz", "B/v10.cbz"]


def told_book(library: Path, name: str, info: str) -> None:
    (library / name).parent.mkdir(parents=True, exist_ok=True)
    with ZipFile(library / name, "w") as archive:
        archive.writestr("1.png", b"a page")
        archive.writestr("ComicInfo.xml", f"<ComicInfo>{info}</ComicInfo>")


def test_where_names_hold_no_number_what_the_books_say_of_themselves_orders_them(tmp_path: Path) -> None:
    told_book(tmp_path, "Saga/The Storm.cbz", "<Number>2</Number>")
    told_book(tmp_path, "Saga/An End.cbz", "<Number>10</Number>")
    told_book(tmp_path, "Saga/The Light.cbz", "<Volume>1</Volume>")
    told_book(tmp_path, "Saga/Interlude.cbz", "<Number>2.5</Number>")
    told_book(tmp_path, "Saga/A Prelude.cbz", "<Title>says no number</Title>")
    (tmp_path / "Saga" / "Broken.cbz").write_bytes(b"PK\x03\x04 no archive")
    told = ["The Light", "The Storm", "Interlude", "An End", "A Prelude", "Broken"]
    assert names(tmp_path) == [f"Saga/{name}.cbz" for name in told]


def test_numbers_in_names_go_before_what_books_say(tmp_path: Path) -> None:
    told_book(tmp_path, "Saga/v1.cbz", "<Number>2</Number>")
    told_book(tmp_path, "Saga/v2.cbz", "<Number>1</Number>")
    assert names(tmp_path) == ["Saga/v1.cbz", "Saga/v2.cbz"]


def test_a_first_volume_without_a_number_in_its_name_comes_first(tmp_path: Path) -> None:
    told_book(tmp_path, "Saga/Saga.cbz", "<Number>1</Number>")
    told_book(tmp_path, "Saga/Saga 2.cbz", "<Title>its name says the number</Title>")
    assert names(tmp_path) == ["Saga/Saga.cbz", "Saga/Saga 2.cbz"]
    told_book(tmp_path, "Saga/Saga Special.cbz", "<Title>says no number</Title>")
    assert names(tmp_path) == ["Saga/Saga 2.cbz", "Saga/Saga Special.cbz", "Saga/Saga.cbz"]


def test_a_folder_of_pictures_is_one_book_with_the_folders_in_it(tmp_path: Path) -> None:
    lay(tmp_path, "S/one/1.png", "S/one/extra/2.png", "S/two/1.jpg", "S/three.cbz", "S/notes.txt")
    assert names(tmp_path) == ["S/one", "S/three.cbz", "S/two"]
    assert names(tmp_path / "S" / "one") == ["one"]


def test_a_picture_beside_books_is_their_cover(tmp_path: Path) -> None:
    lay(tmp_path, "cover.jpg", "v1.cbz", "v2.cbz")
    assert names(tmp_path) == ["v1.cbz", "v2.cbz"]


def test_films_work_folders_and_litter_are_no_books(tmp_path: Path) -> None:
    lay(tmp_path, "v1.cbz", "films/v1.mp4.work/pages/0001/page.png", "x.mp4.work/pages/1.png", ".trash/v.cbz")
    lay(tmp_path, "__MACOSX/v1.cbz", "films/old.cbz")
    assert names(tmp_path) == ["v1.cbz"]


def test_an_archive_in_volumes_is_one_book(tmp_path: Path) -> None:
    lay(tmp_path, "a.part1.rar", "a.part2.rar", "a.part10.rar", "b.cbz.001", "b.cbz.002", "c.rar", "c.r00")
    assert names(tmp_path) == ["a.part1.rar", "b.cbz.001", "c.rar"]


def test_each_book_has_a_film_of_a_name_of_its_own(tmp_path: Path) -> None:
    lay(tmp_path, "S/v1.cbz", "S/V1.pdf", "S/v2.cbz", "S/v1/1.png")
    films = [book.film.relative_to(tmp_path / "out").as_posix() for book in shelve(tmp_path, tmp_path / "out")]
    assert sorted(films) == ["S/V1.pdf.mp4", "S/v1.cbz.mp4", "S/v1.mp4", "S/v2.mp4"]
    assert len({film.casefold() for film in films}) == 4


def test_the_nearest_cast_is_that_of_the_series(tmp_path: Path) -> None:
    lay(tmp_path, "cast.toml", "A/v1.cbz", "B/cast.toml", "B/x/v1.cbz", "lexicon.toml")
    beside = {
        book.name: [file.relative_to(tmp_path).as_posix() for file in book.beside]
        for book in shelve(tmp_path, tmp_path / "o")
    }
    assert beside == {"A/v1.cbz": ["cast.toml", "lexicon.toml"], "B/x/v1.cbz": ["B/cast.toml", "lexicon.toml"]}


@pytest.mark.parametrize(
    ("files", "told"),
    [(["v.cbz"], True), (["a/v.cbz"], True), (["1.png", "v.pdf"], False), (["a/1.png"], False)],
    ids=["flat", "nested", "pictures", "chapters"],
)
def test_a_folder_of_books_is_told_from_a_book(tmp_path: Path, files: list[str], told: bool) -> None:
    lay(tmp_path, *files)
    assert holds_books(tmp_path) is told


def test_what_a_book_holds_has_nothing_to_do_with_its_name(tmp_path: Path) -> None:
    for name in ("one", "two"):
        lay(tmp_path, f"{name}/1.png", f"{name}/2.png")
        for page in ("1", "2"):
            (tmp_path / name / f"{page}.png").write_bytes(page.encode())
    digests = Digests(tmp_path)
    assert content_of(tmp_path / "one", digests) == content_of(tmp_path / "two", digests)
    (tmp_path / "two" / "2.png").write_bytes(b"other")
    assert content_of(tmp_path / "one", digests) != content_of(tmp_path / "two", digests)
