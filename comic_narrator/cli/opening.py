"""Opening the user's book: with what settings, where it may be unpacked, within what limits, and with what password."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import typer

from comic_narrator.ingest import Limits, Opening, PasswordNeededError, Source, Spool, open_book
from comic_narrator.settings import Settings, load_settings

TRIES = 3
"""How often a password is asked for."""


def settings_for_book(
    profile: str | None,
    assignments: Sequence[str],
    layout: str | None,
    language: str | None,
    spreads: str | None,
    skip: str | None,
    named: Mapping[str, str | None] | None = None,
) -> Settings:
    """The settings of a command that takes a book, with the options that say how that is read, and others by key."""
    options = {"book.layout": layout, "book.language": language, "book.spreads": spreads, "book.skip": skip}
    return load_settings(profile, os.environ, assignments, {**options, **(named or {})})[0]


def open_with_password(book: Path, spool: Spool, settings: Settings, password: str | None) -> Source:
    """The opened book; on a terminal a missing or wrong password is asked for, else PasswordNeededError is raised."""
    limits = Limits(**settings.limits.model_dump())
    asked = 0
    while True:
        try:
            return open_book(book, Opening(spool, password, limits))
        except PasswordNeededError as error:
            if asked == TRIES or not (sys.stdin.isatty() and sys.stderr.isatty()):
                raise
            asked += 1
            password = typer.prompt(f"{error.what} Password", hide_input=True, err=True)
