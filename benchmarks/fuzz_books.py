"""Damaged books by the thousand: each must give pages or one of our own errors, never a crash, a hang or all memory.

    python -m benchmarks.fuzz_books --cases 10000 [--kind archives | --kind loose]

Each case is made from its number alone. It runs in a process of its own pool with MEMORY bytes of address space and
SECONDS of time, so that a crash inside a C library ends that process and is seen. What goes wrong is printed with its
number and kept in the folder --keep.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import io
import lzma
import random
import resource
import signal
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, get_args

import py7zr
import pymupdf
import rars
from PIL import Image
from py7zr.helpers import ArchiveTimestamp

from benchmarks.mending import mend_7z, mend_rar4, mend_rar5, mend_tar
from comic_narrator.errors import NarratorError
from comic_narrator.ingest.source import Opening, Spool

MEMORY = 3 * 1024**3
"""Bytes of address space for a case: libraries reserve several times what they use."""

SECONDS = 30
"""A case that takes longer hangs; the slowest of 10,000 takes about one second."""

BATCH = 250
"""Cases for one process: enough to pay for its start, few enough that what leaks is not blamed on later cases."""


ROOT = Path(__file__).parents[1]
"""Where a process that runs cases finds this module."""

Kind = Literal["books", "archives", "loose"]
"""What is damaged: any book, archives (whose pages are not looked at), or PDFs and pictures."""

ARCHIVES = (".cbz", ".cbr", ".cb7", ".cbt")


def picture(kind: str, shade: int = 90) -> bytes:
    """A small picture of that Pillow format."""
    out = io.BytesIO()
    image = Image.linear_gradient("L").resize((40, 60)).convert("RGB")
    image.paste((shade, 40, 200), (5, 5, 20, 30))
    image.save(out, kind)
    return out.getvalue()


def _entries() -> list[tuple[str, bytes]]:
    return [("a/001.png", picture("PNG")), ("a/002.jpg", picture("JPEG")), ("ComicInfo.xml", b"<ComicInfo/>" * 20)]


def _zip(method: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in _entries():
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def _rar(kind: str, *, solid: bool) -> bytes:
    builder = rars.RarBuilder(format=kind, solid=solid, comment=b"a comment")
    for name, data in _entries():
        builder.add_bytes(data, name)
    return bytes(builder.to_bytes())


def _seven(filters: list[dict[str, int]] | None, *, encoded: bool) -> bytes:
    out = io.BytesIO()
    with py7zr.SevenZipFile(out, "w", filters=filters) as archive:
        archive.set_encoded_header_mode(encoded)
        for name, data in _entries():
            archive.writestr(data, name)
        for described in archive.files.files_list:
            for time in ("creationtime", "lastwritetime", "lastaccesstime"):
                described[time] = ArchiveTimestamp(0)  # as a case is to be the same whenever it is made
    return out.getvalue()


def _tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in _entries():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def _pdf() -> bytes:
    with pymupdf.open() as document:
        page = document.new_page(width=100, height=150)
        page.insert_image(page.rect, stream=picture("JPEG"))
        document.new_page(width=100, height=150).insert_text((10, 50), "drawn")
        data: bytes = document.tobytes(no_new_id=True)
    return data


@cache
def books() -> dict[str, bytes]:
    """A sound book of each kind, by a name with its suffix."""
    archives = {
        "deflated.cbz": _zip(zipfile.ZIP_DEFLATED),
        "stored.cbz": _zip(zipfile.ZIP_STORED),
        "bzip2.cbz": _zip(zipfile.ZIP_BZIP2),
        "lzma.cbz": _zip(zipfile.ZIP_LZMA),
        "rar5.cbr": _rar("rar50", solid=False),
        "rar5-solid.cbr": _rar("rar50", solid=True),
        "rar4.cbr": _rar("rar29", solid=False),
        "rar4-solid.cbr": _rar("rar29", solid=True),
        "rar2.cbr": _rar("rar20", solid=False),
        "lzma2.cb7": _seven(None, encoded=True),
        "bare.cb7": _seven([{"id": py7zr.FILTER_COPY}], encoded=False),
        "bcj-lzma.cb7": _seven([{"id": py7zr.FILTER_X86}, {"id": py7zr.FILTER_LZMA}], encoded=False),
        "ppmd.cb7": _seven([{"id": py7zr.FILTER_PPMD, "order": 6, "mem": 24}], encoded=False),
        "deflate.cb7": _seven([{"id": py7zr.FILTER_DEFLATE}], encoded=False),
        "plain.cbt": _tar(),
        "gzip.cbt": gzip.compress(_tar(), mtime=0),
        "bzip2.cbt": bz2.compress(_tar()),
        "xz.cbt": lzma.compress(_tar()),
    }
    kinds = ("PNG", "JPEG", "GIF", "TIFF", "WEBP", "BMP", "JPEG2000")
    return archives | {"book.pdf": _pdf()} | {f"page.{kind.lower()}": picture(kind) for kind in kinds}


def mended(name: str, data: bytes) -> bytes:
    """The damaged book with right checksums in its headers, where it has such."""
    if name.endswith(".cb7"):
        return mend_7z(data)
    if name == "plain.cbt":
        return mend_tar(data)
    if name.endswith(".cbr"):
        return mend_rar5(data) if name.startswith("rar5") else mend_rar4(data)
    return data


EXTREMES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**63 - 1, 2**64 - 1)


def damaged(data: bytes, dice: random.Random) -> bytes:
    """The book with one to six damages: bits, bytes, numbers, cuts, copies."""
    out = bytearray(data)
    for _ in range(dice.randint(1, 6)):
        at = dice.randrange(len(out)) if dice.random() < 0.6 else min(dice.randrange(120), len(out) - 1)
        if dice.random() < 0.2:
            at = max(0, len(out) - 1 - dice.randrange(300))
        size = dice.choice((1, 2, 4, 8))
        match dice.randrange(7):
            case 0:
                out[at] ^= 1 << dice.randrange(8)
            case 1 | 2:
                out[at] = dice.randrange(256)
            case 3 | 4:
                number = dice.choice(EXTREMES) & (256**size - 1)
                out[at : at + size] = number.to_bytes(size, dice.choice(("little", "big")))
            case 5:
                other = dice.randrange(len(out))
                out[at:at] = out[other : other + dice.randrange(64)]
            case _:
                del out[at : at + dice.choice((1, 2, 4, 8, 64, len(out) // 2))]
        if not out:
            return b"\0"
    return bytes(out)


def names_of(kind: Kind) -> list[str]:
    """The names of those books."""
    return [name for name in books() if kind == "books" or name.endswith(ARCHIVES) == (kind == "archives")]


def case(number: int, kind: Kind) -> tuple[str, bytes]:
    """The name and the bytes of a damaged book, by its number."""
    dice, names = random.Random(number), names_of(kind)
    name = names[number % len(names)]
    data = damaged(books()[name], dice)
    return name, mended(name, data) if dice.random() < 0.6 else data


def open_as_book(path: Path, opening: Opening) -> Iterator[Callable[[], object]]:
    """What can be read of a book: what it says of itself, and each page."""
    from comic_narrator.ingest import open_book

    source = open_book(path, opening)
    yield source.metadata
    for page in source.pages:
        yield page.frames
        yield partial(page.look, 0)
        yield partial(page.picture, 0)


def open_as_container(path: Path, opening: Opening) -> Iterator[Callable[[], object]]:
    """What can be read of a container: each entry."""
    from comic_narrator.ingest.containers import list_files

    files = list_files(path, opening)
    yield from (entry.read for entry in files.entries) if files else ()


def outcome(path: Path, opening: Opening, kind: Kind) -> str:
    """What became of a book: "read", "partly", "refused"; anything but our own errors is let through."""
    good = bad = 0
    try:
        for read in (open_as_container if kind == "archives" else open_as_book)(path, opening):
            try:
                read()
                good += 1
            except NarratorError:
                bad += 1
    except NarratorError:
        return "refused"
    return "partly" if bad else "read" if good else "nothing in it"


def work(numbers: Sequence[int], kind: Kind) -> None:
    """Run cases in this process; a line before each says its number, a line after it what became of it."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    for number in numbers:
        print(number, flush=True)
        signal.alarm(SECONDS)
        with TemporaryDirectory() as folder, Spool(Path(folder) / "spool") as spool:
            name, data = case(number, kind)
            path = Path(folder) / name
            path.write_bytes(data)
            print(number, f"{name}: {outcome(path, Opening(spool), kind)}", flush=True)
        signal.alarm(0)


