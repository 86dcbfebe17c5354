"""What a book says of itself, from wherever it says it."""

from __future__ import annotations

import json
import tarfile
from functools import partial
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comic_narrator.errors import InputError
from comic_narrator.ingest.languages import language_tag
from comic_narrator.ingest.markup import MAX_BYTES
from comic_narrator.ingest.metadata import folder_chapters, read_metadata
from comic_narrator.ingest.source import Entry, Files, Metadata, PasswordNeededError

PICTURES = ["1.jpg", "2.jpg", "3.jpg"]

COMMENT = json.dumps(
    {"appID": "x", "ComicBookInfo/1.0": {"series": "Of CBI", "issue": 4, "language": "Japanese", "title": "CBI title"}}
)

ACBF = """<?xml version="1.0" encoding="utf-8"?>
<ACBF xmlns="http://www.acbf.info/xml/acbf/1.1"><meta-data><book-info>
 <book-title lang="sk">Zberač</book-title><book-title lang="en">Collector</book-title>
 <languages><text-layer lang="sk" show="true"/><text-layer lang="en" show="false"/></languages>
 <sequence title="Tales">3</sequence></book-info></meta-data>
 <body><page><image href="1.jpg"/></page><page><title lang="sk">Pani</title><title lang="en">Lady</title>
 <image href="2.jpg"/></page><page><title>Lost</title><image href="9.jpg"/></page></body></ACBF>"""


def entry(name: str, data: bytes | str) -> Entry:
    content = data.encode() if isinstance(data, str) else data
    return Entry(name, len(content), lambda: content)


def files(*entries: tuple[str, bytes | str], comment: str = "") -> Files:
    return Files("CBZ archive", tuple(entry(name, data) for name, data in entries), comment)


def comicinfo(inner: str) -> str:
    return f'<?xml version="1.0"?><ComicInfo xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">{inner}</ComicInfo>'


def told(inner: str, name: str = "lighthouse") -> Metadata:
    return read_metadata(files(("ComicInfo.xml", comicinfo(inner))), PICTURES, name)


def test_comicinfo_tells_what_the_book_is() -> None:
    book = told(
        "<Title>The Beginning</Title><Series>Captain Science</Series><Number>001</Number><LanguageISO>jpn</LanguageISO>"
        "<Manga>YesAndRightToLeft</Manga><Pages><Page Image='0' Type='FrontCover'/>"
        "<Page Image='1' DoublePage='true' Bookmark='Part One'/><Page Image='2' Type='Deleted'/>"
        "<Page Image='7' Type='BackCover'/><Page Image='-1' Type='Other'/><Page Type='Story'/></Pages>"
    )
    assert book == Metadata(
        origin="ComicInfo.xml",
        title="The Beginning",
        series="Captain Science",
        number="1",
        language="ja",
        direction="rtl",
        chapters={1: "Part One"},
        kinds={0: "FrontCover", 2: "Deleted"},
    )


@pytest.mark.parametrize(
    ("manga", "language", "direction"),
    [
        ("YesAndRightToLeft", "en", "rtl"),
        ("Yes", "en", None),
        ("No", "en", "ltr"),
        ("No", "ar", None),
        ("Unknown", "ja", None),
    ],
)
def test_only_what_manga_says_of_the_direction_counts(manga: str, language: str, direction: str | None) -> None:
    assert told(f"<Manga>{manga}</Manga><LanguageISO>{language}</LanguageISO>").direction == direction


@pytest.mark.parametrize(
    "name",
    ["ComicInfo.xml", "comicinfo.xml", "COMICINFO.XML", "Captain Science 001/comicinfo.xml", "a/b/ComicInfo.xml"],
)
def test_comicinfo_is_found_wherever_it_lies(name: str) -> None:
    book = read_metadata(files((name, comicinfo("<Title>Found</Title>"))), PICTURES, "x")
    assert (book.title, book.origin) == ("Found", name.rpartition("/")[2])


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + comicinfo("<Title>\u00dcber</Title>").encode(),
        comicinfo("<Title>\u00dcber</Title>").encode("utf-16"),
        b'<ComicInfo xmlns="http://any"><Title>\xc3\x9cber</Title></ComicInfo>',
        b'\n <?xml version="1.0" encoding="iso-8859-1"?><ComicInfo><Title>\xdcber</Title></ComicInfo>',
    ],
)
def test_comicinfo_is_read_in_any_encoding_and_namespace(data: bytes) -> None:
    assert read_metadata(files(("ComicInfo.xml", data)), PICTURES, "x").title == "\u00dcber"


BOMB = '<!DOCTYPE c [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><ComicInfo><Title>&b;</Title></ComicInfo>'
OUTSIDE = '<!DOCTYPE c [<!ENTITY a SYSTEM "file:///etc/hostname">]><ComicInfo><Title>&a;</Title></ComicInfo>'


