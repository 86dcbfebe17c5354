"""PDF pages that are one picture, whole or in strips: found without decoding them, and loaded losslessly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pymupdf
from PIL import Image

from comic_narrator.ingest import encode
from comic_narrator.pictures import shows_srgb

NOT_SEEN = "ignore-text"
"""The drawing step that leaves no mark: scans often carry an invisible text layer."""

CLIPS = re.compile(rb"\bW\*?\s+n\b")
"""Where a page's drawing steps may hide a part of what follows."""

COVERED = 0.97
"""Share of a page that its picture covers at least, and of the picture that the page shows: scans have thin margins."""

UNDISTORTED = 0.02
"""How far the two sides of a picture may be scaled differently; more is a scan of other resolution down than across."""

NAME = re.compile(rb"/([^\s/\[\]()<>{}%]+)\s+Do\b")
"""Where a page's drawing steps show a picture of that name."""

NUMBERED = re.compile(rb"#([0-9A-Fa-f]{2})")
"""A character of a name that is written as a number."""

FILTER = re.compile(r"/(\w+)")
"""A filter's name; the last of several is the picture's code."""

PROFILE = re.compile(r"/ICCBased\s+(\d+)")
"""Where a colour space names its profile."""

LOSSY_CODES = frozenset({"DCTDecode", "JPXDecode"})
"""The filters JPEG and JPEG 2000."""

SLANT = 1e-3
"""Share of a matrix's largest number below which another is none."""

JOINT = 1.0
"""Pixels by which tiles of a picture may miss each other."""

SIDEWAYS = frozenset(
    {Image.Transpose.ROTATE_90, Image.Transpose.ROTATE_270, Image.Transpose.TRANSPOSE, Image.Transpose.TRANSVERSE}
)
"""The turns after which width and height change places."""

PLAIN_COLOURS = re.compile(r"(Device|Cal|ICCBased\()?(Gray|RGB)\b.*")
"""Colour spaces of a picture whose numbers are grey or red, green and blue."""

LOADED = 256_000_000
"""Bytes of the pixels of a scan that is loaded as it is; a larger one is a strip, which is rendered smaller."""

TURNS = {
    (1, 0, 0, 1): None,
    (0, 1, -1, 0): Image.Transpose.ROTATE_270,
    (-1, 0, 0, -1): Image.Transpose.ROTATE_180,
    (0, -1, 1, 0): Image.Transpose.ROTATE_90,
    (-1, 0, 0, 1): Image.Transpose.FLIP_LEFT_RIGHT,
    (1, 0, 0, -1): Image.Transpose.FLIP_TOP_BOTTOM,
    (0, 1, 1, 0): Image.Transpose.TRANSPOSE,
    (0, -1, -1, 0): Image.Transpose.TRANSVERSE,
}
"""How a picture is turned that a matrix of these signs puts on its page."""


@dataclass(frozen=True)
class Tile:
    """One picture on a page, in its own pixels before it is turned."""

    xref: int
    width: int
    height: int
    components: int
    colours: str
    coded: str
    place: pymupdf.Rect
    turn: Image.Transpose | None


