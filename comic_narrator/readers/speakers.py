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
Pairs = NDArray[np.bool_]

VOICES = "Voice "
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Labels are for people and only tell the voices of one page apart: names are given where the cast is made."""
RAY = 4.0
"""A mouth is within so many heights of the lettering of the tip of its tail: tails end clear of the faces they mean."""
AIM = 1.5, 0.15
"""How exactly a tail is aimed, in heights of the lettering: at its tip, and what each height further adds."""

JOINED = 2.5
"""The log-odds that two lines have one speaker are put together from these; here, that their balloons are joined."""
MEETING, NEARBY, PARTED = 1.5, 0.0, -2.0
"""Tails of one panel that point at one mouth, that may, that cannot."""
FACING = 1.0
"""Tails that point towards each other have the speaker between them."""
BESIDE = {"ltr": -1.8, "rtl": 0.2, "vertical": -1.0}
"""Lettering side by side: a Western artist sets speakers side by side, a manga artist frames one face with balloons."""
ASLANT = {"ltr": -0.6, "rtl": 0.4, "vertical": -0.3}
"""The same of lettering that is neither side by side nor above each other."""
ABOVE = 0.6
"""Balloons set close above each other are one voice that pauses, more often than two."""
SHARED = 0.5
"""Lettering is side by side if it shares so many of its heights of the page; rows of one slant overlap by less."""
FADES = 1.0, 5.0
"""Heights between lettering set above each other up to which it stands close, as in balloons that touch, and from which
on it might as well stand aslant: what belongs together is set together."""
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

SEEN = 3.0
"""So many heights of the lettering to each side of where a tail points, a face and what is worn about it are seen."""
MOST = 3.0
"""Evidence of several kinds is added up as if each came by itself, which it does not: beyond these log-odds, one wrong
in twenty, more of it says no more."""
ALONE, ALONE_UNTAILED = 0.95, 0.8
"""How sure the only speaker of a page is: there is nobody to mix them up with, but a balloon without a tail may also be
said from outside the picture, or by nobody."""


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

    @property
    def place(self) -> Box | None:
        """Where the speaker is seen: around what the tail points at; None without a tail."""
        if self.tail is None:
            return None
        (x, y), reach = self.mouth, SEEN * self.size
        return Box(round(x - reach), round(y - reach), round(2 * reach), round(2 * reach))


def with_speakers(said: Sequence[Said], panels: Sequence[Box], direction: Direction) -> list[ReadLine]:
    """The lines of a page, in reading order, with a label for each speaker and how surely it is theirs.

    The labels are the page's own, "Voice A" the one furthest to the left; captions and all that nobody says have none.
    """
    at = [i for i, one in enumerate(said) if one.line.kind in ("dialogue", "thought")]
    spoken = [said[i] for i in at]
    if not spoken:
        return [one.line for one in said]
    together = _panel_mates(spoken)
    near = _near_odds(spoken, together, direction)
    # Those of one panel are told by its balloons alone, and stay as they are told when panels are compared.
    voices = merged(range(len(spoken)), near, ~together)
    odds = np.where(together, near, _far_odds(spoken, voices, direction))
    voice_of = merged(voices, odds, together & ~_same(voices))
    names = _names(spoken, voice_of, panels)
    lines = [one.line for one in said]
    for k, i in enumerate(at):
        lines[i] = replace(lines[i], speaker=names[voice_of[k]], speaker_confidence=_sure(k, spoken, odds, voice_of))
    return lines


def _panel_mates(said: Sequence[Said]) -> Pairs:
    """Which lines stand in one panel, shape (n, n)."""
    return _same([one.line.panel for one in said])


def _same(numbers: Sequence[int]) -> Pairs:
    return np.asarray(np.equal.outer(np.array(numbers), np.array(numbers)), np.bool_)


def _near_odds(said: Sequence[Said], together: Pairs, direction: Direction) -> Odds:
    """The log-odds that any two lines of one panel have one speaker; 0 where they stand in two."""
    odds = np.zeros(together.shape)
    for i, j in np.argwhere(np.triu(together, 1)):
        turn = _turn(said[i].line.text, said[j].line.text) if j == i + 1 else 0.0
        odds[i, j] = odds[j, i] = turn + _in_panel(said[i], said[j], direction)
    return odds


def _in_panel(a: Said, b: Said, direction: Direction) -> float:
    """The log-odds that two lines of one panel have one speaker, by their balloons."""
    if (a.ground is not None and a.ground == b.ground) or _leads_to(a, b) or _leads_to(b, a):
        return JOINED
    odds = _set(a, b, direction)
    if a.tail is not None and b.tail is not None:
        miss = _miss(a, b)
        odds += MEETING if miss < 1 else NEARBY if miss < 2.2 else PARTED
        odds += FACING if _facing(a.tail, b.tail) else 0.0
    return odds


def _set(a: Said, b: Said, direction: Direction) -> float:
    """The log-odds by how two lines are set to each other; lettering is the measure, for panels are of any size."""
    one, other, size = a.line.bbox, b.line.bbox, (a.size + b.size) / 2
    down = (max(one.y, other.y) - min(one.bottom, other.bottom)) / size
    if down < -SHARED:
        # Balloons fitted into each other share rows and columns, but nobody letters two rows over each other.
        return BESIDE[direction]
    if max(one.x, other.x) >= min(one.right, other.right):
        return ASLANT[direction]
    return float(np.interp(down, FADES, (ABOVE, ASLANT[direction])))


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


def _far_odds(said: Sequence[Said], voices: Sequence[int], direction: Direction) -> Odds:
    """The log-odds that any two lines of different panels have one speaker; 0 where they stand in one."""
    in_panel = {
        one.line.panel: len({v for o, v in zip(said, voices, strict=True) if o.line.panel == one.line.panel})
        for one in said
    }
    sides = _sides(said, voices)
    odds = np.zeros((len(said), len(said)))
    for i, j in np.argwhere(np.triu(~_panel_mates(said), 1)):
        a, b = said[i], said[j]
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


def merged(groups: Sequence[int], odds: Odds, apart: Pairs) -> list[int]:
    """Groups of lines put together, the most alike first, as long as that is likelier right than wrong.

    Average linkage (Sokal & Michener 1958) over `odds`; lines that are `apart` never come into one group.
    """
    kinds = sorted(set(groups))
    members = np.equal.outer(np.array(kinds), np.array(groups)).astype(np.float64)
    numbers = np.array([kinds.index(group) for group in groups])
    sums, barred = members @ odds @ members.T, members @ apart @ members.T > 0
    sizes = members.sum(axis=1)
    gone = np.tri(len(kinds), dtype=np.bool_)
    while True:
        means = np.where(gone | barred, -np.inf, sums / np.outer(sizes, sizes))
        one, other = map(int, np.unravel_index(int(means.argmax()), means.shape))
        if means[one, other] <= 0:
            return [kinds[number] for number in numbers]
        numbers[numbers == other] = one
        sizes[one] += sizes[other]
        for table in (sums, barred):
            table[one] += table[other]
            table[:, one] += table[:, other]
        gone[other] = gone[:, other] = True


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


def _sure(line: int, said: Sequence[Said], odds: Odds, voices: Sequence[int]) -> float:
    """How likely a line is told rightly apart from, or together with, the others of the page (0-1)."""
    others = np.arange(len(voices)) != line
    if not others.any():
        return ALONE if said[line].tail is not None else ALONE_UNTAILED
    together = 1 / (1 + np.exp(-np.clip(odds[line], -MOST, MOST)))
    right = np.where(np.equal(voices, voices[line]), together, 1 - together)
    return round(float(right[others].mean()), 3)