def batch(numbers: Sequence[int], kind: Kind) -> Iterator[tuple[int, str]]:
    """The outcomes of some cases, each run in a process that is started again when one of them ends it."""
    left = list(numbers)
    while left:
        command = [sys.executable, "-m", "benchmarks.fuzz_books", "--kind", kind, "--work", *map(str, left)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        for line in done.stdout.splitlines():
            number, _, said = line.partition(" ")
            if said and number == str(left[0]):
                yield left.pop(0), said
        if left:
            yield left.pop(0), f"WRONG process ended with {done.returncode}: {done.stderr[-150:]!r}"


def main() -> None:
    """Run the cases and print how many ended how."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--kind", choices=get_args(Kind), default="books")
    parser.add_argument("--keep", type=Path, default=Path("fuzzed"))
    parser.add_argument("--work", type=int, nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.work, given.kind)
        return
    counts: Counter[str] = Counter()
    numbers = range(given.first, given.first + given.cases)
    batches = [numbers[at : at + BATCH] for at in range(0, len(numbers), BATCH)]
    with ThreadPoolExecutor(given.processes) as pool:
        for results in pool.map(lambda some: list(batch(some, given.kind)), batches):
            for number, said in results:
                if "WRONG" in said:
                    name, data = case(number, given.kind)
                    given.keep.mkdir(parents=True, exist_ok=True)
                    (given.keep / f"{number}-{name}").write_bytes(data)
                    print(number, said, flush=True)
                counts["WRONG" if "WRONG" in said else said.rpartition(": ")[2]] += 1
    print(*(f"{said}: {count}" for said, count in counts.most_common()), sep="\n")
    sys.exit("WRONG" in counts)


if __name__ == "__main__":
    main()
