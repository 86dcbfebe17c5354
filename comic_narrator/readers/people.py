"""Who is who in a book: labels of its pages that are one person's, by how they look and by talk that goes on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, count, groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import PageLabel, Person
from comic_narrator.pictures import load_rgb
from comic_narrator.readers import PageFigure
from comic_narrator.readers.guises import Guise, Paper
from comic_narrator.readers.speakers import VOICES, merged

Matrix = NDArray[np.float64]

PERSON = "Person"
FLOOR, STRANGE = 0.75, 0.85
"""Two labels look alike by so much, at least, where they are one person's; the larger where no page has two voices that
show how much alike different people look in this book."""
SCANT = 0.1
"""Seen in one place each they must look more alike by so much, in several by its part: chance and light are in each."""
STEEP, UNLIKE, ALIKE = 25.0, -2.0, 3.0
"""The log-odds that likeness adds above that, and the least and the most that come of looks: light changes them."""
STRANGERS = -1.0
"""The log-odds that two labels of which nothing is known are one person's: a wrong voice is worse than a new one."""
CONTINUED = 1.5
"""The log-odds where the last words of a page and the first of the next are one sentence."""
ALONE = 0.7
"""The log-odds of two pages, of several running, on each of which somebody speaks alone: mostly one goes on."""


def people_of(figures: Sequence[PageFigure]) -> tuple[Person, ...]:
    """Which of the book's figures are one person, each with how surely; every figure is in just one, names are unique.

    Labels that a reader gave ("Voice A") mean somebody on their own page only; a name that people wrote into a
    page.json means the same person wherever it stands. Whom neither looks nor words join with anybody of
    another page is a person of one page.
    """
    if not figures:
        return ()
    named = [figure.label if not figure.label.startswith(VOICES) else None for figure in figures]
    first = {name: i for i, name in reversed([*enumerate(named)]) if name}
    groups = [first[name] if name else i for i, name in enumerate(named)]
    odds, apart = _odds(figures), _apart(figures, named)
    return tuple(_people(figures, named, merged(groups, odds, apart), odds))


def _apart(figures: Sequence[PageFigure], named: Sequence[str | None]) -> NDArray[np.bool_]:
    """Which figures cannot be one person: those of one page, and those with two names; shape (n, n)."""
    pages, names = np.array([figure.page for figure in figures]), np.array([name or "" for name in named])
    told = (names != "")[:, None] & (names != "")[None, :]
    return np.asarray((pages[:, None] == pages[None, :]) | (told & (names[:, None] != names[None, :])), np.bool_)


def _odds(figures: Sequence[PageFigure]) -> Matrix:
    """The log-odds that any two figures are one person, shape (n, n)."""
    guises = [guise for _, page in _pages(figures) for guise in _guises(page)]
    alike, pages = _likeness(guises), np.array([figure.page for figure in figures])
    times = np.array([max(len(places), 1) for places in guises])
    odds = np.full(alike.shape, STRANGERS)
    known = ~np.isnan(alike) & (pages[:, None] != pages[None, :])
    beyond = alike - _bars(alike, pages) - SCANT / (times[:, None] * times[None, :])
    odds[known] = np.clip(STEEP * beyond, UNLIKE, ALIKE)[known]
    for i, j, likely in _going_on(figures):
        odds[i, j] = odds[j, i] = max(odds[i, j], likely)
    return odds


def _pages(figures: Sequence[PageFigure]) -> Iterator[tuple[str, list[PageFigure]]]:
    """The figures page by page; those of one page stand together."""
    return ((page, list(those)) for page, those in groupby(figures, key=lambda figure: figure.page))


def _guises(page: Sequence[PageFigure]) -> list[list[Guise]]:
    """How each figure of a page looks in each place where it is seen."""
    places = [place for figure in page for place in figure.seen]
    if not places:
        return [[] for _ in page]
    paper = Paper(load_rgb(page[0].image), places, page[0].hidden)
    seen = [[paper.guise(*spot) for spot in zip(figure.seen, figure.panels, strict=True)] for figure in page]
    return [[guise for guise in guises if guise is not None] for guises in seen]


