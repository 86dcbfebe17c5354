"""Who says what: the lines of a page that seem to have one speaker, by tails, places, looks and turns of talk."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import Box, Direction
from comic_narrator.readers import ReadLine
from comic_narrator.readers.looks import Look
from comic_narrator.readers.tails import Tail

Odds = NDArray[np.float64]

VOICES = "Voice "
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
RAY = 4.0
"""A mouth is within so many heights of the lettering of the tip of its tail."""
AIM = 1.5, 0.15
"""How exactly a tail is aimed, in heights of the lettering: at its tip, and what each height further adds."""

JOINED = 2.5
"""The log-odds that two lines have one speaker are put together from these; here, that their balloons are joined."""
MEETING, NEARBY, PARTED = 1.5, 0.0, -2.0
"""Tails of one panel that point at one mouth, that may, that cannot."""
FACING = 1.0
"""Tails that point towards each other have the speaker between them."""
BESIDE = {"ltr": -1.8, "rtl": 0.2, "vertical": -1.0}
"""Two balloons at one height: a Western artist sets speakers side by side, a manga artist frames one face with them."""
ASLANT = {"ltr": -0.6, "rtl": 0.4, "vertical": -0.3}
"""The same of two balloons in opposite corners of a panel."""
ABOVE = 0.6
"""Balloons above each other are one voice after the other, more often the same."""
SIDES = {"ltr": 3.0, "rtl": 1.0, "vertical": 2.0}
"""Two people who talk to each other keep their sides from panel to panel."""
CROWD = 0.1, -0.8
"""Where three or more talk, a place in the row says little."""
LONE = {"ltr": -0.2, "rtl": -0.6, "vertical": 0.3}
MONOLOGUE = {"ltr": 0.5, "rtl": -0.5, "vertical": 0.6}
"""Panels with one voice each, on a page where some panel has two, and on one where none has: manga cuts from face to
face as they talk."""
GOES_ON, OTHERS = 0.6, -0.3
"""A panel with one voice after one with several: it is the voice that spoke last rather than an earlier one."""
CONTINUED, TRAILING, ANSWERED = 1.6, 0.3, -0.8
"""Dots before a line take up the one before; dots after that one may be a silence; a question has an answer."""
LOOKS, HALF_ALIKE = 3.0, 0.5
"""Places whose colours are alike by half say nothing: light changes from panel to panel, and backgrounds stay."""


@dataclass(frozen=True)
class Said:
    """A line, its lettering's height in page pixels, its tail, its ground's number, and what the tail points at."""

    line: ReadLine
    size: float
    tail: Tail | None = None
    ground: int | None = None
    look: Look | None = None

    @property
    def box(self) -> Box:
        """The balloon, or the lettering if there is none."""
        return self.line.balloon if self.line.balloon is not None else self.line.bbox

    @property
    def source(self) -> tuple[float, float]:
        """Where the voice seems to come from."""
        if self.tail is None:
            return self.box.center
        (x, y), (dx, dy) = self.tail.tip, self.tail.toward
        return x + dx * 2 * self.size, y + dy * 2 * self.size

    @property
    def mouth(self) -> tuple[float, float]:
        """Where the speaker's face seems to be: ahead of the tail, or below the balloon."""
        if self.tail is None:
            return self.box.center[0], self.box.bottom + 3 * self.size
        (x, y), (dx, dy) = self.tail.tip, self.tail.toward
        return x + dx * 3 * self.size, y + dy * 3 * self.size


def with_speakers(said: Sequence[Said], panels: Sequence[Box], direction: Direction) -> list[ReadLine]:
    """The lines of a page, in reading order, with a label for each speaker and how surely it is theirs.

    The labels are the page's own, "Voice A" the one furthest to the left; captions and all that nobody says have none.
    """
    at = [i for i, one in enumerate(said) if one.line.kind in ("dialogue", "thought")]
    spoken = [said[i] for i in at]
    if not spoken:
        return [one.line for one in said]
    voices = _voices(spoken, panels, direction)
    odds = _odds(spoken, voices, panels, direction)
    voice_of = _merged(voices, odds)
    names = _names(spoken, voice_of, panels)
    lines = [one.line for one in said]
    for k, i in enumerate(at):
        lines[i] = replace(lines[i], speaker=names[voice_of[k]], speaker_confidence=_sure(k, odds, voice_of))
    return lines


