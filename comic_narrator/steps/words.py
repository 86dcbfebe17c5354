"""Steps from readings to takes: cast, script, speech."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import soundfile

from comic_narrator import script as script_stage
from comic_narrator.errors import BackendAnswerError, InputError, ItemsFailedError, UsageError
from comic_narrator.film import Take
from comic_narrator.model import SAMPLE_RATE, Beat, Book, Cast, PageReading, People, Script, parse_artefact
from comic_narrator.readers import figures_of
from comic_narrator.report import Credit
from comic_narrator.steps.many import speaking
from comic_narrator.steps.run import Job, Run, read_given, refuse_unpublishable
from comic_narrator.voices import Delivery, Samples, VoiceProfile
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


@dataclass(frozen=True)
class _Order:
    """A take to make: the name of its file and what is to be said how."""

    name: str
    text: str
    profile: VoiceProfile
    delivery: Delivery
    key: str


def speak(script: Script, run: Run) -> dict[str, Take]:
    """Speak every beat that has words: takes/*.flac, named by voice, words and content; ItemsFailedError if some fail.

    A take that is missing though the journal knows it was thrown away by the user: it is spoken anew, another way.
    """
    profiles = {profile.id: profile for profile in run.voice.profiles(script.language)}
    spoken = [beat for beat in script.beats if beat.kind == "speech"]
    orders = {beat.id: _order(beat, profiles, run) for beat in spoken}
    _credit({order.profile for order in orders.values()}, run)
    # Now, not after an hour of speaking.
    refuse_unpublishable(run.voices_heard, private=run.settings.sound.private)
    takes: dict[str, Take] = {}
    failed: list[str] = []
    with run.stage("speech", len(spoken)) as step, _spoken_ahead(orders.values(), run) as ahead:
        for beat in spoken:
            order = orders[beat.id]
            try:
                run.work.make(order.name, {"speech": order.key}, partial(_record, order, ahead, run))
                takes[beat.id] = Take(order.name, len(load_take(run.work.path(order.name))) / SAMPLE_RATE)
            except BackendAnswerError as error:
                run.work.failed()
                failed.append(f"beat {beat.id}: {error.what} {error.hint}")
            step()
    if failed:
        run.shortfalls += failed
        raise ItemsFailedError(
            f"{len(failed)} of {len(spoken)} lines could not be spoken; the rest is saved.",
            "Run the same command again to retry just those; report.json names them.",
        )
    return takes


def _order(beat: Beat, profiles: Mapping[str, VoiceProfile], run: Run) -> _Order:
    assert beat.text is not None
    assert beat.voice is not None
    if beat.voice not in profiles:
        raise UsageError(
            f"Beat {beat.id} wants the voice {beat.voice}, which is not in the bank.",
            "`comic-narrator voices` lists what there is; name one of those in script.json.",
        )
    delivery = Delivery(beat.speed, beat.tone, beat.emotion, beat.effort, beat.colouring)
    profile = profiles[beat.voice]
    key = digest_of(beat.text, profile.sound, delivery, run.voice.identity)
    slug = re.sub(r"\W+", "-", beat.text.lower()).strip("-")[:40].strip("-")
    name = f"takes/{profile.id}.{slug}.{key[:12]}.flac"
    return _Order(name, beat.text, profile, replace(delivery, attempt=run.work.times_made(name)), key)


@contextmanager
def _spoken_ahead(orders: Iterable[_Order], run: Run) -> Iterator[Mapping[str, Future[Samples]]]:
    """The takes that are missing or stale, by name, spoken meanwhile in as many lanes as the voice has."""
    wanted = {
        order.name: order
        for order in orders
        if run.work.state(order.name, {"speech": order.key}) in ("missing", "stale")
    }
    with speaking(run.choices["voice"], run.settings.voice, run.voice, len(wanted)) as voice:
        pool = ThreadPoolExecutor(voice.lanes)
        try:
            yield {
                name: pool.submit(voice.speak, order.text, order.profile, order.delivery)
                for name, order in wanted.items()
            }
        finally:
            pool.shutdown(cancel_futures=True)


def _record(order: _Order, ahead: Mapping[str, Future[Samples]], run: Run, path: Path) -> None:
    if order.name in ahead:
        samples = ahead[order.name].result()
    else:
        # A take whose hand edit is thrown away was not spoken ahead.
        samples = run.voice.speak(order.text, order.profile, order.delivery)
    if samples.size == 0:
        raise BackendAnswerError(f"the voice said nothing for {order.text!r}.", "Change its text in script.json.")
    soundfile.write(path, samples, SAMPLE_RATE, format="FLAC", subtype="PCM_24")


def load_take(path: Path) -> Samples:
    """A take as it lies in the work folder, mono float32 at 48 kHz; InputError when it is something else."""
    try:
        samples, rate = soundfile.read(path, dtype="float32")
    except soundfile.LibsndfileError as error:
        raise InputError(f"{path} is not a sound file.", "Delete it to have it spoken again.") from error
    if rate != SAMPLE_RATE or samples.ndim != 1 or not len(samples):
        raise InputError(f"{path} is not mono sound at {SAMPLE_RATE} Hz.", "Convert your own take, or delete it.")
    return samples  # type: ignore[no-any-return]


def _credit(profiles: set[VoiceProfile], run: Run) -> None:
    run.voices_heard += [
        Credit(name=profile.id, licence=profile.licence, source=profile.source)
        for profile in sorted(profiles, key=lambda profile: profile.id)
    ]
