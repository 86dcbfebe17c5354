"""Asking: requests that fit, and a second try that names what was wrong with the first answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from comic_narrator.errors import BackendAnswerError, DoesNotFitError
from comic_narrator.readers import Reading
from comic_narrator.readers.vllm.answers import PageAnswer, parse_answer, schema_of
from comic_narrator.readers.vllm.border import parse_page
from comic_narrator.readers.vllm.boxes import Shown
from comic_narrator.readers.vllm.chat import Chat, Picture, Reply, Request
from comic_narrator.readers.vllm.parts import Part, evidence_text
from comic_narrator.readers.vllm.prompts import Task, prompt
from comic_narrator.readers.vllm.showing import clean, numbered, sized

PIXELS = 1_800_000
"""Pixels of the clean picture where there is room for them: letters of a printed page are 12 px high then."""
NUMBERED = 0.5
"""The numbered picture has this share of them: it says where, the clean one says what."""
LEAST_SIDE = 0.45
"""Of the longer side that is wanted, at least so much is sent: on less, letters cannot be read, and panels are asked
one by one."""
TERSE = 0.65
"""Where an answer of the usual room does not fit, this share of it must do."""
FAULT_TOKENS = 300
"""What the faults of an answer take, at most."""

ResultT = TypeVar("ResultT")


class Counted:
    """A chat that adds up what its replies took: tokens, and seconds from a request's sending to its end."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self.fits = chat.fits
        self.largest_picture = chat.largest_picture
        self.tokens = 0
        self.seconds = 0.0

    def ask(self, asked: Request) -> Reply:
        """The chat's reply."""
        reply = self._chat.ask(asked)
        self.tokens += reply.prompt_tokens + reply.completion_tokens
        self.seconds += reply.seconds
        return reply


def request(task: Task, answer: type[BaseModel], parts: tuple[str | Picture, ...], tokens: int) -> Request:
    """What is asked in a task, to be answered as `answer` in at most so many tokens."""
    return Request(
        system=prompt(task), parts=parts, schema=schema_of(answer), schema_name=answer.__name__, max_tokens=tokens
    )


def again(asked: Request, fault: str) -> Request:
    """The same once more, with what was wrong with the answer to it."""
    told = f"Your last answer could not be used: {fault} Answer again, without these mistakes."
    return replace(asked, parts=(*asked.parts, told))


def ask_twice(chat: Chat | Counted, asked: Request, parse: Callable[[str], ResultT]) -> ResultT:
    """The parsed answer to a request, or to its second try; BackendAnswerError where neither can be used."""
    try:
        return parse(chat.ask(asked).text)
    except BackendAnswerError as error:
        second = again(asked, error.what)
    # Without room for what was wrong, the same request stands: a model need not make the same mistake twice.
    return parse(chat.ask(second if chat.fits(second) >= 0 else asked).text)


def read_part(chat: Chat | Counted, part: Part, page: NDArray[np.uint8], *, tries: int = 2) -> Reading:
    """What the model reads in a part of an RGB page; BackendAnswerError or DoesNotFitError where it cannot."""
    asked, shown = _fitting(chat, part, page)

    def parse(text: str) -> Reading:
        return parse_page(parse_answer(PageAnswer, text), part, shown)

    if tries == 1:
        return parse(chat.ask(asked).text)
    return ask_twice(chat, asked, parse)


def _fitting(chat: Chat | Counted, part: Part, page: NDArray[np.uint8]) -> tuple[Request, Shown]:
    """The request with the largest pictures that fit, and what the clean one shows; DoesNotFitError where none do."""
    wanted = sized(part.region, PIXELS)
    while True:
        text = evidence_text(part)
        for tokens in (part.answer_tokens, round(TERSE * part.answer_tokens)):
            bare = request("page", PageAnswer, (text,), tokens)
            # Room is left to say what is wrong with an answer.
            size = chat.largest_picture(replace(bare, max_tokens=tokens + FAULT_TOKENS), *wanted.size, count=2)
            if size is not None and max(size) >= LEAST_SIDE * max(wanted.size):
                shown = Shown(part.region, *size)
                return replace(bare, parts=(*_pictures(part, page, shown), text)), shown
        if not part.known:
            raise DoesNotFitError(
                "What is asked about it does not fit the model's context.",
                "Serve the model with a longer context (--max-model-len).",
            )
        part = replace(part, known=part.known[: len(part.known) // 2])


def _pictures(part: Part, page: NDArray[np.uint8], shown: Shown) -> tuple[Picture, Picture]:
    small = sized(part.region, round(shown.width * shown.height * NUMBERED))
    lines = {number: line.bbox for number, line in part.lettering.items()}
    return clean(page, shown), numbered(page, small, part.boxes, lines)
