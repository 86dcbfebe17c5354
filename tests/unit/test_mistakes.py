"""The benchmark says in words what is wrong with a reading, by the yardstick of ../shared."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from benchmarks.bench import shared_bench
from benchmarks.mistakes import judge
from comic_narrator.model import Line

SPOKEN = "We ought to share the money"
REPLY = "Of course we will share it"


@pytest.fixture(scope="module")
def yardstick(shared: Path) -> ModuleType:
    return shared_bench(shared, shared).yardstick("score_pages")


def line(text: str, kind: str = "dialogue", at: int = 0, **more: object) -> dict[str, Any]:
    return {"text": text, "kind": kind, "bbox": [10 + 100 * at, 10, 80, 40], "speaker": None} | more


TRUTH = {
    "panels": [
        {"order": 1, "bbox": [0, 0, 300, 300], "lines": [line(SPOKEN), line(REPLY, at=1)]},
        {"order": 2, "bbox": [0, 320, 300, 300], "lines": [line("KRAK", "sfx"), line("Hm", at=2, optional=True)]},
    ],
    "other_text": [{"text": "Buster Bear", "kind": "title"}],
}
PANELS = [{"bbox": [0, 0, 300, 300]}, {"bbox": [0, 320, 300, 300]}]


def as_read(lines: list[dict[str, Any]], tails: bool = False) -> list[Line]:
    """The same lines as a reader gives them."""
    return [
        Line(
            id="0001.01.1",
            panel="0001.01",
            kind=one["kind"],
            text=one["text"],
            bbox=one["bbox"],
            speaker=one["speaker"],
            tail=(5, 5) if tails else None,
            confidence=0.4,
        )
        for one in lines
    ]


def words(yardstick: ModuleType, lines: list[dict[str, Any]], panels: list[dict[str, Any]] = PANELS) -> list[str]:
    return list(judge(TRUTH, {"panels": panels, "lines": lines}, yardstick, as_read(lines)).words)


def test_a_right_reading_has_nothing_wrong_whatever_stands_beside_it(yardstick: ModuleType) -> None:
    right = [line(SPOKEN.upper()), line(REPLY, at=1), line("BUSTER BEAR", "caption", 2), line("KRAK", "sfx", 3)]
    judged = judge(TRUTH, {"panels": PANELS, "lines": right}, yardstick, as_read(right))
    assert judged.words == ()
    assert not any(judged.wrong)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([line(SPOKEN)], f'missing: dialogue "{REPLY}"; no lettering was recognised there'),
        (
            [line(SPOKEN), line("Of course", at=1)],
            f'missing: dialogue "{REPLY}"; there: dialogue "Of course"; the rest of it was not recognised',
        ),
        ([line(SPOKEN), line("Of course", at=1)], 'a piece: dialogue "Of course"'),
        ([line(SPOKEN), line(REPLY, "sign", 1)], f'wrong kind: dialogue "{REPLY}" is read as sign; it was taken for'),
        ([line(SPOKEN), line(REPLY, at=1), line("Nobody said so")], 'invented: dialogue "Nobody said so"'),
        ([line(REPLY, at=1), line(SPOKEN)], f'order: "{SPOKEN}" is read after "{REPLY}"'),
        ([line(SPOKEN), line("Of caurze vve vvill shore it", at=1)], "misread (33%)"),
    ],
)
def test_each_mistake_is_told(yardstick: ModuleType, lines: list[dict[str, Any]], told: str) -> None:
    assert any(word.startswith(told) for word in words(yardstick, lines)), words(yardstick, lines)


def test_lost_false_and_disordered_panels_are_told(yardstick: ModuleType) -> None:
    right = [line(SPOKEN), line(REPLY, at=1)]
    told = words(yardstick, right, [PANELS[1], PANELS[0]])
    assert told == ["panels are read in the order 2, 1"]
    told = words(yardstick, right, [PANELS[0], {"bbox": [0, 320, 90, 90]}])
    assert [word.partition(":")[0] for word in told] == ["panel 2 of 2 is not found", "this is no panel"]


def test_wrong_lines_and_small_slips_are_told_apart(yardstick: ModuleType) -> None:
    read = [line("We ought to shame the money"), line("Of course", at=1), line("Invented one"), line("BANG", "sfx", 4)]
    judged = judge(TRUTH, {"panels": PANELS, "lines": read}, yardstick, as_read(read))
    assert judged.wrong == (False, True, True, False)
    assert judged.slips == (True, False, False, False)


@pytest.mark.parametrize(
    ("speakers", "labels", "told"),
    [
        (("Pip", "Nell"), ("Voice A", "Voice B"), ()),
        (("Pip", "Pip"), ("Voice A", "Voice B"), ("voices: Pip is taken for Voice A (1 line) and Voice B (1 line)",)),
        (("Pip", "Nell"), ("Voice A", "Voice A"), ("voices: Voice A is Pip (1 line) and Nell (1 line)",)),
    ],
)
@pytest.mark.parametrize(("tails", "why"), [(False, "no tail was found of"), (True, "sides and looks mislead")])
def test_voices_taken_for_others_are_told_with_what_is_not_known_of_them(
    yardstick: ModuleType,
    speakers: tuple[str, str],
    labels: tuple[str, str],
    told: tuple[str, ...],
    tails: bool,
    why: str,
) -> None:
    texts = (SPOKEN, REPLY)
    true = [line(text, at=i, speaker=speaker) for i, (text, speaker) in enumerate(zip(texts, speakers, strict=True))]
    read = [line(text, at=i, speaker=label) for i, (text, label) in enumerate(zip(texts, labels, strict=True))]
    truth = {"panels": [{"order": 1, "bbox": [0, 0, 300, 300], "lines": true}]}
    found = judge(truth, {"panels": PANELS[:1], "lines": read}, yardstick, as_read(read, tails)).words
    assert len(found) == len(told)
    assert all(word.startswith(one) and why in word for word, one in zip(found, told, strict=True))
