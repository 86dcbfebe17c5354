"""Fish Speech: each trap that was met, on what a real 1.5.1 answered and on a server that plays it."""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest

from comic_narrator.errors import BackendAnswerError, BackendDownError, UsageError
from comic_narrator.http import Answer, Patience, Server
from comic_narrator.model import SAMPLE_RATE
from comic_narrator.settings import VoiceSettings
from comic_narrator.voices import Delivery, VoiceProfile
from comic_narrator.voices.fish import LICENCES, MOST_TOKENS, TOKENS_A_SECOND, FishVoice, Version, marked, sayable
from comic_narrator.voices.lanes import Lanes
from comic_narrator.voices.references import REFERENCE_RATE, REST, Recording, References
from comic_narrator.voices.sniff import decoded
from tests.fakes import speech_servers as fakes
from tests.fakes.babble import babble, wav
from tests.fakes.speech_servers import FakeFish
from tests.records import HERE, fish_facts, recorded_fish

TEXT = "Stop the train!"
LONG = "The harbour was quiet that morning, and nobody saw the boat leave. " * 12


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comic_narrator.http.FIRST_PAUSE", 0.01)
    monkeypatch.setattr(References, "_recorded", lambda _, profile: Recording(wav(babble(profile.id), 48_000), "Said."))


@pytest.fixture
def fake() -> Iterator[FakeFish]:
    with FakeFish() as running:
        yield running


@pytest.fixture
def voice(fake: FakeFish) -> FishVoice:
    return FishVoice(VoiceSettings(url=fake.url))


@pytest.fixture
def narrator(voice: FishVoice) -> VoiceProfile:
    return voice.profiles("en")[0]


# What a real server answered.


def test_recorded_sound_is_44100_hz_and_ends_at_the_most_tokens_without_a_sign() -> None:
    answer = recorded_fish("tts_json_wav")
    sound = decoded(answer.data, "Fish Speech")
    assert (answer.status, answer.kind, sound.rate) == (200, "audio/wav", 44_100)
    assert len(sound.samples) == 23 * 2048, "asked for 24 tokens: one less is heard"


def test_recorded_mp3_is_told_by_its_bytes() -> None:
    data = (HERE / "fish_speech.mp3").read_bytes()
    assert decoded(data, "Fish Speech").rate == 44_100


def test_recorded_stream_has_no_header_and_is_refused() -> None:
    data = (HERE / "fish_stream_head.bin").read_bytes()
    with pytest.raises(BackendAnswerError, match="without a header"):
        decoded(data, "Fish Speech")


def test_recorded_seeds_repeat_and_an_unknown_voice_is_answered_by_anybody() -> None:
    assert fish_facts("tts_seed_a")["sha256"] == fish_facts("tts_seed_b")["sha256"]
    assert fish_facts("tts_reference_id_missing")["status"] == 200


def test_recorded_calls_wait_for_each_other_and_health_is_not_answered_meanwhile() -> None:
    told = fish_facts("concurrency")
    ends = sorted(call["end"] for call in told["requests"].values())
    assert min(b - a for a, b in pairwise(ends)) > 0.9 * ends[0], "four calls at once take as long as four in a row"
    asked = told["health_probes_2s_timeout"]
    while_it_speaks = [probe for probe in asked if ends[0] < probe["t"] < ends[-1]]
    assert while_it_speaks
    assert {probe.get("exc") for probe in while_it_speaks} == {"ReadTimeout"}
    assert asked[-1]["status"] == 200


REFUSED = (
    "tts_empty_text",
    "tts_space_text",
    "tts_punct_only",
    "tts_json_flac",
    "tts_json_pcm",
    "tts_temperature_bad",
    "tts_text_too_long",
    "tts_reference_bad_audio",
    "tts_bad_json",
)


@pytest.mark.parametrize("name", REFUSED)
def test_a_recorded_refusal_fails_this_line_alone_and_quotes_the_server(
    fake: FakeFish, voice: FishVoice, narrator: VoiceProfile, name: str
) -> None:
    answer = recorded_fish(name)
    fake.play(*[fakes.sends(answer.data, answer.kind, answer.status)] * 2)
    with pytest.raises(BackendAnswerError) as raised:
        voice.speak(TEXT, narrator, Delivery())
    assert str(answer.status) in raised.value.what
    assert len(fake.asked) == (2 if answer.status == 500 else 1), "what is refused for good is not asked again"
    fake.play()
    assert len(voice.speak(TEXT, narrator, Delivery()))


# What is asked.


@pytest.mark.parametrize("text", ["", "   ", "...!?", "♪"], ids=["empty", "space", "marks", "note"])
def test_a_text_without_words_is_never_sent(
    fake: FakeFish, voice: FishVoice, narrator: VoiceProfile, text: str
) -> None:
    with pytest.raises(BackendAnswerError):
        voice.speak(text, narrator, Delivery())
    assert fake.asked == []


