"""What is wrong with a take, told from its sound alone; each fault has a weight, so that bad takes can be compared."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import SAMPLE_RATE
from comic_narrator.voices import Samples
from comic_narrator.voices.listening import measured as measured_print

METHOD = "checks-1"
"""Raised when the same take may be judged otherwise."""

FaultKind = Literal["empty", "short", "long", "silence", "clipping", "noise", "cut", "pitch", "words"]

WINDOW = SAMPLE_RATE // 50
QUIET_DB = -38.0
"""Under the loudest window by so much, a window is a pause."""
LEARN_FROM = 5
"""Takes of a voice from which its own rate and pitch are learnt."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a take: `what` for the report, `weight` 1 and more, the worse the more."""

    kind: FaultKind
    what: str
    weight: float


@dataclass(frozen=True)
class Habit:
    """How a voice speaks: its seconds against those that a text usually takes, its pitch in Hz (None: not known)."""

    rate: float = 1.0
    pitch: float | None = None
    learnt: bool = False


@dataclass(frozen=True)
class Measured:
    """A take in numbers: its seconds, these against those usual for its text and speed, its pitch in Hz, if any."""

    seconds: float
    rate: float
    pitch: float | None


def learnt(takes: Sequence[Measured], told_pitch: float | None = None) -> Habit:
    """The habit of a voice out of its takes: their middle, where there are LEARN_FROM; else what is usual.

    `told_pitch` is what the voice's profile says, in Hz, and counts until a pitch is learnt.
    """
    rates = [take.rate for take in takes]
    pitches = [take.pitch for take in takes if take.pitch is not None]
    return Habit(
        rate=median(rates) if len(rates) >= LEARN_FROM else 1.0,
        pitch=median(pitches) if len(pitches) >= LEARN_FROM else told_pitch,
        learnt=len(rates) >= LEARN_FROM,
    )


def usual_seconds(text: str, language: str) -> float:
    """How long `text` usually takes to say: fitted to takes of the embedded voice, which talks as people read aloud."""
    japanese = language.lower().startswith("ja")
    kana = len(re.findall(r"[\u3041-\u3096\u30a1-\u30fa]", text))
    kanji = len(re.findall(r"[\u3400-\u9fff\uac00-\ud7af]", text))
    digits = len(re.findall(r"\d", text))
    letters = sum(sign.isalpha() for sign in text) - kana - kanji
    marks = len(re.findall(r"[.!?。！？…—]+(?=\s*\S)|[,;:、](?=\s*\S)", text))
    morae = kana + 1.9 * kanji + 2.0 * digits + (1.0 * letters if japanese else 0)
    if japanese:
        return 0.30 + 0.128 * morae + 0.22 * marks
    return 0.30 + 0.061 * (letters + 5 * digits) + 0.128 * (kana + 1.9 * kanji) + 0.22 * marks


def measure(take: Samples, text: str, language: str, speed: float) -> Measured:
    """A take in the numbers that a voice's habit is learnt from."""
    seconds, heard = len(take) / SAMPLE_RATE, measured_print(take)
    return Measured(seconds, seconds * speed / usual_seconds(text, language), heard.pitch if heard else None)


def sound_faults(take: Samples, text: str) -> tuple[Fault, ...]:
    """What is wrong with the sound of a take of `text`, whoever speaks: emptiness, gaps, clipping, noise, a cut end."""
    levels = _levels(take)
    if not levels.size or levels.max() < 0.003:
        return (Fault("empty", "it is silent", 100.0),)
    found = (_silence(levels, text), _clipping(take), _noise(take, levels), _cut(take, levels))
    return tuple(fault for fault in found if fault)


def habit_faults(measured: Measured, habit: Habit) -> tuple[Fault, ...]:
    """What is wrong with a take by the habit of its voice: its length, its pitch."""
    return tuple(fault for fault in (_length(measured, habit), _pitch(measured, habit)) if fault)


def _levels(take: Samples) -> NDArray[np.float64]:
    """RMS of each whole window of 20 ms."""
    whole = len(take) // WINDOW * WINDOW
    return np.asarray(np.sqrt((take[:whole].reshape(-1, WINDOW).astype(np.float64) ** 2).mean(axis=1)))


