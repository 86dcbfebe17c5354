"""The Night Light, page 1: the lamp breaks."""

from __future__ import annotations

import math

from samples.book import Page, Panel
from samples.cast import CYAN, GUS_LOOKS, NELL_LOOKS, PIP_LOOKS, bulb, gus, nell, pip, pip_face
from samples.ink import INK, WHITE, rng
from samples.lettering import sound_word
from samples.places import (
    GOLD,
    NIGHT,
    NIGHT_SEA,
    beam,
    cloud,
    lamp_room,
    lens,
    lighthouse,
    moon,
    rays,
    rock,
    sea,
    stars,
)


def page() -> Page:
    """The lamp breaks."""
    sheet = Page("0001", "pages/western_1.png", 1600, 2400, "ltr", "en", 44)
    _tower(sheet.panel(50, 50, 1500, 760))
    _lesson(sheet.panel(50, 838, 880, 720))
    _pop(sheet.panel(958, 838, 592, 720))
    _dark(sheet.panel(50, 1586, 640, 764))
    _ship_ahoy(sheet.panel(718, 1586, 832, 764))
    return sheet


def _tower(panel: Panel) -> None:
    """Wide shot: the lighthouse at night."""
    canvas = panel.canvas
    canvas.gradient(NIGHT, 0, 560)
    stars(canvas, 480, 130, 4)
    moon(canvas, 900, 104, 62)
    cloud(canvas, 980, 330, 54, (112, 112, 170))
    cloud(canvas, 250, 470, 80, (92, 94, 156))
    cloud(canvas, 620, 440, 46, (104, 104, 164))
    beam(canvas, 1180, 158, 168, 15)
    sea(canvas, 520, NIGHT_SEA, 2, (170, 200, 230, 150))
    rock(panel.pen(1180, 616, 0.95))
    lighthouse(panel.pen(1180, 620, 0.78))
    panel.figure("Gus", GUS_LOOKS, "cross", lambda: gus(panel.pen(960, 708, 0.3, True)))
    panel.sign("THE NIGHT LIGHT", sound_word(canvas, 400, 178, "THE NIGHT LIGHT", 128, GOLD, -4))
    panel.tell("LOW TIDE ROCK. THE LAST LIGHTHOUSE\nIN THE WORLD WITH A KEEPER.", 26, -26)
    panel.heard("waves against a rock", "continuous")
    panel.scene("A lighthouse on a rock shines over the sea at night; a gull sits at its foot.", "wide", "slow")


def _lesson(panel: Panel) -> None:
    """Nell gives Pip the lamp to mind."""
    lamp_room(panel.canvas, 560)
    lens(panel.pen(440, 632, 0.86))
    panel.figure(
        "Nell", NELL_LOOKS, "proud", lambda: nell(panel.pen(215, 712, 1.06), "happy", "smile", right=(150, -250))
    )
    panel.figure(
        "Pip",
        PIP_LOOKS,
        "eager",
        lambda: pip(panel.pen(668, 712, 1.0, True), "happy", "open", left=(-104, -190), right=(104, -190)),
    )
    panel.say("Nell", "PIP, TONIGHT\nYOU MIND\nTHE LAMP.", 222, 128, (232, 262), tone="warm")
    panel.say("Pip", "I HAVE READ\nTHE MANUAL\nNINE TIMES!", 668, 128, (700, 330), "robot", "eager")
    panel.scene("In the lamp room an old keeper shows the great lamp to a small robot.", "medium")


def _pop(panel: Panel) -> None:
    """Close-up: the bulb bursts."""
    rays(panel.canvas, 300, 400, (255, 214, 90), (240, 130, 60))
    panel.canvas.glow(300, 400, 400, WHITE, 0.95)
    pen = panel.pen(300, 690, 3.0)
    bulb(pen, 0.6)
    for points in ([(-30, -120), (-12, -96), (-24, -84), (4, -58)], [(44, -104), (24, -88), (34, -72)]):
        panel.canvas.polyline(pen.place(points), INK, 8)
    dice = rng(12)
    for _ in range(16):
        angle, far = dice.uniform(0, math.tau), dice.uniform(210, 270)
        shard = panel.pen(
            300 + far * math.cos(angle), 430 + far * math.sin(angle), dice.uniform(0.7, 1.4), turn=dice.uniform(0, 360)
        )
        shard.shape([(-16, 8), (20, 0), (-8, -14)], (226, 238, 244), 4)
    panel.sound("POP!", 300, 170, 240, (232, 62, 58), -8, "a light bulb bursts")
    panel.scene("The bulb of the great lamp cracks and bursts.", "close-up", "sudden")


def _dark(panel: Panel) -> None:
    """Only eyes are seen in the dark."""
    canvas = panel.canvas
    canvas.gradient(((30, 34, 80), (58, 62, 120)))
    panel.figure("Nell", NELL_LOOKS, "dry", lambda: nell(panel.pen(450, 770, 1.1), "shut", "flat"))
    panel.figure("Pip", PIP_LOOKS, "worried", lambda: pip(panel.pen(170, 780, 1.0), "wide", "wave", lit=0))
    canvas.tint((62, 68, 140), 0.93)
    canvas.glow(170, 566, 220, CYAN, 0.35)
    pip_face(panel.pen(170, 566), "wide", "wave", (8, 0))
    for side in (-1, 1):
        glass = panel.pen(450, 420, 1.1)
        glass.oval(side * 36, 6, 31, 31, (120, 140, 190), 5)
        glass.brush([(side * 36 - 15, 2), (side * 36, 12), (side * 36 + 15, 2)], 8)
    panel.say("Pip", "PAGE FOUR SAYS\nTHAT CANNOT\nHAPPEN.", 236, 122, (170, 500), "robot", "puzzled")
    panel.say("Nell", "AND YET.", 478, 262, (452, 372), tone="dry")
    panel.scene("The room is dark; only the robot's eyes and the keeper's glasses are seen.", "medium", "still")


def _ship_ahoy(panel: Panel) -> None:
    """Gus bursts in at the window."""
    canvas = panel.canvas
    canvas.gradient(NIGHT)
    stars(canvas, 500, 60, 8)
    sea(canvas, 560, NIGHT_SEA, 5, (170, 200, 230, 150))
    for x, y, w, h in ((-20, -20, 70, 900), (782, -20, 80, 900), (-20, 690, 900, 90)):
        panel.pen().box(x, y, w, h, (146, 66, 66), 6)
    panel.figure("Gus", GUS_LOOKS, "alarmed", lambda: gus(panel.pen(300, 700, 1.34), 1, "wide", "up"))
    panel.say("Gus", "SHIP!", 620, 140, (500, 372), "shout", "shouting", loud=1.5)
    panel.say("Gus", "A BIG ONE! AND\nIT IS COMING\nRIGHT AT US!", 590, 624, (466, 462), tone="alarmed")
    panel.scene("A fat gull lands in the window, beating his wings and screaming.", "medium", "fast")
