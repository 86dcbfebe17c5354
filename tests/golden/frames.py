"""Golden frames of our sample pages, a sheet each: `python -m tests.golden.frames` draws them anew, on purpose.

The pages hold every kind of shot: the page itself, panels seen whole, approached and travelled, revealing, pushed,
shaken and still ones, slides, turned pages, a strip that scrolls.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from comic_narrator.film import SceneClip, Take, first_frame, time_scene
from comic_narrator.film.planes import Pixels
from comic_narrator.model import SPOKEN_KINDS, Beat, PageReading, Scene
from comic_narrator.pictures import load_rgb
from tests.golden.samples import SAMPLES

SHEETS = Path(__file__).parent / "frames"
PAGES = {"western_1": "western_2", "western_2": "western_3", "western_3": None, "manga_1": None, "webtoon_1": None}
"""The pages of the sheets, each with the page that comes after it."""
SIZE, FPS = (160, 90), 30
ACROSS, DOWN = 5, 4
SECONDS = 1.6
"""How long each line is spoken."""


def reading_of(name: str) -> PageReading:
    """What is known of a sample page."""
    return PageReading.model_validate_json((SAMPLES / "truth" / f"{name}.json").read_bytes())


def scene_of(name: str, *, goes_on: bool) -> Scene:
    """The page's scene: every line takes as long, every wordless panel two seconds."""
    reading, beats = reading_of(name), []
    for panel in reading.panels:
        lines = [line for line in reading.lines if line.panel == panel.id and line.kind in SPOKEN_KINDS]
        shared = {"page": reading.page, "panel": panel.id}
        beats += [
            Beat(id=line.id, kind="speech", text=line.text, voice="v", pause_after=0.4, **shared) for line in lines
        ]
        if not lines:
            beats.append(Beat(id=f"{panel.id}.0", kind="pause", pause_after=2.0, **shared))
    takes = {beat.id: Take("x", SECONDS) for beat in beats if beat.kind == "speech"}
    shape = SIZE[0] / SIZE[1]
    return time_scene(reading, beats, takes, fps=FPS, shape=shape, establishing=1.5, goes_on=goes_on)


def picture_of(name: str) -> Pixels:
    """The page's picture."""
    return load_rgb(SAMPLES / reading_of(name).image)


def sheet(name: str) -> Image.Image:
    """Frames of the scene from its first to its last, row by row; those of the last row follow each other closely."""
    following = PAGES[name]
    scene = scene_of(name, goes_on=following is not None)
    first = scene_of(following, goes_on=False).shots[0] if following else None
    after = first_frame(picture_of(following), first, SIZE, "blur") if following and first else None
    leftwards = reading_of(name).direction != "rtl"
    clip = SceneClip(picture_of(name), scene, SIZE, FPS, "blur", after=after, leftwards=leftwards)
    last = [scene.frames - 1 - 3 * i for i in reversed(range(ACROSS))]
    rest = np.linspace(0, last[0], ACROSS * (DOWN - 1), endpoint=False).round().astype(int)
    whole = Image.new("RGB", (SIZE[0] * ACROSS, SIZE[1] * DOWN))
    for at, index in enumerate([*rest, *last]):
        frame = Image.fromarray(clip.get_frame(index / FPS))
        whole.paste(frame, (at % ACROSS * SIZE[0], at // ACROSS * SIZE[1]))
    return whole


def main() -> None:
    """Draw all sheets."""
    SHEETS.mkdir(exist_ok=True)
    for name in PAGES:
        sheet(name).save(SHEETS / f"{name}.jpg", quality=90, subsampling=0)


if __name__ == "__main__":
    main()
