"""Bad input, interruptions and disputes: one sentence of what, one of what to do, the right exit code, no traceback."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from comic_narrator import ffmpeg
from comic_narrator.cli import run
from comic_narrator.film import count_frames
from tests.conftest import draw_page
from tests.e2e.conftest import FAKES, QUICK, SMALL, command, narrate


def quick(*arguments: str | Path, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """The command with backends that cost nothing."""
    return narrate(*QUICK, *SMALL, *arguments, cwd=cwd, env={**FAKES, **more})


def report(done: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """What a run with --json made, by stage."""
    assert done.returncode == 0, done.stderr
    return {stage["stage"]: stage["made"] for stage in json.loads(done.stdout)["stages"]}


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
        (["book", "--lang", "th", "--set", "reader.backend=embedded", "--until", "reading"], 2, "Thai"),
        (["book", "--from-page-json", "nowhere"], 3, "nowhere"),
        (["book", "--from-script-json", "text.pdf"], 3, "text.pdf"),
        (["book", "--keep-edits", "--discard-edits"], 2, "exclude"),
        (["book", "--vision-only", "--until", "panels"], 2, "exclude"),
        (["book", "--set", "voice.narrator=nobody", "--lang", "en"], 2, "nobody"),
        (["book", "-o", "text.pdf/film.mp4"], 10, "cannot be written"),
        (["book", "-o", "taken.mp4"], 10, "folder"),
        (["status", "book"], 3, "not a work folder"),
    ],
)
def test_what_cannot_work_says_so(
    book: Path,
    arguments: list[str],
    code: int,
    word: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    here = book.parent
    monkeypatch.chdir(here)
    (here / "empty").mkdir()
    (here / "taken.mp4").mkdir()
    (here / "text.pdf").write_text("just text")
    left = run([*arguments, *(SMALL if arguments[0] != "status" else ())])
    refused(subprocess.CompletedProcess(arguments, left, *capsys.readouterr()), code, word)
    assert code != 3 or not list(here.glob("*.work"))


def test_a_wordless_book_is_a_film_too(book: Path) -> None:
    done = narrate(book, "-o", "silent.mp4", *SMALL, "--json", cwd=book.parent)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (book.parent / "silent.mp4").stat().st_size > 1000
    assert any("no lettering" in shortfall for shortfall in report["shortfalls"])
    assert not (book.parent / "silent.srt").exists()


@pytest.mark.parametrize(
    ("backend", "code", "word"),
    [
        ("reader.backend=missing", 4, "model is missing"),
        ("voice.backend=down", 5, "does not answer"),
        ("voice.backend=full-disk", 9, "disk is full"),
    ],
)
def test_a_backend_that_fails_has_its_exit_code(book: Path, backend: str, code: int, word: str) -> None:
    refused(quick(book, "-o", "x.mp4", "--set", backend, cwd=book.parent), code, word)


def test_a_line_that_fails_is_named_and_only_it_is_tried_again(book: Path) -> None:
    run = (book, "-o", "x.mp4", "--set", "voice.backend=failing", "--json")
    done = quick(*run, cwd=book.parent)
    refused(done, 7, "2 of 4 lines")
    told = json.loads((book.parent / "x.mp4.work" / "report.json").read_text())
    assert [s for s in told["shortfalls"] if "0001.02.1" in s and "Look at its log" in s]
    # The same words in the same voice are one take, on whatever page they stand.
    assert len(list((book.parent / "x.mp4.work" / "takes").iterdir())) == 1
    made = report(quick(*run, cwd=book.parent, FAKE_MENDED="1"))
    assert (made["reading"], made["speech"], made["film"]) == (0, 1, 2)


def test_a_film_made_inside_its_book_is_not_part_of_it(book: Path) -> None:
    for _ in range(2):
        done = quick(".", "-o", "film.mp4", "--json", cwd=book)
        assert json.loads((book / "film.mp4.work" / "book.json").read_text())["pages"][-1]["id"] == "0002"
    assert set(report(done).values()) == {0}


@pytest.mark.parametrize("name", ["Bat: man's 100% – 漫画", "Vol. 1"])
def test_odd_names_are_names(book: Path, name: str) -> None:
    odd = book.rename(book.parent / name)
    done = quick(odd.name, cwd=book.parent)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(book.parent / f"{name}.mp4")
    assert (book.parent / f"{name}.mp4").stat().st_size > 1000


@pytest.mark.parametrize(("width", "height", "fps"), [(360, 640, 24), (400, 400, 25), (640, 360, 60)])
def test_other_shapes_and_rates(book: Path, width: int, height: int, fps: int) -> None:
    look = {"WIDTH": width, "HEIGHT": height, "FPS": fps, "PRESET": "ultrafast"}
    env = {f"COMIC_NARRATOR_FILM__{key}": str(value) for key, value in look.items()}
    done = narrate(book, "-o", "x.mp4", *QUICK, cwd=book.parent, env={**FAKES, **env})
    assert done.returncode == 0, done.stderr
    film = book.parent / "x.mp4"
    told = ffmpeg.run(["-i", str(film), "-map", "0:v", "-c", "copy", "-f", "null", "-"])
    assert re.search(rf"Video: h264 .* {width}x{height}.* {fps} fps", told)
    timing = json.loads((book.parent / "x.mp4.work" / "timing.json").read_text())
    assert count_frames(film) == sum(scene["frames"] for scene in timing["scenes"])


def test_more_pages_and_another_rate_reuse_what_they_can(book: Path) -> None:
    # A page that is turned over to the next one is filmed with that; cuts leave it alone.
    cuts = ("--set", "film.transitions=cut")
    first = report(quick(book, "-o", "x.mp4", "--pages", "1", "--json", *cuts, cwd=book.parent))
    assert first["film"] == 1
    both = report(quick(book, "-o", "x.mp4", "--json", *cuts, cwd=book.parent))
    assert (both["panels"], both["reading"], both["speech"], both["film"]) == (1, 1, 0, 1)
    slower = report(quick(book, "-o", "x.mp4", "--json", *cuts, "--set", "film.fps=24", cwd=book.parent))
    assert (slower["reading"], slower["speech"], slower["film"]) == (0, 0, 2)


def test_given_files_are_checked_before_they_take_a_place_and_stay_afterwards(book: Path) -> None:
    run = (book, "-o", "x.mp4", "--json")
    report(quick(*run, cwd=book.parent))
    work = book.parent / "x.mp4.work"
    own = work / "pages" / "0001" / "page.json"
    before = own.read_text()
    wrong = book.parent / "page.json"
    wrong.write_text(before.replace('"width": 300', '"width": 301'))
    refused(quick(*run, "--from-page-json", wrong, cwd=book.parent), 3, "301")
    assert own.read_text() == before
    wrong.write_text(before.replace("PANEL 1!", "GIVEN!"))
    made = report(quick(*run, "--from-page-json", wrong, cwd=book.parent))
    assert (made["speech"], made["film"]) == (1, 1)
    assert set(report(quick(*run, cwd=book.parent)).values()) == {0}
    assert set(report(quick(*run, "--from-script-json", work / "script.json", cwd=book.parent)).values()) == {0}


def test_a_page_painted_over_by_hand_is_filmed_as_it_is(book: Path) -> None:
    run = (book, "-o", "x.mp4", "--json")
    report(quick(*run, cwd=book.parent))
    page = book.parent / "x.mp4.work" / "pages" / "0001" / "page.png"
    draw_page(shade=220).save(page)
    made = report(quick(*run, cwd=book.parent))
    assert (made["panels"], made["film"]) == (1, 1)


def test_a_take_that_is_no_sound_is_named(book: Path) -> None:
    run = (book, "-o", "x.mp4")
    assert quick(*run, cwd=book.parent).returncode == 0
    take = next((book.parent / "x.mp4.work" / "takes").iterdir())
    take.write_text("not sound")
    refused(quick(*run, cwd=book.parent), 3, take.name)


def test_the_traceback_is_in_the_log(book: Path) -> None:
    narrate(book, "-o", "x.mp4", "--pages", "9", cwd=book.parent)
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


@pytest.mark.parametrize("how", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)])
def test_an_interrupted_run_goes_on_where_it_stopped(book: Path, how: signal.Signals) -> None:
    work = book.parent / "x.mp4.work"
    run = subprocess.Popen(
        command("book", "-o", "x.mp4", *SMALL, "--set", "film.wordless=20"),
        cwd=book.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Where the tests run in the background, Ctrl-C is ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
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


def test_settings_voices_status_answer_in_text_and_json(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert narrate(book, "-o", "x.mp4", "--until", "panels", *SMALL, cwd=book.parent).returncode == 0
    for arguments, word in (
        (["settings", "--set", "film.fps=24"], "film.fps"),
        (["voices"], "af_heart"),
        (["voices", "--lang", "ja"], "jf_alpha"),
        (["status", str(book.parent / "x.mp4.work")], "pages/0001/panels.json"),
    ):
        assert run(arguments) == 0
        assert word in capsys.readouterr().out
        assert run([*arguments, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)
