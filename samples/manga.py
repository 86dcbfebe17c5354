"""嵐の客, "The guest in the storm": one manga page in black and white, read from right to left."""

from __future__ import annotations

from samples.book import Page, Panel
from samples.cast import GUS_LOOKS, NELL_LOOKS, PIP_LOOKS, gus, nell, pip
from samples.ink import WHITE, Color, Pen, rng
from samples.places import RED, beam, lighthouse, rock, sea

WALL: Color = (196, 196, 204)
PLANK: Color = (150, 150, 160)


def page() -> Page:
    """A guest comes in from the storm."""
    sheet = Page("0001", "manga/manga_1.png", 1400, 2000, "rtl", "ja", 40)
    _storm(sheet.panel(48, 48, 1304, 500))
    _supper(sheet.panel(724, 572, 628, 640))
    _knock(sheet.panel(48, 572, 652, 640))
    _door(sheet.panel(620, 1236, 732, 716))
    _second_bowl(sheet.panel(48, 1236, 548, 716))
    return sheet


def rain(panel: Panel, count: int, seed: int, color: Color = WHITE) -> None:
    """Slanting rain over a whole panel."""
    dice = rng(seed)
    for _ in range(count):
        x, y, far = dice.uniform(-80, panel.box.w), dice.uniform(-60, panel.box.h), dice.uniform(40, 110)
        panel.canvas.polyline([(x, y), (x + far * 0.35, y + far)], color, 3)


def _storm(panel: Panel) -> None:
    """Wide shot: the lighthouse in the storm."""
    canvas = panel.canvas
    canvas.gradient(((50, 50, 60), (150, 150, 160), (225, 225, 230)), 0, 420)
    for x, y, k in ((240, 120, 110), (620, 90, 130), (1010, 130, 110)):
        pen = Pen(canvas, x, y, k)
        pen.blob(
            [
                (-2, 0.1),
                (-1.6, -0.6),
                (-0.9, -0.5),
                (-0.4, -1),
                (0.5, -0.9),
                (1, -0.5),
                (1.7, -0.5),
                (2.1, 0.1),
                (1, 0.3),
                (-1, 0.3),
            ],
            (70, 70, 80),
            0,
        )
    sea(canvas, 360, (120, 120, 132), 6, (255, 255, 255, 255))
    canvas.glow(330, 110, 210, (250, 250, 250), 1.0)
    beam(canvas, 330, 120, 6, 13, 90)
    rock(panel.pen(330, 410, 0.8))
    lighthouse(panel.pen(330, 416, 0.5), lit=False, window=(250, 250, 250))
    panel.pen(330, 121).box(-24, -25, 48, 50, WHITE, 5)
    for wave, swell in ((640, 1.0), (900, 1.4), (1180, 1.1)):
        panel.pen(wave, 440, swell).blob(
            [(-120, 70), (-60, 10), (-10, -60), (50, -74), (84, -40), (50, -38), (40, -10), (90, 40), (130, 70)],
            WHITE,
            6,
            (-16, -10),
        )
    canvas.screentone()
    rain(panel, 150, 3)
    panel.sound("ザアアア", 1190, 250, 96, WHITE, 10, "heavy rain")
    panel.heard("a storm at sea", "continuous")
    panel.scene("A lighthouse in heavy rain and high waves.", "wide", "slow")


def kitchen(panel: Panel, floor: float, window: float) -> None:
    """The keeper's kitchen: a wall, a window on the rain around column `window`, a shelf line, planks."""
    pen = panel.pen()
    pen.box(-10, -10, panel.box.w + 20, floor + 10, (250, 250, 250), 0)
    pen.box(window - 100, 110, 200, 230, (70, 70, 80), 7)
    dice = rng(round(window))
    for _ in range(16):
        x, y = dice.uniform(window - 88, window + 62), dice.uniform(120, 270)
        pen.line([(x, y), (x + 20, y + 56)], 3, WHITE)
    pen.box(window - 6, 110, 12, 230, WHITE, 4)
    pen.box(window - 100, 218, 200, 12, WHITE, 4)
    pen.box(window - 116, 340, 232, 22, WHITE, 6)
    pen.box(-10, floor - 26, panel.box.w + 20, 26, WHITE, 5)
    pen.box(-10, floor, panel.box.w + 20, panel.box.h, PLANK, 6)


def pot(pen: Pen) -> None:
    """A steaming pot on a stove, the floor at the origin."""
    pen.box(-110, -190, 220, 200, (70, 70, 78), 6, 14)
    pen.box(-70, -130, 140, 84, (30, 30, 34), 5, 10)
    pen.blob([(-30, -54), (-24, -96), (0, -120), (24, -96), (30, -54)], (250, 250, 250), 4)
    pen.box(-84, -266, 168, 76, (150, 150, 160), 6, 18, (-20, 0))
    pen.box(-96, -282, 192, 22, (110, 110, 118), 6, 8)
    for x in (-40, 6, 50):
        pen.line([(x, -296), (x + 14, -326), (x - 8, -352), (x + 8, -384)], 4, WHITE)