@dataclass(frozen=True)
class Scan:
    """The pictures, from top to bottom, that make up a page: mostly one.

    `place` is the part of the page that they cover; `lettered` says whether there is text as well, which nobody sees.
    """

    tiles: tuple[Tile, ...]
    place: pymupdf.Rect
    lettered: bool

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in upright pixels."""
        sizes = [_upright(tile) for tile in self.tiles]
        return sizes[0][0], sum(height for _, height in sizes)

    @property
    def lossy(self) -> bool:
        """Whether the pixels carry the grain of a lossy code."""
        return any(tile.coded in LOSSY_CODES for tile in self.tiles)

    @property
    def heavy(self) -> bool:
        """Whether its pixels are too many to load all of them."""
        return sum(tile.width * tile.height * (1 if tile.components == 1 else 3) for tile in self.tiles) > LOADED

    @property
    def grey(self) -> bool:
        """Whether it has no colours."""
        return all(tile.components == 1 and "Gray" in tile.colours for tile in self.tiles)

    def may_be_blank(self, document: pymupdf.Document) -> bool:
        """Whether it has so few bytes that nothing may be drawn on it."""
        if not all(tile.coded for tile in self.tiles):
            return True
        width, height = self.size
        most = encode.EMPTY_BITS["JPEG"] if self.lossy else encode.EMPTY_BITS["PNG"] * 8
        return 8 * sum(len(document.xref_stream_raw(tile.xref)) for tile in self.tiles) <= most * width * height

    def untouched(self, document: pymupdf.Document) -> bytes | None:
        """The JPEG file that is the whole page, or None where a page shows anything else than its pixels."""
        tile = self.tiles[0]
        if len(self.tiles) > 1 or tile.turn is not None or tile.coded != "DCTDecode" or tile.components not in (1, 3):
            return None
        if not _plain_colours(document, tile):
            return None
        image = document.extract_image(tile.xref)
        return bytes(image["image"]) if image and image["ext"] == "jpeg" else None


def visible_marks(page: pymupdf.Page) -> list[str]:
    """The drawing steps of a page that may leave a mark, in order."""
    return [kind for kind, _ in page.get_bboxlog() if kind != NOT_SEEN]


def sizes_shown(document: pymupdf.Document, page: pymupdf.Page) -> Iterator[tuple[int, int]]:
    """Width and height, as they say, of all pictures that showing a page means to decode, and of their masks."""
    for info in page.get_image_info():
        yield info["width"], info["height"]
    for mask in {item[1] for item in page.get_images(full=True) if item[1]}:
        width, height = (_value(document, mask, side) for side in ("Width", "Height"))
        if width.isdecimal() and height.isdecimal():
            yield int(width), int(height)


def find_scan(document: pymupdf.Document, page: pymupdf.Page) -> Scan | None:
    """The pictures that are all of the page, or None where anything else is to be seen on it."""
    log = [kind for kind, _ in page.get_bboxlog()]
    if "fill-image" not in log or not _only_pictures(page, log):
        return None
    infos = page.get_image_info()
    tiles = []
    for info, xref in zip(infos, _shown(document, page, infos), strict=False):
        tile = _tile(document, page, info, xref)
        if tile is None:
            return None
        tiles.append(tile)
    tiles.sort(key=lambda tile: tile.place.y0)
    if len(tiles) != len(infos) or not _stacked(tiles):
        return None
    place = pymupdf.Rect(tiles[0].place)
    for tile in tiles[1:]:
        place |= tile.place
    # A picture that reaches beyond its page is a spread that the page shows a part of.
    if abs(place & page.rect) < COVERED * max(abs(page.rect), abs(place)):
        return None
    return Scan(tuple(tiles), place, NOT_SEEN in log)


def load_scan(document: pymupdf.Document, scan: Scan) -> Image.Image:
    """The scan's pixels, upright, in sRGB (mode RGB) or grey (mode L), its tiles joined."""
    tiles = [_load(document, tile) for tile in scan.tiles]
    if len(tiles) == 1:
        return tiles[0]
    joined = Image.new("L" if all(tile.mode == "L" for tile in tiles) else "RGB", scan.size)
    top = 0
    for tile in tiles:
        joined.paste(tile, (0, top))
        top += tile.height
    return joined


def _value(document: pymupdf.Document, xref: int, key: str) -> str:
    """What an object says under a key, or another object that it names there."""
    kind, value = document.xref_get_key(xref, key)
    return str(document.xref_object(int(value.split()[0])) if kind == "xref" else value).strip()


def _only_pictures(page: pymupdf.Page, log: list[str]) -> bool:
    """Whether pictures are all that can be seen of the page, each whole; what lies below them cannot be seen."""
    marks = [kind for kind in log if kind != NOT_SEEN]
    while marks and marks[0] == "fill-path":
        del marks[0]
    if not marks or set(marks) != {"fill-image"}:
        return False
    if not CLIPS.search(page.read_contents()):
        return True
    left_open = pymupdf.Rect()
    for step in page.get_cdrawings(extended=True):
        if step["type"] == "clip":
            left_open |= pymupdf.Rect(step["scissor"])
    sheet = page.rect * page.derotation_matrix
    return bool(left_open.is_empty or abs(left_open & sheet) >= COVERED * abs(sheet))


