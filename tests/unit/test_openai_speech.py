"""Speech servers of the OpenAI shape: what each kind is asked, and whose voices they are taken for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from comic_narrator.errors import BackendAnswerError, BackendDownError, NarratorError, UsageError
from comic_narrator.model import SAMPLE_RATE
from comic_narrator.settings import VoiceSettings
from comic_narrator.voices import Delivery
from comic_narrator.voices.dialects import DIALECTS, NamedVoice, known_voice, told_voices
from comic_narrator.voices.openai_speech import OpenAISpeechVoice
from comic_narrator.voices.references import Recording, References
from tests.fakes import speech_servers as fakes
from tests.fakes.babble import babble, wav
from tests.fakes.speech_servers import FakeOpenAI

TEXT = "Stop the train!"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comic_narrator.http.FIRST_PAUSE", 0.01)
    monkeypatch.setattr(References, "_recorded", lambda _, profile: Recording(wav(babble(profile.id), 48_000), "Said."))


@pytest.fixture
def fake() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as running:
        yield running


def asked(fake: FakeOpenAI, server: str, delivery: Delivery) -> dict[str, object]:
    voice = OpenAISpeechVoice(VoiceSettings(url=fake.url, server=server))
    voice.speak(TEXT, voice.profiles("en")[0], delivery)
    return fake.asked[-1]


ALWAYS = {"model": "tts-1", "input": TEXT, "response_format": "wav", "stream": False}
SAD = Delivery(speed=1.2, emotion="very sad!", effort=1.0)
OPTIONS: dict[str, dict[str, object]] = {
    "plain": {"voice": "alloy", "speed": 1.2},
    "openedai": {"voice": "alloy", "speed": 1.2},
    "kokoro": {
        "voice": "af_heart",
        "speed": 1.2,
        "lang_code": "a",
        "normalization_options": {"normalize": False},
    },
    "chatterbox": {"voice": "Emily.wav", "speed": 1.0, "exaggeration": 0.8, "cfg_weight": 0.35},
    "vllm-omni": {"voice": "af_heart", "speed": 1.0, "language": "English", "instructions": "Sound very sad."},
    "vllm-omni-clone": {
        "speed": 1.0,
        "language": "English",
        "instructions": "Sound very sad.",
        "task_type": "Base",
        "ref_text": "Said.",
    },
}


@pytest.mark.parametrize("server", sorted(DIALECTS))
def test_each_kind_of_server_is_asked_in_its_own_way(fake: FakeOpenAI, server: str) -> None:
    body = asked(fake, server, SAD)
    seed, audio = body.pop("seed", None), body.pop("ref_audio", None)
    assert body == ALWAYS | OPTIONS[server]
    assert (seed is not None) == (server in ("chatterbox", "vllm-omni", "vllm-omni-clone"))
    assert (audio is not None) == (server == "vllm-omni-clone")
    assert audio is None or str(audio).startswith("data:audio/wav;base64,UklGR")


@pytest.mark.parametrize("server", ["plain", "chatterbox"])
def test_the_speed_is_heard_whoever_keeps_it(fake: FakeOpenAI, server: str) -> None:
    voice = OpenAISpeechVoice(VoiceSettings(url=fake.url, server=server))
    profile = voice.profiles("en")[0]
    slow, fast = (len(voice.speak(TEXT, profile, Delivery(speed=speed))) for speed in (0.8, 1.4))
    assert fast < 0.7 * slow


def test_voices_are_those_that_the_server_lists_and_whose_sex_is_known(fake: FakeOpenAI) -> None:
    voice = OpenAISpeechVoice(VoiceSettings(url=fake.url, server="kokoro"))
    assert [(p.id, p.sex) for p in voice.profiles("en-US")] == [
        ("af_heart", "female"),
        ("af_bella", "female"),
        ("am_michael", "male"),
        ("bm_george", "male"),
    ]
    assert [p.id for p in voice.profiles("ja")] == ["jf_alpha", "jm_kumo"]
    assert voice.profiles("fr") == ()
    with pytest.raises(UsageError, match="fr") as raised:
        voice.check("fr")
    assert "voice.names" in raised.value.hint


def test_voices_can_be_told(fake: FakeOpenAI) -> None:
    names = "alloy, grandpa:male:old, yuki:female::ja,Deep Voice.wav:male"
    assert told_voices(names) == (
        NamedVoice("alloy", "female"),
        NamedVoice("grandpa", "male", "old"),
        NamedVoice("yuki", "female", language="ja"),
        NamedVoice("Deep Voice.wav", "male"),
    )
    voice = OpenAISpeechVoice(VoiceSettings(url=fake.url, names=names))
    assert [p.id for p in voice.profiles("en")] == ["alloy", "grandpa", "deep-voice"]
    assert voice.profiles("ja")[-2].name == "yuki"
    with pytest.raises(UsageError, match="who-is-that"):
        told_voices("who-is-that")


def test_names_tell_what_they_can() -> None:
    assert known_voice("bm_lewis") == NamedVoice("bm_lewis", "male", language="en-GB")
    assert known_voice("voices/Emily.wav") == NamedVoice("voices/Emily.wav", "female")
    assert known_voice("mystery") is None


@pytest.mark.parametrize("listed", [{"voices": "none"}, "af_heart", {"error": "no voices"}], ids=["text", "bare", "no"])
def test_a_server_that_lists_no_voices_is_said(
    fake: FakeOpenAI, monkeypatch: pytest.MonkeyPatch, listed: object
) -> None:
    monkeypatch.setattr(FakeOpenAI, "get", lambda _, handler, path: handler.send_json(200, listed))
    voice = OpenAISpeechVoice(VoiceSettings(url=fake.url, server="kokoro"))
    with pytest.raises(NarratorError) as raised:
        voice.check("en")
    assert "voice.names" in raised.value.hint


def test_mp3_for_wav_is_heard_all_the_same(fake: FakeOpenAI) -> None:
    fake.play(fakes.in_container("MP3"))
    voice = OpenAISpeechVoice(VoiceSettings(url=fake.url))
    take = voice.speak(TEXT, voice.profiles("en")[0], Delivery())
    assert len(take) / SAMPLE_RATE == pytest.approx(len(babble(TEXT)) / SAMPLE_RATE, abs=0.15)


def test_the_identity_goes_by_kind_and_model_and_not_by_address(fake: FakeOpenAI) -> None:
    made = [
        OpenAISpeechVoice(VoiceSettings(url=url, server=server, model=model)).identity
        for url, server, model in (
            ("http://127.0.0.1:1", "plain", "auto"),
            ("http://127.0.0.1:2", "plain", "auto"),
            ("http://127.0.0.1:1", "kokoro", "auto"),
            ("http://127.0.0.1:1", "plain", "tts-1-hd"),
        )
    ]
    assert made[0] == made[1]
    assert len(set(made)) == 3


def test_a_server_that_needs_no_list_of_models_is_there(fake: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeOpenAI, "get", fakes.FakeSpeech.get)
    OpenAISpeechVoice(VoiceSettings(url=fake.url)).check("en")
    fake.close()
    with pytest.raises(BackendDownError):
        OpenAISpeechVoice(VoiceSettings(url=fake.url)).check("en")


def test_the_key_comes_from_the_environment_and_goes_nowhere_else(
    fake: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMIC_NARRATOR_API_KEY", "secret-word")
    voice = OpenAISpeechVoice(VoiceSettings(url=fake.url))
    voice.speak(TEXT, voice.profiles("en")[0], Delivery())
    assert fake.keys == ["Bearer secret-word"]
    assert "secret" not in voice.identity + repr(voice.profiles("en"))


def test_wrong_settings_are_said() -> None:
    with pytest.raises(UsageError, match="address"):
        OpenAISpeechVoice(VoiceSettings())
    with pytest.raises(UsageError, match="parrot") as raised:
        OpenAISpeechVoice(VoiceSettings(url="http://127.0.0.1:1", server="parrot"))
    assert "kokoro" in raised.value.hint


def test_long_texts_go_in_pieces(fake: FakeOpenAI) -> None:
    voice = OpenAISpeechVoice(VoiceSettings(url=fake.url))
    text = "The harbour was quiet that morning, and nobody saw the boat leave. " * 12
    take = voice.speak(text, voice.profiles("en")[0], Delivery())
    assert len(fake.asked) >= 2
    assert len(take) / SAMPLE_RATE > 30
    assert np.isfinite(take).all()


def test_a_text_without_words_is_never_sent(fake: FakeOpenAI) -> None:
    voice = OpenAISpeechVoice(VoiceSettings(url=fake.url))
    with pytest.raises(BackendAnswerError):
        voice.speak("…!?", voice.profiles("en")[0], Delivery())
    assert fake.asked == []
