"""Cast and script: one voice a speaker through the book, the narrator for captions, time for wordless panels."""

from __future__ import annotations

import pytest

from comic_narrator.model import Box, Line, PageLabel, PageReading, Panel, People, Person
from comic_narrator.script import cast_book, write_script
from comic_narrator.script.pacing import gain_of

VOICES = ("told", "v1", "v2", "v3")


def page(number: int, *lines: tuple[str, str, str | None], panels: int = 2) -> PageReading:
    """A page whose lines (kind, text, speaker) all stand in its first panel."""
    page_id = f"{number:04}"
    return PageReading(
        page=page_id,
        image="page.png",
        width=1000,
        height=1000,
        direction="ltr",
        language="en",
        panels=tuple(Panel(id=f"{page_id}.{i:02}", bbox=Box(0, 400 * i, 1000, 400)) for i in range(1, panels + 1)),
        lines=tuple(
            Line(
                id=f"{page_id}.01.{i}",
                panel=f"{page_id}.01",
                kind=kind,
                text=text,
                speaker=speaker,
                confidence=1,
            )
            for i, (kind, text, speaker) in enumerate(lines, 1)
        ),
    )


BOOK = (
    page(
        1,
        ("caption", "ONE NIGHT", None),
        ("dialogue", "HELLO", "Ann"),
        ("dialogue", "HI", "Bob"),
        ("sfx", "BOOM", None),
    ),
    page(2, ("dialogue", "STILL ME", "Bob"), ("thought", "HMM, WHO?", "Ann"), ("sign", "SHOP", None)),
)


NOBODY = People()
"""Nobody is known by more than their labels."""


def test_each_speaker_keeps_one_voice_and_captions_are_the_narrators() -> None:
    cast = cast_book(BOOK, NOBODY, VOICES)
    script = write_script(BOOK, NOBODY, cast, "en", wordless=2.0, speed=1.0)
    voices = {beat.text: beat.voice for beat in script.beats if beat.kind == "speech"}
    assert voices == {"One night": "told", "Hello": "v1", "Hi": "v2", "Still me": "v2", "Hmm, who?": "v1"}
    assert {c.name for c in cast.characters} == {"Ann", "Bob"}


def test_who_is_who_gives_one_voice_to_two_labels_and_two_to_one() -> None:
    ann = Person(name="Ann", labels=(PageLabel(page="0001", label="Ann"), PageLabel(page="0002", label="Bob")))
    bob = Person(name="Bob", labels=(PageLabel(page="0001", label="Bob"), PageLabel(page="0002", label="Ann")))
    people = People(people=(ann, bob))
    script = write_script(BOOK, people, cast_book(BOOK, people, VOICES), "en", wordless=2.0, speed=1.0)
    voices = {beat.text: beat.voice for beat in script.beats if beat.kind == "speech"}
    assert voices == {"One night": "told", "Hello": "v1", "Hi": "v2", "Still me": "v1", "Hmm, who?": "v2"}


def test_sound_words_and_signs_are_not_spoken() -> None:
    script = write_script(BOOK, NOBODY, cast_book(BOOK, NOBODY, VOICES), "en", wordless=2.0, speed=1.0)
    assert not {"BOOM", "SHOP"} & {beat.printed for beat in script.beats}


def test_a_panel_without_words_is_held() -> None:
    script = write_script(BOOK, NOBODY, cast_book(BOOK, NOBODY, VOICES), "en", wordless=2.0, speed=1.0)
    held = [beat for beat in script.beats if beat.kind == "pause"]
    assert [beat.panel for beat in held] == ["0001.02", "0002.02"]
    assert all(1.0 < beat.pause_after < 4.0 for beat in held)


def test_more_speakers_than_voices_go_round() -> None:
    crowd = page(1, *(("dialogue", "HEY", f"P{i}") for i in range(7)))
    cast = cast_book((crowd,), NOBODY, VOICES)
    assert [c.voice for c in cast.characters] == ["v1", "v2", "v3", "v1", "v2", "v3", "v1"]


def test_the_narrator_can_be_named() -> None:
    cast = cast_book(BOOK, NOBODY, VOICES, "v2")
    assert (cast.narrator.voice, cast.narrator.pinned) == ("v2", True)
    assert "v2" not in {c.voice for c in cast.characters}


def test_speed_reaches_every_delivery() -> None:
    slow = write_script(BOOK, NOBODY, cast_book(BOOK, NOBODY, VOICES), "en", wordless=2.0, speed=0.8)
    assert {beat.text: beat.speed for beat in slow.beats if beat.kind == "speech"}["Hello"] == pytest.approx(0.8)


def test_a_shout_is_louder_and_a_whisper_softer_than_what_is_said() -> None:
    tones = ("whispering", None, "shouting")
    gains = [gain_of(Line(id="1", panel="1", kind="dialogue", text="x", tone=tone, confidence=1)) for tone in tones]
    assert gains == sorted(gains)
    assert gains[1] == 0
