"""The command: comic-narrator BOOK -o OUT.mp4, and its sub-commands settings, voices and status."""

from __future__ import annotations

import errno
import json
import logging
import os
import signal
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import Annotated, Literal

import typer

from comic_narrator import __version__
from comic_narrator.backends import choose, load
from comic_narrator.console import Watch, print_table, result
from comic_narrator.errors import (
    INTERRUPTED,
    FilmError,
    InputError,
    NarratorError,
    UsageError,
    disk_full,
)
from comic_narrator.ingest import open_book
from comic_narrator.model import Artefact, PageReading, Script, parse_artefact
from comic_narrator.pipeline import narrate
from comic_narrator.readers import Reader
from comic_narrator.report import Report
from comic_narrator.settings import Setting, Settings, load_settings
from comic_narrator.steps import REPORT, Job, Run, read_given
from comic_narrator.voices import Voice
from comic_narrator.work import JOURNAL, LOG, Edits, Work

log = logging.getLogger("comic_narrator")

app = typer.Typer(
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Profile = Annotated[str | None, typer.Option(help="Profile: cpu, draft, or the path of a .toml file.")]
Assignments = Annotated[
    list[str], typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Set one setting; repeatable.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

EPILOG = (
    "Further commands, each with --help of its own: "
    "comic-narrator [bold]settings[/], comic-narrator [bold]voices[/], comic-narrator [bold]status[/] WORK"
)


def main() -> None:
    """Entry point: run the command line and leave with its exit code; a bug is told in two sentences, with code 1."""
    sys.excepthook = _report_bug
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A file name need not be valid text, and a message about it must still come out.
            stream.reconfigure(errors="backslashreplace")
    # Whoever stops a container or a service wants what Ctrl-C gives.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(run(sys.argv[1:]))


def _report_bug(kind: type[BaseException], bug: BaseException, trace: TracebackType | None) -> None:
    # Where no work folder is open yet, logging itself shows the trace on stderr.
    log.critical("bug", exc_info=(kind, bug, trace))
    files = [handler.baseFilename for handler in log.handlers if isinstance(handler, logging.FileHandler)]
    Watch().fail(
        NarratorError(
            f"This is a bug: {kind.__name__}: {bug}",
            f"Please report it with {files[0] if files else 'the lines above'}; what is made so far is saved.",
        )
    )


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; every error a user can act on is two sentences on stderr."""
    watch = Watch()
    try:
        left = typer.main.get_command(app).main(_named(arguments), prog_name="comic-narrator", standalone_mode=False)
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
        watch.say("Interrupted. What is made is saved: run the same command again to go on.")
    return left or 0


def _usage_errors() -> type[typer.BadParameter]:
    # Typer exports this leaf of its error tree only; its parent is what any misuse of the command line raises.
    return typer.BadParameter.__mro__[1]


def _named(arguments: Sequence[str]) -> list[str]:
    """The arguments with the sub-command spelled out: anything but a known one is a book to narrate."""
    commands = {command.name for command in app.registered_commands}
    if arguments and arguments[0] in commands:
        return list(arguments)
    return ["film", *(arguments or ["--help"])]


def _system_error(error: OSError) -> NarratorError:
    if error.errno == errno.ENOSPC:
        return disk_full()
    where = f" {error.filename}" if error.filename else ""
    return FilmError(f"The system refused{where}: {error.strerror or error}.", "Check that place and its permissions.")


def _version(wanted: bool) -> None:
    if wanted:
        result(f"comic-narrator {__version__}")
        raise typer.Exit


@app.command("film", epilog=EPILOG)
def film(
    book: Annotated[
        Path, typer.Argument(help="A PDF, a CBZ or ZIP, a folder of pictures, or one picture.", show_default=False)
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The film; default: the book's name, .mp4, here.")
    ] = None,
    layout: Annotated[
        Literal["auto", "manga", "western", "webtoon"] | None,
        typer.Option(help="How the book is read.", show_default="auto"),
    ] = None,
    lang: Annotated[str | None, typer.Option(help="Language of the lettering: en, ja.", show_default="auto")] = None,
    pages: Annotated[str | None, typer.Option(help="Pages to film: 3-10, 5 or 4-, counted from 1.")] = None,
    work: Annotated[Path | None, typer.Option(help="Work folder; default: OUTPUT.work.")] = None,
    until: Annotated[
        Literal["panels", "reading", "script", "speech", "film"], typer.Option(help="Stop after this stage.")
    ] = "film",
    vision_only: Annotated[bool, typer.Option("--vision-only", help="The same as --until script.")] = False,
    from_page_json: Annotated[
        Path | None,
        typer.Option(help="Take readings from this page.json, or from a work folder with many.", readable=False),
    ] = None,
    from_script_json: Annotated[
        Path | None, typer.Option(help="Take the script from this script.json.", readable=False)
    ] = None,
    keep_edits: Annotated[
        bool, typer.Option("--keep-edits", help="Keep files changed by hand though their inputs changed.")
    ] = False,
    discard_edits: Annotated[
        bool, typer.Option("--discard-edits", help="Make files changed by hand anew when their inputs changed.")
    ] = False,
    profile: Profile = None,
    assignments: Assignments = [],  # noqa: B006 - Typer reads the default, nobody changes it
    as_json: AsJson = False,
    verbose: Annotated[int, typer.Option("-v", "--verbose", count=True, help="Say more.", show_default=False)] = 0,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Turn a comic into a narrated film: comic-narrator BOOK -o OUT.mp4."""
    del version
    if keep_edits and discard_edits:
        raise UsageError("--keep-edits and --discard-edits exclude each other.", "Give one of them.")
    if vision_only and until not in ("film", "script"):
        raise UsageError("--vision-only and --until exclude each other.", "Give one of them.")
    options = {"book.layout": layout, "book.language": lang}
    settings, _ = load_settings(profile, os.environ, assignments, options)
    source = open_book(book)
    _check_given(PageReading, from_page_json)
    _check_given(Script, from_script_json)
    out = _film_path(book, output)
    job = Job(
        book=book,
        source=source,
        film=out,
        pages=pages,
        until="script" if vision_only else until,
        page_json=from_page_json,
        script_json=from_script_json,
    )
    edits: Edits = "keep" if keep_edits else "discard" if discard_edits else "stop"
    folder = Work((work or out.with_name(f"{out.name}.work")).absolute(), edits)
    if folder.root.is_file():
        raise UsageError(f"--work {folder.root} is a file.", "Give the name of a folder.")
    _narrate(job, folder, settings, verbose, as_json)


def _check_given(kind: type[Artefact], given: Path | None) -> None:
    """Refuse a file of the user's that cannot be used before any work is done."""
    if given is None:
        return
    if not given.exists():
        raise InputError(f"There is no file {given}.", "Check the path.")
    if given.is_file():
        parse_artefact(kind, read_given(given), given)
    elif kind is Script:
        raise InputError(f"{given} is a folder.", "Give the script.json inside it.")


def _film_path(book: Path, output: Path | None) -> Path:
    """Where the film goes; the place is tried before any work is done."""
    # Absolute, for ffmpeg takes the beginning of a name like "a:b.mp4" for a protocol.
    whole = book.absolute()
    out = (output or Path(f"{whole.name if whole.is_dir() else whole.stem}.mp4")).absolute()
    if out.suffix.lower() != ".mp4":
        raise UsageError(f"The film cannot be named {out.name}: films are MP4 files.", "End its name with .mp4.")
    if out.is_dir():
        raise FilmError(f"{out} is a folder.", "Give the name of a file with -o.")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=out.parent).close()
    except OSError as error:
        raise FilmError(f"{out} cannot be written: {error.strerror}.", "Give another place with -o.") from error
    return out


def _narrate(job: Job, folder: Work, settings: Settings, verbose: int, as_json: bool) -> None:
    watch = Watch(verbose)
    choices = {"reader": choose("readers", settings.reader.backend), "voice": choose("voices", settings.voice.backend)}
    reader: Reader = load("readers", choices["reader"])()
    voice: Voice = load("voices", choices["voice"])()
    reader.check()
    for kind, choice in choices.items():
        watch.say(f"{kind}: {choice.name} ({choice.why})", detail=True)
    with folder.opened() as work:
        _log_to(work.path(LOG))
        log.info("comic-narrator %s: %s -> %s", __version__, job, work.root)
        run = Run(work, watch, settings, reader, voice, choices)
        narrate(job, run)
    for shortfall in run.shortfalls:
        watch.say(f"fell short: {shortfall}", detail=True)
    if run.shortfalls and not verbose:
        watch.say(f"{len(run.shortfalls)} things fell short: {folder.path(REPORT)} lists them.")
    if as_json:
        result(run.report().to_json().rstrip())
    else:
        result(str(run.film or folder.root))


def _log_to(path: Path) -> None:
    """Everything, tracebacks included, goes to the work folder's log."""
    handler = logging.FileHandler(path, encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"))
    log.setLevel(logging.DEBUG)
    log.addHandler(handler)


@app.command("settings")
def show_settings(
    profile: Profile = None,
    assignments: Assignments = [],  # noqa: B006 - Typer reads the default, nobody changes it
    as_json: AsJson = False,
) -> None:
    """Every setting: its value, who set it, what it means."""
    _, listed = load_settings(profile, os.environ, assignments, {})
    if as_json:
        result(
            json.dumps(
                {s.key: {"value": s.value, "origin": s.origin, "meaning": s.description} for s in listed}, indent=1
            )
        )
    else:
        print_table(("setting", "value", "set by", "meaning"), [_setting_row(s) for s in listed])


def _setting_row(setting: Setting) -> tuple[str, ...]:
    return setting.key, str(setting.value), setting.origin, setting.description


@app.command("voices")
def show_voices(
    lang: Annotated[str, typer.Option(help="Language of the voices.")] = "en",
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """The voices there are for a language, the best narrator first."""
    settings, _ = load_settings(profile, os.environ, (), {})
    voice: Voice = load("voices", choose("voices", settings.voice.backend))()
    voice.check(lang)
    profiles = voice.profiles(lang)
    if as_json:
        result(json.dumps([vars(p) for p in profiles], indent=1))
        return
    rows = [(p.id, p.name, p.language, p.sex, p.age, p.timbre, p.licence) for p in profiles]
    print_table(("id", "name", "language", "sex", "age", "timbre", "licence"), rows)


@app.command("status")
def show_status(
    work: Annotated[Path, typer.Argument(help="A work folder.", show_default=False)], as_json: AsJson = False
) -> None:
    """What lies in a work folder: fresh, edited by hand, or missing; and what the last run said."""
    if not (work / JOURNAL).is_file():
        raise InputError(f"{work} is not a work folder.", "Give the folder named OUTPUT.work beside a film.")
    folder = Work(work)
    folder.load()
    states = {name: folder.state(name) for name in folder.entries}
    report = folder.read(Report, REPORT) if (work / REPORT).is_file() else None
    if as_json:
        told = report.model_dump(mode="json", by_alias=True) if report else None
        result(json.dumps({"files": states, "report": told}, indent=1))
        return
    print_table(("file", "state"), list(states.items()))
    if report is None:
        result("The last run left no report: it was cut off. Run it again to go on.")
        return
    print_table(
        ("stage", "made", "kept", "failed", "seconds"),
        [(s.stage, str(s.made), str(s.kept), str(s.failed), f"{s.seconds:.1f}") for s in report.stages],
    )
    for shortfall in report.shortfalls:
        result(f"fell short: {shortfall}")
    result(f"film: {report.film or 'not made yet'}")
