"""Stores a drawn book of 200 scans, as PDF and as CBZ, and prints its time against plain copying, and peak memory.

Run: python benchmarks/ingest.py [PAGES_SHORT PAGES_LONG]
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile

import numpy as np
import pymupdf
from PIL import Image, ImageDraw, ImageFilter

from comic_narrator.cli import run

WIDTH, HEIGHT = 1600, 2400
"""Pixels of a page: a 240 dpi scan of an American comic book."""

SCANS = 8
"""Different scans; a book repeats them."""

ROUNDS = 3
"""Times that each book is stored and copied, by turns; the least time counts, as other programs only add to it."""

AIM = 0.8
"""Plain copying takes at least this share of the time that storing takes."""


def draw_scan(seed: int) -> bytes:
    """A page of six panels with balloons and the grain of paper, as JPEG."""
    rng = np.random.default_rng(seed)
    page = Image.new("RGB", (WIDTH, HEIGHT), (246, 238, 220))
    pen = ImageDraw.Draw(page)
    for row in range(3):
        for column in range(2):
            x, y = 60 + column * 750, 60 + row * 770
            shade = tuple(int(value) for value in rng.integers(90, 230, 3))
            pen.rectangle((x, y, x + 720, y + 740), outline="black", width=6, fill=shade)
            for _ in range(60):
                left, top = (int(value) for value in rng.integers(0, 500, 2))
                pen.line((x + left, y + top, x + left + 200, y + top + 200), fill="black", width=3)
            pen.ellipse((x + 60, y + 40, x + 420, y + 240), fill="white", outline="black", width=4)
            pen.text((x + 130, y + 120), "A LINE OF WORDS", fill="black", font_size=28)
    page = page.filter(ImageFilter.GaussianBlur(0.8))
    grain = rng.normal(0, 5, (HEIGHT, WIDTH, 1))
    out = BytesIO()
    Image.fromarray((np.asarray(page) + grain).clip(0, 255).astype(np.uint8)).save(out, "JPEG", quality=90)
    return out.getvalue()


def make_books(folder: Path, pages: int) -> None:
    """Make bookNNN.pdf and bookNNN.cbz of that many pages."""
    scans = [draw_scan(seed) for seed in range(SCANS)]
    pdf, cbz = folder / f"book{pages}.pdf", folder / f"book{pages}.cbz"
    with ZipFile(cbz, "w", ZIP_STORED) as archive, pymupdf.open() as document:
        for number in range(pages):
            # A comment at the end keeps PyMuPDF from storing equal scans once.
            data = scans[number % SCANS] + f"{number:04}".encode()
            archive.writestr(f"{number:04}.jpg", data)
            page = document.new_page(width=WIDTH * 0.3, height=HEIGHT * 0.3)
            page.insert_image(page.rect, stream=data)
        document.save(pdf)


def write(path: Path, data: bytes) -> None:
    """Write a file so that it is on the disk."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def store(path: Path, folder: Path) -> None:
    """Let the program look at a book and store its pages: all that it does before the first panel is looked for."""
    run([str(path), "-o", str(folder / "x.mp4"), "--until", "pages", "--lang", "en"])


def copy(path: Path, folder: Path) -> None:
    """Take the pictures out of the container and do nothing else."""
    if path.suffix == ".cbz":
        with ZipFile(path) as archive:
            for number, name in enumerate(archive.namelist()):
                write(folder / f"{number:04}.jpg", archive.read(name))
        return
    with pymupdf.open(path) as document:
        for number in range(document.page_count):
            (image, *_) = document.get_page_images(number)
            write(folder / f"{number:04}.jpg", document.xref_stream_raw(image[0]))


def timed(work: Callable[[Path], None]) -> tuple[float, float]:
    """Seconds, and processor seconds among them, that `work` takes in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        began, busy = time.perf_counter(), time.process_time()
        work(Path(folder))
        # Before the folder is emptied.
        return time.perf_counter() - began, time.process_time() - busy


def compare(path: Path) -> None:
    """Print the time to store a book against the time to copy its pictures."""
    stored, copied = [], []
    for _ in range(ROUNDS):
        copied.append(timed(lambda folder: copy(path, folder)))
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            stored.append(timed(lambda folder: store(path, folder)))
    (seconds, busy), (plain, plain_busy) = min(stored), min(copied)
    share = plain / seconds
    met = "meets" if share >= AIM else "misses"
    print(
        f"{path.name}: stored in {seconds:.2f} s ({busy:.2f} s of the processor), copied in {plain:.2f} s "
        f"({plain_busy:.2f} s): {share:.2f} of plain copying's speed, which {met} the aim of {AIM}"
    )


def main() -> None:
    """Do each thing in a process of its own, as peak memory is handed down and never falls, then compare times."""
    if sys.argv[1:2] == ["--make"]:
        make_books(Path(sys.argv[2]), int(sys.argv[3]))
        return
    if sys.argv[1:2] == ["--one"]:
        path = Path(sys.argv[2])
        with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()):
            store(path, Path(folder))
        print(f"{path.name}: peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
        return
    lengths = [int(pages) for pages in sys.argv[1:]] or [20, 200]
    with tempfile.TemporaryDirectory() as folder:
        for pages in lengths:
            subprocess.run([sys.executable, __file__, "--make", folder, str(pages)], check=True)
        for kind in ("pdf", "cbz"):
            for pages in lengths:
                subprocess.run([sys.executable, __file__, "--one", f"{folder}/book{pages}.{kind}"], check=True)
            compare(Path(folder) / f"book{lengths[-1]}.{kind}")


if __name__ == "__main__":
    main()
