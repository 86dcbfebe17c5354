"""A model that answers from the truth: it says of a page what is known of it, in the form that the reader asks for.

It sees what a model would see in the pictures: where the recogniser's numbers stand, and which panel is which.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from comic_narrator.model import CAST_KINDS, Box
from comic_narrator.readers import Reading
from tests.fakes.vllm_server import Asked

Units = Callable[[Box], list[float]]
"""How a model writes a box of page pixels."""


@dataclass(frozen=True)
class TruePage:
    """What is known of a page, in the form of ../shared/truth/SCHEMA.md, and what the reader starts from."""

    truth: Mapping[str, Any]
    panels: Sequence[Box]
    evidence: Reading
    width: int
    height: int

    def thousandths(self, box: Box) -> list[float]:
        """A box as it is asked for."""
        return [
            round(v)
            for v in (
                1000 * box.x / self.width,
                1000 * box.y / self.height,
                1000 * box.right / self.width,
                1000 * box.bottom / self.height,
            )
        ]

    def panel_of(self, box: Box) -> int:
        """The number of the panel that most of a box is in, else of the nearest."""

        def far(i: int) -> tuple[int, float]:
            (x, y), (px, py) = box.center, self.panels[i].center
            return -box.overlap(self.panels[i]), (x - px) ** 2 + (y - py) ** 2

        return min(range(len(self.panels)), key=far) + 1


def answers_from(page: TruePage, units: Units | None = None) -> Callable[[Asked], str]:
    """The answers of a model that knows the page; it writes boxes as `units` does, else in thousandths."""
    write = units or page.thousandths

    def answer(asked: Asked) -> str:
        name = asked.body["response_format"]["json_schema"]["name"]
        if name == "PageAnswer":
            return json.dumps(page_answer(page, write), ensure_ascii=False)
        if name == "LanguageAnswer":
            return json.dumps({"language": page.truth["language"]})
        return json.dumps({"words": "THE LIGHTHOUSE IS DARK TONIGHT"})

    return answer


def page_answer(page: TruePage, write: Units) -> dict[str, Any]:
    """Everything that is known of the page, as the reader asks for it."""
    true_lines = [line for panel in page.truth["panels"] for line in panel["lines"]]
    others = [{**text, "kind": "sign"} for text in page.truth.get("other_text", []) if text.get("text")]
    found = {n: _numbers(page, _box(line)) for n, line in enumerate([*true_lines, *others]) if line.get("bbox")}
    times: dict[int, int] = {}
    for numbers in found.values():
        for number in numbers:
            times[number] = times.get(number, 0) + 1
    lines = []
    for n, line in enumerate([*true_lines, *others]):
        numbers = found.get(n, [])
        alone = bool(numbers) and all(times[number] == 1 for number in numbers)
        lines.append(
            {
                "numbers": numbers,
                "panel": page.panel_of(_box(line)) if line.get("bbox") else 1,
                "kind": line["kind"],
                "speaker": (line.get("speaker") or "") if line["kind"] in CAST_KINDS else "",
                "tone": "plain",
                "text": line["text"],
                "box": [] if alone or not line.get("bbox") else write(_box(line)),
            }
        )
    # In the order of the page: what is no part of the story stands where the recogniser has it.
    used = set(times)
    rest = [n for n in range(1, len(page.evidence.lines) + 1) if n not in used]
    clear = [n for n in rest if page.evidence.lines[n - 1].balloon and page.evidence.lines[n - 1].confidence >= 0.9]
    lines += [_as_found(page, number) for number in clear]
    speakers = dict.fromkeys(line["speaker"] for line in lines if line["speaker"])
    return {
        "frame": write(page.panels[-1]),
        "panels": [
            {"panel": i, "scene": f"Panel {i}.", "pacing": "steady", "shot": "medium"}
            for i in range(1, len(page.panels) + 1)
        ],
        "figures": [
            {
                "label": speaker,
                "panel": panel,
                "box": write(page.panels[panel - 1]),
                "looks": f"{speaker} as drawn",
                "role": "speaker",
                "emotion": "neutral",
            }
            for speaker in speakers
            for panel in dict.fromkeys(line["panel"] for line in lines if line["speaker"] == speaker)
        ],
        "lines": lines,
        "not_lettering": [n for n in rest if n not in clear],
        "sounds": [{"panel": 1, "what": "wind", "kind": "continuous"}],
    }


def _as_found(page: TruePage, number: int) -> dict[str, Any]:
    line = page.evidence.lines[number - 1]
    return {
        "numbers": [number],
        "panel": line.panel + 1,
        "kind": "sign",
        "speaker": "",
        "tone": "plain",
        "text": line.text,
        "box": [],
    }


def _box(line: Mapping[str, Any]) -> Box:
    return Box(*(round(v) for v in line["bbox"]))


def _numbers(page: TruePage, box: Box) -> list[int]:
    """The recogniser's lines that lie in a true line's place, or hold it."""
    return [
        number
        for number, line in enumerate(page.evidence.lines, 1)
        if line.bbox.overlap(box) > 0.5 * min(line.bbox.area, box.area)
    ]


_RECOGNISED = re.compile(r"^(\d+)\. P(\d+), (\w+)(?:, (voice \w+))?(?:, (shouting|whispering))?(?:, doubtful)?: (.*)$")
_PANELS = re.compile(r"panels? (?:are|is)? ?((?:P\d+(?:, )?)+)")
_ENTRY = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)


def echo(asked: Asked) -> str:
    """The answers of a model that believes the recogniser in everything, and gives its voices names."""
    name = asked.body["response_format"]["json_schema"]["name"]
    text = asked.body["messages"][-1]["content"]
    told = "\n".join(part["text"] for part in text if part["type"] == "text")
    if name == "PageAnswer":
        return json.dumps(echoed_page(told), ensure_ascii=False)
    if name == "PeopleAnswer":
        people = [{"name": label, "entries": [int(number)], **ABOUT} for number, label in _ENTRY.findall(told)]
        return json.dumps({"people": people})
    if name == "TranslationAnswer":
        wanted = told.partition("Translate these")[2]
        lines = re.findall(r"^(\d+)\. \((.*?)\) (.*)$", wanted, re.MULTILINE)
        return json.dumps({"lines": [{"number": int(n), "text": f"«{said}»"} for n, _, said in lines]})
    if name == "LanguageAnswer":
        return json.dumps({"language": "und"})
    return json.dumps({"words": "THE LIGHTHOUSE IS DARK TONIGHT"})


ABOUT = {"aliases": [], "role": "somebody", "looks": "woman with a lamp"}


def echoed_page(told: str) -> dict[str, Any]:
    """What the recogniser made of a page, as a model would answer it."""
    panels = [int(number) for number in re.findall(r"P(\d+)", _PANELS.search(told)[1])]  # type: ignore[index]
    lines = []
    for number, panel, kind, voice, tone, words in (
        match.groups() for match in map(_RECOGNISED.match, told.splitlines()) if match
    ):
        speaker = f"Person {voice[-1]}" if voice else ""
        lines.append(
            {
                "numbers": [int(number)],
                "panel": int(panel),
                "kind": kind,
                "speaker": speaker,
                "tone": tone or "plain",
                "text": words,
                "box": [],
            }
        )
    people = dict.fromkeys((line["speaker"], line["panel"]) for line in lines if line["speaker"])
    return {
        "frame": [],
        "panels": [{"panel": n, "scene": "Somebody talks.", "pacing": "slow", "shot": "medium"} for n in panels],
        "figures": [
            {
                "label": who,
                "panel": panel,
                "box": [],
                "looks": "woman with a lamp",
                "role": "somebody",
                "emotion": "happy",
            }
            for who, panel in people
        ],
        "lines": lines,
        "not_lettering": [],
        "sounds": [{"panel": panels[0], "what": "rain", "kind": "continuous"}],
    }
