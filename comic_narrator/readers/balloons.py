"""Rows of lettering gathered into balloons, captions and loose words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from comic_narrator.model import Box
from comic_narrator.readers.placing import nearest_panel
from comic_narrator.readers.regions import Region
from comic_narrator.readers.tails import Tail
from comic_narrator.readers.waists import divided, shared_out, usual_gap
from comic_narrator.readers.words import Row

CLOSE = 0.8
"""Rows further apart than this share of their height do not follow each other."""
CLOSE_INSIDE = 1.0
"""The same for rows inside one closed balloon."""
CLOSE_OPEN = 0.6
"""The same for rows on open ground."""
FURIGANA = 0.6
"""Columns narrower than this share of the widest beside them are reading aids."""

HELD = 0.7
"""The share of a text's box that lies in the balloon that holds it."""
MOSTLY = 0.8
"""A balloon with at least so much of its box in the panel of its text stands in that one."""
SCRAP = 0.9
"""Ground that lettering covers to so large a share is only what shows between the letters."""
ROOMY = 16.0
"""A balloon's box is at most so many times its text's box; joined balloons count as one."""


@dataclass(frozen=True)
class Placed:
    """A row with the panel it stands in (None: in none) and the ground under it."""

    row: Row
    panel: int | None
    region: int | None
    closed: bool


@dataclass(frozen=True)
class Group:
    """Rows of one balloon or text in reading order; `region` is the ground they share, if any."""

    rows: tuple[Row, ...]
    panel: int | None
    region: Region | None

    @property
    def box(self) -> Box:
        """The box that hugs the lettering."""
        box = self.rows[0].box
        for row in self.rows[1:]:
            box = box.union(row.box)
        return box

    @property
    def balloon(self) -> Region | None:
        """The balloon or box that holds it, if its ground is closed and not much larger than the lettering."""
        region, box = self.region, self.box
        if region is None or not region.closed or region.box.overlap(box) < HELD * box.area:
            return None
        return region if region.box.area <= ROOMY * box.area else None

    @property
    def upright(self) -> bool:
        """Whether it is written in columns."""
        return sum(row.upright for row in self.rows) * 2 >= len(self.rows) and any(row.upright for row in self.rows)

    @property
    def size(self) -> float:
        """The lettering's height (of columns: their width), in page pixels."""
        rows = [row for row in self.rows if row.lettered] or self.rows
        return float(np.median([min(row.box.w, row.box.h) if self.upright else row.box.h for row in rows]))

    @property
    def slant(self) -> float:
        """Degrees by which its rows lean, weighted by their length."""
        weights = [len(row.text) for row in self.rows]
        return abs(float(np.average([row.slant for row in self.rows], weights=weights)))

    @property
    def confidence(self) -> float:
        """How surely its letters were read, weighted by the rows' length."""
        weights = [len(row.text) for row in self.rows]
        return float(np.average([row.confidence for row in self.rows], weights=weights))


def gather(
    rows: Sequence[Row], panels: Sequence[Box], home: Sequence[int | None], regions: Sequence[Region]
) -> list[Group]:
    """The rows of a page as groups, one a balloon; `home` gives each row's region.

    Rows belong together when they follow each other closely on the same ground in the same panel.
    """
    placed = [
        Placed(row, panel_of(row.box, panels), at, at is not None and regions[at].closed)
        for row, at in zip(rows, home, strict=True)
    ]
    parent = list(range(len(placed)))

    def root(i: int) -> int:
        while parent[i] != i:
            i = parent[i]
        return i

    for i, one in enumerate(placed):
        for j in range(i):
            if _together(one, placed[j]):
                parent[root(i)] = root(j)
    members: dict[int, list[Placed]] = {}
    for i, one in enumerate(placed):
        members.setdefault(root(i), []).append(one)
    groups = [_group(some, regions) for some in members.values()]
    usual = usual_gap([(group.rows, group.upright) for group in groups])
    parts = [
        replace(group, rows=tuple(part))
        for group in groups
        for part in divided(group.rows, group.upright, group.region, usual)
    ]
    return _sharing(without_reading_aids(parts))


def _sharing(groups: Sequence[Group]) -> list[Group]:
    """Groups with one closed ground get their parts of it."""
    holders: dict[int, list[int]] = {}
    for i, group in enumerate(groups):
        if group.region is not None and group.region.closed:
            holders.setdefault(group.region.number, []).append(i)
    shared = list(groups)
    for those in holders.values():
        region = groups[those[0]].region
        if region is not None and len(those) > 1:
            for i, part in zip(those, shared_out(region, [groups[i].box for i in those]), strict=True):
                shared[i] = replace(groups[i], region=part)
    return shared


def without_reading_aids(groups: Sequence[Group]) -> list[Group]:
    """Groups without those that are small columns beside larger ones: kana that say how the larger are read."""
    return [group for group in groups if not any(_is_reading_aid(group, other) for other in groups)]


def _is_reading_aid(group: Group, other: Group) -> bool:
    if not (group.upright and other.upright) or len(group.rows) > 1 or group.size >= FURIGANA * other.size:
        return False
    beside = min(group.box.bottom, other.box.bottom) - max(group.box.y, other.box.y) >= 0.8 * group.box.h
    apart = max(group.box.x, other.box.x) - min(group.box.right, other.box.right)
    return beside and apart < CLOSE * group.size


