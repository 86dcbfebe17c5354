"""What is heard against what was to be said; what a small ear mishears is no fault."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comic_narrator.errors import MissingToolError, UsageError
from comic_narrator.settings import VoiceSettings
from comic_narrator.voices import Delivery, ears
from comic_narrator.voices.ears import Ears, compared, normal_words, wrong_words
from comic_narrator.voices.embedded import EmbeddedVoice

# As Whisper tiny.en and base heard good takes of the embedded voice.
GOOD = (
    ("en", "What?", "Wanna do?"),
    ("en", "Hm.", "Come."),
    ("en", "Yeah, me too.", "Yummy, too."),
    ("en", "Komona City; Market day", "Come in a city, market day."),
    (
        "en",
        "Joaquin, you fool! Have you lost your mind? Drop that knife!",
        "Why can you fool have you lost your mind, drop that knife.",
    ),
    ("en", "When he was fourteen, he paid $100.", "When he was 14 he paid 100 dollars"),
    ("en", "I can't carry you any more — anyone!", "I can't carry you anymore any one."),
    ("ja", "3時間しか寝てねえ", "3時間しかねてね"),
    ("ja", "え？", "どうぞ"),
)
BAD = (
    ("en", "Nobody saw the small boat leave, and nobody asked.", "Nobody saw the small boat leave.", "lost end"),
    ("en", "Nobody saw the boat.", "Nobody saw the boat. Thank you for watching.", "tail"),
    ("en", "Oh!", "Oh, well, I do not think that we should go there.", "run away"),
    ("en", "Hold the rope and do not look down.", "What a lovely day for the zoo again.", "other words"),
    ("en", "Nobody saw the small boat leave.", "", "nothing"),
    (
        "ja",
        "こんな偉い先生に手術していただいて、じいちゃんも満足です。",
        "こんな偉い先生に手術していただいて",
        "lost end",
    ),
)


@pytest.mark.parametrize(("language", "said", "heard"), GOOD, ids=[said for _, said, _ in GOOD])
def test_what_a_small_ear_mishears_is_no_fault(language: str, said: str, heard: str) -> None:
    assert wrong_words(compared(said, heard, language), language) is None


@pytest.mark.parametrize(("language", "said", "heard", "what"), BAD, ids=[f"{lang} {what}" for lang, _, _, what in BAD])
def test_words_that_were_not_said_are_a_fault(language: str, said: str, heard: str, what: str) -> None:
    fault = wrong_words(compared(said, heard, language), language)
    assert fault is not None, what
    assert fault.kind == "words"


def test_the_longer_run_weighs_more() -> None:
    said = "One two three four five six seven eight nine ten eleven twelve"
    short = wrong_words(compared(said, "One two three four five six seven eight nine", "en"), "en")
    long = wrong_words(compared(said, "One two three", "en"), "en")
    assert short is not None
    assert long is not None
    assert long.weight > short.weight
    assert "9 of 12 words are heard otherwise, 9 in a row" in long.what


def test_words_are_compared_as_they_are_said() -> None:
    assert (
        normal_words("Mr. Fox paid $1,200 on the 3rd—okay?")
        == "mister fox paid one thousand two hundred dollars on the third ok"
    )
    assert normal_words("$4.5 million, or $12.99 at 7:05 in the year 2187.") == (
        "four point five million dollars or twelve dollars ninety nine cents at seven oh five "
        "in the year twenty one eighty seven"
    )
    assert normal_words("Où est l'été ?", "fr") == "où est lété"


def test_a_good_take_is_heard_and_a_take_of_another_text_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    voice = EmbeddedVoice(VoiceSettings())
    text = "Nobody saw the small boat leave."
    take = voice.speak(text, voice.profiles("en")[0], Delivery())
    listening = Ears()
    listening.check("en")
    assert wrong_words(listening.listen(take, text, "en"), "en") is None
    assert wrong_words(listening.listen(take, "Hold the rope and do not look down.", "en"), "en") is not None
    silence = np.zeros(48_000, np.float32)
    assert wrong_words(listening.listen(silence, text, "en"), "en") is not None


def test_ears_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder"):
        Ears(str(tmp_path))
    monkeypatch.setattr(ears, "find_spec", lambda name: None)
    assert not Ears().installed("en")
    with pytest.raises(MissingToolError) as raised:
        Ears().check("ja")
    assert "[ears]" in raised.value.hint
