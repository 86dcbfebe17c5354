"""Which way the panels of a book are read, and what the user is told of it."""

from __future__ import annotations

import pytest

from comic_narrator.ingest.layout import choose_direction
from comic_narrator.ingest.source import Metadata

PAGES = [(1000, 1500)] * 5
STRIPS = [(800, 2480)] * 4 + [(800, 1200)]
NOTHING = Metadata()
RTL = Metadata(origin="ComicInfo.xml", direction="rtl")
LTR = Metadata(origin="content.opf", direction="ltr")


@pytest.mark.parametrize(
    ("layout", "metadata", "language", "sizes", "choice"),
    [
        ("manga", LTR, "en", STRIPS, ("rtl", "the layout is set to manga")),
        ("western", RTL, "ja", STRIPS, ("ltr", "the layout is set to western")),
        ("webtoon", RTL, None, PAGES, ("vertical", "the layout is set to webtoon")),
        ("auto", RTL, "ja", STRIPS, ("vertical", "its pages are 3.1 times taller than wide")),
        ("auto", NOTHING, None, STRIPS, ("vertical", "its pages are 3.1 times taller than wide")),
        ("auto", RTL, "en", PAGES, ("rtl", "ComicInfo.xml says right to left")),
        ("auto", RTL, None, PAGES, ("rtl", "ComicInfo.xml says right to left")),
        ("auto", LTR, "ja", PAGES, ("ltr", "content.opf says left to right")),
        ("auto", NOTHING, None, PAGES, None),
        ("auto", NOTHING, "ja", PAGES, ("rtl", "Japanese is read right to left")),
        ("auto", NOTHING, "ja-JP", PAGES, ("rtl", "Japanese (Japan) is read right to left")),
        ("auto", NOTHING, "he", PAGES, ("rtl", "Hebrew is read right to left")),
        ("auto", NOTHING, "ar", PAGES, ("rtl", "Arabic is read right to left")),
        ("auto", NOTHING, "fa", PAGES, ("rtl", "Persian is read right to left")),
        ("auto", NOTHING, "zh-TW", PAGES, ("rtl", "Chinese (Traditional, Taiwan) is read right to left")),
        ("auto", NOTHING, "zh", PAGES, ("ltr", "nothing says otherwise")),
        ("auto", NOTHING, "ko", PAGES, ("ltr", "nothing says otherwise")),
        ("auto", NOTHING, "en", PAGES, ("ltr", "nothing says otherwise")),
        ("auto", NOTHING, "tlh", PAGES, ("ltr", "nothing says otherwise")),
        ("auto", NOTHING, "en", [], ("ltr", "nothing says otherwise")),
    ],
)
def test_the_weightiest_reason_decides_the_direction(
    layout: str,
    metadata: Metadata,
    language: str | None,
    sizes: list[tuple[int, int]],
    choice: tuple[str, str] | None,
) -> None:
    assert choose_direction(layout, metadata, language, sizes) == choice
