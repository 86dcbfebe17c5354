"""The first thing asked of a model: to read a page that we drew. One that answers nonsense is known before the book."""

from __future__ import annotations

import json
from difflib import SequenceMatcher
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from comic_narrator.errors import BackendAnswerError
from comic_narrator.readers.vllm.chat import Chat
from comic_narrator.readers.vllm.requests import Picture, Request

WORDS = ("THE LIGHTHOUSE", "IS DARK TONIGHT")
ALIKE = 0.8
"""How alike what is read must be; a model that reads pages makes no mistake here."""
SCHEMA = {
    "type": "object",
    "properties": {"words": {"type": "string", "maxLength": 80}},
    "required": ["words"],
    "additionalProperties": False,
}


def greet(chat: Chat) -> None:
    """Let the model read the drawn page; BackendAnswerError says what it read instead, the chat's errors otherwise."""
    request = Request(
        system="You read the lettering of comics.",
        parts=(drawn_page(), 'Write the words in the balloon, as JSON: {"words": "..."}'),
        schema=SCHEMA,
        schema_name="words",
        max_tokens=100,
    )
    try:
        told = chat.ask(request).text
    except BackendAnswerError as error:
        raise BackendAnswerError(f"{chat.identity} cannot read a drawn page: {error.what}", error.hint) from error
    read = _words(told)
    if SequenceMatcher(None, _letters(read), _letters(" ".join(WORDS))).ratio() < ALIKE:
        raise BackendAnswerError(
            f"The server is healthy, but {chat.identity} reads {read[:60]!r} where {' '.join(WORDS)!r} is drawn.",
            "Serve a model that sees pictures and reads them, as Qwen3-VL; check its weights and its chat template.",
        )


def drawn_page() -> Picture:
    """A panel of 640 x 448 px with one balloon and `WORDS` in it."""
    page = Image.new("RGB", (640, 448), "white")
    pen = ImageDraw.Draw(page)
    pen.rectangle((16, 16, 623, 431), fill=(196, 208, 224), outline="black", width=5)
    pen.polygon([(280, 260), (340, 260), (250, 380)], fill="white", outline="black", width=3)
    pen.ellipse((70, 60, 570, 290), fill="white", outline="black", width=4)
    font = ImageFont.load_default(44)
    for row, words in enumerate(WORDS):
        pen.text((320, 145 + 60 * row), words, fill="black", font=font, anchor="mm")
    buffer = BytesIO()
    page.save(buffer, "PNG")
    return Picture(buffer.getvalue(), "image/png", *page.size)


def _words(told: str) -> str:
    try:
        answer = json.loads(told)
    except ValueError:
        return told
    return str(answer.get("words", told)) if isinstance(answer, dict) else told


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
