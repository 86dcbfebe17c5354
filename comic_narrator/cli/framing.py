"""Options that say how large the film is, and which part of the book is filmed by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from comic_narrator.errors import UsageError
from comic_narrator.settings import Settings
from comic_narrator.steps import FIRST, Cut

SHAPES = {"16:9": (16, 9), "9:16": (9, 16), "1:1": (1, 1), "4:5": (4, 5)}
SHORTER = 1080
"""Pixels of the shorter side where only a shape is given."""
PREVIEW = 540
UPRIGHT = (1080, 1920)


def frame_size(wanted: str) -> tuple[int, int]:
    """Width and height of --size: a shape, a shape and its shorter side (9:16@720), or both sides; UsageError."""
    shape, _, side = wanted.partition("@")
    sides = re.fullmatch(r"(\d+)x(\d+)", wanted)
    if sides:
        size = int(sides[1]), int(sides[2])
    elif shape in SHAPES and (side.isdecimal() or wanted == shape):
        size = _of_shape(*SHAPES[shape], int(side or SHORTER))
    else:
        raise UsageError(
            f"--size {wanted} is no size of a film.",
            f"Write {', '.join(SHAPES)}, one of them as 9:16@720, or 1280x720.",
        )
    if size[0] % 2 or size[1] % 2 or min(size) < 160 or max(size) > 7680:
        raise UsageError(
            f"--size {wanted} is {size[0]} by {size[1]} pixels.", "Both have to be even, and between 160 and 7680."
        )
    return size


def _of_shape(across: int, down: int, shorter: int) -> tuple[int, int]:
    # Video has an even number of pixels in both directions.
    return tuple(2 * round(shorter * side / min(across, down) / 2) for side in (across, down))  # type: ignore[return-value]


def with_range(arguments: Sequence[str]) -> list[str]:
    """The command line with the pages of a --preview that names none: the first few."""
    given = list(arguments)
    if "--preview" in given:
        following = given.index("--preview") + 1
        if following == len(given) or given[following].startswith("-") or Path(given[following]).exists():
            given.insert(following, FIRST)
    return given


def chosen_cut(preview: str | None, shorts: str | None) -> Cut | None:
    """The part of the book that --preview or --shorts names; UsageError where both do."""
    if preview and shorts:
        raise UsageError("--preview and --shorts exclude each other.", "Give one of them.")
    if preview:
        return Cut(preview, "--preview", "preview")
    return Cut(shorts, "--shorts", "shorts") if shorts else None


def without_the_whole(cut: Cut | None) -> Cut | None:
    """The part where no script of the whole book is there: a preview is to be quick, and does without one.

    A short has the voices of the film that it is cut from, so the whole is read for it.
    """
    return replace(cut, alone=True) if cut and cut.folder == "preview" else cut


def framing(size: str | None, cut: Cut | None, settings: Settings) -> dict[str, str | None]:
    """What these options set, by key: a preview is small and coarse, a short is upright unless it has a size."""
    look = settings.film
    sides: tuple[int, int] | None = frame_size(size) if size else None
    quick = {}
    if cut and cut.folder == "preview":
        width, height = sides or (look.width, look.height)
        sides = _of_shape(width, height, PREVIEW)
        quick = {"film.preset": "ultrafast", "film.crf": "28"}
    elif cut and sides is None:
        sides = UPRIGHT
    return {"film.width": str(sides[0]), "film.height": str(sides[1]), **quick} if sides else {}


def beside(film: Path, cut: Cut | None) -> Path:
    """Where a part of the film goes: book.preview.mp4 beside book.mp4."""
    return film.with_name(f"{film.stem}.{cut.folder}{film.suffix}") if cut else film
