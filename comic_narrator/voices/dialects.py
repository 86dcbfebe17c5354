"""What servers of the OpenAI shape differ in: where they list their voices, and which options each understands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from comic_narrator.errors import UsageError
from comic_narrator.voices import Delivery, VoiceProfile

Sex = Literal["female", "male"]
Age = Literal["child", "young", "adult", "old"]
Options = Mapping[str, object]


@dataclass(frozen=True)
class Said:
    """A line that is to be asked for, as far as options go by it."""

    profile: VoiceProfile
    delivery: Delivery
    seed: int


@dataclass(frozen=True)
class Dialect:
    """One server's way of the OpenAI shape.

    `voices_path` is where its voices are listed (None: nowhere, `voices` are those it comes with). `options` gives what
    a line needs beyond model, input, voice and format. `keeps_speed`: it speaks at the speed it is told. `sampled`:
    another seed, or merely another call, may give other sound. `clones`: it copies recordings.
    """

    voices_path: str | None
    voices: tuple[str, ...]
    options: Callable[[Said], Options]
    keeps_speed: bool
    sampled: bool
    clones: bool = False


def _kokoro(said: Said) -> Options:
    # Its own normaliser would spell out what our script has made into words.
    return {"lang_code": said.profile.engine[:1], "normalization_options": {"normalize": False}}


def _nothing(said: Said) -> Options:
    del said
    return {}


def _chatterbox(said: Said) -> Options:
    """Calm lines near 0.4, shouts near 0.8; more runs away, and a lower weight of pace makes up for its haste."""
    exaggeration = round(min(max(0.5 + 0.3 * said.delivery.effort, 0.3), 1.0), 2)
    return {"seed": said.seed, "exaggeration": exaggeration, "cfg_weight": 0.5 if exaggeration <= 0.6 else 0.35}


LANGUAGE_NAMES = {
    "de": "German", "en": "English", "es": "Spanish", "fr": "French", "it": "Italian", "ja": "Japanese", "ko": "Korean",
    "pt": "Portuguese", "ru": "Russian", "zh": "Chinese",
}  # fmt: skip


def _omni(said: Said) -> Options:
    mood = said.delivery.emotion or said.delivery.tone
    language = LANGUAGE_NAMES.get(said.profile.language.partition("-")[0].lower(), "Auto")
    plain = " ".join(re.findall(r"[a-z]+", mood.lower())) if mood else ""
    return {"seed": said.seed, "language": language} | ({"instructions": f"Sound {plain}."} if plain else {})


OPENAI_VOICES = ("alloy", "echo", "fable", "onyx", "nova", "shimmer")

DIALECTS: Mapping[str, Dialect] = {
    "plain": Dialect(None, OPENAI_VOICES, _nothing, keeps_speed=True, sampled=True),
    "kokoro": Dialect("/v1/audio/voices", (), _kokoro, keeps_speed=True, sampled=False),
    "openedai": Dialect(None, OPENAI_VOICES, _nothing, keeps_speed=True, sampled=True),
    "chatterbox": Dialect("/get_predefined_voices", (), _chatterbox, keeps_speed=False, sampled=True),
    "vllm-omni": Dialect("/v1/audio/voices", (), _omni, keeps_speed=False, sampled=True),
    "vllm-omni-clone": Dialect(None, (), _omni, keeps_speed=False, sampled=True, clones=True),
}
"""By what voice.server says. A server that ignores `stream`, or its voice, is found out by its answer."""

_WOMEN = frozenset({
    "abigail", "alexandra", "alice", "alloy", "amelia", "anna", "ashley", "ballad", "coral", "elena", "emily", "emma",
    "fable", "gianna", "grace", "jade", "jenny", "jessica", "julia", "lily", "maya", "nova", "ono_anna", "olivia",
    "sage", "sarah", "serena", "shimmer", "sohee", "sophia", "taylor", "vivian",
})  # fmt: skip
_MEN = frozenset({
    "adrian", "aiden", "alexander", "ash", "austin", "axel", "cedar", "connor", "daniel", "dylan", "echo", "eli",
    "eric", "everett", "gabriel", "george", "henry", "ian", "jack", "jeremiah", "jordan", "leo", "leonardo", "marin",
    "michael", "miles", "onyx", "oliver", "robert", "ryan", "thomas", "uncle_fu", "verse", "william",
})  # fmt: skip
_KOKORO_LANGUAGES = {
    "a": "en-US", "b": "en-GB", "e": "es", "f": "fr", "h": "hi", "i": "it", "j": "ja", "p": "pt-BR", "z": "zh",
}  # fmt: skip


@dataclass(frozen=True)
class NamedVoice:
    """A server's voice, and what is known of it; `language` None: whichever is to be spoken."""

    name: str
    sex: Sex
    age: Age = "adult"
    language: str | None = None


def known_voice(name: str) -> NamedVoice | None:
    """What a server's name for a voice tells: Kokoro's by its letters, others where the name is known; else None."""
    if re.fullmatch(r"[abefhijpz][fm]_\w+", name):
        return NamedVoice(name, "female" if name[1] == "f" else "male", language=_KOKORO_LANGUAGES[name[0]])
    bare = name.rpartition("/")[2].partition(".")[0].lower()
    if bare in _WOMEN:
        return NamedVoice(name, "female")
    return NamedVoice(name, "male") if bare in _MEN else None


def told_voices(written: str) -> tuple[NamedVoice, ...]:
    """The voices of voice.names, as in “alloy:female, grandpa:male:old, yuki:female::ja”; UsageError if malformed."""
    told: list[NamedVoice] = []
    for part in filter(None, (part.strip() for part in written.split(","))):
        match = re.fullmatch(r"([^:]+):(female|male)(?::(child|young|adult|old)?)?(?::([A-Za-z-]+))?", part)
        voice = _told(match) if match else known_voice(part)
        if voice is None:
            raise UsageError(
                f"voice.names: “{part}” does not say whose voice it is.",
                "Write NAME:female or NAME:male, and if you like its age and language: grandpa:male:old:en.",
            )
        told.append(voice)
    return tuple(told)


def _told(match: re.Match[str]) -> NamedVoice:
    name, sex, age, language = match.groups()
    # The pattern lets no other words through.
    return NamedVoice(name.strip(), sex, age or "adult", language)  # type: ignore[arg-type]


def dialect_of(server: str) -> Dialect:
    """The dialect that voice.server names; UsageError for an unknown one."""
    if server not in DIALECTS:
        raise UsageError(
            f"There is no kind of speech server “{server}”.", f"Set voice.server to {', '.join(DIALECTS)}."
        )
    return DIALECTS[server]