@pytest.mark.parametrize(
    "data", ["", "<ComicInfo><Title>x</Title>", "<html/>", BOMB, OUTSIDE, "<ComicInfo/>" + " " * MAX_BYTES, b"\x00\xff"]
)
def test_a_broken_comicinfo_is_passed_over_and_named(data: str | bytes) -> None:
    book = read_metadata(files(("ComicInfo.xml", data)), PICTURES, "Berserk v01")
    assert (book.title, book.series, book.number) == ("Berserk 1", "Berserk", "1")
    assert book.origin == "the book's name (ComicInfo.xml is broken)"


def raising(error: InputError) -> bytes:
    raise error


def test_an_entry_that_lies_about_its_size_is_not_parsed() -> None:
    lying = Entry("ComicInfo.xml", 10, lambda: comicinfo("<Title>x</Title>").encode() + b" " * MAX_BYTES)
    assert read_metadata(Files("CBZ archive", (lying,)), PICTURES, "name").title == "name"


def test_an_entry_that_cannot_be_unpacked_is_passed_over_but_a_password_is_asked_for() -> None:
    broken = Entry("ComicInfo.xml", 10, partial(raising, InputError("No.", "Do.")))
    locked = Entry("ComicInfo.xml", 10, partial(raising, PasswordNeededError("No.", "Do.")))
    assert read_metadata(Files("x", (broken,)), PICTURES, "name").origin.endswith("(ComicInfo.xml is broken)")
    with pytest.raises(PasswordNeededError):
        read_metadata(Files("x", (locked,)), PICTURES, "name")


def test_acbf_tells_what_the_book_is() -> None:
    assert read_metadata(files(("book.acbf", ACBF)), PICTURES, "x") == Metadata(
        origin="book.acbf", title="Collector", series="Tales", number="3", language="en", chapters={1: "Lady"}
    )


def test_a_comment_tells_what_the_book_is() -> None:
    assert read_metadata(files(comment=COMMENT), PICTURES, "x") == Metadata(
        origin="ComicBookInfo", title="CBI title", series="Of CBI", number="4", language="ja"
    )


@pytest.mark.parametrize(
    ("comment", "origin"),
    [
        ("Scanned by somebody", "the book's name"),
        ('{"other": 1}', "the book's name"),
        ('{"ComicBookInfo/1.0": ', "the book's name (ComicBookInfo is broken)"),
        ('{"ComicBookInfo/1.0": {"title": []}}', "the book's name (ComicBookInfo is broken)"),
    ],
)
def test_another_comment_is_none_of_ours_and_a_broken_one_is_named(comment: str, origin: str) -> None:
    book = read_metadata(files(comment=comment), PICTURES, "x")
    assert (book.title, book.origin) == ("x", origin)


def test_descriptions_are_merged_field_by_field() -> None:
    first = comicinfo("<Series>Of ComicInfo</Series><Pages><Page Image='0' Type='FrontCover'/></Pages>")
    book = read_metadata(files(("ComicInfo.xml", first), ("b.acbf", ACBF), comment=COMMENT), PICTURES, "Name v09 [RTL]")
    assert (book.series, book.number, book.title, book.language) == ("Of ComicInfo", "3", "Collector", "en")
    assert (book.chapters, book.direction) == ({1: "Lady"}, "rtl")
    assert book.origin == "ComicInfo.xml"


@pytest.mark.parametrize(
    ("inner", "name", "title"),
    [
        ("<Title>T</Title><Series>S</Series><Number>2</Number>", "lighthouse", "T"),
        ("<Series>S</Series><Number>2</Number>", "lighthouse", "S 2"),
        ("<Series>S</Series><Volume>3</Volume>", "lighthouse", "S 3"),
        ("<Series>S</Series><Volume>1950</Volume>", "lighthouse", "S"),
        ("<Series>S</Series>", "Any v02 - The Sea", "The Sea"),
        ("<Series>S</Series>", "lighthouse", "S"),
        ("", "Berserk v02", "Berserk 2"),
        ("", "the_lighthouse", "the lighthouse"),
        ("<Number>2</Number>", "lighthouse", "lighthouse"),
    ],
)
def test_the_title_is_the_told_one_or_series_and_number_or_the_name(inner: str, name: str, title: str) -> None:
    assert told(inner, name).title == title


def test_comicinfos_beside_each_other_tell_only_what_they_share() -> None:
    inner = "<Series>S</Series><Number>{}</Number><Pages><Page Image='0' Type='FrontCover'/></Pages>"
    book = read_metadata(
        files(*((f"c{i}/ComicInfo.xml", comicinfo(inner.format(i))) for i in (1, 2))), ["c1/1.jpg", "c2/1.jpg"], "x"
    )
    assert (book.series, book.number, book.kinds, book.chapters) == ("S", None, {}, {0: "c1", 1: "c2"})


