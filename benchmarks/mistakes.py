"""What is wrong with a page's reading, in words; measured with the functions of the yardstick that scores it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from types import ModuleType
from typing import Any

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


def judge(truth: dict[str, Any], got: dict[str, Any], yardstick: ModuleType) -> Judged:
    """Compare a reading, in the yardstick's form, with a page's truth.

    A line is wrong where it would be heard wrongly: more than a fifth of its letters, its kind, or all of it.
    """
    panels = sorted(truth["panels"], key=lambda panel: panel["order"])
    lines = [line for panel in panels for line in panel.get("lines", [])]
    match = _match(lines, got["lines"], yardstick)
    wrong: set[int] = set()
    slips: set[int] = set()
    read = []
    words = [*_about_panels(panels, got["panels"], yardstick)]
    for i, line in enumerate(lines):
        said = yardstick.plain(line["text"])
        unscored = line.get("uncertain") or line.get("optional") or line.get("symbol") or not said
        if line["kind"] not in yardstick.SPOKEN or unscored:
            continue
        if i not in match:
            words.append(f"missing: {line['kind']} {_quote(line['text'])}{_instead(line, got['lines'], yardstick)}")
            continue
        other = got["lines"][match[i]]
        errors = yardstick.distance(said, yardstick.plain(other["text"])) / len(said)
        if errors:
            slips.add(match[i])
        if errors > FOUND:
            wrong.add(match[i])
            words.append(f"misread ({errors:.0%}): {_quote(line['text'])} as {_quote(other['text'])}")
        else:
            read.append(match[i])
        if other["kind"] not in {line["kind"], *line.get("accept_kinds", [])}:
            wrong.add(match[i])
            words.append(f"wrong kind: {line['kind']} {_quote(line['text'])} is read as {other['kind']}")
    text = [other["text"] for other in got["lines"]]
    words += [f"order: {_quote(text[a])} is read after {_quote(text[b])}" for a, b in pairwise(read) if a > b]
    known = [yardstick.plain(line.get("text")) for line in (*lines, *truth.get("other_text", []))]
    for j in sorted(set(range(len(text))) - set(match.values())):
        if told := _about_stray(got["lines"][j], known, yardstick):
            wrong.add(j)
            words.append(told)
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
            yield f"panel {i} of {len(true)} is not found: {_box(panel)}"
    for j, panel in enumerate(got):
        if j not in match.values():
            yield f"this is no panel: {_box(panel)}"
    order = [match[i] for i in sorted(match)]
    if order != sorted(order):
        yield f"panels are read in the order {', '.join(str(i + 1) for i in sorted(match, key=lambda i: match[i]))}"


def _alike(said: str, text: str, yardstick: ModuleType) -> bool:
    return bool(text) and bool(yardstick.distance(said, text) <= PIECE * max(len(said), len(text)))


def _instead(line: dict[str, Any], got: list[dict[str, Any]], yardstick: ModuleType) -> str:
    """What was read in the place of a missing line."""
    if not line.get("bbox"):
        return ""
    there = [other for other in got if other.get("bbox") and yardstick.iou(line["bbox"], other["bbox"]) > 0.1]
    return "".join(f"; there: {other['kind']} {_quote(other['text'])}" for other in there)


def _quote(text: str) -> str:
    return f'"{text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."}"'


def _box(panel: dict[str, Any]) -> str:
    return "x {:.0f}, y {:.0f}, {:.0f} x {:.0f}".format(*panel["bbox"])
