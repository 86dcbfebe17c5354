"""Picture files: whole ones become upright pages in sRGB or keep their bytes, damaged ones are named."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageCms, ImageDraw, TiffImagePlugin

from comic_narrator import pictures
from comic_narrator.errors import InputError
from comic_narrator.ingest import encode
from comic_narrator.ingest.source import Limits, Look, PagePicture
from comic_narrator.model import Box
from comic_narrator.pictures import decode_rgb, load_rgb
from tests.conftest import draw_page

LIMITS = Limits()


def saved(picture: Image.Image, kind: str, **options: Any) -> bytes:
    out = BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def pixels(stored: PagePicture) -> NDArray[np.int16]:
    return np.asarray(Image.open(BytesIO(stored.data)).convert("RGB"), np.int16)


def apart(one: NDArray[np.int16], other: Image.Image) -> float:
    return float(np.abs(one - np.asarray(other.convert("RGB"), np.int16)).mean())


def turned_by(orientation: int) -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif


def swapped_profile() -> bytes:
    """The profile of a screen whose red and green have changed places."""
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    for place in range(132, 132 + 12 * int.from_bytes(profile[128:132], "big"), 12):
        tag = bytes(profile[place : place + 4])
        if tag in (b"rXYZ", b"gXYZ"):
            profile[place : place + 4] = b"gXYZ" if tag == b"rXYZ" else b"rXYZ"
    return bytes(profile)


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def announced_png(width: int, height: int) -> bytes:
    """A PNG of that size in its header and hardly any pixels."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(bytes(100))) + chunk(b"IEND", b"")


@pytest.mark.parametrize("mode", ["1", "L", "RGB", "P"])
def test_plain_pngs_keep_their_bytes(mode: str) -> None:
    data = saved(draw_page().convert(mode), "PNG")
    stored = encode.encode(data, "x", LIMITS)
    assert (stored.data, stored.suffix, stored.source_box) == (data, ".png", Box(0, 0, 300, 420))


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"quality": 40}, {"exif": turned_by(1)}])
@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_plain_jpegs_keep_their_bytes(mode: str, options: dict[str, Any]) -> None:
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    data = saved(draw_page().convert(mode), "JPEG", icc_profile=srgb if mode == "RGB" else None, **options)
    for file in (data, data + b"junk that a camera left"):
        assert encode.look(file, "x", LIMITS) == Look(300, 420)
        assert encode.encode(file, "x", LIMITS).data == file


@pytest.mark.parametrize(
    ("kind", "mode", "near"),
    [
        ("WEBP", "RGB", 8),
        ("AVIF", "RGB", 8),
        ("JPEG2000", "RGB", 3),
        ("GIF", "P", 10),
        ("BMP", "RGB", 0),
        ("TIFF", "RGB", 0),
        ("TIFF", "CMYK", 2),
        ("JPEG", "CMYK", 8),
    ],
)
def test_every_format_shows_the_page_it_was_made_from(kind: str, mode: str, near: float) -> None:
    page = draw_page()
    data = saved(page.convert(mode), kind)
    stored = encode.encode(data, "x", LIMITS)
    assert encode.look(data, "x", LIMITS) == Look(300, 420)
    assert stored.suffix == ".png"
    assert apart(pixels(stored), page) <= near


def test_cmyk_of_other_programs_than_adobe_is_not_inverted() -> None:
    page = draw_page()
    # Pillow marks its file as Adobe's, and inverts it.
    data = bytearray(saved(ImageChops.invert(page.convert("CMYK")), "JPEG", quality=95))
    place = data.index(b"\xff\xee")
    length = int.from_bytes(data[place + 2 : place + 4], "big")
    del data[place : place + 2 + length]
    assert apart(pixels(encode.encode(bytes(data), "x", LIMITS)), page) < 8


def test_sixteen_bits_are_scaled_not_clipped() -> None:
    grey = np.asarray(draw_page().convert("L"))
    data = saved(Image.fromarray(grey.astype(np.uint16) * 257), "PNG")
    assert apart(pixels(encode.encode(data, "x", LIMITS)), Image.fromarray(grey)) <= 1


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_transparent_paper_is_white(mode: str) -> None:
    clear = Image.new(mode, (40, 60), 0)
    data = saved(clear, "PNG", transparency=0) if mode == "P" else saved(clear, "PNG")
    assert pixels(encode.encode(data, "x", LIMITS)).min() == 255


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_turned_picture_is_stored_upright(kind: str, orientation: int) -> None:
    page = draw_page(304, 400)
    back = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }.get(orientation)
    lying = page if back is None else page.transpose(back)
    data = saved(lying, kind, exif=turned_by(orientation))
    assert encode.look(data, "x", LIMITS) == Look(304, 400)
    assert apart(pixels(encode.encode(data, "x", LIMITS)), page) < 8


