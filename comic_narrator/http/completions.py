"""Chat completions of OpenAI's shape: which models are served, and one streamed answer read to its end."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from comic_narrator.errors import BackendAnswerError, StreamCutError, UsageError
from comic_narrator.http import Patience, Server

BLANKS = 400
"""White space on end after which a model is taken to be stuck: under a schema weak ones write nothing else."""


@dataclass(frozen=True)
class Served:
    """A model that a server serves: its name, what it was loaded from, and its context in tokens (0: not told)."""

    name: str
    root: str
    context: int


@dataclass(frozen=True)
class Completion:
    """A whole answer: its text, why it ended ("stop", "length"), its tokens, seconds to its first text and its end."""

    text: str
    finish: str
    prompt_tokens: int
    completion_tokens: int
    ttft: float
    seconds: float


class _Card(BaseModel):
    id: str
    root: str | None = None
    max_model_len: int | None = None


class _Cards(BaseModel):
    data: list[_Card]


class _Delta(BaseModel):
    content: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None


class _Choice(BaseModel):
    delta: _Delta = _Delta()
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Chunk(BaseModel):
    choices: list[_Choice] = Field(default_factory=list)
    usage: _Usage | None = None


def served_models(server: Server) -> tuple[Served, ...]:
    """What /v1/models lists; BackendAnswerError where that is no list of models."""
    answer = server.get("/v1/models")
    try:
        cards = _Cards.model_validate(answer.json()).data
    except ValidationError as error:
        raise BackendAnswerError(
            f"{answer.source} does not list models.", "Check that the address is that of a model server."
        ) from error
    return tuple(Served(card.id, card.root or card.id, card.max_model_len or 0) for card in cards)


def pick_model(server: Server, asked: str = "auto") -> Served:
    """The model of that name, or the first one served for "auto"; UsageError names what there is instead."""
    models = served_models(server)
    if not models:
        raise BackendAnswerError(f"{server.url} serves no model.", "Start it with one.")
    if asked == "auto":
        return models[0]
    for model in models:
        if model.name == asked:
            return model
    raise UsageError(f"{server.url} does not serve {asked}.", f"It serves {', '.join(model.name for model in models)}.")


def complete(server: Server, body: Mapping[str, Any], patience: Patience | None = None) -> Completion:
    """One chat completion, streamed to a chunk that says why it ended; `ttft` is the time to text that is not empty.

    StreamCutError where it broke off, BackendAnswerError where it ended without a reason, is stuck, or only thinks;
    the errors of Server.events besides. A "length" is handed back: what it means is the caller's to say.
    """
    start = time.monotonic()
    text = _Text(server.url)
    finish, usage, first = "", _Usage(), 0.0
    asked = {**body, "stream": True, "stream_options": {"include_usage": True}}
    try:
        for event in server.events("/v1/chat/completions", asked, patience=patience):
            chunk = _parsed(event, server.url)
            usage = chunk.usage or usage
            for choice in chunk.choices[:1]:
                if text.add(choice.delta) and not first:
                    first = time.monotonic() - start
                finish = choice.finish_reason or finish
    except StreamCutError:
        if not finish:
            raise
    if not finish:
        raise BackendAnswerError(
            f"{server.url} ended an answer without a reason.", "Look at its log: a proxy may cut answers short."
        )
    took = time.monotonic() - start
    return Completion(text.whole(), finish, usage.prompt_tokens, usage.completion_tokens, first or took, took)


class _Text:
    """The text of an answer as it comes."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._pieces: list[str] = []
        self._blank = 0
        self._thought = False

    def add(self, delta: _Delta) -> bool:
        """Take a piece; whether there was any text in it."""
        self._thought = self._thought or bool(delta.reasoning or delta.reasoning_content)
        piece = delta.content or ""
        self._pieces.append(piece)
        ink = piece.rstrip()
        self._blank = len(piece) - len(ink) + (0 if ink else self._blank)
        if self._blank > BLANKS:
            raise BackendAnswerError(
                f"The model at {self._url} writes nothing but white space.", "Ask again, or serve a larger model."
            )
        return bool(piece)

    def whole(self) -> str:
        """All of it."""
        text = "".join(self._pieces)
        if self._thought and not text:
            raise BackendAnswerError(
                f"The model at {self._url} only thought, and answered nothing.",
                "Serve one whose thinking can be switched off, or start it without a reasoning parser.",
            )
        return text


def _parsed(event: Mapping[str, Any], url: str) -> _Chunk:
    try:
        return _Chunk.model_validate(event)
    except ValidationError as error:
        raise BackendAnswerError(
            f"{url} sent a chunk that is none of a chat completion.",
            "Check that the address is that of a model server.",
        ) from error
