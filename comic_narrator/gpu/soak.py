"""The soak: equal loads, one after the other, and whether what grows is a pool that fills or a leak."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

from comic_narrator.gpu.probe import Probe
from comic_narrator.model import Part

Verdict = Literal["steady", "pool", "leak", "too short", "not measured"]


class Soak(Part):
    """Equal loads, one after the other: memory after each had drained, MiB a card, and what follows from it."""

    rounds: tuple[Probe, ...]
    verdict: Verdict
    growth: int
    why: str


NOISE = 48
"""MiB by which a card's memory may differ between two looks without anything having grown."""
LEAST_ROUNDS = 4


def soak(one: Callable[[], Probe], seconds: float, step: Callable[[Probe], None]) -> Soak:
    """Equal loads until the time is over, at least four; `one` runs one of them."""
    until = time.monotonic() + seconds
    rounds: list[Probe] = []
    while len(rounds) < LEAST_ROUNDS or time.monotonic() < until:
        rounds.append(one())
        step(rounds[-1])
    after = [sum(card.after for card in found.cards) for found in rounds if found.cards]
    verdict, growth, why = judge(after)
    return Soak(rounds=tuple(rounds), verdict=verdict, growth=growth, why=why)


def judge(after: list[int]) -> tuple[Verdict, int, str]:
    """Whether memory after equal loads tells of a leak: the verdict, growth in the second half (MiB), and why.

    A pool grows until it has what the load needs, and stays: a leak goes on growing, in more than one step, when the
    pools are long filled. A number that rises under load tells neither.
    """
    if not after:
        return "not measured", 0, "The memory of the cards could not be read."
    if len(after) < LEAST_ROUNDS:
        return "too short", 0, f"{len(after)} loads do not tell; {LEAST_ROUNDS} are the least."
    late = after[len(after) // 2 - 1 :]
    growth, early = late[-1] - late[0], late[0] - after[0]
    highest, steps = late[0], 0
    for mib in late[1:]:
        if mib > highest + NOISE / len(late):
            highest, steps = mib, steps + 1
    if growth > NOISE and steps > 1:
        return "leak", growth, f"After equal loads it still grew by {growth} MiB in {steps} steps, pools long filled."
    if growth > NOISE:
        return "pool", growth, f"It grew by {growth} MiB in one step, and stayed: soak longer to be sure."
    if early > NOISE:
        return "pool", growth, f"It grew by {early} MiB at first, and then stayed."
    return "steady", growth, "It did not grow."
