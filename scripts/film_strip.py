"""The README's strip of frames: `python -m scripts.film_strip FILM OUT.jpg SECOND [SECOND ...]`, three to a row."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from comic_narrator import ffmpeg

COLUMNS = 3
CELL = (480, 270)
GAP = 8


def strip(film: Path, seconds: list[float]) -> Image.Image:
    """The film's frames at those seconds as one picture."""
    rows = -(-len(seconds) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * (CELL[0] + GAP) - GAP, rows * (CELL[1] + GAP) - GAP), "white")
    with TemporaryDirectory() as folder:
        frame = Path(folder) / "frame.png"
        for i, second in enumerate(seconds):
            ffmpeg.run(["-ss", str(second), "-i", str(film), "-frames:v", "1", str(frame)])
            with Image.open(frame) as picture:
                cell = picture.convert("RGB").resize(CELL, Image.Resampling.LANCZOS)
            sheet.paste(cell, (i % COLUMNS * (CELL[0] + GAP), i // COLUMNS * (CELL[1] + GAP)))
    return sheet


if __name__ == "__main__":
    strip(Path(sys.argv[1]), [float(second) for second in sys.argv[3:]]).save(sys.argv[2], quality=88)
