"""What the name of a book tells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comic_narrator.ingest.metadata.filenames import read_name


@pytest.mark.parametrize(
    ("name", "series", "number", "title"),
    [
        ("Captain Science #001 (1950) (digital).cbz", "Captain Science", "1", None),
        ("Captain_Science_001", "Captain Science", "1", None),
        ("Berserk v01 (2003) [ja].cbz", "Berserk", "1", None),
        ("Berserk v01 c001 (2003) (Digital)", "Berserk", "1", None),
        ("Berserk.v02.c014", "Berserk", "14", None),
        ("Bakuman v05 c035-043", "Bakuman", "5", None),
        ("Bakuman v01-03", "Bakuman", "1-3", None),
        ("[Group] Series - c012 - Title", "Series", "12", "Title"),
        ("[Group] Series - c012.5 - Title.cbz", "Series", "12.5", "Title"),
        ("進撃の巨人 第01巻", "進撃の巨人", "1", None),
        ("進撃の巨人　第０１巻", "進撃の巨人", "1", None),
        ("(一般コミック) [作者] タイトル 第03巻", "タイトル", "3", None),
        ("One Piece 第1話", "One Piece", "1", None),
        ("Dragon Ball 第12卷 [zh]", "Dragon Ball", "12", None),
        ("나 혼자만 레벨업 12화", "나 혼자만 레벨업", "12", None),
        ("xxx_vol2_ch3", "xxx", "3", None),
        ("One Piece - Vol. 03 - Don't Get Fooled Again", "One Piece", "3", "Don't Get Fooled Again"),
        ("One Piece Chapter 1054", "One Piece", "1054", None),
        ("Naruto Ch. 5", "Naruto", "5", None),
        ("Fables v01 - Legends in Exile (2002)", "Fables", "1", "Legends in Exile"),
        ("Tintin 05 - Le Lotus Bleu", "Tintin", "5", "Le Lotus Bleu"),
        ("Astérix T12 - Aux Jeux Olympiques", "Astérix", "12", "Aux Jeux Olympiques"),
        ("Asterix Band 12", "Asterix", "12", None),
        ("X-Men Annual 01", "X-Men Annual", "1", None),
        ("Spider-Man 2099 #12", "Spider-Man 2099", "12", None),
        ("Batman - The Long Halloween 03", "Batman - The Long Halloween", "3", None),
        ("Amazing Spider-Man 001 (of 05) (1963) (Zone-Empire)", "Amazing Spider-Man", "1", None),
        ("100 Bullets 012", "100 Bullets", "12", None),
        ("The Walking Dead #½", "The Walking Dead", "½", None),
        ("Batman #1AU", "Batman", "1AU", None),
        ("lighthouse", None, None, "lighthouse"),
        ("lighthouse.pdf", None, None, "lighthouse"),
        ("page_001", None, None, "page 001"),
        ("IMG_1234.jpg", None, None, "IMG 1234"),
        ("300", None, None, "300"),
        ("BusterBear10", None, None, "BusterBear10"),
        ("Blade Runner 2049", None, None, "Blade Runner 2049"),
        ("Peanuts 1950-1952", None, None, "Peanuts 1950-1952"),
        ("My Book 2024-05-01", None, None, "My Book 2024-05-01"),
        ("things-to-come-1955-01", None, None, "things to come 1955-01"),
        ("Vol 1", None, "1", "Vol 1"),
        ("第1話", None, "1", "第1話"),
        ("[Group]", None, None, "[Group]"),
        ("Dr. No", None, None, "Dr. No"),
    ],
)
def test_a_name_tells_series_number_and_title(
    name: str, series: str | None, number: str | None, title: str | None
) -> None:
    told = read_name(name)
    assert (told.series, told.number, told.title) == (series, number, title)


@pytest.mark.parametrize(
    ("name", "language", "direction"),
    [
        ("Berserk v01 [ja]", "ja", None),
        ("Berserk v01 [JP]", "ja", None),
        ("Akira (ENG)", "en", None),
        ("Akira {pt-br}", "pt-BR", None),
        ("Akira 【日本語】", "ja", None),
        ("Akira [Français]", "fr", None),
        ("進撃の巨人 第01巻", "ja", None),
        ("進撃の巨人 第01巻 [English]", "en", None),
        ("여신강림 3화", "ko", None),
        ("中文書名 3", None, None),
        ("La Bête (fin)", None, None),
        ("Book (Digital) (May 1950) (HD) [Zone]", None, None),
        ("Solo Leveling (Webtoon) 012", None, "vertical"),
        ("Naruto [RTL]", None, "rtl"),
        ("Naruto (left to right)", None, "ltr"),
    ],
)
def test_a_name_hints_at_language_and_direction(name: str, language: str | None, direction: str | None) -> None:
    told = read_name(name)
    assert (told.language, told.direction) == (language, direction)


@given(st.text(max_size=60))
def test_any_name_is_read(name: str) -> None:
    told = read_name(name)
    assert told.title or told.series or not any(c.isalnum() for c in name)
