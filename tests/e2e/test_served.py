"""The real command with a model server: what it reads is stored, a server that dies costs nothing that was read."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import draw_page
from tests.e2e.conftest import ROOT
from tests.e2e.conftest import narrate as offline
from tests.fakes import vllm_server as fakes
from tests.fakes.truthful import echo
from tests.fakes.vllm_server import Asked, FakeVllm

pytestmark = pytest.mark.slow

KEY = "no-key-of-anybody"


@pytest.fixture
def fake() -> Iterator[FakeVllm]:
    with FakeVllm(echo, key=KEY) as running:
        yield running


def started(fake: FakeVllm, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """The command, with the network on: the server is on this machine."""
    command = [sys.executable, "-m", "comic_narrator", *arguments, "--set", f"reader.url={fake.url}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COMIC_NARRATOR_API_KEY": KEY}
    # A group of its own, for Ctrl-C goes to all of one, and is heard where the tests themselves run in the background.
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        text=True,
        stdout=-1,
        stderr=-1,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def narrate(fake: FakeVllm, folder: Path, *arguments: str) -> tuple[int, str]:
    process = started(fake, folder, *arguments)
    _, said = process.communicate(timeout=300)
    return process.returncode, said


def read(work: Path, name: str) -> Any:
    return json.loads((work / name).read_text(encoding="utf-8"))


def of(asked: Asked) -> str:
    return str(asked.body["response_format"]["json_schema"]["name"])


@pytest.fixture
def long_book(tmp_path: Path) -> Path:
    folder = tmp_path / "long"
    folder.mkdir()
    for i in range(1, 9):
        draw_page(120, 160, shade=255 - i).save(folder / f"{i}.png")
    return folder


def pages_of(book: Path) -> list[str]:
    return sorted(path.parent.name for path in (book.parent / "long.mp4.work/pages").glob("*/page.json"))


def test_what_the_model_sees_is_in_page_json_and_its_cost_in_the_report(fake: FakeVllm, tmp_path: Path) -> None:
    sample = str(ROOT / "samples" / "lighthouse.cbz")
    more = ("--pages", "2", "--until", "script", "--subtitle-lang", "fr")
    code, said = narrate(fake, tmp_path, sample, "-o", "film.mp4", "--lang", "en", *more)
    assert code == 0, said
    work = tmp_path / "film.mp4.work"
    page = read(work, "pages/0002/page.json")
    spoken = [line for line in page["lines"] if line["kind"] == "dialogue"]
    assert "THAT IS MY DAUGHTER." in [line["text"] for line in spoken]
    assert all(line["speaker"].startswith("Person ") for line in spoken)
    assert page["figures"][0]["looks"] == "woman with a lamp"
    assert page["figures"][0]["role"] == "somebody"
    assert page["sounds"] == [{"panel": "0002.01", "what": "rain", "kind": "continuous"}]
    assert page["notes"][0] == {
        "panel": "0002.01",
        "scene": "Somebody talks.",
        "pacing": "slow",
        "shot": "medium",
    }
    assert {person["role"] for person in read(work, "people.json")["people"]} == {"somebody"}
    words = {line["beat"]: line["text"] for line in read(work, "translation.json")["lines"]}
    assert "«THAT IS MY DAUGHTER.»" in words.values()
    report = read(work, "report.json")
    assert report["backends"]["reader"].startswith("vllm (auto")
    assert report["reading"]["pages"] == 1
    assert report["reading"]["tokens_per_page"]["median"] > 500
    assert report["shortfalls"] == []
    # Where the server is and what opens it is nobody's but the user's.
    for file in work.rglob("*"):
        if file.is_file():
            assert KEY.encode() not in file.read_bytes(), file
            assert file.name == "log.txt" or fake.url.encode() not in file.read_bytes(), file


def test_what_the_model_cannot_tell_of_the_whole_book_stops_no_film(fake: FakeVllm, tmp_path: Path) -> None:
    draw_page(120, 160).save(tmp_path / "one.png")
    given = {
        "schema": "comic_narrator.page/1",
        "page": "0001",
        "image": "x",
        "width": 120,
        "height": 160,
        "direction": "ltr",
        "language": "en",
        "panels": [{"id": "0001.01", "bbox": [0, 0, 120, 160]}],
        "lines": [
            {"id": f"0001.01.{n}", "panel": "0001.01", "kind": "dialogue", "text": "HELLO!", "speaker": who}
            | {"confidence": 1.0}
            for n, who in enumerate(("Mira", "Keeper"), 1)
        ],
    }
    (tmp_path / "page.json").write_text(json.dumps(given), encoding="utf-8")
    fake.answer = lambda asked: echo(asked) if of(asked) == "words" else "{}"
    more = ("--from-page-json", "page.json", "--lang", "en", "--subtitle-lang", "fr", "--until", "script")
    code, said = narrate(fake, tmp_path, "one.png", "-o", "film.mp4", *more)
    assert code == 0, said
    work = tmp_path / "film.mp4.work"
    assert [person["name"] for person in read(work, "people.json")["people"]] == ["Mira", "Keeper"]
    told = read(work, "report.json")["shortfalls"]
    assert any("each label is one person" in one for one in told), told
    assert any("no subtitles in fr" in one for one in told), told
    assert not (work / "translation.json").exists()


def test_translation_needs_a_server(tmp_path: Path) -> None:
    draw_page(120, 160).save(tmp_path / "one.png")
    done = offline("one.png", "--subtitle-lang", "fr", cwd=tmp_path)
    assert done.returncode == 2
    assert "cannot translate" in done.stderr


def test_a_server_that_dies_costs_nothing_that_was_read(fake: FakeVllm, long_book: Path) -> None:
    def dying(asked: Asked) -> str | fakes.Script:
        pages = sum(of(one) == "PageAnswer" for one in fake.asked)
        return fakes.refuses(500) if pages > 4 else echo(asked)

    fake.answer = dying
    code, said = narrate(fake, long_book.parent, "read", "long", "--lang", "en")
    assert code == 5, said
    assert "Traceback" not in said
    stored = pages_of(long_book)
    assert len(stored) == 4, "what had come back is not all stored"
    fake.answer = echo
    fake.asked.clear()
    code, said = narrate(fake, long_book.parent, "read", "long", "--lang", "en")
    assert code == 0, said
    assert len(pages_of(long_book)) == 8
    assert sum(of(asked) == "PageAnswer" for asked in fake.asked) == 4, "pages were read twice"


def test_pages_that_fail_are_named_and_read_by_the_next_run(fake: FakeVllm, long_book: Path) -> None:
    # A language that the recogniser cannot read: there is nothing to fall back to.
    unread: list[bytes] = []

    def answer(asked: Asked) -> str:
        if of(asked) != "PageAnswer":
            return echo(asked)
        if not unread:
            unread.append(asked.pictures[0])
        return "{}" if asked.pictures[0] in unread or "a part of the page" in asked.text else echo(asked)

    fake.answer = answer
    arguments = ("read", "long", "--lang", "ko")
    code, said = narrate(fake, long_book.parent, *arguments)
    assert code == 7, said
    assert "1 of 8 pages could not be read" in said
    assert len(pages_of(long_book)) == 7
    failed = read(long_book.parent / "long.mp4.work", "report.json")["shortfalls"][-1]
    assert failed.split(":")[0].removeprefix("page ") not in pages_of(long_book)
    fake.answer = echo
    fake.asked.clear()
    code, said = narrate(fake, long_book.parent, *arguments)
    assert code == 0, said
    assert sum(of(asked) == "PageAnswer" for asked in fake.asked) == 1


def test_ctrl_c_leaves_at_once(fake: FakeVllm, long_book: Path) -> None:
    fake.answer = lambda asked: fakes.stalls(60) if of(asked) == "PageAnswer" else echo(asked)
    process = started(fake, long_book.parent, "read", "long", "--lang", "en")
    until = time.monotonic() + 120
    while not any(of(asked) == "PageAnswer" for asked in fake.asked) and time.monotonic() < until:
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130, said
    assert "Traceback" not in said
