"""The reader that asks a multimodal model: it starts from what the embedded reader found on a page."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from babel.core import get_global
from numpy.typing import NDArray

from comic_narrator.errors import BackendAnswerError, BackendDownError, DoesNotFitError, NarratorError, UsageError
from comic_narrator.http import Server
from comic_narrator.model import Box, PageLabel, Person
from comic_narrator.pictures import load_rgb
from comic_narrator.readers import PageFigure, PageToRead, Reading, Translator
from comic_narrator.readers.embedded import EmbeddedReader, embedded_reader
from comic_narrator.readers.languages import check_language
from comic_narrator.readers.speakers import VOICES
from comic_narrator.readers.vllm.answers import LanguageAnswer, parse_answer
from comic_narrator.readers.vllm.asking import Counted, ask_twice, read_part, request
from comic_narrator.readers.vllm.chat import Chat
from comic_narrator.readers.vllm.parts import Part, likely, one_panel, whole_page
from comic_narrator.readers.vllm.people import tell_people
from comic_narrator.readers.vllm.prompts import digest
from comic_narrator.readers.vllm.showing import clean, sized
from comic_narrator.readers.vllm.translation import ChatTranslator
from comic_narrator.report import ReadingReport, spread
from comic_narrator.settings import ReaderSettings

METHOD = "served-1"
"""Raised when the same answers may give another reading, or other evidence is told."""
KEY = "COMIC_NARRATOR_API_KEY"
"""The environment variable that holds the server's key: a secret is in no file and in no artefact."""
AHEAD = 2
"""Pages that are recognised, or are between two requests, while as many as the server seats are in flight."""
SMALLEST = 32
"""A page with a side of fewer pixels has nothing on it to read, and servers refuse such pictures."""
MOST_PANELS, MOST_LINES = 40, 80
"""A page with more is read panel by panel: its answer would not end."""
LANGUAGE_PIXELS = 800_000
LANGUAGE_TOKENS = 60


def vllm_reader(settings: ReaderSettings) -> VllmReader:
    """The reader as the settings want it; UsageError when they name no server."""
    if not settings.url:
        raise UsageError(
            "The vllm reader has no server: reader.url is not set.",
            "Give its address, as in --set reader.url=http://127.0.0.1:8000.",
        )
    server = Server(settings.url, key=os.environ.get(KEY))
    chat = Chat(server, settings.model, settings.in_flight, settings.context)
    return VllmReader(chat, embedded_reader(settings))


