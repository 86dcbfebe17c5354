"""How the pictures of a book become its pages: double pages parted, strips cut, blank and broken ones left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from comic_narrator.errors import InputError
from comic_narrator.ingest.layout import choose_direction
from comic_narrator.ingest.pages import pixels_of
from comic_narrator.ingest.source import Look, Metadata, PageSource, PasswordNeededError, Source
from comic_narrator.ingest.spreads import fold_of, looks_double, spread_shaped, told_by_size
from comic_narrator.ingest.strips import SCALE, find_cuts
from comic_narrator.model import Paging, PlannedPicture, Treatment

Spreads = Literal["auto", "split", "keep"]
Skip = Literal["none", "covers", "adverts", "both"]

LEFT_OUT: Mapping[Skip, frozenset[str]] = {
    "none": frozenset({"Deleted"}),
    "covers": frozenset({"Deleted", "FrontCover", "InnerCover", "BackCover"}),
    "adverts": frozenset({"Deleted", "Advertisement"}),
    "both": frozenset({"Deleted", "FrontCover", "InnerCover", "BackCover", "Advertisement"}),
}
"""Page types of ComicInfo that each wish leaves out; what its owner deleted is never shown."""

SAMPLE = 6
"""Wide pictures that are looked at first, to tell whether a book was scanned in double pages."""


@dataclass(frozen=True)
class Wishes:
    """What the user wants of the paging; "auto" and None leave it to the book."""

    layout: str = "auto"
    language: str | None = None
    spreads: Spreads = "auto"
    skip: Skip = "none"


@dataclass(frozen=True)
class _Sheet:
    """One page of a picture file, and what is known of it: its look, or why it cannot be read."""

    page: PageSource
    frame: int
    place: int
    look: Look | None = None
    broken: str | None = None

    @property
    def drawn(self) -> Look | None:
        """Its look, if there is anything to see."""
        return self.look if self.look and not self.look.blank else None


def plan(source: Source, wishes: Wishes, step: Callable[[], None]) -> Paging:
    """Look at every picture without decoding more than is needed, and say what becomes of each; `step` counts them.

    Raises InputError when no picture can be read or all are blank.
    """
    metadata = source.metadata()
    sheets: list[_Sheet] = []
    for place, page in enumerate(source.pages):
        sheets += _sheets(page, place)
        step()
    sizes = [(sheet.drawn.width, sheet.drawn.height) for sheet in sheets if sheet.drawn]
    if not sizes:
        raise _nothing_to_see(source, sheets)
    choice = choose_direction(wishes.layout, metadata, wishes.language or metadata.language, sizes)
    direction, why = choice or (None, "its language will tell")
    left_out = LEFT_OUT[wishes.skip]
    pictures = [_planned(sheet, metadata, left_out) for sheet in sheets]
    pixels = [_decoder(sheet, SCALE if direction == "vertical" else 0) for sheet in sheets]
    pictures = (
        _as_strips(pictures, pixels) if direction == "vertical" else _as_spreads(pictures, pixels, wishes.spreads)
    )
    return Paging(
        container=source.kind,
        title=metadata.title or source.name,
        series=metadata.series,
        number=metadata.number,
        language=metadata.language,
        direction=direction,
        why=why,
        pictures=tuple(pictures),
    )


def _sheets(page: PageSource, place: int) -> list[_Sheet]:
    try:
        frames = page.frames()
    except PasswordNeededError:
        raise
    except InputError as error:
        return [_Sheet(page, 0, place, broken=error.what)]
    return [_look(page, frame, place) for frame in range(frames)]


def _look(page: PageSource, frame: int, place: int) -> _Sheet:
    try:
        return _Sheet(page, frame, place, look=page.look(frame))
    except PasswordNeededError:
        raise
    except InputError as error:
        return _Sheet(page, frame, place, broken=error.what)


def _nothing_to_see(source: Source, sheets: Sequence[_Sheet]) -> InputError:
    broken = [sheet.broken for sheet in sheets if sheet.broken]
    if not broken:
        every = "The only page" if len(sheets) == 1 else f"Each of the {len(sheets)} pages"
        return InputError(f"{every} of {source.name} is blank.", "Check the file in a viewer.")
    if len(sheets) == 1:
        return InputError(broken[0], "Replace that page, or give another file.")
    return InputError(
        f"None of the {len(sheets)} pages of {source.name} can be read: {broken[0]}", "Fetch or pack the book again."
    )


def _planned(sheet: _Sheet, metadata: Metadata, left_out: frozenset[str]) -> PlannedPicture:
    treat: Treatment = "page"
    why = None
    kind = metadata.kinds.get(sheet.place)
    if sheet.broken:
        treat, why = "broken", sheet.broken
    elif sheet.drawn is None:
        treat, why = "blank", "nothing is drawn on it"
    elif kind in left_out:
        treat, why = "skip", f"{metadata.origin} calls it {kind}"
    return PlannedPicture(
        source=sheet.page.name,
        frame=sheet.frame,
        width=sheet.look.width if sheet.look else 0,
        height=sheet.look.height if sheet.look else 0,
        treat=treat,
        why=why,
        chapter=metadata.chapters.get(sheet.place) if sheet.frame == 0 else None,
    )


def _decoder(sheet: _Sheet, width: int) -> Callable[[], NDArray[np.uint8]]:
    return lambda: pixels_of(sheet.page.picture(sheet.frame), sheet.page.name, width)


def _as_strips(
    pictures: Sequence[PlannedPicture], pixels: Sequence[Callable[[], NDArray[np.uint8]]]
) -> list[PlannedPicture]:
    strips = [i for i, picture in enumerate(pictures) if picture.treat == "page"]
    sizes = [(pictures[i].width, pictures[i].height) for i in strips]
    cuts = find_cuts(sizes, lambda i: pixels[strips[i]]())
    planned = list(pictures)
    for i, at in zip(strips, cuts, strict=True):
        planned[i] = pictures[i].model_copy(update={"treat": "strip", "cuts": at})
    return planned


def _as_spreads(
    pictures: Sequence[PlannedPicture], pixels: Sequence[Callable[[], NDArray[np.uint8]]], wish: Spreads
) -> list[PlannedPicture]:
    if wish == "keep":
        return list(pictures)
    told = told_by_size([(p.width, p.height) if p.treat == "page" else None for p in pictures])
    doubles = {i for i, by_size in enumerate(told) if by_size}
    shaped = [
        i for i, p in enumerate(pictures) if p.treat == "page" and not told[i] and spread_shaped((p.width, p.height))
    ]
    doubles |= set(shaped) if wish == "split" else _told_by_looks(shaped, pixels)
    return [
        _parted(picture, pixels[i](), forced=wish == "split") if i in doubles else picture
        for i, picture in enumerate(pictures)
    ]


def _told_by_looks(shaped: Sequence[int], pixels: Sequence[Callable[[], NDArray[np.uint8]]]) -> set[int]:
    """Which pictures that may be double pages are, where no upright neighbour tells.

    A book that was scanned in double pages has some, splashes above all, that do not look it: most tell of the rest.
    """
    sample = set(shaped[:: max(len(shaped) // SAMPLE, 1)])
    seen = {i for i in sample if looks_double(pixels[i]())}
    if not seen or (len(shaped) > 1 and len(seen) * 2 >= len(sample)):
        return set(shaped) if seen else set()
    return seen | {i for i in shaped if i not in sample and looks_double(pixels[i]())}


def _parted(picture: PlannedPicture, image: NDArray[np.uint8], *, forced: bool) -> PlannedPicture:
    fold = fold_of(image)
    if fold is None and not forced:
        return picture.model_copy(update={"why": "a double page whose art crosses the fold"})
    middle = picture.width // 2 if fold is None else round(fold * picture.width / image.shape[1])
    return picture.model_copy(update={"treat": "split", "fold": middle, "why": "a double page"})
