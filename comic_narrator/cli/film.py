"""The commands that make something of a book: its film, or what is read on its pages."""

from __future__ import annotations

import logging
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated, Literal

import typer

from comic_narrator import __version__
from comic_narrator.backends import choose, load
from comic_narrator.cli.app import (
    Adopt,
    AsJson,
    Assignments,
    Book,
    DiscardEdits,
    Events,
    KeepEdits,
    Language,
    Layout,
    Pages,
    Password,
    Profile,
    Skip,
    Spreads,
    Verbose,
    WorkFolder,
    app,
)
from comic_narrator.cli.framing import beside, chosen_cut, framing, without_the_whole
from comic_narrator.cli.library import Wishes, film_library, is_library
from comic_narrator.cli.opening import open_with_password, settings_for_book
from comic_narrator.cli.turns import say_next, turns_of
from comic_narrator.console import Watch, result
from comic_narrator.errors import FilmError, InputError, ItemsFailedError, UsageError
from comic_narrator.ingest import Spool
from comic_narrator.model import Artefact, PageReading, Script, parse_artefact
from comic_narrator.pipeline import narrate
from comic_narrator.readers import Reader
from comic_narrator.settings import Settings
from comic_narrator.steps import REPORT, SCRIPT, Job, Run, Until, read_given
from comic_narrator.voices import Voice
from comic_narrator.work import LOG, Edits, Work

log = logging.getLogger("comic_narrator")

EPILOG = "Further commands, each with --help of its own: " + ", ".join(
    f"comic-narrator [bold]{name}[/]" for name in ("read", "doctor", "settings", "voices", "sounds", "status")
)


def _version(wanted: bool) -> None:
    if wanted:
        result(f"comic-narrator {__version__}")
        raise typer.Exit


@app.command("film", epilog=EPILOG)
def film(
    context: typer.Context,
    book: Book,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="The film, or a folder for a library's; default: the book's name, .mp4, here."
        ),
    ] = None,
    layout: Layout = None,
    lang: Language = None,
    pages: Pages = None,
    spreads: Spreads = None,
    skip: Skip = None,
    password: Password = None,
    subtitle_lang: Annotated[
        str | None,
        typer.Option(
            help="Translate the subtitles to this language as well; needs a model server.", show_default="none"
        ),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(help="Frame: 16:9, 9:16, 1:1 or 4:5, as 9:16@720 with its shorter side, or 1280x720."),
    ] = None,
    preview: Annotated[
        str | None,
        typer.Option(
            metavar="[PAGES]", help="Film these pages alone, or the first three, small and coarse: BOOK.preview.mp4."
        ),
    ] = None,
    shorts: Annotated[
        str | None, typer.Option(metavar="PAGES", help="Film these pages alone, upright: BOOK.shorts.mp4.")
    ] = None,
    work: WorkFolder = None,
    until: Annotated[
        Literal["pages", "panels", "reading", "script", "speech", "film"], typer.Option(help="Stop after this stage.")
    ] = "film",
    vision_only: Annotated[bool, typer.Option("--vision-only", help="The same as --until script.")] = False,
    from_page_json: Annotated[
        Path | None,
        typer.Option(help="Take readings from this page.json, or from a work folder with many.", readable=False),
    ] = None,
    from_script_json: Annotated[
        Path | None, typer.Option(help="Take the script from this script.json.", readable=False)
    ] = None,
    speak_sfx: Annotated[bool, typer.Option("--speak-sfx", help="Have drawn sound words spoken, too.")] = False,
    keep_edits: KeepEdits = False,
    discard_edits: DiscardEdits = False,
    adopt: Adopt = False,
    private: Annotated[
        bool, typer.Option("--private", help="The film is for you alone: use also what may not be published.")
    ] = False,
    profile: Profile = None,
    assignments: Assignments = [],  # noqa: B006 - Typer reads the default, nobody changes it
    as_json: AsJson = False,
    events: Events = False,
    jobs: Annotated[int, typer.Option("--jobs", min=1, max=64, help="Of a library: books at once.")] = 1,
    only: Annotated[
        list[str], typer.Option("--only", metavar="PATTERN", help="Of a library: just these names; repeatable.")
    ] = [],  # noqa: B006
    newest: Annotated[int | None, typer.Option(min=1, help="Of a library: just the N that changed last.")] = None,
    watching: Annotated[bool, typer.Option("--watch", help="Of a library: stay, and make new books too.")] = False,
    engine: Annotated[Literal["local", "ray"], typer.Option(help="Of a library: which machines make it.")] = "local",
    ray_address: Annotated[str | None, typer.Option(help="Address of the Ray cluster.", show_default="auto")] = None,
    verbose: Verbose = 0,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Turn a comic into a narrated film, or a folder of them into films: comic-narrator BOOK -o OUT.mp4."""
    del version, events
    if vision_only and until not in ("film", "script"):
        raise UsageError("--vision-only and --until exclude each other.", "Give one of them.")
    edits = _edits(keep_edits, discard_edits)
    stop: Until = "script" if vision_only else until
    if is_library(book, output):
        assert output
        wishes = Wishes(jobs, only, newest, watching, engine, ray_address)
        film_library(context, book, output, stop, wishes, Watch(verbose))
        return
    spoken = ["voice.sound_words=true"] if speak_sfx else []
    named = {"film.subtitle_language": subtitle_lang, "sound.private": "true" if private else None}
    told = profile, [*assignments, *spoken], layout, lang, spreads, skip
    cut = chosen_cut(preview, shorts)
    settings = settings_for_book(*told, {**named, **framing(size, cut, settings_for_book(*told))})
    if settings.film.burn == "translated" and settings.film.subtitle_language == "none":
        raise UsageError("No language is given for the subtitles to burn.", "Give one, as in --subtitle-lang fr.")
    _check_given(PageReading, from_page_json)
    _check_given(Script, from_script_json)
    wanted = _film_path(book, output)
    folder = _work_folder(work, wanted, edits)
    folder.adopt = adopt
    with Spool(folder.root) as spool:
        source = open_with_password(book, spool, settings, password)
        out = _writable(beside(wanted, cut))
        if from_script_json is None and not folder.path(SCRIPT).is_file():
            cut = without_the_whole(cut)
        job = Job(book, source, out, pages, stop, from_page_json, from_script_json, cut=cut)
        run = _narrate(job, folder, settings, profile, verbose, as_json)
    if vision_only:
        say_next(run.watch, run.gpu.between_passes)


@app.command("read")
def read(
    book: Book,
    layout: Layout = None,
    lang: Language = None,
    pages: Pages = None,
    spreads: Spreads = None,
    skip: Skip = None,
    password: Password = None,
    work: Annotated[Path | None, typer.Option("--work", help="Work folder; default: BOOK.mp4.work, here.")] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Draw what was found over each page: pages/NNNN/shown.png.")
    ] = False,
    keep_edits: KeepEdits = False,
    discard_edits: DiscardEdits = False,
    profile: Profile = None,
    assignments: Assignments = [],  # noqa: B006 - Typer reads the default, nobody changes it
    as_json: AsJson = False,
    verbose: Verbose = 0,
) -> None:
    """Read a comic's pages and stop there: a page.json for each, and with --show pictures to look at."""
    settings = settings_for_book(profile, assignments, layout, lang, spreads, skip)
    wanted = _film_path(book, None)
    folder = _work_folder(work, wanted, _edits(keep_edits, discard_edits))
    with Spool(folder.root) as spool:
        source = open_with_password(book, spool, settings, password)
        _narrate(Job(book, source, wanted, pages, "reading", show=show), folder, settings, profile, verbose, as_json)


