"""Paging: what becomes of each picture of a book, what is said of it, and which number each page has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from comic_narrator.errors import InputError, UsageError
from comic_narrator.ingest import Limits, PasswordNeededError, Source, Wishes, pages_of, pick_pages, plan
from comic_narrator.ingest.encode import encode_pixels, look
from comic_narrator.ingest.source import Look, Metadata, PagePicture, PageSource
from comic_narrator.model import Box, Direction, Paging, PlannedPicture
from tests.conftest import draw_page

PAPER = 250
DIRECTIONS: tuple[Direction, ...] = ("ltr", "rtl")
T = TypeVar("T")


def picture(image: Image.Image) -> PagePicture:
    return encode_pixels(np.asarray(image), Box(0, 0, *image.size))


def page(name: str, image: Image.Image) -> PageSource:
    stored = picture(image)
    return PageSource(name, lambda: 1, lambda _: look(stored.data, name, Limits()), lambda _: stored)


def broken(name: str, error: InputError | None = None) -> PageSource:
    def fail(_: int = 0) -> int:
        raise error or InputError(f"{name} is broken: cut off.", "Replace it.")

    return PageSource(name, fail, partial(_unreachable, Look), partial(_unreachable, PagePicture))


def _unreachable(kind: type[T], frame: int) -> T:
    raise AssertionError(f"{kind} of frame {frame} of a broken picture was asked for")


def blank(name: str) -> PageSource:
    white = picture(Image.new("RGB", (300, 420), "white"))
    return PageSource(name, lambda: 1, lambda _: Look(300, 420, blank=True), lambda _: white)


def double(shade: int = PAPER) -> Image.Image:
    """Two pages side by side on one sheet, with their margins between them."""
    sheet = Image.new("RGB", (600, 420), (shade,) * 3)
    sheet.paste(draw_page(shade=shade), (0, 0))
    sheet.paste(draw_page(shade=shade), (300, 0))
    return sheet


def splash() -> Image.Image:
    """A double page whose art runs across its middle."""
    noise = np.random.default_rng(1).integers(0, 255, (42, 60, 3), dtype=np.uint8)
    sheet = Image.fromarray(noise).resize((600, 420), Image.Resampling.BICUBIC)
    ImageDraw.Draw(sheet).ellipse((150, 60, 450, 360), fill=(200, 40, 40), outline="black", width=6)
    return sheet


def book(pages: Sequence[PageSource], metadata: Metadata | None = None) -> Source:
    said = metadata or Metadata(direction="ltr", origin="ComicInfo.xml")
    return Source("test", "Book", (), tuple(pages), lambda: said)


def planned(pages: Sequence[PageSource], wishes: Wishes | None = None, metadata: Metadata | None = None) -> Paging:
    return plan(book(pages, metadata), wishes or Wishes(), lambda: None)


def treats(paging: Paging) -> list[str]:
    return [picture.treat for picture in paging.pictures]


UPRIGHT = [page(f"{i}.png", draw_page(shade=PAPER)) for i in range(3)]


def test_every_picture_has_its_place_and_those_left_out_keep_their_numbers() -> None:
    sources = [UPRIGHT[0], broken("b.png"), blank("w.png"), UPRIGHT[1]]
    paging = planned(sources)
    assert treats(paging) == ["page", "broken", "blank", "page"]
    numbered = pages_of(book(sources), paging, "ltr")
    assert [page.number for page in numbered if page.picture] == [1, 4]
    assert numbered[1].why == "b.png is broken: cut off."


def test_a_double_page_among_single_ones_is_split_in_reading_direction() -> None:
    sources = [*UPRIGHT, page("d.png", double())]
    paging = planned(sources)
    assert treats(paging) == ["page", "page", "page", "split"]
    fold = paging.pictures[3].fold
    assert fold is not None
    assert abs(fold - 300) <= 15
    boxes = {
        direction: [
            page.picture().source_box
            for page in pages_of(book(sources), paging, direction)
            if page.number > 3 and page.picture
        ]
        for direction in DIRECTIONS
    }
    assert boxes["ltr"] == [Box(0, 0, fold, 420), Box(fold, 0, 600 - fold, 420)]
    assert boxes["rtl"] == boxes["ltr"][::-1]


def test_a_double_page_whose_art_crosses_the_fold_stays_whole_unless_it_must_be_split() -> None:
    sources = [*UPRIGHT, page("d.png", splash())]
    assert treats(planned(sources)) == ["page"] * 4
    assert "fold" in str(planned(sources).pictures[3].why)
    assert treats(planned(sources, Wishes(spreads="split")))[3] == "split"


def test_double_pages_stay_whole_where_that_is_wished() -> None:
    assert treats(planned([*UPRIGHT, page("d.png", double())], Wishes(spreads="keep"))) == ["page"] * 4


def test_what_metadata_calls_covers_and_adverts_is_left_out_on_wish() -> None:
    metadata = Metadata(direction="ltr", origin="ComicInfo.xml", kinds={0: "FrontCover", 2: "Advertisement"})
    assert treats(planned(UPRIGHT, None, metadata)) == ["page", "page", "page"]
    assert treats(planned(UPRIGHT, Wishes(skip="covers"), metadata)) == ["skip", "page", "page"]
    assert treats(planned(UPRIGHT, Wishes(skip="both"), metadata)) == ["skip", "page", "skip"]


def test_a_chapter_that_begins_on_a_page_left_out_begins_on_the_next() -> None:
    sources = [UPRIGHT[0], blank("w.png"), UPRIGHT[1]]
    paging = planned(sources, None, Metadata(direction="ltr", chapters={1: "Two"}))
    assert [page.chapter for page in pages_of(book(sources), paging, "ltr")] == [None, None, "Two"]


def test_a_book_that_does_not_say_its_direction_waits_for_its_language() -> None:
    assert planned(UPRIGHT, None, Metadata()).direction is None
    assert planned(UPRIGHT, Wishes(language="ja"), Metadata()).direction == "rtl"
    assert planned(UPRIGHT, Wishes(layout="western", language="ja"), Metadata()).direction == "ltr"


def test_every_page_of_a_picture_file_is_a_page() -> None:
    images = [picture(draw_page(shade=PAPER - i)) for i in range(3)]
    tiff = PageSource("t.tif", lambda: 3, lambda _: Look(300, 420), lambda frame: images[frame])
    paging = planned([tiff])
    pages = pages_of(book([tiff]), paging, "ltr")
    assert [page.source for page in pages] == ["t.tif", "t.tif#2", "t.tif#3"]
    assert [page.picture() for page in pages if page.picture] == images


def strip(height: int) -> Image.Image:
    """A webtoon: panels of noise, one under the other on white, with gutters between them."""
    sheet = Image.new("RGB", (200, height), "white")
    noise = np.random.default_rng(2).integers(0, 255, (height, 180, 3), dtype=np.uint8)
    for top in range(20, height - 180, 200):
        sheet.paste(Image.fromarray(noise[top : top + 160]), (10, top))
    return sheet


def test_strips_are_one_column_that_is_cut_between_panels() -> None:
    whole = strip(3000)
    slices = [whole.crop((0, top, 200, top + 750)) for top in range(0, 3000, 750)]
    sources = [page(f"{i}.png", image) for i, image in enumerate(slices)]
    paging = planned(sources, None, Metadata())
    assert paging.direction == "vertical"
    assert treats(paging) == ["strip"] * 4
    pages = pages_of(book(sources), paging, "vertical")
    pictures = [page.picture() for page in pages if page.picture]
    assert sum(picture.height for picture in pictures) == 3000
    assert {picture.width for picture in pictures} == {200}
    column = np.asarray(whole)
    top = 0
    for stored in pictures:
        assert column[top, :, :].min() == 255
        top += stored.height


def test_a_hand_edited_paging_has_its_way() -> None:
    paging = planned(UPRIGHT)
    edited = paging.model_copy(
        update={
            "pictures": (
                paging.pictures[2],
                paging.pictures[0].model_copy(update={"treat": "split", "fold": 100}),
                paging.pictures[1].model_copy(update={"treat": "skip"}),
            )
        }
    )
    pages = pages_of(book(UPRIGHT), edited, "ltr")
    assert [(page.number, page.source) for page in pages if page.picture] == [(1, "2.png"), (2, "0.png"), (3, "0.png")]
    assert [page.picture().width for page in pages[1:3] if page.picture] == [100, 200]


def test_a_paging_with_a_picture_that_is_not_there_is_refused() -> None:
    paging = planned(UPRIGHT)
    with pytest.raises(InputError, match=r"2\.png"):
        pages_of(book(UPRIGHT[:2]), paging, "ltr")


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"treat": "strip", "cuts": (0, 500)}, "cuts"),
        ({"treat": "strip", "cuts": (50, 20)}, "cuts"),
        ({"treat": "split", "fold": 300}, "fold"),
        ({"treat": "page", "width": 0}, "size"),
    ],
)
def test_a_wrong_edit_of_a_picture_is_named(values: dict[str, object], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        PlannedPicture.model_validate({"source": "1.png", "width": 300, "height": 420, **values})


def test_books_of_nothing_readable_are_refused_with_the_reason() -> None:
    with pytest.raises(InputError, match=r"None of the 2 pages.*b\.png is broken"):
        planned([broken("b.png"), broken("c.png")])
    with pytest.raises(InputError, match="blank"):
        planned([blank("a.png"), blank("b.png")])
    with pytest.raises(PasswordNeededError):
        planned([UPRIGHT[0], broken("b.png", PasswordNeededError("It is encrypted.", "Give --password."))])


@pytest.mark.parametrize(
    ("asked", "numbers"), [(None, [1, 2, 3]), ("2", [2]), ("2-3", [2, 3]), ("2-", [2, 3]), ("3-9", [3])]
)
def test_pages_are_picked_by_number(asked: str | None, numbers: list[int]) -> None:
    pages = pages_of(book(UPRIGHT), planned(UPRIGHT), "ltr")
    assert [page.number for page in pick_pages(pages, asked)] == numbers


@pytest.mark.parametrize("asked", ["7-9", "x", "1-y", "-"])
def test_a_wrong_page_range_is_a_usage_error(asked: str) -> None:
    pages = pages_of(book(UPRIGHT), planned(UPRIGHT), "ltr")
    with pytest.raises(UsageError, match="--pages"):
        pick_pages(pages, asked)


@given(st.lists(st.sampled_from(["page", "split", "blank", "broken", "skip"]), min_size=1, max_size=12))
def test_numbers_rise_by_one_whatever_becomes_of_the_pictures(treatments: list[str]) -> None:
    pictures = [
        PlannedPicture.model_validate({"source": f"{i}.png", "width": 300, "height": 420, "treat": treat})
        for i, treat in enumerate(treatments)
    ]
    sources = [page_stub(f"{i}.png") for i in range(len(pictures))]
    paging = Paging(container="test", title="t", why="", pictures=tuple(pictures))
    numbered = pages_of(book(sources), paging, "ltr")
    assert [page.number for page in numbered] == list(range(1, len(numbered) + 1))
    assert len(numbered) == len(treatments) + treatments.count("split")


def page_stub(name: str) -> PageSource:
    return PageSource(name, lambda: 1, partial(_unreachable, Look), partial(_unreachable, PagePicture))
