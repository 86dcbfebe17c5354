"""A line's take: spoken, checked, spoken again where it is not right, and the best of all kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from comic_narrator.errors import BackendAnswerError
from comic_narrator.voices import Delivery, Samples, VoiceProfile
from comic_narrator.voices import checks as sound_checks
from comic_narrator.voices.checks import Fault, Habit, Measured, faults_of, measure
from comic_narrator.voices.ears import Ears, wrong_words
from comic_narrator.voices.pieces import TRIES

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
    """A take and what is wrong with it, the worst first; `tries` is how often the line was spoken for it."""

    take: Samples
    faults: tuple[Fault, ...]
    tries: int = 0

    @property
    def badness(self) -> float:
        """0 where nothing is wrong; of two takes the one with less is better."""
        return sum(fault.weight for fault in self.faults)


class Judge:
    """Checks takes, and listens to them where it has ears; thread-safe."""

    def __init__(self, ears: Ears | None = None) -> None:
        self._ears = ears

    @property
    def identity(self) -> str:
        """Changes whenever the same take may be judged otherwise."""
        return f"{sound_checks.METHOD}+{self._ears.identity}" if self._ears else sound_checks.METHOD

    def judge(self, take: Samples, wanted: Wanted, habit: Habit) -> Judged:
        """What is wrong with a take of a line, by a voice of that habit."""
        language = wanted.profile.language
        faults = faults_of(take, wanted.text, language, wanted.delivery.speed, habit)
        if self._ears is not None and not any(fault.kind == "empty" for fault in faults):
            misheard = wrong_words(self._ears.listen(take, wanted.text, language), language)
            faults = (*faults, misheard) if misheard else faults
        return Judged(take, faults)


def measured(take: Samples, wanted: Wanted) -> Measured:
    """A take in the numbers that its voice's habit is learnt from."""
    return measure(take, wanted.text, wanted.profile.language, wanted.delivery.speed)


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
        if best is None or judged.badness < best.badness:
            best = judged
        if not judged.faults:
            return replace(judged, tries=more + 1)
    if best is None:
        assert refused is not None
        raise refused
    return replace(best, tries=tries)
