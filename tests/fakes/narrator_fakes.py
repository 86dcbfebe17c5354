"""Backends installed as a package would install them: quick ones, and some that fail as real ones do."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from comic_narrator.errors import BackendAnswerError, BackendDownError, MissingToolError
from comic_narrator.http import Patience, Server
from comic_narrator.model import SAMPLE_RATE, Box, Person
from comic_narrator.readers import PageFigure, PageToRead, Reading, ReadLine, one_person_a_label
from comic_narrator.report import ReadingReport
from comic_narrator.settings import ReaderSettings, VoiceSettings
from comic_narrator.voices import Delivery, Samples, VoiceProfile


class LabelReader:
    """Reads one line in each panel: its number."""

    identity = "label-1"
    processes = 1
    lanes = 1
    starts_from = None
    translator = None

    def __init__(self, settings: ReaderSettings) -> None:
        del settings

    def check(self, language: str | None = None) -> None:
        """Always at hand."""

    def language(self, images: Sequence[Path]) -> str:
        """English."""
        return "en"

    def read(self, page: PageToRead, cast: Sequence[Person]) -> Reading:
        """Panel after panel."""
        return Reading(
            tuple(
                ReadLine(i, "dialogue", f"PANEL {i + 1}!", Box(box.x + 5, box.y + 5, 60, 20), 0.9, speaker="AB"[i % 2])
                for i, box in enumerate(page.panels)
            )
        )

    def who_is_who(self, figures: Sequence[PageFigure]) -> tuple[Person, ...]:
        """As they are called."""
        return one_person_a_label(figures)

    def account(self) -> ReadingReport | None:
        """None: no server is asked."""
        return None

    def close(self) -> None:
        """Nothing is held."""


class ChattyReader(LabelReader):
    """Reads four lines in each panel, no two of them alike in a book: as many as the pages of real books have."""

    identity = "chatty-1"

    def read(self, page: PageToRead, cast: Sequence[Person]) -> Reading:
        """Panel after panel, line below line."""
        return Reading(
            tuple(
                ReadLine(
                    i,
                    "dialogue",
                    f"{int(page.page)}, {i + 1}, {n}!",
                    Box(box.x + 5, box.y + 5 + 30 * n, 60, 20),
                    0.9,
                    speaker="AB"[n % 2],
                )
                for i, box in enumerate(page.panels)
                for n in range(4)
            )
        )


class CrowdReader(LabelReader):
    """The same in three processes; page 0005 kills the one that reads it, or is refused, if FAKE_... is set."""

    processes = 3

    def read(self, page: PageToRead, cast: Sequence[Person]) -> Reading:
        """The numbers, and who read them."""
        if os.environ.get("FAKE_DEATH") and page.image.parent.name == "0005":
            os._exit(9)
        if os.environ.get("FAKE_REFUSAL") and page.image.parent.name == "0005":
            raise BackendAnswerError("The model answers nonsense.", "Take another.")
        # Long enough that one does not read them all before the others have begun.
        time.sleep(0.3)
        reading = super().read(page, cast)
        lines = tuple(replace(line, speaker=str(os.getpid())) for line in reading.lines)
        return Reading(lines, reading.figures)


class MissingReader(LabelReader):
    """A reader whose model is not installed."""

    def check(self, language: str | None = None) -> None:
        """Never at hand."""
        raise MissingToolError("The model is missing.", "Install it.")


class ToneVoice:
    """Says everything as a tone, a tenth of a second a letter; each attempt is a little longer."""

    identity = "tone-1"
    processes = 1
    lanes = 1
    sampled = False

    def __init__(self, settings: VoiceSettings) -> None:
        del settings

    def check(self, language: str) -> None:
        """Always at hand."""

    def profiles(self, language: str) -> tuple[VoiceProfile, ...]:
        """Three voices that differ in pitch."""
        return tuple(
            VoiceProfile(f"t{hz}", f"{hz} Hz", language, "female", "adult", "tone", str(hz), "none", "tests")
            for hz in (200, 300, 400)
        )

    def speak(self, text: str, profile: VoiceProfile, delivery: Delivery) -> Samples:
        """A tone of the profile's pitch."""
        seconds = 0.1 * len(text) / delivery.speed + 0.05 * delivery.attempt
        time = np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE
        # It swells and dies away as syllables do: a steady tone would be taken for a fault.
        syllables = np.sin(np.pi * max(round(4 * seconds), 1) * time / seconds) ** 2
        return (0.1 * syllables * np.sin(2 * np.pi * int(profile.engine) * time)).astype(np.float32)

    def close(self) -> None:
        """Nothing is in flight."""


class AskingReader(LabelReader):
    """The same, with a model server that is asked for every page."""

    lanes = 2

    def __init__(self, settings: ReaderSettings) -> None:
        self._server = Server(settings.url, patience=Patience(connect=1, read=5, total=5, attempts=1))

    @property
    def identity(self) -> str:  # type: ignore[override]
        """The served model."""
        return f"asking {self._server.get('/v1/models').json()['data'][0]['root']}"

    def check(self, language: str | None = None) -> None:
        """Whether the server is there."""
        self._server.get("/v1/models")

    def read(self, page: PageToRead, cast: Sequence[Person]) -> Reading:
        """What the label reader reads, once the server has answered."""
        self._server.post("/v1/chat/completions", {})
        lines = super().read(page, cast).lines
        return Reading(tuple(replace(line, text=f"PAGE {int(page.page)} {line.text}") for line in lines))

    def who_is_who(self, figures: Sequence[PageFigure]) -> tuple[Person, ...]:
        """As they are called, once the server has answered."""
        self._server.post("/v1/chat/completions", {})
        return super().who_is_who(figures)


class AskingVoice(ToneVoice):
    """The same, with a speech server at FAKE_SPEECH_URL that is asked for every line."""

    def __init__(self, settings: VoiceSettings) -> None:
        del settings
        self._server = Server(os.environ["FAKE_SPEECH_URL"], patience=Patience(connect=1, read=5, total=5, attempts=1))

    def check(self, language: str) -> None:
        """Whether the server is there."""
        self._server.get("/v1/health")

    def speak(self, text: str, profile: VoiceProfile, delivery: Delivery) -> Samples:
        """A tone, once the server has answered."""
        self._server.post("/v1/tts", {})
        return super().speak(text, profile, delivery)


class FailingVoice(ToneVoice):
    """Cannot say "two" until FAKE_MENDED is set."""

    def speak(self, text: str, profile: VoiceProfile, delivery: Delivery) -> Samples:
        """A tone, or garbage from the server."""
        if "two" in text.lower() and "FAKE_MENDED" not in os.environ:
            raise BackendAnswerError("The server answered with garbage.", "Look at its log.")
        return super().speak(text, profile, delivery)


class DownVoice(ToneVoice):
    """A voice whose server does not answer."""

    def check(self, language: str) -> None:
        """Never answers."""
        raise BackendDownError("The server does not answer.", "Start it.")


class FullDiskVoice(ToneVoice):
    """Fills the disk with its first word."""

    def speak(self, text: str, profile: VoiceProfile, delivery: Delivery) -> Samples:
        """No space is left."""
        raise OSError(errno.ENOSPC, "No space left on device")
