"""How long something will still take, from how long what is done took."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

WARM = 5
"""So many made steps, and the rate of those after the first is told by themselves."""


class Pace:
    """The steps of a stage and the seconds that are left, by the measured rate of the steps that made something.

    Steps whose file stands already take no time worth counting; those that are still to come are taken for ones to be
    made. The first that is made may have waited for a model to load, so it counts only until `WARM` are. `weights` is
    the work in each step against the others; all are alike without it.
    """

    def __init__(self, total: int, weights: Sequence[float] = (), clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self.done = total, 0
        self._weights = list(weights) or [1.0] * total
        self._clock = clock
        self._began = self._last = clock()
        self._work = self._seconds = 0.0
        self._made, self._first = 0, (0.0, 0.0)

    def step(self, *, made: bool) -> None:
        """One more step is done; `made` tells whether it made something."""
        now = self._clock()
        if made:
            work, seconds = self._weights[min(self.done, len(self._weights) - 1)], now - self._last
            self._made += 1
            if self._made == 1:
                self._first = work, seconds
            self._work += work
            self._seconds += seconds
            if self._made == WARM:
                self._work -= self._first[0]
                self._seconds -= self._first[1]
        self._last = now
        self.done += 1

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return self._clock() - self._began

    @property
    def left(self) -> float | None:
        """Seconds until the last step is done; None while nothing was measured."""
        if self.done >= self.total:
            return 0.0
        if not self._work:
            return None
        since = self._clock() - self._last
        return max(self._seconds / self._work * sum(self._weights[self.done :]) - since, 0.0)


def in_words(seconds: float) -> str:
    """A length of time as people say it: 8 s, 3 min 5 s, 2 h 10 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min" + (f" {whole % 60} s" if whole % 60 else "")
    return f"{whole // 3600} h" + (f" {whole % 3600 // 60} min" if whole % 3600 >= 60 else "")
