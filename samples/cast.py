"""The three who play in every story: Nell the keeper, Pip the robot and Gus the gull."""

from __future__ import annotations

import math

from samples.ink import INK, WHITE, Color, Pen, Point, oval_points, smooth

COAT: Color = (250, 196, 48)
SKIN: Color = (247, 204, 170)
HAIR: Color = (233, 234, 240)
KNIT: Color = (46, 74, 122)
TEAL: Color = (74, 178, 176)
PALE: Color = (214, 240, 232)
SCREEN: Color = (28, 36, 58)
CYAN: Color = (140, 250, 255)
BEAK: Color = (255, 166, 43)
WING: Color = (170, 180, 200)
LAMP: Color = (255, 241, 150)
LIGHT: Point = (-14, -10)

NELL_LOOKS = "an old woman in a yellow rain hat and coat, with round glasses and white hair"
PIP_LOOKS = "a small teal robot with a dark screen for a face and a light bulb on its head"
GUS_LOOKS = "a fat white gull with grey wings and cross black brows"


def mouth(pen: Pen, x: float, y: float, kind: str, size: float = 1.0) -> None:
    """A mouth at (x, y): smile, open, shout, o, flat or frown."""
    s = size
    if kind == "smile":
        pen.brush([(x - 22 * s, y - 4 * s), (x, y + 9 * s), (x + 22 * s, y - 4 * s)], 7 * s)
    elif kind == "frown":
        pen.brush([(x - 20 * s, y + 7 * s), (x, y - 6 * s), (x + 20 * s, y + 7 * s)], 7 * s)
    elif kind == "flat":
        pen.brush([(x - 18 * s, y), (x, y + 1), (x + 18 * s, y - 2 * s)], 7 * s)
    elif kind == "shout":
        pen.blob(
            [
                (x - 28 * s, y + 22 * s),
                (x - 16 * s, y - 8 * s),
                (x + 16 * s, y - 8 * s),
                (x + 28 * s, y + 22 * s),
                (x, y + 12 * s),
            ],
            (110, 36, 52),
            4,
        )
    elif kind == "o":
        pen.oval(x, y + 3 * s, 11 * s, 14 * s, (110, 36, 52), 4)
    else:
        depth = 30
        pen.blob(
            [
                (x - 26 * s, y - 8 * s),
                (x, y - 3 * s),
                (x + 26 * s, y - 8 * s),
                (x + 14 * s, y + depth * 0.7 * s),
                (x, y + depth * s),
                (x - 14 * s, y + depth * 0.7 * s),
            ],
            (110, 36, 52),
            4,
        )
        pen.oval(x, y + (depth - 8) * s, 11 * s, 6 * s, (235, 110, 110), 0)


def nell_head(pen: Pen, eyes: str = "open", lips: str = "smile", look: Point = (4, 0)) -> None:
    """Nell's head around the origin, about 230 wide."""
    pen.blob([(-86, -10), (-96, 40), (-78, 74), (-40, 84), (40, 84), (78, 74), (96, 40), (86, -10)], HAIR, 6, LIGHT)
    pen.oval(0, 12, 80, 76, SKIN, 6, shade=LIGHT)
    for side in (-1, 1):
        pen.oval(side * 52, 42, 17, 11, (240, 140, 125, 150), 0)
        pen.oval(side * 36, 6, 31, 31, (255, 255, 255, 215), 6)
        _nell_eye(pen, side * 36, 6, eyes, look)
    pen.brush([(-8, 2), (0, -3), (8, 2)], 7)
    lift = -8 if eyes in ("wide", "worried") else 0
    for side in (-1, 1):
        tilt = 8 if eyes == "worried" else -7 if eyes == "cross" else 0
        pen.brush(
            [(side * 56, -30 + lift + tilt), (side * 38, -38 + lift), (side * 16, -32 + lift - tilt)],
            9,
            (190, 190, 204),
        )
    pen.blob([(-4, 14), (14, 18), (17, 33), (2, 39), (-13, 33)], (243, 176, 146), 5)
    mouth(pen, 0, 58, lips, 0.8)
    pen.blob([(-78, -34), (-70, -92), (-30, -124), (30, -124), (70, -92), (78, -34), (0, -46)], COAT, 6, LIGHT)
    pen.blob(
        [(-126, -20), (-80, -52), (0, -62), (80, -52), (126, -20), (84, -28), (0, -38), (-84, -28)], COAT, 6, (0, -8)
    )


