"""script.json, takes.json and translation.json: what is said and heard, take by take."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from comic_narrator.model.parts import Artefact, Part
from comic_narrator.voice_profiles import Colouring

BeatKind = Literal["speech", "sound", "ambience", "music", "pause"]


class Beat(Part):
    """What is heard or held: one spoken text, or a pause on a panel."""

    id: str
    page: str
    panel: str
    kind: BeatKind
    text: str | None = None
    printed: str | None = None
    speaker: str | None = None
    voice: str | None = None
    tone: str | None = None
    emotion: str | None = None
    effort: float = Field(0.0, ge=-1, le=1)
    colouring: Colouring | None = None
    pronounced: dict[str, str] = Field({}, description="Words in lower case, and another spelling or /IPA/.")
    speed: float = Field(1.0, gt=0.4, lt=2.5)
    gain_db: float = Field(0.0, ge=-40, le=20)
    pause_after: float = Field(0.0, ge=-1, le=60)

    @model_validator(mode="after")
    def _speech_has_words_and_voice(self) -> Self:
        if self.kind == "speech" and not (self.text and self.voice):
            raise ValueError(f"beat {self.id} is speech and needs both text and voice")
        if self.kind != "speech" and self.pause_after < 0:
            raise ValueError(f"beat {self.id} has no sound that another could overlap")
        if not self.panel.startswith(f"{self.page}."):
            raise ValueError(f"beat {self.id} is on page {self.page} but in panel {self.panel}")
        return self


class Script(Artefact):
    """script.json: all beats of the book in order."""

    schema_: Literal["comic_narrator.script/1"] = Field("comic_narrator.script/1", alias="schema")
    language: str
    beats: tuple[Beat, ...]

    @model_validator(mode="after")
    def _beats_are_told_apart(self) -> Self:
        seen: set[str] = set()
        for beat in self.beats:
            if beat.id in seen:
                raise ValueError(f"two beats have the id {beat.id}")
            seen.add(beat.id)
        return self


class TakeFault(Part):
    """One thing that is wrong with a take: of which kind, in words, and how bad (1 and more)."""

    kind: str
    what: str
    weight: float


class JudgedTake(Part):
    """What was found of a take: its seconds, these against those usual for its text, its pitch in Hz, its faults."""

    file: str
    sha256: str
    seconds: float
    rate: float
    pitch: float | None = None
    tries: int = 1
    faults: tuple[TakeFault, ...] = ()


class Takes(Artefact):
    """takes.json: what `judge` found of each take; the same file and judge are not judged again."""

    schema_: Literal["comic_narrator.takes/1"] = Field("comic_narrator.takes/1", alias="schema")
    judge: str
    takes: tuple[JudgedTake, ...] = ()


class TranslatedLine(Part):
    """What a beat's subtitle says in the other language."""

    beat: str
    text: str


class Translation(Artefact):
    """translation.json: the lines in another language; those that are missing could not be translated."""

    schema_: Literal["comic_narrator.translation/1"] = Field("comic_narrator.translation/1", alias="schema")
    language: str
    lines: tuple[TranslatedLine, ...]
