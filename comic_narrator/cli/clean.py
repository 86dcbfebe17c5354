"""The command that gives disk back."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from comic_narrator.cli.app import AsJson, app
from comic_narrator.console import Watch, print_table, result
from comic_narrator.errors import InputError, InTheWayError, UsageError
from comic_narrator.steps.economy import clean, work_folders
from comic_narrator.work import Work

UNITS = {"": 1, "K": 1_000, "M": 1_000_000, "G": 1_000_000_000, "T": 1_000_000_000_000}


@app.command("clean")
def clean_up(
    place: Annotated[Path, typer.Argument(help="A work folder, or a folder of films.", show_default=False)],
    most: Annotated[
        str | None,
        typer.Option("--to", metavar="SIZE", help="Most that each work folder may keep: 500M, 2G.", show_default="all"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Take away what films do not need any more; with --to also scenes and sound, which a run makes again."""
    bound = None if most is None else parse_size(most)
    folders = work_folders(place) if place.is_dir() else []
    if not folders:
        raise InputError(
            f"There is no work folder at {place}.", "Give a folder named OUTPUT.work, or one that holds some."
        )
    cleaned = {}
    for folder in folders:
        try:
            with Work(folder).opened() as work:
                cleaned[folder] = clean(work, bound)
        except InTheWayError as error:
            # One book that is being made does not keep the others from being cleaned.
            if len(folders) == 1:
                raise
            Watch().say(f"left as it is: {error.what}")
    if as_json:
        result(json.dumps({str(folder): vars(done) for folder, done in cleaned.items()}, indent=1))
        return
    rows = [(str(f), str(d.files), told_size(d.freed), told_size(d.left)) for f, d in cleaned.items()]
    print_table(("work folder", "files gone", "freed", "left"), rows)


def parse_size(text: str) -> int:
    """Bytes of a size as people write it: 500M, 2G, 1.5GB; UsageError for what is none."""
    size = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)B?\s*", text, re.IGNORECASE)
    if size is None:
        raise UsageError(f"{text} is no size.", "Write it as 500M or 2G.")
    return int(float(size[1]) * UNITS[size[2].upper()])


def told_size(size: int) -> str:
    """A size for people: 12.3 MB."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"
