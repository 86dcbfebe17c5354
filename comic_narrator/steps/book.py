"""The step from a container to a book: how its pictures become pages, and the pages themselves."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import takewhile
from pathlib import Path

from comic_narrator import ingest as ingest_stage
from comic_narrator.errors import BrokenPictureError, InputError, UsageError
from comic_narrator.ingest import (
    NumberedPage,
    PagePicture,
    Source,
    Wishes,
    choose_direction,
    pages_of,
    pick_pages,
    plan,
    read_ahead,
)
from comic_narrator.ingest.pages import LEFT_BY_HAND
from comic_narrator.ingest.source import Metadata
from comic_narrator.model import Book, BookPage, Chapter, Direction, PageText, Paging, Script
from comic_narrator.settings import BookSettings
from comic_narrator.steps.names import panels_of, text_of
from comic_narrator.steps.run import Cut, Job, Run
from comic_narrator.steps.speech import judge_for
from comic_narrator.steps.translation import check_translation
from comic_narrator.work import digest_of

BOOK = "book.json"
PAGING = "paging.json"


def ingest(job: Job, run: Run) -> Book:
    """Store the book's pages as pictures and say what the book is: paging.json and book.json."""
    check_translation(run)
    speaks = job.until not in ("pages", "panels", "reading")
    wanted = run.settings.book.language
    if speaks and wanted != "auto":
        _check_voice(job, run, wanted)
    digest = _digest_of_book(job.source, run)
    paging = _paging(job, run, digest)
    book = _book(job, paging, run, digest)
    run.layout = f"{book.direction} ({_why(paging, book)})"
    run.watch.say(f"{book.title}: {len(book.pages)} pages, {book.language}, read {run.layout}.")
    # Now, not after the panels of the whole book; a second pass, whose pages are all read, needs no reader.
    if job.page_json is None and not all(run.work.path(reading_of(page.id)).is_file() for page in book.pages):
        run.check_reader(book.language, job.until)
    if speaks:
        _check_voice(job, run, book.language)
    return book


def _language(images: Sequence[Path], job: Job, run: Run) -> str:
    with run.reading(None, job.until):
        return run.gpu.ask("vision", lambda: run.reader.language(images))


def _check_voice(job: Job, run: Run, language: str) -> None:
    # In the first of two passes the speech server is not up yet.
    if not (run.gpu.two_passes and job.until == "script"):
        run.voice.check(language)
        # Whoever listens to the takes may be missing as well: better said now than after an hour of reading.
        judge_for(run, language)
    narrator, voices = run.settings.voice.narrator, [profile.id for profile in run.voice.profiles(language)]
    if narrator not in ("auto", *voices):
        raise UsageError(f"There is no voice named {narrator}.", f"Use one of {', '.join(voices)}.")


def _digest_of_book(source: Source, run: Run) -> str:
    return digest_of(*((readable(name), run.work.digests.whole(path)) for name, path in source.parts))


def readable(name: str) -> str:
    """A file's name as text that can be written: not every file system keeps to UTF-8."""
    return os.fsencode(name).decode("utf-8", errors="replace")


def reading_of(page_id: str) -> str:
    """The name of a page's reading in the work folder."""
    return f"pages/{page_id}/page.json"


def wishes_of(book: BookSettings) -> Wishes:
    """What the settings say of the paging."""
    return Wishes(book.layout, None if book.language == "auto" else book.language, book.spreads, book.skip)


def _paging(job: Job, run: Run, digest: str) -> Paging:
    wishes = wishes_of(run.settings.book)
    inputs = {"source": digest, "wishes": digest_of(wishes), "method": ingest_stage.METHOD}
    with run.stage("looking", len(job.source.pages)) as step:
        return run.work.artefact(Paging, PAGING, inputs, lambda: plan(job.source, wishes, step))


def _book(job: Job, paging: Paging, run: Run, digest: str) -> Book:
    """The book of the pages that were asked for; those that cannot be read are left out and named."""
    wanted = run.settings.book.language
    fixed = wanted if wanted != "auto" else paging.language
    # Where the language tells the direction, only the order of the halves of double pages is open until then.
    direction = paging.direction or "ltr"
    picked = _of_the_part(pick_pages(pages_of(job.source, paging, direction), job.pages), job)
    inputs = {
        "source": digest,
        **run.work.files(PAGING),
        "pages": f"{job.cut.pages} of {job.pages or 'all'}" if job.cut and job.cut.alone else job.pages or "all",
        "language": fixed or f"auto by {run.reader_identity}",
        "method": ingest_stage.METHOD,
    }
    shown = {page.number: page for page in picked if page.picture}
    with run.stage("ingest", len(shown)) as step:

        def build() -> Book:
            stored = []
            for page, reading in read_ahead(shown.values()):
                stored += _stored(run, page, reading.result, digest)
                step()
            if not stored:
                raise InputError(f"No page of {job.source.name} can be read: {run.broken[0]}", "Fetch the book again.")
            language = fixed or _language([run.work.path(page.image) for page in stored], job, run)
            turned = paging.direction or _by_language(language)[0]
            if turned != direction:
                stored = _reordered(job, paging, run, stored, turned, digest)
            return Book(
                title=readable(paging.title),
                series=paging.series,
                number=paging.number,
                language=language,
                direction=turned,
                chapters=_chapters(pages_of(job.source, paging, turned), stored),
                pages=tuple(stored),
            )

        book = run.work.artefact(Book, job.shelf(BOOK), inputs, build)
    pages = {page.number: page for page in pages_of(job.source, paging, book.direction)}
    for page in book.pages:
        if int(page.id) not in shown:
            raise InputError(f"book.json names page {page.id}, which is not in this run.", "Check --pages.")
        if not run.work.path(page.image).is_file():
            numbered = pages[int(page.id)]
            _stored(run, numbered, numbered.picture, digest)
    _name_left_out(run, picked, book)
    return book


