"""Steps from the pages to what is read on them: panels, reading."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PIL import Image

from comic_narrator import panels as panels_stage
from comic_narrator import show as show_stage
from comic_narrator.backends import Choice
from comic_narrator.errors import (
    BackendAnswerError,
    BrokenPictureError,
    InputError,
    ItemsFailedError,
    NarratorError,
)
from comic_narrator.model import (
    SPOKEN_KINDS,
    Book,
    BookPage,
    PagePanels,
    PageReading,
    PageText,
    Panel,
    Person,
    PrintedWord,
    parse_artefact,
)
from comic_narrator.pictures import load_rgb
from comic_narrator.readers import PageFigure, PageToRead, Reading, figures_of, number, one_person_a_label
from comic_narrator.steps.many import WORTH, Lanes, in_lanes, processes_for, reading_ahead, told
from comic_narrator.steps.names import panels_of, reading_of, text_of
from comic_narrator.steps.run import Job, Run, read_given
from comic_narrator.steps.words import pins_beside


def find_panels(book: Book, run: Run) -> tuple[Book, dict[str, PagePanels]]:
    """Find the panels of every page: pages/NNNN/panels.json; the book goes on without pages that cannot be decoded."""
    found = {}
    with run.stage("panels", len(book.pages)) as step:
        for page in book.pages:
            inputs = {
                **run.work.files(page.image),
                "direction": book.direction,
                "method": panels_stage.METHOD,
            }
            name = panels_of(page.id)
            try:
                found[page.id] = run.work.artefact(PagePanels, name, inputs, partial(_panels, book, page, run))
            except BrokenPictureError as error:
                run.leave_out(name, error.what)
            step()
    if not found:
        raise InputError(f"No page of {book.title} can be read: {run.broken[0]}", "Fetch the book again.")
    return book.model_copy(update={"pages": tuple(page for page in book.pages if page.id in found)}), found


def _panels(book: Book, page: BookPage, run: Run) -> PagePanels:
    found = panels_stage.find_panels(load_rgb(run.work.path(page.image), page.source), book.direction)
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


@dataclass(frozen=True)
class _Task:
    """A page that is to be read: its file in the work folder, what that is made from, and what the reader gets."""

    page: BookPage
    panels: PagePanels
    name: str
    inputs: dict[str, str]
    to_read: PageToRead


def read(book: Book, panels: Mapping[str, PagePanels], job: Job, run: Run) -> dict[str, PageReading]:
    """Read every page, or take what the user gave: pages/NNNN/page.json; ItemsFailedError if some cannot be read."""
    given = _given_readings(job, book)
    tasks = [_task(book, page, panels[page.id], run) for page in book.pages]
    for task in tasks:
        if task.page.id in given:
            run.work.give(task.name, task.inputs, given[task.page.id])
    open_ones = [task for task in tasks if run.work.state(task.name, task.inputs) in ("missing", "stale")]
    closed = [task for task in tasks if run.work.state(task.name, task.inputs) in ("fresh", "edited")]
    known = Known([run.work.read(PageReading, task.name) for task in closed], _of_the_series(job, run))
    readings: dict[str, PageReading] = {}
    failed: list[str] = []
    turn = run.reading(book.language, job.until) if len(closed) < len(tasks) else nullcontext()
    with run.stage("reading", len(tasks)) as step, turn, _readings(open_ones, known, run) as ahead:
        for task in tasks:
            try:
                readings[task.page.id] = _reading(task, ahead, run)
            except BackendAnswerError as error:
                run.work.failed(task.name, error.what)
                failed.append(f"page {task.page.id}: {error.what} {error.hint}")
            step()
    _note_shortfalls(readings, run)
    if failed:
        run.shortfalls += failed
        raise ItemsFailedError(
            f"{len(failed)} of {len(tasks)} pages could not be read: {failed[0]}",
            "Run the same command again to retry just those; report.json names them.",
        )
    return readings


def _task(book: Book, page: BookPage, panels: PagePanels, run: Run) -> _Task:
    image = run.work.path(page.image)
    words = _words(page, run)
    inputs = {
        **run.work.files(page.image, panels_of(page.id), *([text_of(page.id)] if words else ())),
        "reader": run.reader_identity,
        "language": book.language,
    }
    boxes = tuple(panel.bbox for panel in panels.panels)
    to_read = PageToRead(image, boxes, book.direction, book.language, words, page.id)
    return _Task(page, panels, reading_of(page.id), inputs, to_read)


@contextmanager
def _readings(tasks: Sequence[_Task], known: Known, run: Run) -> Iterator[Mapping[str, Callable[[], Reading]]]:
    """How each of these pages' readings is come by, which are to be asked for in order."""
    if not tasks:
        # Nothing is asked of a reader then, whose server may be down.
        yield {}
        return
    if run.reader.lanes > 1:
        with _evidence(tasks, run) as evidence:
            work = [partial(_ask, task, evidence.get(task.page.id), known, run) for task in tasks]
            with in_lanes(run.reader, work) as lanes, _kept(tasks, lanes, run):
                yield {task.page.id: partial(lanes.take, i) for i, task in enumerate(tasks)}
        return
    processes = processes_for(run.reader, run.settings.reader, len(tasks))
    if processes == 1:
        yield {task.page.id: partial(run.reader.read, task.to_read, ()) for task in tasks}
        return
    pages = [task.to_read for task in tasks]
    with reading_ahead(run.choices["reader"], run.settings.reader, pages, processes) as coming:
        yield {task.page.id: partial(told, reading) for task, reading in zip(tasks, coming, strict=True)}


