"""In which order the lines of a page are read, and which of them one person says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from comic_narrator.model import Box, Direction
from comic_narrator.readers import ReadLine

LEFT, RIGHT = "Voice A", "Voice B"
APART = 0.2
"""Balloons whose middles are nearer than this share of the panel's width are above each other."""


def nearest_panel(box: Box, panels: Sequence[Box]) -> int:
    """The panel that a box outside all panels is nearest to."""

    def away(i: int) -> float:
        panel = panels[i]
        dx = max(panel.x - box.right, box.x - panel.right, 0)
        dy = max(panel.y - box.bottom, box.y - panel.bottom, 0)
        return float(dx * dx + dy * dy)

    return min(range(len(panels)), key=away)


def in_order(lines: Sequence[ReadLine], panels: Sequence[Box], direction: Direction) -> list[ReadLine]:
    """Lines panel by panel; within one, a line that is clearly higher first, level ones along `direction`."""
    ordered: list[ReadLine] = []
    for i in range(len(panels)):
        left = [line for line in lines if line.panel == i]
        while left:
            first = min(left, key=lambda line: (_waits_for(line, left, direction), _place(line).y))
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


def with_speakers(lines: Sequence[ReadLine], panels: Sequence[Box]) -> list[ReadLine]:
    """Speech of a page, in reading order, labelled by who seems to say it; people tend to keep their sides.

    Balloons apart in one panel are two people, those above each other one; a lone balloon goes on with who spoke last.
    """
    labels: dict[int, str] = {}
    last: str | None = None
    for at, panel in enumerate(panels):
        said = [i for i, line in enumerate(lines) if line.panel == at and line.kind in ("dialogue", "thought")]
        middles = [_place(lines[i]).center[0] for i in said]
        if not said:
            continue
        divide = panel.center[0]
        if len(said) > 1 and max(middles) - min(middles) >= APART * panel.w:
            divide = (max(middles) + min(middles)) / 2
        elif len(said) > 1 or last is None:
            middles = [middles[0]] * len(said)
        else:
            labels[said[0]] = last
            continue
        labels.update((i, LEFT if middle < divide else RIGHT) for i, middle in zip(said, middles, strict=True))
        last = labels[said[-1]]
    return [replace(line, speaker=labels[i]) if i in labels else line for i, line in enumerate(lines)]
