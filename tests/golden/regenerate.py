"""Writes the golden readings and pictures of the sample books anew: `python -m tests.golden.regenerate [BOOK ...]`.

To be run on purpose, when the reader or the drawing answers otherwise and the new answer was looked at and is better.
It prints what changed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image

from tests.golden.likeness import differences
from tests.golden.samples import GOLDEN, NAMES, golden_files, golden_reading, read_book, shown_small

COLOURS = 128


def main() -> None:
    """Read the named sample books, or all, and keep what was read."""
    GOLDEN.mkdir(exist_ok=True)
    for name in sys.argv[1:] or NAMES:
        before = {file.stem: golden_reading(file) for file in golden_files(name)}
        for file in golden_files(name):
            file.unlink()
            file.with_suffix(".png").unlink(missing_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            readings = read_book(name, Path(folder))
        for page, reading in readings.items():
            file = GOLDEN / f"{name}-{page}.json"
            file.write_text(reading.to_json(), encoding="utf-8")
            # Few colours make small files; this method keeps pure ones pure.
            small = shown_small(reading).quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
            small.save(file.with_suffix(".png"), optimize=True)
            was = before.get(file.stem)
            told = ["new"] if was is None else differences(was, reading) or ["as before"]
            print(f"{file.stem}:", *told, sep="\n  ")


if __name__ == "__main__":
    main()
