"""Pages whose truth is known, where they lie, and what was read of them."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from comic_narrator.model import Book, Line, PageReading

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "samples"
OURS = "t_"
"""What the names of our own samples begin with: the yardsticks look at files that begin with "t"."""
HEARD = ("dialogue", "thought", "caption", "sfx")


@dataclass(frozen=True)
class Bench:
    """Where truth, pages and yardsticks lie, and where readings go, with the work folders that they came from."""

    truths: Path
    pages: Path
    yardsticks: Path
    out: Path

    @property
    def names(self) -> list[str]:
        """The pages with known truth."""
        return sorted(file.stem for file in self.truths.glob("t*.json"))

    def truth(self, page: str) -> dict[str, Any]:
        """What is known of a page."""
        known: dict[str, Any] = json.loads((self.truths / f"{page}.json").read_text(encoding="utf-8"))
        # "ltr (top to bottom)" is for people.
        return {**known, "reading_direction": known["reading_direction"].split()[0]}

    def reading(self, page: str) -> dict[str, Any] | None:
        """What was read of a page, in the yardstick's form; None where reading it failed."""
        file = self.out / f"{page}.json"
        return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None

    def work(self, page: str) -> Path:
        """The work folder in which a page was read."""
        return self.out / "work" / page

    def lines(self, page: str) -> Iterator[Line]:
        """The lines of a page as the reader gave them, in the order of its reading."""
        book = Book.model_validate_json((self.work(page) / "book.json").read_bytes())
        for part in book.pages:
            reading = (self.work(page) / "pages" / part.id / "page.json").read_bytes()
            yield from PageReading.model_validate_json(reading).lines

    def yardstick(self, name: str) -> ModuleType:
        """A yardstick as a module."""
        spec = importlib.util.spec_from_file_location(name, self.yardsticks / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def shared_bench(shared: Path, out: Path) -> Bench:
    """The real pages of the folder `shared`, with the truth that lies there."""
    return Bench(shared / "truth", shared / "pages", shared / "yardsticks", out)


def samples_bench(shared: Path, out: Path) -> Bench:
    """Our own samples, with their truth written into `out` in the yardsticks' form."""
    truths = out / "truth"
    truths.mkdir(parents=True)
    for file in sorted((SAMPLES / "truth").glob("*.json")):
        known = truth_of(PageReading.model_validate_json(file.read_bytes()))
        (truths / f"{OURS}{file.stem}.json").write_text(json.dumps(known, ensure_ascii=False), encoding="utf-8")
    return Bench(truths, SAMPLES, shared / "yardsticks", out)


def truth_of(page: PageReading) -> dict[str, Any]:
    """The truth of one of our samples in the yardsticks' form."""
    return {
        "image": page.image,
        "layout": "webtoon" if page.direction == "vertical" else "page",
        "reading_direction": "rtl" if page.direction == "rtl" else "ltr",
        "language": page.language,
        "panels": [
            {
                "order": order,
                "bbox": panel.bbox,
                "lines": [_line(line) for line in page.lines if line.panel == panel.id and line.kind in HEARD],
            }
            for order, panel in enumerate(page.panels, 1)
        ],
        "other_text": [_line(line) for line in page.lines if line.kind not in HEARD],
    }


def _line(line: Line) -> dict[str, Any]:
    return {"kind": line.kind, "text": line.text, "speaker": line.speaker, "bbox": line.bbox}
