"""Scrolling: a strip goes by without a cut, slowly where somebody speaks, each spoken balloon in the frame's middle.

Everything is said of the height of the frame's middle on the page. A scene begins where the one before it ended: with
the edge between two pages in the middle of the frame, which shows the end of one and the beginning of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from comic_narrator.model import Box, View

SPEED = 0.5
"""Heights of the frame that go by in a second where nobody speaks, at most."""
DRIFT = 0.04
"""The same while somebody speaks."""
MIDDLE = 1 / 6
"""A spoken balloon's middle is no further from the frame's than this much of its height: it is in the middle third."""
LEAD_IN = 0.3
"""Seconds before a page's first line."""
WIDE = 1.0
"""Height of the frame on the page, of the page's width; more where that is narrower than a frame of this height."""


@dataclass(frozen=True)
class Stop:
    """Something to look at: its place on the page, how long it is heard, and how long the film waits after it.

    What is heard stays in the middle of the frame for `heard` seconds; what is only seen may go by.
    """

    place: Box
    heard: float
    rest: float


@dataclass(frozen=True)
class Stretch:
    """A move of the frame's middle from one height of the page to another within some seconds; `stop` is heard then."""

    from_middle: float
    to_middle: float
    seconds: float
    stop: int | None = None


def frame_height(page_width: int, shape: float) -> float:
    """Height of the part of a strip that a frame of `shape` (width / height) shows, in page pixels."""
    return page_width * max(WIDE, 1 / shape)


def scroll(stops: Sequence[Stop], page_height: int, frame: float, *, follows: bool, goes_on: bool) -> Iterator[Stretch]:
    """How the middle of a frame `frame` pixels high goes down a page past its stops, in their order.

    `follows` and `goes_on` say whether a page comes before and after it. Where none does, the frame keeps to the strip,
    unless a balloon at its very end has to be in the middle.
    """
    now = 0.0 if follows else _first(stops, page_height, frame)
    pause = LEAD_IN if stops and stops[0].heard else 0.0
    for i, stop in enumerate(stops):
        middle, way = stop.place.center[1], min(DRIFT * stop.heard, MIDDLE) * frame
        # What is only seen goes by; what is heard is waited for, and gone back to where it has gone by.
        low, high = (middle - MIDDLE * frame, middle + MIDDLE * frame - way) if stop.heard else (middle, page_height)
        begin = _between(low, now, high)
        if begin != now or pause:
            yield Stretch(now, begin, max(pause, abs(begin - now) / (SPEED * frame)))
        if stop.heard:
            yield Stretch(begin, begin + way, stop.heard, i)
        now, pause = begin + way, stop.rest
    last = float(page_height) if goes_on else max(now, page_height - frame / 2)
    if now != last or pause:
        yield Stretch(now, last, max(pause, abs(last - now) / (SPEED * frame)))


def _first(stops: Sequence[Stop], page_height: int, frame: float) -> float:
    """Where a strip begins: its top at the top of the frame, or all of it in the middle; its first balloon in reach."""
    top = min(frame, page_height) / 2
    heard = [stop for stop in stops if stop.heard]
    return min(top, heard[0].place.center[1] + MIDDLE * frame) if heard else top


def _between(low: float, now: float, high: float) -> float:
    """Where in [low, high] the middle of the frame gets to soonest."""
    return min(max(now, low), max(high, low))


def view_of(middle: float, page_width: int, frame: float, shape: float) -> View:
    """What a frame shows whose middle is at that height of the page."""
    width = frame * shape
    return View((page_width - width) / 2, middle - frame / 2, width, frame)
