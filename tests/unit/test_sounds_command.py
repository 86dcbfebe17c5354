"""The command that shows the library."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from comic_narrator.cli import run
from comic_narrator.report import Credit
from comic_narrator.sound import shipped


def test_it_lists_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sounds", "list", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {row["name"] for row in told} == {sound.name for sound in shipped()}
    assert all(row["licence"] and row["tags"] for row in told)


def test_it_plays_into_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "rain.wav"
    assert run(["sounds", "play", "rain", "-o", str(out)]) == 0
    wave, rate = soundfile.read(out)
    assert rate == 48_000
    assert len(wave) == 20 * rate
    assert np.abs(wave).max() > 0.01
    assert capsys.readouterr().out.strip() == str(out)


def test_it_shows_licences_with_their_texts(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sounds", "credits", "gunshot"]) == 0
    told = capsys.readouterr().out
    assert "gunshot: MIT" in told
    assert "Permission is hereby granted" in told


@pytest.mark.parametrize(
    "arguments",
    [["play"], ["play", "fnordle"], ["list", "--set", "sound.folders=/nowhere"]],
    ids=["none", "unknown", "folder"],
)
def test_misuse_is_told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sounds", *arguments]) == 2
    assert capsys.readouterr().err


def test_the_users_sounds_are_listed_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    soundfile.write(tmp_path / "fnord.wav", np.zeros(4800) + 0.1, 48_000)
    assert run(["sounds", "list", "--json", "--set", f"sound.folders={tmp_path}"]) == 0
    first = json.loads(capsys.readouterr().out)[0]
    assert (first["name"].split("/")[-1], first["licence"]) == ("fnord.wav", "not stated")


@pytest.mark.parametrize(
    ("licence", "forbidden"),
    [("CC0-1.0", False), ("MIT", False), ("CC-BY-NC-SA-4.0", False), ("not stated", False),
     ("All rights reserved", True),      ("for personal use only", True), ("research only", True)],
    ids=str,
)  # fmt: skip
def test_a_licence_forbids_publishing_or_not(licence: str, forbidden: bool) -> None:
    assert Credit(name="x", licence=licence, source="y").forbids_publishing is forbidden