def _supper(panel: Panel) -> None:
    """Nell and Pip by the stove."""
    kitchen(panel, 520, 330)
    pot(panel.pen(330, 600, 0.8))
    panel.figure("ネル", NELL_LOOKS, "calm", lambda: nell(panel.pen(490, 632, 0.82), "open", "smile", (-6, 0)))
    panel.figure(
        "ピップ", PIP_LOOKS, "worried", lambda: pip(panel.pen(150, 632, 0.82), "wide", "wave", (6, 0), lit=0.01)
    )
    panel.canvas.screentone()
    panel.say("ネル", "ひどい\n嵐だね。", 480, 124, (486, 282), ruby={"嵐": "あらし"})
    panel.say("ピップ", "波が\n三メートル\nあります。", 196, 146, (160, 326), "robot", "worried")
    panel.scene("The keeper and the robot stand by the stove in the kitchen.", "medium")


def _knock(panel: Panel) -> None:
    """A knock at the door."""
    kitchen(panel, 560, 150)
    door = panel.pen(450, 560)
    door.box(-130, -430, 260, 430, (130, 130, 138), 7, shade=(-26, 0))
    for x in (-65, 0, 65):
        door.line([(x, -426), (x, -4)], 4)
    door.oval(-96, -200, 15, 15, (250, 250, 250), 5)
    for x, y, turn in ((304, 320, 30), (296, 370, 0), (304, 420, -30)):
        panel.pen(x, y, turn=turn).line([(0, 0), (-42, 0)], 7)
    panel.figure(
        "ピップ",
        PIP_LOOKS,
        "startled",
        lambda: pip(panel.pen(150, 632, 0.9), "wide", "open", (10, -2), lit=0.01, left=(-110, -190), right=(110, -190)),
    )
    panel.canvas.screentone()
    panel.sound("コンコン", 574, 300, 92, WHITE, 6, "a knock on a wooden door")
    panel.say("ピップ", "だれか\n来ました！", 300, 140, (206, 300), "robot", "startled")
    panel.say("ネル", "こんな\n夜に？", 100, 150, (4, 330), tone="surprised")
    panel.scene("There is a knock at the door; the robot throws up its arms.", "medium", "sudden")


def drops(panel: Panel, x: float, y: float, count: int, seed: int) -> None:
    """Drops that drip around (x, y)."""
    dice = rng(seed)
    for _ in range(count):
        drop = panel.pen(x + dice.uniform(-190, 190), y + dice.uniform(-170, 170), dice.uniform(0.6, 1.1))
        drop.blob([(0, -22), (11, 4), (0, 14), (-11, 4)], WHITE, 4)


def _door(panel: Panel) -> None:
    """Gus stands in the door, soaked."""
    canvas = panel.canvas
    canvas.gradient(((30, 30, 36), (104, 104, 112)), 0, 640)
    rain(panel, 130, 14)
    for x in (-10, 664):
        panel.pen().box(x, -20, 80, 700, (200, 200, 206), 7)
    panel.pen().box(-10, 640, 760, 120, (246, 246, 246), 7)
    panel.pen(370, 650).oval(0, 20, 220, 26, (220, 220, 226), 5)
    panel.figure("ガス", GUS_LOOKS, "dignified, soaked", lambda: gus(panel.pen(380, 660, 1.24, True), 0.3, "cross"))
    drops(panel, 370, 430, 15, 5)
    canvas.screentone()
    panel.say("ガス", "雨やどり\nじゃない。", 582, 150, (420, 290), tone="dignified")
    panel.say("ガス", "魚のにおいが\nしただけだ。", 150, 186, (222, 384), tone="dignified")
    panel.heard("rain outside an open door", "continuous")
    panel.scene("In the open door stands the gull, dripping wet and full of dignity.", "medium", "still")


def _second_bowl(panel: Panel) -> None:
    """Gus has supper by the stove."""
    pen = panel.pen()
    kitchen(panel, 700, 280)
    panel.figure("ガス", GUS_LOOKS, "content", lambda: gus(panel.pen(170, 664, 1.12), 0, "happy", legs=False))
    pen.blob([(40, 640), (66, 500), (150, 452), (250, 500), (300, 640), (170, 690)], (168, 168, 178), 6, (-16, -10))
    for x, y in ((110, 570), (190, 540), (150, 630), (240, 610)):
        pen.box(x, y, 30, 30, (236, 236, 240), 4)
    panel.figure(
        "ネル",
        NELL_LOOKS,
        "kind",
        lambda: nell(panel.pen(462, 820, 1.0, True), "happy", "smile", left=(-104, -330), right=(112, -130)),
    )
    pen.box(-10, 650, 600, 100, PLANK, 6)
    bowl = panel.pen(318, 672)
    bowl.blob([(-70, -60), (-46, -6), (0, 4), (46, -6), (70, -60), (0, -50)], RED, 6, (-14, -6))
    for x in (-20, 20):
        bowl.line([(x, -76), (x + 10, -98), (x - 6, -118), (x + 6, -138)], 4)
    panel.canvas.screentone()
    panel.say("ネル", "おかわり\nは？", 420, 138, (446, 362), tone="kind")
    panel.say("ガス", "…いる。", 130, 186, (196, 330), tone="grudging")
    panel.scene("The gull sits at the table in a blanket and eats fish soup.", "medium", "slow")
