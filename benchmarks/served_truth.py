"""What is lost between a model's answer and page.json: the real pages of ../shared, read with a model that answers from
their truth, scored with the yardstick that lies there.

    python -m benchmarks.served_truth [--only t02,t07] [--units thousandths|pixels|shares]

Words and speakers must score 1.0; a page that falls back to the recogniser is named.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from comic_narrator.http import Server
from comic_narrator.model import Box, Direction
from comic_narrator.panels import find_panels
from comic_narrator.pictures import load_rgb
from comic_narrator.readers import PageToRead, Reading
from comic_narrator.readers.embedded import EmbeddedReader
from comic_narrator.readers.vllm.asking import PIXELS
from comic_narrator.readers.vllm.chat import Chat
from comic_narrator.readers.vllm.reader import VllmReader
from comic_narrator.readers.vllm.showing import sized
from tests.fakes.truthful import TruePage, Units, answers_from
from tests.fakes.vllm_server import FakeVllm

SHARED = Path(__file__).resolve().parents[2] / "shared"


def units_of(name: str, page: TruePage) -> Units:
    """How the model writes boxes: in thousandths, in pixels of the picture that it gets, or as shares of it."""
    if name == "thousandths":
        return page.thousandths
    shown = sized(Box(0, 0, page.width, page.height), PIXELS)
    wide, high = shown.size if name == "pixels" else (1, 1)
    return lambda box: [
        round(v, 4)
        for v in (
            box.x / page.width * wide,
            box.y / page.height * high,
            box.right / page.width * wide,
            box.bottom / page.height * high,
        )
    ]


def read_page(truth: Path, embedded: EmbeddedReader, units: str) -> tuple[PageToRead, Reading]:
    """A page of the truth, read with a model that knows it."""
    known = json.loads(truth.read_text(encoding="utf-8"))
    image = SHARED / "pages" / known["image"]
    picture = load_rgb(image)
    direction: Direction = "vertical" if "webtoon" in known["layout"] or "strip," in known["layout"] else "ltr"
    direction = "rtl" if known["reading_direction"].startswith("rtl") else direction
    panels = tuple(panel.box for panel in find_panels(picture, direction))
    page = PageToRead(image, panels, direction, known["language"], page="0001")
    evidence = embedded.read(page, ())
    height, width = picture.shape[:2]
    true = TruePage(known, panels, evidence, width, height)
    with FakeVllm(answers_from(true, units_of(units, true))) as fake:
        reader = VllmReader(Chat(Server(fake.url)), embedded)
        page = PageToRead(image, panels, direction, known["language"], page="0001", evidence=evidence)
        return page, reader.read(page, ())


def scored(names: Sequence[str], units: str, folder: Path) -> tuple[str, list[str]]:
    """What the yardstick says of those pages, read into `folder`; and the remarks that there are on their readings."""
    embedded = EmbeddedReader()
    remarks: list[str] = []
    for name in names:
        page, reading = read_page(SHARED / "truth" / f"{name}.json", embedded, units)
        remarks += [f"{name}: {remark}" for remark in reading.remarks]
        lines = [
            {"kind": line.kind, "text": line.text, "speaker": line.speaker, "panel": line.panel, "bbox": line.bbox}
            for line in sorted(reading.lines, key=lambda line: line.panel)
        ]
        told = {"panels": [{"bbox": box} for box in page.panels], "lines": lines}
        (folder / f"{name}.json").write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")
    yardstick = [SHARED / "yardsticks" / "score_pages.py", SHARED / "truth", folder, "--only", ",".join(names)]
    done = subprocess.run([sys.executable, *map(str, yardstick)], capture_output=True, text=True, check=True)
    return done.stdout, remarks


def nothing_lost(table: str) -> bool:
    """Whether the yardstick found every word right and every speaker."""
    total = json.loads(table.strip().splitlines()[-1])
    return (total["found"], total["cer"], total["speaker"]) == (1.0, 0.0, 1.0)


def main() -> None:
    """Read, score, and end with 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="t", help="truth ids or how they begin, by commas")
    parser.add_argument("--units", choices=("thousandths", "pixels", "shares"), default="thousandths")
    asked = parser.parse_args()
    known = sorted(path.stem for path in (SHARED / "truth").glob("t*.json"))
    names = [name for name in known if name.startswith(tuple(asked.only.split(",")))]
    with tempfile.TemporaryDirectory() as folder:
        table, remarks = scored(names, asked.units, Path(folder))
    print("\n".join([*remarks, table]))
    sys.exit(0 if nothing_lost(table) and not remarks else 1)


if __name__ == "__main__":
    main()