def test_the_voice_comes_as_bytes_with_every_call_and_never_by_name(
    fake: FakeFish, voice: FishVoice, narrator: VoiceProfile
) -> None:
    voice.speak(TEXT, narrator, Delivery())
    (body,) = fake.asked
    (reference,) = body["references"]
    assert base64.b64decode(reference["audio"])[:4] == b"RIFF"
    assert reference["text"] == "Said."
    assert body["reference_id"] is None
    assert body["use_memory_cache"] == "off"
    assert body["format"] == "wav"
    assert body["streaming"] is False


def test_what_is_sent_is_what_the_recorded_server_knows(
    fake: FakeFish, voice: FishVoice, narrator: VoiceProfile
) -> None:
    # It takes no offence at a field that it does not know; it just does something else.
    voice.speak(LONG, narrator, Delivery(tone="shouting"))
    schema = fish_facts("schema")
    kinds: dict[str, type | tuple[type, ...]] = {
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "array": list,
    }
    for body in fake.asked:
        for name, value in body.items():
            told = schema["ServeTTSRequest"]["properties"][name]
            assert "type" not in told or isinstance(value, kinds[told["type"]]), name
            assert value in told.get("enum", [value]), name
            assert "minimum" not in told or told["minimum"] <= value <= told["maximum"], name
        for reference in body["references"]:
            assert set(reference) == set(schema["ServeReferenceAudio"]["properties"])


def test_the_seed_goes_by_line_voice_and_attempt(fake: FakeFish, voice: FishVoice) -> None:
    one, other = voice.profiles("en")[:2]
    for text, profile, attempt in ((TEXT, one, 0), (TEXT, one, 0), (TEXT, one, 1), (TEXT, other, 0), ("Run!", one, 0)):
        voice.speak(text, profile, Delivery(attempt=attempt))
    seeds = [body["seed"] for body in fake.asked]
    assert seeds[0] == seeds[1]
    assert len(set(seeds)) == 4
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_long_texts_go_in_pieces_that_end_in_time_and_come_back_as_one(
    fake: FakeFish, voice: FishVoice, narrator: VoiceProfile
) -> None:
    take = voice.speak(LONG, narrator, Delivery())
    assert len(fake.asked) >= 3
    assert all(body["text"].endswith(".") and len(body["text"]) < 500 for body in fake.asked)
    assert all(body["max_new_tokens"] <= MOST_TOKENS for body in fake.asked)
    assert " ".join(body["text"] for body in fake.asked) == LONG.strip()
    assert len(take) / SAMPLE_RATE == pytest.approx(0.061 * sum(map(str.isalpha, LONG)), rel=0.35)


def test_the_last_try_says_a_text_sentence_by_sentence(
    fake: FakeFish, voice: FishVoice, narrator: VoiceProfile
) -> None:
    text = "The harbour was quiet that morning, and cold. Nobody saw the small boat leave, and nobody asked."
    voice.speak(text, narrator, Delivery())
    voice.speak(text, narrator, Delivery(attempt=2))
    assert len(fake.asked) == 1 + 2


def test_a_short_text_cannot_run_away_and_a_take_cut_at_the_limit_is_refused(
    fake: FakeFish, voice: FishVoice, narrator: VoiceProfile
) -> None:
    voice.speak("Oh!", narrator, Delivery(attempt=1))
    most = fake.asked[0]["max_new_tokens"]
    assert most / TOKENS_A_SECOND < 5
    fake.play(fakes.sounds(lambda sound, rate: np.resize(sound, (most - 1) * 2048)))
    with pytest.raises(BackendAnswerError, match="did not come to an end"):
        voice.speak("Oh!", narrator, Delivery(attempt=1))


def test_white_space_and_strange_markers_are_not_sent(fake: FakeFish, voice: FishVoice, narrator: VoiceProfile) -> None:
    voice.speak("(angry)  Get   out \n\n of here!", narrator, Delivery(tone="shouting"))
    assert fake.asked[0]["text"] == "Get out of here!"


@pytest.mark.parametrize(
    ("version", "emotion", "sent"),
    [
        ("1.5", "angry", "Go."),
        ("s1", "angry", "(angry) Go."),
        ("s1", "Shouting", "(shouting) Go."),
        ("s1", "wistful about rain", "Go."),
        ("s2", "angry", "[angry] Go."),
        ("s2", "wistful (about) rain!", "[wistful about rain] Go."),
        ("s2", None, "Go."),
    ],
    ids=["1.5", "s1", "s1-case", "s1-unknown", "s2", "s2-free", "s2-none"],
)
def test_moods_are_marked_as_each_version_knows_them(version: Version, emotion: str | None, sent: str) -> None:
    assert marked("Go.", version, Delivery(emotion=emotion)) == sent


def test_japanese_is_sent_in_kana(fake: FakeFish, voice: FishVoice) -> None:
    voice.speak("先生、待って！", voice.profiles("ja")[0], Delivery())
    body = fake.asked[0]
    assert body["text"] == "センセー、マッテ！"
    assert body["normalize"] is False
    assert sayable("Wait, 3 of you!", "en") == "Wait, 3 of you!"


