"""Disk comes back: what no film needs goes, and what goes is made again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from comic_narrator.cli.clean import parse_size
from comic_narrator.errors import UsageError
from tests.conftest import draw_page
from tests.e2e.conftest import FAKES, QUICK, narrate
from tests.e2e.test_library import TINY

pytestmark = pytest.mark.slow


def test_takes_and_scenes_without_a_use_go_and_a_bound_is_kept(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    for i in (1, 2):
        draw_page(120, 160, 250 - i).save(tmp_path / "book" / f"{i}.png")
    run = ("book", "-o", "x.mp4", *QUICK, *TINY, "--lang", "en", "--json")
    assert narrate(*run, cwd=tmp_path, env=FAKES).returncode == 0
    work = tmp_path / "x.mp4.work"
    script = work / "script.json"
    before = script.read_text()
    script.write_text(before.replace("Panel one", "Panel new"))
    assert script.read_text() != before
    assert narrate(*run, cwd=tmp_path, env=FAKES).returncode == 0
    takes = len(list((work / "takes").iterdir()))

    told = json.loads(narrate("doctor", tmp_path, "--json", cwd=tmp_path).stdout)["work_folders"]
    assert list(told) == ["x.mp4.work"]
    assert sum(told["x.mp4.work"].values()) == sum(f.stat().st_size for f in work.rglob("*") if f.is_file())
    assert "x.mp4.work" in narrate("doctor", tmp_path, cwd=tmp_path).stdout

    done = narrate("clean", work, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (told,) = json.loads(done.stdout).values()
    assert told["files"] == 1
    assert len(list((work / "takes").iterdir())) == takes - 1
    film = (tmp_path / "x.mp4").read_bytes()
    again = json.loads(narrate(*run, cwd=tmp_path, env=FAKES).stdout)
    assert {stage["made"] for stage in again["stages"]} == {0}

    (told,) = json.loads(narrate("clean", tmp_path, "--to", "1k", "--json", cwd=tmp_path).stdout).values()
    assert told["files"] == 3
    assert not (work / "sound.wav").exists()
    assert not list((work / "scenes").iterdir())
    again = json.loads(narrate(*run, cwd=tmp_path, env=FAKES).stdout)
    made = {stage["stage"]: stage["made"] for stage in again["stages"]}
    assert (made["speech"], made["reading"], made["film"]) == (0, 0, 2)
    assert (tmp_path / "x.mp4").read_bytes() == film


@pytest.mark.parametrize(
    ("text", "size"), [("500M", 500_000_000), ("1.5gb", 1_500_000_000), ("12", 12), ("a lot", None), ("-3G", None)]
)
def test_sizes_are_written_as_people_write_them(text: str, size: int | None) -> None:
    if size is None:
        with pytest.raises(UsageError, match="size"):
            parse_size(text)
    else:
        assert parse_size(text) == size