def _edits(keep: bool, discard: bool) -> Edits:
    if keep and discard:
        raise UsageError("--keep-edits and --discard-edits exclude each other.", "Give one of them.")
    return "keep" if keep else "discard" if discard else "stop"


def _work_folder(asked: Path | None, out: Path, edits: Edits) -> Work:
    folder = Work((asked or out.with_name(f"{out.name}.work")).absolute(), edits)
    if folder.root.is_file():
        raise UsageError(f"--work {folder.root} is a file.", "Give the name of a folder.")
    return folder


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
    """Where the film is to go."""
    # Absolute, for ffmpeg takes the beginning of a name like "a:b.mp4" for a protocol.
    whole = book.absolute()
    out = (output or Path(f"{whole.name if whole.is_dir() else whole.stem}.mp4")).absolute()
    if out.suffix.lower() != ".mp4":
        raise UsageError(f"The film cannot be named {out.name}: films are MP4 files.", "End its name with .mp4.")
    if out.is_dir():
        raise FilmError(f"{out} is a folder.", "Give the name of a file with -o.")
    return out


def _writable(out: Path) -> Path:
    """The film's place, tried before any work is done."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=out.parent).close()
    except OSError as error:
        raise FilmError(f"{out} cannot be written: {error.strerror}.", "Give another place with -o.") from error
    return out


def _narrate(job: Job, folder: Work, settings: Settings, profile: str | None, verbose: int, as_json: bool) -> Run:
    watch = Watch(verbose)
    choices = {
        "reader": choose("readers", settings.reader.backend, settings.reader.url),
        "voice": choose("voices", settings.voice.backend),
    }
    reader: Reader = load("readers", choices["reader"])(settings.reader)
    voice: Voice = load("voices", choices["voice"])(settings.voice)
    gpu = turns_of(profile, choices, settings, watch)
    for kind, choice in choices.items():
        watch.say(f"{kind}: {choice.name} ({choice.why})", detail=True)
    with folder.opened() as work:
        if work.cut_off:
            watch.say(f"The last run was cut off ({work.cut_off.told}); going on where it stopped.")
        if work.adopt and not work.entries:
            watch.say(
                f"The journal of {work.root} is lost: its files are taken for what would be made of this book now."
            )
        _log_to(work.path(LOG))
        log.info("comic-narrator %s: %s -> %s", __version__, job.book, work.root)
        run = Run(work, watch, settings, reader, voice, choices, gpu=gpu)
        with closing(reader):
            narrate(job, run)
    for shortfall in run.shortfalls:
        watch.say(f"fell short: {shortfall}", detail=True)
    watch.say(run.report().told())
    if folder.adopted:
        watch.say(
            f"Taken as they are, for the journal was lost: {folder.adopted} files. From here on all is known again."
        )
    if run.shortfalls and not verbose:
        watch.say(f"{len(run.shortfalls)} things fell short: {folder.path(REPORT)} lists them.")
    if as_json:
        result(run.report().to_json().rstrip())
    else:
        result(str(run.film or folder.root))
    if run.broken:
        raise ItemsFailedError(
            f"{len(run.broken)} pages cannot be read and were left out; the rest is made.",
            f"{folder.path(REPORT)} names them: replace them and run the same command again.",
        )
    return run


class _LogFile(logging.FileHandler):
    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging calls it so
        """Say nothing of a log that a full disk does not take: whatever is being made says it, in two sentences."""


def _log_to(path: Path) -> None:
    """Everything, tracebacks included, goes to the work folder's log."""
    handler = _LogFile(path, encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"))
    log.setLevel(logging.DEBUG)
    log.addHandler(handler)
