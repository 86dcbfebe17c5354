"""Bad input, interruptions and disputes: one sentence of what, one of what to do, the right exit code, no traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.conftest import draw_page
from tests.e2e.conftest import SMALL, command, narrate


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A folder of two drawn pages without words."""
    folder = tmp_path / "book"
    folder.mkdir()
    for i in (1, 2):
        draw_page().save(folder / f"{i}.png")
    return folder


def refused(done: subprocess.CompletedProcess[str], code: int, word: str) -> None:
    assert done.returncode == code, done.stderr
    assert word in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    sentences = [line for line in done.stderr.splitlines() if line.strip()]
    assert sentences[-2].startswith("Error: ")
    assert sentences[-1].endswith((".", "?"))


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["nothing.pdf"], 3, "nothing.pdf"),
        (["empty"], 3, "holds no pictures"),
        (["text.pdf"], 3, "not a PDF"),
        (["book", "-o", "film.avi"], 2, "MP4"),
        (["book", "--pages", "9"], 2, "--pages"),
        (["book", "--layout", "scroll"], 2, "scroll"),
        (["book", "--frames", "3"], 2, "--frames"),
        (["book", "--set", "film.widht=3"], 2, "film.widht"),
        (["book", "--profile", "gpu-9000"], 2, "gpu-9000"),
        (["book", "--set", "voice.backend=parrot"], 2, "parrot"),
        (["book", "--lang", "fr", "--until", "speech"], 2, "English and Japanese"),
        (["book", "--from-page-json", "nowhere"], 3, "nowhere"),
        (["book", "--from-script-json", "text.pdf"], 3, "text.pdf"),
        (["book", "--keep-edits", "--discard-edits"], 2, "exclude"),
        (["book", "-o", "text.pdf/film.mp4"], 10, "cannot be written"),
        (["book", "-o", "taken.mp4"], 10, "folder"),
        (["status", "book"], 3, "not a work folder"),
    ],
)
def test_what_cannot_work_says_so(book: Path, arguments: list[str], code: int, word: str) -> None:
    here = book.parent
    (here / "empty").mkdir()
    (here / "taken.mp4").mkdir()
    (here / "text.pdf").write_text("just text")
    refused(narrate(*arguments, *(SMALL if arguments[0] != "status" else ()), cwd=here), code, word)


def test_a_wordless_book_is_a_film_too(book: Path) -> None:
    done = narrate(book, "-o", "silent.mp4", *SMALL, "--json", cwd=book.parent)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (book.parent / "silent.mp4").stat().st_size > 1000
    assert any("no lettering" in shortfall for shortfall in report["shortfalls"])
    assert not (book.parent / "silent.srt").read_text()


def test_the_traceback_is_in_the_log(book: Path) -> None:
    narrate(book, "-o", "x.mp4", "--from-page-json", "nowhere", cwd=book.parent)
    assert "Traceback" in (book.parent / "x.mp4.work" / "log.txt").read_text()


def test_a_page_json_of_another_picture_is_refused(book: Path) -> None:
    assert narrate(book, "-o", "x.mp4", "--until", "reading", *SMALL, cwd=book.parent).returncode == 0
    page = book.parent / "x.mp4.work" / "pages" / "0001" / "page.json"
    wrong = book.parent / "wrong.json"
    wrong.write_text(page.read_text().replace('"width": 300', '"width": 301'))
    done = narrate(book, "-o", "y.mp4", "--from-page-json", wrong, *SMALL, cwd=book.parent)
    refused(done, 3, "301")


def test_a_hand_edit_whose_inputs_changed_stops_the_run_until_settled(book: Path) -> None:
    run = ("book", "-o", "x.mp4", "--until", "reading")
    assert narrate(*run, cwd=book.parent).returncode == 0
    page = book.parent / "x.mp4.work" / "pages" / "0001" / "page.json"
    page.write_text(page.read_text().replace('"language": "en"', '"language": "en-GB"'))
    assert narrate(*run, cwd=book.parent).returncode == 0
    refused(narrate(*run, "--layout", "manga", cwd=book.parent), 8, "--discard-edits")
    assert "en-GB" in page.read_text()
    assert narrate(*run, "--layout", "manga", "--keep-edits", cwd=book.parent).returncode == 0
    assert "en-GB" in page.read_text()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_goes_on_where_it_stopped(book: Path, how: signal.Signals) -> None:
    work = book.parent / "x.mp4.work"
    run = subprocess.Popen(
        command("book", "-o", "x.mp4", *SMALL, "--set", "film.wordless=20"),
        cwd=book.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    for _ in range(600):
        if (work / "timing.json").exists():
            break
        time.sleep(0.1)
    os.killpg(run.pid, how)
    _, errors = run.communicate(timeout=30)
    assert run.returncode in ((130,) if how is signal.SIGINT else (-how, 128 + how, 1))
    assert "Traceback" not in errors
    assert not (book.parent / "x.mp4").exists()
    done = narrate("book", "-o", "x.mp4", *SMALL, "--set", "film.wordless=20", "--json", cwd=book.parent)
    assert done.returncode == 0, done.stderr
    made = {stage["stage"]: stage["made"] for stage in json.loads(done.stdout)["stages"]}
    assert made["ingest"] == made["panels"] == made["reading"] == made["script"] == 0
    assert made["join"] > 0
    assert not list(book.parent.rglob(".partial-*"))


def test_settings_voices_status_answer_in_text_and_json(book: Path) -> None:
    assert narrate(book, "-o", "x.mp4", "--until", "panels", *SMALL, cwd=book.parent).returncode == 0
    for arguments, word in (
        (["settings", "--set", "film.fps=24"], "film.fps"),
        (["voices"], "af_heart"),
        (["voices", "--lang", "ja"], "jf_alpha"),
        (["status", "x.mp4.work"], "pages/0001/panels.json"),
    ):
        text = narrate(*arguments, cwd=book.parent)
        assert text.returncode == 0, text.stderr
        assert word in text.stdout
        assert json.loads(narrate(*arguments, "--json", cwd=book.parent).stdout)
