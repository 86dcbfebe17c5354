"""Letters out of pictures of single rows, with what else each letter may have been."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.onnx import frugal_session, without_denormals

Picture = NDArray[np.uint8]

HEIGHT = 48
"""Pixels of row height that the model was trained at."""
LEAST_WIDTH = 320
"""Pixels that a row's picture is filled up to: the model was trained on batches no narrower."""
MOST_WIDTH = 3200
"""Wider rows are squeezed, to bound memory; no row that a page holds is legible at such a shape."""
OTHERS = 5
LIKELY = 0.002
"""Other letters less likely than this are not worth remembering."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A letter that the recogniser thought of, "" for none, and its probability."""

    char: str
    sure: float


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter as read; `others` may stand in its place, `before` may stand unread between it and the one before."""

    char: str
    sure: float
    others: tuple[Guess, ...] = ()
    before: tuple[Guess, ...] = ()


class Recogniser:
    """The PP-OCRv6 recogniser, a CTC model (Graves et al. 2006), run row by row; thread-safe."""

    def __init__(self, model: Path) -> None:
        self._session = frugal_session(without_denormals(model))
        known = self._session.get_modelmeta().custom_metadata_map["character"].splitlines()
        self._chars: tuple[str, ...] = ("", *known, " ")
        self._lock = threading.Lock()

    @property
    def characters(self) -> frozenset[str]:
        """Every character the model can read."""
        return frozenset(self._chars) - {""}

    def read(self, row: Picture) -> tuple[Letter, ...]:
        """The letters of one upright row, an RGB picture of shape (h, w, 3)."""
        width = min(max(round(row.shape[1] * HEIGHT / row.shape[0]), 8), MOST_WIDTH)
        if row.shape[:2] != (HEIGHT, width):
            row = np.asarray(cv2.resize(row, (width, HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)
        data = np.zeros((1, 3, HEIGHT, max(width, LEAST_WIDTH)), np.float32)
        data[0, :, :, :width] = (row[..., ::-1].astype(np.float32) / 127.5 - 1.0).transpose(2, 0, 1)
        with self._lock:
            (frames,) = self._session.run(None, {"x": data})
        return tuple(self._letters(frames[0]))

    def _letters(self, frames: NDArray[np.float32]) -> Iterator[Letter]:
        """Best path through `frames` (time, characters): runs of one character are one letter, blanks part them."""
        best = frames.argmax(axis=1)
        edges = np.flatnonzero(np.diff(best, prepend=-1))
        gap = 0
        for start, end in zip(edges, [*edges[1:], len(best)], strict=True):
            char = int(best[start])
            if char == 0:
                continue
            peak = start + int(frames[start:end, char].argmax())
            yield _letter(
                Guess(self._chars[char], float(frames[peak, char])),
                self._guesses(frames[peak], char),
                self._guesses(frames[gap:start].max(axis=0), 0)[:2] if gap < start else (),
            )
            gap = end

    def _guesses(self, frame: NDArray[np.float32], but: int) -> tuple[Guess, ...]:
        top = np.argpartition(frame, -OTHERS)[-OTHERS:]
        top = top[np.argsort(frame[top])[::-1]]
        return tuple(Guess(self._chars[i], float(frame[i])) for i in map(int, top) if i != but and frame[i] >= LIKELY)


def _letter(read: Guess, others: tuple[Guess, ...], before: tuple[Guess, ...]) -> Letter:
    """A letter as sure as all its forms together: hand lettering is neither clearly "I" nor "i", "！" nor "!"."""
    form = _form(read.char)
    alike = [guess for guess in others if _form(guess.char) == form]
    sure = min(read.sure + sum(guess.sure for guess in alike), 1.0)
    return Letter(read.char, sure, tuple(guess for guess in others if guess not in alike), before)


def _form(char: str) -> str:
    return unicodedata.normalize("NFKC", char).casefold()
