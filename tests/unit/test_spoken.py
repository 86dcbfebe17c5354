"""Lettering becomes the words that a person would read aloud."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comic_narrator.script import to_spoken


@pytest.mark.parametrize(
    ("printed", "spoken"),
    [
        ("OHH! A HUNDRED DOLLAR BILL!", "Oh! A hundred dollar bill!"),
        ("I SAW IT FIRST -- YOU WERE JUST CLOSER TO IT!", "I saw it first — you were just closer to it!"),
        ("IT'S US. I'M HERE, AND I'LL STAY.", "It's us. I'm here, and I'll stay."),
        ("CALL THE FBI!", "Call the FBI!"),
        ("Don't even THINK about it", "Don't even think about it"),
        ("HMPH! TCH...", "Humph! Tsk..."),
        ("GRRRR!", "Gurr!"),
        ("...mmm probably not", "mmm... probably not"),
        ("NOOOOO!!!", "No!"),
        ("SOOOON", "Soon"),
        ("W-W-W-WHAT?!", "What?"),
        ("A G-GOOD F-FRI-FRI- PAL", "A good pal"),
        ("HA-HA! WELL-TO-DO!", "Ha-ha! Well-to-do!"),
        ("TO ME, WILLIE- I THINK", "To me, willie — I think"),
        ("...and the last touch…", "and the last touch..."),
        ("that is im-\npossible, my friend", "that is impossible, my friend"),
        ("ROCK & ROLL ♪♥", "Rock and roll"),
        ('HE SAID "STOP."', "He said stop."),
        ("“Quite so,” I said.", "Quite so, I said."),
        ("NOT FAIR., WILLIE", "Not fair, willie"),
        ("***AHEM***", "Ahem"),
    ],
)
def test_english(printed: str, spoken: str) -> None:
    assert to_spoken(printed, "en") == spoken


@pytest.mark.parametrize(
    ("printed", "spoken"),
    [
        ("２時間しか\n寝てない!!", "2時間しか寝てない！"),
        ("なんだったんだ……？", "なんだったんだ…？"),
        ("はい!!♪", "はい！"),
    ],
)
def test_japanese(printed: str, spoken: str) -> None:
    assert to_spoken(printed, "ja-JP") == spoken


@pytest.mark.parametrize("printed", ["...", "?!", "♪", "---", "***", "", "……"])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_holds_no_words_is_not_spoken(printed: str, language: str) -> None:
    assert to_spoken(printed, language) is None


@given(st.text(max_size=60), st.sampled_from(["en", "ja"]))
def test_no_lettering_breaks_it_and_its_words_are_clean(printed: str, language: str) -> None:
    spoken = to_spoken(printed, language)
    if spoken is not None:
        assert spoken == spoken.strip()
        assert not set(spoken) & set('♪*"“”\n')
