"""The script: every spoken line with its voice and manner, the narrator for captions, time for wordless panels."""

from __future__ import annotations

import pytest

from comic_narrator.model import Beat, Box, Cast, Figure, Line, PageLabel, PageReading, Panel, People, Person, Script
from comic_narrator.script import Style, Wordbook, cast_book, respelled, write_script
from comic_narrator.script.delivery import OVERLAP, manner_of, pause_between
from comic_narrator.voice_profiles import VoicePrint, VoiceProfile


def voice(id_: str, pitch: float) -> VoiceProfile:
    print_ = VoicePrint(pitch, 2.0, 400.0)
    return VoiceProfile(id_, id_, "en", "male", "adult", "", id_, "CC0-1.0", "tests", measured=print_)


VOICES = tuple(voice(name, pitch) for name, pitch in (("told", 90), ("v1", 120), ("v2", 160), ("v3", 210)))


def page(number: int, *lines: tuple[str, str, str | None], panels: int = 2, tone: str | None = None) -> PageReading:
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
                tone=tone,
                confidence=1,
            )
            for i, (kind, text, speaker) in enumerate(lines, 1)
        ),
    )


BOOK = (
    page(
        1,
        ("caption", "ONE NIGHT", None),
        ("dialogue", "HELLO, BOB", "Ann"),
        ("dialogue", "HI", "Bob"),
        ("sfx", "BOOM", None),
    ),
    page(2, ("dialogue", "STILL ME", "Bob"), ("thought", "HMM, WHO?", "Ann"), ("sign", "SHOP", None)),
)

NOBODY = People()
"""Nobody is known by more than their labels."""


def written(people: People = NOBODY, cast: Cast | None = None, style: Style = Style(wordless=2.0)) -> Script:  # noqa: B008
    return write_script(BOOK, people, cast or cast_book(BOOK, people, VOICES), "en", style)


def spoken(script: Script) -> dict[str, Beat]:
    return {beat.text: beat for beat in script.beats if beat.kind == "speech" and beat.text}


def test_each_speaker_keeps_one_voice_and_captions_are_the_narrators() -> None:
    beats = spoken(written())
    assert beats["One night"].voice == "told"
    assert beats["Hi"].voice == beats["Still me"].voice != "told"
    assert beats["Hello, Bob"].voice == beats["Hmm, who?"].voice not in ("told", beats["Hi"].voice)


def test_who_is_who_gives_one_voice_to_two_labels_and_two_to_one() -> None:
    ann = Person(name="Ann", labels=(PageLabel(page="0001", label="Ann"), PageLabel(page="0002", label="Bob")))
    bob = Person(name="Bob", labels=(PageLabel(page="0001", label="Bob"), PageLabel(page="0002", label="Ann")))
    beats = spoken(written(People(people=(ann, bob))))
    assert beats["Hello, Bob"].voice == beats["Still me"].voice
    assert beats["Hi"].voice == beats["Hmm, who?"].voice


def test_sound_words_are_spoken_by_the_narrator_only_when_asked_and_signs_never() -> None:
    assert not {"BOOM", "SHOP"} & {beat.printed for beat in written().beats if beat.kind == "speech"}
    beats = spoken(written(style=Style(sound_words=True)))
    assert beats["Boom"].voice == "told"
    assert "Shop" not in beats


def test_a_panel_without_words_is_held() -> None:
    held = [beat for beat in written().beats if beat.kind == "pause"]
    assert [beat.panel for beat in held] == ["0001.02", "0002.02"]
    assert all(1.0 < beat.pause_after < 4.0 for beat in held)


def test_speed_reaches_every_delivery() -> None:
    assert spoken(written(style=Style(speed=0.8)))["Hello, Bob"].speed == pytest.approx(0.8)


def line(text: str = "x", kind: str = "dialogue", tone: str | None = None, speaker: str = "Ann") -> Line:
    return Line(id="1", panel="1", kind=kind, text=text, tone=tone, speaker=speaker, confidence=1)


def test_a_shout_is_louder_and_a_whisper_softer_than_what_is_said() -> None:
    manners = [manner_of(line(tone=tone), None, 1.0) for tone in ("whispering", None, "shouting")]
    assert [m.gain_db for m in manners] == sorted(m.gain_db for m in manners)
    assert [m.effort for m in manners] == sorted(m.effort for m in manners)
    assert [m.colouring for m in manners] == ["whisper", None, None]


@pytest.mark.parametrize(
    ("told", "than", "what"),
    [
        (manner_of(line(), "sad", 1.0), manner_of(line(), None, 1.0), "speed"),
        (manner_of(line(), None, 1.0), manner_of(line(), "terrified", 1.0), "speed"),
        (manner_of(line(), None, 1.0), manner_of(line("x!"), None, 1.0), "effort"),
        (manner_of(line("x..."), None, 1.0), manner_of(line(), None, 1.0), "speed"),
        (manner_of(line(), None, 1.0), manner_of(line(), None, 1.6), "gain_db"),
        (manner_of(line(), None, 0.6), manner_of(line(), None, 1.0), "gain_db"),
        (manner_of(line(kind="thought"), None, 1.0), manner_of(line(), None, 1.0), "gain_db"),
    ],
    ids=["sad", "terrified", "exclaimed", "trailing", "large", "small", "thought"],
)  # fmt: skip
def test_emotion_marks_and_size_change_how_it_is_said(told: object, than: object, what: str) -> None:
    assert vars(told)[what] < vars(than)[what]


def test_thoughts_are_in_a_room_of_their_own() -> None:
    assert spoken(written())["Hmm, who?"].colouring == "thought"


def test_two_who_shout_in_one_panel_shout_at_once_but_nobody_over_themselves() -> None:
    first, second = line("HEY!", tone="shouting"), line("YOU!", tone="shouting", speaker="Bob")
    manner = manner_of(first, None, 1.0)
    assert pause_between(first, second, manner) == OVERLAP < 0
    assert pause_between(first, line("YOU!", tone="shouting"), manner) > 0
    assert pause_between(first, None, manner) > 0


def test_who_is_cut_off_is_answered_at_once_and_who_trails_off_is_waited_for() -> None:
    plain, other = manner_of(line(), None, 1.0), line(speaker="Bob")
    cut, usual, trails = (pause_between(line(text), other, plain) for text in ("BUT I--", "BUT I", "BUT I..."))
    assert 0 <= cut < usual < trails


def test_the_emotion_of_a_figure_is_that_of_its_lines() -> None:
    sad = BOOK[1].model_copy(update={"figures": (Figure(label="Bob", panel="0002.01", looks="tall", emotion="sad"),)})
    cast = cast_book((sad,), NOBODY, VOICES)
    beats = spoken(write_script((sad,), NOBODY, cast, "en", Style()))
    assert beats["Still me"].emotion == "sad"
    assert beats["Still me"].speed < 1.0


def test_the_users_words_reach_the_beats_by_language_and_by_character() -> None:
    book = Wordbook({"all": {"Still": "stihl"}, "en": {"me": "/miː/"}, "ja": {"hello": "no"}}, {"Ann": {"who": "hoo"}})
    beats = spoken(written(style=Style(wordbook=book)))
    assert beats["Still me"].pronounced == {"me": "/miː/", "still": "stihl"}
    assert beats["Hmm, who?"].pronounced == {"who": "hoo"}
    assert beats["Hi"].pronounced == {}


def test_words_are_respelled_whole_and_ipa_goes_beside_them() -> None:
    text, sounds = respelled("Still, stillness of me", {"still": "stihl", "me": "/miː/"})
    assert text == "stihl, stillness of me"
    assert sounds == (("me", "miː"),)