def test_a_reference_ends_with_half_a_second_of_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    references = References(VoiceSettings())
    monkeypatch.setattr(references._embedded, "speak", lambda text, profile, delivery: babble(text))
    sound = decoded(references.recording(references.profiles("en")[0]).wav, "us")
    assert sound.rate == REFERENCE_RATE
    rest = sound.samples[-round(REST * REFERENCE_RATE) :]
    assert np.abs(rest).max() == 0
    assert np.abs(sound.samples[: -2 * len(rest)]).max() > 0.05


# How servers are treated.


def test_one_server_speaks_one_line_at_a_time_and_is_not_asked_how_it_is(
    fake: FakeFish, voice: FishVoice, narrator: VoiceProfile
) -> None:
    assert voice.lanes == 1
    voice.check("en")
    with ThreadPoolExecutor(4) as pool:
        list(
            pool.map(
                lambda text: voice.speak(text, narrator, Delivery()),
                ["One more!", "Two more!", "Three more!", "Four more!"],
            )
        )
    assert fake.most_in_flight == 1
    assert fake.calls == ["GET /v1/health"] + ["POST /v1/tts"] * 4


def test_several_servers_are_several_lanes_and_one_that_dies_is_left_out(narrator: VoiceProfile) -> None:
    with FakeFish() as one, FakeFish() as other:
        voice = FishVoice(VoiceSettings(url=f"{one.url}, {other.url}/v1"))
        assert voice.lanes == 2
        texts = [f"Number {i} is here now!" for i in range(6)]
        one.play(*[fakes.stalls(0.05)] * 6)
        other.play(*[fakes.stalls(0.05)] * 6)
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda text: voice.speak(text, narrator, Delivery()), texts))
        assert one.most_in_flight == other.most_in_flight == 1
        assert one.asked
        assert other.asked
        one.close()
        with ThreadPoolExecutor(2) as pool:
            takes = list(pool.map(lambda text: voice.speak(text, narrator, Delivery()), texts))
        assert len(takes) == 6
        other.close()
        for _ in range(2):
            with pytest.raises(BackendDownError):
                voice.speak(TEXT, narrator, Delivery())


def test_a_server_that_was_started_anew_is_asked_again_once_it_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    lanes = Lanes(["http://127.0.0.1:1"], Patience(connect=1, read=1, total=1, attempts=1))
    for _ in range(2):
        with pytest.raises(BackendDownError):
            lanes.post("/v1/tts", {}, Patience(connect=1, read=1, total=1, attempts=1))
    answer = Answer(200, "audio/wav", b"RIFF")
    monkeypatch.setattr(Server, "get", lambda *_, **__: answer)
    monkeypatch.setattr(Server, "post", lambda *_, **__: answer)
    with pytest.raises(BackendDownError):
        lanes.post("/v1/tts", {}, Patience())
    lanes.check("/v1/health")
    lanes.check("/v1/health")
    assert lanes.post("/v1/tts", {}, Patience()) is answer


def test_a_server_that_speaks_for_somebody_else_is_there_and_one_that_is_off_is_not(
    fake: FakeFish, voice: FishVoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("comic_narrator.voices.lanes.CHECK_SECONDS", 0.2)
    with fake.speaking:
        voice.check("en")
    fake.close()
    with pytest.raises(BackendDownError) as raised:
        voice.check("en")
    assert raised.value.exit_code == 5


def test_another_kind_of_server_is_told_by_its_health(monkeypatch: pytest.MonkeyPatch) -> None:
    with fakes.FakeOpenAI() as other, pytest.raises(UsageError, match="/v1/health"):
        FishVoice(VoiceSettings(url=other.url)).check("en")


def test_wrong_settings_are_said() -> None:
    with pytest.raises(UsageError, match="address"):
        FishVoice(VoiceSettings(url=" , "))
    with pytest.raises(UsageError, match="s7") as raised:
        FishVoice(VoiceSettings(url="http://127.0.0.1:1", model="s7"))
    assert "s1" in raised.value.hint


@pytest.mark.parametrize("version", ["1.5", "s1", "s2"])
def test_the_licence_of_the_weights_stands_with_every_voice_and_the_model_in_its_identity(version: Version) -> None:
    voice = FishVoice(VoiceSettings(url="http://127.0.0.1:1", model=version))
    assert version in voice.identity
    assert all(profile.licence.startswith(LICENCES[version]) for profile in voice.profiles("en"))
    assert "not for commercial films" in LICENCES[version]
    assert "Apache-2.0" in voice.profiles("en")[0].licence


def test_a_voice_can_speak_a_language_that_none_of_the_bank_speaks(fake: FakeFish, voice: FishVoice) -> None:
    profile = voice.profiles("de")[0]
    assert profile.language == "de"
    assert len(voice.speak("Halt den Zug an!", profile, Delivery()))
    assert voice.profiles("tlh") == ()


def test_a_wav_that_states_no_size_is_read(fake: FakeFish, voice: FishVoice, narrator: VoiceProfile) -> None:
    data = bytearray(wav(babble(TEXT, 44_100), 44_100))
    data[40:44] = struct.pack("<I", 0xFFFFFFFF)
    fake.play(fakes.sends(bytes(data)))
    assert len(voice.speak(TEXT, narrator, Delivery())) > 0.5 * SAMPLE_RATE
