"""The doctor: looks at this machine, at what a profile would do on it, and at a book, without making anything."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from comic_narrator.backends import Group, choose, load
from comic_narrator.cli.app import AsJson, Assignments, Language, Layout, Password, Profile, Skip, Spreads, app
from comic_narrator.cli.clean import told_size
from comic_narrator.cli.opening import open_with_password, settings_for_book
from comic_narrator.console import Watch, print_table, result
from comic_narrator.doctor.book import BookReport, examine, needs_of
from comic_narrator.doctor.machine import Finding, MachineReport, examine_machine
from comic_narrator.errors import BackendDownError, DoesNotFitError, MissingToolError, UsageError
from comic_narrator.gpu.cards import read_cards
from comic_narrator.gpu.fit import profile_for
from comic_narrator.gpu.profiles import load_profile
from comic_narrator.ingest import Spool, pages_of, plan
from comic_narrator.ingest.source import is_page_name
from comic_narrator.machine import cores
from comic_narrator.settings import ReaderSettings, Settings, VoiceSettings
from comic_narrator.steps import wishes_of
from comic_narrator.steps.economy import shares, work_folders


@app.command("doctor")
def doctor(
    book: Annotated[
        Path | None,
        typer.Argument(
            help="A book, to see what it needs, or a folder of films, to see their share.", show_default=False
        ),
    ] = None,
    layout: Layout = None,
    lang: Language = None,
    spreads: Spreads = None,
    skip: Skip = None,
    password: Password = None,
    profile: Profile = None,
    assignments: Assignments = [],  # noqa: B006 - Typer reads the default, nobody changes it
    as_json: AsJson = False,
) -> None:
    """Look before anything is made: tools, GPU cards, what a profile would do, what a book holds and what it needs."""
    settings = settings_for_book(profile, assignments, layout, lang, spreads, skip)
    found = read_cards()
    capability = found.cards[0].capability if found.cards else None
    # Without a profile the one that suits the card is looked at; that it does not fit now is then no failure.
    tenants = load_profile(profile or profile_for(found.rooms()), capability)
    films = (
        _shares(book) if book and book.is_dir() and not any(is_page_name(file.name) for file in book.iterdir()) else {}
    )
    told = _look_into(book, settings, password) if book and not films else None
    further = [*_backends(settings), *(_needs(book, told, settings) if book and told else [])]
    machine = examine_machine(found, tenants, further)
    if as_json:
        parts = {
            **(told.model_dump(mode="json") if told else {}),
            **({"work_folders": films} if films else {}),
            "machine": machine.model_dump(mode="json"),
        }
        result(json.dumps(parts, indent=1, ensure_ascii=False))
    else:
        if films:
            _print_shares(films)
        _print_report(book, told, machine)
    _complain(machine, asked=profile is not None)


def _shares(films: Path) -> dict[str, dict[str, int]]:
    """What the work folders below a folder of films hold in bytes, and for what: by name, the largest first."""
    held = {str(folder.relative_to(films)): shares(folder) for folder in work_folders(films) if folder != films}
    return dict(sorted(held.items(), key=lambda item: -sum(item[1].values())))


def _print_shares(films: Mapping[str, Mapping[str, int]]) -> None:
    whole = sum(sum(held.values()) for held in films.values())
    rows = [
        (name, told_size(size), f"{100 * size / max(whole, 1):.0f} %", _mostly(held))
        for name, held in films.items()
        for size in (sum(held.values()),)
    ]
    print_table(("work folder", "holds", "share", "most of it"), [*rows, ("all", told_size(whole), "", "")])
    result("")


def _mostly(held: Mapping[str, int]) -> str:
    return ", ".join(f"{what} {told_size(size)}" for what, size in list(held.items())[:3])


def _print_report(book: Path | None, told: BookReport | None, machine: MachineReport) -> None:
    if book and told:
        print_table(("book", book.name), told.rows())
        result("")
    print_table(("machine", ""), machine.rows())
    if machine.plan:
        result("")
        print_table(("profile", machine.plan.profile), machine.plan_rows())


def _complain(machine: MachineReport, *, asked: bool) -> None:
    """Leave with 9 where something does not fit, with 4 where a tool is missing."""
    if asked and machine.plan and machine.plan.problem:
        raise DoesNotFitError(machine.plan.problem, machine.plan.hint or "Take a profile for a smaller card.")
    # Without a profile that was asked for, a port that another server has is in nobody's way.
    wrong = [f for f in machine.findings if not f.fine and (asked or not f.what.startswith("port "))]
    for finding in sorted(wrong, key=_is_a_tool):
        kind = MissingToolError if _is_a_tool(finding) else DoesNotFitError
        raise kind(f"{finding.what}: {finding.said.rstrip('.')}.", finding.do or "See above.")


def _is_a_tool(finding: Finding) -> bool:
    return finding.what != "disk" and not finding.what.startswith("port ")


def _look_into(book: Path, settings: Settings, password: str | None) -> BookReport:
    with TemporaryDirectory() as place, Spool(Path(place)) as spool:
        source = open_with_password(book, spool, settings, password)
        with Watch().stage("looking", len(source.pages)) as looked:
            wishes = wishes_of(settings.book)
            paging = plan(source, wishes, lambda: looked(True))
        return examine(paging, pages_of(source, paging, paging.direction or "ltr"), wishes.language)


def _backends(settings: Settings) -> list[Finding]:
    """Whether the reader and the voice of these settings are ready; a server that is not up is no fault yet."""
    found = []
    chosen: tuple[tuple[Group, ReaderSettings | VoiceSettings], ...] = (
        ("readers", settings.reader),
        ("voices", settings.voice),
    )
    for group, section in chosen:
        language = settings.book.language if settings.book.language != "auto" else "en"
        try:
            choice = choose(group, section.backend)
            load(group, choice)(section).check(language)
        except BackendDownError as error:
            found.append(Finding(what=group[:-1], fine=True, said=f"{section.backend}: not up yet ({error.what})"))
        except (MissingToolError, UsageError) as error:
            found.append(Finding(what=group[:-1], fine=False, said=error.what, do=error.hint))
        else:
            found.append(Finding(what=group[:-1], fine=True, said=f"{choice.name}: ready"))
    return found


def _needs(book: Path, told: BookReport, settings: Settings) -> list[Finding]:
    """Disk and time for a film of this book beside where it would be made."""
    film = Path.cwd() / f"{book.stem}.mp4"
    size = sum(file.stat().st_size for file in (book.rglob("*") if book.is_dir() else [book]) if file.is_file())
    pixels = settings.film.width * settings.film.height * settings.film.fps
    needs = needs_of(told, size, cores(), pixels)
    free = shutil.disk_usage(film.parent).free
    least, most = (size / 1e9 for size in needs.disk_bytes)
    fits = needs.disk_bytes[1] < free
    said = f"{least:.1f} to {most:.1f} GB of {free / 1e9:.1f} GB free (up to {100 * most * 1e9 / max(free, 1):.0f} %)"
    work = film.with_name(f"{film.name}.work")
    if work.is_dir():
        held = shares(work)
        said += f"; {work.name} holds {told_size(sum(held.values()))} of it ({_mostly(held)})"
    soon, late = needs.minutes
    return [
        Finding(what="disk", fine=fits, said=said, do="Free some space, or film into another folder with -o."),
        Finding(what="time", fine=True, said=f"about {soon:.0f} to {late:.0f} minutes on {needs.cores} cores"),
    ]
