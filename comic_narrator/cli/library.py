"""The command over a library: which options go to each book, how many are made at once, and what is said at the end."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import closing, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import typer

from comic_narrator.cli.tenants import state
from comic_narrator.cli.turns import between_passes, hand_over, say_next
from comic_narrator.console import Watch, result
from comic_narrator.errors import ItemsFailedError, UsageError
from comic_narrator.gpu.profiles import load_profile
from comic_narrator.library import Engine, LibraryRun, Local, holds_books, make_films
from comic_narrator.pace import in_words

NOT_A_BOOKS = ("output", "jobs", "only", "newest", "watching", "engine", "ray_address", "until", "vision_only")
"""Options that are the library's, or told to each book another way."""

ORDER = ("pages", "panels", "reading", "script", "speech", "film")

ONE_BOOKS = {"work": "--work", "from_page_json": "--from-page-json", "from_script_json": "--from-script-json"}


@dataclass(frozen=True)
class Wishes:
    """How a library is to be made: books at once, which of them, whether to stay and watch, and on which machines."""

    jobs: int
    only: Sequence[str]
    newest: int | None
    watching: bool
    engine: str
    ray_address: str | None


def is_library(book: Path, output: Path | None) -> bool:
    """Whether the films of a folder of books are asked for: -o names a folder; UsageError where it should and does not.

    A folder of pictures is a book unless its film is to go into a folder.
    """
    if not book.is_dir():
        return False
    if output is not None and output.suffix.lower() != ".mp4" and (output.is_dir() or not output.suffix):
        return True
    if holds_books(book):
        raise UsageError(f"{book} is a folder of books.", "Give a folder for their films with -o, as in -o films/.")
    return False


def film_library(context: typer.Context, library: Path, out: Path, stage: str, wishes: Wishes, watch: Watch) -> None:
    """Make the films of all books below `library`; ItemsFailedError names those that could not be made."""
    for name, option in ONE_BOOKS.items():
        if context.params[name] is not None:
            raise UsageError(f"{option} is for one book.", "Leave it out, or name one book.")
    engine = _engine(wishes)
    profile = _profile(context.params["profile"])
    share = load_profile(profile).gpu.share if profile else "none"
    stages = _stages(stage, share, engine.halts)
    run = LibraryRun(library, out, _passed_on(context), stages, engine, watch, wishes.only, wishes.newest)
    if profile and share == "two-pass" and wishes.engine == "local":
        run.between = partial(hand_over, profile, watch)
    try:
        # Ray prints what it hears of its machines, and stdout is for results.
        with redirect_stdout(sys.stderr), closing(engine):
            make_films(run, watching=wishes.watching)
    finally:
        _tell(run, as_json=bool(context.params["as_json"]))
        if context.params["vision_only"]:
            say_next(watch, between_passes(profile) if profile else ())
    if run.failed:
        names = ", ".join(f"{one.book} (exit {one.exit})" for one in run.failed)
        raise ItemsFailedError(
            f"{len(run.failed)} of {len(run.made) + len(run.failed)} books are not made, or not wholly: {names}.",
            "Run the same command again to retry just those; what stopped each is said above.",
        )


def _passed_on(context: typer.Context) -> list[str]:
    """The options that each book gets, as they were given; those of the environment reach it by themselves."""
    given: list[str] = []
    for parameter in context.command.params:
        name = parameter.name or ""
        option = next((o for o in parameter.opts if o.startswith("-")), None)
        source = context.get_parameter_source(name)
        if option is None or name in (*NOT_A_BOOKS, "as_json", "events") or not source or source.name != "COMMANDLINE":
            continue
        value = context.params[name]
        if isinstance(value, bool):
            given += [option]
        elif isinstance(value, list):
            given += [part for one in value for part in (option, str(one))]
        elif name == "verbose":
            given += [option] * value
        else:
            given += [option, str(value)]
    return given


def _profile(named: str | None) -> str | None:
    """The profile that the books' runs go by: the one that was named, else the one whose tenants are up."""
    tenancy = state().tenancy()
    if named is None:
        return tenancy.profile if tenancy else None
    # Whoever goes on with the second pass may stand in another folder.
    return str(Path(named).absolute()) if named.endswith(".toml") else named


def _stages(stage: str, share: str, halts: Sequence[str]) -> tuple[str, ...]:
    """How far all books go before any goes on: where tenants take turns on the GPU, all are read before one speaks."""
    wanted = {*halts, *(("script",) if share in ("nap", "two-pass") else ()), stage}
    return tuple(one for one in ORDER[: ORDER.index(stage) + 1] if one in wanted)


def _engine(wishes: Wishes) -> Engine:
    if wishes.engine == "ray":
        # Ray is an extra, and takes a while to import.
        from comic_narrator.library.cluster import Cluster

        return Cluster(wishes.jobs, wishes.ray_address)
    if wishes.ray_address:
        raise UsageError("--ray-address is for --engine ray.", "Give both, or neither.")
    return Local(wishes.jobs)


def _tell(run: LibraryRun, *, as_json: bool) -> None:
    if as_json:
        told = {
            "made": [one.model_dump() for one in run.made],
            "failed": [one.model_dump() for one in run.failed],
            "skipped": run.skipped,
        }
        result(json.dumps(told, indent=1, ensure_ascii=False))
        return
    for name, why in run.skipped.items():
        run.watch.say(f"skipped: {name}: {why}", detail=why.startswith("made already"))
    for one in run.failed:
        run.watch.say(f"exit {one.exit}: {one.book}: {one.said}")
    spent = in_words(sum(one.seconds for one in (*run.made, *run.failed)))
    run.watch.say(f"{len(run.made)} films made, {len(run.skipped)} skipped, {len(run.failed)} failed; {spent} of work.")
    for one in run.made:
        result(str(run.out / one.film))
