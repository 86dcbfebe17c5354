"""Music beds, composed here and played with FluidR3Mono: each a loop in two layers, a base that may stand alone under
speech and a lead that joins it where nobody speaks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from scripts.sounds.recorded import MUSIC_FONT, generated, instrument
from scripts.sounds.tools import RATE, Random, Wave, round_hall

Event = tuple[float, float, int, int]
"""A note: beat at which it starts, beats it lasts, MIDI key, velocity."""
Chord = tuple[int, tuple[int, ...]]
"""Semitones of the bass above the tonic, and those of the upper notes."""

MAJOR, MINOR, DORIAN, LYDIAN, MIXOLYDIAN, PHRYGIAN = (
    (0, 2, 4, 5, 7, 9, 11), (0, 2, 3, 5, 7, 8, 10), (0, 2, 3, 5, 7, 9, 10),
    (0, 2, 4, 6, 7, 9, 11), (0, 2, 4, 5, 7, 9, 10), (0, 1, 3, 5, 7, 8, 10),
)  # fmt: skip


@dataclass(frozen=True)
class Part:
    """One instrument of a layer: a preset, its level in dB, its place, and what it plays."""

    layer: str
    bank: int
    program: int
    gain_db: float
    pan: float
    play: Callable[[Bed, Random], list[Event]]


@dataclass(frozen=True)
class Bed:
    """A piece: tempo, metre, tonic, scale, chords (one for each `bars_a_chord` bars), and its parts."""

    title: str
    tags: str
    bpm: float
    beats: int
    tonic: int
    scale: tuple[int, ...]
    chords: tuple[Chord, ...]
    parts: tuple[Part, ...]
    bars_a_chord: int = 1
    hall: float = 1.6
    wet: float = 0.35

    @property
    def chord_beats(self) -> int:
        """Beats of one chord."""
        return self.beats * self.bars_a_chord

    @property
    def length(self) -> float:
        """Seconds of the loop."""
        return len(self.chords) * self.chord_beats * 60 / self.bpm


def voiced(bed: Bed, middle: int, voices: int = 3) -> list[list[int]]:
    """The upper notes of each chord near `middle`, each chord as near to the one before as it can be."""
    last = [middle - 4 + 4 * i for i in range(voices)]
    told = []
    for _, notes in bed.chords:
        choices = []
        for order in permutations(notes, min(voices, len(notes))):
            keys = [
                (key := bed.tonic % 12 + n) + 12 * round((old - key) / 12) for n, old in zip(order, last, strict=False)
            ]
            far = sum(abs(a - b) for a, b in zip(keys, last, strict=False)) + 2 * abs(sum(keys) / len(keys) - middle)
            choices.append((far + 20 * (len(set(keys)) < len(keys)), sorted(keys)))
        last = min(choices)[1]
        told.append(last)
    return told


def pad(middle: int, velocity: int = 70, voices: int = 3) -> Callable[[Bed, Random], list[Event]]:
    """Chords held as long as they last."""

    def play(bed: Bed, rng: Random) -> list[Event]:
        del rng
        return [
            (i * bed.chord_beats, bed.chord_beats - 0.05, key, velocity)
            for i, keys in enumerate(voiced(bed, middle, voices))
            for key in keys
        ]

    return play


def bass(
    octave: int, pattern: Sequence[tuple[float, float, int]], velocity: int = 80
) -> Callable[[Bed, Random], list[Event]]:
    """The bass note in a pattern of (beat within the bar, beats, semitones above it)."""

    def play(bed: Bed, rng: Random) -> list[Event]:
        del rng
        low = bed.tonic % 12 + 12 * octave
        return [
            (i * bed.chord_beats + bar * bed.beats + at, long, low + root - (12 if root > 7 else 0) + up, velocity)
            for i, (root, _) in enumerate(bed.chords)
            for bar in range(bed.bars_a_chord)
            for at, long, up in pattern
        ]

    return play


def arpeggio(
    middle: int, step: float, order: Sequence[int], velocity: int = 64, rest: float = 0.0
) -> Callable[[Bed, Random], list[Event]]:
    """Broken chords: a note each `step` beats, in that order of the chord's notes; `rest` is the share left out."""

    def play(bed: Bed, rng: Random) -> list[Event]:
        told = []
        for i, keys in enumerate(voiced(bed, middle)):
            ladder = [*keys, *(key + 12 for key in keys)]
            for n in range(round(bed.chord_beats / step)):
                if rng.random() >= rest:
                    loud = velocity + (8 if n * step % bed.beats == 0 else 0) + int(rng.integers(-5, 6))
                    told.append((i * bed.chord_beats + n * step, step * 0.95, ladder[order[n % len(order)]], loud))
        return told

    return play


