"""Fish Speech (1.5, S1, S2) on a server of its own: it copies the bank's voices, each call from a recording."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Mapping
from functools import partial
from typing import Literal

from comic_narrator.errors import BackendAnswerError, UsageError
from comic_narrator.settings import VoiceSettings
from comic_narrator.voices import Delivery, Samples, VoiceProfile
from comic_narrator.voices.checks import usual_seconds
from comic_narrator.voices.cries import said_alone
from comic_narrator.voices.kana import kana
from comic_narrator.voices.lanes import Lanes, addresses, server_key
from comic_narrator.voices.pieces import limit_for, pieces
from comic_narrator.voices.references import References
from comic_narrator.voices.served import joined, licensed, patience_for, seed_of
from comic_narrator.voices.sniff import Sound, decoded

METHOD = "fish-2"
"""Raised when the same line may be asked for otherwise."""

Version = Literal["1.5", "s1", "s2"]
VERSIONS: tuple[Version, ...] = ("1.5", "s1", "s2")

TOKENS_A_SECOND = 44_100 / 2048
"""The model writes one token for 2,048 samples; after 1,024 of them it stops without a sign, wherever it is."""
MOST_TOKENS = 1024
PIECE_SECONDS = 20.0
"""Reckoned length of what is asked for at once: slow speech still ends before the 47 s of MOST_TOKENS, and the text
stays under the 500 signs that servers are started with as their limit."""

SAMPLING = {"top_p": 0.7, "repetition_penalty": 1.2, "temperature": 0.7}
USUAL_URL = "http://127.0.0.1:8080"
"""Where its server stands unless it is told otherwise, and where the profiles for GPUs start it."""

LANGUAGES = frozenset({"ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "zh"})

LICENCES: Mapping[Version, str] = {
    "1.5": "CC-BY-NC-SA-4.0 (weights of Fish Speech 1.5): not for commercial films",
    "s1": "CC-BY-NC-SA-4.0 (weights of OpenAudio S1): not for commercial films",
    "s2": "Fish Audio Research License (weights of Fish Audio S2): not for commercial films",
}
"""What the weights' licence means for a film: the model's sound is heard, whoever the voice is copied from."""

S1_MARKERS = {
    "afraid": "scared", "angry": "angry", "annoyed": "frustrated", "anxious": "anxious", "calm": "relaxed",
    "confident": "confident", "confused": "confused", "crying": "sobbing", "curious": "curious",
    "disgusted": "disgusted", "embarrassed": "embarrassed", "excited": "excited", "fearful": "scared",
    "furious": "furious", "grateful": "grateful", "guilty": "guilty", "happy": "joyful", "hurried": "in a hurry tone",
    "joyful": "joyful", "laughing": "laughing", "nervous": "nervous", "panicked": "panicked", "proud": "proud",
    "sad": "sad", "sarcastic": "sarcastic", "scared": "scared", "screaming": "screaming", "shocked": "surprised",
    "shouting": "shouting", "sighing": "sighing", "surprised": "surprised", "tender": "soft tone",
    "whispering": "whispering", "worried": "worried",
}  # fmt: skip
"""Moods in our words, and the markers that S1 was trained on; it reads any other aloud."""

_MARKER = re.compile(r"^\s*[(\[][A-Za-z ]{3,24}[)\]]\s*")


class FishVoice:
    """Speaks through one or several Fish Speech servers, each of which speaks one line at a time; thread-safe.

    Its voices are cloned, for every call anew, from the recording sent along: a server's own names for voices answer
    with somebody else's when they are wrong, and its cache of several recordings mixes them up.
    """

    processes = 1
    sampled = True

    def __init__(self, settings: VoiceSettings) -> None:
        self._version = _version(settings.model)
        self._lanes = Lanes(addresses(settings.url or USUAL_URL), patience_for(0), server_key())
        self._references = References(settings)

    @property
    def lanes(self) -> int:
        """A line for each server."""
        return len(self._lanes.servers)

    @property
    def identity(self) -> str:
        """Version and sampling of the model, and what says our own recordings; no address."""
        sampling = ",".join(f"{name}={value}" for name, value in SAMPLING.items())
        return f"fish-speech-{self._version}/{METHOD}/{sampling}/{self._references.identity}"

    def check(self, language: str) -> None:
        """Raise UsageError for a language it does not speak, BackendDownError where no server answers.

        The servers' health is asked for here, before anything is spoken: while one speaks, it does not answer, and a
        question that is not answered in time says nothing.
        """
        if _primary(language) not in LANGUAGES:
            raise UsageError(
                f"Fish Speech does not speak “{language}”.",
                f"Choose another voice backend, or --lang with one of {', '.join(sorted(LANGUAGES))}.",
            )
        self._references.check()
        self._lanes.check("/v1/health")

    def profiles(self, language: str) -> tuple[VoiceProfile, ...]:
        """The bank's voices for `language`, under the licence of the model's weights; else the English ones."""
        if _primary(language) not in LANGUAGES:
            return ()
        return tuple(licensed(profile, LICENCES[self._version]) for profile in self._references.profiles(language))

    def speak(self, text: str, profile: VoiceProfile, delivery: Delivery) -> Samples:
        """Speak `text`, in pieces where it is long; the seed goes by text, voice and attempt: a take can be made again.

        Raises BackendAnswerError where nothing in the text can be said or the answer is no sound, BackendDownError when
        no server is left.
        """
        words = sayable(text, profile.language)
        if not re.search(r"\w", words):
            # The server answers 500 to such a text, every time.
            raise BackendAnswerError(
                f"Nothing in “{text}” can be said.", "Mend the text of that beat, or turn the beat into a pause."
            )
        recording = self._references.recording(profile)
        reference = {"audio": base64.b64encode(recording.wav).decode("ascii"), "text": recording.words}
        seed = seed_of(text, profile, delivery)
        seconds = partial(usual_seconds, language=profile.language)

        def ask(piece: str) -> Sound:
            sent = marked(piece, self._version, delivery)
            return self._said(sent, seconds(piece), reference, seed, profile.language)

        sounds = [
            said_alone(piece, profile.language, delivery.attempt, ask)
            for piece in pieces(words, seconds, limit_for(delivery.attempt, PIECE_SECONDS))
        ]
        return joined(sounds, profile, delivery)

    def close(self) -> None:
        """End the calls in flight."""
        self._lanes.close()

    def _said(self, piece: str, usual: float, reference: Mapping[str, str], seed: int, language: str) -> Sound:
        most = min(MOST_TOKENS, math.ceil((2.5 * usual + 3) * TOKENS_A_SECOND))
        answer = self._lanes.post(
            "/v1/tts",
            {
                "text": piece,
                "references": [reference],
                "reference_id": None,
                "format": "wav",
                "streaming": False,
                # Its normaliser knows English and Chinese, and takes kana for the latter.
                "normalize": _primary(language) in ("en", "zh"),
                "seed": seed,
                "max_new_tokens": most,
                "use_memory_cache": "off",
                **SAMPLING,
            },
            patience_for(usual),
        )
        sound = decoded(answer.data, "Fish Speech")
        if len(sound.samples) / sound.rate > (most - 2) / TOKENS_A_SECOND:
            raise BackendAnswerError(
                f"Fish Speech did not come to an end within {most / TOKENS_A_SECOND:.0f} s for “{piece[:60]}”.",
                "It is asked again with another seed; shorten the text of that beat where that does not help.",
            )
        return sound


def sayable(text: str, language: str) -> str:
    """`text` as it is sent: without markers and runs of white space, which make noises; Japanese in kana."""
    words = " ".join(_MARKER.sub("", text).split())
    return kana(words) if _primary(language) == "ja" else words


def marked(piece: str, version: Version, delivery: Delivery) -> str:
    """`piece` with its delivery's mood as a marker: none for 1.5, one of S1's list in (), any words in [] for S2."""
    mood = delivery.emotion or delivery.tone
    if mood is None or version == "1.5":
        return piece
    if version == "s1":
        known = S1_MARKERS.get(mood.strip().lower())
        return f"({known}) {piece}" if known else piece
    plain = " ".join(re.findall(r"[a-z]+", mood.lower()))
    return f"[{plain}] {piece}" if plain else piece


def _version(model: str) -> Version:
    wanted = "1.5" if model == "auto" else model.lower()
    for version in VERSIONS:
        if wanted == version:
            return version
    raise UsageError(
        f"There is no Fish Speech model “{model}”.", f"Set voice.model to auto (1.5) or one of {', '.join(VERSIONS)}."
    )


def _primary(language: str) -> str:
    return language.partition("-")[0].lower()
