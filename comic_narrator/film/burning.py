"""Subtitles that are drawn into the picture: where they stand, and the text that libass draws (Advanced SubStation)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Literal

import pysubs2

from comic_narrator.film.breaking import COLUMNS
from comic_narrator.film.frames import shot_at, view_at
from comic_narrator.film.subtitles import Cue
from comic_narrator.model import Box, Scene, View

FONT_FILE, FONT = "NotoSans-SemiBold.subset.ttf", "Noto Sans SemiBold"
"""The font that comes along: Latin, Greek and Cyrillic."""
EASTERN_FILE, EASTERN = "DroidSansFallback.ttf", "Droid Sans Fallback"
"""The font inside PyMuPDF: Chinese, Japanese and Korean. The rest is drawn with what fonts the machine has."""
EASTERN_RUN = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]+")
HIGH, COLUMN = 0.052, 0.55
"""Size of the letters, of the frame's height, and width of a column, of the letters' size."""
LINE = 1.36
"""Height of a line of the font, of its letters' size."""
EDGE = 0.045
"""How far from the frame's edge a cue stands, of its height."""
ROOM = 0.2
"""How much of the frame's height, at its top or bottom, a cue of two lines may take."""
LOOKS = 5
"""So many frames of a cue, from its first to its last, say whether it would stand on the balloon."""


def burnt_text(
    cues: Sequence[Cue], scene: Scene, first_frame: int, balloons: Mapping[str, Box], size: tuple[int, int], fps: int
) -> str:
    """What libass draws over a scene that begins with the film's `first_frame`; "" for nothing.

    `balloons` are the places of the beats on the page, in its pixels: what is read aloud stays free. `size` is the
    frame's width and height.
    """
    begin, end = first_frame / fps, (first_frame + scene.frames) / fps
    own = {clip.beat for clip in scene.clips}
    file = pysubs2.SSAFile()
    file.info |= {"PlayResX": str(size[0]), "PlayResY": str(size[1]), "YCbCr Matrix": "None"}
    file.styles = {"Default": _style(size)}
    for cue in cues:
        if cue.beat in own:
            span = cue.start - begin, min(cue.end, end) - begin
            place = standing(span, scene, balloons.get(cue.beat), fps)
            text = r"\N".join(_plain(line) for line in cue.lines)
            event = pysubs2.SSAEvent(start=round(span[0] * 1000), end=round(span[1] * 1000))
            event.text = (r"{\an8}" if place == "top" else "") + text
            file.append(event)
    return file.to_string("ass") if file.events else ""


def standing(span: tuple[float, float], scene: Scene, balloon: Box | None, fps: int) -> Literal["bottom", "top"]:
    """Where a cue stands that is seen within `span`, seconds of its scene: below, unless it hid the balloon there."""
    if balloon is None:
        return "bottom"
    covered = {"bottom": 0.0, "top": 0.0}
    for look in range(LOOKS):
        frame = round((span[0] + (span[1] - span[0]) * look / (LOOKS - 1)) * fps)
        index = min(max(frame, 0), scene.frames - 1)
        above, below = _hidden(view_at(shot_at(scene, index), index), balloon)
        covered["top"] += above
        covered["bottom"] += below
    return "top" if covered["top"] < covered["bottom"] else "bottom"


def _hidden(view: View, balloon: Box) -> tuple[float, float]:
    """How much of the balloon lies where a cue at the top and at the bottom would stand, as heights of the frame."""
    first, last = (balloon.y - view.y) / view.h, (balloon.bottom - view.y) / view.h
    return max(min(last, ROOM) - max(first, 0), 0), max(min(last, 1) - max(first, 1 - ROOM), 0)


def _style(size: tuple[int, int]) -> pysubs2.SSAStyle:
    # In a tall frame the widest line decides.
    letters = min(size[1] * HIGH, size[0] * 0.94 / (COLUMNS * COLUMN))
    return pysubs2.SSAStyle(
        fontname=FONT,
        # libass takes the size as that of a line.
        fontsize=round(letters * LINE, 1),
        outline=round(letters / 14, 1),
        shadow=0,
        marginl=round(size[0] * 0.03),
        marginr=round(size[0] * 0.03),
        marginv=round(size[1] * EDGE),
    )


def _plain(text: str) -> str:
    # A backslash or a brace would begin a command of the format.
    plain = text.replace("\\", "\\\u2060").replace("{", "(").replace("}", ")")
    return EASTERN_RUN.sub(lambda run: rf"{{\fn{EASTERN}}}{run[0]}{{\fn{FONT}}}", plain)


def fonts_for(text: str) -> dict[str, bytes]:
    """The fonts, by the names of their files, that a text of `burnt_text` is drawn with on any machine."""
    fonts = {FONT_FILE: (files("comic_narrator.film") / "fonts" / FONT_FILE).read_bytes()}
    if EASTERN in text:
        # Here, for few films need it.
        import pymupdf

        fonts[EASTERN_FILE] = pymupdf.Font("cjk").buffer
    return fonts