def _length(measured: Measured, habit: Habit) -> Fault | None:
    seconds = measured.seconds
    if not seconds:
        return None
    usual = seconds / measured.rate * habit.rate
    # A second of slack for short texts, where a breath more is half the take; the bounds close in on a known voice.
    low, high = (0.6, 1.7) if habit.learnt else (0.45, 2.2)
    if seconds < low * usual - 0.15:
        return Fault("short", f"it takes {seconds:.1f} s where about {usual:.1f} s are usual", 3 * usual / seconds)
    if seconds > high * usual + 0.7:
        return Fault("long", f"it takes {seconds:.1f} s where about {usual:.1f} s are usual", 2 * seconds / usual)
    return None


def _silence(levels: NDArray[np.float64], text: str) -> Fault | None:
    quiet = levels < levels.max() * 10 ** (QUIET_DB / 20)
    longest = _longest_run(quiet[1:-1]) * WINDOW / SAMPLE_RATE
    bound = 1.6 if re.search(r"\.\.\.|…|—|\n", text) else 1.1
    if longest > bound:
        return Fault("silence", f"it is silent for {longest:.1f} s inside", 1 + longest)
    return None


def _longest_run(flags: NDArray[np.bool_]) -> int:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return int((edges[1::2] - edges[::2]).max(initial=0))


def _clipping(take: Samples) -> Fault | None:
    """Whether many samples lie on one height near the peak, as they do where a sound was cut off at the top.

    Counted over 100 heights from 0 to the peak: speech thins out towards its peak, what was clipped piles up there;
    resampling moves the pile a little under the peak.
    """
    magnitudes = np.abs(take)
    counts, _ = np.histogram(magnitudes, bins=100, range=(0, float(magnitudes.max())))
    piled = counts[80:]
    below = max(float(np.median(counts[60:80])), 1.0)
    share = float(piled.sum()) / len(take)
    if share > 0.004 and piled.max() > 3 * below:
        return Fault("clipping", f"{share:.1%} of it is cut off at the top", 1 + 50 * share)
    return None


def _noise(take: Samples, levels: NDArray[np.float64]) -> Fault | None:
    """Whether something steady sounds all through: a hum, hiss, or a tone where words are due."""
    if len(levels) < 25:
        return None
    floor = 20 * np.log10(max(float(np.percentile(levels, 4)), 1e-6) / float(np.percentile(levels, 90)))
    if floor > -14:
        return Fault(
            "noise", f"it never grows quiet, {-floor:.0f} dB under its words at the most", 4 + float(14 + floor) / 4
        )
    low = _share_under(take, 65)
    if low > 0.25:
        return Fault("noise", f"{low:.0%} of it is a hum below 65 Hz", 2 + 2 * low)
    return None


def _share_under(take: Samples, hertz: float) -> float:
    power = np.abs(np.fft.rfft(take)) ** 2
    below = round(hertz * len(take) / SAMPLE_RATE)
    return float(power[1:below].sum() / max(power[1:].sum(), 1e-12))


def _cut(take: Samples, levels: NDArray[np.float64]) -> Fault | None:
    """Whether it ends at full strength: speech dies away, and 30 ms of rest are left at its end.

    The last 6 ms are faded in every take and are not looked at.
    """
    end = take[-round(0.022 * SAMPLE_RATE) : -round(0.006 * SAMPLE_RATE)].astype(np.float64)
    last = float(np.sqrt((end**2).mean())) if len(end) else 0.0
    height = 20 * np.log10(max(last, 1e-6) / float(np.percentile(levels, 90)))
    if height > -12:
        return Fault("cut", f"it breaks off {-height:.0f} dB under its words", 3 + float(12 + height) / 4)
    return None


def _pitch(measured: Measured, habit: Habit) -> Fault | None:
    if measured.pitch is None or habit.pitch is None:
        return None
    times = measured.pitch / habit.pitch
    # A shout may be half as high again; a sample rate taken for another, or a man for a woman, is more than that.
    if not 0.62 < times < 1.62:
        return Fault(
            "pitch",
            f"it is {measured.pitch:.0f} Hz high where the voice has {habit.pitch:.0f} Hz: "
            "another voice, or a wrong sample rate",
            4 + abs(math.log2(times)),
        )
    return None
