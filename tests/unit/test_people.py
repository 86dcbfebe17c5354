"""Labels of a book's pages are one person's where that is likelier than not, and nobody is two people on one page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from comic_narrator.model import Box, Line, PageLabel, PageReading, Panel, People, Person
from comic_narrator.readers import PageFigure, figures_of
from comic_narrator.readers.guises import Paper
from comic_narrator.readers.people import people_of

PANEL = Box(0, 0, 600, 400)
PLACES = (Box(40, 150, 160, 160), Box(400, 150, 160, 160))
COATS = {
    "yellow": (240, 190, 40),
    "teal": (60, 160, 160),
    "brown": (120, 70, 50),
    "green": (90, 150, 60),
    "amber": (236, 184, 48),
}


def page(
    folder: Path, number: int, coats: Sequence[str], sky: str = "#404878", said: Sequence[str] = ()
) -> list[PageFigure]:
    """A page on which somebody in each of these coats speaks, from the left; a coat "" is not seen."""
    picture = Image.new("RGB", (600, 400), sky)
    pen = ImageDraw.Draw(picture)
    for coat, place in zip(coats, PLACES, strict=False):
        if coat:
            x, y = place.x, place.y
            pen.rectangle((x + 20, y + 50, x + 140, y + 160), fill=COATS[coat], outline="black", width=4)
            pen.ellipse((x + 45, y + 5, x + 115, y + 70), fill="#f0c8a0", outline="black", width=4)
            pen.rectangle((x + 40, y, x + 120, y + 22), fill=COATS[coat], outline="black", width=4)
    path = folder / f"{number:04}.png"
    picture.save(path)
    words = [*said, *["Well."] * (len(coats) - len(said))]
    return [
        PageFigure(
            page=path.stem,
            image=path,
            label=f"Voice {'AB'[i]}",
            seen=(place,) if coat else (),
            panels=(PANEL,) if coat else (),
            said=(words[i],),
            turns=(i,),
        )
        for i, (coat, place) in enumerate(zip(coats, PLACES, strict=False))
    ]


def joined(people: Sequence[Person]) -> list[set[str]]:
    """Who is seen on several pages, as "1A 2B"."""
    return [
        {f"{int(label.page)}{label.label[-1]}" for label in person.labels}
        for person in people
        if len(person.labels) > 1
    ]


def test_the_same_coats_are_the_same_people_whatever_side_they_stand_on(tmp_path: Path) -> None:
    figures = page(tmp_path, 1, ["yellow", "teal"]) + page(tmp_path, 2, ["teal", "yellow"], sky="#805040")
    people = people_of(figures)
    assert joined(people) == [{"1A", "2B"}, {"1B", "2A"}]
    assert [person.name for person in people] == ["Person 1", "Person 2"]
    assert all(label.confidence and label.confidence > 0.5 for person in people for label in person.labels)


def test_other_coats_are_other_people(tmp_path: Path) -> None:
    people = people_of(page(tmp_path, 1, ["yellow", "teal"]) + page(tmp_path, 2, ["brown", "green"]))
    assert joined(people) == []
    assert [person.name for person in people][:2] == ["Voice A, page 0001", "Voice B, page 0001"]
    assert all(label.confidence is None for person in people for label in person.labels)


def test_looks_that_two_of_a_page_share_join_nobody(tmp_path: Path) -> None:
    figures = page(tmp_path, 1, ["yellow", "amber"]) + page(tmp_path, 2, ["amber", "teal"], sky="#805040")
    assert joined(people_of(figures)) == []


def test_two_of_a_page_stay_two_though_each_is_like_the_same_third(tmp_path: Path) -> None:
    figures = page(tmp_path, 1, ["yellow", ""], said=["Ah.", "First we go ..."])
    figures += page(tmp_path, 2, ["yellow", "teal"], said=["... and then we swim.", "Oh."])
    (together,) = joined(people_of(figures))
    assert together in ({"1A", "2A"}, {"1B", "2A"})


def test_nobody_is_told_apart_by_greys(tmp_path: Path) -> None:
    figures = page(tmp_path, 1, ["yellow", "teal"]) + page(tmp_path, 2, ["yellow", "teal"])
    for path in {figure.image for figure in figures}:
        Image.open(path).convert("L").save(path)
    assert joined(people_of(figures)) == []


def test_who_speaks_alone_on_pages_running_is_one_person_until_somebody_else_does(tmp_path: Path) -> None:
    figures = [figure for n in (1, 2, 3) for figure in page(tmp_path, n, [""])]
    figures += page(tmp_path, 4, ["", ""]) + page(tmp_path, 5, [""])
    assert joined(people_of(figures)) == [{"1A", "2A", "3A"}]


@pytest.mark.parametrize(
    ("last", "first", "one"),
    [
        ("First we go to the shore ...", "... and then we swim.", True),
        ("First we go to the shore.", "And then we swim.", False),
        ("Where do we go?", "... to the shore.", False),
        ("We leave tomorrow.", "... tomorrow?", False),
    ],
)
def test_a_sentence_goes_on_over_the_page(tmp_path: Path, last: str, first: str, one: bool) -> None:
    figures = page(tmp_path, 1, ["", ""], said=["Ah.", last]) + page(tmp_path, 2, ["", ""], said=[first, "Oh."])
    assert joined(people_of(figures)) == ([{"1B", "2A"}] if one else [])


def test_a_name_that_people_wrote_is_the_same_person_wherever_it_stands(tmp_path: Path) -> None:
    figures = (
        page(tmp_path, 1, ["yellow", "teal"])
        + page(tmp_path, 2, ["brown", "green"])
        + page(tmp_path, 3, ["yellow", "brown"])
    )
    for at in (0, 2):
        figures[at] = PageFigure(**{**vars(figures[at]), "label": "Nell"})
    people = people_of(figures)
    nell = next(person for person in people if person.name == "Nell")
    assert nell.labels[:2] == (PageLabel(page="0001", label="Nell"), PageLabel(page="0002", label="Nell"))
    # Two names are two people, however much they look alike.
    figures[4] = PageFigure(**{**vars(figures[4]), "label": "Nora"})
    assert {"Nell", "Nora"} <= {person.name for person in people_of(figures)}


LABELS = st.sampled_from(["Voice A", "Voice B", "Voice C", "Nell", "Person 1", "Voice A, page 0001"])
TEXTS = st.sampled_from(["Well ...", "... and so on", "Who?", "YES!", "…", "ああ……"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(LABELS, min_size=1, max_size=4, unique=True), max_size=6), st.data())
def test_every_figure_is_in_one_person_and_no_two_of_a_page_are_the_same(
    pages: list[list[str]], data: st.DataObject
) -> None:
    figures = [
        PageFigure(page=f"{n:04}", image=Path("none.png"), label=label, said=(data.draw(TEXTS),), turns=(i,))
        for n, labels in enumerate(pages, 1)
        for i, label in enumerate(labels)
    ]
    told = people_of(figures)
    assert told == people_of(figures)
    people = People(people=told)
    for figure in figures:
        assert people.who(figure.page, figure.label)
    assert sum(len(person.labels) for person in told) == len(figures)
    for person in told:
        assert not any(one.page == other.page for one, other in combinations(person.labels, 2))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.sampled_from([*COATS, ""]), min_size=1, max_size=2), min_size=1, max_size=4))
def test_looks_join_no_two_of_a_page(tmp_path_factory: pytest.TempPathFactory, pages: list[list[str]]) -> None:
    folder = tmp_path_factory.mktemp("pages")
    figures = [figure for n, coats in enumerate(pages, 1) for figure in page(folder, n, coats)]
    for person in people_of(figures):
        assert not any(one.page == other.page for one, other in combinations(person.labels, 2))


def test_a_place_is_told_by_the_colours_that_its_panel_has_less_of(tmp_path: Path) -> None:
    figures = page(tmp_path, 1, ["yellow", "teal"])
    with Image.open(figures[0].image) as picture:
        paper = Paper(np.asarray(picture.convert("RGB")), PLACES, ())
    assert "yellow" in paper.words(PLACES[0], PANEL)
    assert "teal" in paper.words(PLACES[1], PANEL)
    assert "blue" not in paper.words(PLACES[0], PANEL)


def reading(number: str, speakers: Sequence[str]) -> PageReading:
    panel = Panel(id=f"{number}.01", bbox=PANEL)
    lines = tuple(
        Line(
            id=f"{number}.01.{i}",
            panel=panel.id,
            kind="dialogue",
            text="Ah.",
            bbox=PLACES[0],
            speaker=who,
            confidence=1,
        )
        for i, who in enumerate(speakers, 1)
    )
    return PageReading(
        page=number, image="x", width=600, height=400, direction="ltr", language="en", panels=(panel,), lines=lines
    )  # fmt: skip


def test_labels_that_are_on_one_page_only_are_names_as_they_are(tmp_path: Path) -> None:
    people = people_of(page(tmp_path, 1, ["", ""]) + page(tmp_path, 2, [""]))
    assert [person.name for person in people] == ["Voice A, page 0001", "Voice B", "Voice A, page 0002"]


def test_figures_know_when_they_speak_and_what_hides_the_art(tmp_path: Path) -> None:
    first, second = figures_of(reading("0001", ["Voice A", "Voice B", "Voice A"]), tmp_path)
    assert (first.turns, second.turns) == ((0, 2), (1,))
    assert first.hidden == (PLACES[0],) * 3
