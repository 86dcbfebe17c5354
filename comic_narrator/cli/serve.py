"""The commands that bring the tenants of a profile up and take them down."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from pathlib import Path
from typing import Annotated, Literal

import typer

from comic_narrator.cli.app import AsJson, Verbose, app
from comic_narrator.console import Watch, print_table, result
from comic_narrator.errors import BackendDownError, InputError, UsageError
from comic_narrator.gpu.boot import LogLines
from comic_narrator.gpu.environment import FISH_LICENCE, Place, set_up_fish, set_up_vllm
from comic_narrator.gpu.serve import Landlord, condition, orders
from comic_narrator.gpu.state import State
from comic_narrator.gpu.tenants import serving
from comic_narrator.machine import data_folder, state_folder

serve = typer.Typer(
    no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]}, rich_markup_mode="rich"
)
app.add_typer(serve, name="serve", help="Bring the model servers of a profile up and down.")

Which = Annotated[
    Literal["vision", "speech"] | None, typer.Argument(help="Just this tenant.", show_default="all of them")
]
Named = Annotated[
    str | None, typer.Option("--profile", help="Profile whose tenants are wanted.", show_default="the one for this card")
]


@serve.command("up")
def up(
    tenant: Which = None,
    profile: Named = None,
    wait: Annotated[float, typer.Option(min=0.01, help="Minutes that each tenant may take to answer.")] = 20,
    verbose: Verbose = 0,
) -> None:
    """Start the tenants of a profile, one after another, and wait until each answers; what is up stays up."""
