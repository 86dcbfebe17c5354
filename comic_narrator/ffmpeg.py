"""The one place that starts ffmpeg: the binary ships inside the imageio-ffmpeg wheel."""

from __future__ import annotations

import logging
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryFile

from imageio_ffmpeg import get_ffmpeg_exe

from comic_narrator.errors import DoesNotFitError, FilmError, MissingToolError, disk_full

log = logging.getLogger(__name__)

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
    done = subprocess.run(
        [executable(), *QUIET, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    if done.returncode != 0:
        raise _failure(done.stderr)
    return done.stderr


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


def feed(arguments: Sequence[str], chunks: Iterable[memoryview | bytes]) -> None:
    """Run ffmpeg with `chunks` on its stdin; FilmError with its last words when it fails."""
    # Messages go to a file: a full stderr pipe would stop ffmpeg while it waits for frames.
    with TemporaryFile("w+", errors="replace") as messages:
        command = [executable(), "-hide_banner", "-nostats", "-loglevel", "warning", "-y", *arguments]
        child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=messages, start_new_session=True
        )
        try:
            assert child.stdin is not None
            broken = False
            try:
                for chunk in chunks:
                    child.stdin.write(chunk)
                child.stdin.close()
            except BrokenPipeError:
                broken = True
            if child.wait() != 0 or broken:
                messages.seek(0)
                raise _failure(messages.read())
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()


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
