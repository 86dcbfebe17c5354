"""Recordings that an engine copies a voice from: those of the user's bank, and ours, said by the embedded voice."""

from __future__ import annotations

import io
import threading
from dataclasses import dataclass, replace

import numpy as np
import soundfile
import soxr

from comic_narrator.model import SAMPLE_RATE
from comic_narrator.settings import VoiceSettings
from comic_narrator.voices import Delivery, VoiceProfile
from comic_narrator.voices.bank import own_folder, profiles
from comic_narrator.voices.embedded import EmbeddedVoice

REFERENCE_RATE = 24_000
REST = 0.5
"""Seconds of silence at the end of a reference: without them a cloning model swallows the last word of what it says."""

WORDS = {
    "en": "The harbour was quiet that morning. Nobody saw the small boat leave, and nobody asked where it might go.",
    "ja": "その朝、港はとても静かでした。小さな船が出ていくのを、だれも見ていませんでした。",
}


@dataclass(frozen=True)
class Recording:
    """A mono WAV file and the words that are said in it."""

    wav: bytes
    words: str


class References:
    """Profiles with something to copy from, and the recordings; each of ours is said once, when it is first needed."""

    def __init__(self, settings: VoiceSettings) -> None:
        self._embedded = EmbeddedVoice(settings)
        self._folder = own_folder(settings.bank)
        self._lock = threading.Lock()
        self._said: dict[str, Recording] = {}

    @property
    def identity(self) -> str:
        """Changes whenever our own recordings may."""
        return self._embedded.identity

    def check(self) -> None:
        """Raise MissingToolError where the embedded voice, which says our own recordings, is not wholly installed."""
        self._embedded.check("en")

    def profiles(self, language: str) -> tuple[VoiceProfile, ...]:
        """The bank's profiles for `language`, else its English ones: a model may speak what they do not."""
        return self._listed(language) or tuple(replace(profile, language=language) for profile in self._listed("en"))

    def _listed(self, language: str) -> tuple[VoiceProfile, ...]:
        return tuple(profile for profile in profiles(language, self._folder) if profile.reference or profile.engine)

    def recording(self, profile: VoiceProfile) -> Recording:
        """What to copy `profile` from; InputError where its file cannot be read."""
        with self._lock:
            if profile.sound not in self._said:
                self._said[profile.sound] = self._recorded(profile)
            return self._said[profile.sound]

    def _recorded(self, profile: VoiceProfile) -> Recording:
        if profile.reference is not None:
            return Recording(profile.reference.wav.read_bytes(), profile.reference.text)
        spoken = profile.language if profile.language[:2] in WORDS else "en"
        words = WORDS[spoken[:2]]
        # The colouring comes after the engine, so that it is heard once and not twice.
        plain = replace(profile, language=spoken, colouring=None)
        take = self._embedded.speak(words, plain, Delivery())
        sound = soxr.resample(take, SAMPLE_RATE, REFERENCE_RATE, quality="HQ")
        with_rest = np.concatenate([sound, np.zeros(round(REST * REFERENCE_RATE), np.float32)])
        file = io.BytesIO()
        soundfile.write(file, with_rest, REFERENCE_RATE, format="WAV", subtype="PCM_16")
        return Recording(file.getvalue(), words)
