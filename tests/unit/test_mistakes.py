"""The benchmark says in words what is wrong with a reading, by the yardstick of ../shared."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from benchmarks.mistakes import judge
from benchmarks.reading import Bench

SPOKEN = "We ought to share the money"
REPLY = "Of course we will share it"


@pytest.fixture(scope="module")
def yardstick(shared: Path) -> ModuleType:
    return Bench(shared, shared).yardstick("score_pages")


def line(text: str, kind: str = "dialogue", at: int = 0, **more: object) -> dict[str, Any]:
    return {"text": text, "kind": kind, "bbox": [10 + 100 * at, 10, 80, 40], "speaker": None, **more}


TRUTH = {
    "panels": [
        {"order": 1, "bbox": [0, 0, 300, 300], "lines": [line(SPOKEN), line(REPLY, at=1)]},
        {"order": 2, "bbox": [0, 320, 300, 300], "lines": [line("KRAK", "sfx"), line("Hm", at=2, optional=True)]},
    ],
    "other_text": [{"text": "Buster Bear", "kind": "title"}],
}
PANELS = [{"bbox": [0, 0, 300, 300]}, {"bbox": [0, 320, 300, 300]}]


def words(yardstick: ModuleType, lines: list[dict[str, Any]], panels: list[dict[str, Any]] = PANELS) -> list[str]:
    return list(judge(TRUTH, {"panels": panels, "lines": lines}, yardstick).words)


def test_a_right_reading_has_nothing_wrong_whatever_stands_beside_it(yardstick: ModuleType) -> None:
    right = [line(SPOKEN.upper()), line(REPLY, at=1), line("BUSTER BEAR", "caption", 2), line("KRAK", "sfx", 3)]
    judged = judge(TRUTH, {"panels": PANELS, "lines": right}, yardstick)
    assert judged.words == ()
    assert not any(judged.wrong)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([line(SPOKEN)], f'missing: dialogue "{REPLY}"'),
        ([line(SPOKEN), line("Of course", at=1)], f'missing: dialogue "{REPLY}"; there: dialogue "Of course"'),
        ([line(SPOKEN), line("Of course", at=1)], 'a piece: dialogue "Of course"'),
        ([line(SPOKEN), line(REPLY, "sign", 1)], f'wrong kind: dialogue "{REPLY}" is read as sign'),
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
    judged = judge(TRUTH, {"panels": PANELS, "lines": read}, yardstick)
    assert judged.wrong == (False, True, True, False)
    assert judged.slips == (True, False, False, False)
