"""Ctrl-C ends a run with all that it started, at whatever stage it comes."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from pathlib import Path

import psutil
import pytest

from benchmarks.interrupts import Interrupted, Run, rig
from benchmarks.kill_rig import OPTIONS, draw
from tests.conftest import draw_page

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C goes to a group")]


def ended_well(one: Interrupted) -> bool:
    return not one.wrong and "bug" not in one.said


def test_a_run_leaves_nothing_behind_at_any_stage(tmp_path: Path) -> None:
    seen = rig(5, 2, tmp_path, quick=True)
    assert len({one.stage for one in seen}) > 1
    assert [one for one in seen if not ended_well(one)] == []


def test_a_library_takes_its_books_with_it(tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.move(draw(tmp_path / name) / "book", tmp_path / "comics" / name)
        draw_page(120, 160, 200 + len(name) * ord(name[0]) % 40).save(tmp_path / "comics" / name / "9.png")
    run = Run(tmp_path, ["comics", "-o", "films", "--jobs", "2", *OPTIONS, "--set", "film.wordless=20"])
    assert run.wait_for(6)
    assert ended_well(run.interrupt())


def many(tmp_path: Path) -> Run:
    """A run that reads in several processes."""
    (tmp_path / "book").mkdir()
    for i in range(1, 25):
        draw_page(120, 160).save(tmp_path / "book" / f"{i}.png")
    return Run(tmp_path, ["book", "--set", "reader.backend=crowd", "--lang", "en", "--until", "reading"])


def readers(run: Run) -> list[psutil.Process]:
    started: list[psutil.Process] = psutil.Process(run.process.pid).children(recursive=True)
    return started


def test_processes_that_read_do_not_outlive_one_that_is_killed(tmp_path: Path) -> None:
    run = many(tmp_path)
    while run.stage != "reading":
        assert run.process.poll() is None, run.said
        time.sleep(0.02)
    started = readers(run)
    assert len(started) > 2
    os.kill(run.process.pid, signal.SIGKILL)
    run.process.wait()
    _, alive = psutil.wait_procs(started, timeout=30)
    assert alive == []
