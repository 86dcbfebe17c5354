"""The sample books read by the command, and where their golden readings and pictures lie."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from PIL import Image

from comic_narrator.model import PageReading
from comic_narrator.settings import ENV_PREFIX
from comic_narrator.show import show_reading
from samples.draw import BOOKS

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
GOLDEN = Path(__file__).parent / "pages"
NAMES = tuple(BOOKS)
SHOWN_WIDTH = 320
"""Golden pictures are this wide: boxes, numbers and the path are still seen, and a page takes some kilobytes."""


def read_book(name: str, folder: Path) -> dict[str, PageReading]:
    """The readings of a sample book, by page, as the command makes them in `folder`."""
    # Nothing of this machine: neither its settings nor a detector that its user fetched.
    environment = {key: value for key, value in os.environ.items() if not key.startswith(ENV_PREFIX)}
    command = [sys.executable, "-m", "comic_narrator", str(SAMPLES / f"{name}.cbz"), "--until", "reading"]
    command += ["-o", str(folder / f"{name}.mp4"), "--work", str(folder / name), "--set", "reader.balloon_model=none"]
    subprocess.run(command, check=True, capture_output=True, cwd=SAMPLES.parent, env=environment)
    files = sorted((folder / name / "pages").glob("*/page.json"))
    return {file.parent.name: PageReading.model_validate_json(file.read_bytes()) for file in files}


def golden_files(name: str) -> list[Path]:
    """The golden readings of a sample book, in page order."""
    return sorted(GOLDEN.glob(f"{name}-*.json"))


def golden_reading(file: Path) -> PageReading:
    """A golden reading."""
    return PageReading.model_validate_json(file.read_bytes())


def shown_small(reading: PageReading) -> Image.Image:
    """What is drawn for a reading, over a page left white, scaled down: the art would drown small changes."""
    shown = show_reading(Image.new("RGB", (reading.width, reading.height), "white"), reading)
    return shown.resize((SHOWN_WIDTH, round(shown.height * SHOWN_WIDTH / shown.width)), Image.Resampling.BOX)
