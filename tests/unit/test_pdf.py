"""PDF: pages that are one picture keep it, others are rendered; what a book says is read, what is broken is named."""

from __future__ import annotations

import struct
import threading
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray
from PIL import Image, TiffImagePlugin

from comic_narrator.errors import InputError
from comic_narrator.ingest import encode, pdf
from comic_narrator.ingest.pdf import LEAST_SIDE, LONG_SIDE, is_pdf, open_pdf, scan
from comic_narrator.ingest.source import Limits, Look, Opening, PagePicture, PasswordNeededError, Source, Spool
from comic_narrator.model import Box
from tests.conftest import draw_page

AES_256 = 5
"""PyMuPDF's number for that encryption."""


def opened(path: Path, password: str | None = None, entries: int = 100, megapixels: int = 200) -> Source:
    limits = Limits(entries=entries, megapixels=megapixels)
    return open_pdf(path, Opening(Spool(path.parent / "spool"), password, limits))


def saved(picture: Image.Image, kind: str, **options: Any) -> bytes:
    out = BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def pixels(stored: PagePicture) -> NDArray[np.int16]:
    return np.asarray(Image.open(BytesIO(stored.data)).convert("RGB"), np.int16)


def apart(stored: PagePicture, other: Image.Image) -> float:
    return float(np.abs(pixels(stored) - np.asarray(other.convert("RGB"), np.int16)).mean())


def scan_pdf(path: Path, *scans: bytes, **options: Any) -> Path:
    """A PDF with one picture a page, at two pixels a point."""
    with pymupdf.open() as document:
        for data in scans:
            with Image.open(BytesIO(data)) as picture:
                page = document.new_page(width=picture.width / 2, height=picture.height / 2)
            page.insert_image(page.rect, stream=data)
        document.save(path, **options)
    return path


def written_pdf(path: Path, objects: Sequence[bytes]) -> Path:
    """A PDF of these objects, numbered from 1; the first is its catalog."""
    data, places = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    data += b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1,
        table,
        len(objects) + 1,
        len(data),
    )
    path.write_bytes(data)
    return path


def one_picture(path: Path, dictionary: bytes, stream: bytes, steps: bytes = b"q 150 0 0 210 0 0 cm /I Do Q") -> Path:
    """A PDF whose only page, 150 x 210 points, shows one picture object."""
    return written_pdf(
        path,
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 150 210]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>",
            b"<</Length %d>>stream\n%s\nendstream" % (len(steps), steps),
            b"<</Type/XObject/Subtype/Image/Width 300/Height 420/BitsPerComponent 8%s/Length %d>>stream\n%s\nendstream"
            % (dictionary, len(stream), stream),
        ],
    )


@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_a_scan_keeps_its_jpeg(tmp_path: Path, mode: str) -> None:
    data = saved(draw_page().convert(mode), "JPEG")
    page = opened(scan_pdf(tmp_path / "x.pdf", data)).pages[0]
    stored = page.picture(0)
    assert page.name == "x.pdf!1"
    assert page.look(0) == Look(300, 420)
    assert (stored.data, stored.suffix, stored.source_box) == (data, ".jpg", Box(0, 0, 300, 420))


@pytest.mark.parametrize("under", [b"1 1 1 rg 0 0 150 210 re f ", b"q 0 0 150 210 re W n Q "])
def test_what_lies_below_a_scan_does_not_matter(tmp_path: Path, under: bytes) -> None:
    data = saved(draw_page(), "JPEG")
    steps = under + b"q 150 0 0 210 0 0 cm /I Do Q"
    path = one_picture(tmp_path / "x.pdf", b"/ColorSpace/DeviceRGB/Filter/DCTDecode", data, steps)
    assert opened(path).pages[0].picture(0).data == data


def test_a_scan_that_is_clipped_or_written_over_is_rendered(tmp_path: Path) -> None:
    data = saved(draw_page(), "JPEG")
    for number, steps in enumerate(
        (b"q 0 0 150 90 re W n 150 0 0 210 0 0 cm /I Do Q", b"q 150 0 0 210 0 0 cm /I Do Q 0 0 150 50 re f")
    ):
        path = one_picture(tmp_path / f"{number}.pdf", b"/ColorSpace/DeviceRGB/Filter/DCTDecode", data, steps)
        page = opened(path).pages[0]
        stored = page.picture(0)
        assert stored.data != data
        assert (page.look(0).height, stored.height) == (LEAST_SIDE, LEAST_SIDE)


