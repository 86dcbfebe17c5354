"""One call to a multimodal model: it fits before it is sent, waits for a seat, and comes back whole or as an error."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from pydantic import BaseModel, ValidationError

from comic_narrator.errors import (
    BackendAnswerError,
    BackendDownError,
    DoesNotFitError,
    NarratorError,
    StreamCutError,
    UsageError,
)
from comic_narrator.http import Server
from comic_narrator.http.completions import Completion, Served, complete, pick_model
from comic_narrator.http.sleep import make_sure_it_is_awake
from comic_narrator.readers.vllm.budget import AROUND_PICTURE, PictureRule, largest_size, picture_rule
from comic_narrator.readers.vllm.counting import QUICK, Tokenizer, estimated
from comic_narrator.readers.vllm.requests import Picture, Request, body_of
from comic_narrator.readers.vllm.seats import Seats
from comic_narrator.report import ServerReport, spread

__all__ = ["Chat", "Picture", "Reply", "Request"]

SEATS = 2
"""Calls in flight where the server does not tell its seats."""
CONTEXT = 8_192
"""Tokens of context where the server does not tell: every model that reads pages has them."""


@dataclass(frozen=True)
class Reply:
    """A whole answer; seconds waited in our own line, from then to the first text (`ttft`), and to the end."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    waited: float
    ttft: float
    seconds: float


class _Scheduler(BaseModel):
    max_num_seqs: int


class _Config(BaseModel):
    scheduler_config: _Scheduler


class _Info(BaseModel):
    vllm_config: _Config


