"""How many tokens the texts of a request take: on the safe side at once, exactly by the server's tokenizer."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace

from pydantic import BaseModel, ValidationError

from comic_narrator.errors import BackendAnswerError, UsageError
from comic_narrator.http import Patience, Server
from comic_narrator.readers.vllm.budget import AROUND_MESSAGE, text_tokens
from comic_narrator.readers.vllm.requests import Request, messages_of, schema_text

REMEMBERED = 64
"""Requests whose tokens are remembered: what is asked whether it fits is mostly sent next."""
QUICK = Patience(connect=5, read=10, total=15, attempts=2)


class _Count(BaseModel):
    count: int


def estimated(request: Request) -> int:
    """Tokens of texts, template and schema at most."""
    texts = sum(text_tokens(text) for text in request.texts)
    return texts + text_tokens(schema_text(request)) + 2 * AROUND_MESSAGE


class Tokenizer:
    """The tokenizer of a server, where it lets us ask it; thread-safe."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, ...], int] = OrderedDict()
        self._there = True

    def counted(self, model: str, request: Request) -> int | None:
        """Tokens of texts and template as `model` has them, of the schema at most; None where it cannot be asked."""
        with self._lock:
            if not self._there:
                return None
            count = self._known.get(request.texts)
        if count is None:
            try:
                count = self._asked(model, request)
            except (ValidationError, BackendAnswerError, UsageError):
                # A server without one: it is not asked again.
                self._there = False
                return None
            with self._lock:
                self._known[request.texts] = count
                if len(self._known) > REMEMBERED:
                    self._known.popitem(last=False)
        return count + text_tokens(schema_text(request))

    def _asked(self, model: str, request: Request) -> int:
        texts = replace(request, parts=tuple(part for part in request.parts if isinstance(part, str)))
        body = {
            "model": model,
            "messages": messages_of(texts),
            "chat_template_kwargs": {"enable_thinking": False},
        }
        return _Count.model_validate(self._server.post("/tokenize", body, patience=QUICK).json()).count
