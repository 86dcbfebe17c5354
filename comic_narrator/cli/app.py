"""The typer application and the options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

app = typer.Typer(
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _commands() -> None:
    """Keeps the application a group of commands when only the one that was asked for is imported."""


Book = Annotated[
    Path,
    typer.Argument(
        help="A PDF, a CBZ, CBR, CB7, CBT or EPUB, a folder of pictures, or one picture.", show_default=False
    ),
]
Layout = Annotated[
    Literal["auto", "manga", "western", "webtoon"] | None,
    typer.Option(help="How the book is read.", show_default="auto"),
]
Language = Annotated[str | None, typer.Option("--lang", help="Language of the lettering: en, ja.", show_default="auto")]
Pages = Annotated[str | None, typer.Option(help="Pages to take: 3-10, 5 or 4-, counted from 1.")]
WorkFolder = Annotated[Path | None, typer.Option("--work", help="Work folder; default: OUTPUT.work.")]
Password = Annotated[
    str | None,
    typer.Option(
        help="Password of an encrypted book; asked for on a terminal.",
        envvar="COMIC_NARRATOR_PASSWORD",
        show_envvar=True,
    ),
]
Spreads = Annotated[
    Literal["auto", "split", "keep"] | None,
    typer.Option(help="What becomes of double pages.", show_default="auto"),
]
Skip = Annotated[
    Literal["none", "covers", "adverts", "both"] | None,
    typer.Option(help="Leave out what the book's metadata calls so.", show_default="none"),
]
Profile = Annotated[str | None, typer.Option(help="Profile: cpu, draft, or the path of a .toml file.")]
Assignments = Annotated[
    list[str], typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Set one setting; repeatable.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Verbose = Annotated[int, typer.Option("-v", "--verbose", count=True, help="Say more.", show_default=False)]
KeepEdits = Annotated[
    bool, typer.Option("--keep-edits", help="Keep files changed by hand though their inputs changed.")
]
Adopt = Annotated[
    bool, typer.Option("--adopt", help="Take files as they are whose journal is lost.", show_default=False)
]
Events = Annotated[
    bool, typer.Option("--events", help="Tell progress as JSON, one event a line, on stderr.", show_default=False)
]
DiscardEdits = Annotated[
    bool, typer.Option("--discard-edits", help="Make files changed by hand anew when their inputs changed.")
]
