"""Disks that fill up and disks that may not be written: the right exit code, and nothing is lost."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.kill_rig import FAKES, OPTIONS, draw, journaled, likeness
from tests.conftest import draw_page
from tests.e2e.conftest import narrate

pytestmark = pytest.mark.slow

ROOM = ("16k", "64k", "104k", "128k", "1m", "2320k", "2400k")
"""Sizes of a disk that end the run at one stage after the other."""

Mount = Callable[[Path, str], None]


@pytest.fixture
def mount() -> Iterator[Mount]:
    """Mounts a small disk at a folder, or mounts it anew with other options, where this user may do that."""
    mounted: list[Path] = []

    def go(place: Path, options: str) -> None:
        place.mkdir(exist_ok=True)
        kind = ["-o", f"remount,{options}"] if place in mounted else ["-t", "tmpfs", "-o", options]
        target = [str(place)] if place in mounted else ["tmpfs", str(place)]
        if os.name != "posix" or subprocess.run(["mount", *kind, *target], capture_output=True).returncode:
            pytest.skip("this user cannot mount a small disk")
        mounted.extend([] if place in mounted else [place])

    yield go
    for place in mounted:
        subprocess.run(["umount", "-l", str(place)], check=True)


def film(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return narrate("book", "-o", "film.mp4", *OPTIONS, *more, cwd=folder, env=FAKES)


def test_a_disk_that_fills_at_any_stage_costs_nothing_that_was_made(tmp_path: Path, mount: Mount) -> None:
    assert film(draw(tmp_path / "undisturbed")).returncode == 0
    folder = draw(tmp_path / "small")
    work = folder / "film.mp4.work"
    finished: dict[str, str] = {}
    stages = set()
    for size in ROOM:
        mount(work, f"size={size}")
        done = film(folder)
        assert done.returncode == 9, f"{size}: {done.stderr}"
        assert "disk is full" in done.stderr
        assert "Traceback" not in done.stderr
        assert not list(work.rglob(".partial-*"))
        now = journaled(folder)
        stages.add(tuple(sorted({name.split("/")[0] for name in now})))
        assert finished.items() <= now.items(), size
        finished = now
    # It stopped in one stage after the other.
    assert len(stages) > 3, stages
    mount(work, "size=64m")
    done = film(folder)
    assert done.returncode == 0, done.stderr
    assert likeness(folder) == likeness(tmp_path / "undisturbed")


def test_a_folder_that_cannot_be_written_is_told_and_left_as_it_is(tmp_path: Path, mount: Mount) -> None:
    folder = draw(tmp_path / "folder")
    work = folder / "film.mp4.work"
    mount(work, "size=64m")
    assert film(folder, "--until", "script").returncode == 0
    before = journaled(folder)
    mount(work, "ro")
    done = film(folder)
    assert done.returncode == 10, done.stderr
    assert "Read-only" in done.stderr
    assert "Traceback" not in done.stderr
    assert journaled(folder) == before
    mount(work, "rw")
    assert film(folder).returncode == 0
    assert before.items() <= journaled(folder).items()


def test_a_place_for_films_that_cannot_be_written_is_told_before_any_work(tmp_path: Path, mount: Mount) -> None:
    folder = draw(tmp_path / "folder")
    out = folder / "out"
    mount(out, "size=1m")
    mount(out, "ro")
    for target in ("out/film.mp4", "out"):
        done = narrate("book", "-o", target, *OPTIONS, cwd=folder, env=FAKES)
        assert done.returncode == 10, done.stderr
        assert "Read-only" in done.stderr
        assert "Traceback" not in done.stderr
    assert not list(out.iterdir())


def test_a_full_disk_for_the_film_alone_leaves_the_work_and_no_half_film(tmp_path: Path, mount: Mount) -> None:
    folder = draw(tmp_path / "folder")
    out = folder / "out"
    mount(out, "size=200k")
    command = ("book", "-o", "out/film.mp4", "--work", "work", *OPTIONS, "--json")
    done = narrate(*command, cwd=folder, env=FAKES)
    assert done.returncode == 9, done.stderr
    assert "disk is full" in done.stderr
    assert not list(out.rglob("*.mp4"))
    mount(out, "size=64m")
    done = narrate(*command, cwd=folder, env=FAKES)
    assert done.returncode == 0, done.stderr
    made = {stage["stage"]: stage["made"] for stage in json.loads(done.stdout)["stages"]}
    assert (made["speech"], made["sound"], made["film"]) == (0, 0, 0)
    assert (out / "film.mp4").exists()


def test_a_library_on_a_full_disk_ends_and_goes_on_when_there_is_room(tmp_path: Path, mount: Mount) -> None:
    for shade in (200, 220, 240):
        page = tmp_path / "comics" / str(shade) / "1.png"
        page.parent.mkdir(parents=True)
        draw_page(120, 160, shade).save(page)
    out = tmp_path / "films"
    mount(out, "size=400k")
    done = narrate("comics", "-o", "films", *OPTIONS, cwd=tmp_path, env=FAKES)
    assert done.returncode in (7, 9), done.stderr
    assert "disk is full" in done.stderr
    assert "Traceback" not in done.stderr
    mount(out, "size=64m")
    done = narrate("comics", "-o", "films", *OPTIONS, cwd=tmp_path, env=FAKES)
    assert done.returncode == 0, done.stderr
    assert sorted(film.name for film in out.glob("*.mp4")) == ["200.mp4", "220.mp4", "240.mp4"]
