"""Says how often the same person has the same voice on other pages of a book, and somebody else another one.

    python -m benchmarks.people [SHARED_FOLDER]

SHARED_FOLDER (default: ../shared) holds truth/*.json and the pages that they name. speakers.json lists the books whose
speakers are known on several pages: by that truth, or written down there as [x, y, who], a point inside each line. Our
own sample is a book as well. What is counted are pairs of lines on two pages of a book that are told to be one
person's, and beside them what their labels alone would tell.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.bench import ROOT, SAMPLES
from comic_narrator.model import CAST_KINDS, BookPage, Box, Direction, PagePanels, PageReading, Panel, People
from comic_narrator.panels import find_panels
from comic_narrator.pictures import load_rgb
from comic_narrator.readers import PageToRead, figures_of, number
from comic_narrator.readers.embedded import EmbeddedReader

SPEAKERS = Path(__file__).with_name("speakers.json")


@dataclass(frozen=True)
class Spoken:
    """A place inside a line, in page pixels, and who says it."""

    x: float
    y: float
    who: str


@dataclass(frozen=True)
class Book:
    """A book whose speakers are known: its pages' images, and what is said on each."""

    title: str
    direction: Direction
    language: str
    pages: tuple[tuple[Path, tuple[Spoken, ...]], ...]


@dataclass(frozen=True)
class Heard:
    """A line that was read: its page, who says it in truth, what the page calls them, and whom that is in the book."""

    page: str
    who: str
    label: str
    person: str


def real_books(shared: Path) -> Iterator[Book]:
    """The books of speakers.json."""
    for book in json.loads(SPEAKERS.read_text(encoding="utf-8")):
        pages = tuple((shared / "pages" / page["image"], tuple(_spoken(page, shared))) for page in book["pages"])
        yield Book(book["title"], book["direction"], book["language"], pages)


def _spoken(page: dict[str, Any], shared: Path) -> Iterator[Spoken]:
    if "said" in page:
        yield from (Spoken(*said) for said in page["said"])
        return
    truth = json.loads((shared / "truth" / f"{page['truth']}.json").read_text(encoding="utf-8"))
    for panel in truth["panels"]:
        for line in panel.get("lines", []):
            if line["kind"] in CAST_KINDS and line.get("speaker") and not line.get("uncertain_speaker"):
                yield Spoken(*Box(*line["bbox"]).center, line["speaker"])


def sample_book() -> Book:
    """The Night Light, our own sample."""
    pages = []
    for file in sorted((SAMPLES / "truth").glob("western_*.json")):
        truth = PageReading.model_validate_json(file.read_bytes())
        said = [line for line in truth.lines if line.kind in CAST_KINDS and line.bbox and line.speaker]
        spoken = tuple(Spoken(*line.bbox.center, line.speaker) for line in said if line.bbox and line.speaker)
        pages.append((SAMPLES / truth.image, spoken))
    return Book("The Night Light", "ltr", "en", tuple(pages))


def heard_in(book: Book, reader: EmbeddedReader) -> list[Heard]:
    """The lines of a book whose speakers are known, as they are read and joined."""
    read = [_read(f"{n:04}", image, book, reader) for n, (image, _) in enumerate(book.pages, 1)]
    images = [image for image, _ in book.pages]
    figures = [figure for page, image in zip(read, images, strict=True) for figure in figures_of(page, image)]
    people = People(people=reader.who_is_who(figures))
    heard = []
    for page, (_, spoken) in zip(read, book.pages, strict=True):
        for line in page.lines:
            who = next((one.who for one in spoken if line.bbox and _holds(line.bbox, one)), None)
            person = people.who(page.page, line.speaker) if line.speaker else None
            if who and line.speaker and person and line.kind in CAST_KINDS:
                heard.append(Heard(page.page, who, line.speaker, person.name))
    return heard


def _holds(box: Box, spoken: Spoken) -> bool:
    return box.x <= spoken.x < box.right and box.y <= spoken.y < box.bottom


def _read(page_id: str, image: Path, book: Book, reader: EmbeddedReader) -> PageReading:
    picture = load_rgb(image)
    height, width = picture.shape[:2]
    found = find_panels(picture, book.direction)
    page = BookPage(
        id=page_id, image=str(image), sha256="", width=width, height=height, source="",
        source_box=Box(0, 0, width, height),
    )  # fmt: skip
    panels = PagePanels(
        page=page_id, width=width, height=height, direction=book.direction,
        panels=tuple(Panel(id=f"{page_id}.{n:02}", bbox=panel.box) for n, panel in enumerate(found, 1)),
    )  # fmt: skip
    boxes = tuple(panel.box for panel in found)
    return number(page, panels, reader.read(PageToRead(image, boxes, book.direction, book.language), ()), book.language)


class Tally(NamedTuple):
    """Pairs of lines on two pages: told to be one person's and rightly so, all told to be, all that are in truth."""

    right: int
    told: int
    true: int

    def with_those(self, other: Tally) -> Tally:
        """Both together."""
        return Tally(self.right + other.right, self.told + other.told, self.true + other.true)


def tally(heard: Sequence[Heard], same: Callable[[Heard, Heard], bool]) -> Tally:
    """How the pairs of lines of a book are told where `same` says which are one person's."""
    pairs = [(a, b) for a, b in combinations(heard, 2) if a.page != b.page]
    told = [(a, b) for a, b in pairs if same(a, b)]
    return Tally(sum(a.who == b.who for a, b in told), len(told), sum(a.who == b.who for a, b in pairs))


WAYS: dict[str, Callable[[Heard, Heard], bool]] = {
    "by label": lambda a, b: a.label == b.label,
    "one person": lambda a, b: a.person == b.person,
}


def main() -> int:
    """Read the books and print how their speakers are told."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path, nargs="?", default=ROOT.parent / "shared")
    options = parser.parse_args()
    books = [sample_book()]
    if (options.shared / "truth").is_dir():
        books += real_books(options.shared.resolve())
    else:
        print(f"Without the real books: the pages with known truth are not at {options.shared}.")
    reader = EmbeddedReader()
    total = dict.fromkeys(WAYS, Tally(0, 0, 0))
    print(f"{'':32s}{'lines':>6s}" + "".join(f"{way:>12s}: right   found" for way in WAYS))
    for book in books:
        heard = heard_in(book, reader)
        row = {way: tally(heard, same) for way, same in WAYS.items()}
        total = {way: total[way].with_those(more) for way, more in row.items()}
        _tell(book.title, len(heard), row)
    _tell("all", None, total)
    return 0


def _tell(name: str, lines: int | None, row: dict[str, Tally]) -> None:
    cells = []
    for right, told, true in row.values():
        shares = [f"{part / whole:.2f}" if whole else "-" for part, whole in ((right, told), (right, true))]
        cells.append(f"{right:>6d}/{told:<5d}{shares[0]:>8s}{shares[1]:>8s}")
    print(f"{name:32s}{lines if lines is not None else '':>6}" + "".join(cells), flush=True)


if __name__ == "__main__":
    sys.exit(main())