def _shown(document: pymupdf.Document, page: pymupdf.Page, infos: list[dict[str, Any]]) -> list[int]:
    """The object numbers of the pictures that the page shows, in order; empty where that cannot be told.

    PyMuPDF tells them by comparing the pixels of all pictures of the page, which means to decode them.
    """
    listed = page.get_images(full=True)
    direct = {item[7]: item for item in listed if not item[9]}
    names = [NUMBERED.sub(_character, name).decode("latin-1") for name in NAME.findall(page.read_contents())]
    shown = [direct[name] for name in names if name in direct]
    if len(infos) == 1 and not shown:
        # It is shown by a form that the page shows.
        shown = [item for item in listed if _same_size(item, infos[0])]
    if len(shown) != len(infos) or not all(map(_same_size, shown, infos)):
        return []
    return [item[0] for item in shown]


def _character(code: re.Match[bytes]) -> bytes:
    return bytes([int(code[1], 16)])


def _same_size(item: tuple[Any, ...], info: dict[str, Any]) -> bool:
    return bool(item[2] == info["width"] and item[3] == info["height"])


def _tile(document: pymupdf.Document, page: pymupdf.Page, info: dict[str, Any], xref: int) -> Tile | None:
    matrix = pymupdf.Matrix(*info["transform"]) * page.rotation_matrix
    most = max(map(abs, list(matrix)[:4]))
    signs = tuple(0 if abs(value) < SLANT * most else int(value > 0) - int(value < 0) for value in list(matrix)[:4])
    masked = info["has-mask"] or document.xref_get_key(xref, "Mask")[0] != "null"
    if signs not in TURNS or masked:
        return None
    filters = FILTER.findall(document.xref_get_key(xref, "Filter")[1])
    return Tile(
        xref,
        info["width"],
        info["height"],
        info["colorspace"],
        info["cs-name"],
        filters[-1] if filters else "",
        pymupdf.Rect(info["bbox"]) * page.rotation_matrix,
        TURNS[signs],
    )


def _stacked(tiles: list[Tile]) -> bool:
    """Whether the tiles, from top to bottom, join to one undistorted picture."""
    width, left, right = _upright(tiles[0])[0], tiles[0].place.x0, tiles[0].place.x1
    bottom = tiles[0].place.y0
    for tile in tiles:
        density = width / max(tile.place.width, 1e-6)
        tile_width, height = _upright(tile)
        moved = max(abs(tile.place.x0 - left), abs(tile.place.x1 - right), abs(tile.place.y0 - bottom))
        stretched = abs(tile.place.height * density - height)
        if tile_width != width or moved * density > JOINT or stretched > max(JOINT, UNDISTORTED * height):
            return False
        bottom = tile.place.y1
    return True


def _upright(tile: Tile) -> tuple[int, int]:
    return (tile.height, tile.width) if tile.turn in SIDEWAYS else (tile.width, tile.height)


def _plain_colours(document: pymupdf.Document, tile: Tile) -> bool:
    """Whether the picture's numbers are grey or sRGB as they stand."""
    kind, decode = document.xref_get_key(tile.xref, "Decode")
    if kind != "null" and [float(number) for number in decode.strip("[]").split()] != [0, 1] * tile.components:
        return False
    if not PLAIN_COLOURS.fullmatch(tile.colours):
        return False
    profile = PROFILE.search(_value(document, tile.xref, "ColorSpace"))
    return not profile or shows_srgb(document.xref_stream(int(profile[1])), "L" if tile.components == 1 else "RGB")


def _load(document: pymupdf.Document, tile: Tile) -> Image.Image:
    pixmap = pymupdf.Pixmap(document, tile.xref)
    if pixmap.alpha:
        pixmap = pymupdf.Pixmap(pixmap, 0)
    if pixmap.n not in (1, 3) or not (tile.colours.startswith("Device") or _plain_colours(document, tile)):
        pixmap = pymupdf.Pixmap(pymupdf.csGRAY if "Gray" in tile.colours else pymupdf.csRGB, pixmap)
    picture = Image.frombytes("L" if pixmap.n == 1 else "RGB", (pixmap.width, pixmap.height), pixmap.samples_mv)
    return picture if tile.turn is None else picture.transpose(tile.turn)
