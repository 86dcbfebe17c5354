"""Words so short that servers make noises of them are asked for three times at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from comic_narrator.settings import VoiceSettings
from comic_narrator.voices import Delivery, Voice
from comic_narrator.voices.cries import last_said, thrice
from comic_narrator.voices.fish import FishVoice
from comic_narrator.voices.openai_speech import OpenAISpeechVoice
from comic_narrator.voices.references import Recording, References
from comic_narrator.voices.sniff import Sound
from tests.fakes.babble import babble, wav
from tests.fakes.speech_servers import FakeFish, FakeOpenAI, FakeSpeech

RATE = 24_000
WORD = 0.35
"""Seconds of a cry."""


def _cry(seconds: float, rate: int = RATE) -> np.ndarray[Any, np.dtype[np.float32]]:
    time = np.arange(round(seconds * rate)) / rate
    return (0.3 * np.sin(2 * np.pi * 150 * time) * np.sin(np.pi * time / seconds) ** 0.3).astype(np.float32)


def _in_a_row(lengths: list[float], rest: float, rate: int = RATE) -> Sound:
    silence = np.zeros(round(rest * rate), np.float32)
    return Sound(np.concatenate([part for one in lengths for part in (silence, _cry(one, rate))]), rate)


@pytest.mark.parametrize(
    ("cry", "language", "sent"),
    [
        ("No!", "en-US", "No! No! No!"),
        ("Who", "en", "Who. Who. Who."),
        ("エ", "ja", "エ。エ。エ。"),
        ("エ！", "ja", "エ！エ！エ！"),
    ],
    ids=["no", "who", "e", "e-cried"],
)
def test_a_cry_is_a_sentence_three_times(cry: str, language: str, sent: str) -> None:
    assert thrice(cry, language) == sent


def test_the_last_of_three_is_kept_whole() -> None:
    last = last_said(_in_a_row([0.3, 0.4, 0.35], 0.25))
    assert last is not None
    assert len(last.samples) / RATE == pytest.approx(0.35 + 0.04, abs=0.02)
    assert np.abs(last.samples[-round(0.3 * RATE) :]).max() == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize(
    "sound",
    [
        _in_a_row([0.4, 0.4], 0.3),
        _in_a_row([0.4] * 4, 0.3),
        _in_a_row([0.4, 0.4, 1.2], 0.3),
        _in_a_row([0.4] * 3, 0.05),
        Sound(np.zeros(RATE, np.float32), RATE),
        Sound(np.zeros(0, np.float32), RATE),
    ],
    ids=["two", "four", "a longer one", "run together", "silence", "nothing"],
)
def test_what_cannot_be_told_apart_is_not_cut(sound: Sound) -> None:
    assert last_said(sound) is None


def _says_sentences(fake: FakeSpeech, body: dict[str, Any]) -> np.ndarray[Any, np.dtype[np.float32]]:
    """A server that makes noises of a lone word, and says each of several."""
    words = str(body.get("text") or body.get("input")).split()
    return _in_a_row([WORD] * len(words), 0.3, fake.rate).samples if len(words) > 1 else _cry(3.0, fake.rate)


@pytest.fixture(params=["fish", "openai"])
def speech(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[FakeSpeech, Voice]]:
    monkeypatch.setattr(References, "_recorded", lambda _, profile: Recording(wav(babble(profile.id), 48_000), "Said."))
    if request.param == "fish":
        with FakeFish(_says_sentences) as fish:
            yield fish, FishVoice(VoiceSettings(url=fish.url))
    else:
        with FakeOpenAI(_says_sentences) as other:
            yield other, OpenAISpeechVoice(VoiceSettings(url=other.url, server="kokoro"))


def _sent(fake: FakeSpeech) -> list[str]:
    return [str(body.get("text") or body.get("input")) for body in fake.asked]


def test_a_server_is_asked_for_a_cry_three_times_at_once(speech: tuple[FakeSpeech, Voice]) -> None:
    fake, voice = speech
    take = voice.speak("No!", voice.profiles("en")[0], Delivery())
    assert _sent(fake) == ["No! No! No!"]
    assert len(take) / 48_000 == pytest.approx(WORD, abs=0.1)


def test_another_attempt_and_a_longer_line_are_asked_for_as_they_are(speech: tuple[FakeSpeech, Voice]) -> None:
    fake, voice = speech
    narrator = voice.profiles("en")[0]
    voice.speak("No!", narrator, Delivery(attempt=1))
    voice.speak("Stop the train!", narrator, Delivery())
    assert _sent(fake) == ["No!", "Stop the train!"]


def test_a_server_that_runs_them_together_is_asked_for_the_word_alone(speech: tuple[FakeSpeech, Voice]) -> None:
    fake, voice = speech
    fake._sayer = lambda server, body: _cry(0.5, server.rate)
    voice.speak("No!", voice.profiles("en")[0], Delivery())
    assert _sent(fake) == ["No! No! No!", "No!"]