def test_a_profile_of_other_colours_is_turned_to_srgb() -> None:
    data = saved(Image.new("RGB", (64, 64), (200, 60, 60)), "PNG", icc_profile=swapped_profile())
    red, green, _ = pixels(encode.encode(data, "x", LIMITS))[0, 0]
    assert green > red + 50


def test_a_broken_profile_or_one_for_other_colours_is_passed_over() -> None:
    for profile in (b"no profile", swapped_profile()[:200]):
        data = saved(draw_page(), "PNG", icc_profile=profile)
        assert encode.encode(data, "x", LIMITS).data == data
    data = saved(draw_page().convert("L"), "PNG", icc_profile=swapped_profile())
    assert encode.encode(data, "x", LIMITS).data == data


def test_a_tiff_has_its_pages_and_a_gif_one(tmp_path: Path) -> None:
    pages = [draw_page(120, 160, shade) for shade in (255, 120, 60)]
    tiff = saved(pages[0], "TIFF", save_all=True, append_images=pages[1:])
    gif = saved(pages[0], "GIF", save_all=True, append_images=pages[1:])
    assert len(encode.places(tiff, "x", LIMITS)) == 3
    assert len(encode.places(gif, "x", LIMITS)) == 1
    for place, page in zip(encode.places(tiff, "x", LIMITS), pages, strict=True):
        assert encode.look(tiff, "x", LIMITS, place) == Look(120, 160)
        assert apart(pixels(encode.encode(tiff, "x", LIMITS, place)), page) == 0
    assert apart(pixels(encode.encode(gif, "x", LIMITS)), pages[0]) < 6
    with pytest.raises(InputError, match="more than 2 pages"):
        encode.places(tiff, "x", Limits(entries=2))


def test_the_thumbnail_in_a_tiff_is_no_page() -> None:
    out = BytesIO()
    with TiffImagePlugin.AppendingTiffWriter(out) as tiff:
        for picture, use in ((draw_page(60, 84), 1), (draw_page(), 0), (draw_page(120, 160), 2)):
            picture.save(tiff, "TIFF", tiffinfo={254: use})
            tiff.newFrame()
    places = encode.places(out.getvalue(), "x", LIMITS)
    assert [encode.look(out.getvalue(), "x", LIMITS, place).width for place in places] == [300, 120]
    assert encode.look(out.getvalue(), "x", LIMITS).width == 300