def test_a_scan_without_loss_keeps_its_pixels(tmp_path: Path) -> None:
    for number, page in enumerate((draw_page(), draw_page().convert("L"), draw_page().convert("1"))):
        path = scan_pdf(tmp_path / f"{number}.pdf", saved(page, "PNG"))
        assert apart(opened(path).pages[0].picture(0), page) == 0


@pytest.mark.parametrize("rotation", [90, 180, 270])
@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_a_page_that_the_viewer_turns_is_stored_as_the_viewer_shows_it(
    tmp_path: Path, rotation: int, kind: str
) -> None:
    page = draw_page()
    path = scan_pdf(tmp_path / "x.pdf", saved(page, kind))
    with pymupdf.open(path) as document:
        document[0].set_rotation(rotation)
        document.saveIncr()
    (source,) = opened(path).pages
    upright = page.rotate(-rotation, expand=True)
    assert source.look(0) == Look(*upright.size)
    assert apart(source.picture(0), upright) < 6 * (kind == "JPEG") + 1e-9


@pytest.mark.parametrize("rotation", [0, 90])
def test_a_striped_scan_is_joined_to_its_pixels(tmp_path: Path, rotation: int) -> None:
    page = draw_page()
    with pymupdf.open() as document:
        sheet = document.new_page(width=150, height=210)
        for top in range(0, 420, 100):
            bottom = min(top + 100, 420)
            strip = saved(page.crop((0, top, 300, bottom)), "PNG")
            sheet.insert_image(pymupdf.Rect(0, top / 2, 150, bottom / 2), stream=strip, keep_proportion=False)
        sheet.set_rotation(rotation)
        document.save(tmp_path / "x.pdf")
    (source,) = opened(tmp_path / "x.pdf").pages
    if rotation:
        # Its strips stand side by side: such a page is rendered.
        assert source.picture(0).width > source.picture(0).height
    else:
        assert source.look(0) == Look(300, 420)
        assert apart(source.picture(0), page) == 0


@pytest.mark.parametrize("decoded", [b"", b"/Decode[1 0 1 0 1 0 1 0]"])
def test_cmyk_has_its_colours(tmp_path: Path, decoded: bytes) -> None:
    page = Image.new("RGB", (300, 420), (230, 120, 40))
    inks = np.asarray(page.convert("CMYK"))
    dictionary = b"/ColorSpace/DeviceCMYK" + decoded
    path = one_picture(tmp_path / "x.pdf", dictionary, (255 - inks if decoded else inks).tobytes())
    red, green, blue = pixels(opened(path).pages[0].picture(0)).mean((0, 1))
    assert red > 200 > green + 50 > blue + 80


def test_inverted_numbers_are_not_taken_as_they_stand(tmp_path: Path) -> None:
    page = draw_page()
    negative = Image.eval(page, lambda level: 255 - level)
    dictionary = b"/ColorSpace/DeviceRGB/Filter/DCTDecode/Decode[1 0 1 0 1 0]"
    path = one_picture(tmp_path / "x.pdf", dictionary, saved(negative, "JPEG", quality=95))
    assert apart(opened(path).pages[0].picture(0), page) < 4