def panel_of(box: Box, panels: Sequence[Box]) -> int | None:
    """The panel that most of a box lies in, the smallest if they overlap; None if it lies outside all."""
    inside = [i for i, panel in enumerate(panels) if box.overlap(panel) * 2 >= box.area]
    if inside:
        return min(inside, key=lambda i: panels[i].area)
    return None


def at_home(group: Group, tail: Tail | None, panels: Sequence[Box], page: Box) -> Group:
    """A group with the panel that its balloon belongs to: the one its tail points into, or that it covers most of.

    A text that no balloon holds keeps its panel, and so does one in a balloon that lies in it. A balloon outside all
    panels stands in one that was not found, and gets the nearest; at the page's rim it is no balloon, but a heading.
    """
    balloon = group.balloon
    if balloon is None or balloon.lettered > SCRAP:
        return group
    shares = [balloon.box.overlap(panel) / balloon.box.area for panel in panels]
    if group.panel is not None and shares[group.panel] >= MOSTLY:
        return group
    pointed = None if tail is None else panel_of(Box(*tail.tip, 1, 1), panels)
    if pointed is not None:
        return replace(group, panel=pointed)
    if group.panel is not None and shares[group.panel] >= 0.5:
        return group
    if max(shares) > 0:
        return replace(group, panel=shares.index(max(shares)))
    box = balloon.box
    rim = min(box.x - page.x, box.y - page.y, page.right - box.right, page.bottom - box.bottom)
    return replace(group, panel=nearest_panel(box, panels)) if rim >= group.size else group


def _group(some: list[Placed], regions: Sequence[Region]) -> Group:
    rows = [one.row for one in some]
    homes = [one.region for one in some if one.region is not None]
    region = regions[max(set(homes), key=homes.count)] if homes else None
    inside = [one.panel for one in some if one.panel is not None]
    panel = max(set(inside), key=inside.count) if inside else None
    upright = sum(row.upright for row in rows) * 2 >= len(rows) and any(row.upright for row in rows)
    ordered = columns_in_order(rows) if upright else rows_in_order(rows)
    return Group(tuple(ordered), panel, region)


def _together(one: Placed, other: Placed) -> bool:
    whole = one.closed and one.region == other.region
    if one.panel != other.panel and one.panel is not None and other.panel is not None and not whole:
        return False
    if one.region != other.region:
        return False
    a, b = one.row, other.row
    limit = CLOSE if one.region is None else CLOSE_INSIDE if one.closed else CLOSE_OPEN
    columns = a.upright or b.upright
    sizes = (a.box.w, b.box.w) if columns else (a.box.h, b.box.h)
    size = min(sizes)
    if whole and not (a.lettered and b.lettered):
        # Dots are low and stand on the line: their own height says nothing about their lettering.
        size = max(sizes)
    elif abs(a.slant - b.slant) > 12 or max(a.size, b.size) > 1.9 * min(a.size, b.size):
        return False
    return (_columns_together if columns else _rows_together)(a, b, limit, size)


def _rows_together(a: Row, b: Row, limit: float, size: int) -> bool:
    down = max(a.box.y, b.box.y) - min(a.box.bottom, b.box.bottom)
    along = max(a.box.x, b.box.x) - min(a.box.right, b.box.right)
    if -down > 0.5 * size:
        return along < max(limit, 0.6) * size
    return down < limit * size and -along > 0.25 * min(a.box.w, b.box.w)


def _columns_together(a: Row, b: Row, limit: float, size: int) -> bool:
    along = max(a.box.x, b.box.x) - min(a.box.right, b.box.right)
    down = max(a.box.y, b.box.y) - min(a.box.bottom, b.box.bottom)
    if -along > 0.5 * size:
        return down < 1.1 * size
    return along < limit * size and -down > 0.25 * min(a.box.h, b.box.h)


def rows_in_order(rows: Sequence[Row]) -> list[Row]:
    """Rows from the top, as they would lie were the lettering not slanted; pieces of one row from the left."""
    weights = [len(row.text) + 1 for row in rows]
    lean = math.tan(math.radians(float(np.average([row.slant for row in rows], weights=weights))))

    def height(row: Row) -> float:
        return row.box.center[1] - lean * row.box.center[0]

    lines: list[list[Row]] = []
    for row in sorted(rows, key=height):
        own = max(row.box.h - abs(lean) * row.box.w, 0.3 * row.box.h)
        if lines and abs(height(row) - float(np.mean([height(r) for r in lines[-1]]))) < 0.45 * own:
            lines[-1].append(row)
        else:
            lines.append([row])
    return [row for line in lines for row in sorted(line, key=lambda row: row.box.x)]


def columns_in_order(rows: Sequence[Row]) -> list[Row]:
    """Columns from the right, pieces of one column from the top, without the small reading aids beside them."""
    widest = max(row.box.w for row in rows)
    columns: list[list[Row]] = []
    for row in sorted(rows, key=lambda row: -row.box.center[0]):
        if row.box.w < FURIGANA * widest:
            continue
        middle = row.box.center[0]
        if columns and abs(middle - float(np.mean([r.box.center[0] for r in columns[-1]]))) < 0.45 * row.box.w:
            columns[-1].append(row)
        else:
            columns.append([row])
    return [row for column in columns for row in sorted(column, key=lambda row: row.box.y)]
