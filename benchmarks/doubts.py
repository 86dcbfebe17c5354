"""How well the confidence of lines sorts a review list: whether the doubtful ones are the wrong ones."""

from __future__ import annotations

import difflib
import unicodedata
from dataclasses import dataclass
from typing import Any

DOUBTFUL = 0.7
"""Lines with less confidence are shown to the user first."""
ALIKE = 0.5
RIGHT = 0.88
"""Texts with this similarity (0-1, of their letters) are the same line, and the line as it is printed."""
SPOKEN = ("dialogue", "thought", "caption")


@dataclass(frozen=True)
class Doubts:
    """Counts of the lines that are spoken: all, the wrong ones, those marked doubtful, and the wrong among those."""

    lines: int = 0
    wrong: int = 0
    doubtful: int = 0
    caught: int = 0

    def __add__(self, other: Doubts) -> Doubts:
        return Doubts(
            self.lines + other.lines,
            self.wrong + other.wrong,
            self.doubtful + other.doubtful,
            self.caught + other.caught,
        )

    def __str__(self) -> str:
        return (
            f"{self.lines} spoken lines, {self.wrong} wrong; {self.doubtful / max(self.lines, 1):.2f} of all doubtful, "
            f"{self.caught / max(self.wrong, 1):.2f} of the wrong ones among them"
        )


def doubts_of(truth: dict[str, Any], reading: dict[str, Any]) -> Doubts:
    """The counts for one page; a line is wrong whose words or kind are, or that is printed nowhere."""
    printed = [line for panel in truth["panels"] for line in panel.get("lines", [])]
    total = Doubts()
    for line in reading["lines"]:
        if line["kind"] not in SPOKEN:
            continue
        near = max(printed, key=lambda known: _similarity(known["text"], line["text"]), default=None)
        alike = 0.0 if near is None else _similarity(near["text"], line["text"])
        if near is not None and alike >= ALIKE and (near.get("uncertain") or near.get("optional")):
            continue
        kinds = [] if near is None else [near["kind"], *near.get("accept_kinds", [])]
        wrong = alike < RIGHT or line["kind"] not in kinds
        doubtful = line["confidence"] < DOUBTFUL
        total += Doubts(1, int(wrong), int(doubtful), int(wrong and doubtful))
    return total


def _similarity(a: str, b: str) -> float:
    return difflib.SequenceMatcher(None, _plain(a), _plain(b), autojunk=False).ratio()


def _plain(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())
