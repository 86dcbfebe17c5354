"""The Night Light, page 2: where the spare bulb went."""

from __future__ import annotations

from samples.book import Page, Panel
from samples.cast import GUS_LOOKS, NELL_LOOKS, PIP_LOOKS, TEAL, bulb, gus, nell, pip
from samples.ink import INK, Pen
from samples.places import (
    GOLD,
    NIGHT,
    NIGHT_SEA,
    cloud,
    lamp_room,
    lighthouse,
    mail_boat,
    moon,
    nest,
    rays,
    rock,
    sea,
    stars,
)


def page() -> Page:
    """Where the spare bulb went."""
    sheet = Page("0002", "pages/western_2.png", 1600, 2400, "ltr", "en", 44)
    _mail_boat(sheet.panel(50, 50, 1500, 640))
    _chest(sheet.panel(50, 718, 700, 760))
    _hatching(sheet.panel(778, 718, 772, 760))
    _daughter(sheet.panel(50, 1506, 940, 844))
    _idea(sheet.panel(1018, 1506, 532, 844))
    return sheet


def _mail_boat(panel: Panel) -> None:
    """Wide shot: the mail boat steams towards the dark tower."""
    canvas = panel.canvas
    canvas.gradient(NIGHT, 0, 420)
    stars(canvas, 300, 120, 21)
    moon(canvas, 590, 236, 52)
    cloud(canvas, 640, 280, 44, (104, 104, 164))
    cloud(canvas, 400, 350, 56, (92, 94, 156))
    sea(canvas, 410, NIGHT_SEA, 11, (170, 200, 230, 150))
    rock(panel.pen(186, 436, 0.42))
    lighthouse(panel.pen(180, 440, 0.38), lit=False, window=(64, 76, 112))
    for x, y, k in ((500, 520, 0.22), (640, 560, 0.3), (400, 590, 0.34)):
        rock(panel.pen(x, y, k))
    mail_boat(panel.pen(1130, 500, 0.95, turn=-3))
    for x in (800, 1000, 1230):
        panel.pen(x, 540).brush([(-130, 0), (0, -22), (130, 0)], 16, (225, 238, 245))
    panel.tell("TEN MINUTES FROM THE ROCKS:\nTHE MAIL BOAT.", 26, 26)
    panel.sound("HOOONK!", 1030, 118, 150, GOLD, -6, "a ship's horn")
    panel.heard("a steam engine on the sea", "continuous")
    panel.scene("A mail boat steams through the night towards rocks and a dark lighthouse.", "wide", "slow")


def _chest(panel: Panel) -> None:
    """Nell rummages in the chest."""
    lamp_room(panel.canvas, 520, panes=4, seed=5)
    panel.canvas.tint((120, 130, 200), 0.55)
    panel.canvas.glow(350, 560, 520, (255, 214, 130), 0.5)
    for x, y, turn in ((110, 330, 20), (590, 400, -30), (560, 250, 50)):
        junk = panel.pen(x, y, 1, turn=turn)
        junk.tube([(-34, 0), (34, 0)], (160, 170, 190), 12)
        junk.oval(44, 0, 20, 20, (160, 170, 190), 6)
    panel.pen(150, 480, turn=-20).blob([(-30, -40), (0, -40), (4, 6), (46, 14), (46, 36), (-32, 36)], (120, 60, 60), 6)
    panel.figure(
        "Nell",
        NELL_LOOKS,
        "cross",
        lambda: nell(panel.pen(350, 730, 1.05), "cross", "shout", left=(-150, -270), right=(150, -290)),
    )
    chest = panel.pen(350, 770)
    chest.box(-240, -190, 480, 220, (150, 96, 58), 7, shade=(-30, -10))
    chest.box(-254, -214, 508, 44, (176, 118, 72), 7)
    chest.box(-34, -200, 68, 62, (214, 170, 70), 6, 8)
    chest.oval(0, -166, 8, 10, INK, 0)
    panel.say("Nell", "WHO TAKES THE\nSPARE BULB?!", 350, 134, (362, 292), "shout", "furious")
    panel.heard("things rattle in a chest", "momentary")
    panel.scene("The keeper throws tools and boots out of a chest.", "medium", "fast")


def _hatching(panel: Panel) -> None:
    """Gus sits on something that is no egg."""
    rays(panel.canvas, 386, 560, (98, 92, 152), (82, 78, 138), 26)
    panel.canvas.glow(386, 520, 420, (255, 226, 160), 0.45)
    panel.pen().box(-20, 690, 900, 120, (142, 98, 72), 7)
    panel.figure("Gus", GUS_LOOKS, "dignified", lambda: gus(panel.pen(380, 700, 1.16), 0.18, "calm", legs=False))
    bulb(panel.pen(560, 652, 0.9, turn=38))
    nest(panel.pen(400, 716, 1.5))
    panel.say("Gus", "SHH!", 190, 118, (372, 348), tone="hushed")
    panel.say("Gus", "I AM\nHATCHING.", 560, 180, (540, 420), tone="dignified")
    panel.scene("The gull sits in a nest, on a light bulb.", "medium", "still")


def _pip_back(pen: Pen) -> None:
    """Pip's head and shoulders from behind."""
    pen.box(-150, -40, 300, 300, TEAL, 6, 60, (-30, -14))
    pen.box(-190, -300, 380, 270, TEAL, 6, 84, (-34, -18))
    for side in (-1, 1):
        pen.oval(side * 196, -164, 26, 46, (150, 164, 184), 6)
    for y in (-200, -164, -128):
        pen.line([(-70, y), (70, y)], 9, (40, 120, 122))
    bulb(pen.at(0, -306, 1.25), 0.25)


def _daughter(panel: Panel) -> None:
    """Over Pip's shoulder: the talk about the egg."""
    lamp_room(panel.canvas, 600, panes=4, seed=17)
    panel.canvas.tint((140, 146, 210), 0.5)
    panel.canvas.glow(650, 560, 430, (255, 220, 150), 0.5)
    panel.figure("Gus", GUS_LOOKS, "offended", lambda: gus(panel.pen(680, 728, 1.1, True), 0.5, "cross", legs=False))
    bulb(panel.pen(556, 690, 0.9, turn=-38))
    nest(panel.pen(660, 756, 1.45))
    panel.figure("Pip", PIP_LOOKS, "patient", lambda: _pip_back(panel.pen(190, 760)))
    panel.say("Pip", "GUS, THAT IS\nA LIGHT BULB.", 230, 110, (318, 468), "robot", "patient")
    panel.say("Gus", "THAT IS MY\nDAUGHTER.", 706, 168, (650, 396), tone="offended")
    panel.scene("Seen over the robot's shoulder, the gull guards the light bulb in his nest.", "over-the-shoulder")


def _idea(panel: Panel) -> None:
    """Close-up: Pip has an idea."""
    rays(panel.canvas, 266, 640, (72, 150, 176), (52, 116, 150), 20)
    panel.figure(
        "Pip", PIP_LOOKS, "inspired", lambda: pip(panel.pen(266, 1040, 1.8), "wide", "open", (0, -10), lit=0.5)
    )
    panel.say("Pip", "A BIG LENS.\nA SMALL LIGHT.\nPAGE SEVEN!", 266, 142, (104, 560), "thought", "inspired")
    panel.scene("The robot's eyes grow wide: it has an idea.", "close-up")
