"""Containers: what lies in an archive or a folder is listed and read, whatever the file is called."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, ZipFile, ZipInfo

import py7zr
import pytest
import pyzipper
import rars

from benchmarks.mending import mend_rar4, mend_rar5
from comic_narrator.errors import InputError
from comic_narrator.ingest.containers import list_files
from comic_narrator.ingest.source import Files, Opening, PasswordNeededError, Spool
from tests.fakes.books import (
    WRITERS,
    Contents,
    rar_writer,
    write_7z,
    write_aes_zip,
    write_locked_zip,
    write_tar,
    write_zip,
)

NOISE = os.urandom(5000)
PAGES: Contents = [("b/page 10.png", NOISE), ("b/page 2.png", b"second" * 500), ("notes.txt", b""), ("a.cbz", b"inner")]


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Spool]:
    with Spool(tmp_path / "spool") as made:
        yield made


def listed(path: Path, spool: Spool, password: str | None = None) -> Files:
    files = list_files(path, Opening(spool, password))
    assert files is not None
    return files


def contents(files: Files) -> list[tuple[str, bytes]]:
    return [(entry.name, entry.read()) for entry in files.entries]


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("name", ["x.cbz", "x.cbr", "x"])
def test_what_was_packed_is_listed_in_its_order_and_read_whatever_the_suffix(
    tmp_path: Path, spool: Spool, kind: str, name: str
) -> None:
    files = listed(WRITERS[kind](tmp_path / name, PAGES), spool)
    assert kind[:2].casefold() == files.kind[:2].casefold()
    assert contents(files) == PAGES
    assert [entry.size for entry in files.entries] == [len(data) for _, data in PAGES]
    assert contents(files) == PAGES, "an entry is read more than once"


@pytest.mark.parametrize("kind", [kind for kind in WRITERS if not kind.startswith("tar")])
@pytest.mark.parametrize("head", [b"MZ\x90\0", b"\x7fELF", b"\0\0\0\0"])
def test_a_self_extracting_archive_is_found_behind_its_program(
    tmp_path: Path, spool: Spool, kind: str, head: bytes
) -> None:
    book = WRITERS[kind](tmp_path / "x.exe", PAGES)
    book.write_bytes(head + b"a program" * 9000 + book.read_bytes())
    assert contents(listed(book, spool)) == PAGES


@pytest.mark.parametrize("kind", ["7z", "rar4 solid", "rar5 solid"])
def test_a_solid_archive_is_unpacked_once_at_the_first_read_and_gone_afterwards(tmp_path: Path, kind: str) -> None:
    book = WRITERS[kind](tmp_path / "x", [(f"{i}.png", bytes([i]) * 999) for i in range(40)])
    with Spool(tmp_path / "spool") as spool:
        files = listed(book, spool)
        assert not (tmp_path / "spool").exists(), "nothing is unpacked to list it"
        book_gone = [files.entries[0].read()]
        book.unlink()
        with ThreadPoolExecutor(8) as pool:
            read = list(pool.map(lambda entry: entry.read(), files.entries * 3))
        assert read == [bytes([i]) * 999 for i in range(40)] * 3
        assert read[0] == book_gone[0]
    assert list((tmp_path / "spool").iterdir()) == []


def test_entries_of_archives_that_are_not_solid_are_read_by_many_threads(tmp_path: Path, spool: Spool) -> None:
    pages = [(f"{i}.png", os.urandom(3000)) for i in range(60)]
    for kind in ("zip", "rar4", "rar5", "tar"):
        files = listed(WRITERS[kind](tmp_path / kind, pages), spool)
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(lambda entry: entry.read(), files.entries * 2)) == [data for _, data in pages] * 2
    assert not (tmp_path / "spool").exists(), "they need no spool"


def with_names(book: Path, *, swap: tuple[bytes, bytes]) -> Path:
    """The RAR archive with a name replaced by another of its length, and right checksums."""
    data = book.read_bytes().replace(*swap)
    book.write_bytes(mend_rar5(data) if data[6] == 1 else mend_rar4(data))
    return book


@pytest.mark.parametrize("kind", ["zip", "tar", "7z", "rar4", "rar4 solid", "rar5", "rar5 solid"])
def test_two_entries_of_one_name_are_two(tmp_path: Path, spool: Spool, kind: str) -> None:
    pages = [("1.png", b"one" * 99), ("2.png", b"two" * 99), ("1.png", b"three" * 99)]
    if kind.startswith("rar"):
        book = WRITERS[kind](tmp_path / "x", [*pages[:2], ("3.png", pages[2][1])])
        with_names(book, swap=(b"3.png", b"1.png"))
    else:
        book = WRITERS[kind](tmp_path / "x", pages)
    assert contents(listed(book, spool)) == pages


def raw_names(path: Path, names: list[bytes], extra: bytes = b"") -> Path:
    """A ZIP archive whose names are those bytes, of a code page that it does not say."""
    with ZipFile(path, "w") as archive:
        for i, name in enumerate(names):
            info = ZipInfo("x")
            info.filename, info.extra = "\x01" * (len(name) - 1) + chr(ord("A") + i), extra
            archive.writestr(info, b"data")
    data = path.read_bytes()
    for i, name in enumerate(names):
        data = data.replace(b"\x01" * (len(name) - 1) + bytes([ord("A") + i]), name)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("names", "encoding"),
    [
        (["第1巻/第01話_表紙.jpg", "第1巻/ソ.jpg"], "cp932"),
        (["Vol第1巻/001.jpg"], "cp932"),
        (["ワンピース/ページ01.png", "extra.png"], "cp932"),
        (["Le Mystère/01.jpg", "Été.jpg"], "cp437"),
        (["Le Mystère/01.jpg"], "cp437"),
        (["Größe/für Mädchen.jpg"], "cp437"),
        (["élève.jpg"], "utf-8"),
        (["漫画/第一話.jpg"], "utf-8"),
    ],
)
def test_names_of_an_unsaid_code_page_are_read_as_whoever_wrote_them(
    tmp_path: Path, spool: Spool, names: list[str], encoding: str
) -> None:
    book = raw_names(tmp_path / "x.cbz", [name.encode(encoding) for name in names])
    assert [entry.name for entry in listed(book, spool).entries] == names


def test_a_unicode_name_beside_the_old_one_wins(tmp_path: Path, spool: Spool) -> None:
    wanted = "Żółw.jpg".encode()
    field = b"\x01" + zlib.crc32(b"\x8bw.jpg").to_bytes(4, "little") + wanted
    extra = b"\x75\x70" + len(field).to_bytes(2, "little") + field
    book = raw_names(tmp_path / "x.cbz", [b"\x8bw.jpg"], extra)
    assert [entry.name for entry in listed(book, spool).entries] == ["Żółw.jpg"]


@pytest.mark.parametrize("kind", ["zip", "tar", "7z"])
def test_names_have_slashes_and_one_form_of_accents(tmp_path: Path, spool: Spool, kind: str) -> None:
    book = WRITERS[kind](tmp_path / "x", [("ch\\e\u0301te\u0301.png", b"x")])
    assert [entry.name for entry in listed(book, spool).entries] == ["ch/été.png"]


def locked_rar(version: str, *, solid: bool, hide_names: bool) -> object:
    def write(path: Path) -> Path:
        builder = rars.RarBuilder(format=version, solid=solid, password="comic", encrypt_headers=hide_names)
        for name, data in PAGES:
            builder.add_bytes(data, name)
        builder.write(str(path))
        return path

    return write


LOCKED = {
    "zip": lambda path: write_locked_zip(path, PAGES, "comic"),
    "zip, AES": lambda path: write_aes_zip(path, PAGES, "comic"),
    "7z": lambda path: write_7z(path, PAGES, "comic"),
    "7z, names too": lambda path: write_7z(path, PAGES, "comic", hide_names=True),
    "rar4": locked_rar("rar29", solid=False, hide_names=False),
    "rar5": locked_rar("rar50", solid=False, hide_names=False),
    "rar5 solid": locked_rar("rar50", solid=True, hide_names=False),
    "rar5, names too": locked_rar("rar50", solid=False, hide_names=True),
}


@pytest.mark.parametrize("kind", LOCKED)
def test_an_encrypted_book_opens_with_its_password_only(tmp_path: Path, spool: Spool, kind: str) -> None:
    book = LOCKED[kind](tmp_path / "x.cbr")  # type: ignore[operator]
    assert contents(listed(book, spool, "comic")) == PAGES
    with pytest.raises(PasswordNeededError, match=r"x\.cbr is encrypted") as error:
        listed(book, spool)
    assert "--password" in error.value.hint
    with pytest.raises(PasswordNeededError, match=r"does not open x\.cbr") as error:
        listed(book, spool, "wrong")
    assert "--password" in error.value.hint


@pytest.mark.parametrize("name", ["2.png", "notes.txt"])
def test_a_book_of_which_a_page_is_encrypted_needs_the_password_and_takes_no_other(
    tmp_path: Path, spool: Spool, name: str
) -> None:
    book = write_zip(tmp_path / "x.cbz", [("1.png", b"clear")])
    with pyzipper.AESZipFile(book, "a", encryption=pyzipper.WZ_AES) as archive:
        archive.setpassword(b"comic")
        archive.writestr(name, b"secret")
    assert contents(listed(book, spool, "comic")) == [("1.png", b"clear"), (name, b"secret")]
    with pytest.raises(PasswordNeededError, match=r"does not open x\.cbz"):
        listed(book, spool, "wrong")
    if name == "2.png":
        with pytest.raises(PasswordNeededError, match=r"x\.cbz is encrypted"):
            listed(book, spool)
    else:
        assert listed(book, spool).entries[0].read() == b"clear"


def test_damage_to_the_smallest_encrypted_page_is_no_wrong_password(tmp_path: Path, spool: Spool) -> None:
    book = write_locked_zip(tmp_path / "x.cbz", [("1.png", b"small"), ("2.png", NOISE)], "comic")
    data = bytearray(book.read_bytes())
    data[30 + len("1.png") + 14] ^= 0xFF
    book.write_bytes(data)
    damaged, whole = listed(book, spool, "comic").entries
    assert whole.read() == NOISE
    with pytest.raises(InputError, match=r"1\.png cannot be unpacked"):
        damaged.read()


def volumes(folder: Path, version: str) -> list[Path]:
    builder = rars.RarBuilder(format=version, store=True, volume_size=4000)
    builder.add_bytes(NOISE * 2, "1.png")
    if version == "rar50":
        builder.add_bytes(NOISE[::-1], "2.png")
    return [Path(path) for path in builder.write_volumes(str(folder / "x.rar"))]


@pytest.mark.parametrize("version", ["rar29", "rar50"])
def test_a_book_in_several_files_is_one_book_whichever_is_given(tmp_path: Path, spool: Spool, version: str) -> None:
    files = volumes(tmp_path, version)
    whole = [("1.png", NOISE * 2)] + [("2.png", NOISE[::-1])] * (version == "rar50")
    assert len(files) >= 3
    for given in (files[0], files[1]):
        assert contents(listed(given, spool)) == whole


@pytest.mark.parametrize("version", ["rar29", "rar50"])
@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_missing_volume_is_named(tmp_path: Path, spool: Spool, version: str, missing: int) -> None:
    files = volumes(tmp_path, version)
    files[missing].unlink()
    with pytest.raises(InputError) as error:
        listed(files[1] if missing == 0 else files[0], spool)
    assert error.value.what.startswith(f"{files[missing].name} is missing")


def numbered(path: Path, size: int) -> list[Path]:
    """A file cut into several, as 7-Zip and others do it."""
    data = path.read_bytes()
    path.unlink()
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    files = [path.with_name(f"{path.name}.{i:03}") for i in range(1, len(parts) + 1)]
    for file, part in zip(files, parts, strict=True):
        file.write_bytes(part)
    return files


def split_zip(path: Path, size: int, contents: Contents) -> list[Path]:
    """A ZIP archive in parts that tell places by part, as Info-ZIP and WinZip write it (APPNOTE.TXT, 8)."""
    data = bytearray(b"PK\x07\x08" + write_zip(path, contents).read_bytes())
    at = directory = data.find(b"PK\x01\x02")
    last = directory // size
    while data[at : at + 4] == b"PK\x01\x02":
        place = int.from_bytes(data[at + 42 : at + 46], "little") + 4
        data[at + 34 : at + 36] = (place // size).to_bytes(2, "little")
        data[at + 42 : at + 46] = (place % size).to_bytes(4, "little")
        at += 46 + sum(int.from_bytes(data[at + i : at + i + 2], "little") for i in (28, 30, 32))
    data[at + 4 : at + 8] = last.to_bytes(2, "little") * 2
    data[at + 16 : at + 20] = (directory % size).to_bytes(4, "little")
    files = [path.with_suffix(f".z{i + 1:02}") for i in range(last)] + [path]
    for i, file in enumerate(files):
        file.write_bytes(data[i * size :] if file == path else data[i * size : (i + 1) * size])
    return files


@pytest.mark.parametrize("kind", ["zip", "7z", "rar5", "rar5 solid", "tar.gz"])
def test_an_archive_cut_by_number_is_one_book_and_what_it_lacks_is_named(
    tmp_path: Path, spool: Spool, kind: str
) -> None:
    suffix = {"rar5 solid": "rar", "rar5": "rar", "tar.gz": "tgz"}.get(kind, kind)
    files = numbered(WRITERS[kind](tmp_path / f"x.{suffix}", PAGES), 2000)
    assert len(files) >= 3
    for given in (files[0], files[-1]):
        assert contents(listed(given, spool)) == PAGES
    for missing in (files[0], files[1], files[-1]):
        aside = missing.rename(tmp_path / "aside")
        with pytest.raises(InputError, match=rf"^{missing.name} is missing") as error:
            listed(files[0] if missing != files[0] else files[1], spool)
        assert error.value.hint
        aside.rename(missing)


def test_a_book_with_the_number_of_an_issue_is_no_part_of_another(tmp_path: Path, spool: Spool) -> None:
    write_zip(tmp_path / "Comic.001", PAGES[:1])
    assert contents(listed(write_zip(tmp_path / "Comic.003", PAGES), spool)) == PAGES


@pytest.mark.parametrize("name", ["x.zip", "x.CBZ"])
def test_a_split_zip_is_one_book_and_a_missing_part_is_named(tmp_path: Path, spool: Spool, name: str) -> None:
    pages = [*PAGES, ("last.png", NOISE[::-1])]
    files = split_zip(tmp_path / name, 2100, pages)
    if name == "x.CBZ":
        files = [file.rename(file.with_suffix(file.suffix.upper())) for file in files]
    assert len(files) >= 4
    for given in (files[-1], files[1]):
        assert contents(listed(given, spool)) == pages
    for missing in files:
        aside = missing.rename(tmp_path / "aside")
        what = missing.name if missing != files[-1] else "x.zip"
        with pytest.raises(InputError, match=rf"^{what} is missing"):
            listed(files[-1] if missing != files[-1] else files[0], spool)
        aside.rename(missing)


@pytest.mark.parametrize("kind", ["zip", "rar4", "rar5"])
def test_a_damaged_entry_is_named_and_the_others_are_read(tmp_path: Path, spool: Spool, kind: str) -> None:
    pages = [(f"{i}.png", os.urandom(4000)) for i in range(3)]
    book = WRITERS[kind](tmp_path / "x.cbz", pages)
    data = bytearray(book.read_bytes())
    data[len(data) // 2] ^= 0xFF
    book.write_bytes(data)
    first, second, third = listed(book, spool).entries
    assert (first.read(), third.read()) == (pages[0][1], pages[2][1])
    with pytest.raises(InputError, match=r"x\.cbz!1\.png cannot be unpacked") as error:
        second.read()
    assert error.value.hint


@pytest.mark.parametrize("kind", ["7z", "rar4 solid", "rar5 solid"])
def test_in_a_solid_archive_what_comes_before_the_damage_is_read(tmp_path: Path, spool: Spool, kind: str) -> None:
    pages = [(f"{i}.png", os.urandom(3000).hex().encode()) for i in range(5)]
    book = WRITERS[kind](tmp_path / "x", pages)
    data = bytearray(book.read_bytes())
    data[len(data) // 2] ^= 0xFF
    book.write_bytes(data)
    entries = listed(book, spool).entries
    assert [entries[i].read() for i in (0, 1)] == [data for _, data in pages[:2]]
    for i in (2, 3, 4):
        with pytest.raises(InputError, match=rf"x!{i}\.png cannot be unpacked"):
            entries[i].read()


@pytest.mark.parametrize("kind", ["rar4 solid", "rar5 solid"])
@pytest.mark.parametrize("damaged", range(4))
def test_in_a_solid_rar_each_page_before_the_damage_is_read(
    tmp_path: Path, spool: Spool, kind: str, damaged: int
) -> None:
    pages = [(f"{i}.png", os.urandom(3000)) for i in range(4)]
    book = WRITERS[kind](tmp_path / "x", pages)
    data = bytearray(book.read_bytes())
    data[data.find(f"{damaged}.png".encode()) + 1500] ^= 0xFF
    book.write_bytes(data)
    entries = listed(book, spool).entries
    assert [entry.read() for entry in entries[:damaged]] == [data for _, data in pages[:damaged]]
    with pytest.raises(InputError, match=rf"x!{damaged}\.png cannot be unpacked: .*{damaged}\.png") as error:
        entries[damaged].read()
    assert "00000" not in error.value.what, "our own names are none of the user's"


@pytest.mark.parametrize("kind", ["rar4 solid", "rar5 solid"])
def test_a_page_whose_folder_has_the_name_of_another_page_is_read(tmp_path: Path, spool: Spool, kind: str) -> None:
    pages = [("1.png", b"one" * 99), ("1.png/2.png", b"two" * 99), ("3.png", b"three" * 99)]
    assert contents(listed(WRITERS[kind](tmp_path / "x", pages), spool)) == pages


@pytest.mark.parametrize("solid", [False, True])
def test_entries_behind_encrypted_headers_are_read_whatever_they_are_called(
    tmp_path: Path, spool: Spool, solid: bool
) -> None:
    pages = [("1.png", NOISE), ("empty.png", b""), ("1.png/2.png", b"two" * 99), ("x" * 300, b"three" * 99)]
    builder = rars.RarBuilder(solid=solid, password="comic", encrypt_headers=True)
    for name, data in pages:
        builder.add_bytes(data, name)
    builder.write(str(tmp_path / "x.cbr"))
    assert contents(listed(tmp_path / "x.cbr", spool, "comic")) == pages


def test_damage_in_one_block_of_a_7z_leaves_the_next_block_alone(tmp_path: Path, spool: Spool) -> None:
    pages = [(f"{i}.png", os.urandom(4000)) for i in range(4)]
    book = write_7z(tmp_path / "x", pages[:2])
    with py7zr.SevenZipFile(book, "a") as archive:
        for name, data in pages[2:]:
            archive.writestr(data, name)
    raw = bytearray(book.read_bytes())
    raw[1000] ^= 0xFF
    book.write_bytes(raw)
    entries = listed(book, spool).entries
    assert [entries[i].read() for i in (2, 3)] == [data for _, data in pages[2:]]
    with pytest.raises(InputError, match=r"x!0\.png"):
        entries[0].read()


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("share", [0.1, 0.3, 0.6])
def test_an_archive_that_is_cut_off_says_so(tmp_path: Path, spool: Spool, kind: str, share: float) -> None:
    book = WRITERS[kind](tmp_path / "x.cbz", [(f"{i}.png", os.urandom(3000)) for i in range(4)])
    data = book.read_bytes()
    book.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(InputError, match=r"x\.cbz is a broken") as error:
        listed(book, spool)
    assert error.value.hint


def test_large_and_odd_zips_are_read(tmp_path: Path, spool: Spool) -> None:
    with ZipFile(tmp_path / "x.cbz", "w") as archive, archive.open("1.png", "w", force_zip64=True) as out:
        out.write(NOISE)
    assert contents(listed(tmp_path / "x.cbz", spool)) == [("1.png", NOISE)]
    (tmp_path / "x.cbz").write_bytes(b"PK\x05\x06" + bytes(18))
    assert listed(tmp_path / "x.cbz", spool).entries == ()


def test_the_comment_of_an_archive_is_kept(tmp_path: Path, spool: Spool) -> None:
    with ZipFile(tmp_path / "x.cbz", "w") as archive:
        archive.comment = '{"title": "é"}'.encode()
    assert listed(tmp_path / "x.cbz", spool).comment == '{"title": "é"}'
    for version in ("rar29", "rar50"):
        builder = rars.RarBuilder(format=version, comment="é")
        builder.add_bytes(b"x", "1.png")
        builder.write(str(tmp_path / "x.cbr"))
        assert listed(tmp_path / "x.cbr", spool).comment == "é"


def test_folders_inside_are_no_entries(tmp_path: Path, spool: Spool) -> None:
    (tmp_path / "in/side").mkdir(parents=True)
    (tmp_path / "in/side/1.png").write_bytes(b"x")
    with py7zr.SevenZipFile(tmp_path / "x.cb7", "w") as archive:
        archive.writeall(tmp_path / "in", "in")
    with ZipFile(tmp_path / "x.cbz", "w") as archive:
        archive.mkdir("in")
        archive.writestr("in/side/1.png", b"x")
    builder = rars.RarBuilder()
    builder.add_directory("in")
    builder.add_bytes(b"x", "in/side/1.png")
    builder.write(str(tmp_path / "x.cbr"))
    for name in ("x.cb7", "x.cbz", "x.cbr"):
        assert contents(listed(tmp_path / name, spool)) == [("in/side/1.png", b"x")]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"a text",
        b"%PDF-1.7 ...",
        b"\x89PNG\r\n\x1a\n...",
        gzip.compress(b"no tar", mtime=0),
        bytes(10_240),
        b"x" * 600,
    ],
)
def test_what_is_no_container_is_none(tmp_path: Path, spool: Spool, data: bytes) -> None:
    (tmp_path / "x.cbz").write_bytes(data)
    assert list_files(tmp_path / "x.cbz", Opening(spool)) is None


def test_a_picture_with_an_archive_behind_it_is_a_picture(tmp_path: Path, spool: Spool) -> None:
    book = write_zip(tmp_path / "x.png", PAGES)
    book.write_bytes(b"\x89PNG\r\n\x1a\n" + book.read_bytes())
    assert list_files(book, Opening(spool)) is None


def test_a_folder_gives_its_files_with_their_places(tmp_path: Path, spool: Spool) -> None:
    book = tmp_path / "book"
    for name in ("b/2.png", "a.png", ".hidden/3.png", "film.work/pages/4.png", "film.work/journal.jsonl"):
        (book / name).parent.mkdir(parents=True, exist_ok=True)
        (book / name).write_bytes(name.encode())
    files = listed(book, spool)
    assert files.kind == "folder"
    assert contents(files) == [("a.png", b"a.png"), ("b/2.png", b"b/2.png")]
    assert [entry.file for entry in files.entries] == [book / "a.png", book / "b/2.png"]
    (book / "a.png").unlink()
    with pytest.raises(InputError, match=r"a\.png cannot be read"):
        files.entries[0].read()


def test_what_is_not_there_or_no_file_is_an_input_error(tmp_path: Path, spool: Spool) -> None:
    os.mkfifo(tmp_path / "pipe.cbz")
    for name in ("nothing.cbz", "pipe.cbz"):
        with pytest.raises(InputError, match=name):
            list_files(tmp_path / name, Opening(spool))


SHARED = {
    "derived_odd/sjis_names.cbz": ["第１巻/第０１話_表紙.jpg", "第１巻/第０２話_ソ表.jpg", "第１巻/第１０話.jpg"],
    "derived_odd/zip_slip.cbz": ["../../outside.jpg", "/abs/002.jpg", "ok/003.jpg"],
    "derived_odd/duplicate_names.cbz": ["001.jpg", "001.jpg", "002.jpg"],
    "odd/comicbox_empty.cbz": [],
    "odd/rarfile_rar3-subdirs.rar": [
        "sub/dir2/file2.txt",
        "sub/with space/long fn.txt",
        "sub/üȵĩöḋè/file.txt",
        "sub/dir1/file1.txt",
    ],
    "odd/rarfile_unicode.rar": ["уииоотивл.txt", "𝐀𝐁𝐁𝐂.txt"],
    "odd/rarfile_unicode2.rar": ["𝐀𝐁𝐁𝐂.txt", "уииоотивл.txt"],
    "odd/rarfile_rar5-evil-symlink-traversal.rar": ["up/pwned.txt"],
}
REFUSED = {
    "odd/rarfile_rar3-vols.part1.rar": "rarfile_rar3-vols.part2.rar is missing",
    "golden_age_hackur/malformed/truncated.cbz": "broken ZIP archive",
}
ARCHIVES = {".cbz", ".cbr", ".cb7", ".cbt", ".rar", ".sfx"}


@pytest.mark.shared
@pytest.mark.parametrize("folder", ["odd", "derived_odd", "golden_age_hackur"])
def test_real_archives_give_what_their_manifest_says(shared: Path, spool: Spool, folder: str) -> None:
    manifest = json.loads((shared / "pages" / folder / "manifest.json").read_text())
    names = [entry["file"] for entry in manifest["files"] if Path(entry["file"]).suffix in ARCHIVES]
    assert names
    for name in names:
        path, key = shared / "pages" / folder / name, f"{folder}/{name}"
        password = "password" if "psw" in name else None
        if key in REFUSED:
            with pytest.raises(InputError, match=REFUSED[key]):
                listed(path, spool, password)
        elif name == "malformed/wrong-magic.cbr":
            assert list_files(path, Opening(spool)) is None
        else:
            files = listed(path, spool, password)
            assert [len(data) for _, data in contents(files)] == [entry.size for entry in files.entries], key
            assert [entry.name for entry in files.entries] == SHARED.get(key, [entry.name for entry in files.entries])


@pytest.mark.shared
def test_real_encrypted_archives_need_their_password(shared: Path, spool: Spool) -> None:
    for name in ("rarfile_rar5-psw.rar", "rarfile_rar5-hpsw.rar"):
        for password in (None, "wrong"):
            with pytest.raises(PasswordNeededError):
                listed(shared / "pages/odd" / name, spool, password)


def test_a_tar_that_names_its_code_page_not_is_decoded_too(tmp_path: Path, spool: Spool) -> None:
    book = write_tar(tmp_path / "x.cbt", [("第1巻/表紙.png".encode("cp932").decode("utf-8", "surrogateescape"), b"x")])
    assert [entry.name for entry in listed(book, spool).entries] == ["第1巻/表紙.png"]


def test_a_rar_from_dos_is_decoded_too(tmp_path: Path, spool: Spool) -> None:
    old, new = b"abcdefgh.png", "漫画".encode("cp932") + b"ABCD.png"
    book = with_names(rar_writer("rar20")(tmp_path / "x", [(old.decode(), b"x")]), swap=(old, new))
    assert [entry.name for entry in listed(book, spool).entries] == ["漫画ABCD.png"]


@pytest.mark.parametrize("method", [ZIP_STORED, ZIP_DEFLATED, ZIP_BZIP2, ZIP_LZMA])
def test_zip_entries_of_every_method_are_read(tmp_path: Path, spool: Spool, method: int) -> None:
    with ZipFile(tmp_path / "x.cbz", "w", method) as archive:
        for name, data in PAGES:
            archive.writestr(name, data)
    assert contents(listed(tmp_path / "x.cbz", spool)) == PAGES
