"""Translation of a book's lines, some at a time with those before them, on the model that read the pages."""

from __future__ import annotations

from collections.abc import Sequence

from comic_narrator.errors import BackendAnswerError, DoesNotFitError
from comic_narrator.readers import SpokenLine
from comic_narrator.readers.vllm.answers import TranslationAnswer, parse_answer
from comic_narrator.readers.vllm.asking import ask_twice, request
from comic_narrator.readers.vllm.border import clean
from comic_narrator.readers.vllm.chat import Chat, Request
from comic_narrator.readers.vllm.parts import language_name
from comic_narrator.readers.vllm.prompts import digest

METHOD = "translation-1"
"""Raised when the same answers may give another translation."""
BATCH = 20
"""Lines that are asked for at once: enough for a talk to hang together, few enough to be counted right."""
BEFORE = 8
"""Lines before them that are told for the context."""


class ChatTranslator:
    """Translates lines with the served model; thread-safe."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    @property
    def identity(self) -> str:
        """The served model and what it is told."""
        return "/".join([METHOD, self._chat.identity, f"prompts-{digest('translation')}"])

    def translate(self, lines: Sequence[SpokenLine], source: str, target: str) -> tuple[str | None, ...]:
        """Each line in the language `target` (BCP-47), in order; None for those of which no answer could be used."""
        done: list[str | None] = []
        while len(done) < len(lines):
            batch = self._batch(lines, len(done), min(BATCH, len(lines) - len(done)), source, target)
            done += batch
            if not any(batch):
                # A model that can do none of these can do none of the others, and there may be thousands.
                break
        return (*done, *(None for _ in lines[len(done) :]))

    def _batch(
        self, lines: Sequence[SpokenLine], start: int, size: int, source: str, target: str
    ) -> Sequence[str | None]:
        """So many lines from `start`; a batch that fails is halved until the lines that cannot be had are found."""
        asked = _question(lines, start, size, source, target)
        try:
            if self._chat.fits(asked) < 0:
                raise DoesNotFitError("The lines do not fit the model's context.", "Fewer are asked for at once.")
            return ask_twice(self._chat, asked, lambda text: _checked(text, lines[start : start + size]))
        except (BackendAnswerError, DoesNotFitError):
            if size == 1:
                return [None]
            half = size // 2
            first = self._batch(lines, start, half, source, target)
            return [*first, *self._batch(lines, start + half, size - half, source, target)]


def _question(lines: Sequence[SpokenLine], start: int, size: int, source: str, target: str) -> Request:
    before = lines[max(start - BEFORE, 0) : start]
    wanted = lines[start : start + size]
    who = dict.fromkeys(line.speaker for line in lines if line.speaker)
    said = [
        f"From {language_name(source)} to {language_name(target)}.",
        f"Who is who: {', '.join(who)}." if who else "",
        "Before these:" if before else "",
        *(_told("-", line) for line in before),
        f"Translate these {size} lines:",
        *(_told(f"{number}.", line) for number, line in enumerate(wanted, 1)),
    ]
    letters = sum(len(line.text) for line in wanted)
    # Scripts that models know less of take a token a letter, or two.
    return request("translation", TranslationAnswer, ("\n".join(filter(None, said)),), 100 + 30 * size + 3 * letters)


def _told(mark: str, line: SpokenLine) -> str:
    return f"{mark} ({line.speaker or 'narrator'}) {' '.join(line.text.split())}"


def _checked(text: str, wanted: Sequence[SpokenLine]) -> list[str | None]:
    """The answer's texts, if it has each line once, in order, and none is empty or many times longer than its line."""
    answer = parse_answer(TranslationAnswer, text)
    numbers = [line.number for line in answer.lines]
    if numbers != list(range(1, len(wanted) + 1)):
        raise BackendAnswerError(
            f"{len(wanted)} lines were to be translated, and the answer has the numbers {numbers}.",
            "A larger model makes fewer mistakes.",
        )
    texts = [clean(line.text) for line in answer.lines]
    wrong = [n for n, (new, old) in enumerate(zip(texts, wanted, strict=True), 1) if _is_off(new, old.text)]
    if wrong:
        raise BackendAnswerError(
            f"the translation of line {', '.join(map(str, wrong))} is empty or does not end.", "Use a larger model."
        )
    return list(texts)


def _is_off(new: str, old: str) -> bool:
    return not new or len(new) > 8 * len(old) + 60
