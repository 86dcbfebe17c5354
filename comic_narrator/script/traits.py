"""Who somebody is, as far as a name and a description in words tell: sex, age, and what kind of being."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from comic_narrator.voice_profiles import Age, VoiceProfile

Being = Literal["person", "monster", "robot"]


@cache
def _words() -> Mapping[str, frozenset[str]]:
    """The words of traits.toml by what they tell."""
    told = tomllib.loads((files("comic_narrator.script") / "traits.toml").read_text(encoding="utf-8"))
    return {trait: frozenset(words.split()) for trait, words in told.items()}


@dataclass(frozen=True)
class Traits:
    """What is known of somebody; None where nothing is."""

    sex: Literal["female", "male"] | None = None
    age: Age | None = None
    being: Being = "person"


def traits_of(told: Iterable[str | None]) -> Traits:
    """What names, looks and roles say of somebody; where they say both of two things, nothing."""
    text = " ".join(part for part in told if part).lower()
    words = set(re.findall(r"[a-z]+(?:-[a-z]+)?", text))
    has = {
        trait: bool(words & known) or any(word in text for word in known if not word.isascii())
        for trait, known in _words().items()
    }
    age: Age | None = "old" if has["old"] else "child" if has["child"] else "young" if has["young"] else None
    sex: Literal["female", "male"] | None = "female" if has["female"] else "male" if has["male"] else None
    return Traits(
        None if has["female"] and has["male"] else sex,
        age,
        "robot" if has["robot"] else "monster" if has["monster"] and not has["child"] else "person",
    )


def being_of(voice: VoiceProfile) -> Being:
    """What a voice sounds like."""
    if voice.colouring == "robot":
        return "robot"
    return "monster" if voice.colouring == "monster" else "person"


def fits(voice: VoiceProfile, traits: Traits) -> float:
    """How well a voice suits somebody: 0 is well, each whole step is one thing that is wrong."""
    wrong = 0.0
    if being_of(voice) != traits.being:
        wrong += 4
    if traits.sex is not None and voice.sex != traits.sex:
        wrong += 3 if traits.being == "person" else 0.5
    if traits.being != "person":
        return wrong
    ages: dict[Age | None, tuple[Age, ...]] = {
        None: ("adult", "young"),
        "adult": ("adult",),
        "young": ("young", "adult"),
        "old": ("old",),
        "child": ("child",),
    }
    suited = ages[traits.age]
    if voice.age in suited:
        return wrong + 0.1 * suited.index(voice.age)
    return wrong + (2 if "child" in (voice.age, traits.age) else 1)
