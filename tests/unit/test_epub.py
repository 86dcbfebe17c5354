"""EPUB books of pictures: the pages in order, and one clear sentence where there are none to be had."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comic_narrator.errors import InputError
from comic_narrator.ingest.epub import is_epub, picture_names, read_opf
from comic_narrator.ingest.metadata import read_metadata
from comic_narrator.ingest.source import Entry, Files

CONTAINER = '<container><rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>'
HTML = "application/xhtml+xml"
PROSE = "<p>" + "It was a dark and stormy night. " * 200 + "</p>"


def entry(name: str, data: bytes | str) -> Entry:
    content = data.encode() if isinstance(data, str) else data
    return Entry(name, len(content), lambda: content)


def page(body: str, head: str = "") -> str:
    return (
        '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"'
        f' xmlns:epub="http://www.idpf.org/2007/ops"><head><title>A title</title>{head}</head>'
        f"<body>{body}</body></html>"
    )


def epub(
    pages: dict[str, str],
    *,
    metadata: str = "",
    spine: str | None = None,
    items: str = "",
    progression: str = "",
    others: dict[str, bytes | str] | None = None,
) -> Files:
    """An EPUB whose spine is `pages` (path below OEBPS to XHTML), unless `spine` names items by their place."""
    manifest = "".join(
        f'<item id="p{i}" href="{href.replace(" ", "%20")}" media-type="{HTML}"/>' for i, href in enumerate(pages)
    )
    order = spine if spine is not None else "".join(f'<itemref idref="p{i}"/>' for i in range(len(pages)))
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">{metadata}</metadata>'
        f"<manifest>{manifest}{items}</manifest><spine{progression}>{order}</spine></package>"
    )
    content: dict[str, bytes | str] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/content.opf": opf,
        **{f"OEBPS/{href}": text for href, text in pages.items()},
        **(others or {}),
    }
    return Files("EPUB", tuple(entry(name, data) for name, data in content.items()))


def pictures(*names: str) -> dict[str, bytes | str]:
    return {f"OEBPS/{name}": name.encode() for name in names}


def test_only_a_container_with_a_package_is_an_epub() -> None:
    assert is_epub(epub({}))
    assert not is_epub(Files("CBZ archive", (entry("1.jpg", b""), entry("content.opf", ""))))


def test_pictures_come_in_the_order_of_the_spine() -> None:
    book = epub(
        {
            "x/b.xhtml": page('<img src="../img/1.jpg"/>'),
            "x/a.xhtml": page('<div><img alt="" src="../img/2.jpg"></div>'),
        },
        others=pictures("img/2.jpg", "img/1.jpg", "img/not-shown.jpg"),
    )
    assert picture_names(book) == ["OEBPS/img/1.jpg", "OEBPS/img/2.jpg"]


@pytest.mark.parametrize(
    ("href", "name"),
    [
        ("a%20b.jpg", "a b.jpg"),
        ("./x/../1.jpg", "1.jpg"),
        ("/OEBPS/1.jpg", "1.jpg"),
        ("1.jpg?size=2#top", "1.jpg"),
        ("%E6%BC%AB.jpg", "漫.jpg"),
        ("PAGE.JPG", "page.jpg"),
        ("100%25.jpg", "100%.jpg"),
        ("a&amp;b.jpg", "a&b.jpg"),
        ("50%20.jpg", "50%20.jpg"),
        ("#1.jpg", "#1.jpg"),
        ("e\u0301.jpg", "\u00e9.jpg"),
    ],
)
def test_references_are_resolved(href: str, name: str) -> None:
    book = epub({"p.xhtml": page(f'<img src="{href}"/>')}, others=pictures(name))
    assert picture_names(book) == ([] if name.startswith("#") else [f"OEBPS/{name}"])


@pytest.mark.parametrize(
    "body",
    [
        '<svg xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="1.jpg" width="9"/></svg>',
        '<svg><image href="1.jpg"/></svg>',
        '<IMG SRC="1.jpg">',
        '<object data="1.jpg" type="image/jpeg"></object>',
        "<div style=\"background-image:url('1.jpg')\"></div>",
        '<img src="1.jpg"/><div style="background: url(other.jpg)"></div>',
        '<img src="1.jpg"/><img src="1.jpg" class="enlarged"/>',
        '<img src="1.jpg"/><p>left open &nbsp; <br>',
        '<img src="https://somewhere/2.jpg"/><img src="data:image/png;base64,AAAA"/><img src="1.jpg"/>',
    ],
)
def test_a_picture_is_found_however_the_page_shows_it(body: str) -> None:
    assert picture_names(epub({"p.xhtml": page(body)}, others=pictures("1.jpg", "other.jpg"))) == ["OEBPS/1.jpg"]


def test_a_picture_may_stand_in_the_spine_itself_and_a_page_may_hold_several() -> None:
    book = epub(
        {"two.xhtml": page('<img src="2.jpg"/><img src="3.jpg"/>')},
        items='<item id="i1" href="1.jpg" media-type="image/jpeg"/>'
        '<item id="i2" href="4.svg" media-type="image/svg+xml"/>',
        spine='<itemref idref="i1"/><itemref idref="p0"/><itemref idref="i2"/><itemref idref="gone"/>',
        others={**pictures("1.jpg", "2.jpg", "3.jpg", "4.jpg"), "OEBPS/4.svg": '<svg><image href="4.jpg"/></svg>'},
    )
    assert picture_names(book) == [f"OEBPS/{i}.jpg" for i in (1, 2, 3, 4)]


def test_a_cover_is_shown_once() -> None:
    bodies = {f"{i}.xhtml": page(f'<img src="{name}"/>') for i, name in enumerate(["cover.jpg", "001.jpg", "002.jpg"])}
    same: dict[str, bytes | str] = {"OEBPS/cover.jpg": b"C", "OEBPS/001.jpg": b"C", "OEBPS/002.jpg": b"2"}
    assert picture_names(epub(bodies, others=same)) == ["OEBPS/cover.jpg", "OEBPS/002.jpg"]


def test_an_enlarged_page_is_shown_once_and_its_chapter_begins_there() -> None:
    bodies = {f"{i}.xhtml": page(f'<img src="{name}"/>') for i, name in enumerate(["1.jpg", "2.jpg", "2.jpg", "1.jpg"])}
    points = '<navPoint><navLabel><text>Two</text></navLabel><content src="2.xhtml"/></navPoint>'
    book = epub(
        bodies,
        items='<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
        others={**pictures("1.jpg", "2.jpg"), "OEBPS/toc.ncx": f"<ncx><navMap>{points}</navMap></ncx>"},
    )
    assert picture_names(book) == ["OEBPS/1.jpg", "OEBPS/2.jpg", "OEBPS/1.jpg"]
    assert read_opf(book).chapters == {1: "Two"}


def test_what_is_not_linear_is_left_out_but_not_the_cover() -> None:
    bodies = {f"{i}.xhtml": page(f'<img src="{i}.jpg"/>') for i in range(3)}
    spine = '<itemref idref="p0" linear="no"/><itemref idref="p1"/><itemref idref="p2" linear="no"/>'
    names = picture_names(epub(bodies, spine=spine, others=pictures("0.jpg", "1.jpg", "2.jpg")))
    assert names == ["OEBPS/0.jpg", "OEBPS/1.jpg"]


def test_a_book_of_text_is_refused_and_says_so() -> None:
    novel = {"cover.xhtml": page('<img src="1.jpg"/>'), **{f"c{i}.xhtml": page(PROSE) for i in range(3)}}
    with pytest.raises(InputError, match=r"novel\.epub is a book of text"):
        picture_names(epub(novel, others=pictures("1.jpg")), "novel.epub")
    with pytest.raises(InputError, match="is a book of text"):
        picture_names(epub({"c.xhtml": page(PROSE)}))


def test_a_comic_with_a_page_of_credits_is_a_comic() -> None:
    comic = {f"{i}.xhtml": page(f'<img src="{i}.jpg"/>', "<style>" + "p { } " * 999 + "</style>") for i in range(5)}
    book = epub({**comic, "credits.xhtml": page(PROSE)}, others=pictures(*(f"{i}.jpg" for i in range(5))))
    assert len(picture_names(book)) == 5


@pytest.mark.parametrize(
    "metadata",
    ['<meta property="rendition:layout">pre-paginated</meta>', '<meta name="fixed-layout" content="true"/>'],
)
def test_prose_on_fixed_pages_stands_on_pictures(metadata: str) -> None:
    book = epub({"p.xhtml": page(f'<img src="1.jpg"/>{PROSE}')}, metadata=metadata, others=pictures("1.jpg"))
    assert picture_names(book) == ["OEBPS/1.jpg"]


@pytest.mark.parametrize(
    ("algorithm", "locked"),
    [
        ("http://www.idpf.org/2008/embedding", False),
        ("http://ns.adobe.com/pdf/enc#RC", False),
        ("http://www.w3.org/2001/04/xmlenc#aes128-cbc", True),
    ],
)
def test_a_locked_book_is_refused_and_says_so(algorithm: str, locked: bool) -> None:
    lock = (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><enc:EncryptedData'
        f' xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptionMethod Algorithm="{algorithm}"/>'
        "</enc:EncryptedData></encryption>"
    )
    others = {**pictures("1.jpg"), "META-INF/encryption.xml": lock}
    book = epub({"p.xhtml": page('<img src="1.jpg"/>')}, others=others)
    if locked:
        with pytest.raises(InputError, match="DRM"):
            picture_names(book)
    else:
        assert picture_names(book) == ["OEBPS/1.jpg"]


@pytest.mark.parametrize(
    ("opf", "what"), [(None, "no package file"), ("<package>", "content.opf is broken"), ("", "content.opf is broken")]
)
def test_a_broken_package_is_an_error_that_says_so(opf: str | None, what: str) -> None:
    entries = [entry("META-INF/container.xml", CONTAINER)]
    entries += [] if opf is None else [entry("OEBPS/content.opf", opf)]
    with pytest.raises(InputError, match=what):
        picture_names(Files("EPUB", tuple(entries)))


EPUB3 = (
    '<dc:title id="s">Short</dc:title><dc:title id="t">The  Book</dc:title>'
    '<meta refines="#t" property="title-type">main</meta>'
    '<dc:language>ja-JP</dc:language><meta property="belongs-to-collection" id="c">The Series</meta>'
    '<meta refines="#c" property="group-position">02</meta>'
)
CALIBRE = (
    '<dc:title>The Book</dc:title><dc:language>jpn</dc:language><meta name="calibre:series" content="The Series"/>'
    '<meta name="calibre:series_index" content="2.0"/>'
)


@pytest.mark.parametrize(("metadata", "language"), [(EPUB3, "ja-JP"), (CALIBRE, "ja")])
def test_the_package_tells_what_the_book_is(metadata: str, language: str) -> None:
    book = read_opf(epub({}, metadata=metadata))
    assert (book.title, book.series, book.number, book.language) == ("The Book", "The Series", "2", language)
    assert book.origin == "content.opf"


@pytest.mark.parametrize(
    ("progression", "metadata", "direction"),
    [
        (' page-progression-direction="rtl"', "", "rtl"),
        (' page-progression-direction="ltr"', "", "ltr"),
        (' page-progression-direction="default"', "", None),
        ("", "", None),
        ("", '<meta name="primary-writing-mode" content="horizontal-rl"/>', "rtl"),
        ("", '<meta name="primary-writing-mode" content="horizontal-lr"/>', None),
    ],
)
def test_the_package_tells_the_direction(progression: str, metadata: str, direction: str | None) -> None:
    assert read_opf(epub({}, metadata=metadata, progression=progression)).direction == direction


NAV = page(
    '<nav epub:type="landmarks"><ol><li><a href="2.xhtml">Start</a></li></ol></nav><nav epub:type="toc"><ol>'
    '<li><a href="t.xhtml">Part <b>I</b></a><ol><li><a href="1.xhtml#a">One</a></li></ol></li>'
    '<li><a href="3.xhtml">Two</a></li><li><a href="gone.xhtml">Gone</a></li>'
    '<li><a href="end.xhtml">End</a></li></ol></nav>'
)
NCX = (
    '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>One</text></navLabel>'
    '<content src="1.xhtml"/><navPoint><navLabel><text>Two</text></navLabel><content src="3.xhtml"/></navPoint>'
    "</navPoint></navMap></ncx>"
)
BODIES = {
    "0.xhtml": page('<img src="0.jpg"/>'),
    "t.xhtml": page("<h1>Part I</h1>"),
    **{f"{i}.xhtml": page(f'<img src="{i}.jpg"/>') for i in (1, 2, 3)},
    "end.xhtml": page("<p>End</p>"),
}


@pytest.mark.parametrize(
    ("items", "others"),
    [
        (f'<item id="nav" href="nav.xhtml" media-type="{HTML}" properties="nav"/>', {"OEBPS/nav.xhtml": NAV}),
        ('<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>', {"OEBPS/toc.ncx": NCX}),
        (
            f'<item id="nav" href="nav.xhtml" media-type="{HTML}" properties="nav"/>'
            '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
            {"OEBPS/nav.xhtml": "<broken", "OEBPS/toc.ncx": NCX},
        ),
    ],
)
def test_the_table_of_contents_gives_chapters(items: str, others: dict[str, bytes | str]) -> None:
    book = epub(BODIES, items=items, others={**pictures("0.jpg", "1.jpg", "2.jpg", "3.jpg"), **others})
    assert read_opf(book).chapters == {1: "One", 3: "Two"}


def test_a_list_of_all_pages_gives_no_chapters() -> None:
    points = "".join(
        f'<navPoint><navLabel><text>Page {i}</text></navLabel><content src="{i}.xhtml"/></navPoint>' for i in range(4)
    )
    book = epub(
        BODIES,
        items='<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
        others={
            **pictures("0.jpg", "1.jpg", "2.jpg", "3.jpg"),
            "OEBPS/toc.ncx": f"<ncx><navMap>{points}</navMap></ncx>",
        },
    )
    assert read_opf(book).chapters == {}


def test_the_package_of_an_epub_is_a_source_of_metadata() -> None:
    book = epub(BODIES, metadata=EPUB3, progression=' page-progression-direction="rtl"', others=pictures("0.jpg"))
    told = read_metadata(book, picture_names(book), "book")
    assert (told.title, told.direction, told.origin) == ("The Book", "rtl", "content.opf")


def test_the_folders_of_an_epub_are_no_chapters() -> None:
    bodies = {f"{i}.xhtml": page(f'<img src="{name}"/>') for i, name in enumerate(["cover/c.jpg", "img/1.jpg"])}
    book = epub(bodies, others=pictures("cover/c.jpg", "img/1.jpg"))
    assert read_metadata(book, picture_names(book), "book").chapters == {}


MARKUP = st.sampled_from(
    ["<img src='", "1.jpg'>", "<!--", "<![", "<![CDATA[", "<!", "<?", "</", "&#", "<svg", "<style>"]
)


@given(st.one_of(st.binary(max_size=200), st.lists(st.one_of(MARKUP, st.text(max_size=9)), max_size=12).map("".join)))
def test_any_page_is_read(data: bytes | str) -> None:
    book = epub(
        {"p.xhtml": "", "1.xhtml": page("<img src='1.jpg'>")}, others={"OEBPS/p.xhtml": data, **pictures("1.jpg")}
    )
    assert picture_names(book) == ["OEBPS/1.jpg"]


@pytest.mark.parametrize("made", ["<a b='", "<!--", "<a", "<svg ", "<style>", "url("])
def test_a_page_made_to_be_slow_is_read_like_any_other(made: str) -> None:
    pages = {"p.xhtml": made * 40_000, "1.xhtml": page("<img src='1.jpg'>")}
    book = epub(pages, metadata='<meta name="fixed-layout" content="true"/>', others=pictures("1.jpg"))
    assert picture_names(book) == ["OEBPS/1.jpg"]
