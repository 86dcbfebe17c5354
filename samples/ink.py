"""Drawing primitives: a supersampled canvas and a pen that can be moved, scaled, flipped and turned."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from PIL import Image, ImageDraw

Point = tuple[float, float]
Points = Sequence[Point]
Color = tuple[int, ...]

SCALE = 3
"""Canvas pixels a page pixel, each way; the canvas is averaged down at the end."""

INK: Color = (27, 24, 40)
WHITE: Color = (255, 255, 255)


def smooth(points: Points, closed: bool = True, steps: int = 10) -> list[Point]:
    """A Catmull-Rom curve through `points`."""
    count = len(points)
    if count < 3:
        return list(points)

    def knot(i: int) -> Point:
        return points[i % count] if closed else points[min(max(i, 0), count - 1)]

    curve: list[Point] = []
    for i in range(count if closed else count - 1):
        a, b, c, d = (knot(i + k) for k in (-1, 0, 1, 2))
        for step in range(steps):
            t = step / steps
            x, y = (
                0.5
                * (
                    2 * b[k]
                    + (c[k] - a[k]) * t
                    + (2 * a[k] - 5 * b[k] + 4 * c[k] - d[k]) * t * t
                    + (3 * b[k] - a[k] - 3 * c[k] + d[k]) * t**3
                )
                for k in (0, 1)
            )
            curve.append((x, y))
    return curve if closed else [*curve, points[-1]]


def oval_points(x: float, y: float, rx: float, ry: float, turn: float = 0, squareness: float = 1.0) -> list[Point]:
    """An ellipse around (x, y) as points, turned by degrees; squareness below 1 swells its corners."""
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    points = []
    for i in range(72):
        angle = math.tau * i / 72
        u = math.copysign(abs(math.cos(angle)) ** squareness, math.cos(angle)) * rx
        v = math.copysign(abs(math.sin(angle)) ** squareness, math.sin(angle)) * ry
        points.append((x + u * c - v * s, y + u * s + v * c))
    return points


def box_points(x: float, y: float, w: float, h: float, radius: float = 0) -> list[Point]:
    """A rectangle with rounded corners as points."""
    if radius <= 0:
        return [(x, y), (x + w, y), (x + w, y + h), (x, y + h)]
    points = []
    for cx, cy, start in (
        (x + w - radius, y + radius, -90),
        (x + w - radius, y + h - radius, 0),
        (x + radius, y + h - radius, 90),
        (x + radius, y + radius, 180),
    ):
        for step in range(9):
            angle = math.radians(start + step * 90 / 8)
            points.append((cx + radius * math.cos(angle), cy + radius * math.sin(angle)))
    return points


class Canvas:
    """A picture of `width` x `height` page pixels, kept SCALE times as large while it is drawn."""

    def __init__(self, width: int, height: int, ground: Color = WHITE) -> None:
        self.width, self.height = width, height
        self.image = Image.new("RGB", (width * SCALE, height * SCALE), ground)
        self.draw = ImageDraw.Draw(self.image, "RGBA")
        self.seen: list[Point] = []

    def polygon(self, points: Points, fill: Color) -> None:
        """Fill a polygon; a fourth colour component is its opacity."""
        self.seen.extend(points)
        self.draw.polygon([(x * SCALE, y * SCALE) for x, y in points], fill=fill)

    def polyline(self, points: Points, color: Color, width: float, closed: bool = False) -> None:
        """Draw a line with round ends and joints, `width` page pixels thick."""
        self.seen.extend(points)
        big = [(x * SCALE, y * SCALE) for x, y in points]
        if closed:
            big += big[:2]
        self.draw.line(big, fill=color, width=max(1, round(width * SCALE)), joint="curve")
        if not closed:
            r = width * SCALE / 2
            for x, y in (big[0], big[-1]):
                self.draw.ellipse((x - r, y - r, x + r, y + r), fill=color)

    def crescent(self, points: Points, dx: float, dy: float, color: Color) -> None:
        """Shade the part of a shape that the same shape moved by (dx, dy) leaves bare."""
        left, top = (min(p[k] for p in points) for k in (0, 1))
        right, bottom = (max(p[k] for p in points) for k in (0, 1))
        mask = Image.new("L", (round((right - left) * SCALE) + 2, round((bottom - top) * SCALE) + 2), 0)
        pen = ImageDraw.Draw(mask)
        alpha = color[3] if len(color) > 3 else 255
        pen.polygon([((x - left) * SCALE, (y - top) * SCALE) for x, y in points], fill=alpha)
        pen.polygon([((x + dx - left) * SCALE, (y + dy - top) * SCALE) for x, y in points], fill=0)
        self.image.paste(color[:3], (round(left * SCALE), round(top * SCALE)), mask)

    def gradient(self, stops: Sequence[Color], top: float = 0, bottom: float | None = None) -> None:
        """Fill the whole width between two rows with a vertical gradient through `stops`."""
        end = self.height if bottom is None else bottom
        rows = max(1, round(end - top))
        at = np.linspace(0, len(stops) - 1, rows)
        channels = [np.interp(at, range(len(stops)), [stop[k] for stop in stops]) for k in range(3)]
        strip = np.stack(channels, axis=1).round().astype(np.uint8)[:, None, :]
        picture = Image.fromarray(strip).resize((self.width * SCALE, rows * SCALE), Image.Resampling.NEAREST)
        self.image.paste(picture, (0, round(top * SCALE)))

    def glow(self, x: float, y: float, radius: float, color: Color, strength: float = 0.8) -> None:
        """Lighten a disc around (x, y) towards `color`, fading to nothing at its rim."""
        size = max(8, round(radius * 2))
        axis = (np.arange(size) + 0.5) / size * 2 - 1
        fall = np.clip(1 - np.hypot(axis[None, :], axis[:, None]), 0, 1) ** 1.6 * 255 * strength
        mask = Image.fromarray(fall.round().astype(np.uint8)).resize((size * SCALE, size * SCALE))
        self.image.paste(color[:3], (round(x * SCALE) - mask.width // 2, round(y * SCALE) - mask.height // 2), mask)

    def tint(self, color: Color, strength: float) -> None:
        """Multiply the whole picture by `color`, by `strength` of the way."""
        factors = [1 - strength * (1 - part / 255) for part in color[:3]]
        bands = [
            band.point([round(value * factor) for value in range(256)])
            for band, factor in zip(self.image.split(), factors, strict=True)
        ]
        self.image.paste(Image.merge("RGB", bands))

    def screentone(self, period: float = 8.5) -> None:
        """Turn what is drawn so far into black, white and a slanted grid of black dots."""
        light = np.asarray(self.image.convert("L"), dtype=np.float32) / 255
        light = np.clip((light - 0.14) / 0.70, 0, 1)
        rows = np.arange(light.shape[0], dtype=np.float32)[:, None] / SCALE
        cols = np.arange(light.shape[1], dtype=np.float32)[None, :] / SCALE
        turn = math.pi * math.sqrt(2) / period
        wave = (np.cos((rows + cols) * turn) + np.cos((rows - cols) * turn)) / 2
        tone = np.where(light > 0.93, 0, 1 - light)
        dark = tone > 0.5 - 0.48 * wave
        self.image.paste(Image.fromarray(np.where(dark, 0, 255).astype(np.uint8)).convert("RGB"))

    def finished(self) -> Image.Image:
        """The picture at page size."""
        return self.image.reduce(SCALE)


class Pen:
    """Draws on a canvas in its own coordinates: moved to (x, y), scaled, flipped and turned by degrees."""

    def __init__(
        self, canvas: Canvas, x: float = 0, y: float = 0, scale: float = 1, flip: bool = False, turn: float = 0
    ) -> None:
        self.canvas, self.x, self.y, self.scale, self.flip, self.turn = canvas, x, y, scale, flip, turn

    def at(self, x: float, y: float, scale: float = 1, turn: float = 0) -> Pen:
        """A pen at (x, y) of this pen's coordinates."""
        px, py = self.place([(x, y)])[0]
        return Pen(self.canvas, px, py, self.scale * scale, self.flip, self.turn + (-turn if self.flip else turn))

    def weight(self, width: float) -> float:
        """How thick an outline of `width` is drawn: figures that are drawn larger get slightly thicker lines."""
        return width * math.pow(self.scale, 0.55 if self.scale > 1 else 0.85)

    def place(self, points: Points) -> list[Point]:
        """These points in canvas coordinates."""
        c, s = math.cos(math.radians(self.turn)), math.sin(math.radians(self.turn))
        k, m = self.scale, -self.scale if self.flip else self.scale
        return [(self.x + x * m * c - y * k * s, self.y + x * m * s + y * k * c) for x, y in points]

    def shape(
        self,
        points: Points,
        fill: Color | None,
        width: float = 6,
        shade: Point | None = None,
        ink: Color = INK,
        dark: Color = (30, 20, 70, 62),
    ) -> None:
        """Fill, shade and outline a polygon; `shade` is where the light lies, `width` 0 leaves the outline out."""
        placed = self.place(points)
        if fill is not None:
            self.canvas.polygon(placed, fill)
        if shade is not None:
            self.canvas.crescent(placed, shade[0] * self.scale, shade[1] * self.scale, dark)
        if width:
            self.canvas.polyline(placed, ink, self.weight(width), closed=True)

    def blob(self, points: Points, fill: Color | None, width: float = 6, shade: Point | None = None) -> None:
        """A closed smooth shape through `points`."""
        self.shape(smooth(points), fill, width, shade)

    def oval(
        self,
        x: float,
        y: float,
        rx: float,
        ry: float,
        fill: Color | None,
        width: float = 6,
        turn: float = 0,
        shade: Point | None = None,
    ) -> None:
        """An ellipse."""
        self.shape(oval_points(x, y, rx, ry, turn), fill, width, shade)

    def box(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        fill: Color | None,
        width: float = 6,
        radius: float = 0,
        shade: Point | None = None,
    ) -> None:
        """A rectangle, its corners rounded by `radius`."""
        self.shape(box_points(x, y, w, h, radius), fill, width, shade)

    def line(self, points: Points, width: float = 6, color: Color = INK) -> None:
        """A smooth open line of even width."""
        self.canvas.polyline(self.place(smooth(points, closed=False)), color, self.weight(width))

    def tube(self, points: Points, fill: Color, thick: float, width: float = 6) -> None:
        """A smooth outlined tube, such as an arm."""
        curve = self.place(smooth(points, closed=False, steps=16))
        for color, wide in ((INK, thick * self.scale + 2 * self.weight(width)), (fill, thick * self.scale)):
            for x, y in curve:
                self.canvas.polygon(oval_points(x, y, wide / 2, wide / 2), color)
            for start, end in pairwise(curve):
                self.canvas.polyline([start, end], color, wide)

    def brush(self, points: Points, width: float = 8, color: Color = INK) -> None:
        """A smooth stroke that swells in the middle and ends in points."""
        curve = smooth(points, closed=False)
        last = len(curve) - 1
        left: list[Point] = []
        right: list[Point] = []
        for i, (x, y) in enumerate(curve):
            (ax, ay), (bx, by) = curve[max(i - 1, 0)], curve[min(i + 1, last)]
            length = math.hypot(bx - ax, by - ay) or 1
            half = width / 2 * math.sin(math.pi * i / last) ** 0.6 + 0.2
            nx, ny = -(by - ay) / length * half, (bx - ax) / length * half
            left.append((x + nx, y + ny))
            right.append((x - nx, y - ny))
        self.canvas.polygon(self.place([*left, *reversed(right)]), color)


def rng(seed: int) -> random.Random:
    """A random number generator that gives the same numbers on every machine."""
    return random.Random(seed)
