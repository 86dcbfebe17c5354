"""Odd books through the real command: what it makes of them, what it says of them beforehand, what it leaves behind."""

from __future__ import annotations

import io
import json
import struct
import zlib
from pathlib import Path
from zipfile import ZipFile

import pytest
import rars
from PIL import Image

from comic_narrator.film import count_frames
from tests.conftest import draw_page
from tests.e2e.conftest import FAKES, QUICK, narrate
from tests.e2e.test_bad_input import quick, refused


def page(width: int = 300, height: int = 420) -> bytes:
    out = io.BytesIO()
    draw_page(width, height).save(out, "PNG")
    return out.getvalue()


def pack(path: Path, **pages: bytes) -> Path:
    with ZipFile(path, "w") as archive:
        for name, data in pages.items():
            archive.writestr(f"{name}.png", data)
    return path


@pytest.fixture
def torn(tmp_path: Path) -> Path:
    """A book of four pages, the second cut off and the third empty."""
    return pack(tmp_path / "torn.cbz", p1=page(), p2=page()[:-400], p3=b"", p4=page())


def work_of(book: Path) -> Path:
    return book.with_name(f"{book.stem}.mp4.work")


def pages_of(book: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads((work_of(book) / "book.json").read_text())["pages"]
    return found


def test_broken_pages_are_named_and_the_film_is_made_without_them(torn: Path) -> None:
    for _ in range(2):
        done = quick(torn.name, cwd=torn.parent)
        assert done.returncode == 7, done.stderr
        assert "torn.cbz!p2.png" in done.stderr
        assert "torn.cbz!p3.png" in done.stderr
        assert Path(done.stdout.strip()) == torn.with_suffix(".mp4")
        assert [p["id"] for p in pages_of(torn)] == ["0001", "0004"]
    assert count_frames(torn.with_suffix(".mp4")) > 0
    report = json.loads((work_of(torn) / "report.json").read_text())
    assert [line.split("!")[1].split()[0] for line in report["broken"]] == ["p2.png", "p3.png"]


def test_pages_that_were_not_asked_for_may_be_broken(torn: Path) -> None:
    assert quick(torn.name, "--pages", "4", cwd=torn.parent).returncode == 0


def test_a_page_that_proves_broken_when_it_is_decoded_is_left_out_too(tmp_path: Path) -> None:
    photo = io.BytesIO()
    Image.effect_noise((300, 420), 80).convert("RGB").save(photo, "PNG")
    # Rows of a picture that its checksums cover, but that no decoder can unpack.
    book = pack(tmp_path / "odd.cbz", p1=page(), p2=undecodable(photo.getvalue()))
    done = quick(book.name, "--until", "panels", cwd=tmp_path)
    assert done.returncode == 7, done.stderr
    assert "p2" in done.stderr or "0002" in done.stderr


def undecodable(png: bytes) -> bytes:
    """A PNG whose chunks are whole, but whose compressed rows are not."""
    start = png.index(b"IDAT")
    size = struct.unpack(">I", png[start - 4 : start])[0]
    rows = bytearray(png[start + 4 : start + 4 + size])
    rows[20:60] = bytes(40)
    chunk = b"IDAT" + bytes(rows)
    return png[:start] + chunk + struct.pack(">I", zlib.crc32(chunk)) + png[start + 8 + size :]


def test_an_encrypted_book_wants_its_password_from_option_or_environment(tmp_path: Path) -> None:
    packer = rars.RarBuilder(password="open sesame", encrypt_headers=True)
    packer.add_bytes(page(), "1.png")
    packer.write(str(tmp_path / "secret.cbr"))
    refused(quick("secret.cbr", cwd=tmp_path), 3, "encrypted")
    refused(quick("secret.cbr", "--password", "wrong", cwd=tmp_path), 3, "password")
    assert not (tmp_path / "secret.mp4.work").exists()
    opened = quick("secret.cbr", "--until", "panels", cwd=tmp_path, COMIC_NARRATOR_PASSWORD="open sesame")
    assert opened.returncode == 0, opened.stderr
    assert all(
        "open sesame" not in file.read_text(errors="replace")
        for file in (tmp_path / "secret.mp4.work").rglob("*.json*")
    )
    assert "open sesame" not in (tmp_path / "secret.mp4.work" / "log.txt").read_text()


def test_a_solid_archive_leaves_nothing_unpacked_behind(tmp_path: Path) -> None:
    packer = rars.RarBuilder(solid=True)
    for i in (1, 2, 10):
        packer.add_bytes(page(), f"page {i}.png")
    packer.write(str(tmp_path / "solid.cbr"))
    done = quick("solid.cbr", "--until", "panels", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [str(p["source"]) for p in pages_of(tmp_path / "solid.cbr")] == [
        f"solid.cbr!page {i}.png" for i in (1, 2, 10)
    ]
    assert not list((tmp_path / "solid.mp4.work").glob("unpacked-*"))


def test_a_paging_changed_by_hand_changes_the_book(tmp_path: Path) -> None:
    book = pack(tmp_path / "book.cbz", p1=page(), p2=page(600), p3=page())
    assert quick(book.name, "--until", "panels", "--layout", "manga", cwd=tmp_path).returncode == 0
    plan = work_of(book) / "paging.json"
    paging = json.loads(plan.read_text())
    paging["pictures"][0]["treat"] = "skip"
    paging["pictures"][1] |= {"treat": "split", "fold": 280}
    plan.write_text(json.dumps(paging))
    assert quick(book.name, "--until", "panels", "--layout", "manga", cwd=tmp_path).returncode == 0
    boxes = [(p["id"], p["source_box"]) for p in pages_of(book)]
    assert boxes == [
        ("0002", [280, 0, 320, 420]),
        ("0003", [0, 0, 280, 420]),
        ("0004", [0, 0, 300, 420]),
    ]


def test_a_page_that_is_left_out_is_not_asked_for_in_vain(torn: Path) -> None:
    refused(quick(torn.name, "--pages", "2", cwd=torn.parent), 3, "p2.png is broken")


def test_the_doctor_says_what_a_book_is_without_making_anything(torn: Path) -> None:
    done = narrate("doctor", torn.name, cwd=torn.parent)
    assert done.returncode == 0, done.stderr
    for said in ("ZIP archive", "2, from 4 pictures", "torn.cbz!p2.png", "minute"):
        assert said in done.stdout
    told = json.loads(narrate("doctor", torn.name, "--json", cwd=torn.parent).stdout)
    assert [part["treat"] for part in told["left_out"]] == ["broken", "broken"]
    assert [path.name for path in torn.parent.iterdir()] == ["torn.cbz"]


def test_reading_shows_what_was_found(tmp_path: Path) -> None:
    book = pack(tmp_path / "book.cbz", p1=page(), p2=page())
    done = narrate("read", book.name, "--show", *QUICK, cwd=tmp_path, env=FAKES)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()) == work_of(book)
    for page_id in ("0001", "0002"):
        with Image.open(work_of(book) / "pages" / page_id / "shown.png") as shown:
            assert shown.width >= 300
    assert not book.with_suffix(".mp4").exists()
