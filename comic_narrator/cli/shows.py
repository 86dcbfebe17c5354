"""Commands that show something: settings, the state of a work folder."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from comic_narrator.cli.app import AsJson, Assignments, Profile, app
from comic_narrator.console import print_table, result
from comic_narrator.errors import InputError
from comic_narrator.report import Report
from comic_narrator.settings import Setting, load_settings
from comic_narrator.steps import REPORT
from comic_narrator.work import JOURNAL, Work, standings


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


REASONS = 3
"""So many reasons of a file are told in a table; --json has them all."""


def _some(reasons: Sequence[str]) -> str:
    more = f", and {len(reasons) - REASONS} more" if len(reasons) > REASONS else ""
    return ", ".join(reasons[:REASONS]) + more


@app.command("status")
def show_status(
    work: Annotated[Path, typer.Argument(help="A work folder.", show_default=False)], as_json: AsJson = False
) -> None:
    """How each file of a work folder stands (fresh, stale, edited, missing, failed) and why; what the last run said."""
    if not (work / JOURNAL).is_file():
        raise InputError(f"{work} is not a work folder.", "Give the folder named OUTPUT.work beside a film.")
    folder = Work(work)
    folder.load()
    files = standings(folder)
    report = folder.read(Report, REPORT) if (work / REPORT).is_file() else None
    if as_json:
        told = report.model_dump(mode="json", by_alias=True) if report else None
        because = {file.name: file.because for file in files if file.because}
        states = {file.name: file.state for file in files}
        result(json.dumps({"files": states, "because": because, "report": told}, indent=1))
        return
    rows = [(file.stage, file.name, file.state, _some(file.because)) for file in files]
    print_table(("stage", "file", "state", "because"), rows)
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
