"""Books made to do harm: nothing leaves the spool, no bomb reaches memory, each damage ends in one of our errors."""

from __future__ import annotations

import gzip
import io
import os
import resource
import struct
import tarfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZipFile, ZipInfo

import py7zr
import pytest
import rars

from benchmarks.fuzz_books import Kind, batch
from benchmarks.mending import mend_7z, mend_rar4, mend_rar5
from comic_narrator.errors import InputError
from comic_narrator.ingest.containers import list_files
from comic_narrator.ingest.source import Files, Limits, Opening, Spool
from tests.fakes.books import WRITERS, write_tar, write_zip

EVIL = [
    "../../outside.png",
    "/abs/outside.png",
    "a/../../outside.png",
    "C:\\outside.png",
    "..\\outside.png",
    "a:b.png",
    "Vol 1: The First.png",
    "x" * 300 + ".png",
]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Path]:
    """A folder with a book's place and some bystanders, which must all be as they were."""
    (tmp_path / "world/deep/home").mkdir(parents=True)
    (tmp_path / "world/outside.png").write_bytes(b"untouched")
    (tmp_path / "world/deep/outside.png").write_bytes(b"untouched")
    yield tmp_path / "world/deep/home"
    files = {path for path in (tmp_path / "world").rglob("*") if not path.is_dir() and "home" not in path.parts}
    assert {path.relative_to(tmp_path).as_posix() for path in files} == {"world/outside.png", "world/deep/outside.png"}
    assert {path.read_bytes() for path in files} == {b"untouched"}
    assert not Path("/abs").exists()


def opening(world: Path, **limits: int) -> Opening:
    return Opening(Spool(world / "spool"), limits=Limits(**limits))


def listed(path: Path, how: Opening) -> Files:
    files = list_files(path, how)
    assert files is not None
    return files


def evil_rar(path: Path, kind: str, name: str) -> Path:
    """A RAR archive with a name that its writer refuses: it is put in afterwards, with right checksums."""
    stand_in = "y" * len(name)
    data = WRITERS[kind](path, [(stand_in, b"evil" * 500), ("ok.png", b"good" * 500)]).read_bytes()
    data = data.replace(stand_in.encode(), name.encode())
    path.write_bytes(mend_rar5(data) if kind.startswith("rar5") else mend_rar4(data))
    return path


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz", "7z", "rar4", "rar4 solid", "rar5", "rar5 solid"])
@pytest.mark.parametrize("name", EVIL)
def test_a_name_that_leads_away_or_fits_no_disk_is_only_a_name(world: Path, kind: str, name: str) -> None:
    if kind.startswith("rar"):
        book = evil_rar(world / "x.cbr", kind, name)
    elif kind == "7z":
        book = world / "x"
        stand_in, evil = ("x" * len(name)).encode("utf-16-le"), name.encode("utf-16-le")
        with py7zr.SevenZipFile(book, "w") as archive:
            archive.set_encoded_header_mode(False)
            archive.writestr(b"evil" * 500, "x" * len(name))
            archive.writestr(b"good" * 500, "ok.png")
        book.write_bytes(mend_7z(book.read_bytes().replace(stand_in, evil)))
    else:
        book = WRITERS[kind](world / "x", [(name, b"evil" * 500), ("ok.png", b"good" * 500)])
    evil_entry, good = listed(book, opening(world)).entries
    assert evil_entry.name == name.replace("\\", "/")
    assert (evil_entry.read(), good.read()) == (b"evil" * 500, b"good" * 500)


