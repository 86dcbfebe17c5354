"""Whatever write fails in a work folder, nothing that was there is lost, and the next run goes on."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from comic_narrator.errors import InTheWayError
from comic_narrator.work import JOURNAL, Work, journal

FAULTS = (errno.ENOSPC, errno.EIO, errno.EROFS)
SITES = ("open", "write", "fsync", "replace", "journal", "last line", "journal fsync", "folder")


class Fault:
    """Makes one kind of call fail from its n-th time on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
        self._patch, self._code = monkeypatch, code

    def fails(self, *_: object, **__: object) -> object:
        raise OSError(self._code, os.strerror(self._code))

    def at(self, site: str) -> Callable[[Path], object]:
        if site in ("open", "write"):
            return lambda path: (path.write_text("half") if site == "write" else None, self.fails())
        if site == "fsync":
            self._patch.setattr(os, "fsync", self.fails)
        elif site == "replace":
            self._patch.setattr(Path, "replace", self.fails)
        elif site == "journal":
            real = Path.open
            self._patch.setattr(
                Path, "open", lambda path, *a, **k: self.fails() if path.name == JOURNAL else real(path, *a, **k)
            )
        elif site == "last line":
            add = journal.Journal.add
            self._patch.setattr(
                journal.Journal,
                "add",
                lambda of, line, *a: self.fails() if isinstance(line, journal.Done) else add(of, line, *a),
            )
        elif site == "journal fsync":
            self._patch.setattr(journal.Journal, "_sync", self.fails)
        elif site == "folder":
            self._patch.setattr(Path, "mkdir", self.fails)
        return lambda path: path.write_text("two")


@pytest.mark.parametrize("code", FAULTS, ids=[errno.errorcode[code] for code in FAULTS])
@pytest.mark.parametrize("site", SITES)
def test_a_write_that_fails_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, site: str, code: int
) -> None:
    monkeypatch.setattr(journal, "SYNC_EVERY", 0.0)
    with Work(tmp_path).opened() as work:
        work.make("a.txt", {"in": "1"}, lambda path: path.write_text("one"))
        work.make("b.txt", {"in": "1"}, lambda path: path.write_text("one"))
        work.make("c.txt", {"in": "1"}, lambda path: path.write_text("mine"))
    (tmp_path / "c.txt").write_text("edited by hand")
    with (
        monkeypatch.context() as patch,
        pytest.raises(OSError, match=os.strerror(code)),
        Work(tmp_path).opened() as work,
    ):
        work.make("a.txt", {"in": "2"}, Fault(patch, code).at(site))
    assert (tmp_path / "a.txt").read_text() in ("one", "two")
    with Work(tmp_path).opened() as again:
        assert not list(tmp_path.rglob(".partial-*"))
        again.make("a.txt", {"in": "2"}, lambda path: path.write_text("two"))
        again.make("b.txt", {"in": "1"}, _never)
        again.make("c.txt", {"in": "1"}, _never)
    assert [(tmp_path / f"{name}.txt").read_text() for name in "abc"] == ["two", "one", "edited by hand"]


def _make_two(root: Path, build: Callable[[Path], object]) -> None:
    with Work(root).opened() as work:
        work.make("a.txt", {"in": "2"}, build)


def _never(path: Path) -> object:
    raise AssertionError(f"{path} was made again")


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 kB, where this user may mount one."""
    place = tmp_path / "tiny"
    place.mkdir()
    if (
        os.name != "posix"
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("this user cannot mount a small disk")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_disk_that_fills_keeps_what_is_made_and_goes_on_when_there_is_room(tiny_disk: Path) -> None:
    root = tiny_disk / "work"
    made: list[str] = []
    with pytest.raises(OSError, match="No space"):
        _fill(root, made)
    assert 5 < len(made) < 13
    ballast = root / made.pop()
    ballast.unlink()
    with Work(root).opened() as work:
        for name in made:
            work.make(name, {}, _never)


def _fill(root: Path, made: list[str]) -> None:
    with Work(root).opened() as work:
        for i in range(100):
            work.make(f"{i}.bin", {}, lambda path: path.write_bytes(bytes(20_000)))
            made.append(f"{i}.bin")


RACER = """
import sys, time
from pathlib import Path
from comic_narrator.errors import InTheWayError
from comic_narrator.work import Work
try:
    with Work(Path(sys.argv[1])).opened() as work:
        work.make("a.txt", {}, lambda path: path.write_text("one"))
        time.sleep(float(sys.argv[2]))
except InTheWayError as error:
    sys.exit(error.exit_code)
"""


def test_of_eight_runs_at_once_one_gets_in_and_the_others_are_told(tmp_path: Path) -> None:
    root = tmp_path / "work"
    with Work(root).opened():
        runs = [subprocess.Popen([sys.executable, "-c", RACER, str(root), "0"]) for _ in range(8)]
        assert [run.wait() for run in runs] == [InTheWayError.exit_code] * 8
    runs = [subprocess.Popen([sys.executable, "-c", RACER, str(root), "0.5"]) for _ in range(8)]
    codes = [run.wait() for run in runs]
    assert 0 in codes
    assert set(codes) <= {0, InTheWayError.exit_code}
    with Work(root).opened() as work:
        assert work.times_made("a.txt") == 1
        assert work.cut_off is None
