"""The step that says what is drawn into the pictures: subtitles, where they are wanted there."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from comic_narrator import film as film_stage
from comic_narrator.model import Book, Box, Cast, PageReading, Script, Timing, Translation
from comic_narrator.steps.film import speakers_of, subtitle_words, translated_words
from comic_narrator.steps.run import Run


def burn(
    book: Book,
    readings: Mapping[str, PageReading],
    script: Script,
    cast: Cast,
    timing: Timing,
    translation: Translation | None,
    run: Run,
) -> dict[str, str]:
    """What is drawn over the scene of each page that has any; nothing where film.burn is none."""
    look = run.settings.film
    if look.burn == "none":
        return {}
    words, language = subtitle_words(script, look.burn), book.language
    if look.burn == "translated" and translation is not None:
        words, language = translated_words(script, translation), translation.language
    cues = film_stage.make_cues(timing, words, language, speakers_of(script, cast, run))
    firsts = [0, *itertools.accumulate(scene.frames for scene in timing.scenes)]
    size, drawn = (look.width, look.height), {}
    for scene, first in zip(timing.scenes, firsts, strict=False):
        text = film_stage.burnt_text(cues, scene, first, _balloons(readings[scene.page]), size, timing.fps)
        if text:
            drawn[scene.page] = text
    return drawn


def _balloons(reading: PageReading) -> dict[str, Box]:
    places = {line.id: line.balloon or line.bbox for line in reading.lines}
    return {line: place for line, place in places.items() if place}
