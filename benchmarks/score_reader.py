"""Reads the pages of a folder with known truth by the embedded reader, and scores panels, lines and their confidence.

    python -m benchmarks.score_reader SHARED_FOLDER [--only t02,t07] [--out READINGS_DIR]

SHARED_FOLDER holds truth/*.json, the pages they name under pages/, and yardsticks/score_pages.py.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.doubts import Doubts, doubts_of
from comic_narrator.model import Direction
from comic_narrator.panels import find_panels
from comic_narrator.readers import PageToRead
from comic_narrator.readers.embedded import EmbeddedReader


def direction_of(truth: dict[str, Any]) -> Direction:
    """The reading direction that a truth file states."""
    said = str(truth["reading_direction"])
    if "strip" in truth["layout"] and "top to bottom" in said:
        return "vertical"
    return "rtl" if said.startswith("rtl") else "ltr"


def read_page(reader: EmbeddedReader, image: Path, direction: Direction, language: str | None) -> dict[str, Any]:
    """One page as the yardstick wants it."""
    with Image.open(image) as picture:
        panels = find_panels(np.asarray(picture.convert("RGB")), direction)
    page = PageToRead(image, panels, direction, language or reader.language([image]))
    lines = reader.read(page, ()).lines
    return {
        "panels": [{"bbox": list(panel)} for panel in panels],
        "lines": [
            {
                "kind": line.kind,
                "text": line.text,
                "speaker": line.speaker,
                "panel": line.panel,
                "bbox": list(line.bbox),
                "balloon": list(line.balloon) if line.balloon else None,
                "confidence": round(line.confidence, 3),
            }
            for line in lines
        ],
    }


def main() -> None:
    """Read, save and score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--only", default="", help="comma-separated beginnings of truth file names")
    parser.add_argument("--out", type=Path, help="where the readings are kept; a new temporary folder otherwise")
    options = parser.parse_args()
    out = options.out or Path(tempfile.mkdtemp(prefix="readings-"))
    out.mkdir(parents=True, exist_ok=True)
    reader, doubts = EmbeddedReader(), Doubts()
    for file in sorted((options.shared / "truth").glob("t*.json")):
        if not file.stem.startswith(tuple(options.only.split(","))):
            continue
        truth = json.loads(file.read_text(encoding="utf-8"))
        started = time.perf_counter()
        reading = read_page(
            reader, options.shared / "pages" / truth["image"], direction_of(truth), truth.get("language")
        )
        (out / file.name).write_text(json.dumps(reading, ensure_ascii=False, indent=1), encoding="utf-8")
        doubts += doubts_of(truth, reading)
        print(f"{file.stem}: {time.perf_counter() - started:.1f} s", flush=True)
    print(f"confidence: {doubts}", flush=True)
    yardstick = options.shared / "yardsticks" / "score_pages.py"
    command = [sys.executable, str(yardstick), str(options.shared / "truth"), str(out)]
    if options.only:
        command += ["--only", options.only]
    print("score again with:", " ".join(command), flush=True)
    if yardstick.is_file():
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
