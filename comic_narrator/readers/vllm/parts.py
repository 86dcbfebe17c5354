"""What one request asks about: a page, or one panel of it, with what the recogniser made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from babel import Locale

from comic_narrator.model import DOUBTFUL, Box, Person
from comic_narrator.readers import PageToRead, Reading, ReadLine

MARGIN = 0.03
"""A panel is shown with this share of its longer side around it: balloons hang over frames."""
LEADS, RECENT, NEAR = 8, 12, 4
"""So many people of the whole book, and of the pages at most so many away, are told as known."""
DIRECTIONS = {
    "ltr": "left to right, top to bottom",
    "rtl": "right to left, top to bottom (manga)",
    "vertical": "from top to bottom (a strip)",
}


@dataclass(frozen=True)
class Part:
    """`region` of a page (page pixels), its panels and recognised lines by their places on the page, and who is known.

    `legible` is whether the recogniser knows the page's script: if not, its words say nothing and its boxes still do.
    """

    page: PageToRead
    evidence: Reading
    region: Box
    panels: tuple[int, ...]
    lines: tuple[int, ...]
    known: tuple[Person, ...]
    legible: bool = True

    @property
    def boxes(self) -> dict[int, Box]:
        """The panels by their number, from 1."""
        return {i + 1: self.page.panels[i] for i in self.panels}

    @property
    def lettering(self) -> dict[int, ReadLine]:
        """The recognised lines by their number, from 1."""
        return {i + 1: self.evidence.lines[i] for i in self.lines}

    @property
    def answer_tokens(self) -> int:
        """How long an answer may be, in tokens: about twice what a careful one takes."""
        letters = sum(len(line.text) for line in self.lettering.values())
        return 500 + 260 * len(self.panels) + 90 * len(self.lines) + letters


def whole_page(
    page: PageToRead, evidence: Reading, size: tuple[int, int], known: Sequence[Person], legible: bool
) -> Part:
    """All of a page of that size, (width, height) in pixels."""
    return Part(
        page,
        evidence,
        Box(0, 0, *size),
        tuple(range(len(page.panels))),
        tuple(range(len(evidence.lines))),
        tuple(known),
        legible,
    )


def one_panel(whole: Part, panel: int, known: Sequence[Person]) -> Part:
    """The panel of that place on the page, with its lettering and a little around both."""
    lines = tuple(i for i in whole.lines if whole.evidence.lines[i].panel == panel)
    box = reduce(Box.union, [whole.evidence.lines[i].bbox for i in lines], whole.page.panels[panel])
    more = round(MARGIN * max(box.w, box.h))
    left, top = max(box.x - more, 0), max(box.y - more, 0)
    right, bottom = min(box.right + more, whole.region.right), min(box.bottom + more, whole.region.bottom)
    region = Box(left, top, right - left, bottom - top)
    return Part(whole.page, whole.evidence, region, (panel,), lines, tuple(known), whole.legible)


def likely(cast: Sequence[Person], page: str) -> tuple[Person, ...]:
    """Who of those known can be expected on a page: whoever is on the most pages, and whoever is on pages near it."""
    leads = sorted(cast, key=lambda person: -len(person.labels))[:LEADS]
    away = {person.name: _away(person, page) for person in cast}
    recent = sorted((person for person in cast if away[person.name] <= NEAR), key=lambda person: away[person.name])
    wanted = {person.name for person in [*leads, *recent[:RECENT]]}
    return tuple(person for person in cast if person.name in wanted)


def _away(person: Person, page: str) -> int:
    here = int(page) if page.isdecimal() else 0
    # Whoever is known from another volume may come in at any page.
    return min((abs(int(label.page) - here) for label in person.labels if label.page.isdecimal()), default=0)


def evidence_text(part: Part) -> str:
    """What the model is told beside the pictures, in English; recognised words stay as they are."""
    page = part.page
    said = [
        f"The lettering is in {language_name(page.language)}. The page is read {DIRECTIONS[page.direction]}.",
        _shows(part),
        "",
        *_lettering(part),
        "",
    ]
    if part.known:
        said.append("Known from other pages or volumes (their labels stay as they are):")
        said += [f"- {_person(person)}" for person in part.known]
    else:
        said.append("Nobody is known from other pages yet.")
    return "\n".join(said)


def language_name(tag: str) -> str:
    """A language by its English name and its tag: "Japanese (ja)"."""
    name = Locale("en").languages.get(tag.split("-")[0].lower())
    return f"{name} ({tag})" if name else tag


def _shows(part: Part) -> str:
    numbers = [f"P{number}" for number in part.boxes]
    if len(part.page.panels) == len(numbers):
        return f"The pictures show the whole page. Its panels are {', '.join(numbers)}."
    return f"The pictures show a part of the page, with the one panel {numbers[0]}: answer for that panel alone."


def _lettering(part: Part) -> list[str]:
    if not part.lettering:
        return ["The recogniser found no lettering."]
    head = "Recognised lettering:"
    if not part.legible:
        head = "Recognised lettering; the recogniser cannot read this script, so read the words yourself:"
    return [head, *(_line(number, line, part.legible) for number, line in part.lettering.items())]


def _line(number: int, line: ReadLine, legible: bool) -> str:
    speaker = f", {line.speaker[:1].lower()}{line.speaker[1:]}" if line.speaker else ""
    tone = f", {line.tone}" if line.tone else ""
    doubt = ", doubtful" if line.confidence < DOUBTFUL else ""
    words = f": {line.text}" if legible else ""
    return f"{number}. P{line.panel + 1}, {line.kind}{speaker}{tone}{doubt}{words}"


def _person(person: Person) -> str:
    names = f"also called {', '.join(person.aliases)}" if person.aliases else None
    about = "; ".join(part for part in (person.role, person.looks, names) if part)
    return f"{person.name}: {about}" if about else person.name
