"""The real command with a speech server on 127.0.0.1: it speaks, it dies in mid-book, it comes back."""

from __future__ import annotations

import base64
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
import soundfile

from tests.conftest import draw_page
from tests.e2e.conftest import FAKES, QUICK, narrate
from tests.fakes import speech_servers as fakes
from tests.fakes.speech_servers import FakeFish, FakeOpenAI
from tests.unit.test_listening import hum

pytestmark = pytest.mark.slow

KEY = "not-for-any-file"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    folder = tmp_path / "book"
    folder.mkdir()
    draw_page(240, 320).save(folder / "1.png")
    return folder


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as running:
        yield running


def speech_of(book: Path, url: str) -> list[str]:
    # Not cut off from the network as other commands are: the server stands on the loopback of this machine.
    settings = (*QUICK[:2], "--set", "voice.backend=openai", "--set", f"voice.url={url}", "--set", "voice.listen=off")
    command = [sys.executable, "-m", "comic_narrator", str(book), "-o", str(book.parent / "film.mp4")]
    return [*command, "--lang", "en", "--until", "speech", *settings]


def surroundings() -> dict[str, str]:
    return {**os.environ, **FAKES, "COMIC_NARRATOR_API_KEY": KEY}


def speak(book: Path, url: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        speech_of(book, url), capture_output=True, text=True, check=False, env=surroundings(), timeout=120
    )


def work(book: Path) -> Path:
    return book.parent / "film.mp4.work"


def report(book: Path) -> Any:
    return json.loads((work(book) / "report.json").read_text(encoding="utf-8"))


def test_a_server_that_dies_in_mid_book_ends_the_run_and_the_next_one_goes_on(book: Path, server: FakeOpenAI) -> None:
    def dies(handler: fakes.Handler, body: dict[str, Any]) -> None:
        server.closed.set()
        handler.close_connection = True
        handler.connection.close()

    server.play(fakes.speaks, always=dies)
    done = speak(book, server.url)
    assert done.returncode == 5, done.stderr
    assert "127.0.0.1" in done.stderr
    assert len(list((work(book) / "takes").glob("*.flac"))) == 1
    with FakeOpenAI() as again:
        done = speak(book, again.url)
        assert done.returncode == 0, done.stderr
        assert len(again.asked) == 1
        assert again.keys == [f"Bearer {KEY}"]
    assert len(list((work(book) / "takes").glob("*.flac"))) == 2
    assert report(book)["backends"]["voice"] == "openai (asked for by name)"
    assert report(book)["shortfalls"] == []
    for file in work(book).rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file


def test_a_recording_of_the_users_speaks_in_a_film(book: Path) -> None:
    bank, listen = f"voice.bank={book.parent / 'bank'}", ("--set", "voice.listen=off")
    soundfile.write(book.parent / "me.wav", hum(120, 11.0), 48_000)
    words = ("--name", "Me", "--licence", "my own voice", "--text", "What I say.")
    added = narrate("voices", "add", "me.wav", *words, "--set", bank, cwd=book.parent)
    assert added.returncode == 0, added.stderr
    (book.parent / "cast.toml").write_text('narrator = "me"\n[[character]]\nname = "Nobody"\n', encoding="utf-8")
    script = {
        "schema": "comic_narrator.script/1",
        "language": "en",
        "beats": [
            {"id": "0001.01.1", "page": "0001", "panel": "0001.01", "kind": "speech", "text": "It was night.",
             "speaker": "narrator", "voice": "me"}
        ],
    }  # fmt: skip
    (book.parent / "script.json").write_text(json.dumps(script), encoding="utf-8")
    with FakeFish() as fish:
        command = [arg.replace("voice.backend=openai", "voice.backend=fish") for arg in speech_of(book, fish.url)]
        command += ["--set", bank, *listen, "--from-script-json", str(book.parent / "script.json")]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=surroundings(), timeout=120, cwd=book.parent
        )
        assert done.returncode == 0, done.stderr
        (reference,) = fish.asked[0]["references"]
    assert base64.b64decode(reference["audio"]) == (book.parent / "bank" / "me.wav").read_bytes()
    assert reference["text"] == "What I say."
    assert "my own voice" in next(v["licence"] for v in report(book)["voices"] if v["name"] == "me")


def test_no_server_at_all_is_said_before_anything_is_read(book: Path, server: FakeOpenAI) -> None:
    server.close()
    done = speak(book, server.url)
    assert done.returncode == 5
    assert "Traceback" not in done.stderr
    assert not list((work(book) / "pages").glob("*/page.json"))


def test_a_line_that_cannot_be_had_is_named_and_the_rest_is_made(book: Path, server: FakeOpenAI) -> None:
    def refuses_two(handler: fakes.Handler, body: dict[str, Any]) -> None:
        (fakes.tells_json() if "two" in body["input"].lower() else fakes.speaks)(handler, body)

    server.play(always=refuses_two)
    done = speak(book, server.url)
    assert done.returncode == 7, done.stderr
    assert len(list((work(book) / "takes").glob("*.flac"))) == 1
    assert any("model is loading" in line for line in report(book)["shortfalls"])


def test_ctrl_c_does_not_wait_for_a_server_that_stalls(book: Path, server: FakeOpenAI) -> None:
    server.play(always=fakes.stalls(300))
    running = subprocess.Popen(
        speech_of(book, server.url), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=surroundings()
    )
    try:
        until = time.monotonic() + 90
        while not server.asked and time.monotonic() < until and running.poll() is None:
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130
    finally:
        running.kill()
        running.communicate()