def _stored(run: Run, page: NumberedPage, read: Callable[[], PagePicture] | None, source: str) -> list[BookPage]:
    """The page in the work folder; none when it has no picture, or one that turns out to be broken."""
    if read is None:
        return []
    page_id = f"{page.number:04}"
    try:
        picture = read()
    except BrokenPictureError as error:
        run.leave_out(panels_of(page_id), error.what)
        return []
    name = f"pages/{page_id}/page{picture.suffix}"
    inputs = {
        "source": source,
        "page": readable(page.source),
        "box": str(tuple(picture.source_box)),
        "method": ingest_stage.METHOD,
    }
    digest = run.work.make(name, inputs, lambda path: path.write_bytes(picture.data), digest=picture.sha256)
    _store_words(run, page_id, picture, inputs)
    return [
        BookPage(
            id=page_id,
            image=name,
            sha256=digest,
            width=picture.width,
            height=picture.height,
            source=readable(page.source),
            source_box=picture.source_box,
        )
    ]


def _store_words(run: Run, page_id: str, picture: PagePicture, inputs: dict[str, str]) -> None:
    if picture.words:
        text = PageText(page=page_id, words=picture.words)
        run.work.artefact(PageText, text_of(page_id), inputs, lambda: text)


def _reordered(
    job: Job, paging: Paging, run: Run, stored: Sequence[BookPage], direction: Direction, digest: str
) -> list[BookPage]:
    """The stored pages with the halves of double pages stored again, the other way round."""
    pages = {page.number: page for page in pages_of(job.source, paging, direction)}
    again: list[BookPage] = []
    for page in stored:
        numbered = pages[int(page.id)]
        again += _stored(run, numbered, numbered.picture, digest) if numbered.treat == "split" else [page]
    return again


def cut(book: Book, script: Script, job: Job) -> tuple[Book, Script]:
    """The book and its script, or the part of them that is filmed by itself; UsageError where it has no page."""
    if job.cut is None:
        return book, script
    there = [int(page.id) for page in book.pages]
    numbers = job.cut.numbers(there)
    pages = tuple(page for page in book.pages if int(page.id) in numbers)
    if not pages:
        raise _no_page(job.cut, there)
    beats = tuple(beat for beat in script.beats if int(beat.page) in numbers)
    return book.model_copy(update={"pages": pages}), script.model_copy(update={"beats": beats})


def _of_the_part(picked: Sequence[NumberedPage], job: Job) -> Sequence[NumberedPage]:
    """The pages of a part that is alone, or all that were picked."""
    if job.cut is None or not job.cut.alone:
        return picked
    there = [page.number for page in picked if page.picture]
    numbers = job.cut.numbers(there)
    own = [page for page in picked if page.number in numbers]
    if not any(page.picture for page in own):
        raise _no_page(job.cut, there)
    return own


def _no_page(cut: Cut, there: Sequence[int]) -> UsageError:
    return UsageError(
        f"{cut.option} {cut.pages} names no page of this film.",
        f"Its pages have numbers from {there[0]} to {there[-1]}.",
    )


def _chapters(pages: Sequence[NumberedPage], stored: Sequence[BookPage]) -> tuple[Chapter, ...]:
    """The chapters that begin in the stored pages; the first of these is also in the chapter that began before it."""
    ids = {int(page.id) for page in stored}
    first = min(ids)
    before = [page.chapter for page in takewhile(lambda page: page.number <= first, pages) if page.chapter]
    chapters = [Chapter(title=before[-1], page=f"{first:04}")] if before else []
    for page in pages:
        if page.chapter and page.number > first:
            at = min((number for number in ids if number >= page.number), default=None)
            chapters += [] if at is None else [Chapter(title=page.chapter, page=f"{at:04}")]
    return tuple(chapters)


def _why(paging: Paging, book: Book) -> str:
    return paging.why if paging.direction else _by_language(book.language)[1]


def _by_language(language: str) -> tuple[Direction, str]:
    choice = choose_direction("auto", Metadata(), language, [(1, 1)])
    assert choice
    return choice


def _name_left_out(run: Run, picked: Sequence[NumberedPage], book: Book) -> None:
    """Say which pictures the book goes on without, and why."""
    there = {int(page.id) for page in book.pages}
    for page in picked:
        if page.treat == "broken":
            run.leave_out(panels_of(f"{page.number:04}"), page.why or f"{page.source} is broken.")
        elif page.picture is None:
            why = page.why or LEFT_BY_HAND
            run.shortfalls.append(f"{page.source} is left out: {why}")
            run.watch.say(f"left out: {page.source}: {why}")
        elif page.number not in there and not any(page.source in said for said in run.broken):
            run.leave_out(panels_of(f"{page.number:04}"), f"{page.source} could not be read.")
