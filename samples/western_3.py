"""The Night Light, page 3: a small light in the right place."""

from __future__ import annotations

from samples.book import Page, Panel
from samples.cast import GUS_LOOKS, NELL_LOOKS, PIP_LOOKS, bulb, gus, nell, pip
from samples.ink import INK, WHITE, oval_points
from samples.places import (
    DAWN,
    GOLD,
    NIGHT,
    NIGHT_SEA,
    beam,
    cloud,
    lamp_room,
    lens,
    lighthouse,
    mail_boat,
    nest,
    rays,
    rock,
    sea,
    stars,
)


def page() -> Page:
    """A small light in the right place."""
    sheet = Page("0003", "pages/western_3.png", 1600, 2400, "ltr", "en", 44)
    _climb(sheet.panel(50, 50, 720, 760))
    _inside(sheet.panel(798, 50, 752, 760))
    _saved(sheet.panel(50, 838, 1500, 640))
    _dawn(sheet.panel(50, 1506, 740, 844))
    _her_eyes(sheet.panel(818, 1506, 732, 844))
    return sheet


def _climb(panel: Panel) -> None:
    """Pip climbs on Nell and into the lens."""
    lamp_room(panel.canvas, 600, panes=4, seed=31)
    lens(panel.pen(520, 690, 1.0), lit=False)
    panel.canvas.tint((120, 130, 205), 0.6)
    panel.canvas.glow(360, 300, 330, (255, 230, 150), 0.5)
    panel.figure(
        "Pip",
        PIP_LOOKS,
        "brave",
        lambda: pip(
            panel.pen(356, 420, 0.62, turn=24), "open", "open", (8, -4), left=(-100, -50), right=(136, -200), lit=0.4
        ),
    )
    panel.figure(
        "Nell",
        NELL_LOOKS,
        "worried",
        lambda: nell(panel.pen(220, 780, 1.0), "worried", "open", (8, -6), left=(40, -352), right=(150, -352)),
    )
    panel.say("Pip", "HOLD MY FEET!", 250, 70, (392, 222), "robot", "brave")
    panel.say("Nell", "YOU ARE ONLY\nA NIGHT LIGHT!", 484, 668, (262, 526), tone="worried")
    panel.scene("The keeper lifts the robot up to the great dark lens.", "medium", "fast")


def _inside(panel: Panel) -> None:
    """Close-up: Pip shines inside the lens."""
    rays(panel.canvas, 376, 446, (255, 214, 100), (230, 136, 62), 24)
    for i in range(5):
        panel.pen().shape(oval_points(376, 446, 330 + i * 44, 380 + i * 44), None, 5, ink=(190, 104, 44))
    panel.canvas.glow(376, 446, 520, WHITE, 1.0)
    panel.figure(
        "Pip",
        PIP_LOOKS,
        "straining",
        lambda: pip(panel.pen(376, 930, 1.5), "shut", "wave", lit=1.0, left=(-130, -150), right=(130, -150)),
    )
    panel.canvas.glow(376, 440, 240, WHITE, 0.9)
    panel.say("Pip", "A LENS MAKES A\nSMALL LIGHT GREAT!", 376, 118, (440, 392), "robot", "straining")
    panel.scene(
        "Inside the lens the robot shuts its eyes and its bulb shines as bright as day.", "close-up", "building"
    )


def _saved(panel: Panel) -> None:
    """Wide, wordless: the beam shows the boat the way."""
    canvas = panel.canvas
    canvas.gradient(NIGHT, 0, 430)
    stars(canvas, 330, 130, 44)
    cloud(canvas, 1180, 150, 56, (92, 94, 156))
    cloud(canvas, 700, 330, 50, (104, 104, 164))
    beam(canvas, 300, 116, 12, 26)
    sea(canvas, 420, NIGHT_SEA, 41, (170, 200, 230, 150))
    canvas.glow(1130, 470, 420, (255, 244, 180), 0.5)
    rock(panel.pen(300, 492, 0.9))
    lighthouse(panel.pen(300, 500, 0.65))
    for x, y, k in ((640, 560, 0.28), (760, 590, 0.2)):
        rock(panel.pen(x, y, k))
    mail_boat(panel.pen(1150, 520, 0.8, True, turn=4))
    for x in (960, 1150, 1350):
        panel.pen(x, 556).brush([(-120, 0), (0, -20), (120, 0)], 14, (225, 238, 245))
    panel.heard("waves, and a steam engine that goes away", "continuous")
    panel.scene("A mighty beam crosses the sea; in its light the mail boat turns away from the rocks.", "wide", "slow")


def _dawn(panel: Panel) -> None:
    """Dawn: Nell and Pip at the window."""
    lamp_room(panel.canvas, 650, DAWN, panes=4)
    panel.canvas.glow(250, 480, 340, (255, 240, 190), 0.8)
    panel.figure(
        "Pip",
        PIP_LOOKS,
        "happy",
        lambda: pip(panel.pen(530, 824, 1.0), "happy", "smile", (-8, 0), lit=0.2, left=(-80, -60)),
    )
    panel.figure(
        "Nell", NELL_LOOKS, "moved", lambda: nell(panel.pen(240, 824, 1.12), "happy", "smile", right=(206, -150))
    )
    panel.say("Nell", "A SMALL LIGHT,\nIN THE RIGHT\nPLACE.", 236, 130, (270, 344), tone="moved")
    panel.say("Pip", "I UNDERLINED\nTHAT PART.", 532, 306, (560, 446), "robot", "modest")
    panel.scene("At dawn the keeper lays her hand on the robot's shoulder.", "medium", "slow")


def _her_eyes(panel: Panel) -> None:
    """Gus and his shining daughter."""
    rays(panel.canvas, 366, 560, (255, 206, 160), (250, 178, 140), 26)
    panel.pen().box(-20, 770, 900, 120, (142, 98, 72), 7)
    panel.figure("Gus", GUS_LOOKS, "proud", lambda: gus(panel.pen(236, 776, 1.15), 0.6, "happy", legs=False))
    child = panel.pen(490, 744, 1.5)
    bulb(child, 0.55)
    for side in (-1, 1):
        child.oval(side * 18, -84, 11, 12, WHITE, 4)
        child.oval(side * 18 + 2, -83, 4, 5, INK, 0)
        child.brush([(side * 34, -106), (side * 18, -100), (side * 5, -94)], 8)
    nest(panel.pen(330, 800, 1.75))
    panel.say("Gus", "SHE HATCHED!", 240, 96, (290, 418), tone="overjoyed")
    panel.say("Gus", "SHE HAS\nMY EYES.", 536, 206, (410, 482), tone="tender")
    panel.sound("DING!", 578, 448, 116, GOLD, 8, "a bright bell as a bulb lights up")
    panel.tell("THE END", -24, -24)
    panel.scene("The gull beams beside the shining bulb, which has his cross eyes.", "medium", "still")
