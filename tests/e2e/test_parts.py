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


def test_a_preview_of_a_book_that_is_not_read_reads_its_own_pages_only(tmp_path: Path) -> None:
    wanted = (BOOK, "-o", "x.mp4", *QUICK, *SMALL)
    preview = narrate(*wanted, "--preview", "2", cwd=tmp_path, env=FAKES)
    assert preview.returncode == 0, preview.stderr
    work = tmp_path / "x.mp4.work"
    assert [folder.name for folder in (work / "pages").iterdir()] == ["0002"]
    assert not (work / "script.json").exists()
    # The whole film goes on from there, and has a script and a cast of its own.
    whole = narrate(*wanted, cwd=tmp_path, env=FAKES)
    assert whole.returncode == 0, whole.stderr
    assert "2 of 3 pages read" in whole.stderr
    assert len((work / "preview" / "book.json").read_text().split('"image"')) == 2
    assert len((work / "book.json").read_text().split('"image"')) == 4


def test_a_preview_without_pages_is_one_of_the_first_few(tmp_path: Path) -> None:
    done = narrate("--preview", BOOK, "-o", "x.mp4", "--pages", "2-", *QUICK, *SMALL, cwd=tmp_path, env=FAKES)
    assert done.returncode == 0, done.stderr
    scenes = sorted(file.name for file in (tmp_path / "x.mp4.work" / "preview" / "scenes").iterdir())
    assert scenes == ["0002.mp4", "0003.mp4"]


def test_letters_that_no_font_has_are_told_of_by_later_runs_too(tmp_path: Path) -> None:
    wanted = (BOOK, "-o", "x.mp4", "--pages", "1", *QUICK, *SMALL, "--set", "film.burn=printed")
    assert narrate(*wanted, "--until", "script", cwd=tmp_path, env=FAKES).returncode == 0
    script = tmp_path / "x.mp4.work" / "script.json"
    odd = (
        script.read_text(encoding="utf-8")
        .replace('"text": "', '"text": "\ue123 ')
        .replace('"printed": "', '"printed": "\ue123 ')
    )
    script.write_text(odd, encoding="utf-8")
    reports = []
    for _ in range(2):
        done = narrate(*wanted, cwd=tmp_path, env=FAKES)
        assert done.returncode == 0, done.stderr
        reports.append((tmp_path / "x.mp4.work" / "report.json").read_text(encoding="utf-8"))
    assert all("page 0001: no font here has \ue123" in report for report in reports)
