"""Steps from the book to what is read on its pages: ingest, panels, reading."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from comic_narrator import ingest as ingest_stage
from comic_narrator import panels as panels_stage
from comic_narrator.errors import InputError, UsageError
from comic_narrator.ingest import PageSource, Source
from comic_narrator.model import Book, BookPage, PagePanels, PageReading, Panel, parse_artefact
from comic_narrator.pictures import load_rgb
from comic_narrator.readers import PageToRead, number
from comic_narrator.steps.run import Job, Run, read_given
from comic_narrator.work import digest_file, digest_of

BOOK = "book.json"

UNSURE = 0.7
"""Lines read with less confidence are named in the report."""


def ingest(job: Job, run: Run) -> Book:
    """Store the book's pages as pictures and say what the book is: book.json."""
    source, wanted = job.source, run.settings.book
    picked = dict(ingest_stage.pick_pages(source, job.pages))
    speaks = job.until not in ("panels", "reading")
    if speaks and wanted.language != "auto":
        _check_voice(run, wanted.language)
    digest = _digest_of_book(job.book, source)
    inputs = {
        "source": digest,
        "pages": job.pages or "all",
        "layout": wanted.layout,
        "language": wanted.language if wanted.language != "auto" else f"auto by {run.reader.identity}",
        "method": ingest_stage.METHOD,
    }

    with run.stage("ingest", len(picked)) as step:

        def build() -> Book:
            pages = []
            for number, page in picked.items():
                pages.append(_store(run, number, page, digest))
                step()
            images = [run.work.path(page.image) for page in pages]
            language = wanted.language if wanted.language != "auto" else run.reader.language(images)
            sizes = [(page.width, page.height) for page in pages]
            direction = ingest_stage.direction_of(wanted.layout, language, sizes)
            return Book(title=_readable(source.title), language=language, direction=direction, pages=tuple(pages))

        book = run.work.artefact(Book, BOOK, inputs, build)
        for page in book.pages:
            if int(page.id) not in picked:
                raise InputError(f"book.json names page {page.id}, which is not in this run.", "Check --pages.")
            if not run.work.path(page.image).is_file():
                _store(run, int(page.id), picked[int(page.id)], digest)
    run.watch.say(
        f"{book.title}: {len(book.pages)} of {len(source.pages)} pages, {book.language}, read {book.direction}."
    )
    if speaks:
        # Now, not after an hour of reading.
        _check_voice(run, book.language)
    return book


def _check_voice(run: Run, language: str) -> None:
    run.voice.check(language)
    narrator, voices = run.settings.voice.narrator, [profile.id for profile in run.voice.profiles(language)]
    if narrator not in ("auto", *voices):
        raise UsageError(f"There is no voice named {narrator}.", f"Use one of {', '.join(voices)}.")


def _digest_of_book(path: Path, source: Source) -> str:
    if path.is_dir():
        return digest_of(*((_readable(page.name), digest_file(page.file)) for page in source.pages if page.file))
    return digest_file(path)


def _readable(name: str) -> str:
    """A file's name as text that can be written: not every file system keeps to UTF-8."""
    return os.fsencode(name).decode("utf-8", errors="replace")


def _store(run: Run, page_number: int, page: PageSource, source: str) -> BookPage:
    picture = page.picture()
    page_id = f"{page_number:04}"
    name = f"pages/{page_id}/page{picture.suffix}"
    inputs = {"source": source, "page": _readable(page.name), "method": ingest_stage.METHOD}
    digest = run.work.make(name, inputs, lambda path: path.write_bytes(picture.data))
    return BookPage(
        id=page_id,
        image=name,
        sha256=digest,
        width=picture.width,
        height=picture.height,
        source=_readable(page.name),
        source_box=picture.source_box,
    )