class Chat:
    """Calls to one model of a server, from many threads; nothing is asked of the server before it is needed.

    `model` "auto" takes the first one served; `in_flight` 0 takes the server's seats where it tells them (else 2);
    `context` 0 takes the server's, which is also the most that is used.
    """

    def __init__(self, server: Server, model: str = "auto", in_flight: int = 0, context: int = 0) -> None:
        self._server = server
        self._asked_model = model
        self._asked_seats = in_flight
        self._asked_context = context
        self._lock = threading.Lock()
        self._opening = threading.RLock()
        self._replies: list[Reply] = []
        self._failed = 0
        self._tokenizer = Tokenizer(server)
        self._line: Seats | None = None

    @property
    def identity(self) -> str:
        """The served model: its name and the last part of what it was loaded from, never an address."""
        name, root = self._model.name, PurePosixPath(self._model.root).name
        return name if root in ("", name, PurePosixPath(name).name) else f"{name} ({root})"

    @property
    def in_flight(self) -> int:
        """How many calls are in flight at most."""
        return self._seats.count

    @property
    def context(self) -> int:
        """Tokens that a request and its answer have together."""
        told = self._model.context
        if self._asked_context and told:
            return min(self._asked_context, told)
        return self._asked_context or told or CONTEXT

    def check(self) -> None:
        """Raise the NarratorError that says why pages cannot be read: no server, no such model, one blind or asleep."""
        # Draws a picture: Pillow is loaded only here.
        from comic_narrator.readers.vllm.greeting import greet

        make_sure_it_is_awake(self._server)
        greet(self)

    def fits(self, request: Request) -> int:
        """Tokens to spare once the answer has its `max_tokens`; negative = it does not fit, and is not to be sent.

        Texts and schema are counted on the safe side, and where that leaves too little, by the server's own tokenizer.
        """
        rest = self.context - request.max_tokens - self._picture_tokens(request)
        spare = rest - estimated(request)
        if spare >= 0:
            return spare
        counted = self._tokenizer.counted(self._model.name, request)
        return spare if counted is None else rest - counted

    def largest_picture(self, request: Request, width: int, height: int, count: int = 1) -> tuple[int, int] | None:
        """The largest size, of that shape and at most that large, at which `count` such pictures fit beside `request`.

        None where not even small ones do.
        """
        each = self.fits(request) // count
        return largest_size(width, height, each, self._rule)

    def ask(self, request: Request) -> Reply:
        """The answer to a request; blocks while others are before it.

        DoesNotFitError for what cannot fit, which is never sent; BackendAnswerError for an answer that is cut at
        max_tokens, empty, or refused; BackendDownError and UsageError of the server.
        """
        completion, waited = self._sent(request)
        if completion.finish == "length":
            raise BackendAnswerError(
                f"The answer of {self._model.name} was cut off after {completion.completion_tokens} tokens.",
                "Give it more room with a longer context, or serve a larger model: weak ones do not come to an end.",
            )
        if completion.finish != "stop":
            raise BackendAnswerError(
                f"The answer of {self._model.name} ended with {completion.finish}.", "Look at the server's log."
            )
        if not completion.text.strip():
            raise BackendAnswerError(f"{self._model.name} answered nothing.", "Ask again, or serve another model.")
        return _reply(completion, waited)

    def send(self, request: Request) -> Reply:
        """The answer however it ended, also cut at max_tokens: for measuring. Otherwise as `ask`."""
        return _reply(*self._sent(request))

    def figures(self) -> ServerReport:
        """What was asked so far, and how long it took."""
        with self._lock:
            replies, failed = tuple(self._replies), self._failed
        return ServerReport(
            model=self.identity,
            in_flight=self.in_flight,
            requests=len(replies),
            failed=failed,
            queue_wait=spread([reply.waited for reply in replies]),
            first_token=spread([reply.ttft for reply in replies]),
            latency=spread([reply.seconds for reply in replies]),
            prompt_tokens=sum(reply.prompt_tokens for reply in replies),
            completion_tokens=sum(reply.completion_tokens for reply in replies),
        )

    def close(self) -> None:
        """End what is in flight and send away who waits, each with BackendDownError."""
        self._server.close()
        if self._line is not None:
            self._line.close()

    @cached_property
    def _model(self) -> Served:
        return pick_model(self._server, self._asked_model)

    @cached_property
    def _rule(self) -> PictureRule:
        return picture_rule(f"{self._model.name} {self._model.root}")

    @property
    def _seats(self) -> Seats:
        with self._opening:
            if self._line is None:
                self._line = Seats(self._asked_seats or self._told_seats() or SEATS)
            return self._line

    def _told_seats(self) -> int:
        """The server's seats: vLLM tells them in development mode only; 0 where they are not told."""
        try:
            answer = self._server.get("/server_info?config_format=json", patience=replace(QUICK, attempts=1))
            return _Info.model_validate(answer.json()).vllm_config.scheduler_config.max_num_seqs
        except (ValidationError, BackendAnswerError, BackendDownError, UsageError):
            return 0

    def _picture_tokens(self, request: Request) -> int:
        return sum(self._rule(p.width, p.height) + AROUND_PICTURE for p in request.pictures)

    def _sent(self, request: Request) -> tuple[Completion, float]:
        spare = self.fits(request)
        if spare < 0:
            raise DoesNotFitError(
                f"A request of {self.context - spare} tokens, its answer included, does not fit the {self.context} of "
                f"{self._model.name}.",
                "Serve the model with a longer context (--max-model-len), or ask for less at once.",
            )
        with self._seats.taken() as waited:
            try:
                completion = self._completed(request)
            except NarratorError:
                with self._lock:
                    self._failed += 1
                raise
        with self._lock:
            self._replies.append(_reply(completion, waited))
        return completion, waited

    def _completed(self, request: Request) -> Completion:
        start = time.monotonic()
        # Made only now that there is a seat: pictures in base64 are large, and whoever waits need not hold them.
        body = body_of(self._model.name, request)
        try:
            try:
                return complete(self._server, body)
            except StreamCutError:
                # A server that restarts takes the same question again; one that is gone is told of by this second call.
                again = complete(self._server, body)
                before = time.monotonic() - start - again.seconds
                return replace(again, ttft=again.ttft + before, seconds=again.seconds + before)
        except BackendAnswerError as error:
            if any(words in error.what for words in ("context length", "max_model_len", "maximum model length")):
                raise DoesNotFitError(error.what, "Serve the model with a longer context (--max-model-len).") from error
            raise


def _reply(completion: Completion, waited: float) -> Reply:
    return Reply(
        text=completion.text,
        prompt_tokens=completion.prompt_tokens,
        completion_tokens=completion.completion_tokens,
        waited=waited,
        ttft=completion.ttft,
        seconds=completion.seconds,
    )
