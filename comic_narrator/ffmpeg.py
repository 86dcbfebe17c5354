"""The one place that starts ffmpeg: the binary ships inside the imageio-ffmpeg wheel."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from weakref import WeakSet

from imageio_ffmpeg import get_ffmpeg_exe

from comic_narrator.errors import DoesNotFitError, FilmError, MissingToolError, disk_full

if sys.platform == "linux":
    from fcntl import F_SETPIPE_SZ, fcntl

log = logging.getLogger(__name__)

_started: WeakSet[subprocess.Popen[Any]] = WeakSet()

PIPE = 1 << 20
"""Bytes between us and ffmpeg, where the system lets us choose: with 64 KiB a frame takes fifty hand-overs."""

QUIET = ("-hide_banner", "-nostdin", "-nostats", "-y")


def executable() -> str:
    """Path of the ffmpeg binary; MissingToolError where the wheel has none for this machine."""
    try:
        return str(get_ffmpeg_exe())
    except RuntimeError as error:
        raise MissingToolError(
            "No ffmpeg was found.",
            "Reinstall the package imageio-ffmpeg, or set IMAGEIO_FFMPEG_EXE to an ffmpeg binary.",
        ) from error


def run(arguments: Sequence[str]) -> str:
    """Run ffmpeg to its end and return what it wrote to stderr; FilmError with its last words when it fails."""
    # A session of its own, here and below: Ctrl-C is for us, and we end it.
    child = subprocess.Popen(
        [executable(), *QUIET, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    _started.add(child)
    try:
        _, said = child.communicate()
    finally:
        child.kill()
    if child.returncode != 0:
        raise _failure(said)
    return said


def can(arguments: Sequence[str]) -> bool:
    """Whether ffmpeg comes to a good end with these arguments; MissingToolError without one."""
    command = [executable(), *QUIET, *arguments]
    tried = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    # Asked to find out: that it cannot is an answer, no fault of this run.
    log.debug("ffmpeg tried %s: %s", arguments, tried.stderr)
    return tried.returncode == 0


def kill_all() -> None:
    """Kill every ffmpeg that still runs, for a program that is about to be gone."""
    for child in list(_started):
        child.kill()


def version() -> str:
    """The version that the binary says it has; MissingToolError."""
    return _told("-version").partition(" Copyright")[0].removeprefix("ffmpeg version ")


def encoders() -> frozenset[str]:
    """Names of the encoders that the binary has; MissingToolError."""
    rows = (line.split() for line in _told("-hide_banner", "-encoders").splitlines())
    return frozenset(row[1] for row in rows if len(row) > 2 and row[0][0] in "VAS" and row[1] != "=")


def _told(*arguments: str) -> str:
    done = subprocess.run(
        [executable(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace"
    )
    if done.returncode != 0:
        raise MissingToolError(
            f"The ffmpeg at {executable()} does not run.", "Set IMAGEIO_FFMPEG_EXE to one that does."
        )
    return done.stdout


class Feed:
    """An ffmpeg, started in the folder `cwd`, that takes what is written to its stdin; FilmError where it fails."""

    def __init__(self, arguments: Sequence[str], cwd: Path | None = None) -> None:
        # Messages go to a file: a full stderr pipe would stop ffmpeg while it waits for frames.
        self._messages = TemporaryFile("w+", errors="replace")  # noqa: SIM115 - ffmpeg writes to it all along
        self.process = subprocess.Popen(
            [executable(), "-hide_banner", "-nostats", "-loglevel", "warning", "-y", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._messages,
            start_new_session=True,
            cwd=cwd,
        )
        _started.add(self.process)
        assert self.process.stdin is not None
        self._stdin = self.process.stdin
        if sys.platform == "linux":
            fcntl(self._stdin, F_SETPIPE_SZ, PIPE)

    def write(self, chunk: memoryview | bytes) -> None:
        """Hand a piece on; FilmError where ffmpeg has stopped."""
        try:
            self._stdin.write(chunk)
        except BrokenPipeError:
            self._end(broken=True)

    def close(self) -> str:
        """Say that this was all and wait until the file is whole: what ffmpeg had to say, warnings at most."""
        broken = False
        try:
            self._stdin.close()
        except BrokenPipeError:
            broken = True
        return self._end(broken=broken)

    def _end(self, *, broken: bool) -> str:
        failed = self.process.wait() != 0 or broken
        self._messages.seek(0)
        told = self._messages.read()
        if failed:
            raise _failure(told)
        return told

    def abandon(self) -> None:
        """End ffmpeg as it is."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        with suppress(BrokenPipeError):
            self._stdin.close()
        self._messages.close()


def concat_list(files: Sequence[Path], seconds: Sequence[float]) -> str:
    """The text of a concat list of `files` with exact durations; quotes in names are escaped."""
    lines = ["ffconcat version 1.0"]
    for file, length in zip(files, seconds, strict=True):
        name = file.as_posix().replace("'", "'\\''")
        lines += [f"file '{name}'", f"duration {length:.9f}"]
    return "\n".join(lines) + "\n"


def _failure(messages: str) -> FilmError | DoesNotFitError:
    log.error("ffmpeg stopped:\n%s", messages)
    lines = [line.strip() for line in messages.splitlines() if line.strip()]
    if any("No space left on device" in line for line in lines):
        return disk_full()
    last = lines[-1] if lines else "no message"
    return FilmError(f"ffmpeg stopped: {last}", "log.txt in the work folder has its whole message.")