def find_panels(book: Book, run: Run) -> dict[str, PagePanels]:
    """Find the panels of every page: pages/NNNN/panels.json."""
    found = {}
    with run.stage("panels", len(book.pages)) as step:
        for page in book.pages:
            inputs = {
                "image": digest_file(run.work.path(page.image)),
                "direction": book.direction,
                "method": panels_stage.METHOD,
            }
            name = f"pages/{page.id}/panels.json"
            found[page.id] = run.work.artefact(PagePanels, name, inputs, partial(_panels, book, page, run))
            step()
    return found


def _panels(book: Book, page: BookPage, run: Run) -> PagePanels:
    found = panels_stage.find_panels(load_rgb(run.work.path(page.image)), book.direction)
    return PagePanels(
        page=page.id,
        width=page.width,
        height=page.height,
        direction=book.direction,
        panels=tuple(
            Panel(id=f"{page.id}.{i:02}", bbox=panel.box, confidence=round(panel.confidence, 2))
            for i, panel in enumerate(found, 1)
        ),
    )


def read(book: Book, panels: Mapping[str, PagePanels], job: Job, run: Run) -> dict[str, PageReading]:
    """Read every page, or take what the user gave: pages/NNNN/page.json."""
    given = _given_readings(job, book)
    readings = {}
    with run.stage("reading", len(book.pages)) as step:
        for page in book.pages:
            name = f"pages/{page.id}/page.json"
            inputs = {
                "image": digest_file(run.work.path(page.image)),
                "panels": digest_of(panels[page.id]),
                "reader": run.reader.identity,
                "language": book.language,
            }
            if page.id in given:
                run.work.give(name, inputs, given[page.id])
            build = partial(_read, book, page, panels[page.id], run)
            reading = run.work.artefact(PageReading, name, inputs, build)
            readings[page.id] = _fitting(reading, page, run.work.path(name))
            step()
    _note_shortfalls(readings, run)
    return readings


def _read(book: Book, page: BookPage, panels: PagePanels, run: Run) -> PageReading:
    boxes = tuple(panel.bbox for panel in panels.panels)
    to_read = PageToRead(run.work.path(page.image), boxes, book.direction, book.language)
    return number(page, panels, run.reader.read(to_read, cast=()), book.language)


def _given_readings(job: Job, book: Book) -> dict[str, bytes]:
    """The page.json files the user gave, by page: from --from-page-json, else from beside a given script.json."""
    if job.page_json is not None:
        files = sorted(job.page_json.rglob("page.json")) if job.page_json.is_dir() else [job.page_json]
        if not files or not files[0].is_file():
            raise InputError(
                f"There is no page.json at {job.page_json}.", "Give one page.json, or a work folder that holds some."
            )
    elif job.script_json is not None:
        files = sorted((job.script_json.parent / "pages").glob("*/page.json"))
    else:
        return {}
    pages = {page.id: page for page in book.pages}
    given, others = {}, []
    for file in files:
        data = read_given(file)
        reading = parse_artefact(PageReading, data, file)
        if reading.page in pages:
            _fitting(reading, pages[reading.page], file)
            given[reading.page] = data
        else:
            others.append(reading.page)
    if others and not given:
        raise InputError(
            f"{job.page_json or files[0]} is for page {', '.join(others)}, which is not among the pages of this run.",
            "Check --pages, or the `page` field of the file.",
        )
    return given


def _fitting(reading: PageReading, page: BookPage, file: Path) -> PageReading:
    if (reading.width, reading.height) != (page.width, page.height):
        raise InputError(
            f"{file} was made for a page of {reading.width} x {reading.height} pixels, "
            f"page {page.id} has {page.width} x {page.height}.",
            "Give the page.json of this very picture.",
        )
    return reading


def _note_shortfalls(readings: Mapping[str, PageReading], run: Run) -> None:
    for page_id, reading in readings.items():
        if not reading.lines:
            run.shortfalls.append(f"page {page_id}: no lettering was read")
        run.shortfalls += [
            f"line {line.id}: read with confidence {line.confidence:.2f}: {line.text}"
            for line in reading.lines
            if line.confidence < UNSURE
        ]
