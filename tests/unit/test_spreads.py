"""Spreads: double pages are told from their neighbours and part at the fold; one drawing stays whole."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from comic_narrator.ingest.spreads import fold_of, looks_double, spread_shaped, told_by_size

Picture = NDArray[np.uint8]
Size = tuple[int, int]

PAGE: Size = (800, 1150)
DOUBLE: Size = (1600, 1150)


def _art(width: int, height: int, seed: int) -> Image.Image:
    """A drawing: soft patches of many colours with strokes on them."""
    rng = np.random.default_rng(seed)
    patches = rng.integers(0, 256, (max(height // 90, 2), max(width // 90, 2), 3), dtype=np.uint8)
    art = Image.fromarray(patches).resize((width, height), Image.Resampling.BICUBIC)
    pen = ImageDraw.Draw(art)
    for x, y in rng.integers(0, (width, height), (width * height // 4000, 2)):
        pen.line((int(x), int(y), int(x) + 25, int(y) + 12), fill=(20, 20, 30), width=3)
    return art


def _page(seed: int, margin: int = 60, gutter: int = 16, paper: str = "white", size: Size = PAGE) -> Image.Image:
    """A page of three tiers, two panels each, with a frame around each panel."""
    page = Image.new("RGB", size, paper)
    pen = ImageDraw.Draw(page)
    high = (size[1] - 2 * margin - 2 * gutter) // 3
    for tier in range(3):
        y = margin + tier * (high + gutter)
        split = margin + (size[0] - 2 * margin) * (2 + (seed + tier) % 3) // 6
        for left, right in ((margin, split - gutter // 2), (split + gutter // 2, size[0] - margin)):
            page.paste(_art(right - left, high, seed * 10 + tier), (left, y))
            pen.rectangle((left, y, right - 1, y + high - 1), outline="black", width=4)
    return page


def _beside(left: Image.Image, right: Image.Image) -> Picture:
    both = Image.new("RGB", (left.width + right.width, left.height))
    both.paste(left, (0, 0))
    both.paste(right, (left.width, 0))
    return np.asarray(both)


def test_a_wide_picture_among_single_pages_is_a_double_page() -> None:
    assert told_by_size([PAGE, PAGE, DOUBLE, PAGE]) == (False, False, True, False)
    assert told_by_size([(600, 869), (1200, 875)]) == (False, True)
    assert told_by_size([PAGE, None, (1540, 1100), None, (810, 1147)]) == (False, False, True, False, False)


@pytest.mark.parametrize(
    "wide",
    [
        pytest.param((800, 580), id="half a page, as wide as its neighbours"),
        pytest.param((1150, 800), id="a page printed sideways"),
        pytest.param((2400, 1150), id="three pages"),
        pytest.param((1600, 420), id="a newspaper strip"),
        pytest.param((960, 660), id="a small cover"),
        pytest.param((1390, 1150), id="a broad page"),
    ],
)
def test_other_wide_pictures_among_single_pages_are_none(wide: Size) -> None:
    assert not any(told_by_size([PAGE, PAGE, wide, PAGE, PAGE]))


def test_a_page_is_measured_by_those_near_it() -> None:
    small, large = (800, 1150), (1600, 2300)
    assert told_by_size([*[large] * 9, *[small] * 3, (1600, 1150), *[small] * 3])[12]
    assert not told_by_size([*[small] * 9, *[large] * 3, (1600, 1150), *[large] * 3])[12]


@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param([], id="no picture"),
        pytest.param([None], id="a broken one"),
        pytest.param([DOUBLE], id="a lone one"),
        pytest.param([(1600, 1200)] * 20, id="a comic drawn for the screen"),
        pytest.param([PAGE, *[DOUBLE] * 20], id="a book scanned two pages at a time"),
        pytest.param([(1200, 360)] * 9, id="newspaper strips"),
        pytest.param([(800, 12000)] * 3, id="webtoon"),
    ],
)
def test_where_single_pages_are_few_size_tells_nothing(sizes: list[Size | None]) -> None:
    assert told_by_size(sizes) == (False,) * len(sizes)


@given(st.lists(st.none() | st.tuples(st.integers(1, 5000), st.integers(1, 5000)), max_size=12))
def test_only_pictures_of_the_shape_of_two_pages_are_told(sizes: list[Size | None]) -> None:
    told = told_by_size(sizes)
    assert len(told) == len(sizes)
    assert all(
        size is not None and spread_shaped(size) for size, is_double in zip(sizes, told, strict=True) if is_double
    )


@pytest.mark.parametrize("paper", ["white", "black", "#e2d4b4"])
def test_a_double_page_parts_in_its_gutter(paper: str) -> None:
    fold = fold_of(_beside(_page(1, paper=paper), _page(2, paper=paper)))
    assert fold is not None
    assert abs(fold - 800) <= 20


def test_pages_that_were_trimmed_unevenly_part_between_their_panels() -> None:
    left = _page(1).crop((0, 0, 760, 1150))
    fold = fold_of(_beside(left, _page(2)))
    assert fold is not None
    assert 740 < fold < 820


def test_a_fold_is_cut_at_its_shadow() -> None:
    spread = _beside(_page(1), _page(2)).astype(np.float32)
    shadow = 1 - 0.5 * np.exp(-(((np.arange(1600) - 785) / 12) ** 2))
    picture = (spread * shadow[None, :, None]).astype(np.uint8)
    fold = fold_of(picture)
    assert fold is not None
    assert abs(fold - 785) <= 3
    assert looks_double(picture)


def test_two_drawings_without_margins_part_where_they_abut() -> None:
    assert fold_of(_beside(_art(*PAGE, 1), _art(*PAGE, 2))) == 800


def test_a_page_with_a_margin_parts_from_a_drawing_without_one_at_the_sheet_s_end() -> None:
    assert fold_of(_beside(_page(1), _art(*PAGE, 2))) == 800


def test_a_fold_is_cut_where_one_sheet_ends_on_the_other() -> None:
    fold = fold_of(_beside(_page(1).crop((0, 0, 770, 1150)), _page(2, paper="#e4e4e4")))
    assert fold is not None
    assert abs(fold - 770) <= 1


@pytest.mark.parametrize("crack", [0, 4, 8])
@pytest.mark.parametrize("shade", [0, 255])
@pytest.mark.parametrize("lower", [0, 8])
def test_one_drawing_across_both_pages_stays_whole(crack: int, shade: int, lower: int) -> None:
    splash = np.asarray(_art(*DOUBLE, 3)).copy()
    splash[:, 800:] = np.roll(splash[:, 800:], lower, axis=0)
    splash[:, 800 - crack // 2 : 800 + crack // 2] = shade
    assert fold_of(splash) is None


def test_upright_things_in_the_middle_of_a_drawing_are_no_fold() -> None:
    sky = np.linspace(60, 230, 1150).astype(np.uint8)[:, None, None].repeat(1600, axis=1).repeat(3, axis=2)
    door = sky.copy()
    door[700:, 800:860] = (60, 40, 30)
    assert fold_of(door) is None
    bars = np.where(np.arange(1600)[None, :, None] // 16 % 2, sky, sky // 3)
    assert fold_of(bars) is None
    pillar = np.asarray(_art(*DOUBLE, 3)).copy()
    pillar[:, 760:840] = (200, 60, 60)
    assert fold_of(pillar) is None


def test_a_gutter_away_from_the_middle_is_no_fold() -> None:
    picture = np.asarray(_art(*DOUBLE, 3)).copy()
    picture[:, 480:540] = 255
    assert fold_of(picture) is None


def test_light_screentone_across_both_pages_keeps_them_together() -> None:
    spread = _beside(_page(1), _page(2)).copy()
    tone = np.random.default_rng(1).choice(np.array([215, 255], np.uint8), (270, 50), p=(0.25, 0.75))
    spread[40:1120, 700:900] = tone.repeat(4, axis=0).repeat(4, axis=1)[:, :, None]
    assert fold_of(spread) is None


def test_a_tier_that_runs_across_both_pages_keeps_them_together() -> None:
    spread = Image.fromarray(_beside(_page(1), _page(2)))
    spread.paste(_art(1480, 330, 5), (60, 60))
    assert fold_of(np.asarray(spread)) is None


def test_an_empty_panel_across_both_pages_keeps_them_together() -> None:
    spread = Image.fromarray(_beside(_page(1), _page(2)))
    ImageDraw.Draw(spread).rectangle((60, 60, 1540, 388), fill="white", outline="black", width=4)
    assert fold_of(np.asarray(spread)) is None


def test_a_lone_double_page_shows_its_inner_margins() -> None:
    assert looks_double(_beside(_page(1), _page(2)))
    assert looks_double(_beside(_page(3, paper="#e2d4b4"), _page(4, paper="#e2d4b4")))


@pytest.mark.parametrize(("margin", "middle"), [(16, 16), (60, 16), (200, 60)])
def test_a_page_drawn_wide_keeps_its_middle_gutter(margin: int, middle: int) -> None:
    page = Image.new("RGB", DOUBLE, "white")
    wide = (DOUBLE[0] - 2 * margin - middle) // 2
    high = (DOUBLE[1] - 2 * margin - 2 * 16) // 3
    for tier in range(3):
        for column in range(2):
            page.paste(
                _art(wide, high, tier * 2 + column), (margin + column * (wide + middle), margin + tier * (high + 16))
            )
    picture = np.asarray(page)
    assert fold_of(picture) is not None
    assert not looks_double(picture)


def test_what_says_nothing_is_no_double_page() -> None:
    assert not looks_double(np.asarray(_art(*DOUBLE, 1)))
    assert not looks_double(np.full((1150, 1600, 3), 255, np.uint8))
    assert not looks_double(np.asarray(_page(1)))
    assert not looks_double(_beside(_page(1, size=(800, 500)), _page(2, size=(800, 500))))


@pytest.mark.parametrize("size", [(1, 1), (3, 2), (90, 60), (150, 100), (2000, 120)])
@pytest.mark.parametrize("shade", [255, 128])
def test_tiny_and_blank_pictures_are_looked_at_without_harm(size: Size, shade: int) -> None:
    picture = np.full((size[1], size[0], 3), shade, np.uint8)
    fold = fold_of(picture)
    assert fold is None or 0 < fold < size[0]
    assert not looks_double(picture)


def _real(shared: Path, name: str) -> Picture:
    return np.asarray(Image.open(shared / "pages" / name).convert("RGB"))


def test_a_real_double_page_parts_between_its_panels(shared: Path) -> None:
    fold = fold_of(_real(shared, "derived/spread_BusterBear10_p2-3.jpg"))
    assert fold is not None
    assert 1030 <= fold <= 1063
    with (
        ZipFile(shared / "pages/derived_odd/folder_covers_spread.cbz") as book,
        book.open("001-002_spread.jpg") as file,
    ):
        picture = np.asarray(Image.open(file).convert("RGB"))
    fold = fold_of(picture)
    assert fold is not None
    assert 592 <= fold <= 613


@pytest.mark.parametrize(
    "name",
    [
        "pd_strips_pixwarp/001-baron-bean.jpg",
        "pd_strips_pixwarp/001-dingbat-family.jpg",
        "pd_strips_pixwarp/001-snookums.jpg",
        "peppercarrot_ep03_ff2400t/001.jpg",
        "peppercarrot_ep03_ff2400t/009.jpg",
        "peppercarrot_opencomic/E02P06.webp",
    ],
)
def test_real_pictures_that_are_wide_by_themselves_stay_whole(shared: Path, name: str) -> None:
    assert not looks_double(_real(shared, name))


def test_real_pages_side_by_side_part_where_they_were_joined(shared: Path) -> None:
    pages = [_real(shared, f"peppercarrot_opencomic/E02P0{number}.webp") for number in (1, 2)]
    both = np.concatenate(pages, axis=1)
    fold = fold_of(both)
    assert fold is not None
    assert abs(fold - pages[0].shape[1]) <= 10
    assert looks_double(both)