def _voices(said: Sequence[Said], panels: Sequence[Box], direction: Direction) -> list[int]:
    """For each line the number of its voice: those of one panel are told by its balloons, those of two all differ."""
    n = len(said)
    odds = np.full((n, n), -np.inf)
    for i in range(n):
        for j in range(i + 1, n):
            if said[i].line.panel == said[j].line.panel:
                turn = _turn(said[i].line.text, said[j].line.text) if j == i + 1 else 0.0
                odds[i, j] = odds[j, i] = turn + _in_panel(said[i], said[j], panels[said[i].line.panel], direction)
    return _merged(list(range(n)), odds)


def _in_panel(a: Said, b: Said, panel: Box, direction: Direction) -> float:
    """The log-odds that two lines of one panel have one speaker."""
    if (a.ground is not None and a.ground == b.ground) or _leads_to(a, b) or _leads_to(b, a):
        return JOINED
    dx = abs(a.box.center[0] - b.box.center[0]) / panel.w
    dy = abs(a.box.center[1] - b.box.center[1]) / panel.h
    odds = BESIDE[direction] if dy < 0.25 and dx > 0.2 else ASLANT[direction] if dx > 0.2 else ABOVE
    if a.tail is not None and b.tail is not None:
        miss = _miss(a, b)
        odds += MEETING if miss < 1 else NEARBY if miss < 2.2 else PARTED
        odds += FACING if _facing(a.tail, b.tail) else 0.0
    return odds


def _leads_to(a: Said, b: Said) -> bool:
    """Whether the tail of one balloon only joins it to the other."""
    if a.tail is None:
        return False
    (x, y), slack, box = a.tail.tip, 0.5 * a.size, b.box
    return box.x - slack <= x <= box.right + slack and box.y - slack <= y <= box.bottom + slack


def _miss(a: Said, b: Said) -> float:
    """How far two tails miss each other's aim; under 1 they may point at one mouth."""
    if a.tail is None or b.tail is None:
        return math.inf
    size = (a.size + b.size) / 2
    steps = np.linspace(0.0, RAY, 17)
    ends = [
        (np.array(one.tip) / size)[None, :] + steps[:, None] * np.array(one.toward)[None, :] for one in (a.tail, b.tail)
    ]
    apart = np.linalg.norm(ends[0][:, None, :] - ends[1][None, :, :], axis=2)
    return float((apart / (AIM[0] + AIM[1] * (steps[:, None] + steps[None, :]))).min())


def _facing(a: Tail, b: Tail) -> bool:
    """Whether two tails point towards each other."""
    across = np.array(b.tip, float) - np.array(a.tip, float)
    length = max(float(np.linalg.norm(across)), 1e-6)
    return float(across @ np.array(a.toward)) > 0.6 * length and float(-across @ np.array(b.toward)) > 0.6 * length


def _odds(said: Sequence[Said], voices: Sequence[int], panels: Sequence[Box], direction: Direction) -> Odds:
    """The log-odds that any two lines of a page have one speaker."""
    n = len(said)
    in_panel = {
        one.line.panel: len({v for o, v in zip(said, voices, strict=True) if o.line.panel == one.line.panel})
        for one in said
    }
    sides = _sides(said, voices)
    odds = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            a, b = said[i], said[j]
            if a.line.panel == b.line.panel:
                value = math.inf if voices[i] == voices[j] else -math.inf
            else:
                many = in_panel[a.line.panel] > 1, in_panel[b.line.panel] > 1
                if all(many):
                    crowd = max(in_panel[a.line.panel], in_panel[b.line.panel]) > 2
                    value = _side_odds(sides[i] == sides[j], crowd, direction)
                elif any(many):
                    value = GOES_ON if j == i + 1 and many[0] else OTHERS
                else:
                    value = (LONE if max(in_panel.values()) > 1 else MONOLOGUE)[direction]
                value += _alike(a.look, b.look) + (_turn(a.line.text, b.line.text) if j == i + 1 else 0.0)
            odds[i, j] = odds[j, i] = value
    return odds


