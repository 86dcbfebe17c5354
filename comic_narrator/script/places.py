"""Places: which ambience belongs to each panel, and where it changes."""

from __future__ import annotations

from collections.abc import Sequence

from comic_narrator.model import PageReading, Panel
from comic_narrator.script.evidence import lines_of, named, scene_text

NOTHING = "none"
FORGET_PANELS = 24
"""After so many panels without a word of it, nobody knows whether the story is still at a place."""


def ambiences(readings: Sequence[PageReading]) -> dict[str, str]:
    """What to play from which panel on: panel id to tags by commas, or "none"; only where it changes.

    A place lasts until another one is told, the story goes elsewhere, or it has not been spoken of for long.
    """
    told: dict[str, str] = {}
    now, since = NOTHING, 0
    for reading in readings:
        for panel in reading.panels:
            since += 1
            found = _told_here(reading, panel)
            if found:
                since = 0
                wanted = ", ".join(found)
            elif _goes_elsewhere(reading, panel) or since > FORGET_PANELS:
                wanted = NOTHING
            else:
                wanted = now
            if wanted != now:
                told[panel.id] = wanted
                now = wanted
    return told


def _told_here(reading: PageReading, panel: Panel) -> list[str]:
    """Place and weather of a panel: what is seen to sound on, what was noted, what captions and signs say."""
    heard = [seen.what for seen in reading.sounds if seen.panel == panel.id and seen.kind == "continuous"]
    scene = scene_text(reading, panel)
    lettered = " ".join(line.text for line in lines_of(reading, panel) if line.kind in ("caption", "sign"))
    for text in (" ".join([scene, *heard]), lettered):
        place, weather = list(named("places", "place", text))[:1], list(named("places", "weather", text))[:1]
        if place or weather:
            return [*place, *weather]
    return heard[:1]


def _goes_elsewhere(reading: PageReading, panel: Panel) -> bool:
    captions = " ".join(line.text for line in lines_of(reading, panel) if line.kind == "caption")
    return bool(named("places", "elsewhere", captions))
