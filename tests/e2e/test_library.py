"""A library through the real command: one bad book does not stop the rest, and a second run does what is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.conftest import draw_page
from tests.e2e.conftest import FAKES, QUICK, command, narrate

pytestmark = pytest.mark.slow

TINY = ("--set", "film.width=160", "--set", "film.height=160", "--set", "film.preset=ultrafast", "--set", "film.fps=24")
OPTIONS = (*QUICK, *TINY, "--lang", "en")


def draw_book(path: Path, shade: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    page = path.with_suffix(".png")
    draw_page(120, 160, shade).save(page)
    with ZipFile(path, "w") as archive:
        archive.write(page, "1.png")
    page.unlink()
    return path


@pytest.fixture
def library(tmp_path: Path) -> Path:
    root = tmp_path / "comics"
    for i, name in enumerate(("Alpha/v1", "Alpha/v2", "Alpha/v10")):
        draw_book(root / f"{name}.cbz", 250 - i)
    (root / "Beta").mkdir()
    draw_page(120, 160, 240).save(root / "Beta" / "1.png")
    (root / "Alpha" / "v3.cbz").write_bytes(b"PK\x03\x04 this is no archive")
    (root / "copy of v1.cbz").write_bytes((root / "Alpha" / "v1.cbz").read_bytes())
    return root


def make(library: Path, *more: str) -> tuple[int, dict[str, Any], str]:
    done = narrate(library, "-o", "films", *OPTIONS, "--json", *more, cwd=library.parent, env=FAKES)
    return done.returncode, json.loads(done.stdout), done.stderr


def films(library: Path) -> list[str]:
    out = library.parent / "films"
    return sorted(film.relative_to(out).as_posix() for film in out.rglob("*.mp4") if ".work" not in str(film))


def test_every_good_book_becomes_a_film_and_the_next_run_does_what_is_left(library: Path) -> None:
    code, told, errors = make(library, "--jobs", "2")
    assert code == 7, errors
    assert films(library) == ["Alpha/v1.mp4", "Alpha/v10.mp4", "Alpha/v2.mp4", "Beta.mp4"]
    assert [one["book"] for one in told["failed"]] == ["Alpha/v3.cbz"]
    assert told["failed"][0]["exit"] == 3
    assert "v3.cbz" in errors
    assert told["skipped"] == {"copy of v1.cbz": "the same book as Alpha/v1.cbz"}

    draw_book(library / "Alpha" / "v3.cbz", 230)
    (library / "Alpha" / "v1.cbz").rename(library / "Alpha" / "renamed.cbz")
    code, told, errors = make(library)
    assert code == 0, errors
    assert [one["book"] for one in told["made"]] == ["Alpha/v3.cbz"]
    assert told["skipped"]["Alpha/renamed.cbz"].startswith("made already")

    script = library.parent / "films" / "Beta.mp4.work" / "script.json"
    script.write_text(script.read_text().replace("PANEL", "PANE", 1).replace("Panel", "Pane", 1))
    code, told, errors = make(library)
    assert code == 0, errors
    assert [one["book"] for one in told["made"]] == ["Beta"]
    assert make(library)[1]["made"] == []


def test_some_books_are_picked_by_name_or_by_age(library: Path) -> None:
    code, told, errors = make(library, "--only", "v2", "--only", "Beta")
    assert code == 0, errors
    assert [one["book"] for one in told["made"]] == ["Alpha/v2.cbz", "Beta"]
    os.utime(library / "Alpha" / "v10.cbz", (4e9, 4e9))
    code, told, errors = make(library, "--newest", "1")
    assert [one["book"] for one in told["made"]] == ["Alpha/v10.cbz"], errors


def test_a_library_that_is_killed_takes_its_books_with_it_and_goes_on(library: Path) -> None:
    run = subprocess.Popen(
        command(library, "-o", "films", *OPTIONS, "--set", "film.wordless=20", "--jobs", "2"),
        cwd=library.parent,
        env={**os.environ, **FAKES},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    out = library.parent / "films"
    until(lambda: any(out.rglob("timing.json")))
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    # Each book runs in a session of its own, and stops when the library is gone.
    until(lambda: not any(owner for owner in out.rglob(".owner.json")))
    code, _, errors = make(library, "--set", "film.wordless=20")
    assert code == 7, errors
    assert len(films(library)) == 4
    assert not list(out.rglob(".partial-*"))


def until(true: Any) -> None:
    for _ in range(600):
        if true():
            return
        time.sleep(0.1)
    raise AssertionError("it did not come about")


def test_a_folder_of_books_wants_a_folder_for_its_films(library: Path) -> None:
    done = narrate(library, *OPTIONS, cwd=library.parent, env=FAKES)
    assert done.returncode == 2
    assert "-o" in done.stderr


def test_a_server_that_is_down_ends_the_library_before_every_book_has_failed(library: Path) -> None:
    code, told, errors = make(library, "--set", "voice.backend=down")
    assert code == 7, errors
    assert [one["exit"] for one in told["failed"]] == [5, 5]
