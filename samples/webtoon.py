"""Lunch Break: a story that falls down one tall strip."""

from __future__ import annotations

from PIL import Image

from samples.book import Page, Panel
from samples.cast import COAT, GUS_LOOKS, NELL_LOOKS, PIP_LOOKS, SKIN, gus, nell, nell_head, pip
from samples.ink import SCALE, WHITE, Pen, oval_points
from samples.lettering import sound_word
from samples.places import DAY, DAY_SEA, GOLD, PLASTER, RED, cloud, lighthouse, rays, rock, sea

HEIGHTS = (580, 620, 470, 900, 470, 560, 600)
GUTTER = 84


def page() -> Page:
    """The whole strip."""
    sheet = Page("0001", "webtoon.png", 800, sum(HEIGHTS) + GUTTER * (len(HEIGHTS) - 1) + 80, "vertical", "en", 40)
    y = 40
    for draw, high in zip((_top, _bite, _slip, _fall, _count, _gulp, _mustard), HEIGHTS, strict=True):
        draw(sheet.panel(30, y, 740, high))
        y += high + GUTTER
    return sheet


def sandwich(pen: Pen) -> None:
    """A fish sandwich around the origin, about 150 wide."""
    pen.blob([(-74, 10), (74, 10), (70, 40), (0, 46), (-70, 40)], (226, 168, 92), 6, (0, -10))
    pen.blob([(70, 6), (104, -14), (104, 28), (72, 16)], (140, 170, 190), 5)
    pen.blob(
        [(-78, -2), (-50, 14), (-24, 0), (4, 16), (30, 0), (56, 14), (80, -2), (70, 22), (-70, 22)], (112, 190, 84), 5
    )
    pen.box(-70, -14, 140, 16, (228, 78, 66), 5, 8)
    pen.blob([(-76, -12), (-64, -50), (0, -64), (64, -50), (76, -12), (0, -8)], (236, 182, 106), 6, (-12, -8))
    for x, y in ((-30, -42), (4, -50), (36, -38)):
        pen.line([(x, y), (x + 10, y + 3)], 5, (255, 236, 190))


def _sky(panel: Panel, horizon: float, seed: int) -> None:
    """A bright day over the sea."""
    panel.canvas.gradient(DAY, 0, horizon)
    cloud(panel.canvas, 150, horizon * 0.55, 62, WHITE)
    cloud(panel.canvas, 620, horizon * 0.36, 50, (246, 252, 255))
    sea(panel.canvas, horizon, DAY_SEA, seed)


def _rail(panel: Panel, y: float) -> None:
    """The gallery rail across a panel."""
    pen = panel.pen()
    for x in range(10, 760, 120):
        pen.tube([(x, y), (x, y + 300)], (84, 80, 108), 12)
    pen.tube([(-30, y), (770, y)], (84, 80, 108), 20)


def _falling(panel: Panel, x: float, y: float, scale: float, turn: float, tail: float) -> None:
    """The sandwich in its fall, with lines above it."""
    for dx, cut in ((-56, 0.6), (-20, 1.0), (20, 0.8), (56, 0.5)):
        panel.pen(x + dx * scale, y - 80 * scale).brush([(0, -tail * cut), (2, -tail * cut / 2), (0, 0)], 9, WHITE)
    sandwich(panel.pen(x, y, scale, turn=turn))


def _top(panel: Panel) -> None:
    """Wide shot: the top of the lighthouse by day."""
    _sky(panel, 440, 3)
    lighthouse(panel.pen(510, 940, 1.14), lit=False, window=(120, 150, 180))
    panel.figure("Nell", NELL_LOOKS, "content", lambda: nell(panel.pen(470, 322, 0.3), "happy", "smile"))
    panel.figure("Gus", GUS_LOOKS, "hungry", lambda: gus(panel.pen(170, 400, 0.42), 0.2, "wide", "up", legs=False))
    panel.sign("LUNCH BREAK", sound_word(panel.canvas, 244, 96, "LUNCH BREAK", 88, GOLD, -5))
    panel.tell("Noon, two hundred steps up.", 22, -22)
    panel.heard("a breeze and a calm sea", "continuous")
    panel.scene(
        "The top of a lighthouse on a bright day; the keeper stands on the gallery, a gull flies by.", "wide", "slow"
    )


def _bite(panel: Panel) -> None:
    """Nell and her sandwich."""
    _sky(panel, 380, 8)
    panel.figure(
        "Nell",
        NELL_LOOKS,
        "happy",
        lambda: nell(panel.pen(390, 660, 1.05), "happy", "smile", left=(-130, -60), right=(140, -210)),
    )
    _rail(panel, 540)
    sandwich(panel.pen(552, 396, 0.95, turn=-8))
    panel.say("Nell", "Such a view. Such a\nfine fish sandwich.", 330, 96, (384, 206), tone="content")
    panel.scene("The keeper holds up a fish sandwich over the rail.", "medium", "slow")


def _slip(panel: Panel) -> None:
    """Close-up: the sandwich slips."""
    rays(panel.canvas, 480, 300, (255, 226, 140), (250, 190, 110), 26)
    panel.figure("Nell", NELL_LOOKS, "shocked", lambda: nell_head(panel.pen(190, 330, 1.35), "wide", "o", (9, 4)))
    arm = panel.pen(740, 110)
    arm.tube([(60, -20), (-30, 0), (-60, 10)], COAT, 84)
    arm.oval(-112, 22, 42, 38, SKIN, 6)
    for y in (4, 24, 44):
        arm.tube([(-130, y), (-164, y + 6)], SKIN, 14)
    sandwich(panel.pen(510, 292, 1.25, turn=24))
    for x in (470, 520, 570):
        panel.pen(x - 10, 212).brush([(0, -54), (2, -26), (0, 0)], 8)
    panel.say("Nell", "Oh no!", 392, 90, (262, 236), "shout", "shocked", loud=1.2)
    panel.sound("SQUISH!", 586, 402, 84, (232, 62, 58), -6, "a squeezed sandwich slips out of a hand")
    panel.scene("The sandwich slips out of the keeper's hand; her eyes are wide.", "close-up", "sudden")


