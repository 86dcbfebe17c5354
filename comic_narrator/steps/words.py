"""Steps from readings to takes: cast, script, speech."""

from __future__ import annotations

from collections.abc import Mapping

from comic_narrator import script as script_stage
from comic_narrator.errors import InputError
from comic_narrator.model import Book, Cast, PageReading, People, Script, parse_artefact
from comic_narrator.readers import figures_of
from comic_narrator.steps.run import Job, Run, read_given
from comic_narrator.work import digest_of

PEOPLE = "people.json"
CAST = "cast.json"
SCRIPT = "script.json"


def who_is_who(book: Book, readings: Mapping[str, PageReading], run: Run) -> People:
    """Tell which labels of the pages mean the same person: people.json."""
    inputs = {"readings": digest_of(*readings.values()), "reader": run.reader.identity}
    images = {page.id: run.work.path(page.image) for page in book.pages}

    def build() -> People:
        figures = [figure for page, reading in readings.items() for figure in figures_of(reading, images[page])]
        return People(people=run.reader.who_is_who(figures))

    with run.stage("people", 1) as step:
        told = run.work.artefact(People, PEOPLE, inputs, build)
        step()
    return told


def cast(book: Book, readings: Mapping[str, PageReading], people: People, run: Run) -> Cast:
    """Choose a voice for everybody who speaks: cast.json."""
    voices = [profile.id for profile in run.voice.profiles(book.language)]
    narrator = run.settings.voice.narrator
    inputs = {
        "readings": digest_of(*readings.values()),
        "people": digest_of(people),
        "voices": digest_of(voices),
        "narrator": narrator,
        "method": script_stage.METHOD,
    }
    with run.stage("cast", 1) as step:
        chosen = run.work.artefact(
            Cast, CAST, inputs, lambda: script_stage.cast_book(list(readings.values()), people, voices, narrator)
        )
        step()
    return chosen


def script(book: Book, readings: Mapping[str, PageReading], people: People, cast: Cast, job: Job, run: Run) -> Script:
    """Write every beat of the book, or take the script that the user gave: script.json."""
    wordless, speed = run.settings.film.wordless, run.settings.voice.speed
    inputs = {
        "readings": digest_of(*readings.values()),
        "people": digest_of(people),
        "cast": digest_of(cast),
        "pacing": digest_of(wordless, speed),
        "method": script_stage.METHOD,
    }

    def build() -> Script:
        pages = list(readings.values())
        return script_stage.write_script(pages, people, cast, book.language, wordless=wordless, speed=speed)

    with run.stage("script", 1) as step:
        if job.script_json is not None:
            data = read_given(job.script_json)
            _check(parse_artefact(Script, data, job.script_json), readings)
            run.work.give(SCRIPT, inputs, data)
        written = run.work.artefact(Script, SCRIPT, inputs, build)
        step()
    _check(written, readings)
    run.shortfalls += [
        f"beat {beat.id}: {beat.kind} is not played yet"
        for beat in written.beats
        if beat.kind not in ("speech", "pause")
    ]
    told = {beat.page for beat in written.beats}
    run.shortfalls += [f"page {page}: script.json has no beat for it" for page in readings if page not in told]
    return written


def _check(script: Script, readings: Mapping[str, PageReading]) -> None:
    panels = {panel.id for reading in readings.values() for panel in reading.panels}
    for beat in script.beats:
        if beat.panel not in panels:
            raise InputError(
                f"Beat {beat.id} of the script is for panel {beat.panel}, which this book does not have.",
                "Give the script of this very book and page range.",
            )
