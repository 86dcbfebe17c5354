"""timing.json: the film's time line, in whole frames."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from comic_narrator.model.geometry import Box, View
from comic_narrator.model.page import Outline
from comic_narrator.model.parts import Artefact, Part

SAMPLE_RATE = 48_000
"""Samples a second of every take, stem and film."""


class Clip(Part):
    """A take placed on its scene's time line; seconds from the scene's first frame."""

    beat: str
    file: str
    start: float = Field(ge=0)
    end: float
    gain_db: float = 0.0


class Shot(Part):
    """What the camera shows from `first_frame` up to, not including, `end_frame` of its scene; no panel = the page.

    `enter` is how it takes over from the shot before it.
    """

    panel: str | None = None
    first_frame: int = Field(ge=0)
    end_frame: int
    from_view: View
    to_view: View
    ease: Literal["hold", "smooth", "abrupt", "shake"]
    focus: Box | None = None
    enter: Literal["cut", "slide"] = "cut"


class Light(Part):
    """The light at `frame` of its scene, on what is spoken then: it eases from each of a panel's to the next.

    `strength` is from 0, no light, to 1. Without a panel it lies on whatever is shown.
    """

    panel: str | None = None
    frame: int = Field(ge=0)
    place: Box
    strength: float = Field(ge=0, le=1)


class Nearness(Part):
    """How near somebody has come at `frame` of the scene, from 0, where they are drawn, to 1."""

    frame: int = Field(ge=0)
    share: float = Field(ge=0, le=1)


class Cutout(Part):
    """Somebody who comes nearer while they speak: the outline of what moves, and what it neither covers nor moves."""

    panel: str
    mask: Outline = Field(min_length=3)
    lettering: tuple[Box, ...] = ()
    moves: tuple[Nearness, ...] = Field(min_length=1)


class Scene(Part):
    """The clips and shots of one page, and what is set off in its pictures.

    `frames` is its length, `leave` how its end gives way to the next scene.
    """

    page: str
    frames: int = Field(gt=0)
    clips: tuple[Clip, ...]
    shots: tuple[Shot, ...] = Field(min_length=1)
    lights: tuple[Light, ...] = ()
    cutouts: tuple[Cutout, ...] = ()
    leave: Literal["cut", "slide", "turn"] = "cut"


class Timing(Artefact):
    """timing.json: the film's time line, scene by scene."""

    schema_: Literal["comic_narrator.timing/1"] = Field("comic_narrator.timing/1", alias="schema")
    fps: int = Field(gt=0)
    sample_rate: int = Field(gt=0)
    scenes: tuple[Scene, ...] = Field(min_length=1)

    @property
    def frames(self) -> int:
        """Length of the film in frames."""
        return sum(scene.frames for scene in self.scenes)
