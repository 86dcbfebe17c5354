"""What the model may answer, as pydantic models, and the JSON schemas made from them that the server holds it to.

Every string and array is bounded, for a weak model fills an open one until its tokens run out; nothing is used that
servers' grammars do not know. An empty text or list says "none": alternatives of types cost grammars more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, WithJsonSchema

from comic_narrator.errors import BackendAnswerError
from comic_narrator.model import LineKind

MOST_LINES = 80
MOST_PANELS = 40
MOST_FIGURES = 40
MOST_ENTRIES = 120
MOST_TRANSLATED = 40

Tone = Literal[
    "plain", "shouting", "screaming", "loud", "whispering", "quiet", "laughing", "crying", "angry", "excited", "sad",
    "tired", "afraid", "nervous", "panicked", "surprised", "gentle", "cold", "serious", "threatening", "sarcastic",
    "confused", "urgent", "weak",
]  # fmt: skip
"""How a line is said, in words that the script knows; plain is a voice as usual."""
Emotion = Literal[
    "neutral", "happy", "excited", "sad", "angry", "furious", "afraid", "surprised", "tender", "tired", "nervous",
    "confused", "calm",
]  # fmt: skip
"""What a face shows, in words that the script knows."""
Pacing = Literal["still", "slow", "steady", "fast"]
ShotSize = Literal["extreme close-up", "close-up", "medium", "full", "wide"]

Coordinate = Annotated[
    float, Field(allow_inf_nan=False), WithJsonSchema({"type": "integer", "minimum": 0, "maximum": 9999})
]
"""Asked for as a whole number, whose digits are bounded; a server that holds to no schema may answer a fraction."""
Corners = Annotated[list[Coordinate], Field(max_length=4)]
"""Left, top, right, bottom; or nothing."""
Number = Annotated[int, Field(ge=1, le=999)]


Label = Annotated[str, Field(max_length=40)]
Phrase = Annotated[str, Field(max_length=80)]
Sentence = Annotated[str, Field(max_length=240)]
Text = Annotated[str, Field(max_length=700)]


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LineAnswer(_Answer):
    """A line: the numbers of the recognised lines that it is made of, none where the recogniser missed it."""

    numbers: Annotated[list[Number], Field(max_length=8)]
    panel: Number
    kind: LineKind
    speaker: Label
    tone: Tone
    text: Text
    box: Corners


class FigureAnswer(_Answer):
    """Somebody in a panel; an empty box where they are heard and not seen."""

    label: Label
    panel: Number
    box: Corners
    looks: Sentence
    role: Phrase
    emotion: Emotion


class SoundAnswer(_Answer):
    """Something drawn that makes a sound."""

    panel: Number
    what: Phrase
    kind: Literal["momentary", "continuous"]


class PanelAnswer(_Answer):
    """What a panel shows."""

    panel: Number
    scene: Sentence
    pacing: Pacing
    shot: ShotSize


class PageAnswer(_Answer):
    """All that is asked of a page, or of a part of it; figures come before the lines that name them.

    `frame` is the box of the last panel, which is known: it shows how the model writes boxes.
    """

    frame: Corners
    panels: Annotated[list[PanelAnswer], Field(max_length=MOST_PANELS)]
    figures: Annotated[list[FigureAnswer], Field(max_length=MOST_FIGURES)]
    lines: Annotated[list[LineAnswer], Field(max_length=MOST_LINES)]
    not_lettering: Annotated[list[Number], Field(max_length=MOST_LINES)]
    sounds: Annotated[list[SoundAnswer], Field(max_length=MOST_PANELS)]


class LanguageAnswer(_Answer):
    """The language of a page's lettering as a BCP-47 tag, "und" where nothing is lettered."""

    language: Annotated[str, Field(max_length=12)]


class PersonAnswer(_Answer):
    """Somebody in the book, and the numbers of the entries that are they."""

    name: Label
    aliases: Annotated[list[Label], Field(max_length=6)]
    role: Phrase
    looks: Sentence
    entries: Annotated[list[Number], Field(max_length=MOST_ENTRIES)]


class PeopleAnswer(_Answer):
    """Who is who among the entries of one request."""

    people: Annotated[list[PersonAnswer], Field(max_length=MOST_ENTRIES)]


class TranslatedAnswer(_Answer):
    """One line in the other language, by its number."""

    number: Number
    text: Text


class TranslationAnswer(_Answer):
    """The lines of one request in the other language, in their order."""

    lines: Annotated[list[TranslatedAnswer], Field(max_length=MOST_TRANSLATED)]


AnswerT = TypeVar("AnswerT", bound=_Answer)


def schema_of(kind: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of an answer with nothing in it but what bounds it; it refers to nothing outside."""
    whole = kind.model_json_schema()
    return _bare(whole, whole.get("$defs", {}))  # type: ignore[no-any-return]


def _bare(node: Any, known: Mapping[str, Any], *, names: bool = False) -> Any:
    """`node` without titles and explanations, references put in; `names` says that its keys are names of properties."""
    if isinstance(node, list):
        return [_bare(part, known) for part in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node and not names:
        return _bare(known[node["$ref"].rpartition("/")[2]], known)
    said = {"$defs", "title", "description", "default"}
    return {
        key: _bare(value, known, names=key == "properties") for key, value in node.items() if names or key not in said
    }


def parse_answer(kind: type[AnswerT], text: str) -> AnswerT:
    """The model's text as an answer; BackendAnswerError, which names the first misfit, where it is anything else."""
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the answer"
        raise BackendAnswerError(
            f"The answer does not fit its schema: {place}: {first['msg']}",
            "Look whether the server holds answers to a JSON schema; a larger model may also help.",
        ) from error
