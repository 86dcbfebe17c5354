"""Steps from the book to what is read on its pages: ingest, panels, reading."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from comic_narrator import ingest as ingest_stage
from comic_narrator import panels as panels_stage
from comic_narrator.errors import InputError
from comic_narrator.ingest import PageSource
from comic_narrator.model import Book, BookPage, PagePanels, PageReading, Panel, parse_artefact
from comic_narrator.pictures import load_rgb
from comic_narrator.readers import PageToRead, number
from comic_narrator.steps.run import Job, Run
from comic_narrator.work import digest_file, digest_of

BOOK = "book.json"
PANEL_METHOD = "panels-1"
"""Raised when find_panels() may answer otherwise for the same page."""

UNSURE = 0.7
"""Lines read with less confidence are named in the report."""


def ingest(job: Job, run: Run) -> Book:
    """Store the book's pages as pictures and say what the book is: book.json."""
    source = ingest_stage.open_book(job.book)
    picked = ingest_stage.pick_pages(source, job.pages)
    wanted = run.settings.book
    inputs = {
        "source": _digest_of_book(job.book),
        "pages": job.pages or "all",
        "layout": wanted.layout,
        "language": wanted.language if wanted.language != "auto" else f"auto by {run.reader.identity}",
    }

    with run.stage("ingest", len(picked)) as step:

        def build() -> Book:
            pages = []
            for page_number, page in picked:
                pages.append(_store(run, page_number, page, inputs["source"]))
                step()
            images = [run.work.path(page.image) for page in pages]
            language = wanted.language if wanted.language != "auto" else run.reader.language(images)
            sizes = [(page.width, page.height) for page in pages]
            direction = ingest_stage.direction_of(wanted.layout, language, sizes)
            return Book(title=source.title, language=language, direction=direction, pages=tuple(pages))

        book = run.work.artefact(Book, BOOK, inputs, build)
        sources = {f"{page_number:04}": page for page_number, page in picked}
        for page in book.pages:
            if not run.work.path(page.image).is_file():
                _store(run, int(page.id), sources[page.id], inputs["source"])
    run.watch.say(f"{book.title}: {len(book.pages)} pages, {book.language}, read {book.direction}.")
    if job.until not in ("panels", "reading"):
        # Now, not after an hour of reading.
        run.voice.check(book.language)
    return book


def _digest_of_book(path: Path) -> str:
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        return digest_of(*((file.relative_to(path).as_posix(), digest_file(file)) for file in files))
    return digest_file(path)


def _store(run: Run, page_number: int, page: PageSource, source: str) -> BookPage:
    picture = page.picture()
    page_id = f"{page_number:04}"
    name = f"pages/{page_id}/page{picture.suffix}"
    inputs = {"source": source, "page": page.name}
    digest = run.work.make(name, inputs, lambda path: path.write_bytes(picture.data))
    return BookPage(
        id=page_id,
        image=name,
        sha256=digest,
        width=picture.width,
        height=picture.height,
        source=page.name,
        source_box=picture.source_box,
    )


def find_panels(book: Book, run: Run) -> dict[str, PagePanels]:
    """Find the panels of every page: pages/NNNN/panels.json."""
    found = {}
    with run.stage("panels", len(book.pages)) as step:
        for page in book.pages:
            inputs = {"image": page.sha256, "direction": book.direction, "method": PANEL_METHOD}
            name = f"pages/{page.id}/panels.json"
            found[page.id] = run.work.artefact(PagePanels, name, inputs, partial(_panels, book, page, run))
            step()
    return found


def _panels(book: Book, page: BookPage, run: Run) -> PagePanels:
    boxes = panels_stage.find_panels(load_rgb(run.work.path(page.image)), book.direction)
    return PagePanels(
        page=page.id,
        width=page.width,
        height=page.height,
        direction=book.direction,
        panels=tuple(Panel(id=f"{page.id}.{i:02}", bbox=box) for i, box in enumerate(boxes, 1)),
    )


def read(book: Book, panels: Mapping[str, PagePanels], job: Job, run: Run) -> dict[str, PageReading]:
    """Read every page, or take what the user gave: pages/NNNN/page.json."""
    given = _given_readings(job, book)
    readings = {}
    with run.stage("reading", len(book.pages)) as step:
        for page in book.pages:
            name = f"pages/{page.id}/page.json"
            if page.id in given:
                run.work.give(name, given[page.id].read_bytes())
                readings[page.id] = _fitting(run.work.read(PageReading, name), page, given[page.id])
            else:
                inputs = {
                    "image": page.sha256,
                    "panels": digest_of(panels[page.id]),
                    "reader": run.reader.identity,
                    "language": book.language,
                }
                build = partial(_read, book, page, panels[page.id], run)
                readings[page.id] = run.work.artefact(PageReading, name, inputs, build)
            step()
    _note_shortfalls(readings, run)
    return readings


def _read(book: Book, page: BookPage, panels: PagePanels, run: Run) -> PageReading:
    boxes = tuple(panel.bbox for panel in panels.panels)
    to_read = PageToRead(run.work.path(page.image), boxes, book.direction, book.language)
    return number(page, panels, run.reader.read(to_read, cast=()), book.language)


def _given_readings(job: Job, book: Book) -> dict[str, Path]:
    """The page.json files the user gave, by page: from --from-page-json, else from beside a given script.json."""
    place = job.page_json
    if place is None and job.script_json is not None and (job.script_json.parent / "pages").is_dir():
        place = job.script_json.parent / "pages"
    if place is None:
        return {}
    files = sorted(place.rglob("page.json")) if place.is_dir() else [place]
    if not files or not files[0].is_file():
        raise InputError(f"There is no page.json at {place}.", "Give one page.json, or a work folder that holds some.")
    known = {page.id for page in book.pages}
    given = {parse_artefact(PageReading, file.read_bytes(), file).page: file for file in files}
    if not known & set(given):
        raise InputError(
            f"{place} is for page {', '.join(sorted(given))}, which is not among the pages of this run.",
            "Check --pages, or the `page` field of the file.",
        )
    return {page: file for page, file in given.items() if page in known}


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
