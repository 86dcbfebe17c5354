"""Speech servers of the OpenAI shape: Kokoro-FastAPI, openedai-speech, Chatterbox, vLLM-Omni and their like."""

from __future__ import annotations

import base64
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import partial

from comic_narrator.errors import BackendAnswerError, UsageError
from comic_narrator.settings import VoiceSettings
from comic_narrator.voices import Delivery, Samples, VoiceProfile
from comic_narrator.voices.checks import usual_seconds
from comic_narrator.voices.cries import said_alone
from comic_narrator.voices.dialects import NamedVoice, Said, dialect_of, known_voice, told_voices
from comic_narrator.voices.lanes import Lanes, addresses, server_key
from comic_narrator.voices.pieces import limit_for, pieces
from comic_narrator.voices.references import References
from comic_narrator.voices.served import joined, patience_for, seed_of
from comic_narrator.voices.sniff import Sound, decoded

METHOD = "openai-speech-2"
"""Raised when the same line may be asked for otherwise."""

PIECE_SECONDS = 30.0
SLOWEST_SPEED, FASTEST_SPEED = 0.5, 2.0

UNKNOWN_LICENCE = "that of the model on your server: look there before you publish"


class OpenAISpeechVoice:
    """Speaks through POST /v1/audio/speech of one or several servers; thread-safe."""

    processes = 1

    def __init__(self, settings: VoiceSettings) -> None:
        self._server = settings.server
        self._dialect = dialect_of(settings.server)
        self._model = "tts-1" if settings.model == "auto" else settings.model
        self._lanes = Lanes(addresses(settings.url), patience_for(0), server_key())
        self._references = References(settings) if self._dialect.clones else None
        self._told = told_voices(settings.names)
        self._listing = threading.Lock()
        self._listed: tuple[NamedVoice, ...] | None = None

    @property
    def sampled(self) -> bool:
        """Whether another call may give other sound."""
        return self._dialect.sampled

    @property
    def lanes(self) -> int:
        """A line for each server."""
        return len(self._lanes.servers)

    @property
    def identity(self) -> str:
        """Kind of server and model, and what says our own recordings where they are copied; no address."""
        copied = f"/{self._references.identity}" if self._references else ""
        return f"openai-speech/{self._server}/{self._model}/{METHOD}{copied}"

    def check(self, language: str) -> None:
        """Raise UsageError where there is no voice for `language`, BackendDownError where no server answers."""
        if self._references:
            self._references.check()
        if self._dialect.voices_path:
            self._lanes.check(self._dialect.voices_path)
        else:
            # Not every server lists its models; that it says so shows that it is there.
            with suppress(UsageError):
                self._lanes.check("/v1/models")
        if not self.profiles(language):
            raise UsageError(
                f"The speech server has no voice for “{language}” whose sex is known.",
                "Say whose voices it has: --set voice.names=NAME:female,NAME:male",
            )

    def profiles(self, language: str) -> tuple[VoiceProfile, ...]:
        """Its voices for `language`, as voice.names, the server or its kind list them, or those it can copy."""
        if self._references:
            return self._references.profiles(language)
        primary = language.partition("-")[0].lower()
        if len(primary) != 2:
            # Languages that have no short code have no voices either.
            return ()
        return tuple(
            self._profile(voice, voice.language or language)
            for voice in self._voices()
            if (voice.language or language).partition("-")[0].lower() == primary
        )

    def _profile(self, voice: NamedVoice, language: str) -> VoiceProfile:
        slug = re.sub(r"\W+", "-", voice.name.rpartition("/")[2].removesuffix(".wav")).strip("-").lower()
        return VoiceProfile(
            id=slug,
            name=voice.name,
            language=language,
            sex=voice.sex,
            age=voice.age,
            timbre="",
            engine=voice.name,
            licence=UNKNOWN_LICENCE,
            source=f"speech server ({self._server}), model {self._model}",
        )

    def _voices(self) -> tuple[NamedVoice, ...]:
        if self._told:
            return self._told
        with self._listing:
            if self._listed is None:
                names = self._names() if self._dialect.voices_path else self._dialect.voices
                self._listed = tuple(voice for name in names if (voice := known_voice(name)))
            return self._listed

    def _names(self) -> tuple[str, ...]:
        """The names of its voices: strings, or objects with a name, a file or an id, in a list or under `voices`."""
        told = self._lanes.servers[0].get(self._dialect.voices_path or "").json()
        listed = told.get("voices", []) if isinstance(told, Mapping) else told
        if not isinstance(listed, list):
            raise BackendAnswerError(
                "The speech server does not list its voices as it should.", "Name them: --set voice.names=NAME:female"
            )
        return tuple(name for entry in listed if (name := _name(entry)))

    def speak(self, text: str, profile: VoiceProfile, delivery: Delivery) -> Samples:
        """Speak `text`, in pieces where it is long.

        Raises BackendAnswerError where nothing in the text can be said or the answer is no sound, BackendDownError when
        no server is left.
        """
        words = " ".join(text.split())
        if not re.search(r"\w", words):
            raise BackendAnswerError(
                f"Nothing in “{text}” can be said.", "Mend the text of that beat, or turn the beat into a pause."
            )
        said = Said(profile, delivery, seed_of(text, profile, delivery))
        seconds = partial(usual_seconds, language=profile.language)
        sounds = [
            said_alone(piece, profile.language, delivery.attempt, lambda part: self._said(part, said, seconds(part)))
            for piece in pieces(words, seconds, limit_for(delivery.attempt, PIECE_SECONDS))
        ]
        return joined(sounds, profile, delivery, told_speed=self._dialect.keeps_speed)

    def close(self) -> None:
        """End the calls in flight."""
        self._lanes.close()

    def _said(self, piece: str, said: Said, usual: float) -> Sound:
        speed = min(max(said.delivery.speed, SLOWEST_SPEED), FASTEST_SPEED) if self._dialect.keeps_speed else 1.0
        body: dict[str, object] = {
            "model": self._model,
            "input": piece,
            "response_format": "wav",
            "speed": round(speed * _drift(said.delivery.attempt, self._dialect.sampled), 3),
            "stream": False,
            **self._dialect.options(said),
            **self._whose(said.profile),
        }
        return decoded(self._lanes.post("/v1/audio/speech", body, patience_for(usual)).data, "The speech server")

    def _whose(self, profile: VoiceProfile) -> Mapping[str, object]:
        if self._references is None:
            return {"voice": profile.engine}
        recording = self._references.recording(profile)
        audio = f"data:audio/wav;base64,{base64.b64encode(recording.wav).decode('ascii')}"
        return {"task_type": "Base", "ref_audio": audio, "ref_text": recording.words}


def _name(entry: object) -> str | None:
    if isinstance(entry, Mapping):
        entry = next((entry[field] for field in ("filename", "id", "name", "voice_id") if field in entry), None)
    return entry if isinstance(entry, str) else None


def _drift(attempt: int, sampled: bool) -> float:
    """Where a server always answers the same, another attempt is asked for a little faster or slower."""
    return 1.0 if sampled else 1 + 0.012 * ((attempt + 1) // 2) * (1 if attempt % 2 else -1)
