"""Lettering: words in rows or in Japanese columns, balloons of every kind, captions and drawn sound words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

from comic_narrator.model import Box
from samples.ink import INK, SCALE, WHITE, Canvas, Color, Point, box_points, oval_points, rng, smooth

FONTS = Path(__file__).parent / "fonts"
HAND = "ComicNeue-Bold.ttf"
SHOUTING = "Bangers-Regular.ttf"
KANA = "ZenMaruGothic-Bold.subset.ttf"
KANA_SHOUTING = "DelaGothicOne.subset.ttf"

MARGIN = 16
"""Page pixels between a balloon and the edge of its panel."""

TURNED = "ー〜…―"
CORNERED = "、。"
SMALL = "ぁぃぅぇぉっゃゅょァィゥェォッャュョ"


class Lettered(NamedTuple):
    """Where words stand, in canvas pixels, and the balloon around them if there is one."""

    text: Box
    balloon: Box | None
    tail: tuple[int, int] | None


@cache
def font(name: str, size: float) -> ImageFont.FreeTypeFont:
    """A font of samples/fonts at `size` page pixels, laid out without system libraries."""
    return ImageFont.truetype(str(FONTS / name), round(size * SCALE), layout_engine=ImageFont.Layout.BASIC)


def bounds(points: Sequence[Point]) -> Box:
    """The whole-pixel box around points."""
    left, top = (math.floor(min(p[k] for p in points)) for k in (0, 1))
    right, bottom = (math.ceil(max(p[k] for p in points)) for k in (0, 1))
    return Box(left, top, right - left, bottom - top)


def _union(boxes: Sequence[Box]) -> Box:
    """The box around boxes."""
    whole = boxes[0]
    for box in boxes[1:]:
        whole = whole.union(box)
    return whole


def rows(canvas: Canvas, x: float, y: float, text: str, size: float, color: Color = INK) -> Box:
    """Letter the lines of `text` centred on (x, y)."""
    face, step = font(HAND, size), size * 1.08
    lines = text.split("\n")
    boxes = []
    for i, line in enumerate(lines):
        at = (x * SCALE, (y + (i - (len(lines) - 1) / 2) * step) * SCALE)
        canvas.draw.text(at, line, font=face, fill=color, anchor="mm")
        left, top, right, bottom = (part / SCALE for part in canvas.draw.textbbox(at, line, font=face, anchor="mm"))
        boxes.append(bounds([(left, top), (right, bottom)]))
    return _union(boxes)


def _glyph(canvas: Canvas, x: float, y: float, letter: str, size: float) -> Box:
    """Letter one Japanese letter in the square cell around (x, y), as vertical writing has it."""
    face, cell = font(KANA, size), round(size * SCALE * 1.5)
    mask = Image.new("L", (cell, cell), 0)
    ImageDraw.Draw(mask).text((cell / 2, cell / 2 + size * SCALE * 0.38), letter, font=face, fill=255, anchor="ms")
    if letter in TURNED:
        mask = mask.transpose(Image.Transpose.ROTATE_270).transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    shift = (0.58, -0.58) if letter in CORNERED else (0.1, -0.1) if letter in SMALL else (0, 0)
    left = round((x + shift[0] * size) * SCALE - cell / 2)
    top = round((y + shift[1] * size) * SCALE - cell / 2)
    seen = mask.getbbox() or (0, 0, 1, 1)
    if letter in TURNED:
        left += (cell - seen[0] - seen[2]) // 2
    canvas.image.paste(INK, (left, top), mask)
    return bounds(
        [((left + seen[0]) / SCALE, (top + seen[1]) / SCALE), ((left + seen[2]) / SCALE, (top + seen[3]) / SCALE)]
    )


def columns(canvas: Canvas, x: float, y: float, text: str, size: float, ruby: dict[str, str] | None = None) -> Box:
    """Letter the lines of `text` as columns from right to left, centred on (x, y); `ruby` gives readings of signs."""
    lines, step = text.split("\n"), size * (1.5 if ruby else 1.22)
    high = max(len(line) for line in lines) * size * 1.04
    boxes = []
    for i, line in enumerate(lines):
        cx = x - (i - (len(lines) - 1) / 2) * step
        for j, letter in enumerate(line):
            cy = y - high / 2 + (j + 0.5) * size * 1.04
            boxes.append(_glyph(canvas, cx, cy, letter, size))
            reading = (ruby or {}).get(letter, "")
            for k, kana in enumerate(reading):
                _glyph(canvas, cx + size * 0.72, cy + (k - (len(reading) - 1) / 2) * size * 0.4, kana, size * 0.38)
    return _union(boxes)


def _outline(kind: str, box: Box) -> list[Point]:
    """The rim of a balloon of that kind around lettering."""
    (x, y), w, h = box.center, box.w / 2, box.h / 2
    if kind == "robot":
        return box_points(x - w - 34, y - h - 28, 2 * w + 68, 2 * h + 56, 26)
    rx, ry = w * 1.12 + 34, h * 1.2 + 32
    if kind == "shout":
        wobble, points = rng(int(x * 7 + y)), []
        for i in range(36):
            reach = 1.02 if i % 2 else 1.3 + wobble.uniform(-0.07, 0.14)
            angle = math.tau * i / 36
            points.append((x + (w * 1.18 + 36) * reach * math.cos(angle), y + (h * 1.3 + 34) * reach * math.sin(angle)))
        return points
    if kind == "thought":
        count = max(10, round((rx + ry) / 24))
        lumps = []
        for i in range(count * 8):
            swell = 1.0 + 0.1 * abs(math.sin(math.pi * i / 8))
            angle = math.tau * i / (count * 8)
            lumps.append((x + (rx + 8) * swell * math.cos(angle), y + (ry + 6) * swell * math.sin(angle)))
        return lumps
    return oval_points(x, y, rx, ry, squareness=0.82)


def _tail(box: Box, tip: Point) -> list[Point]:
    """A bent tail from the middle of a balloon to its tip."""
    x, y = box.center
    x += max(-0.3 * box.w, min(0.3 * box.w, (tip[0] - x) * 0.5))
    length = math.dist((x, y), tip) or 1
    nx, ny = -(tip[1] - y) / length, (tip[0] - x) / length
    bend = 0.10 * length * (1 if tip[0] > x else -1)
    middle = ((x + tip[0]) / 2 + nx * bend, (y + tip[1]) / 2 + ny * bend)
    wide = 26.0
    right = smooth(
        [(x + nx * wide, y + ny * wide), (middle[0] + nx * wide * 0.6, middle[1] + ny * wide * 0.6), tip], False
    )
    left = smooth(
        [(x - nx * wide, y - ny * wide), (middle[0] - nx * wide * 0.6, middle[1] - ny * wide * 0.6), tip], False
    )
    return [*right, *reversed(left)]


def balloon(
    canvas: Canvas,
    kind: str,
    x: float,
    y: float,
    text: str,
    tip: Point,
    size: float,
    vertical: bool = False,
    ruby: dict[str, str] | None = None,
) -> Lettered:
    """Draw a balloon (speech, robot, shout, thought) centred on (x, y) that points at `tip`, with its words."""
    draft = Canvas(1, 1)
    words = columns(draft, x, y, text, size, ruby) if vertical else rows(draft, x, y, text, size)
    rim, width = _outline(kind, words), 5.0
    around = bounds(rim)
    dx = max(0, MARGIN - around.x) - max(0, around.right - canvas.width + MARGIN)
    dy = max(0, MARGIN - around.y) - max(0, around.bottom - canvas.height + MARGIN)
    x, y, rim = x + dx, y + dy, [(px + dx, py + dy) for px, py in rim]
    words = Box(words.x + dx, words.y + dy, words.w, words.h)
    shapes = [rim]
    if kind == "thought":
        cx, cy = words.center
        for share, radius in ((0.62, 17), (0.80, 12), (0.95, 8)):
            shapes.append(oval_points(cx + (tip[0] - cx) * share, cy + (tip[1] - cy) * share, radius, radius * 0.85))
    else:
        shapes.append(_tail(words, tip))
    for shape in shapes:
        canvas.polyline(shape, INK, width * 2, closed=True)
    for shape in shapes:
        canvas.polygon(shape, WHITE)
    words = columns(canvas, x, y, text, size, ruby) if vertical else rows(canvas, x, y, text, size)
    return Lettered(words, bounds(rim), (round(tip[0]), round(tip[1])))


def caption(canvas: Canvas, x: float, y: float, text: str, size: float, fill: Color = (255, 243, 200)) -> Lettered:
    """Draw a caption box whose top left corner is (x, y); a negative number counts from the right or bottom edge."""
    words = rows(Canvas(1, 1), 0, 0, text, size)
    w, h = words.w + 52, words.h + 40
    left = x if x >= 0 else canvas.width + x - w
    top = y if y >= 0 else canvas.height + y - h
    canvas.polygon(box_points(left, top, w, h), fill)
    canvas.polyline(box_points(left, top, w, h), INK, 5, closed=True)
    dx, dy = left + w / 2 - words.center[0], top + h / 2 - words.center[1]
    return Lettered(rows(canvas, dx, dy, text, size), bounds(box_points(left, top, w, h)), None)


def sound_word(
    canvas: Canvas,
    x: float,
    y: float,
    text: str,
    size: float,
    fill: Color,
    turn: float = 0,
    name: str = SHOUTING,
    upright: bool = False,
) -> Lettered:
    """Draw a sound word around (x, y), letter by letter, turned by degrees; `upright` sets it in a column."""
    face, gap = font(name, size), size * 0.04
    advance = [size * 0.98 if upright else face.getlength(letter) / SCALE + gap for letter in text]
    middle = round(sum(advance) / 2 + size) * SCALE
    layer = Image.new("RGBA", (2 * middle, 2 * middle), (0, 0, 0, 0))
    draw = ImageDraw.Draw(layer)
    start, marks = -sum(advance) / 2, []
    for i, (letter, step) in enumerate(zip(text, advance, strict=True)):
        along, off = start + step / 2, (-1) ** i * size * 0.04
        start += step
        lx, ly = (off, along) if upright else (along, off)
        marks.append((middle + lx * SCALE, middle + ly * SCALE, letter))
    for stroke, color in ((0.15, WHITE), (0.09, INK), (0.0, fill)):
        for lx, ly, letter in marks:
            draw.text(
                (lx, ly),
                letter,
                font=face,
                fill=color,
                anchor="mm",
                stroke_width=round(size * stroke * SCALE),
                stroke_fill=color,
            )
    layer = layer.rotate(-turn, Image.Resampling.BICUBIC)
    left, top = round(x * SCALE) - middle, round(y * SCALE) - middle
    canvas.image.paste(layer, (left, top), layer)
    seen = layer.getbbox() or (0, 0, 1, 1)
    corners = [((left + seen[i]) / SCALE, (top + seen[i + 1]) / SCALE) for i in (0, 2)]
    return Lettered(bounds(corners), None, None)