class VllmReader:
    """Reads pages with a model on a server, page for page from the embedded reader's boxes and words; thread-safe."""

    def __init__(self, chat: Chat, embedded: EmbeddedReader) -> None:
        self._chat = chat
        self._embedded = embedded
        # The recogniser uses all cores: two pages at once are no quicker than one after the other.
        self._recognising = threading.Lock()
        self._translator = ChatTranslator(chat)
        self._counting = threading.Lock()
        self._costs: list[Counted] = []
        self._checked = False
        self._closed = threading.Event()

    @property
    def identity(self) -> str:
        """The served model, what it is told, and the reader whose evidence it gets."""
        tasks = digest("page", "people", "language")
        return "/".join([METHOD, self._chat.identity, f"prompts-{tasks}", self._embedded.identity])

    @property
    def processes(self) -> int:
        """As many as the recogniser's evidence is made in."""
        return self._embedded.processes

    @property
    def lanes(self) -> int:
        """The requests that may be in flight, and pages that are being made ready."""
        return self._chat.in_flight + AHEAD

    @property
    def starts_from(self) -> str | None:
        """The embedded reader."""
        return "embedded"

    @property
    def translator(self) -> Translator | None:
        """The same model."""
        return self._translator

    def check(self, language: str | None = None) -> None:
        """Raise what is wrong with the recogniser or the server now; the model may read languages that it cannot."""
        self._embedded.check()
        self._chat.check()
        self._checked = True

    def account(self) -> ReadingReport | None:
        """What was asked of the server; None while nothing was."""
        if not self._checked:
            return None
        with self._counting:
            costs = tuple(self._costs)
        return ReadingReport(
            pages=len(costs),
            tokens_per_page=spread([cost.tokens for cost in costs]),
            seconds_per_page=spread([cost.seconds for cost in costs]),
            server=self._chat.figures(),
        )

    def close(self) -> None:
        """End the requests in flight, and recognise nothing more."""
        self._closed.set()
        self._chat.close()

    def language(self, images: Sequence[Path]) -> str:
        """The language of the lettering, as the model sees it on the middle page, else as the recogniser does."""
        page = load_rgb(images[(len(images) - 1) // 2])
        try:
            return self._seen_language(page) or self._embedded.language(images)
        except (BackendAnswerError, DoesNotFitError):
            return self._embedded.language(images)

    def read(self, page: PageToRead, cast: Sequence[Person]) -> Reading:
        """Read one page: as a whole, else panel by panel, else as the embedded reader does, which is remarked on.

        BackendAnswerError where nothing can be used; BackendDownError and UsageError of the server end it at once.
        """
        image = load_rgb(page.image)
        evidence = page.evidence or self._recognised(page)
        height, width = image.shape[:2]
        if min(width, height) < SMALLEST:
            return evidence
        whole = whole_page(page, evidence, (width, height), likely(_named(cast), page.page), _is_legible(page.language))
        cost = Counted(self._chat)
        try:
            return _asked(cost, whole, image)
        finally:
            with self._counting:
                self._costs.append(cost)

    def who_is_who(self, figures: Sequence[PageFigure]) -> tuple[Person, ...]:
        """Which labels are one person and what they are called; BackendAnswerError where the model cannot tell.

        Those that only the embedded reader told apart are its to join.
        """
        seen = [figure for figure in figures if not figure.label.startswith(VOICES)]
        heard = [figure for figure in figures if figure.label.startswith(VOICES)]
        return (*tell_people(self._chat, seen), *self._embedded.who_is_who(heard))

    def _recognised(self, page: PageToRead) -> Reading:
        with self._recognising:
            if self._closed.is_set():
                raise BackendDownError("The reader was closed.", "Run the same command again to go on.")
            return self._embedded.read(page, ())

    def _seen_language(self, page: NDArray[np.uint8]) -> str | None:
        region = _whole_region(page)
        if min(region.w, region.h) < SMALLEST:
            return None
        picture = clean(page, sized(region, LANGUAGE_PIXELS))
        asked = request("language", LanguageAnswer, (picture,), LANGUAGE_TOKENS)
        tag = ask_twice(self._chat, asked, lambda text: parse_answer(LanguageAnswer, text).language)
        primary, *rest = tag.replace("_", "-").split("-")
        if primary.lower() == "und" or primary.lower() not in get_global("likely_subtags"):
            return None
        return "-".join([primary.lower(), *rest])


def _named(cast: Sequence[Person]) -> list[Person]:
    """Whom the model itself named; the embedded reader's voices are nobody to look for in a picture."""
    return [person for person in cast if not person.name.startswith(VOICES)]


def _asked(chat: Counted, whole: Part, image: NDArray[np.uint8]) -> Reading:
    """The page as a whole, else panel by panel."""
    try:
        if len(whole.panels) > MOST_PANELS or len(whole.lines) > MOST_LINES:
            raise DoesNotFitError("The page has too much on it for one answer.", "It is read panel by panel.")
        return read_part(chat, whole, image)
    except (BackendAnswerError, DoesNotFitError) as error:
        return _by_panels(chat, whole, image, error)


def _by_panels(chat: Counted, whole: Part, image: NDArray[np.uint8], first: NarratorError) -> Reading:
    """The page panel by panel; where the model cannot be used there either, what the recogniser made of it."""
    failed: dict[int, str] = {}
    parts = []
    known = whole.known
    for panel in whole.panels:
        try:
            parts.append(_panel(chat, whole, panel, known, image))
        except (BackendAnswerError, DoesNotFitError) as error:
            failed[panel] = error.what
            parts.append(_of_panel(whole.evidence, panel))
        else:
            known = _with_seen(known, parts[-1], whole.page.page)
    if failed and not whole.legible:
        raise BackendAnswerError(
            f"no answer about it can be used, and the embedded reader does not know its script: {first.what}",
            "Run the same command again, or use a larger model.",
        )
    if len(failed) == len(whole.panels):
        return replace(whole.evidence, remarks=(f"read without the model, whose answers are no use: {first.what}",))
    joined = _joined(parts)
    if not failed:
        return joined
    names = ", ".join(str(panel + 1) for panel in failed)
    why = next(iter(failed.values()))
    return replace(joined, remarks=(f"panel {names} read without the model, whose answers are no use: {why}",))


def _panel(chat: Counted, whole: Part, panel: int, known: Sequence[Person], image: NDArray[np.uint8]) -> Reading:
    part = one_panel(whole, panel, known)
    if min(part.region.w, part.region.h) < SMALLEST:
        raise BackendAnswerError("The panel is too small to be shown alone.", "It is read without the model.")
    if len(whole.panels) == 1:
        # The same question once more.
        raise BackendAnswerError("The page has only this panel.", "It is read without the model.")
    return read_part(chat, part, image, tries=1)


def _whole_region(page: NDArray[np.uint8]) -> Box:
    return Box(0, 0, page.shape[1], page.shape[0])


def _is_legible(language: str) -> bool:
    """Whether the recogniser knows the letters of a language."""
    try:
        check_language(language)
    except UsageError:
        return False
    return True


def _of_panel(reading: Reading, panel: int) -> Reading:
    """What a reading has in one panel."""
    return Reading(
        tuple(line for line in reading.lines if line.panel == panel),
        tuple(figure for figure in reading.figures if figure.panel == panel),
    )


def _joined(parts: Sequence[Reading]) -> Reading:
    return Reading(
        tuple(line for part in parts for line in part.lines),
        tuple(figure for part in parts for figure in part.figures),
        tuple(sound for part in parts for sound in part.sounds),
        tuple(note for part in parts for note in part.notes),
    )


def _with_seen(known: Sequence[Person], reading: Reading, page: str) -> tuple[Person, ...]:
    """Who is known after a panel: its people have the same labels in the next one."""
    names = {person.name for person in known}
    new = {figure.label: figure for figure in reading.figures if figure.label not in names}
    return (
        *known,
        *(
            Person(name=label, looks=figure.looks, role=figure.role, labels=(PageLabel(page=page, label=label),))
            for label, figure in new.items()
        ),
    )
