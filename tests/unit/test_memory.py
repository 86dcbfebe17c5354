"""What a book takes of memory at most, measured in a process of its own: no bomb and no large page reaches further."""

from __future__ import annotations

import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from PIL import Image

from tests.conftest import draw_page
from tests.unit.test_pdf import one_picture
from tests.unit.test_pictures import chunk

ROOT = Path(__file__).resolve().parents[2]

BEGIN = """
import re, sys
from pathlib import Path
from comic_narrator.errors import InputError
from comic_narrator.ingest import Limits, Opening, Spool, encode, open_book, strips
from comic_narrator.pictures import decode_rgb
path, limits = Path(sys.argv[1]), Limits()
def refused(ask):
    try:
        ask()
    except InputError as error:
        print(error.what)
"""

END = r"""
# Of this program alone: what the system adds up for a process has the peak of the one that started it.
print(int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""

LOOK = "source = open_book(path, Opening(Spool(path.parent), limits=limits))\nrefused(lambda: source.pages[0].look(0))"
OPEN = "refused(lambda: open_book(path, Opening(Spool(path.parent), limits=limits)))"
STORE = "encode.encode(path.read_bytes(), 'x', limits)"
CUT = """
stored = encode.encode(path.read_bytes(), 'x', limits)
size, pixels = [(stored.width, stored.height)], lambda _: decode_rgb(stored.data, 'x')
(cuts,) = strips.find_cuts(size, pixels)
strips.window(size, pixels, (0, cuts[1]), (0, cuts[2]))
"""


def run(work: str, path: Path) -> tuple[str, int]:
    """What that work on a file says, and the megabytes of memory that it took at most, besides those of the program."""
    peaks, said = [], ""
    for part in ("", work):
        done = subprocess.run(
            [sys.executable, "-c", BEGIN + part + END, str(path)], cwd=ROOT, capture_output=True, text=True, check=True
        )
        *lines, peak = done.stdout.splitlines()
        said = "\n".join(lines)
        peaks.append(int(peak))
    return said, peaks[1] - peaks[0]


def test_a_pdf_scan_of_too_many_pixels_is_refused_unread(tmp_path: Path) -> None:
    bits = zlib.compress(bytes(3000 // 8 * 150_000), 9)
    path = one_picture(tmp_path / "x.pdf", b"/ColorSpace/DeviceGray/Filter/FlateDecode", bits)
    small, huge = b"/Width 300/Height 420/BitsPerComponent 8", b"/Width 3000/Height 150000/BitsPerComponent 1"
    path.write_bytes(path.read_bytes().replace(small, huge))
    said, peak = run(LOOK, path)
    assert "x.pdf!1 has 450 megapixels" in said
    assert peak < 60


@pytest.mark.parametrize(("head", "word"), [(b"", "not a PDF"), (b"\xff\xd8\xff\xe0", "unpacks to more than 512 MB")])
def test_a_file_that_is_no_book_is_not_read(tmp_path: Path, head: bytes, word: str) -> None:
    path = tmp_path / "x.jpg"
    with path.open("wb") as file:
        file.write(head)
        file.truncate(1024**3)
    said, peak = run(OPEN, path)
    assert word in said
    assert peak < 40


def test_a_strip_of_a_whole_chapter_is_cut(tmp_path: Path) -> None:
    strip = Image.new("RGB", (720, 43_200), "white")
    for top in range(0, 43_200, 1080):
        strip.paste(draw_page(720, 960), (0, top))
    strip.save(tmp_path / "x.jpg")
    _, peak = run(CUT, tmp_path / "x.jpg")
    assert peak < 400


def test_a_large_page_on_nothing_is_stored(tmp_path: Path) -> None:
    side = 8000
    row = b"\0" + bytes((200, 100, 50, 128)) * side
    header = chunk(b"IHDR", side.to_bytes(4, "big") * 2 + bytes((8, 6, 0, 0, 0)))
    coded = chunk(b"IDAT", zlib.compress(row * side, 1)) + chunk(b"IEND", b"")
    (tmp_path / "x.png").write_bytes(b"\x89PNG\r\n\x1a\n" + header + coded)
    _, peak = run(STORE, tmp_path / "x.png")
    assert peak < 600
