"""Words so short that a speech model makes noises of them: they are said several times in a row, and one is kept."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from comic_narrator.voices.checks import usual_seconds
from comic_narrator.voices.sniff import Sound

SHORT = 0.66
"""What usually takes fewer seconds is a cry: "No!", "Who?", "え"; models that write sound token by token lose their way
in such a text, and find it in three of them."""
TIMES = 3
REST, CLICK = 0.12, 0.04
"""Seconds: a shorter silence lies inside a word, a shorter sound is none."""
QUIET = 0.02
"""Under this share of the loudest moment there is silence."""
ALIKE = 2.0
"""The times that one word is said differ in length by less than this factor."""
EDGE = 0.04
"""Seconds that are kept before the last time, for a soft beginning."""
WINDOW = 0.01


def said_alone(piece: str, language: str, attempt: int, ask: Callable[[str], Sound]) -> Sound:
    """A piece as a server says it when it is asked; of a cry, which is asked for thrice at once, the last.

    Where the times cannot be told apart, and in every second attempt, it is asked for as it is.
    """
    if attempt % 2 == 0 and usual_seconds(piece, language) < SHORT:
        last = last_said(ask(thrice(piece, language)))
        if last is not None:
            return last
    return ask(piece)


def thrice(cry: str, language: str) -> str:
    """A cry three times over, each a sentence of its own."""
    japanese = language.lower().startswith("ja")
    sentence = cry if cry[-1] in ".!?…。！？" else cry + ("。" if japanese else ".")
    return ("" if japanese else " ").join([sentence] * TIMES)


def last_said(sound: Sound) -> Sound | None:
    """The last of the TIMES times that `sound` says something; None unless there are so many, parted and alike."""
    width = max(round(WINDOW * sound.rate), 1)
    whole = len(sound.samples) // width
    levels = np.abs(sound.samples[: whole * width].reshape(whole, width)).max(axis=1, initial=0.0)
    loud = np.flatnonzero(levels > QUIET * levels.max(initial=0.0))
    if not loud.size:
        return None
    parted = np.flatnonzero(np.diff(loud) > REST / WINDOW)
    starts, ends = loud[np.append(0, parted + 1)], loud[np.append(parted, loud.size - 1)] + 1
    lengths = (ends - starts) * WINDOW
    starts, lengths = starts[lengths >= CLICK], lengths[lengths >= CLICK]
    if len(starts) != TIMES or lengths.max() > ALIKE * lengths.min():
        return None
    return Sound(sound.samples[max(int(starts[-1]) * width - round(EDGE * sound.rate), 0) :], sound.rate)
