"""A reading drawn over its page: people would rather look than read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from io import BytesIO
from itertools import pairwise

import pymupdf
from PIL import Image, ImageDraw, ImageFont

from comic_narrator.model import Box, Line, LineKind, PageReading, Panel

METHOD = "show-1"
"""Raised when the same reading is drawn otherwise."""

Colour = tuple[int, int, int]
Point = tuple[float, float]

KIND_COLOURS: dict[LineKind, Colour] = {
    "dialogue": (20, 90, 220),
    "thought": (130, 50, 190),
    "caption": (0, 130, 70),
    "sfx": (215, 105, 0),
    "sign": (110, 110, 110),
}
PANEL: Colour = (200, 0, 60)
PATH: Colour = (230, 0, 170)
FIGURE: Colour = (0, 140, 150)
DOUBT: Colour = (225, 0, 0)
INK: Colour = (25, 25, 25)
FAINT: Colour = (120, 120, 120)
WHITE: Colour = (255, 255, 255)

PAGE_WIDTH = 1100
"""The page is drawn this wide: what is small on it stays legible, and a scan does not fill the disk."""
MOST_HEIGHT = 12_000
"""A strip is drawn no higher than this, in pixels; the text beside it has its own size."""
COLUMN = 600
"""Pixels of the column of text beside the page."""
MARGIN = 16
SIZE, SMALL = 22, 17
"""Heights of the read text and of all else, in pixels."""
INDENT = 14
DASH = 9

_PIECE = re.compile(r"[\x21-\x7e\u00a1-\u02ff’“”…]+\s*|\s+|.")
"""A Latin word, or one character of anything else, with the spaces after it."""


@dataclass(frozen=True)
class _Said:
    """Text of the column in a colour and size, after `space` pixels; `mark` is the colour of the bar beside it."""

    text: str
    size: int = SMALL
    colour: Colour = INK
    mark: Colour | None = None
    space: int = 0

    @property
    def height(self) -> int:
        """Pixels that a single row takes."""
        return self.space + self.size + 8


def show_reading(picture: Image.Image, reading: PageReading) -> Image.Image:
    """The page `picture` with all that `reading` says of it drawn over and written beside it; an RGB image.

    Panels are red with their number; lines have the colour of their kind and the number that the column beside the page
    gives their text under; the path joins them as they are read; what is doubtful is dashed in red.
    """
    scale = min(PAGE_WIDTH / reading.width, MOST_HEIGHT / reading.height)
    size = (max(round(reading.width * scale), 1), max(round(reading.height * scale), 1))
    page = picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    pen = ImageDraw.Draw(page, "RGBA")
    numbers = {line.id: f"{i}" for i, line in enumerate(reading.lines, 1)}
    for line in reading.lines:
        _draw_line(pen, line, scale)
    for figure in reading.figures:
        if figure.bbox is not None:
            _frame(pen, _on_picture(figure.bbox, scale), FIGURE, 2)
            _tag(pen, (figure.bbox.x * scale, figure.bbox.bottom * scale), figure.label, FIGURE, page.size)
    _draw_path(pen, [_middle(part, scale) for part in _in_order(reading)])
    for i, panel in enumerate(reading.panels, 1):
        box = _on_picture(panel.bbox, scale)
        _frame(pen, box, PANEL, 4, dashed=panel.doubtful)
        # Into the gutter: lettering often fills a panel's corner.
        _tag(pen, (box[0] - 12, box[1] - 18), f"{i}{'?' if panel.doubtful else ''}", PANEL, page.size, SIZE + 6)
    for line in reading.lines:
        if line.bbox is not None:
            corner = (line.bbox.x * scale, line.bbox.y * scale - SMALL - 6)
            speaker = f" {line.speaker}{'?' if line.speaker_doubtful else ''}" if line.speaker else ""
            label = f"{numbers[line.id]}{'?' if line.doubtful else ''}{speaker}"
            _tag(pen, corner, label, _colour(line), page.size)
    return _beside(page, list(_column(reading, numbers)))


@cache
def _font_data() -> bytes:
    # The font that PyMuPDF carries for text in any script: no font need be installed.
    return bytes(pymupdf.Font("cjk").buffer)


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(BytesIO(_font_data()), size)


def _colour(line: Line) -> Colour:
    return DOUBT if line.doubtful else KIND_COLOURS[line.kind]


def _on_picture(box: Box, scale: float) -> tuple[float, float, float, float]:
    return box.x * scale, box.y * scale, box.right * scale, box.bottom * scale


def _in_order(reading: PageReading) -> Iterator[Box]:
    """What the eye goes through: the lines of each panel, or a panel that has none, as a whole."""
    for panel in reading.panels:
        boxes = [line.bbox for line in reading.lines if line.panel == panel.id and line.bbox is not None]
        yield from boxes or [panel.bbox]


def _middle(box: Box, scale: float) -> Point:
    return box.center[0] * scale, box.center[1] * scale


def _draw_line(pen: ImageDraw.ImageDraw, line: Line, scale: float) -> None:
    colour = KIND_COLOURS[line.kind]
    place = line.bbox or line.balloon
    if line.tail is not None and place is not None:
        tip = line.tail[0] * scale, line.tail[1] * scale
        left, top, right, bottom = _on_picture(place, scale)
        root = min(max(tip[0], left), right), min(max(tip[1], top), bottom)
        pen.line((root, tip), fill=(*colour, 200), width=3)
        pen.ellipse((tip[0] - 7, tip[1] - 7, tip[0] + 7, tip[1] + 7), fill=(*colour, 255), outline=WHITE, width=2)
    if line.balloon is not None:
        _frame(pen, _on_picture(line.balloon, scale), colour, 2)
    if line.bbox is not None:
        box = _on_picture(line.bbox, scale)
        pen.rectangle(box, fill=(*colour, 45))
        _frame(pen, box, _colour(line), 3, dashed=line.doubtful)


def _frame(
    pen: ImageDraw.ImageDraw, box: tuple[float, float, float, float], colour: Colour, width: int, dashed: bool = False
) -> None:
    if not dashed:
        pen.rectangle(box, outline=(*colour, 230), width=width)
        return
    left, top, right, bottom = box
    for start in range(round(left), round(right), 2 * DASH):
        for y in (top, bottom):
            pen.line((start, y, min(start + DASH, right), y), fill=colour, width=width)
    for start in range(round(top), round(bottom), 2 * DASH):
        for x in (left, right):
            pen.line((x, start, x, min(start + DASH, bottom)), fill=colour, width=width)


def _draw_path(pen: ImageDraw.ImageDraw, points: list[Point]) -> None:
    for (x, y), (to_x, to_y) in pairwise(points):
        pen.line((x, y, to_x, to_y), fill=(*PATH, 150), width=3)
        along, length = (to_x - x, to_y - y), max(((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5, 1.0)
        ahead, aside = (along[0] / length * 9, along[1] / length * 9), (-along[1] / length * 7, along[0] / length * 7)
        middle = ((x + to_x) / 2, (y + to_y) / 2)
        pen.polygon(
            [
                (middle[0] + ahead[0], middle[1] + ahead[1]),
                (middle[0] - ahead[0] + aside[0], middle[1] - ahead[1] + aside[1]),
                (middle[0] - ahead[0] - aside[0], middle[1] - ahead[1] - aside[1]),
            ],
            fill=(*PATH, 220),
        )


def _tag(
    pen: ImageDraw.ImageDraw, corner: Point, text: str, colour: Colour, within: tuple[int, int], size: int = SMALL
) -> None:
    """White `text` on a plate of `colour`, its upper left at `corner`, moved so far that it lies on the picture."""
    width, height = _font(size).getlength(text) + 8, size + 6
    x, y = max(min(corner[0], within[0] - width), 0), max(min(corner[1], within[1] - height), 0)
    pen.rectangle((x, y, x + width, y + height), fill=(*colour, 235))
    pen.text((x + 4, y + height / 2), text, fill=WHITE, font=_font(size), anchor="lm")


def _column(reading: PageReading, numbers: dict[str, str]) -> Iterator[_Said]:
    """What is written beside the page, panel by panel."""
    yield _Said(f"page {reading.page}, {reading.language}, read {reading.direction}", colour=FAINT)
    for i, panel in enumerate(reading.panels, 1):
        yield _Said(f"Panel {i}{', doubtful' if panel.doubtful else ''}", colour=PANEL, space=14)
        yield from _about_panel(reading, panel)
        for line in reading.lines:
            if line.panel == panel.id:
                mark = KIND_COLOURS[line.kind]
                speaker = line.speaker
                if speaker is not None and line.speaker_confidence is not None:
                    speaker += f" ({line.speaker_confidence:.2f})"
                who = "".join(f", {part}" for part in (speaker, line.tone) if part)
                sure = f"read {line.confidence:.2f}{', doubtful' if line.doubtful else ''}"
                head = f"{numbers[line.id]}  {line.kind}{who}  {sure}"
                yield _Said(head, colour=_colour(line), mark=mark, space=8)
                yield _Said(line.text, SIZE, mark=mark)


def _about_panel(reading: PageReading, panel: Panel) -> Iterator[_Said]:
    for note in reading.notes:
        told = " / ".join(part for part in (note.scene, note.shot, note.pacing) if part)
        if note.panel == panel.id and told:
            yield _Said(told, colour=FAINT)
    for figure in reading.figures:
        if figure.panel == panel.id:
            yield _Said(f"{figure.label}: {figure.looks}", colour=FIGURE)
    for sound in reading.sounds:
        if sound.panel == panel.id:
            yield _Said(f"heard: {sound.what} ({sound.kind})", colour=KIND_COLOURS["sfx"])


def _beside(page: Image.Image, column: list[_Said]) -> Image.Image:
    """The page with the column at its right, in two where it is longer than the page, which then grows below."""
    rows = [row for said in column for row in _wrapped(said)]
    total = sum(row.height for row in rows) + 2 * MARGIN
    height = max(page.height, total if total <= page.height else total // 2 + 4 * SIZE)
    whole = Image.new("RGB", (page.width + (2 if total > height else 1) * COLUMN, height), WHITE)
    whole.paste(page, (0, 0))
    pen = ImageDraw.Draw(whole)
    x, y = page.width + MARGIN, MARGIN
    for row in rows:
        if y + row.height > height - MARGIN and x < page.width + COLUMN:
            x, y = x + COLUMN, MARGIN
        if row.mark is not None:
            pen.rectangle((x, y + row.space - 2, x + 5, y + row.height - 2), fill=row.mark)
        middle = y + row.space + (row.size + 4) / 2
        pen.text((x + INDENT, middle), row.text, fill=row.colour, font=_font(row.size), anchor="lm")
        y += row.height
    return whole


def _wrapped(said: _Said) -> Iterator[_Said]:
    """`said` in rows that fit the column: broken between words, and anywhere in scripts without spaces."""
    row = replace(said, text="")
    for piece in _PIECE.findall(said.text):
        if row.text and _font(said.size).getlength(row.text + piece.rstrip()) > COLUMN - 2 * MARGIN - INDENT:
            yield row
            row = replace(said, text="", space=0)
        row = replace(row, text=row.text + piece)
    yield row