def melody(
    middle: int, rhythms: Sequence[Sequence[float]], velocity: int = 78, rest: float = 0.25
) -> Callable[[Bed, Random], list[Event]]:
    """A tune: a two-chord phrase that comes back over other chords, chord notes on strong beats, small steps between.

    `rhythms` are lengths in beats that fill one chord; a negative one is a rest.
    """

    def play(bed: Bed, rng: Random) -> list[Event]:
        told: list[Event] = []
        scale = [bed.tonic % 12 + n + 12 * o for o in range(2, 9) for n in bed.scale]
        motif = [rhythms[int(rng.integers(len(rhythms)))] for _ in range(2)]
        moves = [[int(rng.choice([-2, -1, -1, 1, 1, 2])) for _ in rhythm] for rhythm in motif]
        last = min(scale, key=lambda k: abs(k - middle))
        for i, (_, notes) in enumerate(bed.chords):
            if i % 4 == 3 and rng.random() < rest:
                continue
            at = float(i * bed.chord_beats)
            tones = [k for k in scale if (k - bed.tonic) % 12 in {n % 12 for n in notes}] or scale
            for n, long in enumerate(motif[i % 2]):
                if long > 0:
                    place = scale.index(last) + moves[i % 2][n]
                    wanted = scale[min(max(place, 0), len(scale) - 1)]
                    if n == 0 or long >= 2:
                        wanted = min(tones, key=lambda k: (abs(k - wanted) + 0.3 * abs(k - middle), k))
                    if abs(wanted - middle) > 9:
                        wanted = min(tones, key=lambda k: abs(k - middle))
                    last = wanted if wanted in scale else min(scale, key=lambda k: abs(k - wanted))
                    told.append((at, long * 0.96, wanted, velocity + int(rng.integers(-6, 7))))
                at += abs(long)
        return told

    return play


def drums(*hits: tuple[float, int, int]) -> Callable[[Bed, Random], list[Event]]:
    """A pattern a bar of (beat, key of the drum, velocity)."""

    def play(bed: Bed, rng: Random) -> list[Event]:
        bars = len(bed.chords) * bed.bars_a_chord
        return [
            (b * bed.beats + at, 0.3, key, v + int(rng.integers(-6, 7))) for b in range(bars) for at, key, v in hits
        ]

    return play


def stabs(
    middle: int, beats: Sequence[float], velocity: int = 90, long: float = 0.4
) -> Callable[[Bed, Random], list[Event]]:
    """Short chords on these beats of each chord."""

    def play(bed: Bed, rng: Random) -> list[Event]:
        del rng
        return [
            (i * bed.chord_beats + at, long, key, velocity)
            for i, keys in enumerate(voiced(bed, middle))
            for at in beats
            for key in keys
        ]

    return play


def rendered(bed: Bed, layer: str, seed: int) -> Wave:
    """One layer as a stereo loop whose notes ring on over its seam: the second of two rounds."""
    count = round(bed.length * RATE)
    wave = np.zeros((count, 2))
    for number, part in enumerate(bed.parts):
        if part.layer != layer:
            continue
        events = part.play(bed, np.random.default_rng([seed, number]))
        one = _played(part, events, bed, count)
        gain = 10 ** (part.gain_db / 20)
        sides = np.array([np.cos((part.pan + 1) * np.pi / 4), np.sin((part.pan + 1) * np.pi / 4)]) * np.sqrt(2)
        wave += gain * one[:, None] * sides
    return round_hall(np.random.default_rng(seed), wave, bed.hall, bed.wet, 3500)


def _played(part: Part, events: list[Event], bed: Bed, count: int) -> Wave:
    synth = instrument(MUSIC_FONT, part.bank, part.program)
    turns: list[tuple[int, int, int, int]] = []
    for at, long, key, velocity in events:
        first, last = round(at * 60 / bed.bpm * RATE), round((at + long) * 60 / bed.bpm * RATE)
        for turn in (0, count):
            turns += [(first + turn, 1, key, min(max(velocity, 1), 127)), (min(last, count - 1) + turn, 0, key, 0)]
    out, now = [], 0
    for at, kind, key, velocity in sorted(turns):
        if at > now:
            out.append(generated(synth, at - now))
            now = at
        synth.noteon(0, key, velocity) if kind else synth.noteoff(0, key)
    out.append(generated(synth, 2 * count - now))
    return np.concatenate(out)[count : 2 * count]
