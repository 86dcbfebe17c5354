"""Finding backends by name: built-ins and installed entry points, imported only when chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Literal

from comic_narrator.errors import UsageError

Group = Literal["readers", "voices"]

BUILT_IN: dict[Group, dict[str, str]] = {
    "readers": {
        "embedded": "comic_narrator.readers.embedded:embedded_reader",
        "vllm": "comic_narrator.readers.vllm.reader:vllm_reader",
    },
    "voices": {
        "embedded": "comic_narrator.voices.embedded:EmbeddedVoice",
        "fish": "comic_narrator.voices.fish:FishVoice",
        "openai": "comic_narrator.voices.openai_speech:OpenAISpeechVoice",
    },
}


@dataclass(frozen=True)
class Choice:
    """The backend that was chosen and why."""

    name: str
    why: str


def choose(group: Group, asked: str, server: str = "") -> Choice:
    """Decide once which backend of `group` works; `asked` is a name or "auto". UsageError for an unknown name.

    With auto a `server` that the user named is asked: who gives an address wants it used.
    """
    if asked == "auto" and server:
        return Choice("vllm", "auto: the settings name a server")
    if asked == "auto":
        return Choice("embedded", "auto: the models that come with the program")
    names = available(group)
    if asked not in names:
        raise UsageError(f"There is no {group[:-1]} backend named {asked}.", f"Use auto or one of {', '.join(names)}.")
    return Choice(asked, "asked for by name")


def available(group: Group) -> list[str]:
    """Names of the backends of a group, built-ins first."""
    return [*BUILT_IN[group], *sorted(e.name for e in entry_points(group=f"comic_narrator.{group}"))]


def load(group: Group, choice: Choice) -> Callable[..., Any]:
    """The factory of the chosen backend, whose module is imported here; it takes the settings of its section."""
    if choice.name in BUILT_IN[group]:
        module, _, attribute = BUILT_IN[group][choice.name].partition(":")
        return vars(import_module(module))[attribute]  # type: ignore[no-any-return]
    entry = next(e for e in entry_points(group=f"comic_narrator.{group}") if e.name == choice.name)
    return entry.load()  # type: ignore[no-any-return]
