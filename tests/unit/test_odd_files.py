"""Every odd file of ../shared through ingest: its pages, their sizes, order and title, or the sentence it ends in.

What is written here was checked by eye against what each folder's manifest says is strange about the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from comic_narrator.errors import InputError
from comic_narrator.ingest import NumberedPage
from tests.books import opened

pytestmark = pytest.mark.shared


@dataclass(frozen=True)
class Row:
    """A file below ../shared/pages and what becomes of it; `pages` are sizes, or why a picture gives no page."""

    file: str
    title: str = ""
    pages: str = ""
    refused: str = ""
    password: str | None = None


# fmt: off
ROWS = [
    Row("odd/comicbox_0.pdf", refused="The only page of comicbox_0 is blank."),
    Row("odd/comicbox_3.pdf", "comicbox 3", "2318x3000"),
    Row("odd/comicbox_Captain_Science_no001-cbi.cbr", "The Beginning", "114x160 110x160 112x160 112x160 112x160"),
    Row(
        "odd/comicbox_Captain_Science_no001-cix-cbi.cbr",
        "The Beginning; The End",
        "114x160 110x160 112x160 112x160 112x160",
    ),
    Row(
        "odd/comicbox_Captain_Science_no001-cix.cbt",
        "The Beginning; The End",
        "114x160 110x160 112x160 112x160 112x160",
    ),
    Row("odd/comicbox_Captain_Science_no001.cb7", "The Beginning; The End", "114x160 110x160 112x160 112x160 112x160"),
    Row("odd/comicbox_Captain_Science_no001.cbz", "The Beginning; The End", "114x160 110x160 112x160 112x160 112x160"),
    Row("odd/comicbox_empty.cbz", refused="The ZIP archive comicbox_empty.cbz holds no pictures."),
    Row("odd/comicbox_macos_resource_fork.cbz", "comicbox macos resource fork", "114x160 110x160"),
    Row(
        "odd/comictagger_fake_cbr.cbr",
        refused="None of the 8 pages of comictagger_fake_cbr can be read: "
        "comictagger_fake_cbr.cbr!00.jpg is not a picture this program can read.",
    ),
    Row("odd/ocrmypdf_aspect.pdf", "aspect", "2000x1600"),
    Row("odd/ocrmypdf_baiona_cmyk.jpg", "ocrmypdf baiona cmyk", "640x682"),
    Row("odd/ocrmypdf_cardinal.pdf", "ocrmypdf cardinal", "2550x3300 3300x2550 2550x3300 3300x2550"),
    Row("odd/ocrmypdf_cmyk.pdf", "Adobe Photoshop PDF", "2000x2000"),
    Row("odd/ocrmypdf_enormous.pdf", "ocrmypdf enormous", "6000x6000"),
    Row(
        "odd/ocrmypdf_hugemono.pdf",
        refused="ocrmypdf_hugemono.pdf!1 has 1225 megapixels, more than the 200 that are safe to decode.",
    ),
    Row("odd/ocrmypdf_invalid.pdf", refused="ocrmypdf_invalid.pdf is not a readable PDF."),
    Row("odd/ocrmypdf_jbig2.pdf", "ocrmypdf jbig2", "2550x3300"),
    Row("odd/ocrmypdf_jbig2_baddevicen.pdf", "ocrmypdf jbig2 baddevicen", "2550x3300"),
    Row("odd/ocrmypdf_lichtenstein.pdf", "ocrmypdf lichtenstein", "512x512"),
    Row("odd/ocrmypdf_negzero.pdf", "ocrmypdf negzero", "2120x3000"),
    Row("odd/ocrmypdf_no_contents.pdf", refused="The only page of ocrmypdf_no_contents is blank."),
    Row("odd/ocrmypdf_rotated_skew.pdf", "ocrmypdf rotated skew", "2318x3000"),
    Row("odd/pikepdf_ccitt-endofline-true.pdf", "pikepdf ccitt-endofline-true", "2416x3437"),
    Row("odd/pikepdf_cmyk-jpeg.pdf", "pikepdf cmyk-jpeg", "2x2"),
    Row("odd/pikepdf_fourpages.pdf", "pikepdf fourpages", "2318x3000 2318x3000 2318x3000 2318x3000"),
    Row("odd/pikepdf_graph-encrypted.pdf", refused="pikepdf_graph-encrypted.pdf is encrypted: it needs a password."),
    Row(
        "odd/pikepdf_graph-encrypted.pdf",
        'Replacement of "creationism" with "intelligent design"',
        "2272x1848",
        password="user",
    ),
    Row("odd/pikepdf_image-mono-inline.pdf", "pikepdf image-mono-inline", "3000x2250"),
    Row("odd/pikepdf_jbig2.pdf", "pikepdf jbig2", "1000x1520"),
    Row("odd/pikepdf_jbig2global.pdf", "pikepdf jbig2global", "4000x2864"),
    Row("odd/pikepdf_pal-1bit-trivial.pdf", "pikepdf pal-1bit-trivial", "2x2"),
    Row("odd/pikepdf_pike-flate-jp2.pdf", "pikepdf pike-flate-jp2", "120x44"),
    Row("odd/pikepdf_pike-jp2.pdf", "pikepdf pike-jp2", "120x44"),
    Row("odd/pypdf_cmyk-image.pdf", "pypdf cmyk-image", "1545x2000"),
    Row("odd/pypdf_grayscale-image.pdf", "pypdf grayscale-image", "324x450"),
    Row("odd/pypdf_habibi-rotated.pdf", "pypdf habibi-rotated", "3000x2121 2121x3000 3000x2121 2121x3000"),
    Row("odd/pypdf_inline-image.pdf", "pypdf inline-image", "2121x3000"),
    Row(
        "odd/pypdf_libreoffice-writer-password.pdf",
        refused="pypdf_libreoffice-writer-password.pdf is encrypted: it needs a password.",
    ),
    Row(
        "odd/pypdf_libreoffice-writer-password.pdf",
        "pypdf libreoffice-writer-password",
        "2121x3000",
        password="openpassword",
    ),
    Row(
        "odd/rarfile_rar202-comment-nopsw.rar",
        refused="The RAR archive rarfile_rar202-comment-nopsw.rar holds no pictures.",
    ),
    Row("odd/rarfile_rar3-solid.rar", refused="The RAR archive rarfile_rar3-solid.rar holds no pictures."),
    Row("odd/rarfile_rar3-subdirs.rar", refused="The RAR archive rarfile_rar3-subdirs.rar holds no pictures."),
    Row(
        "odd/rarfile_rar3-vols.part1.rar",
        refused="rarfile_rar3-vols.part2.rar is missing: "
        "rarfile_rar3-vols.part1.rar is one of several files that make this book.",
    ),
    Row("odd/rarfile_rar5-crc.sfx", refused="The RAR archive rarfile_rar5-crc.sfx holds no pictures."),
    Row(
        "odd/rarfile_rar5-evil-symlink-traversal.rar",
        refused="The RAR archive rarfile_rar5-evil-symlink-traversal.rar holds no pictures.",
    ),
    Row("odd/rarfile_rar5-hpsw.rar", refused="rarfile_rar5-hpsw.rar is encrypted."),
    Row(
        "odd/rarfile_rar5-hpsw.rar",
        refused="The RAR archive rarfile_rar5-hpsw.rar holds no pictures.",
        password="password",
    ),
    Row("odd/rarfile_rar5-psw.rar", refused="rarfile_rar5-psw.rar is encrypted."),
    Row(
        "odd/rarfile_rar5-psw.rar",
        refused="The RAR archive rarfile_rar5-psw.rar holds no pictures.",
        password="password",
    ),
    Row("odd/rarfile_rar5-solid.rar", refused="The RAR archive rarfile_rar5-solid.rar holds no pictures."),
    Row("odd/rarfile_unicode.rar", refused="The RAR archive rarfile_unicode.rar holds no pictures."),
    Row("odd/rarfile_unicode2.rar", refused="The RAR archive rarfile_unicode2.rar holds no pictures."),
    Row("derived_odd/cmyk_jpeg.pdf", "cmyk jpeg", "700x1028"),
    Row("derived_odd/comicinfo_rtl.cbz", "RTL flag", "600x869 600x881"),
    Row("derived_odd/duplicate_names.cbz", "duplicate names", "600x869 600x881 600x867"),
    Row(
        "derived_odd/encrypted_aes256_user-password.pdf",
        refused="encrypted_aes256_user-password.pdf is encrypted: it needs a password.",
    ),
    Row(
        "derived_odd/encrypted_aes256_user-password.pdf",
        "encrypted aes256 user-password",
        "600x869 600x881 600x867",
        password="comic",
    ),
    Row("derived_odd/encrypted_owner_only.pdf", "encrypted owner only", "600x869 600x881 600x867"),
    Row("derived_odd/folder_covers_spread.cbz", "folder covers spread", "600x869 602x875 598x875"),
    Row("derived_odd/hidden_text_and_blank_page.pdf", "hidden text and blank page", "600x881 blank"),
    Row("derived_odd/jpx_image.pdf", "jpx image", "700x1028"),
    Row("derived_odd/mixed_broken.cbz", "mixed broken", "600x869 broken broken 600x867 broken"),
    Row("derived_odd/mixed_sizes.pdf", "mixed sizes", "600x869 602x875 598x875 600x881 600x867"),
    Row("derived_odd/natural_sort.cbz", "natural sort", "600x869 600x881 600x867"),
    Row("derived_odd/nested_macosx_junk.cbz", "Buster Bear", "600x869 600x881 600x867"),
    Row("derived_odd/page.avif", "page", "700x1028"),
    Row("derived_odd/page.jp2", "page", "700x1028"),
    Row("derived_odd/page_cmyk.jpg", "page cmyk", "760x1116"),
    Row("derived_odd/page_exif_orientation6.jpg", "page exif orientation6", "700x1028"),
    Row("derived_odd/page_gray16.png", "page gray16", "620x911"),
    Row("derived_odd/page_gray_alpha.png", "page gray alpha", "700x1028"),
    Row("derived_odd/page_huge_9000x13221_1bit.png", "page huge 9000x13221 1bit", "4084x6000"),
    Row("derived_odd/page_is_png_named.jpg", "page is png named", "700x1028"),
    Row("derived_odd/page_palette32.png", "page palette32", "700x1028"),
    Row("derived_odd/page_skew_2.5deg.jpg", "page skew 2.5deg", "746x1058"),
    Row("derived_odd/page_truncated.jpg", refused="page_truncated.jpg is broken: it is cut off."),
    Row("derived_odd/page_upside_down_no_exif.jpg", "page upside down no exif", "700x1028"),
    Row("derived_odd/page_zero_bytes.jpg", refused="page_zero_bytes.jpg is broken: it is empty."),
    Row("derived_odd/rar_named.cbz", "rar named", "810x1147 1600x1155 797x1147"),
    Row("derived_odd/rotate_90_180_270.pdf", "rotate 90 180 270", "869x600 600x881 867x600"),
    Row("derived_odd/sjis_names.cbz", "sjis names", "600x869 600x881 600x867"),
    Row("derived_odd/striped_images.pdf", "striped images", "600x869 600x881 600x867"),
    Row("derived_odd/three_frames.gif", "three frames", "300x434"),
    Row("derived_odd/three_pages.tif", "three pages", "300x434 300x440 300x434"),
    Row("derived_odd/zip_named.cbr", "zip named", "600x869 600x881 600x867"),
    Row("derived_odd/zip_slip.cbz", "zip slip", "600x881 600x869 600x867"),
    Row("kumiko_synthetic/simple.png", "simple", "848x1200"),
    Row("golden_age_comicinfo/BusterBear10.cbz", "BusterBear10", "1055x1528 1034x1519 1050x1517"),
    Row(
        "golden_age_comicinfo/ChillingTales013.pdf",
        "ChillingTales013",
        "1100x1546 1100x1587 1100x1546 1100x1587 1100x1520",
    ),
    Row("golden_age_hackur/cbr/things-to-come-1955-01.cbr", "things to come 1955-01", "810x1147 1600x1155 797x1147"),
    Row(
        "golden_age_hackur/cbz/marvel-family-66-inside-covers.cbz", "marvel family 66 inside covers", "697x961 643x956"
    ),
    Row("golden_age_hackur/images/sample-folder/page-02.jpg", "page-02", "500x694"),
    Row("golden_age_hackur/malformed/no-images.cbz", refused="The ZIP archive no-images.cbz holds no pictures."),
    Row(
        "golden_age_hackur/malformed/truncated.cbz",
        refused="truncated.cbz is a broken ZIP archive: it is cut off, or its directory is gone.",
    ),
    Row(
        "golden_age_hackur/malformed/wrong-magic.cbr",
        refused="wrong-magic.cbr is not a PDF, an archive or a picture, whatever its name says.",
    ),
    Row("golden_age_hackur/images/sample-folder", "sample-folder", "500x694"),
    Row("golden_age_comicinfo/pages", "pages", "1055x1528 1034x1519 1050x1517 1100x1546 1100x1587 1100x1520"),
    Row("msdemo_mangasensei/msdemo-001-station.png", "msdemo 001 station", "1440x2048"),
    Row("msdemo_mangasensei/msdemo-002-library.png", "msdemo 002 library", "1440x2048"),
    Row("msdemo_mangasensei/msdemo-003-laboratory.png", "msdemo 003 laboratory", "1440x2048"),
    Row("msdemo_mangasensei/msdemo-004-rain.png", "msdemo 004 rain", "1440x2048"),
    Row("pd_strips_pixwarp/baron-bean-strip.cbz", "baron bean strip", "1080x266"),
]
# fmt: on


ORDERS = {
    "derived_odd/natural_sort.cbz": ["Page 1.jpg", "Page 2.jpg", "Page 10.jpg"],
    "derived_odd/sjis_names.cbz": [
        "第１巻/第０１話_表紙.jpg",
        "第１巻/第０２話_ソ表.jpg",
        "第１巻/第１０話.jpg",
    ],
    "derived_odd/nested_macosx_junk.cbz": [
        "Vol 1/Chapter 1/001.jpg",
        "Vol 1/Chapter 1/002.jpg",
        "Vol 1/Chapter 2/001.jpg",
    ],
    "derived_odd/three_pages.tif": ["three_pages.tif", "three_pages.tif#2", "three_pages.tif#3"],
    "derived_odd/rar_named.cbz": [
        "Things To Come [1955-01] Page-001.jpg",
        "Things To Come [1955-01] Page-002 & 003.jpg",
        "Things To Come [1955-01] Page-004.jpg",
    ],
}

SAME_PAGE = "golden_age_comicinfo/pages/BusterBear10_0003.jpg"
COPIES = [
    "cmyk_jpeg.pdf",
    "jpx_image.pdf",
    "page.avif",
    "page.jp2",
    "page_cmyk.jpg",
    "page_exif_orientation6.jpg",
    "page_gray16.png",
    "page_gray_alpha.png",
    "page_huge_9000x13221_1bit.png",
    "page_is_png_named.jpg",
    "page_palette32.png",
]
"""Files of derived_odd that show that page in another format."""
GREY = {"page_gray16.png", "page_gray_alpha.png", "page_huge_9000x13221_1bit.png"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.file}{'+password' if row.password else ''}")
def test_each_file_becomes_what_is_written_of_it(row: Row, shared: Path, tmp_path: Path) -> None:
    file = shared / "pages" / row.file
    if row.refused:
        with pytest.raises(InputError) as error, opened(file, tmp_path, password=row.password):
            pass
        assert error.value.what == row.refused
        assert error.value.exit_code == 3
        assert error.value.hint
        return
    with opened(file, tmp_path, password=row.password) as (paging, pages):
        assert paging.title == row.title
        assert " ".join(sizes(pages)) == row.pages
    assert not list(tmp_path.iterdir())


def sizes(pages: tuple[NumberedPage, ...]) -> Iterator[str]:
    for page in pages:
        picture = page.picture() if page.picture else None
        yield f"{picture.width}x{picture.height}" if picture else page.treat


def test_every_odd_file_has_its_row(shared: Path) -> None:
    there = {
        path.relative_to(shared / "pages").as_posix()
        for folder in ("odd", "derived_odd")
        for path in (shared / "pages" / folder).iterdir()
        if path.name != "manifest.json"
    }
    assert there <= {row.file for row in ROWS}


@pytest.mark.parametrize("file", ORDERS)
def test_pages_come_in_the_order_of_their_names(file: str, shared: Path, tmp_path: Path) -> None:
    with opened(shared / "pages" / file, tmp_path) as (_, pages):
        assert [page.source.partition("!")[2] or page.source for page in pages] == ORDERS[file]


@pytest.mark.parametrize("copy", COPIES)
def test_a_page_looks_the_same_in_every_format(copy: str, shared: Path, tmp_path: Path) -> None:
    looks = [small(shared / "pages" / file, tmp_path) for file in (SAME_PAGE, f"derived_odd/{copy}")]
    if copy in GREY:
        looks = [look.mean(axis=2, keepdims=True) for look in looks]
    if "1bit" in copy:
        # Black and white by a threshold: as light as the original in no place, but light and dark where it is.
        assert np.corrcoef(looks[0].ravel(), looks[1].ravel())[0, 1] > 0.7
    else:
        assert np.abs(looks[0] - looks[1]).mean() < 12


def small(file: Path, unpacked: Path) -> NDArray[np.float32]:
    """The first page of a book, so small that only its colours and where they lie are left."""
    with opened(file, unpacked) as (_, pages):
        assert pages[0].picture
        data = pages[0].picture().data
    with Image.open(BytesIO(data)) as picture:
        return np.asarray(picture.convert("RGB").resize((16, 24), Image.Resampling.BOX), np.float32)
