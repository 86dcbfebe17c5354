"""How the files of a work folder stand, told without running anything."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Literal

from comic_narrator.work.journal import Entry

if TYPE_CHECKING:
    from comic_narrator.work import Work

Parts = Callable[[str, str], Mapping[str, str]]
Stands = Literal["fresh", "stale", "edited", "conflict", "missing", "failed"]


@dataclass(frozen=True)
class Standing:
    """One file: the stage that makes it, how it stands, and which of its inputs (or what else) is the reason."""

    name: str
    stage: str
    state: Stands
    because: tuple[str, ...] = ()


def standings(work: Work) -> tuple[Standing, ...]:
    """How each file that the journal knows stands against the files that it was made from.

    A change that is still to come is told as well: what is made from a stale file is stale. What a run with other
    settings or another book would make anew is not known before that run.
    """
    told: dict[str, Standing] = {}
    # A time line has a part for each page; it is read once.
    parts = cache(partial(_parts, work))
    for entry in work.entries.values():
        told[entry.name] = _standing(work, entry, told, parts)
    for failure in work.failures.values():
        if not work.path(failure.name).is_file():
            told[failure.name] = Standing(failure.name, failure.stage, "failed", (failure.failed,))
    return tuple(told.values())


def _parts(work: Work, name: str, place: str) -> Mapping[str, str]:
    try:
        return work.parts(name, place)
    except (json.JSONDecodeError, KeyError):
        return {}


def _standing(work: Work, entry: Entry, told: Mapping[str, Standing], parts: Parts) -> Standing:
    state = work.state(entry.name)
    if state == "missing":
        return Standing(entry.name, entry.stage, "missing")
    changed = tuple(_changed(work, entry, told, parts))
    if not changed:
        return Standing(entry.name, entry.stage, "edited" if state == "edited" else "fresh")
    return Standing(entry.name, entry.stage, "conflict" if state == "edited" else "stale", changed)


def _changed(work: Work, entry: Entry, told: Mapping[str, Standing], parts: Parts) -> Iterator[str]:
    for key, digest in entry.inputs.items():
        name, _, part = key.partition("#")
        if name not in work.entries:
            continue
        if not work.path(name).is_file():
            yield f"{name} is missing"
        elif _digest(work, name, part, parts) != digest:
            yield f"{key} changed"
        elif name in told and told[name].state in ("stale", "conflict"):
            yield f"{name} is {told[name].state}"


def _digest(work: Work, name: str, part: str, parts: Parts) -> str | None:
    if not part:
        return work.digests.content(work.path(name))
    return parts(name, part.partition("/")[0]).get(f"{name}#{part}")
