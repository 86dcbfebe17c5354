"""The doctor, as a user runs it: on a machine without a card, and with a card that a fake nvidia-smi tells of."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from comic_narrator.gpu.cards import read_cards
from tests.e2e.conftest import FAKES, QUICK, narrate
from tests.e2e.test_books import pack, page

CARD = """#!/bin/sh
case "$1" in
--query-gpu=*) echo "0, NVIDIA GeForce RTX 4090, 24564, {used}, {free}, 8.9, 580.95.05, GPU-a, 500" ;;
--query-compute-apps=*) echo "GPU-a, 4242, /usr/bin/blender, {used}" ;;
esac
"""


def doctor(*arguments: str, cwd: Path, free: int | None = None, used: int = 500) -> subprocess.CompletedProcess[str]:
    """The doctor with quick backends, and with a card where `free` MiB are given."""
    path = os.environ["PATH"]
    if free is not None:
        program = cwd / "bin" / "nvidia-smi"
        program.parent.mkdir(exist_ok=True)
        program.write_text(CARD.format(free=free, used=used))
        program.chmod(0o755)
        path = f"{program.parent}{os.pathsep}{path}"
    return narrate("doctor", *arguments, *QUICK, cwd=cwd, env={**FAKES, "PATH": path})


def needs_no_real_card() -> None:
    if read_cards().cards:
        pytest.skip("this machine has a GPU card of its own")


def test_without_a_card_it_says_so_and_recommends_the_cpu(tmp_path: Path) -> None:
    needs_no_real_card()
    done = doctor(cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for said in ("ffmpeg", "x264", "none found; use --profile cpu"):
        assert said in done.stdout
    refused = doctor("--profile", "agent-24g", cwd=tmp_path)
    assert refused.returncode == 9
    assert "wants card 0, and there is no GPU" in refused.stderr
    assert "--profile cpu" in refused.stderr


def test_with_a_card_it_tells_what_a_profile_would_do(tmp_path: Path) -> None:
    needs_no_real_card()
    done = doctor("--profile", "agent-24g", "--json", cwd=tmp_path, free=23500)
    assert done.returncode == 0, done.stderr
    machine = json.loads(done.stdout)["machine"]
    assert machine["cards"][0]["total_mib"] == 24064
    assert machine["plan"]["fits"]
    assert machine["plan"]["vision"]["kv_tokens"] > 32768
    assert machine["recommended"] == "agent-24g"


def test_without_a_profile_the_one_that_suits_the_card_is_looked_at(tmp_path: Path) -> None:
    needs_no_real_card()
    done = doctor(cwd=tmp_path, free=12000, used=12000)
    assert done.returncode == 0, done.stderr
    assert "agent-24g" in done.stdout
    assert "fits" in done.stdout


def test_what_does_not_fit_leaves_with_9_and_names_who_is_in_the_way(tmp_path: Path) -> None:
    needs_no_real_card()
    done = doctor("--profile", "agent-24g", cwd=tmp_path, free=18000, used=6000)
    assert done.returncode == 9
    assert "its share of the card is more than is free" in done.stderr
    assert "blender (PID 4242) holds 5.9 GiB" in done.stderr
    assert "Util 0.8 -> 0." in done.stderr


def test_a_book_is_told_with_what_it_needs(tmp_path: Path) -> None:
    book = pack(tmp_path / "book.cbz", p1=page(), p2=page())
    done = doctor(book.name, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for said in ("2, from 2 pictures", "GB free", "minutes on"):
        assert said in done.stdout
    told = json.loads(doctor(book.name, "--json", cwd=tmp_path).stdout)
    assert told["pages"] == 2
    assert {finding["what"] for finding in told["machine"]["findings"]} >= {"ffmpeg", "disk", "time"}
