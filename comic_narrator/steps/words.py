"""Steps from readings to the script: who is who, cast, script."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from comic_narrator import script as script_stage
from comic_narrator.errors import BackendAnswerError, DoesNotFitError, InputError, UsageError
from comic_narrator.model import Book, Cast, PageReading, People, Script, parse_artefact
from comic_narrator.readers import figures_of, one_person_a_label
from comic_narrator.script import Pins, Style, Wordbook, parse_pins, parse_wordbook, with_names
from comic_narrator.settings import VoiceSettings
from comic_narrator.steps.names import reading_of
from comic_narrator.steps.run import Job, Run, read_given
from comic_narrator.work import digest_of

PEOPLE = "people.json"
CAST = "cast.json"
SCRIPT = "script.json"


def who_is_who(book: Book, readings: Mapping[str, PageReading], job: Job, run: Run) -> People:
    """Tell which labels of the pages mean the same person: people.json."""
    inputs = {**run.work.files(*map(reading_of, readings)), "reader": run.reader_identity}
    images = {page.id: run.work.path(page.image) for page in book.pages}

    def build() -> People:
        figures = [figure for page, reading in readings.items() for figure in figures_of(reading, images[page])]
        with run.reading(book.language, job.until):
            try:
                return People(people=run.gpu.ask("vision", partial(run.reader.who_is_who, figures)))
            except (BackendAnswerError, DoesNotFitError) as error:
                return People(people=one_person_a_label(figures), remarks=(f"each label is one person: {error.what}",))

    with run.stage("people", 1) as step:
        told = run.work.artefact(People, job.shelf(PEOPLE), inputs, build)
        step()
    run.shortfalls += [f"who is who: {remark}" for remark in told.remarks]
    return told


def cast(book: Book, readings: Mapping[str, PageReading], people: People, job: Job, run: Run) -> Cast:
    """Choose a voice for everybody who speaks: cast.json; who had a voice keeps it, cast.toml has the first word."""
    voices = run.voice.profiles(book.language)
    narrator = run.settings.voice.narrator
    pins = pins_beside(job.book, run.settings.voice)
    inputs = {
        **run.work.files(*map(reading_of, readings), job.shelf(PEOPLE)),
        "voices": digest_of([voice.id for voice in voices]),
        "narrator": narrator,
        "pins": digest_of(pins),
        "method": script_stage.METHOD,
    }

    def build() -> Cast:
        cast_before = next((name for name in (job.shelf(CAST), CAST) if run.work.path(name).is_file()), None)
        before = run.work.read(Cast, cast_before) if cast_before else None
        return script_stage.cast_book(list(readings.values()), people, voices, narrator, pins, before)

    with run.stage("cast", 1) as step:
        chosen = run.work.artefact(Cast, job.shelf(CAST), inputs, build)
        step()
    return chosen


def pins_beside(book: Path, settings: VoiceSettings) -> Pins:
    """What the user's cast.toml says; UsageError where a named one is missing or broken."""
    file = _beside(book, settings.cast, "cast.toml")
    return parse_pins(file.read_text(encoding="utf-8"), file) if file else Pins()


def wordbook_beside(book: Path, settings: VoiceSettings) -> Wordbook:
    """What the user's lexicon.toml says, with the names of cast.toml; UsageError for a missing or broken one."""
    file = _beside(book, settings.lexicon, "lexicon.toml")
    words = parse_wordbook(file.read_text(encoding="utf-8"), file) if file else Wordbook()
    return with_names(words, pins_beside(book, settings))


def _beside(book: Path, setting: str, name: str) -> Path | None:
    if setting != "auto":
        file = Path(setting).expanduser()
        if not file.is_file():
            raise UsageError(f"There is no file {setting}.", f"Check --set voice.{name.removesuffix('.toml')}.")
        return file
    places = [book.absolute() / name] if book.is_dir() else []
    return next((file for file in (*places, book.absolute().parent / name) if file.is_file()), None)


def script(book: Book, readings: Mapping[str, PageReading], people: People, cast: Cast, job: Job, run: Run) -> Script:
    """Write every beat of the book, or take the script that the user gave: script.json."""
    voice = run.settings.voice
    words = wordbook_beside(job.book, voice)
    style = Style(run.settings.film.wordless, voice.speed, words, voice.sound_words)
    inputs = {
        **run.work.files(*map(reading_of, readings), job.shelf(PEOPLE), job.shelf(CAST)),
        "style": digest_of(style),
        "method": script_stage.METHOD,
    }

    def build() -> Script:
        return script_stage.write_script(list(readings.values()), people, cast, book.language, style)

    with run.stage("script", 1) as step:
        if job.script_json is not None:
            data = read_given(job.script_json)
            _check(parse_artefact(Script, data, job.script_json), readings)
            run.work.give(job.shelf(SCRIPT), inputs, data)
        written = run.work.artefact(Script, job.shelf(SCRIPT), inputs, build)
        step()
    _check(written, readings)
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
