"""Places: the sky, the sea, the lighthouse inside and out, the mail boat."""

from __future__ import annotations

import math

from samples.ink import INK, WHITE, Canvas, Color, Pen, oval_points, rng, smooth

NIGHT: tuple[Color, ...] = ((18, 22, 62), (38, 50, 110), (86, 88, 150))
DAWN: tuple[Color, ...] = ((88, 110, 176), (232, 150, 150), (255, 208, 140))
DAY: tuple[Color, ...] = ((92, 178, 232), (160, 214, 240), (222, 242, 246))
NIGHT_SEA: Color = (22, 52, 96)
DAY_SEA: Color = (52, 140, 178)
GOLD: Color = (255, 208, 60)
RED: Color = (214, 66, 62)
PLASTER: Color = (246, 240, 228)
PENNANT: Color = (250, 196, 48)
STONE: Color = (92, 88, 112)


def stars(canvas: Canvas, bottom: float, count: int, seed: int) -> None:
    """Stars above a row, some of them with four points."""
    dice = rng(seed)
    for _ in range(count):
        x, y, r = dice.uniform(0, canvas.width), dice.uniform(0, bottom), dice.uniform(1.2, 3.2)
        if dice.random() < 0.12:
            r *= 3
            canvas.polygon(
                [
                    (x + r * k * math.cos(i * math.pi / 4), y + r * k * math.sin(i * math.pi / 4))
                    for i, k in enumerate([1, 0.25] * 4)
                ],
                (255, 246, 200),
            )
        else:
            canvas.polygon(oval_points(x, y, r, r), (240, 240, 255, 220))


def moon(canvas: Canvas, x: float, y: float, radius: float) -> None:
    """A full moon with a halo and craters."""
    canvas.glow(x, y, radius * 3.2, (220, 226, 255), 0.5)
    canvas.polygon(oval_points(x, y, radius, radius), (255, 246, 214))
    for dx, dy, r in ((-0.3, -0.2, 0.2), (0.35, 0.1, 0.14), (-0.05, 0.45, 0.17)):
        canvas.polygon(oval_points(x + dx * radius, y + dy * radius, r * radius, r * radius), (238, 222, 180))


def rays(canvas: Canvas, x: float, y: float, inner: Color, outer: Color, count: int = 22) -> None:
    """Fill a canvas with a burst of rays from (x, y)."""
    Pen(canvas).box(0, 0, canvas.width, canvas.height, outer, 0)
    for i in range(count):
        low, high = math.tau * i / count, math.tau * (i + 0.5) / count
        canvas.polygon(
            [
                (x, y),
                (x + 1800 * math.cos(low), y + 1800 * math.sin(low)),
                (x + 1800 * math.cos(high), y + 1800 * math.sin(high)),
            ],
            inner,
        )


def cloud(canvas: Canvas, x: float, y: float, size: float, color: Color) -> None:
    """A flat-bottomed cloud about 4 x `size` wide."""
    pen = Pen(canvas, x, y, size)
    pen.shape(
        smooth(
            [
                (-2, 0),
                (-1.7, -0.5),
                (-1.1, -0.55),
                (-0.7, -1.05),
                (0, -1.15),
                (0.5, -0.75),
                (1.1, -0.8),
                (1.5, -0.35),
                (2.1, -0.3),
                (2.2, 0),
            ]
        ),
        color,
        0,
    )


