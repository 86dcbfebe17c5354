"""A part of a book filmed by itself, beside the whole film and without touching it; subtitles in the picture."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from comic_narrator import ffmpeg
from tests.e2e.conftest import FAKES, QUICK, ROOT, SMALL, narrate

pytestmark = pytest.mark.slow

BOOK = ROOT / "samples" / "lighthouse.cbz"


def sides(film: Path) -> str:
    told = ffmpeg.run(["-i", str(film), "-map", "0:v:0", "-c", "copy", "-frames:v", "1", "-f", "null", "-"])
    found = re.search(r"Video: h264.*?, (\d+x\d+)", told)
    assert found
    return found[1]


def test_parts_lie_beside_the_film_and_leave_it_as_it_is(tmp_path: Path) -> None:
    wanted = (BOOK, "-o", "it's ours.mp4", *QUICK, *SMALL, "--set", "film.burn=printed")
    whole = narrate(*wanted, cwd=tmp_path, env=FAKES)
    assert whole.returncode == 0, whole.stderr
    work = tmp_path / "it's ours.mp4.work"
    before = {file: file.stat().st_mtime_ns for file in work.rglob("*.mp4")}

    preview = narrate(*wanted, "--preview", "2", cwd=tmp_path, env=FAKES)
    assert preview.returncode == 0, preview.stderr
    assert preview.stdout.strip() == str(tmp_path / "it's ours.preview.mp4")
    assert sides(tmp_path / "it's ours.preview.mp4") == "960x540"
    assert [file.name for file in (work / "preview" / "scenes").iterdir()] == ["0002.mp4"]

    short = narrate(*wanted, "--shorts", "3-", "--size", "9:16@360", cwd=tmp_path, env=FAKES)
    assert short.returncode == 0, short.stderr
    assert sides(tmp_path / "it's ours.shorts.mp4") == "360x640"

    assert {file: file.stat().st_mtime_ns for file in before} == before
    again = narrate(*wanted, "--json", cwd=tmp_path, env=FAKES)
    assert re.findall(r'"made": (\d+)', again.stdout)
    assert set(re.findall(r'"made": (\d+)', again.stdout)) == {"0"}


def test_a_part_that_is_none_is_a_wrong_option(tmp_path: Path) -> None:
    done = narrate(BOOK, "-o", "x.mp4", *QUICK, *SMALL, "--preview", "7-9", cwd=tmp_path, env=FAKES)
    assert done.returncode == 2
    assert "--preview 7-9 names no page" in done.stderr