@pytest.mark.parametrize(
    ("pictures", "chapters"),
    [
        (["Vol 1/Ch 01/1.jpg", "Vol 1/Ch 01/2.jpg", "Vol 1/Ch 02/1.jpg"], {0: "Ch 01", 2: "Ch 02"}),
        (["B/Vol 1/Ch 1/1.jpg", "B/Vol 2/Ch 1/1.jpg"], {0: "Vol 1, Ch 1", 1: "Vol 2, Ch 1"}),
        (["a/cover.jpg", "a/one/1.jpg", "a/two/1.jpg"], {1: "one", 2: "two"}),
        (["../../up/1.jpg", "/abs/2.jpg", "./ok//3.jpg"], {0: "up", 1: "abs", 2: "ok"}),
        (["one/1.jpg", "two/1.jpg", "one/2.jpg"], {0: "one", 1: "two"}),
        (["a/1.jpg", "a/2.jpg"], {}),
        (["a/cover.jpg", "a/b/1.jpg"], {}),
        (["1.jpg", "2.jpg"], {}),
        ([], {}),
    ],
)
def test_the_deepest_folders_are_chapters(pictures: list[str], chapters: dict[int, str]) -> None:
    assert folder_chapters(pictures) == chapters


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("en", "en"),
        ("EN", "en"),
        ("jpn", "ja"),
        ("Japanese", "ja"),
        ("japanese ", "ja"),
        ("日本語", "ja"),
        ("zh-TW", "zh-TW"),
        ("zh_tw", "zh-TW"),
        ("chi", "zh"),
        ("zho", "zh"),
        ("Chinese (Traditional)", "zh-Hant"),
        ("Simplified Chinese", "zh-Hans"),
        ("ger", "de"),
        ("Deutsch", "de"),
        ("español", "es"),
        ("PT_br", "pt-BR"),
        ("Brazilian Portuguese", "pt-BR"),
        ("iw", "he"),
        ("jp", "ja"),
        ("en-x-foo", "en"),
        ("und", None),
        ("mul", None),
        ("xx", None),
        ("English?!", None),
        ("", None),
        (None, None),
    ],
)
def test_languages_are_written_as_bcp_47(text: str | None, tag: str | None) -> None:
    assert language_tag(text) == tag


@given(st.text(max_size=30))
def test_any_text_is_a_language_or_none(text: str) -> None:
    tag = language_tag(text)
    assert tag is None or language_tag(tag) == tag


MARKUP = st.sampled_from(
    [
        "<ComicInfo>",
        "</ComicInfo>",
        "<ACBF>",
        "<Pages>",
        "<Page Image='0' Type='&#x7;'/>",
        "<body><page>",
        "\x00",
        "&a;",
    ]
)
TAGS = st.lists(st.one_of(MARKUP, st.text(max_size=9)), max_size=12)
ANYTHING = st.one_of(st.binary(max_size=200), TAGS.map(lambda tags: "".join(tags).encode()))


@given(ANYTHING, st.text(max_size=80))
def test_no_content_of_a_description_is_an_error(data: bytes, comment: str) -> None:
    book = read_metadata(
        files(("ComicInfo.xml", data), ("b.acbf", data), comment=f'{{"ComicBookInfo/1.0": {comment}'), PICTURES, "name"
    )
    assert book.title


def zipped(path: Path) -> Files:
    with ZipFile(path) as archive:
        return files(*((name, archive.read(name)) for name in archive.namelist()), comment=archive.comment.decode())


@pytest.mark.shared
def test_real_comicinfos_are_read(shared: Path) -> None:
    odd = shared / "pages" / "odd"
    pages = [f"{i}.jpg" for i in range(5)]
    book = read_metadata(zipped(odd / "comicbox_Captain_Science_no001.cbz"), pages, "x")
    assert (book.title, book.series, book.number) == ("The Beginning; The End", "Captain Science", "1")
    assert (book.language, book.kinds) == ("en", {0: "FrontCover"})
    with tarfile.open(odd / "comicbox_Captain_Science_no001-cix.cbt") as archive:
        name = next(name for name in archive.getnames() if name.endswith("comicinfo.xml"))
        content = archive.extractfile(name)
        assert content is not None
        book = read_metadata(files((name, content.read())), pages, "x")
    assert (book.series, book.number, book.origin) == ("Captain Science", "1", "comicinfo.xml")
    book = read_metadata(zipped(shared / "pages" / "derived_odd" / "comicinfo_rtl.cbz"), ["1.jpg", "2.jpg"], "x")
    assert (book.title, book.language, book.direction) == ("RTL flag", "ja", "rtl")