def _side_odds(same: bool, crowd: bool, direction: Direction) -> float:
    if crowd:
        return CROWD[0] if same else CROWD[1]
    return SIDES[direction] if same else -SIDES[direction]


def _turn(before: str, after: str) -> float:
    """What the words of two lines say that follow each other: whether the second goes on with the first, or answers."""
    first, second = before.rstrip("\"'」』”) "), after.lstrip("\"'「『“( ")
    if re.match(r"\.\.|…|・・|[a-z]", second):
        return CONTINUED
    if re.search(r"(\.\.|…|・・|,|、)$", first):
        return TRAILING
    return ANSWERED if re.search(r"[?？]$|か[あぁ]?$", first) else 0.0


def _alike(a: Look | None, b: Look | None) -> float:
    """What the looks of two places say: the same colours speak for one speaker, other ones against it."""
    if a is None or b is None:
        return 0.0
    return float(np.clip(LOOKS * (float(a @ b) - HALF_ALIKE), -1.0, 1.0))


def _sides(said: Sequence[Said], voices: Sequence[int]) -> list[int]:
    """For each line the place of its voice among those of its panel, from the left."""
    middle = {v: float(np.mean([one.source[0] for one, w in zip(said, voices, strict=True) if w == v])) for v in voices}
    ranks = []
    for one, voice in zip(said, voices, strict=True):
        here = {v for o, v in zip(said, voices, strict=True) if o.line.panel == one.line.panel}
        ranks.append(sum(middle[v] < middle[voice] for v in here))
    return ranks


def _merged(groups: Sequence[int], odds: Odds) -> list[int]:
    """Groups of lines put together, the most alike first, as long as that is likelier right than wrong."""
    numbers = list(groups)
    while True:
        kinds = sorted(set(numbers))
        best, pair = 0.0, None
        for k, a in enumerate(kinds):
            for b in kinds[k + 1 :]:
                rows = [i for i, g in enumerate(numbers) if g == a]
                columns = [i for i, g in enumerate(numbers) if g == b]
                mean = float(odds[np.ix_(rows, columns)].mean())
                if mean > best:
                    best, pair = mean, (a, b)
        if pair is None:
            return numbers
        numbers = [pair[0] if g == pair[1] else g for g in numbers]


def _names(said: Sequence[Said], voices: Sequence[int], panels: Sequence[Box]) -> dict[int, str]:
    """A label for each voice, from the left side of the panels to the right."""
    place: dict[int, list[float]] = {}
    for one, voice in zip(said, voices, strict=True):
        panel = panels[one.line.panel]
        place.setdefault(voice, []).append((one.source[0] - panel.x) / panel.w)
    ordered = sorted(place, key=lambda voice: (float(np.mean(place[voice])), voice))
    return {voice: VOICES + _letters(k) for k, voice in enumerate(ordered)}


def _letters(number: int) -> str:
    """A, B, ... Z, AA, AB, ..."""
    first, last = divmod(number, len(LETTERS))
    return (_letters(first - 1) if first else "") + LETTERS[last]


def _sure(line: int, odds: Odds, voices: Sequence[int]) -> float:
    """How likely a line is told rightly apart from, or together with, the others of the page (0-1)."""
    right = []
    for other, voice in enumerate(voices):
        if other == line:
            continue
        together = 1 / (1 + math.exp(-float(np.clip(odds[line, other], -3, 3))))
        right.append(together if voice == voices[line] else 1 - together)
    return round(float(np.mean(right)), 3) if right else 0.9