def test_a_drawn_page_is_rendered_with_its_words(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        document.new_page(width=400, height=600).insert_text((100, 150), "drawn words", fontsize=20)
        document.new_page(width=400, height=1200).insert_text((100, 150), "strip", fontsize=20)
        document.save(tmp_path / "x.pdf")
    page, strip = opened(tmp_path / "x.pdf").pages
    stored = page.picture(0)
    assert page.look(0) == Look(2000, 3000)
    assert (stored.suffix, stored.width, stored.height) == (".png", 2000, LONG_SIDE)
    assert [word.text for word in stored.words] == ["drawn", "words"]
    dark = np.argwhere(pixels(stored)[:, :, 0] < 128)
    left, top, _, height = stored.words[0].bbox
    assert left <= dark[:, 1].min() + 15
    assert top <= dark[:, 0].min() <= dark[:, 0].max() <= top + height
    assert strip.picture(0).width >= 1000


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_invisible_words_stand_where_the_scan_shows_them(tmp_path: Path, rotation: int) -> None:
    page = draw_page()
    path = scan_pdf(tmp_path / "x.pdf", saved(page, "JPEG"))
    with pymupdf.open(path) as document:
        document[0].insert_text((50, 100), "HELLO", fontsize=10, render_mode=3)
        document[0].set_rotation(rotation)
        document.saveIncr()
    stored = opened(path).pages[0].picture(0)
    (word,) = stored.words
    # The word's middle on the upright scan, in its pixels, turned with it.
    x, y = 2 * (50 + 16), 2 * 97
    expected = {0: (x, y), 90: (420 - y, x), 180: (300 - x, 420 - y), 270: (y, 300 - x)}[rotation]
    middle = word.bbox.x + word.bbox.w / 2, word.bbox.y + word.bbox.h / 2
    assert word.text == "HELLO"
    assert middle == pytest.approx(expected, abs=8)


def test_pages_on_which_nothing_can_be_seen_are_blank(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        document.new_page()
        document.new_page().insert_text((100, 100), "invisible", render_mode=3)
        document.new_page().draw_rect((0, 0, 300, 300), color=None, fill=(1, 1, 1))
        page = document.new_page(width=300, height=400)
        page.insert_image(page.rect, stream=saved(Image.new("L", (900, 1200), 250), "JPEG"))
        page = document.new_page(width=300, height=400)
        page.insert_image(page.rect, stream=saved(Image.new("1", (900, 1200), 1), "PNG"))
        document.new_page().insert_text((100, 100), "7")
        page = document.new_page(width=300, height=400)
        page.insert_image(page.rect, stream=saved(Image.new("1", (900, 1200), 0), "PNG"))
        document.save(tmp_path / "x.pdf")
    blank = [page.look(0).blank for page in opened(tmp_path / "x.pdf").pages]
    assert blank == [True, True, True, True, True, False, False]


def test_a_page_that_shows_half_of_a_spread_shows_that_half(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        for side in (0, 1):
            page = document.new_page(width=150, height=420)
            page.insert_image(pymupdf.Rect(-150 * side, 0, 300 - 150 * side, 420), stream=saved(draw_page(), "JPEG"))
        document.save(tmp_path / "x.pdf")
    left, right = (page.picture(0) for page in opened(tmp_path / "x.pdf").pages)
    assert left.width / left.height == pytest.approx(150 / 420, rel=0.02)
    assert left.data != right.data


def test_a_scan_of_other_resolution_down_than_across_is_not_distorted(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=300, height=420)
        page.insert_image(page.rect, stream=saved(draw_page(300, 210), "JPEG"), keep_proportion=False)
        document.save(tmp_path / "x.pdf")
    stored = opened(tmp_path / "x.pdf").pages[0].picture(0)
    assert stored.width / stored.height == pytest.approx(300 / 420, rel=0.01)


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_an_enormous_scan_is_made_to_fit_and_keeps_its_size_as_source(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encode, "LONG_SIDE", 210)
    (page,) = opened(scan_pdf(tmp_path / "x.pdf", saved(draw_page(), kind))).pages
    stored = page.picture(0)
    assert page.look(0) == Look(300, 420)
    assert (stored.width, stored.height, stored.source_box) == (150, 210, Box(0, 0, 300, 420))
    assert apart(stored, draw_page().resize((150, 210), Image.Resampling.BOX)) < 6


@pytest.mark.parametrize("what", ["a scan", "a picture", "a mask", "tiles"])
def test_a_page_with_more_pixels_than_are_safe_is_refused(tmp_path: Path, what: str) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=600, height=800)
        large = saved(draw_page(1000, 1500).convert("1"), "PNG")
        if what == "a mask":
            page.insert_image((0, 0, 600, 800), stream=saved(draw_page(), "PNG"), mask=large)
        elif what == "tiles":
            for top in range(0, 800, 200):
                strip = saved(draw_page(1200, 400).convert("1"), "PNG")
                page.insert_image((0, top, 600, top + 200), stream=strip, keep_proportion=False)
        else:
            page.insert_image((0, 0, 600, 800), stream=large, keep_proportion=False)
        if what == "a picture":
            page.insert_text((100, 100), "drawn over it")
        if what == "a mask":
            # Its width is an object of its own.
            (mask,) = {item[1] for item in page.get_images(full=True)}
            width = document.get_new_xref()
            document.update_object(width, "1000")
            document.xref_set_key(mask, "Width", f"{width} 0 R")
        document.save(tmp_path / "x.pdf")
    refused, taken = (opened(tmp_path / "x.pdf", megapixels=most).pages[0] for most in (1, 2))
    for ask in (refused.look, refused.picture):
        with pytest.raises(InputError, match=r"x\.pdf!1 has 2 megapixels, more than the 1 ") as error:
            ask(0)
        assert "--set limits.megapixels=" in error.value.hint
    assert taken.picture(0).height == taken.look(0).height


def test_a_strip_that_is_too_much_to_load_is_rendered_smaller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "LOADED", 1_000_000)
    monkeypatch.setattr(pdf, "MOST_PIXELS", 40_000)
    strip = draw_page(400, 1600)
    (page,) = opened(scan_pdf(tmp_path / "x.pdf", saved(strip, "PNG"))).pages
    stored = page.picture(0)
    assert page.look(0) == Look(400, 1600)
    assert (stored.width, stored.height, stored.source_box) == (100, 400, Box(0, 0, 400, 1600))
    assert apart(stored, strip.resize((100, 400), Image.Resampling.BOX)) < 6


@pytest.mark.parametrize("orientation", [3, 6])
def test_a_scan_is_not_turned_as_its_exif_says(tmp_path: Path, orientation: int) -> None:
    page = draw_page()
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = saved(page, "JPEG", exif=exif, quality=95)
    (source,) = opened(one_picture(tmp_path / "x.pdf", b"/ColorSpace/DeviceRGB/Filter/DCTDecode", data)).pages
    assert source.look(0) == Look(300, 420)
    assert apart(source.picture(0), page) < 4


def test_passwords(tmp_path: Path) -> None:
    data = saved(draw_page(), "JPEG")
    locked = {"encryption": AES_256, "owner_pw": "owner"}
    path = scan_pdf(tmp_path / "x.pdf", data, user_pw="käse", **locked)
    for password in (None, "wrong"):
        with pytest.raises(PasswordNeededError, match="encrypted") as error:
            opened(path, password)
        assert "--password" in error.value.hint
    assert opened(path, "käse").pages[0].picture(0).data == data
    assert opened(scan_pdf(tmp_path / "y.pdf", data, **locked)).pages[0].picture(0).data == data


def test_what_a_pdf_says_of_itself(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        for _ in range(6):
            document.new_page()
        document.set_metadata({"title": " Captain  Science ", "author": "nobody"})
        document.set_toc([[1, "Captain Science", 1], [2, "The Rocket", 1], [2, "The Moon", 4], [3, "Night", 5]])
        catalog = document.pdf_catalog()
        document.xref_set_key(catalog, "Lang", "(ja-JP)")
        document.xref_set_key(catalog, "ViewerPreferences", "<</Direction/R2L>>")
        document.save(tmp_path / "x.pdf")
    told = opened(tmp_path / "x.pdf").metadata()
    assert (told.title, told.language, told.direction) == ("Captain Science", "ja-JP", "rtl")
    assert told.chapters == {0: "The Rocket", 3: "The Moon"}
    assert "PDF" in told.origin


@pytest.mark.parametrize("title", ["", "untitled", "Microsoft Word - x", "volume 1.indd"])
def test_what_a_program_put_in_is_no_title_and_an_outline_of_all_pages_no_chapters(tmp_path: Path, title: str) -> None:
    with pymupdf.open() as document:
        for _ in range(5):
            document.new_page()
        document.set_metadata({"title": title})
        document.set_toc([[1, f"Page {i}", i] for i in range(1, 6)])
        document.save(tmp_path / "x.pdf")
    told = opened(tmp_path / "x.pdf").metadata()
    assert (told.title, told.language, told.direction, told.chapters) == ("x", None, None, {})
    assert told.origin == "the book's name"


CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
SHEET = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>"


@pytest.mark.parametrize(
    "objects",
    [
        [b"<</Type/Catalog>>"],
        [CATALOG, b"<</Type/Pages/Count 0/Kids[]>>"],
        [CATALOG, b"<</Type/Pages/Count 100000000/Kids[3 0 R]>>", SHEET],
        [CATALOG, b"<</Type/Pages/Count -3/Kids[3 0 R]>>", SHEET],
    ],
)
def test_a_pdf_whose_pages_cannot_be_counted_is_one_sentence_and_a_hint(tmp_path: Path, objects: list[bytes]) -> None:
    with pytest.raises(InputError, match=r"x\.pdf") as error:
        opened(written_pdf(tmp_path / "x.pdf", objects))
    assert error.value.hint


def test_a_page_tree_that_runs_in_a_circle_gives_the_pages_it_has(tmp_path: Path) -> None:
    path = written_pdf(tmp_path / "x.pdf", [CATALOG, b"<</Type/Pages/Count 3/Kids[3 0 R 2 0 R]>>", SHEET])
    first, *others = opened(path).pages
    assert first.look(0).blank
    for page in others:
        with pytest.raises(InputError, match=r"x\.pdf![23]"):
            page.look(0)


def test_a_broken_scan_is_named_and_the_others_still_read(tmp_path: Path) -> None:
    scans = [saved(draw_page(shade=shade), "JPEG") for shade in (255, 200, 150)]
    path = scan_pdf(tmp_path / "x.pdf", *scans)
    data = path.read_bytes()
    place = data.index(scans[1])
    path.write_bytes(data[: place + 900] + bytes(len(scans[1]) - 900) + data[place + len(scans[1]) :])
    first, broken, last = opened(path).pages
    assert (first.picture(0).data, last.picture(0).data) == (scans[0], scans[2])
    with pytest.raises(InputError, match=r"x\.pdf!2 is broken"):
        broken.look(0)


def test_too_many_pages_are_refused(tmp_path: Path) -> None:
    path = scan_pdf(tmp_path / "x.pdf", *[saved(draw_page(), "JPEG")] * 3)
    with pytest.raises(InputError, match="3 pages") as error:
        opened(path, entries=2)
    assert "--set limits.entries=" in error.value.hint


def test_a_pdf_is_told_by_content(tmp_path: Path) -> None:
    for name, data, told in (
        ("x.cbz", b"%PDF-1.4", True),
        ("y.pdf", b"junk before\n%PDF-1.4", True),
        ("z.pdf", b"PK\x03\x04 stored %PDF-1.4", False),
        ("w.pdf", b"text", False),
    ):
        (tmp_path / name).write_bytes(data)
        assert is_pdf(tmp_path / name) is told
    assert not is_pdf(tmp_path)
    with pytest.raises(InputError, match="not a readable PDF"):
        opened(tmp_path / "x.cbz")


def test_pages_can_be_read_from_several_threads(tmp_path: Path) -> None:
    scans = [saved(draw_page(shade=shade), "JPEG") for shade in range(60, 220, 20)]
    pages = opened(scan_pdf(tmp_path / "x.pdf", *scans)).pages
    read: dict[int, bytes] = {}
    threads = [
        threading.Thread(target=lambda i=i: read.update({i: pages[i].picture(0).data})) for i in range(len(pages))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [read.get(i) for i in range(len(scans))] == scans


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("odd/ocrmypdf_jbig2.pdf", [(2550, 3300)]),
        ("odd/ocrmypdf_jbig2_baddevicen.pdf", [(2550, 3300)]),
        ("odd/pikepdf_ccitt-endofline-true.pdf", [(2416, 3437)]),
        ("odd/pikepdf_pike-flate-jp2.pdf", [(120, 44)]),
        ("odd/ocrmypdf_cardinal.pdf", [(2550, 3300), (3300, 2550), (2550, 3300), (3300, 2550)]),
        ("odd/ocrmypdf_aspect.pdf", [(2000, 1600)]),
        ("odd/pypdf_inline-image.pdf", [(2121, 3000)]),
        ("derived_odd/striped_images.pdf", [(600, 869), (600, 881), (600, 867)]),
        ("derived_odd/rotate_90_180_270.pdf", [(869, 600), (600, 881), (867, 600)]),
        ("derived_odd/mixed_sizes.pdf", [(600, 869), (1200, 875), (600, 881), (600, 867)]),
    ],
)
def test_real_odd_pdfs(shared: Path, name: str, sizes: list[tuple[int, int]]) -> None:
    pages = opened(shared / "pages" / name).pages
    stored = [page.picture(0) for page in pages]
    assert [(picture.width, picture.height) for picture in stored] == sizes
    assert [(page.look(0).width, page.look(0).height) for page in pages] == sizes
    assert all(80 < pixels(picture).mean() < 254 for picture in stored)


def fax(picture: Image.Image) -> bytes:
    """A black and white picture in the code of CCITT group 4, black as ones."""
    data = saved(picture, "TIFF", compression="group4", tiffinfo={262: 0, 278: picture.height})
    with TiffImagePlugin.TiffImageFile(BytesIO(data)) as tiff:
        (start,), (length,) = tiff.tag_v2[273], tiff.tag_v2[279]
    return data[start : start + length]


def segment(number: int, kind: int, data: bytes) -> bytes:
    """A segment of a JBIG2 stream, on page 1, that refers to no other."""
    return struct.pack(">IBBBI", number, kind, 0, 1, len(data)) + data


def jbig2(picture: Image.Image) -> bytes:
    """A black and white picture as a JBIG2 page of one generic region, which may be in fax code."""
    width, height = picture.size
    page = segment(0, 48, struct.pack(">IIIIBH", width, height, 0, 0, 0, 0))
    region = struct.pack(">IIIIBB", width, height, 0, 0, 0, 1) + fax(picture)
    return page + segment(1, 38, region)


@pytest.mark.parametrize("coding", ["CCITTFaxDecode", "JBIG2Decode", "JPXDecode"])
def test_scanners_codings_are_read(tmp_path: Path, coding: str) -> None:
    shown = draw_page().convert("1", dither=Image.Dither.NONE)
    bits = b"/Filter/%s/ColorSpace/DeviceGray/BitsPerComponent 1" % coding.encode()
    if coding == "CCITTFaxDecode":
        data, extra = fax(shown), bits + b"/DecodeParms<</K -1/Columns 300/Rows 420>>"
    elif coding == "JBIG2Decode":
        data, extra = jbig2(shown), bits
    else:
        data, extra = saved(shown.convert("L"), "JPEG2000"), b"/Filter/JPXDecode/ColorSpace/DeviceGray"
    (page,) = opened(one_picture(tmp_path / "x.pdf", extra, data)).pages
    stored = page.picture(0)
    assert (stored.width, stored.height) == (300, 420)
    assert apart(stored, shown) < 2


def test_a_picture_inside_the_page_is_rendered(tmp_path: Path) -> None:
    steps = b"q 150 0 0 210 0 0 cm BI /W 2 /H 2 /CS /G /BPC 8 ID \x00\xff\xff\x00 EI Q"
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 150 210]/Contents 4 0 R/Resources<<>>>>"
    contents = b"<</Length %d>>stream\n%s\nendstream" % (len(steps), steps)
    tree = b"<</Type/Pages/Count 1/Kids[3 0 R]>>"
    book = written_pdf(tmp_path / "y.pdf", [b"<</Type/Catalog/Pages 2 0 R>>", tree, page, contents])
    stored = pixels(opened(book).pages[0].picture(0))
    height, width = stored.shape[:2]
    quarters = [stored[y, x, 0] for y in (height // 4, 3 * height // 4) for x in (width // 4, 3 * width // 4)]
    assert [int(level > 128) for level in quarters] == [0, 1, 1, 0]