@pytest.mark.parametrize("big", [False, True])
def test_the_frames_of_a_tiff_are_gone_through_once(big: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    frames, gone_through = 40, 0
    pages = [draw_page(120, 160, shade) for shade in range(100, 100 + frames)]
    tiff = saved(pages[0], "TIFF", save_all=True, append_images=pages[1:], big_tiff=big)
    load = TiffImagePlugin.ImageFileDirectory_v2.load

    def counted(self: TiffImagePlugin.ImageFileDirectory_v2, fp: IO[bytes]) -> None:
        nonlocal gone_through
        gone_through += 1
        load(self, fp)

    monkeypatch.setattr(TiffImagePlugin.ImageFileDirectory_v2, "load", counted)
    for place, page in zip(encode.places(tiff, "x", LIMITS), pages, strict=True):
        assert encode.look(tiff, "x", LIMITS, place) == Look(120, 160)
        assert apart(pixels(encode.encode(tiff, "x", LIMITS, place)), page) == 0
    assert gone_through < 10 * frames


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF", "AVIF", "JPEG2000"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_cut_off_file_is_told_by_looking(kind: str, share: float) -> None:
    data = saved(draw_page(), kind)
    with pytest.raises(InputError, match=r"003\.jpg (is broken|is not a picture)") as error:
        encode.look(data[: int(len(data) * share)], "003.jpg", LIMITS)
    assert error.value.hint


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_a_file_overwritten_in_its_middle_is_told_by_looking(kind: str) -> None:
    grain = np.random.default_rng(0).integers(0, 255, (300, 200, 3), dtype=np.uint8)
    data = bytearray(saved(Image.fromarray(grain), kind))
    middle = len(data) // 2
    data[middle : middle + 4096] = np.random.default_rng(1).bytes(4096)
    with pytest.raises(InputError, match="broken"):
        encode.look(bytes(data), "x", LIMITS)


def test_a_jpeg_whose_pixels_break_off_at_what_is_no_marker_is_told_by_looking() -> None:
    data = bytearray(saved(draw_page(), "JPEG"))
    middle = data.index(b"\xff\xda") + 1000
    data[middle : middle + 6] = b"\xff\x37\x00\x02\xff\xe0"
    with pytest.raises(InputError, match="do not join"):
        encode.look(bytes(data), "x", LIMITS)


@pytest.mark.parametrize("stray", [b"\0\0\0", b"\xff\xff", b"junk"])
def test_what_stands_between_the_parts_of_a_jpeg_is_passed_over(stray: bytes) -> None:
    data = saved(draw_page(), "JPEG")
    for marker in (b"\xff\xc4", b"\xff\xdb", b"\xff\xd9"):
        place = data.rindex(marker)
        file = data[:place] + stray + data[place:]
        assert encode.look(file, "x", LIMITS) == Look(300, 420)
        assert apart(pixels(encode.encode(file, "x", LIMITS)), draw_page()) < 6


@pytest.mark.parametrize("mode", ["1", "L", "RGB", "RGBA"])
def test_a_png_whose_end_is_missing_is_whole_when_its_pixels_are(mode: str) -> None:
    data = saved(draw_page().convert(mode), "PNG")
    pixels_end = data.rindex(b"IEND") - 4
    for end in (pixels_end, pixels_end + 5, pixels_end - 4):
        assert encode.look(data[:end], "x", LIMITS) == Look(300, 420)
        assert apart(pixels(encode.encode(data[:end], "x", LIMITS)), draw_page().convert(mode)) == 0
    with pytest.raises(InputError, match="cut off"):
        encode.look(data[: pixels_end - 40], "x", LIMITS)


def test_only_what_a_png_needs_must_have_its_checksum() -> None:
    whole = saved(draw_page(), "PNG")
    header, pixels_at = whole.index(b"IHDR"), whole.index(b"IDAT")
    comment = bytearray(chunk(b"tEXt", b"Comment\0drawn by hand"))
    comment[-1] ^= 1
    for place in (pixels_at - 4, len(whole) - 12):
        file = whole[:place] + bytes(comment) + whole[place:]
        assert encode.look(file, "x", LIMITS) == Look(300, 420)
        assert apart(pixels(encode.encode(file, "x", LIMITS)), draw_page()) == 0
    for place in (header + 17, pixels_at + int.from_bytes(whole[pixels_at - 4 : pixels_at], "big") + 4):
        broken = bytearray(whole)
        broken[place] ^= 1
        with pytest.raises(InputError, match="checksum"):
            encode.look(bytes(broken), "x", LIMITS)


def test_a_jpeg_with_damaged_code_tables_is_told_by_looking() -> None:
    data = bytearray(saved(draw_page(), "JPEG"))
    place = data.index(b"\xff\xc4")
    data[place + 5] = 9
    with pytest.raises(InputError, match="code tables are damaged"):
        encode.look(bytes(data), "x", LIMITS)


def test_a_huge_picture_is_refused_by_its_header() -> None:
    with pytest.raises(InputError, match="900 megapixels") as error:
        encode.look(announced_png(30_000, 30_000), "x", LIMITS)
    assert "--set limits.megapixels=" in error.value.hint
    with pytest.raises(InputError, match="megapixels"):
        encode.look(saved(Image.new("L", (1200, 1000), 128), "PNG"), "x", Limits(megapixels=1))


def test_the_pixel_limit_that_pillow_has_for_all_of_the_process_is_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
    for kind in ("PNG", "GIF", "JPEG", "WEBP", "BMP"):
        assert encode.encode(saved(draw_page(), kind), "x", LIMITS).height == 420
    # Pillow's TIFF reader asks it nevertheless: then the picture is not called broken.
    with pytest.raises(InputError, match="more pixels than a TIFF"):
        encode.encode(saved(draw_page(), "TIFF"), "x", LIMITS)
    assert Image.MAX_IMAGE_PIXELS == 1000


@pytest.mark.parametrize("mode", ["1", "L", "RGB"])
def test_a_huge_page_is_made_to_fit_and_keeps_its_size_as_source(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encode, "LONG_SIDE", 210)
    page = draw_page().convert(mode)
    stored = encode.encode(saved(page, "PNG"), "x", LIMITS)
    assert (stored.width, stored.height, stored.source_box) == (150, 210, Box(0, 0, 300, 420))
    assert apart(pixels(stored), page.convert("RGB").resize((150, 210), Image.Resampling.BOX)) < 12


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize(
    ("kind", "mode"), [("PNG", "RGBA"), ("PNG", "P"), ("PNG", "1"), ("JPEG", "CMYK"), ("TIFF", "L")]
)
def test_a_picture_looks_the_same_whether_it_is_turned_to_srgb_at_once_or_in_bands(
    kind: str, mode: str, scaled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = draw_page()
    page.putalpha(Image.linear_gradient("L").resize(page.size))
    data = saved(page.convert(mode), kind, exif=turned_by(6))
    if scaled:
        monkeypatch.setattr(encode, "LONG_SIDE", 170)
    at_once = encode.encode(data, "x", LIMITS)
    monkeypatch.setattr(pictures, "BAND", 5000)
    in_bands = encode.encode(data, "x", LIMITS)
    assert (
        (in_bands.width, in_bands.height) == (at_once.width, at_once.height) == ((170, 121) if scaled else (420, 300))
    )
    assert np.abs(pixels(in_bands) - pixels(at_once)).max() <= 1


@pytest.mark.parametrize("orientation", [1, 6])
def test_a_large_jpeg_is_made_to_fit(orientation: int) -> None:
    data = saved(Image.new("RGB", (12_600, 400), "teal"), "JPEG", exif=turned_by(orientation))
    stored = encode.encode(data, "x", LIMITS)
    size = (encode.LONG_SIDE, 190) if orientation == 1 else (400, 12_600)
    assert (stored.width, stored.height) == size
    assert stored.source_box == (Box(0, 0, 12_600, 400) if orientation == 1 else Box(0, 0, 400, 12_600))


@given(st.integers(1, 60_000), st.integers(1, 60_000))
def test_what_is_stored_fits_and_keeps_its_shape(width: int, height: int) -> None:
    across, down = encode.fit(width, height)
    strip = height >= encode.STRIP_SHAPE * width
    assert across <= encode.STRIP_WIDTH if strip else max(across, down) <= encode.LONG_SIDE
    assert 1 <= across <= width
    assert abs(across / width - down / height) <= max(1 / width, 1 / height)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF"])
def test_empty_paper_is_blank_and_a_page_number_is_not(kind: str) -> None:
    paper = Image.new("RGB", (900, 1300), (250, 247, 240))
    assert encode.look(saved(paper, kind), "x", LIMITS).blank
    ImageDraw.Draw(paper).text((440, 1250), "7", fill="black", font_size=24)
    assert not encode.look(saved(paper, kind), "x", LIMITS).blank
    assert not encode.look(saved(Image.new("RGB", (900, 1300)), kind), "x", LIMITS).blank


def test_grain_on_empty_jpeg_paper_is_blank_still() -> None:
    grain = np.random.default_rng(0).normal(246, 1.5, (1300, 900)).round().astype(np.uint8)
    assert encode.look(saved(Image.fromarray(grain), "JPEG", quality=75), "x", LIMITS).blank


def test_pixels_are_stored_with_their_box_and_exactly_unless_they_had_a_grain() -> None:
    page = draw_page(1200, 1600)
    exact = encode.encode_pixels(np.asarray(page), Box(5, 6, 1200, 1600))
    lossy = encode.encode_pixels(np.asarray(page), Box(5, 6, 1200, 1600), lossy=True)
    assert (exact.suffix, lossy.suffix, exact.source_box) == (".png", ".jpg", Box(5, 6, 1200, 1600))
    assert encode.encode_pixels(np.asarray(page)[:40, :30], Box(0, 0, 30, 40), lossy=True).suffix == ".jpg"
    assert apart(pixels(exact), page) == 0
    assert apart(pixels(lossy), page) < 1


def test_a_stored_page_is_loaded_as_colours_on_white(tmp_path: Path) -> None:
    path = tmp_path / "page.png"
    Image.new("LA", (4, 6), (0, 0)).save(path)
    page = load_rgb(path)
    assert page.shape == (6, 4, 3)
    assert page.min() == 255
    path.write_bytes(b"")
    with pytest.raises(InputError, match=r"page\.png is broken: it is empty"):
        load_rgb(path)


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_a_page_is_decoded_coarsely_where_only_so_many_columns_are_needed(kind: str) -> None:
    page = draw_page(1200, 1600)
    data = saved(page, kind)
    assert np.abs(decode_rgb(data, "x").astype(int) - np.asarray(page)).mean() < 2
    widths = [decode_rgb(data, "x", least).shape[1] for least in (1200, 700, 300, 20)]
    assert widths == ([1200, 1200, 300, 150] if kind == "JPEG" else [1200] * 4)


@pytest.mark.shared
@pytest.mark.parametrize(
    "name", ["page_cmyk.jpg", "page_exif_orientation6.jpg", "page.avif", "page.jp2", "page_palette32.png"]
)
def test_real_pages_have_the_colours_of_the_scan_they_were_made_from(shared: Path, name: str) -> None:
    data = (shared / "pages" / "derived_odd" / name).read_bytes()
    scan = Image.open(shared / "pages" / "golden_age_comicinfo" / "pages" / "BusterBear10_0003.jpg")
    stored = encode.encode(data, name, LIMITS)
    assert stored.height > stored.width
    small = np.asarray(Image.open(BytesIO(stored.data)).convert("RGB").resize((50, 70)), np.int16)
    assert apart(small, scan.resize((50, 70))) < 4
