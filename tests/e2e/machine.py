"""A machine with a card that is none, on which agent-mode.sh starts stand-ins for the servers."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FAKES = {"vllm": "vllm", "fish-speech-server": "fish", "nvidia-smi": "nvidia_smi"}
"""Programs on the machine's PATH, and the function of tests/fakes/tenant_fakes.py that each is."""
RECORDS = ROOT / "tests" / "records" / "boots"

PROFILE = """
[gpu]
share = "{share}"
[tenant.vision]
model = "Qwen/Qwen3-VL-8B-Instruct"
port = {vision}
sources = ["this test"]
[tenant.vision.environment]
VLLM_SERVER_DEV_MODE = "1"
[tenant.vision.flags]
max_model_len = 32768
gpu_memory_utilization = 0.82
limit_mm_per_prompt = {{ image = 2, video = 0 }}
enable_sleep_mode = true
[tenant.vision.figures]
weights_gib = 16.69
[tenant.speech]
program = ["fish-speech-server", "--listen", "127.0.0.1:{speech}"]
port = {speech}
expected_gib = 2.3
reserve_gib = 2.6
sources = ["this test"]
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@dataclass
class Machine:
    """A machine with a card that is none: its folders, its ports, and what its servers do."""

    home: Path
    vision: int = field(default_factory=free_port)
    speech: int = field(default_factory=free_port)
    vllm: dict[str, Any] = field(default_factory=dict)
    fish: dict[str, Any] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        path = os.pathsep.join([str(self.home / "bin"), os.environ["PATH"]])
        return {
            **os.environ,
            "PATH": path,
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests" / "fakes")]),
            "FAKE_SPEECH_URL": f"http://127.0.0.1:{self.speech}",
            "XDG_STATE_HOME": str(self.home / "state"),
            "XDG_DATA_HOME": str(self.home / "data"),
            "FAKE_CARD": str(self.home / "card"),
            "FAKE_VLLM": json.dumps({"log": str(RECORDS / "up.log"), "mib": 25700, **self.vllm}),
            "FAKE_FISH": json.dumps({"mib": 2300, **self.fish}),
        }

    def profile(self, share: str = "co-resident") -> Path:
        file = self.home / "mine.toml"
        file.write_text(PROFILE.format(share=share, vision=self.vision, speech=self.speech), encoding="utf-8")
        return file

    def command(self, *arguments: str) -> list[str]:
        return [str(self.home / "agent-mode.sh"), *arguments]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments), env=self.environment(), capture_output=True, text=True, check=False
        )

    def up(self, *more: str, share: str = "co-resident") -> subprocess.CompletedProcess[str]:
        return self.run("up", "--profile", str(self.profile(share)), "--settle", "0.1", *more)

    def status(self) -> dict[str, Any]:
        told = json.loads(self.run("status", "--json").stdout)
        return {tenant["name"]: tenant for tenant in told["tenants"]}

    def started(self) -> bool:
        """Whether anything is written down as started."""
        return (self.home / "state" / "comic-narrator" / "tenants.json").exists()

    def boots(self, name: str) -> int:
        return len((self.home / "card" / f"booted-{name}").read_text().split())


def program(file: Path, text: str) -> None:
    """A program that can be run."""
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    # Without the checkout's environment beside it, the script takes the command that PATH has.
    shutil.copy(ROOT / "agent-mode.sh", tmp_path)
    (tmp_path / "card").mkdir()
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin" / "comic-narrator", f'#!/bin/sh\nexec "{sys.executable}" -m comic_narrator "$@"\n')
    for name, function in FAKES.items():
        # -S: they start in no time, for they need nothing that is installed.
        first = f"#!{sys.executable} -S\nimport sys\n\nsys.path.insert(0, {str(ROOT / 'tests' / 'fakes')!r})\n"
        program(tmp_path / "bin" / name, f"{first}import tenant_fakes\n\ntenant_fakes.{function}()\n")
    machine = Machine(tmp_path)
    yield machine
    if machine.started():
        machine.run("down")
