"""Delivery: how a line is said, by tone, emotion, kind, marks and size of lettering, and how long the film waits."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from comic_narrator.model import CAST_KINDS, SPOKEN_KINDS, Line, LineKind, PageReading
from comic_narrator.voice_profiles import Colouring


@dataclass(frozen=True)
class Manner:
    """How something is said; manners add up, see `also`.

    `speed` and `pause` are factors, `gain_db` decibels, `effort` goes from -1 (hardly voiced) to 1 (a shout).
    """

    speed: float = 1.0
    gain_db: float = 0.0
    effort: float = 0.0
    pause: float = 1.0
    colouring: Colouring | None = None

    def also(self, other: Manner) -> Manner:
        """Both at once: factors multiply, the rest adds up, within what an engine and a mix can do."""
        return Manner(
            min(max(self.speed * other.speed, 0.75), 1.3),
            min(max(self.gain_db + other.gain_db, -6.0), 4.0),
            min(max(self.effort + other.effort, -1.0), 1.0),
            self.pause * other.pause,
            self.colouring or other.colouring,
        )


PLAIN = Manner()

KINDS: dict[LineKind, Manner] = {
    "dialogue": PLAIN,
    "thought": Manner(0.96, -1.0, -0.2, 1.1, "thought"),
    "caption": Manner(0.98, 0.0, 0.0, 1.0),
    "sfx": Manner(1.0, 0.0, 0.4, 0.8),
    "sign": PLAIN,
}

WORDS: dict[str, Manner] = {
    # A shout stands out but does not drown the line after it; a whisper must still be heard on a small speaker.
    "shouting": Manner(1.04, 2.5, 0.9, 0.8), "yelling": Manner(1.04, 2.5, 0.9, 0.8),
    "screaming": Manner(1.06, 3.0, 1.0, 0.8), "loud": Manner(1.0, 1.5, 0.5, 0.9),
    "whispering": Manner(0.95, -4.0, -0.8, 1.1, "whisper"), "quiet": Manner(0.97, -2.0, -0.4, 1.1),
    "angry": Manner(1.05, 1.0, 0.5, 0.8), "furious": Manner(1.07, 2.0, 0.8, 0.8),
    "annoyed": Manner(1.03, 0.5, 0.2, 0.9),
    "happy": Manner(1.05, 0.5, 0.3, 0.9), "excited": Manner(1.08, 1.0, 0.5, 0.8),
    "laughing": Manner(1.04, 0.5, 0.3, 0.9),
    "sad": Manner(0.9, -1.5, -0.4, 1.3), "crying": Manner(0.92, -0.5, 0.0, 1.3), "tired": Manner(0.9, -1.5, -0.4, 1.3),
    "afraid": Manner(1.06, 0.0, 0.1, 1.0), "nervous": Manner(1.05, -0.5, 0.0, 1.0),
    "panicked": Manner(1.1, 1.5, 0.6, 0.7),
    "surprised": Manner(1.03, 0.8, 0.4, 1.0), "shocked": Manner(1.02, 1.0, 0.5, 1.1),
    "calm": Manner(0.96, -0.5, -0.1, 1.1), "warm": Manner(0.97, -0.3, -0.1, 1.0),
    "gentle": Manner(0.95, -1.0, -0.3, 1.1),
    "cold": Manner(0.95, 0.0, 0.0, 1.1), "serious": Manner(0.95, 0.0, 0.1, 1.1),
    "threatening": Manner(0.92, 0.5, 0.2, 1.2),
    "sarcastic": Manner(0.97, 0.0, 0.0, 1.0), "confused": Manner(0.97, -0.3, 0.0, 1.1),
    "urgent": Manner(1.1, 1.0, 0.5, 0.7),
    "weak": Manner(0.88, -2.0, -0.6, 1.4),
}  # fmt: skip
"""The table: what a tone or an emotion does, by the word a reader has for it."""

SAME_AS = {
    "anger": "angry", "mad": "angry", "rage": "furious", "irritated": "annoyed", "joy": "happy", "joyful": "happy",
    "cheerful": "happy", "smiling": "happy", "thrilled": "excited", "amused": "laughing", "sadness": "sad",
    "sorrowful": "sad", "weeping": "crying", "sobbing": "crying", "weary": "tired", "exhausted": "tired",
    "fear": "afraid", "fearful": "afraid", "scared": "afraid", "frightened": "afraid", "terrified": "panicked",
    "anxious": "nervous", "worried": "nervous", "panic": "panicked", "surprise": "surprised", "astonished": "surprised",
    "shock": "shocked", "horrified": "shocked", "neutral": "calm", "kind": "warm", "friendly": "warm", "soft": "gentle",
    "tender": "gentle", "stern": "serious", "grave": "serious", "menacing": "threatening", "mocking": "sarcastic",
    "puzzled": "confused", "hurried": "urgent", "shout": "shouting", "whisper": "whispering", "hushed": "whispering",
    "murmuring": "quiet", "muttering": "quiet", "dying": "weak", "faint": "weak", "screams": "screaming",
    "overjoyed": "excited", "alarmed": "afraid", "eager": "excited", "startled": "surprised", "offended": "annoyed",
    "grudging": "annoyed", "content": "calm", "dignified": "serious", "polite": "calm", "patient": "calm",
    "smug": "sarcastic",
}  # fmt: skip

EXCLAIMED = Manner(1.02, 0.5, 0.25, 0.95)
TRAILING = Manner(0.96, 0.0, -0.1, 1.0)
LARGE = Manner(1.0, 1.5, 0.4, 1.0)
SMALL = Manner(1.0, -2.0, -0.4, 1.0)
BIGGER, SMALLER = 1.4, 0.68
"""Lettering is large or small where its letters are so many times the page's usual ones."""

