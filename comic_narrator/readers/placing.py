"""In which order the lines of a page are read."""

from __future__ import annotations

from collections.abc import Sequence

from comic_narrator.model import Box, Direction
from comic_narrator.readers import ReadLine


def nearest_panel(box: Box, panels: Sequence[Box]) -> int:
    """The panel that a box outside all panels is nearest to."""

    def away(i: int) -> float:
        panel = panels[i]
        dx = max(panel.x - box.right, box.x - panel.right, 0)
        dy = max(panel.y - box.bottom, box.y - panel.bottom, 0)
        return float(dx * dx + dy * dy)

    return min(range(len(panels)), key=away)


def reading_order(lines: Sequence[ReadLine], panels: Sequence[Box], direction: Direction) -> list[int]:
    """The numbers of the lines, panel by panel; in one, a clearly higher line first, level ones along `direction`."""
    ordered: list[int] = []
    for panel in range(len(panels)):
        left = [i for i, line in enumerate(lines) if line.panel == panel]
        while left:
            waiting = [lines[i] for i in left]
            first = min(left, key=lambda i: (_waits_for(lines[i], waiting, direction), _place(lines[i]).y))
            ordered.append(first)
            left.remove(first)
    return ordered


def _place(line: ReadLine) -> Box:
    return line.balloon if line.balloon is not None else line.bbox


def _waits_for(line: ReadLine, lines: Sequence[ReadLine], direction: Direction) -> int:
    """How many of the lines are read before this one."""
    return sum(_before(_place(other), _place(line), direction) for other in lines if other is not line)


def _before(a: Box, b: Box, direction: Direction) -> bool:
    """Whether `a` is read before `b`."""
    shared = min(a.bottom, b.bottom) - max(a.y, b.y)
    if shared <= 0.4 * min(a.h, b.h):
        return a.center[1] < b.center[1]
    apart = max(a.x, b.x) - min(a.right, b.right)
    if apart < -0.5 * min(a.w, b.w):
        return a.center[1] < b.center[1]
    return a.center[0] > b.center[0] if direction == "rtl" else a.center[0] < b.center[0]