def test_links_and_devices_are_no_entries(world: Path) -> None:
    with tarfile.open(world / "x.cbt", "w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE):
            info = tarfile.TarInfo(f"{kind!r}.png")
            info.type, info.linkname = kind, "../outside.png"
            archive.addfile(info)
        info = tarfile.TarInfo("1.png")
        info.size = 4
        archive.addfile(info, io.BytesIO(b"page"))
    with ZipFile(world / "x.cbz", "w") as zipped:
        link = ZipInfo("link.png")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        zipped.writestr(link, "../outside.png")
        zipped.writestr("1.png", b"page")
    with py7zr.SevenZipFile(world / "x.cb7", "w") as seven:
        seven.writestr(b"../outside.png", "link.png")
        seven.files.files_list[0]["attributes"] = 0x8000 | 0o120777 << 16
        seven.writestr(b"page", "1.png")
    for solid in (False, True):
        builder = rars.RarBuilder(solid=solid)
        builder.add_unix_symlink("link.png", "../outside.png")
        builder.add_bytes(b"page", "1.png")
        builder.write(str(world / f"{solid}.cbr"))
        # The same as a hard link, with the attributes of a file: the kind comes before the length of the target.
        data = (world / f"{solid}.cbr").read_bytes().replace(b"\xff\xc3\x02", b"\xa4\x83\x02")
        hard = data.replace(b"\x01\x00\x0e../outside.png", b"\x04\x00\x0e../outside.png")
        assert hard != data
        (world / f"{solid}-hard.cbr").write_bytes(mend_rar5(hard))
    for name in ("x.cbt", "x.cbz", "x.cb7", "False.cbr", "True.cbr", "False-hard.cbr", "True-hard.cbr"):
        entries = listed(world / name, opening(world)).entries
        assert [(entry.name, entry.read()) for entry in entries] == [("1.png", b"page")], name
    assert not any(path.is_symlink() for path in (world / "spool").rglob("*"))


def test_a_folder_is_not_left_through_links(world: Path) -> None:
    book = world / "book"
    (book / "in").mkdir(parents=True)
    (book / "in/1.png").write_bytes(b"page")
    (book / "out.png").symlink_to(world.parent / "outside.png")
    (book / "away").symlink_to(world.parent)
    (book / "in/loop").symlink_to(book)
    (book / "in/self.png").symlink_to("self.png")
    (book / "nowhere.png").symlink_to("missing.png")
    (book / "inside.png").symlink_to("in/1.png")
    os.mkfifo(book / "pipe.png")
    entries = listed(book, opening(world)).entries
    assert [(entry.name, entry.read()) for entry in entries] == [("in/1.png", b"page"), ("inside.png", b"page")]


KINDS = ["zip", "tar", "tar.xz", "7z", "rar4", "rar5", "rar5 solid"]


@pytest.mark.parametrize("kind", [*KINDS, "folder"])
def test_too_many_entries_are_refused_by_the_setting_that_allows_them(world: Path, kind: str) -> None:
    pages = [(f"{i}.png", b"x") for i in range(12)]
    if kind == "folder":
        book = world / "book"
        book.mkdir()
        for name, data in pages:
            (book / name).write_bytes(data)
    else:
        book = WRITERS[kind](world / "book", pages)
    assert len(listed(book, opening(world, entries=12)).entries) == 12
    with pytest.raises(InputError, match="more than 11 files") as error:
        listed(book, opening(world, entries=11))
    assert "--set limits.entries=" in error.value.hint


@pytest.mark.parametrize("kind", KINDS)
def test_too_much_in_all_is_refused_before_it_is_unpacked(world: Path, kind: str) -> None:
    book = WRITERS[kind](world / "book", [(f"{i}.png", os.urandom(1000) * 700) for i in range(3)])
    with pytest.raises(InputError, match="unpacks to more than 2 MB") as error:
        listed(book, opening(world, total_mb=2))
    assert "--set limits.total_mb=3" in error.value.hint


@pytest.mark.parametrize("kind", [*KINDS, "folder"])
def test_one_entry_that_is_too_large_leaves_the_others(world: Path, kind: str) -> None:
    pages = [("1.png", b"first"), ("2.png", os.urandom(3000) * 500), ("3.png", b"third")]
    if kind == "folder":
        book = world / "book"
        book.mkdir()
        for name, data in pages:
            (book / name).write_bytes(data)
    else:
        book = WRITERS[kind](world / "book", pages)
    first, second, third = listed(book, opening(world, entry_mb=1)).entries
    with pytest.raises(InputError, match=r"2\.png unpacks to more than 1 MB") as error:
        second.read()
    assert "--set limits.entry_mb=2" in error.value.hint
    assert (first.read(), third.read()) == (b"first", b"third")


@pytest.mark.parametrize("kind", ["zip", "tar.gz", "tar.xz", "7z", "rar5 solid"])
def test_what_unpacks_to_many_times_its_size_is_refused(world: Path, kind: str) -> None:
    book = WRITERS[kind](world / "book", [("1.png", bytes(3_000_000))])
    with pytest.raises(InputError, match="more than 100 times its size") as error:
        [entry.read() for entry in listed(book, opening(world, ratio=100)).entries]
    assert "--set limits.ratio=" in error.value.hint


def peak(read: object) -> int:
    """Bytes of Python memory in use at most while that fails."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError):
            read()  # type: ignore[operator]
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("method", [ZIP_DEFLATED, ZIP_BZIP2, ZIP_LZMA])
def test_a_bomb_that_lies_about_its_size_does_not_reach_memory(world: Path, method: int) -> None:
    with ZipFile(world / "x.cbz", "w", method) as archive:
        archive.writestr("1.png", bytes(64_000_000))
    data = bytearray((world / "x.cbz").read_bytes())
    directory = data.rfind(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = struct.pack("<I", 900_000)
    (world / "x.cbz").write_bytes(data)
    (entry,) = listed(world / "x.cbz", opening(world)).entries
    assert peak(entry.read) < 80_000_000


def test_a_compressed_tar_stops_growing_at_its_limit(world: Path) -> None:
    (world / "x.cbt").write_bytes(gzip.compress(write_tar(world / "t", [("1.png", bytes(50_000_000))]).read_bytes()))
    assert peak(lambda: listed(world / "x.cbt", opening(world, total_mb=5, ratio=10_000))) < 20_000_000
    assert sum(path.stat().st_size for path in (world / "spool").rglob("*") if path.is_file()) < 8_000_000


def test_many_entries_of_the_same_data_count_each(world: Path) -> None:
    book = write_zip(world / "x.cbz", [("1.png", bytes(999_999))])
    data = book.read_bytes()
    directory, end = data.find(b"PK\x01\x02"), data.find(b"PK\x05\x06")
    tail = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 500, 500, (end - directory) * 500, directory, 0)
    book.write_bytes(data[:directory] + data[directory:end] * 500 + tail)
    with pytest.raises(InputError, match=r"x\.cbz"):
        listed(book, opening(world, total_mb=400))


def test_a_tar_with_a_header_of_gigabytes_is_refused_unread(world: Path) -> None:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 3 * 1024**3
    with (world / "x.cbt").open("wb") as out:
        out.write(info.tobuf(tarfile.USTAR_FORMAT))
        out.truncate(4 * 1024**3)
    assert peak(lambda: listed(world / "x.cbt", opening(world))) < 5_000_000


@pytest.fixture
def little_memory() -> Iterator[None]:
    """A gigabyte of address space more than is in use."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + 1024**3, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.usefixtures("little_memory")
def test_a_dictionary_of_four_gigabytes_is_an_error_and_no_crash(world: Path) -> None:
    with ZipFile(world / "x.cbz", "w", ZIP_LZMA) as archive:
        archive.writestr("1.png", b"page" * 99)
    data = bytearray((world / "x.cbz").read_bytes())
    properties = data.find(b"\x09\x04\x05\x00")
    data[properties + 5 : properties + 9] = b"\xff" * 4
    (world / "x.cbz").write_bytes(data)
    (entry,) = listed(world / "x.cbz", opening(world)).entries
    with pytest.raises(InputError, match="more memory than there is"):
        entry.read()


def test_a_ppmd_7z_is_not_unpacked_as_its_unpacker_crashes(world: Path) -> None:
    with py7zr.SevenZipFile(world / "x", "w", filters=[{"id": py7zr.FILTER_PPMD, "order": 6, "mem": 24}]) as archive:
        archive.writestr(b"text" * 99, "1.png")
    with pytest.raises(InputError, match=r"1\.png .* method that is not read"):
        listed(world / "x", opening(world)).entries[0].read()


FAILED_SEEDS: dict[Kind, tuple[int, ...]] = {
    "archives": (2406, 2925, 5133),
    "loose": (3042,),
}
"""Cases that once ended otherwise than in pages or our errors.

PPMd's unpacker crashed, LZMA asked for all memory, and a JPEG's segment led behind its end.
"""


@pytest.mark.parametrize(("kind", "first", "cases"), [("archives", 0, 216), ("archives", 216, 216), ("loose", 0, 160)])
def test_damaged_books_give_pages_or_our_errors(kind: Kind, first: int, cases: int) -> None:
    ended = dict(batch([*range(first, first + cases), *FAILED_SEEDS[kind]], kind))
    assert {number: said for number, said in ended.items() if "WRONG" in said} == {}
    assert {said.rpartition(": ")[2] for said in ended.values()} >= {"refused", "partly", "read"}
