"""Environments for the servers: what is installed where, and launchers that are there only when all is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from comic_narrator.errors import InputError, MissingToolError
from comic_narrator.gpu.environment import FISH, VLLM, Place, set_up_fish, set_up_vllm

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the servers have no Windows")

# A Python that makes environments without a network: its pip writes down what it was asked for.
PYTHON = """#!/bin/sh
if [ "$2" = venv ]; then
    mkdir -p "$3/bin" "$3/lib/python3.12/site-packages"
    cp "$0" "$3/bin/python"
    exit 0
fi
if [ "$2" = pip ]; then
    shift 4
    echo "$@" >> "$(dirname "$0")/installed"
    exit "${FAKE_PIP:-0}"
fi
echo "$PWD: $@"
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    python = tmp_path / "bin" / "python3.11"
    python.parent.mkdir()
    python.write_text(PYTHON, encoding="utf-8")
    python.chmod(0o755)
    monkeypatch.setenv("PATH", f"{python.parent}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return Place(tmp_path / "data")


def weights(tmp_path: Path, name: str) -> Path:
    folder = tmp_path / "my weights"
    folder.mkdir(exist_ok=True)
    (folder / name).touch()
    return folder


def test_vllm_is_pinned_and_installed_once(place: Place) -> None:
    said: list[str] = []
    launcher = set_up_vllm(place, "python3.11", said.append)
    assert (place.environment("vllm") / "bin" / "installed").read_text().split() == [VLLM]
    assert "environments/vllm/bin/vllm" in launcher.read_text()
    set_up_vllm(place, "python3.11", said.append)
    assert (place.environment("vllm") / "bin" / "installed").read_text().split() == [VLLM]


def test_the_pinned_fish_serves_the_weights_that_were_named(place: Place, tmp_path: Path) -> None:
    folder = weights(tmp_path, "codec.pth")
    launcher = set_up_fish(place, "python3.11", None, folder, lambda line: None)
    home = place.environment("fish")
    assert (home / "bin" / "installed").read_text().split() == [FISH]
    assert (home / "lib" / "python3.12" / "site-packages" / ".project-root").exists()
    started = subprocess.run([launcher, "--listen", "127.0.0.1:8080"], capture_output=True, text=True, check=True)
    assert started.stdout.strip() == (
        f"{home}: -m tools.api_server --llama-checkpoint-path {folder} --decoder-checkpoint-path {folder}/codec.pth "
        "--decoder-config-name modded_dac_vq --listen 127.0.0.1:8080"
    )


def test_a_checkout_serves_the_weights_of_1_5_from_its_own_folder(place: Place, tmp_path: Path) -> None:
    checkout = tmp_path / "fish speech"
    (checkout / "tools").mkdir(parents=True)
    (checkout / "tools" / "api_server.py").touch()
    folder = weights(tmp_path, "firefly-gan-vq-fsq-8x1024-21hz-generator.pth")
    launcher = set_up_fish(place, None, checkout, folder, lambda line: None)
    installed = (place.environment("fish") / "bin" / "installed").read_text()
    assert installed == f"-e {checkout}[stable]\n"
    started = subprocess.run([launcher], capture_output=True, text=True, check=True)
    assert started.stdout.startswith(f"{checkout}: -m tools.api_server")
    assert "--decoder-config-name firefly_gan_vq" in started.stdout


def test_what_is_missing_is_told_before_anything_is_installed(place: Place, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no weights"):
        set_up_fish(place, None, None, tmp_path / "empty", lambda line: None)
    with pytest.raises(InputError, match="is no checkout"):
        set_up_fish(place, None, tmp_path / "empty", weights(tmp_path, "codec.pth"), lambda line: None)
    with pytest.raises(MissingToolError, match=r"no python3\.99"):
        set_up_vllm(place, "python3.99", lambda line: None)
    assert not place.root.exists()


def test_an_installation_that_failed_leaves_no_launcher(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_PIP", "1")
    with pytest.raises(MissingToolError, match="cannot be installed"):
        set_up_vllm(place, None, lambda line: None)
    assert not (place.bin / "vllm").exists()
    monkeypatch.setenv("FAKE_PIP", "0")
    assert set_up_vllm(place, None, lambda line: None).exists()
