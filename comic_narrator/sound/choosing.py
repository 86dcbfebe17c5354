"""Choosing: which sound of the library is played for what the script asks, when, and for how long."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from comic_narrator.sound.library import Kind, Sound, by_kind

CueKind = Literal["sound", "ambience", "music"]
KINDS: dict[CueKind, Kind] = {"sound": "effect", "ambience": "ambience", "music": "music"}

NOTHING = "none"
"""What a script says where an ambience or the music is to stop."""
AGAIN_SECONDS = 3.0
"""The same effect does not come again within this time; another with the same tags does."""
WORN_SECONDS = 20.0
"""Within this time another effect with the same tags is rather taken."""
CROSS_SECONDS = {"ambience": 2.5, "music": 4.0}
FLOOR = "room"
"""The ambience that is always there, faintly: a film never falls silent as if it were broken."""
FLOOR_DB = -22.0
"""As far below the speech as it would be ducked to, but always: a room that breathes with the voice is no room."""
OPENING_SECONDS = 10.0
"""A film opens on its place and on the first voices; music enters later, where it is not in their way."""
OPENING_SHARE = 0.25
"""The opening is at most so much of a film: a short one has music too."""
REST_SECONDS = 1.2
"""So long nobody speaks where music may enter: in shorter gaps it would come in under a voice."""


@dataclass(frozen=True)
class Cue:
    """What a beat asks for, in seconds of the film's clock; `place` is -1 (left) to 1 (right).

    `wanted` is a tag or words, for ambience and music also several by commas, or "none"; `printed` is the lettering.
    """

    beat: str
    kind: CueKind
    wanted: str | None
    start: float
    end: float
    printed: str | None = None
    gain_db: float = 0.0
    place: float = 0.0


@dataclass(frozen=True)
class Placement:
    """A sound in the film: where it begins, how long it is held, with which fades, all in seconds.

    What is not `ducked` does not step back for speech.
    """

    sound: Sound
    start: float
    end: float
    gain_db: float = 0.0
    place: float = 0.0
    fade_in: float = 0.0
    fade_out: float = 0.0
    ducked: bool = True


@dataclass(frozen=True)
class Choice:
    """What is played, and the ids of beats for which nothing fits, with what they ask for."""

    placements: tuple[Placement, ...]
    missing: tuple[tuple[str, str], ...]

    def sounds(self) -> list[Sound]:
        """Every sound that is played, once, by name."""
        return sorted({p.sound.name: p.sound for p in self.placements}.values(), key=lambda sound: sound.name)


def choose(
    cues: Sequence[Cue],
    shelves: Sequence[Sequence[Sound]],
    seconds: float,
    *,
    floor: bool = True,
    fetched: Sequence[Sound] = (),
    music_from: float = 0.0,
) -> Choice:
    """Choose for a film of so many seconds; earlier shelves are asked first (the user's before the program's).

    `floor` has a quiet room heard under it all; `fetched` is asked where nothing on the shelves fits; no music is
    played before `music_from`, in seconds.
    """
    missing: list[tuple[str, str]] = []
    mine, ours = shelves[:-1], (shelves[-1], fetched)
    placed = [*_effects([cue for cue in cues if cue.kind == "sound"], mine, ours, seconds, missing)]
    for kind in ("ambience", "music"):
        spans = [cue for cue in cues if cue.kind == kind]
        held = _spans(spans, KINDS[kind], (*mine, *ours), seconds, missing)
        placed += _from(music_from, held) if kind == "music" else held
    if floor:
        rooms = [s for s in by_kind(shelves[-1], "ambience") if s.name == FLOOR]
        placed += [Placement(room, 0.0, seconds, FLOOR_DB, ducked=False) for room in rooms]
    return Choice(tuple(sorted(placed, key=lambda p: (p.start, p.sound.name))), tuple(missing))


def music_entry(spoken: Sequence[tuple[float, float]], seconds: float, opening: float = OPENING_SECONDS) -> float:
    """When music may enter a film of so many seconds in which somebody speaks in these sorted spans.

    That is in the first rest behind the opening, or at once where nobody speaks in the opening.
    """
    opening = min(opening, OPENING_SHARE * seconds)
    if not spoken or spoken[0][0] >= opening:
        return 0.0
    silent_since = opening
    for start, end in spoken:
        if start - silent_since >= REST_SECONDS:
            break
        silent_since = max(silent_since, end)
    return silent_since


def find(wanted: Iterable[str | None], shelves: Sequence[Sequence[Sound]], kind: Kind) -> list[Sound]:
    """The sounds that fit best, of the first of `wanted` that any fits, on the first shelf that has one; else []."""
    for words in filter(None, wanted):
        phrase = "-".join(_words(words))
        asked = frozenset(_words(words)) - SMALL_WORDS
        for shelf in shelves:
            fits = [(fit, sound) for sound in by_kind(shelf, kind) if (fit := _fit(phrase, asked, sound)) > 0]
            if fits:
                best = max(fit for fit, _ in fits)
                ranked = sorted(fits, key=lambda fit: -fit[0])
                return [sound for fit, sound in ranked if fit >= min(best, 3.0)]
    return []


@dataclass(frozen=True)
class _Called:
    """What a sound is called, as phrases (`first`: those that say what it is above all), and the words in them."""

    phrases: frozenset[str]
    first: frozenset[str]
    words: frozenset[str]


@cache
def _called(name: str, kind: Kind, tags: tuple[str, ...]) -> _Called:
    phrases = ["-".join(_words(tag)) for tag in (name, *tags)]
    # Its first tag is what a sound is above all; music may change with every time that a mood comes back.
    first = phrases[:2] if kind != "music" else []
    return _Called(frozenset(phrases), frozenset(first), frozenset("-".join(phrases).split("-")))


def _fit(phrase: str, asked: frozenset[str], sound: Sound) -> float:
    """How well a sound fits: 3 as one phrase, else the share of the words that are its tags, at least half of them."""
    called = _called(sound.name, sound.kind, sound.tags)
    if not phrase:
        return 0.0
    if phrase in called.phrases:
        return 4.0 if phrase in called.first else 3.0
    share = len(asked & called.words) / len(asked) if asked else 0.0
    return share if share >= 0.5 else 0.0


SMALL_WORDS = frozenset(
    ["a", "an", "and", "at", "in", "is", "of", "on", "the", "to", "with", "sound", "noise", "loud", "soft"]
)


def _words(text: str) -> list[str]:
    """Words in lower case, without the endings that make no other sound of them."""
    return [_stem(word) for word in re.findall(r"[^\W_]+", text.lower())]


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        short = word.removesuffix(ending)
        if short != word and len(short) >= 3 and not short.endswith("s"):
            return short[:-1] if len(short) > 3 and short[-1] == short[-2] else short.removesuffix("e")
    return word.removesuffix("e") if len(word) > 3 else word


@dataclass
class _Heard:
    """When each sound was last begun."""

    last: dict[str, float] = field(default_factory=dict)

    def freshest(self, fits: Sequence[Sound]) -> Sound:
        """The one that was not heard for the longest time; of those never heard the first."""
        return min(fits, key=lambda sound: self.last.get(sound.name, -1.0))


def _effects(
    cues: Sequence[Cue],
    mine: Sequence[Sequence[Sound]],
    ours: Sequence[Sequence[Sound]],
    seconds: float,
    missing: list[tuple[str, str]],
) -> list[Placement]:
    heard, placed = _Heard(), []
    for cue in sorted(cues, key=lambda cue: cue.start):
        fits = find((cue.printed, cue.wanted), mine, "effect") or find((cue.wanted,), ours, "effect")
        if not fits:
            missing.append((cue.beat, cue.printed or cue.wanted or ""))
            continue
        worn = [cue.start - heard.last.get(sound.name, -WORN_SECONDS) < WORN_SECONDS for sound in fits]
        sound = fits[worn.index(False)] if False in worn else heard.freshest(fits)
        if cue.start - heard.last.get(sound.name, -AGAIN_SECONDS) < AGAIN_SECONDS:
            continue
        heard.last[sound.name] = cue.start
        end = min(cue.start + sound.seconds, seconds)
        placed.append(Placement(sound, cue.start, end, cue.gain_db, cue.place, 0.0, 0.25 if end == seconds else 0.0))
    return placed


def _spans(
    cues: Sequence[Cue], kind: Kind, shelves: Sequence[Sequence[Sound]], seconds: float, missing: list[tuple[str, str]]
) -> list[Placement]:
    """Loops over spans: one that is asked for again goes on, one that gives way to another is cross-faded."""
    heard = _Heard()
    running: dict[str, Placement] = {}
    placed: list[Placement] = []
    for cue in sorted(cues, key=lambda cue: cue.start):
        asked = [part.strip() for part in (cue.wanted or "").split(",") if part.strip() not in ("", NOTHING)]
        sounds: list[Sound] = []
        for part in asked:
            fits = find((part,), shelves, kind)
            if not fits:
                missing.append((cue.beat, part))
                continue
            sounds.append(next((s for s in fits if s.name in running), heard.freshest(fits)))
        over = running.keys() - {sound.name for sound in sounds}
        placed += [_ended(running.pop(name), cue.start, seconds) for name in sorted(over)]
        for sound in sounds:
            heard.last[sound.name] = cue.end
            # Nothing that loops goes on past its cue, unless the next cue takes it up again.
            known = running.get(sound.name)
            running[sound.name] = replace(known, end=cue.end) if known else _begun(sound, cue, len(sounds))
    placed += [_ended(placement, placement.end, seconds) for placement in running.values()]
    return placed


def _from(entry: float, placed: Sequence[Placement]) -> list[Placement]:
    """The placements from `entry` on; one that would only fade in and out again is not begun."""
    return [
        replace(placement, start=max(placement.start, entry))
        for placement in placed
        if placement.start >= entry or placement.end - entry > placement.fade_in + placement.fade_out
    ]


def _begun(sound: Sound, cue: Cue, layers: int) -> Placement:
    cross = CROSS_SECONDS[sound.kind]
    start = max(cue.start - cross / 2, 0.0)
    return Placement(sound, start, cue.end, cue.gain_db - (2.0 if layers > 1 else 0.0), cue.place, cross, cross)


def _ended(placement: Placement, at: float, seconds: float) -> Placement:
    return replace(placement, end=min(at + CROSS_SECONDS[placement.sound.kind] / 2, seconds))
