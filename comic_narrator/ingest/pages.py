"""The pages that a paging names, numbered, each with how its picture is come by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from comic_narrator.errors import InputError, UsageError
from comic_narrator.ingest.encode import encode_pixels
from comic_narrator.ingest.source import PagePicture, PageSource, Source
from comic_narrator.ingest.strips import window
from comic_narrator.model import Box, Direction, Paging, PlannedPicture, PrintedWord, Treatment
from comic_narrator.pictures import decode_rgb

LEFT_BY_HAND = "paging.json leaves it out"
"""Why a picture gives no page, where nobody said."""

DECODED = 2
"""Pictures of a strip that stay decoded: a page seldom reaches over more."""


@dataclass(frozen=True)
class NumberedPage:
    """A page of the book by its number from 1, or a picture that gives none and keeps its number.

    `source` says where its picture lies, `picture` reads it (None for one that is left out, `why` says why), `chapter`
    is the title of the chapter that begins here.
    """

    number: int
    source: str
    treat: Treatment
    picture: Callable[[], PagePicture] | None
    why: str | None = None
    chapter: str | None = None


@dataclass(frozen=True)
class _Sheet:
    """A planned picture that was found again in the book."""

    planned: PlannedPicture
    source: str
    picture: Callable[[], PagePicture]


def pages_of(source: Source, paging: Paging, direction: Direction) -> tuple[NumberedPage, ...]:
    """The pages in reading order; a picture that gives none keeps its number, so that the others keep theirs.

    InputError when the paging names a picture that the book does not hold.
    """
    sheets = list(_found(source, paging))
    column = _Column([sheet for sheet in sheets if sheet.planned.treat == "strip"])
    pages: list[NumberedPage] = []
    chapter: str | None = None
    for sheet in sheets:
        planned = sheet.planned
        chapter = planned.chapter or chapter
        pictures: Sequence[Callable[[], PagePicture] | None] = [None]
        if planned.treat == "page":
            pictures = [sheet.picture]
        elif planned.treat == "split":
            pictures = [partial(_half, sheet, box) for box in _halves(planned, direction)]
        elif planned.treat == "strip":
            pictures = column.next_pages()
        for picture in pictures:
            begins = chapter if picture else None
            pages.append(NumberedPage(len(pages) + 1, sheet.source, planned.treat, picture, planned.why, begins))
            chapter = None if picture else chapter
    return tuple(pages)


def page_range(wanted: str, option: str, last: int) -> range:
    """The numbers that "3-10", "5" or "4-" names in a book whose last page has that number; UsageError."""
    low, dash, high = wanted.partition("-")
    try:
        return range(int(low), ((int(high) if high else last) if dash else int(low)) + 1)
    except ValueError:
        raise UsageError(f"{option} {wanted} is not a range.", f"Write {option} 3-10, 5 or 4-.") from None


def pick_pages(pages: Sequence[NumberedPage], wanted: str | None) -> tuple[NumberedPage, ...]:
    """The pages whose numbers `wanted` names ("3-10", "5", "4-"; None = all)."""
    if wanted is None:
        return tuple(pages)
    picked = tuple(page for page in pages if page.number in page_range(wanted, "--pages", pages[-1].number))
    if not picked:
        raise UsageError(
            f"--pages {wanted} names no page of this book.", f"Its pages have numbers from 1 to {pages[-1].number}."
        )
    if not any(page.picture for page in picked):
        raise InputError(
            f"--pages {wanted} names no page that can be shown: {picked[0].why or LEFT_BY_HAND}.",
            "`comic-narrator doctor` lists what is left out.",
        )
    return picked


def read_ahead(pages: Iterable[NumberedPage]) -> Iterator[tuple[NumberedPage, Future[PagePicture]]]:
    """The pages that have a picture, each with its picture, which is read while the one before it is dealt with."""
    with ThreadPoolExecutor(1) as reader:
        waiting: tuple[NumberedPage, Future[PagePicture]] | None = None
        for page in pages:
            if page.picture is None:
                continue
            read, waiting = waiting, (page, reader.submit(_read, page.picture))
            if read is not None:
                yield read
        if waiting is not None:
            yield waiting


def _read(read: Callable[[], PagePicture]) -> PagePicture:
    picture = read()
    # Worked out here, while the page before is brought to the disk.
    _ = picture.sha256
    return picture


def pixels_of(picture: PagePicture, name: str, width: int = 0) -> NDArray[np.uint8]:
    """A page picture decoded, of shape (height, width, 3), RGB; BrokenPictureError naming it when it is broken.

    Where `width` is given, it need not be larger than that many pixels wide.
    """
    return decode_rgb(picture.data, name, width)


def _found(source: Source, paging: Paging) -> Iterator[_Sheet]:
    twins: dict[str, list[PageSource]] = defaultdict(list)
    for page in source.pages:
        twins[page.name].append(page)
    seen: dict[tuple[str, int], int] = defaultdict(int)
    for planned in paging.pictures:
        key = planned.source, planned.frame
        if seen[key] >= len(twins[planned.source]):
            raise InputError(
                f"paging.json names {planned.source}, which the book does not hold.", "Take that picture out of it."
            )
        page = twins[planned.source][seen[key]]
        seen[key] += 1
        name = f"{planned.source}#{planned.frame + 1}" if planned.frame else planned.source
        yield _Sheet(planned, name, partial(page.picture, planned.frame))


def _halves(planned: PlannedPicture, direction: Direction) -> list[Box]:
    """The two pages of a double page in reading order, as boxes of the source picture."""
    fold = planned.width // 2 if planned.fold is None else planned.fold
    left, right = Box(0, 0, fold, planned.height), Box(fold, 0, planned.width - fold, planned.height)
    return [right, left] if direction == "rtl" else [left, right]


def _half(sheet: _Sheet, half: Box) -> PagePicture:
    whole = sheet.picture()
    scale = whole.width / sheet.planned.width
    box = Box(round(half.x * scale), 0, round(half.w * scale), whole.height).within(whole.width, whole.height)
    pixels = pixels_of(whole, sheet.source)[:, box.x : box.right]
    return encode_pixels(pixels, half, _words_in(whole.words, box), lossy=whole.suffix == ".jpg")


def _words_in(words: Sequence[PrintedWord], box: Box) -> tuple[PrintedWord, ...]:
    """The words whose middle lies in `box`, in pixels of what it shows."""
    return tuple(
        PrintedWord(text=word.text, bbox=Box(word.bbox.x - box.x, word.bbox.y - box.y, word.bbox.w, word.bbox.h))
        for word in words
        if box.x <= word.bbox.center[0] < box.right and box.y <= word.bbox.center[1] < box.bottom
    )


class _Column:
    """The strips of a webtoon as one column; its pages are handed out strip by strip, in order."""

    def __init__(self, strips: Sequence[_Sheet]) -> None:
        self._strips = strips
        self._sizes = [(sheet.planned.width, sheet.planned.height) for sheet in strips]
        cuts = {(i, row) for i, sheet in enumerate(strips) for row in sheet.planned.cuts}
        # Whatever a hand edit left of the cuts, the first page begins where the column does.
        self._starts = sorted(cuts | {(0, 0)}) if strips else []
        self._lossy: set[int] = set()
        self._next = 0
        self._pixels = lru_cache(maxsize=DECODED)(self._decode)

    def _decode(self, i: int) -> NDArray[np.uint8]:
        picture = self._strips[i].picture()
        if picture.suffix == ".jpg":
            self._lossy.add(i)
        return pixels_of(picture, self._strips[i].source)

    def next_pages(self) -> list[Callable[[], PagePicture]]:
        """The pages that begin in the next strip; a window that reaches into later strips belongs where it begins."""
        strip, self._next = self._next, self._next + 1
        return [partial(self._page, place) for place, (i, _) in enumerate(self._starts) if i == strip]

    def _page(self, place: int) -> PagePicture:
        (strip, row), *rest = self._starts[place : place + 2]
        pixels = window(self._sizes, self._pixels, (strip, row), rest[0] if rest else None)
        width = self._sizes[strip][0]
        box = Box(0, row, width, round(pixels.shape[0] * width / pixels.shape[1]))
        return encode_pixels(pixels, box, lossy=strip in self._lossy)
