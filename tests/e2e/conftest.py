"""The real command in a subprocess, with the network cut off where the system lets us."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.machine import machine as machine

ROOT = Path(__file__).resolve().parents[2]
FAKES = {"PYTHONPATH": os.pathsep.join((str(ROOT / "tests" / "fakes"), str(ROOT)))}
"""The environment in which the quick and the failing backends of tests/fakes are installed."""
QUICK = ("--set", "reader.backend=label", "--set", "voice.backend=tone")
SMALL = ("--set", "film.width=640", "--set", "film.height=360", "--set", "film.preset=ultrafast")


def _cut_off() -> list[str]:
    """The command prefix that takes the network away, or nothing where namespaces are not allowed."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return []
    prefix = [unshare, "--net", "--map-root-user"]
    return prefix if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0 else []


OFFLINE = _cut_off()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says whether the films of this run prove that no network is needed."""
    state = "cut off" if OFFLINE else "left on: this system cannot cut it off"
    terminalreporter.write_line(f"network of the command under test: {state}")


def command(*arguments: str | Path) -> list[str]:
    return [*OFFLINE, sys.executable, "-m", "comic_narrator", *map(str, arguments)]


def narrate(*arguments: str | Path, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), cwd=cwd, capture_output=True, text=True, check=False, env={**os.environ, **(env or {})}
    )


@dataclass(frozen=True)
class Film:
    """A finished film and its work folder."""

    path: Path
    book: Path
    arguments: Sequence[str]

    @property
    def work(self) -> Path:
        return self.path.with_name(f"{self.path.name}.work")

    def read(self, name: str) -> Any:
        return json.loads((self.work / name).read_text(encoding="utf-8"))

    def made(self) -> dict[str, int]:
        """What the last run made, by stage."""
        return {stage["stage"]: stage["made"] for stage in self.read("report.json")["stages"]}

    def again(self, *more: str) -> subprocess.CompletedProcess[str]:
        return narrate(self.book, "-o", self.path, *self.arguments, *more, cwd=self.path.parent)


@pytest.fixture(scope="session")
def sample_film(tmp_path_factory: pytest.TempPathFactory) -> Film:
    """The film of the sample comic, small; its tests share it and leave it as they found it."""
    folder = tmp_path_factory.mktemp("sample")
    film = Film(folder / "light house's film.mp4", ROOT / "samples" / "lighthouse.cbz", SMALL)
    done = film.again()
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(film.path)
    return film