@contextmanager
def _evidence(tasks: Sequence[_Task], run: Run) -> Iterator[Mapping[str, Future[Reading]]]:
    """What the reader starts from, by page, where making it in processes of its own pays; else the reader makes it."""
    if run.reader.starts_from is None or len(tasks) < WORTH:
        yield {}
        return
    choice = Choice(run.reader.starts_from, "what the reader starts from")
    pages = [task.to_read for task in tasks]
    processes = processes_for(run.reader, run.settings.reader, len(tasks))
    with reading_ahead(choice, run.settings.reader, pages, processes) as coming:
        yield {task.page.id: reading for task, reading in zip(tasks, coming, strict=True)}


def _ask(task: _Task, evidence: Future[Reading] | None, known: Known, run: Run) -> Reading:
    to_read = task.to_read if evidence is None else replace(task.to_read, evidence=told(evidence))
    found = run.gpu.ask("vision", partial(run.reader.read, to_read, known.people()))
    known.learn(_numbered(task, found))
    return found


@contextmanager
def _kept(tasks: Sequence[_Task], lanes: Lanes, run: Run) -> Iterator[None]:
    """When the block is left early, what has been read by then is stored, whatever page it was that stopped it."""
    try:
        yield
    except (NarratorError, KeyboardInterrupt):
        for i, reading in lanes.there().items():
            task = tasks[i]
            run.work.artefact(PageReading, task.name, task.inputs, partial(_numbered, task, reading))
        raise


class Known:
    """Who is known from the series and the pages that are read so far; pages may be added from any thread."""

    def __init__(self, readings: Sequence[PageReading], series: Sequence[Person] = ()) -> None:
        self._lock = threading.Lock()
        self._series = series
        self._figures: list[PageFigure] = []
        for reading in readings:
            self.learn(reading)

    def learn(self, reading: PageReading) -> None:
        """Add everybody of a page."""
        figures = figures_of(reading, Path(reading.image))
        with self._lock:
            self._figures += figures

    def people(self) -> tuple[Person, ...]:
        """Everybody, by the labels that pages use, and those of the series that were not seen yet."""
        with self._lock:
            seen = one_person_a_label(self._figures)
        labels = {person.name.casefold() for person in seen}
        return (*seen, *(person for person in self._series if person.name.casefold() not in labels))


def _of_the_series(job: Job, run: Run) -> tuple[Person, ...]:
    """Whom cast.toml names: so they have one label through all volumes that lie beside it."""
    pins = pins_beside(job.book, run.settings.voice)
    return tuple(Person(name=one.name, aliases=one.aliases, looks=one.looks) for one in pins.characters)


def _reading(task: _Task, ahead: Mapping[str, Callable[[], Reading]], run: Run) -> PageReading:
    def build() -> PageReading:
        # A page whose hand edit is thrown away was not read ahead.
        found = ahead[task.page.id]() if task.page.id in ahead else run.reader.read(task.to_read, ())
        return _numbered(task, found)

    reading = run.work.artefact(PageReading, task.name, task.inputs, build)
    return _fitting(reading, task.page, run.work.path(task.name))


def _numbered(task: _Task, found: Reading) -> PageReading:
    return number(task.page, task.panels, found, task.to_read.language)


def show(book: Book, readings: Mapping[str, PageReading], run: Run) -> None:
    """Draw what was found over each page: pages/NNNN/shown.png, for people to look at."""
    with run.stage("showing", len(book.pages)) as step:
        for page in book.pages:
            inputs = {
                **run.work.files(page.image, reading_of(page.id)),
                "method": show_stage.METHOD,
            }
            draw = partial(_show, run.work.path(page.image), readings[page.id])
            run.work.make(f"pages/{page.id}/shown.png", inputs, draw, product=True)
            step()


def _show(image: Path, reading: PageReading, out: Path) -> None:
    show_stage.show_reading(Image.fromarray(load_rgb(image)), reading).save(out, "PNG")


def _words(page: BookPage, run: Run) -> tuple[PrintedWord, ...]:
    """The words of the page's text layer, if the book's file has one."""
    name = text_of(page.id)
    return run.work.read(PageText, name).words if run.work.path(name).is_file() else ()


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
        run.shortfalls += [f"page {page_id}: {remark}" for remark in reading.remarks]
        spoken = [line for line in reading.lines if line.kind in SPOKEN_KINDS]
        if not reading.lines:
            run.shortfalls.append(f"page {page_id}: no lettering was read")
        elif not spoken:
            run.shortfalls.append(f"page {page_id}: lettering was read, but none of it is narrated")
        if any(panel.doubtful for panel in reading.panels):
            run.shortfalls.append(f"page {page_id}: where its panels are is uncertain")
        unsure = [line.id for line in spoken if line.speaker_doubtful]
        if unsure:
            run.shortfalls.append(f"page {page_id}: who speaks is uncertain in {', '.join(unsure)}")
        run.shortfalls += [
            f"line {line.id}: read with confidence {line.confidence:.2f}: {line.text}"
            for line in spoken
            if line.doubtful
        ]
