"""A run and its tenants: naps, two passes, the card one after another, and servers that die under it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from comic_narrator.gpu.lease import lease
from tests.conftest import draw_page
from tests.e2e.machine import Machine

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="vLLM has no Windows")]

PAGES = 4


@pytest.fixture
def book(machine: Machine) -> Path:
    folder = machine.home / "book"
    folder.mkdir()
    for page in range(PAGES):
        draw_page(shade=255 - page).save(folder / f"{page}.png")
    return folder


def command(machine: Machine, *more: str, share: str = "co-resident") -> list[str]:
    url = f"http://127.0.0.1:{machine.vision}"
    backends = ("--set", "reader.backend=asking", "--set", "voice.backend=asking", "--set", f"reader.url={url}")
    until = () if "--vision-only" in more else ("--until", "speech")
    profile = str(machine.profile(share))
    return [sys.executable, "-m", "comic_narrator", "book", "--profile", profile, *backends, *until, *more]


def narrate(machine: Machine, *more: str, share: str = "co-resident") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(machine, *more, share=share),
        cwd=machine.home,
        env=machine.environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def report(machine: Machine) -> Any:
    return json.loads((machine.home / "book.mp4.work" / "report.json").read_text(encoding="utf-8"))


def noted(machine: Machine, what: str) -> list[int]:
    """What the card held at each page or line that was asked for."""
    file = machine.home / "card" / what
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def test_the_reader_naps_while_lines_are_spoken(machine: Machine, book: Path) -> None:
    assert machine.up(share="nap").returncode == 0
    first = narrate(machine, share="nap")
    assert first.returncode == 0, first.stderr
    assert noted(machine, "pages") == [25700 + 2300] * (PAGES + 1)
    assert set(noted(machine, "lines")) == {1400 + 2300}
    gpu = report(machine)["gpu"]
    assert gpu["share"] == "nap"
    assert [nap["freed_mib"] for nap in gpu["naps"]] == [25700 - 1400]
    assert gpu["cards"][0]["peak_mib"] >= 25700 + 2300
    assert gpu["vision"]["kv_peak"] == 0.25
    assert machine.status()["vision"]["state"] == "asleep"

    again = narrate(machine, share="nap")
    assert again.returncode == 0, again.stderr
    assert len(noted(machine, "pages")) == PAGES + 1
    assert machine.status()["vision"]["state"] == "asleep"

    # Another page to read wakes it.
    draw_page(shade=200).save(book / "9.png")
    more = narrate(machine, share="nap")
    assert more.returncode == 0, more.stderr
    assert "The reader is awake again" in more.stderr
    assert len(noted(machine, "pages")) > PAGES + 1


def test_a_nap_that_gives_nothing_back_is_told(machine: Machine, book: Path) -> None:
    machine.vllm = {"gives_back": False}
    assert machine.up("vision", share="nap").returncode == 0
    told = narrate(machine, "--set", "voice.backend=tone", share="nap")
    assert told.returncode == 9
    assert "only 0 MiB of the card came back" in told.stderr


def test_two_passes_and_the_second_needs_no_reader(machine: Machine, book: Path) -> None:
    assert machine.up(share="two-pass").returncode == 0
    at_once = narrate(machine, share="two-pass")
    assert at_once.returncode in (2, 5)
    first = narrate(machine, "--vision-only", share="two-pass")
    assert first.returncode == 0, first.stderr
    last = first.stderr.splitlines()[-1]
    assert last.startswith("Next: comic-narrator serve down && comic-narrator serve up speech --profile ")
    assert "--vision-only" not in last
    assert "&& comic-narrator book --profile" in last

    assert machine.run("down").returncode == 0
    assert machine.up("speech", share="two-pass").returncode == 0
    second = narrate(machine, share="two-pass")
    assert second.returncode == 0, second.stderr
    assert len(noted(machine, "pages")) == PAGES + 1
    assert list(machine.status()) == ["speech"]

    # What is still to be read needs the first pass again.
    draw_page(shade=200).save(book / "9.png")
    more = narrate(machine, share="two-pass")
    assert more.returncode == 2, more.stderr
    assert "--vision-only first" in more.stderr


@pytest.fixture
def library(machine: Machine) -> Path:
    """Two books that differ."""
    root = machine.home / "comics"
    for i in (1, 2):
        (root / f"v{i}").mkdir(parents=True)
        for page in range(2):
            draw_page(shade=255 - page - 10 * i).save(root / f"v{i}" / f"{page}.png")
    (root / "v0").mkdir()
    (root / "v0" / "1.png").write_bytes(b"no picture")
    return root


def make_library(machine: Machine, *more: str, share: str) -> subprocess.CompletedProcess[str]:
    url = f"http://127.0.0.1:{machine.vision}"
    backends = ("--set", "reader.backend=asking", "--set", "voice.backend=asking", "--set", f"reader.url={url}")
    until = () if "--vision-only" in more else ("--until", "speech")
    profile = str(machine.profile(share))
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "comic_narrator",
            "comics",
            "-o",
            "films",
            "--profile",
            profile,
            *backends,
            *until,
            *more,
        ],
        cwd=machine.home,
        env=machine.environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_library_is_read_as_a_whole_before_the_reader_naps_once(machine: Machine, library: Path) -> None:
    assert machine.up(share="nap").returncode == 0
    done = make_library(machine, share="nap")
    assert done.returncode == 7, done.stderr
    assert "v0" in done.stderr
    # A page asked for while the card was another's would have woken the reader again.
    assert noted(machine, "pages") == [25700 + 2300] * 6
    assert set(noted(machine, "lines")) == {1400 + 2300}
    naps = [
        json.loads((machine.home / "films" / f"v{i}.mp4.work" / "report.json").read_text())["gpu"]["naps"]
        for i in (1, 2)
    ]
    assert sorted(map(len, naps)) == [0, 1]


def test_a_library_of_two_passes_hands_the_card_over_once(machine: Machine, library: Path) -> None:
    assert machine.up("vision", share="two-pass").returncode == 0
    done = make_library(machine, share="two-pass")
    assert done.returncode == 7, done.stderr
    assert done.stderr.count("the card goes from the reader to speech") == 1
    assert noted(machine, "pages") == [25700] * 6
    assert noted(machine, "lines")
    assert set(noted(machine, "lines")) == {2300}
    assert list(machine.status()) == ["speech"]


def test_the_passes_of_a_library_may_be_two_commands_and_the_second_needs_no_reader(
    machine: Machine, library: Path
) -> None:
    assert machine.up("vision", share="two-pass").returncode == 0
    first = make_library(machine, "--vision-only", share="two-pass")
    assert first.returncode == 7, first.stderr
    told = next(line for line in first.stderr.splitlines() if line.startswith("Next: "))
    assert told.startswith("Next: comic-narrator serve down && comic-narrator serve up speech --profile ")
    assert "&& comic-narrator comics -o films --profile" in told
    assert "--vision-only" not in told
    assert list(machine.status()) == ["vision"]
    assert machine.run("down").returncode == 0
    assert machine.up("speech", share="two-pass").returncode == 0
    second = make_library(machine, share="two-pass")
    assert second.returncode == 7, second.stderr
    assert len(noted(machine, "pages")) == 6
    assert len(list((machine.home / "films").glob("v[12].mp4.work/takes/*"))) > 1


def test_a_reader_that_dies_is_started_again_and_no_page_is_lost(machine: Machine, book: Path) -> None:
    machine.vllm = {"first": {"dies_at": 3}}
    assert machine.up().returncode == 0
    run = narrate(machine)
    assert run.returncode == 0, run.stderr
    assert machine.boots("vllm") == 2
    assert len(report(machine)["gpu"]["restarts"]) == 1
    assert report(machine)["gpu"]["restarts"][0].startswith("vision: ")


def test_a_speech_server_that_dies_twice_ends_the_run_and_what_is_spoken_stays(
    machine: Machine,
    book: Path,
) -> None:
    machine.fish = {"dies_at": 3}
    assert machine.up().returncode == 0
    run = narrate(machine)
    assert run.returncode == 5, run.stderr
    assert machine.boots("fish") == 2
    spoken = len(list((machine.home / "book.mp4.work" / "takes").iterdir()))
    assert spoken
    machine.fish = {}
    assert machine.up().returncode == 0
    assert narrate(machine).returncode == 0


def test_a_speech_server_that_grows_is_started_anew_between_lines(machine: Machine, book: Path) -> None:
    # Slow enough for a second look at its memory before the last line.
    machine.fish = {"first": {"grows": 1000, "speaks": 2.5}}
    assert machine.up().returncode == 0
    run = narrate(machine)
    assert run.returncode == 0, run.stderr
    assert machine.boots("fish") == 2
    assert [what.split()[:4] for what in report(machine)["gpu"]["restarts"]] == [["speech:", "grew", "from", "2300"]]
    assert machine.status()["speech"]["mib"] == 2300


def test_a_run_waits_for_the_card_and_says_so(machine: Machine, book: Path) -> None:
    assert machine.up().returncode == 0
    leases = machine.home / "state" / "comic-narrator" / "leases"
    with lease(leases, 0, "reading", lambda place, holder: None):
        run = subprocess.Popen(
            command(machine), cwd=machine.home, env=machine.environment(), stderr=subprocess.PIPE, text=True
        )
        assert run.stderr is not None
        told = next(line for line in run.stderr if line.startswith("Waiting for GPU 0"))
        assert not noted(machine, "pages")
        time.sleep(0.3)
    with run:
        rest = run.stderr.read()
    assert run.returncode == 0, rest
    assert told.startswith("Waiting for GPU 0, at place 1: reading, PID ")
    assert report(machine)["gpu"]["waited_seconds"] > 0
    assert len(noted(machine, "pages")) == PAGES + 1


def test_a_tenant_that_serve_did_not_start_is_never_restarted(machine: Machine, book: Path) -> None:
    machine.vllm = {"dies_at": 2}
    environment = machine.environment()
    stranger = [machine.home / "bin" / "vllm", "serve", "m", "--port", str(machine.vision)]
    other = psutil.Popen(stranger, env=environment, stdout=subprocess.PIPE)
    assert machine.up("speech").returncode == 0
    while not (machine.home / "card" / str(other.pid)).exists():
        assert other.poll() is None
    run = narrate(machine)
    assert run.returncode == 5
    assert machine.boots("vllm") == 1
    other.wait()
