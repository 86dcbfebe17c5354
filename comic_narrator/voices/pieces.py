"""Long texts in pieces that a speech model can say in one breath, and short ones that it does not run away from."""

from __future__ import annotations

import re
from collections.abc import Callable

TRIES = 3
"""How often a line is spoken until a take is right."""
SHORT = 5.0
"""Seconds of a piece where whole texts went wrong."""

_QUOTES = "[”’\"'」』)]*"
_CUTS = (
    re.compile(rf".*?(?:[.!?…]+{_QUOTES}\s+|[。！？]+{_QUOTES}\s*|.$)", re.DOTALL),
    re.compile(r".*?(?:[;:—,…]\s+|[、，…]\s*|.$)", re.DOTALL),
    re.compile(r"\S+\s*"),
)
"""Parts of a text: its sentences, what lies between lesser marks, its words."""


def limit_for(attempt: int, limit: float) -> float:
    """How long a piece may be at that attempt: `limit` seconds, but SHORT the last time of each round of TRIES."""
    return SHORT if attempt % TRIES == TRIES - 1 else limit


def pieces(text: str, seconds: Callable[[str], float], limit: float) -> list[str]:
    """`text` in pieces that take at most `limit` seconds each, as `seconds` reckons them.

    Cut at the ends of sentences, else at lesser marks, else between words; a single word is never cut, but a text
    without spaces is. Short sentences stay together.
    """
    if seconds(text) <= limit:
        return [text.strip()] if text.strip() else []
    for cut in _CUTS:
        parts = [part.strip() for part in cut.findall(text.strip())]
        if len(parts) > 1:
            smaller = [small for part in parts for small in pieces(part, seconds, limit)]
            return _joined(smaller, seconds, limit)
    half = len(text) // 2
    if half == 0 or re.fullmatch(r"[A-Za-z'-]+", text.strip()):
        return [text.strip()]
    return [*pieces(text[:half], seconds, limit), *pieces(text[half:], seconds, limit)]


def _joined(parts: list[str], seconds: Callable[[str], float], limit: float) -> list[str]:
    joined = [parts[0]]
    for part in parts[1:]:
        together = f"{joined[-1]} {part}" if joined[-1].isascii() or part.isascii() else joined[-1] + part
        if seconds(together) <= limit:
            joined[-1] = together
        else:
            joined.append(part)
    return joined
