"""In which order the panels of a page are read."""

from __future__ import annotations

from collections.abc import Sequence

from comic_narrator.model import Box, Direction

TOLERANCES = (0.02, 0.1, 0.2, 0.35)
"""How far boxes may overlap a cut, as a share of their own side: the least that gives a cut is taken."""
INSIDE = 0.75
"""A panel is an inset when this share of it lies in another."""


def reading_order(boxes: Sequence[Box], direction: Direction) -> list[int]:
    """Indices of `boxes` in reading order: rows from the top, inside a row along `direction`, an inset after its host.

    A recursive cut tree, horizontal cuts first (Kovanen & Aizawa, "A layered method for determining manga text bubble
    reading order", ICIP 2015), here with tolerance for overlaps.
    """
    hosts = _hosts(boxes)
    free = [i for i in range(len(boxes)) if i not in hosts]
    order = _in_order(boxes, free, direction)
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
            if j != i and (other.area, -j) > (box.area, -i) and box.overlap(other) >= INSIDE * max(box.area, 1)
        ]
        if holders:
            hosts[i] = min(holders, key=lambda j: boxes[j].area)
    return hosts


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


def _groups(spans: list[tuple[int, int, int]], tolerance: float) -> list[list[int]]:
    """Split spans (start, end, index) where a cut passes between all of them, each shortened by `tolerance`."""
    shorter = sorted((a + tolerance * (b - a), b - tolerance * (b - a), i) for a, b, i in spans)
    groups: list[list[int]] = []
    reach = float("-inf")
    for start, end, i in shorter:
        if (start >= reach and groups) or not groups:
            groups.append([])
        groups[-1].append(i)
        reach = max(reach, end)
    return groups


def _from_start(box: Box, direction: Direction) -> float:
    """How far a box lies from where reading starts: down counts more than along."""
    along = -box.right if direction == "rtl" else box.x
    return 2 * box.y + along
