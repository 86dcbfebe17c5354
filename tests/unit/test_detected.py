"""Detected balloons take the place of grounds that run on, run together, or are no ground at all."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from comic_narrator.model import Box
from comic_narrator.readers.balloons import gather
from comic_narrator.readers.detected import on_detected
from comic_narrator.readers.detector import DetectedBalloon
from comic_narrator.readers.regions import find_regions
from comic_narrator.readers.words import Row

PANEL = Box(0, 0, 600, 400)


def rows_at(x: int, y: int, *texts: str) -> list[Row]:
    return [Row(text, 0.98, Box(x, y + 26 * i, 12 * len(text), 22)) for i, text in enumerate(texts)]


def detected(box: Box, score: float = 0.9) -> DetectedBalloon:
    shape = Image.new("1", (box.w, box.h))
    ImageDraw.Draw(shape).ellipse((0, 0, box.w - 1, box.h - 1), fill=1)
    return DetectedBalloon(box, np.asarray(shape, bool), score)


def page(rows: list[Row], *balloons: Box, ground: str = "grey", outline: str | None = "black") -> np.ndarray:
    picture = Image.new("RGB", (PANEL.w, PANEL.h), ground)
    pen = ImageDraw.Draw(picture)
    for box in balloons:
        pen.ellipse((box.x, box.y, box.right, box.bottom), fill="white", outline=outline, width=3)
    for row in rows:
        for x in range(row.box.x + 3, row.box.right - 6, 11):
            pen.rectangle((x, row.box.y + 5, x + 4, row.box.bottom - 6), fill="black")
    return np.asarray(picture)


def test_words_on_open_ground_are_held_by_the_balloon_that_was_found() -> None:
    rows = rows_at(220, 150, "WITHOUT AN", "OUTLINE")
    image = page(rows, ground="white")
    home, regions = find_regions(image, rows, [PANEL])
    assert not any(regions[at].closed for at in home if at is not None)
    balloon = detected(Box(180, 120, 200, 120))
    home, regions = on_detected(image, rows, home, regions, [balloon])
    (group,) = gather(rows, [PANEL], home, regions)
    assert group.balloon is not None
    assert group.balloon.box == balloon.box
    assert group.balloon.bright > 95


def test_balloons_whose_grounds_run_together_are_told_apart() -> None:
    left, right = Box(60, 100, 210, 140), Box(250, 100, 210, 140)
    rows = [*rows_at(100, 140, "ONE SAYS SO", "AND THIS"), *rows_at(245, 140, "THE OTHER ONE", "THINKS NOT")]
    image = page(rows, left, right, outline=None)
    home, regions = find_regions(image, rows, [PANEL])
    assert len(set(home)) == 1
    mended, regions = on_detected(image, rows, home, regions, [detected(left), detected(right)])
    texts = {tuple(row.text for row in group.rows) for group in gather(rows, [PANEL], mended, regions)}
    assert texts == {("ONE SAYS SO", "AND THIS"), ("THE OTHER ONE", "THINKS NOT")}


def test_a_balloon_that_was_seen_already_keeps_its_own_outline() -> None:
    box = Box(200, 110, 170, 110)
    rows = rows_at(230, 140, "CLEARLY A", "BALLOON")
    image = page(rows, box)
    home, regions = find_regions(image, rows, [PANEL])
    rough = Box(box.x - 8, box.y + 6, box.w + 16, box.h - 6)
    assert regions[home[0] or 0].closed
    assert on_detected(image, rows, home, regions, [detected(rough)]) == (home, regions)


def test_words_outside_every_balloon_stay_where_they_are() -> None:
    rows = rows_at(60, 320, "A CAPTION BELOW")
    image = page(rows)
    home, regions = find_regions(image, rows, [PANEL])
    assert on_detected(image, rows, home, regions, [detected(Box(200, 50, 150, 100))]) == (home, regions)
    assert on_detected(image, rows, home, regions, []) == (home, regions)


def test_a_balloon_at_the_pages_edge_holds_the_words_that_reach_out_of_its_box() -> None:
    rows = rows_at(0, 30, "CUT BY THE EDGE", "OF THE PAGE")
    image = page(rows, Box(-60, 0, 240, 110))
    home, regions = on_detected(image, rows, [None, None], [], [detected(Box(0, 10, 170, 90))])
    assert home == [0, 0]
    assert regions[0].closed