def sea(canvas: Canvas, top: float, color: Color, seed: int = 1, foam: Color = (255, 255, 255, 150)) -> None:
    """Waves from row `top` down to the bottom, each band darker and nearer than the one before."""
    dice, y, band = rng(seed), top, 0
    canvas.polygon([(0, top), (canvas.width, top), (canvas.width, canvas.height), (0, canvas.height)], color)
    while y < canvas.height:
        high = 5 + band * 5
        length = 110 + band * 55
        phase = dice.uniform(0, length)
        crest = [
            (x, y + high * (abs(math.sin((x + phase) * math.pi / length)) - 1) * -1.2)
            for x in range(-10, canvas.width + 12, 6)
        ]
        dim = max(0.55, 1 - band * 0.075)
        canvas.polygon(
            [*crest, (canvas.width, canvas.height), (0, canvas.height)], tuple(round(part * dim) for part in color)
        )
        if band:
            canvas.polyline(crest, tuple(min(255, round(part * dim) + 22) for part in color), 2 + band)
            for _ in range(max(2, canvas.width // 260)):
                at = dice.uniform(0, canvas.width)
                Pen(canvas, at, y + high * 2.2).brush([(-46, 0), (0, -high * 0.8), (46, 0)], 4 + band, foam)
        y += 26 + band * 20
        band += 1


def rock(pen: Pen) -> None:
    """The rock that the lighthouse stands on, its top at the origin, about 640 wide."""
    pen.shape(
        smooth(
            [
                (-330, 170),
                (-300, 90),
                (-210, 70),
                (-170, 10),
                (-60, -8),
                (70, -4),
                (150, 30),
                (220, 84),
                (300, 100),
                (350, 170),
            ]
        ),
        STONE,
        6,
        (-30, -24),
    )
    for x, y in ((-190, 100), (-60, 60), (90, 70), (190, 128)):
        pen.brush([(x, y), (x + 30, y + 16), (x + 34, y + 46)], 8)


def lighthouse(pen: Pen, lit: bool = True, window: Color = (255, 222, 120)) -> None:
    """The lighthouse, its foot on the origin, about 740 high."""
    _tower(pen, window)
    pen.box(-48, -640, 96, 110, (255, 244, 170) if lit else (64, 76, 112), 6)
    for x in (-16, 16):
        pen.line([(x, -640), (x, -530)], 4)
    if lit:
        lamp = pen.place([(0, -590)])[0]
        pen.canvas.glow(*lamp, 250 * pen.scale, (255, 246, 190), 0.95)
    pen.box(-92, -540, 184, 26, (70, 66, 92), 6, 6)
    for post in range(-84, 85, 28):
        pen.line([(post, -540), (post, -582)], 4)
    pen.line([(-88, -582), (88, -582)], 5)
    pen.blob([(-62, -634), (-50, -680), (0, -712), (50, -680), (62, -634), (0, -640)], RED, 6, (-18, -4))
    pen.line([(0, -708), (0, -742)], 6)
    pen.oval(0, -742, 8, 8, RED, 5)


def _tower(pen: Pen, window: Color) -> None:
    """The banded tower with its door and windows."""

    def edge(y: float) -> float:
        return 62 + (92 - 62) * (y + 520) / 520

    pen.shape([(-62, -520), (62, -520), (92, 0), (-92, 0)], PLASTER, 0)
    for top in (-500.0, -300.0, -100.0):
        low = min(top + 100.0, 0.0)
        pen.shape([(-edge(top), top), (edge(top), top), (edge(low), low), (-edge(low), low)], RED, 0)
    pen.shape([(-62, -520), (62, -520), (92, 0), (-92, 0)], None, 7, (-44, 0))
    for x, y in ((-8, -360), (10, -180)):
        pen.shape(smooth([(x - 16, y), (x - 16, y - 34), (x, y - 54), (x + 16, y - 34), (x + 16, y)]), window, 5)
    pen.shape([(-28, 0), (-28, -64), (-14, -86), (14, -86), (28, -64), (28, 0)], (112, 72, 50), 5)


def beam(canvas: Canvas, x: float, y: float, angle: float, spread: float, halo: float = 230) -> None:
    """A beam of light from (x, y) at `angle` degrees, brightest in its middle."""
    length = 3000
    for share, alpha in [(1 - i / 14, 13 + i) for i in range(14)]:
        low, high = (math.radians(angle + sign * spread * share / 2) for sign in (-1, 1))
        canvas.polygon(
            [
                (x, y),
                (x + length * math.cos(low), y + length * math.sin(low)),
                (x + length * math.cos(high), y + length * math.sin(high)),
            ],
            (255, 244, 180, alpha),
        )
    canvas.glow(x, y, halo, (255, 252, 220), 1.0)


def mail_boat(pen: Pen) -> None:
    """The mail boat, steaming to the left, its water line on the origin, about 520 wide."""
    for i, (x, y, r) in enumerate(((120, -300, 34), (170, -352, 46), (240, -404, 60))):
        pen.oval(x, y, r, r * 0.8, (210, 214, 230, 190 - i * 40), 0)
    pen.box(52, -268, 62, 120, RED, 6, shade=(-16, 0))
    pen.box(52, -268, 62, 28, INK, 0)
    pen.box(-112, -172, 250, 74, PLASTER, 6, 8, (-20, -6))
    pen.box(-92, -240, 112, 72, PLASTER, 6, 8, (-16, -4))
    pen.box(-104, -254, 136, 20, (70, 66, 92), 6, 6)
    for x in (-74, -26):
        pen.box(x, -222, 34, 32, (255, 222, 120), 5, 4)
    for x in (-76, -14, 48, 104):
        pen.oval(x, -134, 15, 15, (255, 222, 120), 5)
    pen.blob(
        [(-290, -120), (-200, -96), (0, -92), (160, -96), (246, -112), (226, -10), (190, 20), (-190, 20), (-250, -40)],
        (46, 58, 92),
        7,
        (-10, -22),
    )
    pen.brush([(-262, -56), (0, -36), (232, -54)], 10, RED)
    pen.line([(-200, -100), (-200, -190)], 6)
    pen.shape([(-200, -190), (-140, -174), (-200, -156)], PENNANT, 5)


def lamp_room(canvas: Canvas, floor: float, sky: tuple[Color, ...] = NIGHT, seed: int = 3, panes: int = 5) -> None:
    """The lamp room: tall windows on sky and sea, a low wall, planks."""
    canvas.gradient(sky, 0, floor)
    if sky is NIGHT:
        stars(canvas, floor * 0.6, 60, seed)
    horizon = floor - 150
    canvas.polygon(
        [(0, horizon), (canvas.width, horizon), (canvas.width, floor), (0, floor)],
        NIGHT_SEA if sky is NIGHT else (196, 130, 150),
    )
    pen = Pen(canvas)
    for i in range(panes + 1):
        x = canvas.width * i / panes
        pen.box(x - 10, -20, 20, floor + 20, (120, 56, 60), 5)
    pen.box(-20, floor * 0.42, canvas.width + 40, 14, (120, 56, 60), 5)
    pen.box(-20, floor - 84, canvas.width + 40, 90, (146, 66, 66), 6, shade=(0, -16))
    pen.box(-20, floor, canvas.width + 40, canvas.height, (142, 98, 72), 6)
    for i in range(-12, 14):
        x = canvas.width / 2 + i * 130
        pen.line([(x, floor), (canvas.width / 2 + i * 330, canvas.height + 40)], 4, (88, 58, 48))


def lens(pen: Pen, lit: bool = True) -> None:
    """The great lens on its stand, the floor at the origin, about 520 high."""
    pen.blob([(-80, 0), (-50, -40), (-40, -120), (40, -120), (50, -40), (80, 0)], (96, 100, 122), 6, (-16, -6))
    glass = (255, 240, 160) if lit else (134, 164, 190)
    if lit:
        x, y = pen.place([(0, -320)])[0]
        pen.canvas.glow(x, y, 430 * pen.scale, (255, 244, 180), 0.95)
    pen.blob(
        [
            (-70, -120),
            (-128, -220),
            (-140, -320),
            (-128, -420),
            (-70, -520),
            (70, -520),
            (128, -420),
            (140, -320),
            (128, -220),
            (70, -120),
        ],
        glass,
        7,
        (-26, -10),
    )
    for i in range(-3, 4):
        y, w = -320 + i * 58, 138 - abs(i) ** 1.6 * 7
        pen.brush([(-w, y), (0, y + i * 7), (w, y)], 6, (200, 150, 60) if lit else (76, 96, 130))
    pen.oval(0, -320, 44, 54, (255, 253, 232) if lit else (160, 190, 208), 6)
    pen.brush([(-104, -250), (-116, -330), (-98, -420)], 14, WHITE)
    pen.box(-84, -136, 168, 24, (196, 150, 70), 6, 8)
    pen.box(-84, -530, 168, 24, (196, 150, 70), 6, 8)


def nest(pen: Pen) -> None:
    """A nest of straw, its bottom on the origin, about 300 wide."""
    pen.blob(
        [(-150, -60), (-120, -8), (0, 6), (120, -8), (150, -60), (60, -44), (-60, -44)], (176, 132, 72), 6, (-16, -14)
    )
    dice = rng(9)
    for _ in range(26):
        x, y = dice.uniform(-126, 126), dice.uniform(-52, -8)
        pen.line(
            [(x - 26, y + dice.uniform(-10, 10)), (x + 26, y + dice.uniform(-10, 10))],
            4,
            dice.choice([(120, 84, 44), (222, 184, 110), (204, 160, 90)]),
        )