CAPTION_PAUSE = 0.5
LINE_PAUSE = 0.35
SAME_SPEAKER = 0.25
THOUGHT_PAUSE = 0.45
TRAILING_PAUSE = 0.25
"""Added after a line that trails off."""
BROKEN_OFF = 0.08
"""The pause after a line that another one cuts off."""
OVERLAP = -0.25
"""Two people who shout in one panel shout at once: the second begins before the first has ended."""


def manner_of(line: Line, emotion: str | None, size: float) -> Manner:
    """How a line is said; `emotion` is that of who says it, `size` that of its lettering against the page's usual."""
    manner = KINDS[line.kind]
    told = _known(line.tone)
    manner = manner.also(told)
    if _known(emotion) is not told:
        manner = manner.also(_known(emotion))
    if line.kind in CAST_KINDS:
        if line.text.rstrip("\"'」』” ").endswith("!") and told.effort <= 0.5 and told.colouring is None:
            manner = manner.also(EXCLAIMED)
        if size >= BIGGER and told.effort < 0.5:
            manner = manner.also(LARGE)
        elif size <= SMALLER and told.colouring is None:
            manner = manner.also(SMALL)
    return manner.also(TRAILING) if _trails_off(line.text) else manner


def _known(words: str | None) -> Manner:
    """The manner of the first word of a description that the table knows."""
    for word in re.findall(r"[a-z]+", (words or "").lower()):
        if (name := SAME_AS.get(word, word)) in WORDS:
            return WORDS[name]
    return PLAIN


def pause_between(line: Line, following: Line | None, manner: Manner) -> float:
    """Seconds from the end of a line to the start of the next in its panel, or None; negative where both are heard."""
    if following is not None and line.kind in CAST_KINDS and following.kind in CAST_KINDS:
        others = following.speaker != line.speaker
        if others and line.tone == following.tone == "shouting":
            return OVERLAP
        if others and re.search(r"(?:--|—|–|-)[!?\"”」]*\s*$", line.text):
            return BROKEN_OFF
        pause = LINE_PAUSE if others else SAME_SPEAKER
    else:
        pause = CAPTION_PAUSE if line.kind == "caption" else LINE_PAUSE
    if line.kind == "thought":
        pause = THOUGHT_PAUSE
    return round(pause * manner.pause + (TRAILING_PAUSE if _trails_off(line.text) else 0.0), 3)


def _trails_off(text: str) -> bool:
    return text.rstrip("\"'」』” ").endswith(("...", "…", "--", "—"))


def sizes(reading: PageReading) -> dict[str, float]:
    """How large each spoken line of a page is lettered, against the page's usual size; by the line's id.

    The side of the square that one letter has of its line's box.
    """
    sides = {
        line.id: math.sqrt(line.bbox.area / len(letters))
        for line in reading.lines
        if line.kind in SPOKEN_KINDS and line.bbox and len(letters := re.sub(r"\s", "", line.text)) >= 2
    }
    usual = median(sides.values()) if len(sides) >= 3 else None
    return {id_: side / usual for id_, side in sides.items()} if usual else {}


def emotion_of(reading: PageReading, line: Line) -> str | None:
    """What the figure that says a line feels in its panel, where the reader saw that."""
    return next(
        (f.emotion for f in reading.figures if f.panel == line.panel and f.label == line.speaker and f.emotion), None
    )


def following(lines: Sequence[Line], line: Line) -> Line | None:
    """The next of a panel's spoken lines."""
    after = lines.index(line) + 1
    return lines[after] if after < len(lines) else None


def wordless_seconds(share: float, panels: int, middle: float) -> float:
    """Seconds of a panel without words: `middle` for one of average size, up to 1.6 times that for a large one.

    `share` is the part of the page that the panel covers, `panels` how many the page has.
    """
    relative = share * panels
    return round(middle * min(math.sqrt(max(relative, 0.8)), 1.6), 2)