def _likeness(guises: Sequence[Sequence[Guise]]) -> Matrix:
    """How much alike any two figures look (0..1), all their places compared; not a number where one is not seen."""
    means = [np.mean(some, axis=0) if some else None for some in guises]
    known = np.array([i for i, mean in enumerate(means) if mean is not None], np.int64)
    alike = np.full((len(means), len(means)), np.nan)
    if known.size:
        seen = np.stack([mean for mean in means if mean is not None])
        alike[np.ix_(known, known)] = seen @ seen.T
    return alike


def _bars(alike: Matrix, pages: NDArray[np.str_]) -> Matrix:
    """How much alike two figures must look to be as likely one person as two, shape (n, n).

    Other voices of a page show how much alike different people look, in this book as a whole and beside these two.
    """
    mates = (pages[:, None] == pages[None, :]) & ~np.eye(len(pages), dtype=np.bool_)
    seen = np.where(np.isnan(alike), 0.0, alike)
    between = alike[mates & ~np.isnan(alike)]
    least = max(float(np.median(between)), FLOOR) if between.size else STRANGE
    own = (seen * mates).max(axis=1, initial=0.0)
    # What each looks like beside the best of the other's mates.
    beside = np.stack([seen[:, mates[j]].max(axis=1, initial=0.0) for j in range(len(pages))], axis=1)
    among_own = np.maximum(own[:, None], own[None, :])
    return np.asarray(np.maximum.reduce([among_own, np.full_like(beside, least), beside, beside.T]), np.float64)


def _going_on(figures: Sequence[PageFigure]) -> Iterator[tuple[int, int, float]]:
    """Pairs of figures where one goes on with the talk of pages before, and the log-odds that they are one person."""
    speaking = [(i, figure) for i, figure in enumerate(figures) if figure.turns]
    pages = [list(those) for _, those in groupby(speaking, key=lambda one: one[1].page)]
    for alone, run in groupby(pages, key=lambda page: len(page) == 1):
        if alone:
            yield from ((i, j, ALONE) for ((i, _),), ((j, _),) in combinations(run, 2))
    for before, after in pairwise(pages):
        i, last = max(before, key=lambda one: one[1].turns[-1])
        j, first = min(after, key=lambda one: one[1].turns[0])
        # A question takes up what somebody else has said.
        asked = any(text.rstrip().endswith("?") for text in (last.said[-1], first.said[0]))
        if re.match(r"(\.\.|…)[.\s]*[a-z]", first.said[0]) and not asked:
            yield i, j, CONTINUED


def _people(
    figures: Sequence[PageFigure], named: Sequence[str | None], who: Sequence[int], odds: Matrix
) -> Iterator[Person]:
    """Each person once, in the order in which they are first seen or heard."""
    taken = {name for name in named if name}
    labels = Counter(figure.label for figure in figures)
    for one in dict.fromkeys(who):
        those = [i for i, other in enumerate(who) if other == one]
        name = next((named[i] for i in those if named[i]), None)
        if name is None:
            first = figures[those[0]]
            alone = first.label if labels[first.label] == 1 else f"{first.label}, page {first.page}"
            name = next(name for name in _names(alone if len(those) == 1 else None) if name not in taken)
            taken.add(name)
        yield Person(
            name=name,
            looks=next((figures[i].looks for i in those if figures[i].looks), None),
            labels=tuple(
                PageLabel(page=figures[i].page, label=figures[i].label, confidence=_sure(i, those, named, odds))
                for i in those
            ),
        )


def _names(plain: str | None) -> Iterator[str]:
    """What somebody may be called, one after the other: names that people gave come first, and may be any."""
    if plain is not None:
        yield plain
    yield from (f"{plain or PERSON} {number}" for number in count(1))


def _sure(label: int, those: Sequence[int], named: Sequence[str | None], odds: Matrix) -> float | None:
    """How surely a label is that person's (0..1), by their others; None where there is none, or people said so."""
    others = [i for i in those if i != label]
    if named[label] is not None or not others:
        return None
    return round(float(1 / (1 + np.exp(-odds[label][others].mean()))), 3)