def _nell_eye(pen: Pen, x: float, y: float, eyes: str, look: Point) -> None:
    """One of Nell's eyes, behind its glass."""
    if eyes == "happy":
        pen.brush([(x - 15, y + 6), (x, y - 9), (x + 15, y + 6)], 8)
    elif eyes == "shut":
        pen.brush([(x - 15, y - 2), (x, y + 7), (x + 15, y - 2)], 8)
    else:
        size = 12 if eyes == "wide" else 9
        pen.oval(x + look[0], y + look[1], size, size + 2, INK, 0)
        pen.oval(x + look[0] + 3, y + look[1] - 4, 3.5, 3.5, WHITE, 0)


def nell(
    pen: Pen,
    eyes: str = "open",
    lips: str = "smile",
    look: Point = (4, 0),
    left: Point = (-105, -120),
    right: Point = (105, -120),
    tilt: float = 0,
) -> None:
    """All of Nell, standing on the origin, about 440 high; `left` and `right` are where her hands are."""
    for side in (-1, 1):
        pen.blob(
            [(side * 12, -50), (side * 62, -50), (side * 66, -14), (side * 84, 0), (side * 12, 0)], (58, 64, 92), 6
        )
    pen.blob([(-60, -235), (60, -235), (92, -130), (108, -34), (0, -24), (-108, -34), (-92, -130)], COAT, 6, (-20, -4))
    pen.line([(0, -220), (3, -120), (0, -30)], 5)
    for y in (-180, -130, -80):
        pen.oval(16, y, 7, 7, (120, 80, 40), 4)
    for side, hand in ((-1, left), (1, right)):
        shoulder = (side * 62, -208)
        elbow = ((shoulder[0] + hand[0]) / 2 + side * 22, (shoulder[1] + hand[1]) / 2 + 12)
        away = math.dist(hand, elbow)
        reach = max(0.0, 1 - 34 / away)
        cuff = (elbow[0] + (hand[0] - elbow[0]) * reach, elbow[1] + (hand[1] - elbow[1]) * reach)
        pen.oval(*hand, 24, 22, SKIN, 6)
        pen.tube([shoulder, elbow, cuff], COAT, 40)
    pen.box(-50, -252, 100, 36, KNIT, 6, 16)
    nell_head(pen.at(0, -318, 1, tilt), eyes, lips, look)


def pip_face(pen: Pen, eyes: str = "open", lips: str = "smile", look: Point = (0, 0)) -> None:
    """Pip's screen and what it shows, around the origin."""
    pen.box(-70, -50, 140, 98, SCREEN, 6, 34)
    pen.line([(-52, -18), (-50, -32), (-36, -38)], 5, (90, 110, 140))
    for side in (-1, 1):
        x, y = side * 32 + look[0], -6 + look[1]
        if eyes == "happy":
            pen.line([(x - 15, y + 8), (x, y - 10), (x + 15, y + 8)], 8, CYAN)
        elif eyes == "shut":
            pen.line([(x - 14, y), (x + 14, y)], 8, CYAN)
        else:
            wide, high = (17, 21) if eyes == "wide" else (13, 18)
            pen.oval(x, y, wide, high, CYAN, 0)
            pen.oval(x + 4, y - 6, 4, 5, WHITE, 0)
    x, y = look[0] * 0.6, 28 + look[1] * 0.6
    if lips == "smile":
        pen.line([(x - 12, y - 3), (x, y + 4), (x + 12, y - 3)], 6, CYAN)
    elif lips == "open":
        pen.blob([(x - 15, y - 7), (x + 15, y - 7), (x, y + 12)], CYAN, 0)
    elif lips == "wave":
        pen.line([(x - 18, y), (x - 9, y - 5), (x, y), (x + 9, y + 5), (x + 18, y)], 6, CYAN)
    else:
        pen.line([(x - 10, y), (x + 10, y)], 6, CYAN)


def pip(
    pen: Pen,
    eyes: str = "open",
    lips: str = "smile",
    look: Point = (0, 0),
    left: Point = (-112, -80),
    right: Point = (112, -80),
    lit: float = 0.35,
) -> None:
    """All of Pip, standing on the origin, about 340 high; `lit` is how bright its bulb burns."""
    for side in (-1, 1):
        pen.tube([(side * 34, -44), (side * 36, -20)], (120, 132, 150), 18)
        pen.blob([(side * 8, 0), (side * 14, -24), (side * 44, -28), (side * 66, 0)], (90, 100, 124), 6)
    for side, hand in ((-1, left), (1, right)):
        middle = ((side * 62 + hand[0]) / 2 + side * 14, (hand[1] - 118) / 2 + 12)
        pen.tube([(side * 62, -118), middle, hand], (150, 164, 184), 15)
        pen.oval(*hand, 20, 20, TEAL, 6, shade=(-6, -5))
    pen.box(-66, -150, 132, 114, TEAL, 6, 30, (-18, -8))
    pen.box(-34, -124, 68, 52, PALE, 5, 12)
    pen.oval(-14, -98, 9, 9, (240, 100, 90), 4)
    pen.line([(6, -106), (24, -106)], 5)
    pen.line([(6, -90), (24, -90)], 5)
    pen.tube([(0, -280), (0, -300)], (150, 164, 184), 12)
    pen.box(-92, -284, 184, 136, TEAL, 6, 44, (-18, -10))
    for side in (-1, 1):
        pen.oval(side * 96, -214, 14, 24, (150, 164, 184), 6)
    pip_face(pen.at(0, -214), eyes, lips, look)
    bulb(pen.at(0, -300, 0.62), lit)


