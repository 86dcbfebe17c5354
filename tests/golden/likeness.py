"""How far a reading may stray from its golden one: machines differ in the last digit, and so in a pixel or a letter."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

import numpy as np
from PIL import Image

from comic_narrator.model import Box, Line, PageReading

PLACE = 0.012
"""Boxes and tails may be off by this share of the page's longer side."""
AHEAD = 3
"""Where somebody is seen may be off so many times as far: it lies ahead of a tail's tip, where that points."""
LETTERS = 0.95
"""The least likeness of a line's text: one letter in a short line may be read otherwise, a word may not."""
SURENESS = 0.1
"""How far any confidence may move: the last digits of a model's answers add up over a line, or over a page's pairs."""
BLOCK = 6
SHADE = 8.0
"""Blocks of so many pixels of a golden picture may differ by so much on average: it has few colours."""


def differences(golden: PageReading, reading: PageReading) -> list[str]:
    """What differs between two readings of a page beyond the tolerances, a sentence each."""
    told = [
        f"{name}: {old} is now {new}"
        for name, old, new in (
            ("size", (golden.width, golden.height), (reading.width, reading.height)),
            ("direction", golden.direction, reading.direction),
            ("language", golden.language, reading.language),
            ("panels", len(golden.panels), len(reading.panels)),
        )
        if old != new
    ]
    reach = PLACE * max(golden.width, golden.height)
    told += [
        f"panel {old.id}: {old.bbox} is now {new.bbox}"
        for old, new in zip(golden.panels, reading.panels, strict=False)
        if _apart(old.bbox, new.bbox) > reach
    ]
    told += [
        f"panel {old.id}: confidence {old.confidence} is now {new.confidence}"
        for old, new in zip(golden.panels, reading.panels, strict=False)
        if _other(old.confidence, new.confidence)
    ]
    if [line.id for line in golden.lines] != [line.id for line in reading.lines]:
        texts = [[f"{line.id} {line.text}" for line in page.lines] for page in (golden, reading)]
        return [*told, f"lines: {texts[0]} are now {texts[1]}"]
    for was, now in zip(golden.lines, reading.lines, strict=True):
        told += [f"line {was.id}: {word}" for word in _line_differences(was, now, reach)]
    seen = [[(figure.panel, figure.label) for figure in page.figures] for page in (golden, reading)]
    if seen[0] != seen[1]:
        return [*told, f"figures: {seen[0]} are now {seen[1]}"]
    return told + [
        f"figure {old.label} of panel {old.panel}: {old.bbox} is now {new.bbox}"
        for old, new in zip(golden.figures, reading.figures, strict=True)
        if old.bbox and new.bbox and _apart(old.bbox, new.bbox) > AHEAD * reach
    ]


def _line_differences(was: Line, now: Line, reach: float) -> Iterator[str]:
    if (was.kind, was.speaker, was.tone) != (now.kind, now.speaker, now.tone):
        yield f"{was.kind}, {was.speaker}, {was.tone} is now {now.kind}, {now.speaker}, {now.tone}"
    if SequenceMatcher(None, was.text, now.text, autojunk=False).ratio() < LETTERS:
        yield f"{was.text!r} is now {now.text!r}"
    if _other(was.speaker_confidence, now.speaker_confidence):
        yield f"speaker confidence {was.speaker_confidence} is now {now.speaker_confidence}"
    if _other(was.confidence, now.confidence) or was.doubtful != now.doubtful:
        yield f"confidence {was.confidence} is now {now.confidence}"
    tips = [None if tip is None else Box(*tip, 0, 0) for tip in (was.tail, now.tail)]
    for name, old, new in (
        ("bbox", was.bbox, now.bbox),
        ("balloon", was.balloon, now.balloon),
        ("tail", tips[0], tips[1]),
    ):
        if (old is None) != (new is None) or (old is not None and new is not None and _apart(old, new) > reach):
            yield f"{name} {old} is now {new}"


def _other(was: float | None, now: float | None) -> bool:
    """Whether a confidence is another one, or is there in one reading only."""
    return was != now if was is None or now is None else abs(was - now) > SURENESS


def _apart(a: Box, b: Box) -> float:
    return max(abs(a.x - b.x), abs(a.y - b.y), abs(a.right - b.right), abs(a.bottom - b.bottom))


def worst_block(golden: Image.Image, shown: Image.Image) -> float:
    """By how much two small pictures differ, in levels of 255, in the block where they differ most."""
    if golden.size != shown.size:
        return 255.0
    one, other = (np.asarray(picture.convert("RGB"), np.float32) for picture in (golden, shown))
    height, width = (side // BLOCK * BLOCK for side in one.shape[:2])
    off = np.abs(one - other)[:height, :width].mean(axis=2)
    return float(off.reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK).mean(axis=(1, 3)).max())
