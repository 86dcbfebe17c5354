"""Who is who in a book: one question, or a few, about all labels of all pages; every label is in exactly one person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from comic_narrator.errors import BackendAnswerError, DoesNotFitError
from comic_narrator.model import PageLabel, Person
from comic_narrator.readers import PageFigure
from comic_narrator.readers.vllm.answers import MOST_ENTRIES, PeopleAnswer, PersonAnswer, parse_answer
from comic_narrator.readers.vllm.asking import ask_twice, request
from comic_narrator.readers.vllm.border import clean
from comic_narrator.readers.vllm.chat import Chat, Request

QUOTES, QUOTE_LETTERS = 5, 90
"""So many of an entry's lines are told, each so long."""
LOOKS = 2
"""So many of the ways in which pages describe somebody are told."""


@dataclass(frozen=True)
class _Entry:
    """A label and everything that pages say of whom they call so."""

    label: str
    figures: tuple[PageFigure, ...]


def tell_people(chat: Chat, figures: Sequence[PageFigure]) -> tuple[Person, ...]:
    """Who is who among the figures, in the order in which they are first seen, names unique.

    What does not fit one question is asked in several, each told who was named in those before. BackendAnswerError
    where an answer, and the one to a second try, leaves somebody out or puts somebody in two people.
    """
    by_label: dict[str, list[PageFigure]] = {}
    for figure in figures:
        by_label.setdefault(figure.label, []).append(figure)
    entries = [_Entry(label, tuple(seen)) for label, seen in by_label.items()]
    told: dict[str, tuple[PersonAnswer, list[_Entry]]] = {}
    for batch, asked in _batches(chat, entries, told):
        answer = ask_twice(chat, asked, lambda text, batch=batch: _checked(text, batch))  # type: ignore[misc]
        for person in answer.people:
            first, members = told.setdefault(person.name, (person, []))
            members += [batch[number - 1] for number in person.entries]
            told[person.name] = first, members
    order = {entry.label: i for i, entry in enumerate(entries)}
    people = [_person(person, sorted(members, key=lambda e: order[e.label])) for person, members in told.values()]
    return tuple(sorted(people, key=lambda person: order[person.labels[0].label]))


def _batches(
    chat: Chat, entries: Sequence[_Entry], told: Mapping[str, tuple[PersonAnswer, list[_Entry]]]
) -> Iterator[tuple[Sequence[_Entry], Request]]:
    """The entries in as few questions as fit, each made when those before it are answered."""
    left = list(entries)
    while left:
        size = min(len(left), MOST_ENTRIES)
        while chat.fits(asked := _question(left[:size], told)) < 0:
            if size == 1:
                raise DoesNotFitError(
                    "Who is who does not fit the model's context.", "Serve the model with a longer context."
                )
            size = (size + 1) // 2
        yield left[:size], asked
        left = left[size:]


def _question(batch: Sequence[_Entry], told: Mapping[str, tuple[PersonAnswer, list[_Entry]]]) -> Request:
    lines = []
    if told:
        lines.append("Already named; use the same name where an entry is one of them:")
        lines += [f"- {name}: {'; '.join(filter(None, (one.role, one.looks)))}" for name, (one, _) in told.items()]
        lines.append("")
    for number, entry in enumerate(batch, 1):
        lines += _about(number, entry)
    return request("people", PeopleAnswer, ("\n".join(lines),), 300 + 110 * len(batch))


def _about(number: int, entry: _Entry) -> Iterator[str]:
    pages = [figure.page for figure in entry.figures]
    looks = list(dict.fromkeys(figure.looks for figure in entry.figures if figure.looks))[:LOOKS]
    roles = list(dict.fromkeys(figure.role for figure in entry.figures if figure.role))[:LOOKS]
    said = [words for figure in entry.figures for words in figure.said]
    # From all over the book: what tells a name may be said late.
    step = max(len(said) // QUOTES, 1)
    yield f"{number}. {entry.label}"
    yield f"   pages: {', '.join(pages[:12])}{f' and {len(pages) - 12} more' if len(pages) > 12 else ''}"
    if looks:
        yield f"   looks: {' / '.join(looks)}"
    if roles:
        yield f"   role: {' / '.join(roles)}"
    for words in said[::step][:QUOTES]:
        yield f'   says: "{words[:QUOTE_LETTERS]}"'


def _checked(text: str, batch: Sequence[_Entry]) -> PeopleAnswer:
    """The answer, if every entry is in exactly one person and names are unique."""
    answer = parse_answer(PeopleAnswer, text)
    people = [person.model_copy(update={"name": clean(person.name)}) for person in answer.people if person.entries]
    given = [number for person in people for number in dict.fromkeys(person.entries)]
    names = [person.name for person in people]
    faults = []
    if unknown := sorted(set(given) - set(range(1, len(batch) + 1))):
        faults.append(f"there is no entry {', '.join(map(str, unknown))}")
    if missing := sorted(set(range(1, len(batch) + 1)) - set(given)):
        faults.append(f"entry {', '.join(map(str, missing))} is in no person")
    if twice := sorted({number for number in given if given.count(number) > 1}):
        faults.append(f"entry {', '.join(map(str, twice))} is in two people")
    if not all(names):
        faults.append("a person has no name")
    if same := sorted({name for name in names if names.count(name) > 1}):
        faults.append(f"two people are called {', '.join(same)}")
    if faults:
        raise BackendAnswerError(f"{'; '.join(faults)}.", "A larger model makes fewer mistakes.")
    ordered = [person.model_copy(update={"entries": list(dict.fromkeys(person.entries))}) for person in people]
    return answer.model_copy(update={"people": ordered})


def _person(person: PersonAnswer, members: Sequence[_Entry]) -> Person:
    labels = dict.fromkeys(entry.label for entry in members)
    aliases = dict.fromkeys([*labels, *(clean(alias) for alias in person.aliases)])
    return Person(
        name=person.name,
        aliases=tuple(alias for alias in aliases if alias and alias != person.name),
        looks=clean(person.looks) or None,
        role=clean(person.role) or None,
        labels=tuple(PageLabel(page=figure.page, label=figure.label) for entry in members for figure in entry.figures),
    )