def _wall(panel: Panel) -> None:
    """The lighthouse wall in its red and white bands."""
    pen = panel.pen()
    for i in range(-1, 5):
        top, low = (max(-20.0, i * 260.0 - 60), i * 260.0 + 200)
        pen.shape(
            [(60 - top * 0.05, top), (540 + top * 0.05, top), (540 + low * 0.05, low), (60 - low * 0.05, low)],
            RED if i % 2 else PLASTER,
            0,
        )
    pen.shape([(61, -20), (539, -20), (600, 1200), (0, 1200)], None, 8, (-150, 0))


def _window(panel: Panel, x: float, y: float, scale: float) -> Pen:
    """A round-topped window; gives back the pen it was drawn with."""
    pen = panel.pen(x, y, scale)
    arch = [(-110.0, 120.0), *oval_points(0, -70, 110, 110)[36:], (110.0, -70.0), (110.0, 120.0)]
    pen.shape(arch, (58, 66, 104), 10)
    return pen


def _below(panel: Panel, row: int) -> Image.Image:
    """What the panel shows below a row, to be pasted back over a figure that stands behind it."""
    return panel.canvas.image.crop((0, row * SCALE, panel.box.w * SCALE, panel.box.h * SCALE))


def _fall(panel: Panel) -> None:
    """Tall: the sandwich falls past Pip."""
    _sky(panel, 1000, 5)
    cloud(panel.canvas, 660, 700, 40, WHITE)
    _wall(panel)
    window = _window(panel, 230, 560, 1.0)
    wall = _below(panel, 676)
    panel.figure(
        "Pip",
        PIP_LOOKS,
        "polite",
        lambda: pip(panel.pen(230, 810, 0.78), "open", "smile", (14, 0), left=(-90, -60), right=(100, -60)),
    )
    panel.canvas.image.paste(wall, (0, 676 * SCALE))
    window.box(-136, 116, 272, 36, (206, 196, 184), 8, 6, (0, -12))
    _falling(panel, 500, 640, 1.0, 160, 420)
    panel.say("Pip", "Good afternoon,\nsandwich.", 240, 190, (256, 470), "robot", "polite")
    panel.sound("WHOOSH!", 628, 360, 120, WHITE, 80, "something falls fast through the air")
    panel.scene("The sandwich falls down the tower, past a window in which the robot stands.", "wide", "fast")


def _count(panel: Panel) -> None:
    """Close-up: Pip counts down."""
    panel.canvas.gradient(((210, 84, 78), (180, 60, 62)))
    for y in range(0, 480, 78):
        panel.pen().line([(0, y), (740, y)], 4, (150, 48, 54))
        for x in range(60 if y % 156 else 0, 760, 130):
            panel.pen().line([(x, y), (x, y + 78)], 4, (150, 48, 54))
    pen = panel.pen(530, 300)
    pen.oval(0, 0, 190, 190, (206, 196, 184), 8, shade=(-14, -10))
    pen.oval(0, 0, 150, 150, (58, 66, 104), 8)
    wall = _below(panel, 430)
    panel.figure(
        "Pip",
        PIP_LOOKS,
        "curious",
        lambda: pip(panel.pen(530, 530, 0.98), "wide", "flat", (0, 12), left=(-50, -120), right=(50, -120)),
    )
    panel.canvas.image.paste(wall, (0, 430 * SCALE))
    pen.box(-204, 112, 408, 36, (206, 196, 184), 8, 6, (0, -12))
    panel.say("Pip", "Ground contact\nin three, two...", 210, 130, (420, 250), "robot", "matter-of-fact")
    panel.scene("The robot looks down out of a round window.", "close-up", "still")


def _gulp(panel: Panel) -> None:
    """Gus catches it."""
    _sky(panel, 330, 12)
    panel.figure("Gus", GUS_LOOKS, "greedy", lambda: gus(panel.pen(300, 500, 1.0, turn=-34), 1, "wide", legs=False))
    rock(panel.pen(290, 462, 1.0))
    _falling(panel, 396, 110, 0.8, 200, 160)
    panel.sound("GULP!", 548, 330, 146, GOLD, -8, "a gull gulps something down")
    panel.scene("On the rock the gull opens his beak under the falling sandwich.", "wide", "sudden")


def _mustard(panel: Panel) -> None:
    """Close-up: Gus is the judge."""
    rays(panel.canvas, 330, 400, (150, 212, 236), (112, 190, 226), 26)
    panel.figure("Gus", GUS_LOOKS, "smug", lambda: gus(panel.pen(300, 760, 1.7), 0.1, "cross", legs=False))
    for x, y in ((560, 420), (600, 450), (548, 470)):
        panel.pen(x, y).oval(0, 0, 9, 7, (236, 182, 106), 4)
    panel.say("Nell", "GUS!", 560, 116, (676, 8), "shout", "furious", loud=1.5)
    panel.say("Gus", "Needs mustard.", 540, 536, (560, 440), tone="smug")
    panel.scene("The gull, crumbs on his beak, looks smug; the keeper shouts from far above.", "close-up", "still")
