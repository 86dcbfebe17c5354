"""The command: comic-narrator BOOK -o OUT.mp4, and its sub-commands, each imported when it is asked for."""

from __future__ import annotations

import errno
import logging
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from types import TracebackType

import typer

from comic_narrator.cli.app import app
from comic_narrator.cli.interrupt import (
    end_in_time,
    leave_at_once,
    leave_with_the_leash,
    say_interrupted,
    was_interrupted,
)
from comic_narrator.console import Watch
from comic_narrator.errors import INTERRUPTED, FilmError, NarratorError, UsageError, disk_full

__all__ = ["COMMANDS", "app", "every_command", "main", "run"]

log = logging.getLogger("comic_narrator")

COMMANDS = {
    "film": "film",
    "read": "film",
    "settings": "shows",
    "voices": "voices",
    "sounds": "sounds",
    "status": "shows",
    "doctor": "doctor",
    "clean": "clean",
    "probe": "probe",
    "serve": "serve",
}
"""The module of each command. A machine that only serves models need not have what filming needs."""


ENDED_IN_TIME = ("film", "read")
"""Commands whose work may be cut off at any moment."""


def main() -> None:
    """Entry point: run the command line and leave with its exit code; a bug is told in two sentences, with code 1."""
    sys.excepthook = _report_bug
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A file name need not be valid text, and a message about it must still come out.
            stream.reconfigure(errors="backslashreplace")
    # Whoever stops a container or a service wants what Ctrl-C gives.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    leave_with_the_leash()
    in_time = _named(sys.argv[1:])[0] in ENDED_IN_TIME
    if in_time:
        end_in_time()
    code = run(sys.argv[1:])
    if in_time and code == INTERRUPTED:
        leave_at_once()
    sys.exit(code)


def _report_bug(kind: type[BaseException], bug: BaseException, trace: TracebackType | None) -> None:
    # Where no work folder is open yet, logging itself shows the trace on stderr.
    log.critical("bug", exc_info=(kind, bug, trace))
    if was_interrupted():
        # Ctrl-C in the middle of an import comes out as whatever the module makes of it.
        say_interrupted()
        leave_at_once()
    files = [handler.baseFilename for handler in log.handlers if isinstance(handler, logging.FileHandler)]
    Watch().fail(
        NarratorError(
            f"This is a bug: {kind.__name__}: {bug}",
            f"Please report it with {files[0] if files else 'the lines above'}; what is made so far is saved.",
        )
    )


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; every error a user can act on is two sentences on stderr."""
    Watch.events = "--events" in arguments
    watch = Watch()
    named = _named(arguments)
    try:
        import_module(f"comic_narrator.cli.{COMMANDS[named[0]]}")
        if named[0] == "film":
            from comic_narrator.cli.framing import with_range

            named = with_range(named)
        left = typer.main.get_command(app).main(named, prog_name="comic-narrator", standalone_mode=False)
    except NarratorError as error:
        log.debug("stopped", exc_info=True)
        watch.fail(error)
        return error.exit_code
    except OSError as error:
        log.debug("stopped", exc_info=True)
        failure = _system_error(error)
        watch.fail(failure)
        return failure.exit_code
    except _usage_errors() as error:
        watch.fail(
            UsageError(
                f"{error.format_message().rstrip('.')}.",
                "`comic-narrator --help`, or a command with --help, lists what there is.",
            )
        )
        return UsageError.exit_code
    except (KeyboardInterrupt, typer.Abort):
        left = INTERRUPTED
    # Typer hands back the code of whatever left early, and turns Ctrl-C into one.
    if left == INTERRUPTED:
        say_interrupted()
    return left or 0


def every_command() -> typer.Typer:
    """The application with all its commands, as the documentation must name them."""
    for module in dict.fromkeys(COMMANDS.values()):
        import_module(f"comic_narrator.cli.{module}")
    return app


def _usage_errors() -> type[typer.BadParameter]:
    # Typer exports this leaf of its error tree only; its parent is what any misuse of the command line raises.
    return typer.BadParameter.__mro__[1]


def _named(arguments: Sequence[str]) -> list[str]:
    """The arguments with the sub-command spelled out: anything but a known one is a book to narrate."""
    if arguments and arguments[0] in COMMANDS:
        return list(arguments)
    return ["film", *(arguments or ["--help"])]


def _system_error(error: OSError) -> NarratorError:
    if error.errno == errno.ENOSPC:
        return disk_full()
    where = f" {error.filename}" if error.filename else ""
    return FilmError(f"The system refused{where}: {error.strerror or error}.", "Check that place and its permissions.")
