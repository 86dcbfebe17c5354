"""In which order the panels of a page are read."""

from __future__ import annotations

from collections.abc import Sequence

from comic_narrator.model import Box, Direction

Span = tuple[int, int, int]

TOLERANCES = (2, 10, 20, 35)
"""How far boxes may overlap a cut, in hundredths of their own side: the least that gives a cut is taken."""
INSIDE = 75
"""A panel is an inset when so many hundredths of it lie in another."""
SPREAD = (115, 180)
"""Two pages side by side are so many hundredths of their height wide."""
MIDDLE = (42, 58)
"""Between these hundredths of its width lies the fold of a spread."""
FOLD = 3
"""The two margins at a fold are so many halves of the widest gutter wide, or more."""
NARROW = 2
"""A gap narrower than so many hundredths of the width is no fold, whatever the gutters are."""


def reading_order(boxes: Sequence[Box], direction: Direction) -> list[int]:
    """Indices of `boxes` in reading order: rows from the top, inside a row along `direction`, an inset after its host.

    A recursive cut tree, horizontal cuts first (Kovanen & Aizawa, "A layered method for determining manga text bubble
    reading order", ICIP 2015), here with tolerance for overlaps; the pages of a spread are read one after the other.
    """
    hosts = _hosts(boxes)
    free = [i for i in range(len(boxes)) if i not in hosts]
    pages = _pages(boxes, free)
    if direction == "rtl":
        pages.reverse()
    order = [i for page in pages for i in _in_order(boxes, page, direction)]
    waiting = dict(hosts)
    while waiting:
        ready = {host: [i for i, h in waiting.items() if h == host] for host in waiting.values() if host in order}
        for host, insets in ready.items():
            place = order.index(host) + 1
            order[place:place] = _in_order(boxes, insets, direction)
            for inset in insets:
                del waiting[inset]
    return order


def _hosts(boxes: Sequence[Box]) -> dict[int, int]:
    """For each inset the smallest larger panel that holds it."""
    hosts: dict[int, int] = {}
    for i, box in enumerate(boxes):
        holders = [
            j
            for j, other in enumerate(boxes)
            if j != i and (other.area, -j) > (box.area, -i) and 100 * box.overlap(other) >= INSIDE * max(box.area, 1)
        ]
        if holders:
            hosts[i] = min(holders, key=lambda j: boxes[j].area)
    return hosts


def _pages(boxes: Sequence[Box], some: list[int]) -> list[list[int]]:
    """The panels of the left and of the right page of a spread; all of them together where this is one page."""
    if len(some) < 3:
        return [some]
    left, right = min(boxes[i].x for i in some), max(boxes[i].right for i in some)
    width = right - left
    height = max(boxes[i].bottom for i in some) - min(boxes[i].y for i in some)
    if not SPREAD[0] * height <= 100 * width <= SPREAD[1] * height:
        return [some]
    columns = _groups([(boxes[i].x, boxes[i].right, i) for i in some], TOLERANCES[0])
    for count in range(1, len(columns)):
        halves = [[i for column in part for i in column] for part in (columns[:count], columns[count:])]
        start, end = max(boxes[i].right for i in halves[0]), min(boxes[i].x for i in halves[1])
        fold, gap = start + end - 2 * left, end - start
        widest = max(_widest_gutter(boxes, half) for half in halves)
        in_the_middle = MIDDLE[0] * 2 * width <= 100 * fold <= MIDDLE[1] * 2 * width
        if in_the_middle and 2 * gap >= FOLD * widest and 100 * gap >= NARROW * width:
            return halves
    return [some]


def _widest_gutter(boxes: Sequence[Box], some: list[int]) -> int:
    """The widest gap between two neighbours of a row or of a column, 0 where there are none."""
    level = [(boxes[i].x, boxes[i].right, boxes[i].y, boxes[i].bottom) for i in some]
    upright = [(top, bottom, left, right) for left, right, top, bottom in level]
    widest = 0
    for spans in (level, upright):
        for _, end, low, high in spans:
            after = [
                start - end
                for start, _, other_low, other_high in spans
                if start >= end and min(high, other_high) > max(low, other_low)
            ]
            widest = max(widest, min(after, default=0))
    return widest


def _in_order(boxes: Sequence[Box], some: list[int], direction: Direction) -> list[int]:
    if len(some) < 2:
        return list(some)
    for tolerance in TOLERANCES:
        rows = _groups([(boxes[i].y, boxes[i].bottom, i) for i in some], tolerance)
        if len(rows) > 1:
            return [i for row in rows for i in _in_order(boxes, row, direction)]
        columns = _groups([(boxes[i].x, boxes[i].right, i) for i in some], tolerance)
        if len(columns) > 1:
            if direction == "rtl":
                columns.reverse()
            return [i for column in columns for i in _in_order(boxes, column, direction)]
    first = min(some, key=lambda i: _from_start(boxes[i], direction))
    return [first, *_in_order(boxes, [i for i in some if i != first], direction)]


def _groups(spans: list[Span], tolerance: int) -> list[list[int]]:
    """Split spans (start, end, index) where a cut passes between all of them, each shortened by the tolerance."""
    shorter = sorted((100 * a + tolerance * (b - a), 100 * b - tolerance * (b - a), i) for a, b, i in spans)
    groups: list[list[int]] = []
    reach = shorter[0][0]
    for start, end, i in shorter:
        if start >= reach or not groups:
            groups.append([])
        groups[-1].append(i)
        reach = max(reach, end)
    return groups


def _from_start(box: Box, direction: Direction) -> int:
    """How far a box lies from where reading starts: down counts more than along."""
    along = -box.right if direction == "rtl" else box.x
    return 2 * box.y + along