def bulb(pen: Pen, lit: float = 0.0) -> None:
    """A light bulb standing on the origin, about 120 high."""
    x, y = pen.place([(0, -70)])[0]
    if lit > 0:
        pen.canvas.glow(x, y, 60 * pen.scale * (1 + 4 * lit), LAMP, min(1.0, 0.35 + lit))
    glass = smooth(
        [(-22, -22), (-30, -44), (-52, -72), (-40, -116), (0, -132), (40, -116), (52, -72), (30, -44), (22, -22)]
    )
    pen.shape(glass, (255, 244, 170) if lit > 0 else (226, 238, 244), 6, (-12, -6), dark=(150, 110, 20, 70))
    pen.line([(-12, -30), (-12, -70), (0, -58), (12, -70), (12, -30)], 5, (220, 130, 40))
    pen.line([(-30, -92), (-22, -108)], 6, WHITE)
    pen.box(-24, -26, 48, 30, (150, 156, 168), 6, 8)
    pen.line([(-22, -10), (22, -14)], 4)


def gus(pen: Pen, gape: float = 0, eye: str = "cross", wing: str = "shut", legs: bool = True) -> None:
    """All of Gus, facing right, standing on the origin, about 300 high; `gape` from 0 to 1 opens his beak."""
    if legs:
        for x in (-26, 22):
            pen.tube([(x, -50), (x, -10)], BEAK, 10, 5)
            pen.blob([(x - 14, 0), (x, -14), (x + 32, -4), (x + 30, 4)], BEAK, 5)
    pen.blob([(-130, -90), (-190, -66), (-186, -92), (-150, -112)], (60, 64, 84), 6)
    pen.blob(
        [
            (-140, -96),
            (-90, -170),
            (-36, -210),
            (-28, -272),
            (34, -300),
            (88, -262),
            (86, -200),
            (96, -120),
            (50, -46),
            (-50, -36),
        ],
        WHITE,
        7,
        (-22, -14),
    )
    if wing == "up":
        pen.blob([(-70, -150), (-150, -250), (-210, -330), (-110, -300), (-30, -230), (0, -150)], WING, 7, (10, 14))
        pen.blob([(-150, -290), (-210, -330), (-110, -300)], (60, 64, 84), 5)
    else:
        pen.blob(
            [(44, -140), (10, -84), (-70, -66), (-158, -78), (-100, -120), (-50, -164), (10, -176)], WING, 6, (-8, -10)
        )
        pen.brush([(-110, -88), (-60, -92), (-10, -110)], 6)
    _beak(pen, gape)
    if eye == "happy":
        pen.brush([(28, -240), (44, -256), (60, -240)], 8)
    else:
        size = 19 if eye == "wide" else 15
        pen.oval(46, -244, size, size + 1, WHITE, 5)
        pen.oval(50, -243, 7, 8, INK, 0)
    if eye == "cross":
        pen.brush([(20, -276), (44, -264), (74, -252)], 13)
    elif eye != "happy":
        pen.brush([(22, -280), (44, -288), (68, -278)], 11)


def _beak(pen: Pen, gape: float) -> None:
    """The beak of Gus, opened by `gape` from 0 to 1."""
    drop = 62 * gape
    if gape > 0:
        pen.blob([(70, -236), (140, -226), (126, -206 + drop * 0.8), (84, -196 + drop * 0.5)], (150, 44, 60), 5)
        pen.blob([(84, -204 + drop * 0.3), (112, -206 + drop * 0.62), (96, -198 + drop * 0.7)], (240, 120, 120), 0)
    pen.blob(
        [(66, -206), (90, -206 + drop * 0.2), (140, -206 + drop), (132, -192 + drop), (96, -184 + drop * 0.5)], BEAK, 6
    )
    lift = 14 * gape
    pen.blob(
        [
            (64, -238),
            (110, -246 - lift),
            (156, -228 - lift),
            (172, -202 - lift),
            (156, -206 - lift),
            (110, -208),
            (66, -206),
        ],
        BEAK,
        6,
        (-4, -10),
    )
    pen.shape(oval_points(148, -212 - lift, 6, 5), (214, 60, 50), 0)
