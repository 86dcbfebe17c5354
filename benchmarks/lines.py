"""What comics say, as printed: the truth of our samples' pages and of the real ones, and the samples' scripts."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TRUTH = ROOT.parent / "shared" / "truth"
SCRIPTS = ROOT / "samples" / "scripts"


@dataclass(frozen=True)
class Printed:
    """A line of a comic: where from, what it says, its kind and tone."""

    page: str
    text: str
    kind: str
    tone: str | None


def printed_lines(language: str) -> Iterator[Printed]:
    """Spoken lines of the truth of our samples and, where they are, of the real pages; behind them those of scripts."""
    yield from drawn_lines(language)
    yield from real_lines(language)
    yield from script_lines(language)


def drawn_lines(language: str) -> Iterator[Printed]:
    """Spoken lines of our samples' pages."""
    for file in sorted((ROOT / "samples" / "truth").glob("*.json")):
        page = json.loads(file.read_text(encoding="utf-8"))
        if page["language"][:2] == language:
            for line in page["lines"]:
                if line["kind"] in ("dialogue", "thought", "caption"):
                    yield Printed(file.stem, line["text"], line["kind"], line.get("tone"))


def real_lines(language: str) -> Iterator[Printed]:
    """Spoken lines of the real pages with truth, none where those are not on this machine."""
    for file in sorted(TRUTH.glob("*.json")):
        page = json.loads(file.read_text(encoding="utf-8"))
        if page["language"][:2] != language:
            continue
        for line in (line for panel in page["panels"] for line in panel.get("lines", ())):
            if line["kind"] in ("dialogue", "thought", "caption") and not line.get("symbol"):
                yield Printed(file.stem, line["text"], line["kind"], None)


def script_lines(language: str) -> Iterator[Printed]:
    """Lines of the samples' scripts, all of them spoken."""
    for file in sorted(SCRIPTS.glob("*.toml")):
        script = tomllib.loads(file.read_text(encoding="utf-8"))
        if script["language"] == language:
            for line in script["line"]:
                yield Printed(file.stem, line["text"], line["kind"], line.get("tone"))
