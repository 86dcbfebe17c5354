"""What is wrong with a page's reading, in words; measured with the functions of the yardstick that scores it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import ModuleType
from typing import Any

from comic_narrator.model import CAST_KINDS, SPOKEN_KINDS, Line

SAME_PANEL = 0.7
ALIKE = 0.5
FOUND = 0.2
"""As in the yardstick: overlap of one panel, likeness of one line, and the share of wrong letters in a line found."""
PIECE = 0.4
SHOWN = 60
"""Letters of a line that are shown."""


@dataclass(frozen=True)
class Judged:
    """What is wrong on a page, a sentence each; and for each line as read whether it is wrong, or has small slips."""

    words: tuple[str, ...]
    wrong: tuple[bool, ...]
    slips: tuple[bool, ...]


def judge(truth: dict[str, Any], got: dict[str, Any], yardstick: ModuleType, read: Sequence[Line]) -> Judged:
    """Compare a reading, in the yardstick's form, with a page's truth; `read` are its lines as the reader gave them.

    A line is wrong where it would be heard wrongly: more than a fifth of its letters, its kind, or all of it.
    """
    panels = sorted(truth["panels"], key=lambda panel: panel["order"])
    lines = [line for panel in panels for line in panel.get("lines", [])]
    match = _match(lines, got["lines"], yardstick)
    wrong: set[int] = set()
    slips: set[int] = set()
    found = []
    words = [*_about_panels(panels, got["panels"], yardstick)]
    for i, line in enumerate(lines):
        said = yardstick.plain(line["text"])
        unscored = line.get("uncertain") or line.get("optional") or line.get("symbol") or not said
        if line["kind"] not in yardstick.SPOKEN or unscored:
            continue
        if i not in match:
            words.append(
                f"missing: {line['kind']} {_quote(line['text'])}{_instead(line, got['lines'], read, yardstick)}"
            )
            continue
        other = got["lines"][match[i]]
        errors = yardstick.distance(said, yardstick.plain(other["text"])) / len(said)
        if errors:
            slips.add(match[i])
        if errors > FOUND:
            wrong.add(match[i])
            why = f"its letters were recognised with confidence {read[match[i]].confidence:.2f}"
            words.append(f"misread ({errors:.0%}): {_quote(line['text'])} as {_quote(other['text'])}; {why}")
        else:
            found.append(match[i])
        if other["kind"] not in {line["kind"], *line.get("accept_kinds", [])}:
            wrong.add(match[i])
            why = _about_ground(read[match[i]])
            words.append(f"wrong kind: {line['kind']} {_quote(line['text'])} is read as {other['kind']}; {why}")
    text = [other["text"] for other in got["lines"]]
    words += [f"order: {_quote(text[a])} is read after {_quote(text[b])}" for a, b in pairwise(found) if a > b]
    words += _about_voices(lines, match, read)
    known = [yardstick.plain(line.get("text")) for line in (*lines, *truth.get("other_text", []))]
    for j in sorted(set(range(len(text))) - set(match.values())):
        if told := _about_stray(got["lines"][j], known, yardstick):
            wrong.add(j)
            words.append(f"{told}; read with confidence {read[j].confidence:.2f}, {_about_ground(read[j])}")
    every = range(len(text))
    return Judged(tuple(words), tuple(j in wrong for j in every), tuple(j in slips - wrong for j in every))


def _about_stray(line: dict[str, Any], known: list[str], yardstick: ModuleType) -> str | None:
    """What is wrong with a line that was read for none; None where it is not heard, or stands on the page."""
    said = yardstick.plain(line["text"])
    if line["kind"] not in yardstick.SPOKEN or len(said) < 2:
        return None
    wholes = [text for text in known if said in text or _alike(said, text, yardstick)]
    if not wholes:
        return f"invented: {line['kind']} {_quote(line['text'])}"
    if len(said) < len(wholes[0]) * (1 - PIECE):
        return f"a piece: {line['kind']} {_quote(line['text'])}"
    return None


def _match(lines: list[dict[str, Any]], got: list[dict[str, Any]], yardstick: ModuleType) -> dict[int, int]:
    """For each true line the line that was read for it, found as the yardstick finds it."""
    pairs = []
    for i, line in enumerate(lines):
        true = yardstick.plain(line["text"])
        for j, other in enumerate(got):
            said = yardstick.plain(other["text"])
            if not true or not said:
                continue
            alike = 1 - yardstick.distance(true, said) / max(len(true), len(said))
            if alike >= ALIKE:
                near = yardstick.iou(line["bbox"], other["bbox"]) if line.get("bbox") and other.get("bbox") else 0
                pairs.append((alike + 0.1 * near, i, j))
    return dict(yardstick.greedy(pairs))


def _about_panels(true: list[dict[str, Any]], got: list[dict[str, Any]], yardstick: ModuleType) -> Iterator[str]:
    pairs = [
        (overlap, i, j)
        for i, panel in enumerate(true)
        for j, other in enumerate(got)
        if (overlap := yardstick.iou(panel["bbox"], other["bbox"])) >= SAME_PANEL
    ]
    match: dict[int, int] = yardstick.greedy(pairs)
    for i, panel in enumerate(true, 1):
        if i - 1 not in match:
            yield f"panel {i} of {len(true)} is not found: {_box(panel)}; {_nearest(panel, got, yardstick)}"
    for j, panel in enumerate(got):
        if j not in match.values():
            yield f"this is no panel: {_box(panel)}; {_nearest(panel, true, yardstick)}"
    order = [match[i] for i in sorted(match)]
    if order != sorted(order):
        yield f"panels are read in the order {', '.join(str(i + 1) for i in sorted(match, key=lambda i: match[i]))}"


def _nearest(panel: dict[str, Any], others: list[dict[str, Any]], yardstick: ModuleType) -> str:
    """How near the others come to a panel that none of them is: what it was cut into, or joined with."""
    overlap, near = max(
        ((yardstick.iou(panel["bbox"], other["bbox"]), other) for other in others), key=lambda one: one[0]
    )
    return f"the nearest ({_box(near)}) covers {overlap:.0%} of both together" if overlap else "there is none near"


def _alike(said: str, text: str, yardstick: ModuleType) -> bool:
    return bool(text) and bool(yardstick.distance(said, text) <= PIECE * max(len(said), len(text)))


def _instead(line: dict[str, Any], got: list[dict[str, Any]], read: Sequence[Line], yardstick: ModuleType) -> str:
    """What was read in the place of a missing line, and so why it is missing."""
    if not line.get("bbox"):
        return ""
    there = [j for j, other in enumerate(got) if other.get("bbox") and yardstick.iou(line["bbox"], other["bbox"]) > 0.1]
    if not there:
        return "; no lettering was recognised there"
    told = "".join(f"; there: {got[j]['kind']} {_quote(got[j]['text'])}" for j in there)
    letters = sum(len(yardstick.plain(got[j]["text"])) for j in there) / max(len(yardstick.plain(line["text"])), 1)
    if letters > 1 + PIECE:
        return f"{told}; it was joined with other lettering"
    if letters < 1 - PIECE:
        return f"{told}; the rest of it was not recognised"
    sure = min(read[j].confidence for j in there)
    return f"{told}; {'it fell into pieces' if len(there) > 1 else f'recognised with confidence {sure:.2f}'}"


def _about_ground(line: Line) -> str:
    """What a line was seen to stand in."""
    if line.kind not in SPOKEN_KINDS:
        return "it was taken for lettering outside balloons"
    if line.balloon is None:
        return "no balloon was found around it"
    if line.kind not in CAST_KINDS or line.tail is not None:
        return f"in a balloon{'' if line.tail is None else ' with a tail'}"
    return "in a balloon of which no tail was found"


def _about_voices(lines: list[dict[str, Any]], match: dict[int, int], read: Sequence[Line]) -> Iterator[str]:
    """Speakers that were taken for several, and voices that are several speakers' in truth."""
    said = [
        (str(line["speaker"]), read[match[i]].speaker or "nobody", read[match[i]])
        for i, line in enumerate(lines)
        if i in match and line["kind"] in CAST_KINDS and line.get("speaker") and not line.get("uncertain_speaker")
    ]
    for who in dict.fromkeys(who for who, _, _ in said):
        told = [(label, line) for one, label, line in said if one == who]
        if len({label for label, _ in told}) > 1:
            yield f"voices: {who} is taken for {_counted(told)}"
    for label in dict.fromkeys(label for _, label, _ in said):
        told = [(who, line) for who, one, line in said if one == label]
        if len({who for who, _ in told}) > 1:
            yield f"voices: {label} is {_counted(told)}"


def _counted(told: Sequence[tuple[str, Line]]) -> str:
    """How many of some lines are whose, and why those of the smaller part may have been misjudged."""
    count = Counter(name for name, _ in told)
    parts = " and ".join(f"{name} ({lines} line{'s' if lines > 1 else ''})" for name, lines in count.items())
    odd = [line for name, line in told if count[name] < max(count.values())] or [line for _, line in told]
    bare = [line for line in odd if line.tail is None]
    why = "no tail was found of" if bare else "tails were found, but sides and looks mislead:"
    return f"{parts}; {why} {', '.join(_quote(line.text) for line in bare or odd)}"


def _quote(text: str) -> str:
    return f'"{text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."}"'


def _box(panel: dict[str, Any]) -> str:
    return "x {:.0f}, y {:.0f}, {:.0f} x {:.0f}".format(*panel["bbox"])
