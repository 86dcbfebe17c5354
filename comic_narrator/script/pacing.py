"""Pacing: how fast a line is said and how long the film waits after it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from comic_narrator.model import Line

CAPTION_PAUSE = 0.5
LINE_PAUSE = 0.35
TRAILING_PAUSE = 0.25
"""Added after a line that trails off."""


@dataclass(frozen=True)
class Tone:
    """How a tone of voice is heard: its rate against the usual one, and how much louder it is, in dB."""

    speed: float
    gain_db: float


PLAIN = Tone(1.0, 0.0)
TONES = {"shouting": Tone(1.04, 2.5), "whispering": Tone(0.94, -4.0)}
"""A shout stands out but does not drown the line after it; a whisper must still be heard on a small speaker."""


def pause_after(line: Line) -> float:
    """Seconds of rest after a line: longer after captions and where the words trail off."""
    pause = CAPTION_PAUSE if line.kind == "caption" else LINE_PAUSE
    trails = line.text.rstrip("\"'」』” ").endswith(("...", "…", "--", "—"))
    return round(pause + (TRAILING_PAUSE if trails else 0.0), 3)


def speed_of(line: Line) -> float:
    """Rate of delivery against the voice's own: thoughts are a little slower, and so are whispers."""
    return (0.95 if line.kind == "thought" else 1.0) * TONES.get(line.tone or "", PLAIN).speed


def gain_of(line: Line) -> float:
    """Decibels by which a line is louder than usual."""
    return TONES.get(line.tone or "", PLAIN).gain_db


def wordless_seconds(share: float, panels: int, middle: float) -> float:
    """Seconds of a panel without words: `middle` for one of average size, up to 1.6 times that for a large one.

    `share` is the part of the page that the panel covers, `panels` how many the page has.
    """
    relative = share * panels
    return round(middle * min(math.sqrt(max(relative, 0.8)), 1.6), 2)
