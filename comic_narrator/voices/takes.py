"""A line's take: spoken, checked, spoken again where it is not right, and the best of all kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from comic_narrator.errors import BackendAnswerError
from comic_narrator.voices import Delivery, Samples, VoiceProfile
from comic_narrator.voices.checks import METHOD, Fault, FaultKind, Habit, Measured, habit_faults, measure, sound_faults
from comic_narrator.voices.ears import Ears, wrong_words
from comic_narrator.voices.pieces import TRIES

BY_HABIT: frozenset[FaultKind] = frozenset({"short", "long", "pitch"})

Speak = Callable[[str, VoiceProfile, Delivery], Samples]


@dataclass(frozen=True)
class Wanted:
    """A line to be spoken: what, by whom, how; `delivery.attempt` is the first that is tried."""

    text: str
    profile: VoiceProfile
    delivery: Delivery

    @property
    def manner(self) -> tuple[str, str | None]:
        """The voice as it is heard in this line: lines with the same one are compared with each other."""
        return self.profile.id, self.delivery.colouring


@dataclass(frozen=True)
class Judged:
    """A take in numbers and what is wrong with it, the worst first; `tries`: how often the line was spoken for it."""

    take: Samples
    measured: Measured
    faults: tuple[Fault, ...]
    tries: int = 1

    @property
    def badness(self) -> float:
        """0 where nothing is wrong; of two takes the one with less is better."""
        return sum(fault.weight for fault in self.faults)

    def by(self, habit: Habit) -> Judged:
        """The same take, its length and pitch judged by another habit of its voice."""
        others = tuple(fault for fault in self.faults if fault.kind not in BY_HABIT)
        return replace(self, faults=worst_first((*others, *habit_faults(self.measured, habit))))


def worst_first(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Faults in the order in which they are told."""
    return tuple(sorted(faults, key=lambda fault: -fault.weight))


class Judge:
    """Checks takes, and listens to them where it has ears; thread-safe."""

    def __init__(self, ears: Ears | None = None) -> None:
        self._ears = ears

    @property
    def identity(self) -> str:
        """Changes whenever the same take may be judged otherwise."""
        return f"{METHOD}+{self._ears.identity}" if self._ears else METHOD

    def judge(self, take: Samples, wanted: Wanted, habit: Habit) -> Judged:
        """What is wrong with a take of a line, by a voice of that habit."""
        text, language = wanted.text, wanted.profile.language
        faults = sound_faults(take, text)
        if not any(fault.kind == "empty" for fault in faults):
            misheard = wrong_words(self._ears.listen(take, text, language), language) if self._ears else None
            faults = (*faults, misheard) if misheard else faults
        return Judged(take, measure(take, text, language, wanted.delivery.speed), faults).by(habit)


def usual_habit(wanted: Wanted) -> Habit:
    """The habit of a voice of which nothing was heard yet: its profile's pitch, where no colouring changes that."""
    print_of = wanted.profile.measured
    return Habit(pitch=print_of.pitch if print_of and wanted.delivery.colouring is None else None)


def best_take(speak: Speak, wanted: Wanted, judge: Judge, habit: Habit, tries: int = TRIES) -> Judged:
    """The first take of a line that is right, else the best of `tries`, each another attempt.

    An unusable answer counts as a try; BackendAnswerError where no try gave a take.
    """
    best: Judged | None = None
    refused: BackendAnswerError | None = None
    for more in range(tries):
        delivery = replace(wanted.delivery, attempt=wanted.delivery.attempt + more)
        try:
            judged = judge.judge(speak(wanted.text, wanted.profile, delivery), wanted, habit)
        except BackendAnswerError as error:
            refused = error
            continue
        if not judged.faults:
            return replace(judged, tries=more + 1)
        if best is None or judged.badness < best.badness:
            best = judged
    if best is None:
        assert refused is not None
        raise refused
    return replace(best, tries=tries)
