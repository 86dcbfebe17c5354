"""The step from a script to takes: tries, the best of them, what is told of it, and servers that die."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from comic_narrator.backends import Choice
from comic_narrator.console import Watch
from comic_narrator.errors import BackendAnswerError, BackendDownError, ItemsFailedError, MissingToolError
from comic_narrator.model import SAMPLE_RATE, Beat, Script
from comic_narrator.settings import ReaderSettings, Settings, VoiceSettings
from comic_narrator.steps.run import Run
from comic_narrator.steps.speech import TAKES, judge_for, load_take, speak
from comic_narrator.voices import Delivery, Samples, Voice, VoiceProfile
from comic_narrator.voices.ears import Ears, Heard
from comic_narrator.voices.fish import FishVoice
from comic_narrator.voices.references import Recording, References
from comic_narrator.work import Work
from tests.fakes import speech_servers as fakes
from tests.fakes.babble import babble, wav
from tests.fakes.narrator_fakes import LabelReader, ToneVoice
from tests.fakes.speech_servers import FakeFish

TEXTS = (
    "Nobody saw the small boat leave.",
    "The harbour was quiet that morning.",
    "Who goes there? Say your name!",
    "It was the third night of the storm.",
    "Hold the rope and do not look down.",
    "We have to go, and we have to go now.",
)


class BabbleVoice(ToneVoice):
    """Babbles; `spoil` may change what it says, by text and attempt."""

    identity = "babble-1"

    def __init__(self, spoil: Callable[[str, int, Samples], Samples] = lambda text, attempt, take: take) -> None:
        self.spoil = spoil
        self.said: list[tuple[str, int]] = []

    def speak(self, text: str, profile: VoiceProfile, delivery: Delivery) -> Samples:
        self.said.append((text, delivery.attempt))
        return self.spoil(text, delivery.attempt, babble(text, pitch=150.0, seed=delivery.attempt))


def script(texts: tuple[str, ...] = TEXTS, voice: str = "t200") -> Script:
    return Script(
        language="en",
        beats=tuple(
            Beat(id=f"0001.01.{i}", page="0001", panel="0001.01", kind="speech", text=text, voice=voice)
            for i, text in enumerate(texts, 1)
        ),
    )


def run_in(folder: Path, voice: Voice, **voice_settings: Any) -> Run:
    settings = Settings(voice=VoiceSettings(**voice_settings))
    work = Work(folder)
    work.root.mkdir(exist_ok=True)
    work.load()
    choices = {"reader": Choice("label", "test"), "voice": Choice("test", "test")}
    return Run(work, Watch(quiet=True), settings, LabelReader(ReaderSettings()), voice, choices)


def told(folder: Path) -> dict[str, Any]:
    takes = json.loads((folder / TAKES).read_text(encoding="utf-8"))["takes"]
    return {take["file"].split(".")[1]: take for take in takes}


def test_each_line_is_spoken_once_and_kept_as_it_is(tmp_path: Path) -> None:
    voice = BabbleVoice()
    run = run_in(tmp_path, voice)
    takes = speak(script(), run)
    assert sorted(voice.said) == sorted((text, 0) for text in TEXTS)
    assert run.shortfalls == []
    take = takes["0001.01.1"]
    assert take.seconds == pytest.approx(len(load_take(tmp_path / take.file)) / SAMPLE_RATE)
    assert [entry["tries"] for entry in told(tmp_path).values()] == [1] * 6
    again = BabbleVoice()
    assert speak(script(), run_in(tmp_path, again)) == takes
    assert again.said == []


def test_a_take_that_is_wrong_is_spoken_again_another_way(tmp_path: Path) -> None:
    voice = BabbleVoice(lambda text, attempt, take: take * 0 if text == TEXTS[2] and attempt == 0 else take)
    run = run_in(tmp_path, voice)
    speak(script(), run)
    assert [attempt for text, attempt in voice.said if text == TEXTS[2]] == [0, 1]
    assert told(tmp_path)["who-goes-there-say-your-name"]["tries"] == 2
    assert run.shortfalls == []


def gap(seconds: float, take: Samples) -> Samples:
    return np.insert(take, len(take) // 2, np.zeros(round(seconds * SAMPLE_RATE), np.float32)).astype(np.float32)


def test_the_best_of_three_bad_takes_is_kept_and_listed_run_after_run(tmp_path: Path) -> None:
    gaps = (3.0, 1.5, 2.5)
    voice = BabbleVoice(lambda text, attempt, take: gap(gaps[attempt], take) if text == TEXTS[0] else take)
    run = run_in(tmp_path, voice)
    takes = speak(script(), run)
    assert len(load_take(tmp_path / takes["0001.01.1"].file)) == pytest.approx(
        len(babble(TEXTS[0])) + 1.5 * SAMPLE_RATE, abs=2
    )
    (listed,) = run.shortfalls
    assert listed.startswith("beat 0001.01.1: it is silent for 1.5 s inside (the best of 3: takes/")
    later = run_in(tmp_path, BabbleVoice())
    speak(script(), later)
    assert later.shortfalls == [listed]


def test_an_answer_that_cannot_be_used_is_a_try_and_three_of_them_fail_the_line_alone(tmp_path: Path) -> None:
    def refuse(text: str, attempt: int, take: Samples) -> Samples:
        if text == TEXTS[1] or (text == TEXTS[3] and attempt == 0):
            raise BackendAnswerError("The server answered with text.", "Look at its log.")
        return take

    voice = BabbleVoice(refuse)
    run = run_in(tmp_path, voice)
    with pytest.raises(ItemsFailedError, match="1 of 6"):
        speak(script(), run)
    assert [attempt for text, attempt in voice.said if text == TEXTS[1]] == [0, 1, 2]
    assert len(list((tmp_path / "takes").glob("*.flac"))) == 5
    assert run.shortfalls == ["beat 0001.01.2: The server answered with text. Look at its log."]
    mended = BabbleVoice()
    assert len(speak(script(), run_in(tmp_path, mended))) == 6
    assert mended.said == [(TEXTS[1], 0)]


def test_what_stands_out_once_the_voice_is_known_is_spoken_again(tmp_path: Path) -> None:
    # This voice is slow; one line takes no longer than with others, so some of its words must be missing.
    def slow(text: str, attempt: int, take: Samples) -> Samples:
        return babble(text[:26] if text == TEXTS[4] and attempt == 0 else text + text[:-8], pitch=150.0)

    voice = BabbleVoice(slow)
    run = run_in(tmp_path, voice)
    texts = (*TEXTS, *(f"Then {text.lower()}" for text in TEXTS))
    speak(script(texts), run)
    assert [attempt for text, attempt in voice.said if text == TEXTS[4]] == [0, 3]
    assert told(tmp_path)["hold-the-rope-and-do-not-look-down"]["rate"] > 1.4
    assert run.shortfalls == []


def test_a_take_thrown_away_is_spoken_in_ways_that_were_not_tried(tmp_path: Path) -> None:
    run = run_in(tmp_path, BabbleVoice())
    takes = speak(script(), run)
    (tmp_path / takes["0001.01.1"].file).unlink()
    voice = BabbleVoice()
    speak(script(), run_in(tmp_path, voice))
    assert voice.said == [(TEXTS[0], 3)]


def test_a_take_of_the_users_own_is_not_judged(tmp_path: Path) -> None:
    takes = speak(script(), run_in(tmp_path, BabbleVoice()))
    own = tmp_path / takes["0001.01.1"].file
    soundfile.write(own, np.full(10 * SAMPLE_RATE, 0.3, np.float32), SAMPLE_RATE, subtype="PCM_24")
    run = run_in(tmp_path, BabbleVoice())
    assert speak(script(), run)["0001.01.1"].seconds == 10
    assert run.shortfalls == []
    assert "nobody-saw-the-small-boat-leave" not in told(tmp_path)


class FakeEars(Ears):
    """Hears what it is told to."""

    def __init__(self, hears: Callable[[str], tuple[int, int]]) -> None:
        self.hears = hears

    @property
    def identity(self) -> str:
        return "fake"

    def listen(self, take: Samples, text: str, language: str) -> Heard:
        wrong, run = self.hears(text)
        return Heard(len(text.split()), wrong, run, 0, "something else")


def test_words_that_are_wrong_are_listed_the_longest_run_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {TEXTS[0]: (6, 4), TEXTS[3]: (7, 7)}
    monkeypatch.setattr(
        "comic_narrator.steps.speech.Ears", lambda model: FakeEars(lambda text: wrong.get(text, (0, 0)))
    )
    monkeypatch.setattr(FakeEars, "check", lambda self, language: None)
    voice = BabbleVoice()
    run = run_in(tmp_path, voice, listen="on")
    speak(script(), run)
    assert [shortfall.split(":")[0] for shortfall in run.shortfalls] == ["beat 0001.01.4", "beat 0001.01.1"]
    assert "7 in a row" in run.shortfalls[0]
    assert len(voice.said) == 6 + 2 * 2


def test_who_listens_goes_by_the_setting_and_the_voice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = BabbleVoice()
    drawn.sampled = True
    monkeypatch.setattr(Ears, "installed", lambda self, language: True)
    assert "ears" not in judge_for(run_in(tmp_path, BabbleVoice()), "en").identity
    assert "ears" in judge_for(run_in(tmp_path, drawn), "en").identity
    assert "ears" not in judge_for(run_in(tmp_path, drawn, listen="off"), "en").identity
    assert "ears" in judge_for(run_in(tmp_path, BabbleVoice(), listen="on"), "en").identity
    monkeypatch.setattr(Ears, "installed", lambda self, language: False)
    assert "ears" not in judge_for(run_in(tmp_path, drawn), "en").identity
    with pytest.raises(MissingToolError) as raised:
        judge_for(run_in(tmp_path, drawn, listen="on"), "en")
    assert "[ears]" in raised.value.hint


@pytest.fixture
def fish(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeFish]:
    monkeypatch.setattr("comic_narrator.http.FIRST_PAUSE", 0.01)
    monkeypatch.setattr(References, "_recorded", lambda _, profile: Recording(wav(babble(profile.id), 48_000), "Said."))
    with FakeFish() as running:
        yield running


@pytest.mark.parametrize("death", ["closed", "breaks-off"])
def test_a_server_that_dies_in_mid_book_ends_the_run_saved_takes_stay_and_the_next_run_goes_on(
    tmp_path: Path, fish: FakeFish, death: str
) -> None:
    def dies(handler: fakes.Handler, body: dict[str, Any]) -> None:
        if death == "closed":
            fish.closed.set()
        handler.close_connection = True
        handler.connection.close()

    fish.play(*[fakes.speaks] * 3, always=dies)
    run = run_in(tmp_path, FishVoice(VoiceSettings(url=fish.url)), listen="off")
    with pytest.raises(BackendDownError) as raised:
        speak(script(voice="af_heart"), run)
    assert raised.value.exit_code == 5
    assert len(list((tmp_path / "takes").glob("*.flac"))) == 3
    assert len(told(tmp_path)) == 3
    with FakeFish() as other:
        takes = speak(script(voice="af_heart"), run_in(tmp_path, FishVoice(VoiceSettings(url=other.url)), listen="off"))
        assert len(takes) == 6
        assert len(other.asked) == 3, "what was spoken is not spoken again, wherever the server stands"


def test_several_servers_speak_at_once_one_line_each(tmp_path: Path, fish: FakeFish) -> None:
    with FakeFish() as other:
        for fake in (fish, other):
            fake.play(always=lambda handler, body: fakes.stalls(0.05)(handler, body))
        run = run_in(tmp_path, FishVoice(VoiceSettings(url=f"{fish.url},{other.url}")), listen="off", processes=4)
        texts = (*TEXTS, *(f"Then {text.lower()}" for text in TEXTS))
        assert len(speak(script(texts, voice="am_michael"), run)) == 12
        assert fish.most_in_flight == other.most_in_flight == 1
        assert min(len(fish.asked), len(other.asked)) >= 1
        assert "CC-BY-NC-SA-4.0" in run.voices_heard[0].licence
