"""Real speech servers, where the environment says that some run: COMIC_NARRATOR_TEST_FISH, COMIC_NARRATOR_TEST_SPEECH.

Each is an address; COMIC_NARRATOR_TEST_FISH_MODEL (1.5, s1, s2) and COMIC_NARRATOR_TEST_SPEECH_SERVER (kokoro ...) say
of which kind.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from benchmarks.ears import english_words, word_error_rate
from comic_narrator.settings import VoiceSettings
from comic_narrator.voices import Delivery, Voice
from comic_narrator.voices.fish import FishVoice
from comic_narrator.voices.openai_speech import OpenAISpeechVoice
from comic_narrator.voices.takes import Judge, Wanted, usual_habit

FISH = os.environ.get("COMIC_NARRATOR_TEST_FISH", "")
SPEECH = os.environ.get("COMIC_NARRATOR_TEST_SPEECH", "")


def fish() -> Voice:
    model = os.environ.get("COMIC_NARRATOR_TEST_FISH_MODEL", "auto")
    return FishVoice(VoiceSettings(url=FISH, model=model))


def speech() -> Voice:
    server = os.environ.get("COMIC_NARRATOR_TEST_SPEECH_SERVER", "plain")
    return OpenAISpeechVoice(VoiceSettings(url=SPEECH, server=server))


@pytest.fixture(
    params=[
        pytest.param(fish, id="fish", marks=pytest.mark.skipif(not FISH, reason="COMIC_NARRATOR_TEST_FISH is not set")),
        pytest.param(
            speech, id="speech", marks=pytest.mark.skipif(not SPEECH, reason="COMIC_NARRATOR_TEST_SPEECH is not set")
        ),
    ]
)
def voice(request: pytest.FixtureRequest) -> Voice:
    made: Voice = request.param()
    made.check("en")
    return made


def test_it_speaks_a_line_that_is_heard_and_right(voice: Voice) -> None:
    wanted = Wanted("Nobody saw the small boat leave the harbour.", voice.profiles("en")[0], Delivery())
    take = voice.speak(wanted.text, wanted.profile, wanted.delivery)
    assert Judge().judge(take, wanted, usual_habit(wanted)).faults == ()
    assert word_error_rate(wanted.text, english_words(take)) <= 0.25


def test_a_take_can_be_made_again_and_another_try_is_another_take(voice: Voice) -> None:
    profile = voice.profiles("en")[0]
    first, again, other = (voice.speak("Stop the train!", profile, Delivery(attempt=n)) for n in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
