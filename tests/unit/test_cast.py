"""Casting: who matters gets a voice that suits and is far from the others', and nobody's voice ever changes."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comic_narrator.errors import UsageError
from comic_narrator.model import Cast, PageLabel, PageReading, People, Person
from comic_narrator.script import Pins, cast_book, parse_pins, parse_wordbook, with_names
from comic_narrator.script.cast import NEAR, SOMEBODY, gap
from comic_narrator.script.traits import Traits, fits, traits_of
from comic_narrator.voices.bank import profiles
from tests.unit.test_script import NOBODY, VOICES, page

BANK = profiles("en")


def book(*pages: tuple[str, ...]) -> tuple[PageReading, ...]:
    """Pages on which these people say three words each, those named first in the book the most often."""
    return tuple(
        page(i, *(("dialogue", "NOW LOOK HERE", name) for name in names)) for i, names in enumerate(pages, 1)
    )  # fmt: skip


def voices(cast: Cast) -> dict[str, str]:
    return {character.name: character.voice for character in cast.characters}


def told_of(names: dict[str, tuple[str | None, str | None]], pages: int) -> People:
    """People of whom a reader tells looks and role, on every page."""
    return People(
        people=tuple(
            Person(
                name=name,
                looks=looks,
                role=role,
                labels=tuple(PageLabel(page=f"{i:04}", label=name) for i in range(1, pages + 1)),
            )
            for name, (looks, role) in names.items()
        )
    )


@pytest.mark.parametrize("language", ["en", "ja"])
def test_forty_leads_have_forty_voices_and_those_who_matter_are_told_apart(language: str) -> None:
    names = tuple(f"P{i}" for i in range(40))
    bank = profiles(language)
    cast = cast_book(book(*([names] * 2), names[:20], names[:12]), NOBODY, bank)
    chosen = voices(cast)
    assert len(set(chosen.values())) == 40
    assert cast.narrator.voice not in chosen.values()
    known = {voice.id: voice for voice in bank}
    everybody = [known[chosen[name]] for name in names]
    assert min(gap(one, other) for one, other in combinations(everybody, 2)) > 0.7
    leads = [known[chosen[name]] for name in names[:12]] + [known[cast.narrator.voice]]
    assert all(gap(one, other) >= NEAR for one, other in combinations(leads, 2))
    assert not {voice.colouring for voice in leads} & {"robot", "monster"}


def test_more_leads_than_voices_share_as_little_as_can_be() -> None:
    names = tuple(f"P{i}" for i in range(7))
    chosen = voices(cast_book(book(names, names), NOBODY, VOICES))
    assert sorted(list(chosen.values()).count(voice) for voice in set(chosen.values())) == [2, 2, 3]


def test_who_says_most_chooses_first_wherever_they_begin() -> None:
    pages = book(("Late", "Early"), ("Early", "Late"), ("Late",), ("Late",))
    swapped = book(("Early", "Late"), ("Early", "Late"), ("Late",), ("Late",))
    assert voices(cast_book(pages, NOBODY, BANK)) == voices(cast_book(swapped, NOBODY, BANK))


@pytest.mark.parametrize(
    ("name", "looks", "sex", "age", "colouring"),
    [
        ("Nell", "an old woman with grey hair", "female", "old", None),
        ("Pip", "a small boy in a cap", "male", "child", None),
        ("R-7", "a rusty robot", None, None, "robot"),
        ("The Thing", "a monster with horns", None, None, "monster"),
        ("Ann", None, "female", None, None),
        ("Mister Brown", "a man in a suit", "male", None, None),
        ("Schoolgirl", None, "female", "child", None),
    ],
)
def test_a_voice_suits_whoever_has_it(
    name: str, looks: str | None, sex: str | None, age: str | None, colouring: str | None
) -> None:
    cast = cast_book(book((name, "Bob"), (name, "Bob")), told_of({name: (looks, None)}, 2), BANK)
    voice = next(voice for voice in BANK if voice.id == voices(cast)[name])
    assert sex is None or voice.sex == sex
    assert age is None or voice.age == age
    assert colouring is None or voice.colouring == colouring


def test_people_on_one_page_share_background_voices_but_not_within_the_page() -> None:
    pages = book(("Hero", "a1", "b1"), ("Hero", "a2", "b2"), ("Hero", "a3", "b3"))
    cast = cast_book(pages, NOBODY, BANK)
    chosen = voices(cast)
    assert chosen["a1"] == chosen["a2"] == chosen["a3"] != chosen["b1"] == chosen["b2"] == chosen["b3"]
    assert chosen["Hero"] not in (chosen["a1"], chosen["b1"])
    assert "passes by" in next(c.why for c in cast.characters if c.name == "a1")


def test_in_a_book_of_one_page_nobody_passes_by() -> None:
    chosen = voices(cast_book(book(("a", "b", "c")), NOBODY, BANK))
    assert len(set(chosen.values())) == 3


def test_a_line_of_nobody_known_has_a_background_voice() -> None:
    pages = (page(1, ("dialogue", "WHO?", None), ("dialogue", "ME", "Ann")), page(2, ("dialogue", "YES", "Ann")))
    chosen = voices(cast_book(pages, NOBODY, BANK))
    assert chosen[SOMEBODY] != chosen["Ann"]


def test_who_says_nothing_has_no_voice() -> None:
    silent = told_of({"Cat": ("a black cat", None), "Ann": (None, None)}, 2)
    assert set(voices(cast_book(book(("Ann",), ("Ann",)), silent, BANK))) == {"Ann"}


def test_pins_go_first_and_keep_their_voices_for_whoever_is_not_in_this_book() -> None:
    pins = parse_pins(
        'narrator = "bm_george"\n[[character]]\nname = "Nell"\naliases = ["The Keeper"]\nvoice = "af_kore"\n'
        '[[character]]\nname = "Absent"\nvoice = "af_bella"\n',
        Path("cast.toml"),
    )
    cast = cast_book(book(("the keeper", "Bob", "Ann"), ("Bob", "Ann")), NOBODY, BANK, pins=pins)
    assert cast.narrator.voice == "bm_george"
    assert voices(cast)["the keeper"] == "af_kore"
    assert not {"af_bella", "af_kore"} & {voices(cast)["Bob"], voices(cast)["Ann"]}
    assert [character.pinned for character in cast.characters if character.name == "the keeper"] == [True]


def test_a_pin_of_a_voice_that_is_not_there_is_said() -> None:
    with pytest.raises(UsageError, match="nobody"):
        cast_book(book(("Ann",)), NOBODY, BANK, pins=Pins(narrator="nobody"))


def test_the_narrator_can_be_named() -> None:
    cast = cast_book(book(("Ann",), ("Ann",)), NOBODY, VOICES, "v2")
    assert (cast.narrator.voice, cast.narrator.pinned) == ("v2", True)
    assert "v2" not in voices(cast).values()


def test_a_lead_too_near_a_pinned_voice_is_cast_anew() -> None:
    near = replace(VOICES[2], id="v2b", name="v2b")
    bank = (*VOICES, near)
    first = cast_book(book(("Ann", "Bob"), ("Ann", "Bob")), NOBODY, bank)
    held = voices(first)["Ann"]
    twin = {"v2": "v2b", "v2b": "v2"}.get(held, held)
    pins = Pins.model_validate({"character": [{"name": "Bob", "voice": twin}]})
    again = cast_book(book(("Ann", "Bob"), ("Ann", "Bob")), NOBODY, bank, pins=pins, before=first)
    known = {voice.id: voice for voice in bank}
    assert gap(known[voices(again)["Ann"]], known[twin]) >= NEAR


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("ABCDEFGH"), min_size=1, max_size=5, unique=True), min_size=2, max_size=6),
    st.lists(st.lists(st.sampled_from("ABCDEFGHIJ"), min_size=1, max_size=5, unique=True), min_size=1, max_size=6),
)
def test_nobodys_voice_changes_however_the_book_is_read_again(first: list[list[str]], then: list[list[str]]) -> None:
    before = cast_book(book(*map(tuple, first)), NOBODY, BANK)
    after = cast_book(book(*map(tuple, [*first, *then])), NOBODY, BANK, before=before)
    assert {name: voices(after)[name] for name in voices(before)} == voices(before)
    assert cast_book(book(*map(tuple, first)), NOBODY, BANK) == before


def test_what_contradicts_itself_tells_nothing_and_fits_anybody() -> None:
    assert traits_of(["a man and a woman"]).sex is None
    assert traits_of([None, "Grandpa Joe"]) == Traits("male", "old", "person")
    old_man = next(voice for voice in BANK if voice.age == "old" and voice.sex == "male")
    assert fits(old_man, Traits("male", "old")) == 0 < fits(old_man, Traits("female", "old"))


@pytest.mark.parametrize(
    "text",
    ["narrator = 3", "nobody = 1",
     "[[character]]\nvoice = 'x'", "[[character]]\nname = ''", "x", "[[character]]\nname='A'\nage=10"],
    ids=["number", "unknown", "nameless", "empty", "no-toml", "age"],
)  # fmt: skip
def test_a_broken_cast_toml_is_said(text: str) -> None:
    with pytest.raises(UsageError, match=r"cast\.toml"):
        parse_pins(text, Path("cast.toml"))


@pytest.mark.parametrize("text", ["[en]\nword = 3", "word = 'x'", "[characters]\nAnn = 'x'", "["])
def test_a_broken_lexicon_is_said(text: str) -> None:
    with pytest.raises(UsageError, match=r"lexicon\.toml") as raised:
        parse_wordbook(text, Path("lexicon.toml"))
    assert "3" not in text or "[en] does not say in words how “word” is said" in raised.value.what


def test_pinned_names_are_said_as_the_cast_says_unless_the_lexicon_knows_better() -> None:
    pins = parse_pins("[[character]]\nname = 'Nguyen'\npronunciation = '/wɪn/'\n", Path("cast.toml"))
    assert with_names(parse_wordbook("", Path("x")), pins).pronounced("Ask Nguyen!", "en") == {"nguyen": "/wɪn/"}
    own = parse_wordbook("[all]\nNguyen = 'win'", Path("x"))
    assert with_names(own, pins).pronounced("Ask Nguyen!", "en") == {"nguyen": "win"}
    assert parse_wordbook("[ja]\n'本気' = 'マジ'", Path("x")).pronounced("俺は本気だ", "ja-JP") == {"本気": "マジ"}
