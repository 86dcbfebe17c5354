"""What is asked of a model, and the call that asks it."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Picture:
    """An encoded picture and its size in pixels."""

    data: bytes
    kind: Literal["image/png", "image/jpeg"]
    width: int
    height: int


@dataclass(frozen=True)
class Request:
    """What is asked: a system text, texts and pictures in order, the JSON schema of the answer, and its most tokens.

    `extra` are further fields of the call, for servers that know them.
    """

    system: str
    parts: tuple[str | Picture, ...]
    schema: Mapping[str, Any] | None
    schema_name: str
    max_tokens: int
    temperature: float = 0.0
    seed: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts in it, the system's first."""
        return (self.system, *(part for part in self.parts if isinstance(part, str)))

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures in it."""
        return tuple(part for part in self.parts if isinstance(part, Picture))


def body_of(model: str, request: Request) -> dict[str, Any]:
    """The body of the call that asks a request of a model."""
    body: dict[str, Any] = {
        "model": model,
        "messages": messages_of(request),
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        # With a reasoning parser the content would be null, and the schema not kept.
        "chat_template_kwargs": {"enable_thinking": False},
        **request.extra,
    }
    if request.seed is not None:
        body["seed"] = request.seed
    if request.schema is not None:
        named = {"name": request.schema_name, "schema": request.schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    return body


def messages_of(request: Request) -> list[dict[str, Any]]:
    """The messages of the call: the system's, and one of all parts in order."""
    system = [{"role": "system", "content": request.system}] if request.system else []
    return [*system, {"role": "user", "content": [_part(part) for part in request.parts]}]


def _part(part: str | Picture) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    data = base64.b64encode(part.data).decode()
    return {"type": "image_url", "image_url": {"url": f"data:{part.kind};base64,{data}"}}


def schema_text(request: Request) -> str:
    """The schema as it may be put into the prompt: vLLM only steers by it, others write it in; "" without one."""
    return json.dumps(request.schema, separators=(",", ":")) if request.schema is not None else ""
