"""Steps from takes to the film: time line, scenes, join."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

from comic_narrator import film as film_stage
from comic_narrator.film import About, Encoding, Mark, SceneClip, Take, Track
from comic_narrator.model import SAMPLE_RATE, Book, Cast, PageReading, Scene, Script, Timing
from comic_narrator.pictures import load_rgb
from comic_narrator.script import to_spoken
from comic_narrator.steps.run import Job, Run
from comic_narrator.steps.sound import credits_comment
from comic_narrator.work import digest_file, digest_of

TIMING = "timing.json"
FORMS: tuple[Literal["srt", "vtt"], ...] = ("srt", "vtt")


def time(
    book: Book, readings: Mapping[str, PageReading], script: Script, takes: Mapping[str, Take], run: Run
) -> Timing:
    """Lay all beats on the time line: timing.json."""
    look = run.settings.film
    inputs = {
        "readings": digest_of(*readings.values()),
        "script": digest_of(script),
        "takes": digest_of(*((beat, take.file, take.seconds) for beat, take in takes.items())),
        "look": digest_of(look.fps, look.width, look.height, look.establishing),
        "method": film_stage.METHOD,
    }

    def build() -> Timing:
        scenes = [
            film_stage.time_scene(
                readings[page.id],
                [beat for beat in script.beats if beat.page == page.id],
                takes,
                fps=look.fps,
                shape=look.width / look.height,
                establishing=look.establishing,
            )
            for page in book.pages
        ]
        return Timing(fps=look.fps, sample_rate=SAMPLE_RATE, scenes=tuple(scenes))

    with run.stage("timing", 1) as step:
        timing = run.work.artefact(Timing, TIMING, inputs, build)
        step()
    return timing


def film_scenes(book: Book, timing: Timing, run: Run) -> list[str]:
    """Film each page whose picture, shots or takes changed; the names, in order, of scenes/NNNN.mp4."""
    pages = {page.id: page for page in book.pages}
    look, names = run.settings.film, []
    seen = digest_of(look.width, look.height, look.fps, look.crf, look.preset, look.ground)
    with run.stage("film", len(timing.scenes)) as step:
        for scene in timing.scenes:
            page = pages[scene.page]
            names.append(f"scenes/{scene.page}.mp4")
            image = run.work.path(page.image)
            inputs = {
                "image": digest_file(image),
                "scene": digest_of(scene),
                "look": seen,
                "method": film_stage.METHOD,
            }
            run.work.make(names[-1], inputs, partial(_film, image, scene, run))
            step()
    return names


def _film(image: Path, scene: Scene, run: Run, out: Path) -> None:
    look = run.settings.film
    clip = SceneClip(load_rgb(image), scene, (look.width, look.height), look.fps, look.ground)
    film_stage.encode_scene(clip, scene.frames, Encoding(look.crf, look.preset), out)


def _texts(script: Script, kind: str) -> dict[str, str]:
    """What a subtitle track says of each beat: what is printed, or what is spoken.

    Printed words make room for spoken ones where somebody mended those alone.
    """
    spoken = {beat.id: beat.text or "" for beat in script.beats}
    if kind == "spoken":
        return spoken
    return {
        beat.id: beat.printed
        if beat.printed and to_spoken(beat.printed, script.language) == beat.text
        else spoken[beat.id]
        for beat in script.beats
    }


def _subtitles(book: Book, script: Script, cast: Cast, timing: Timing, job: Job, run: Run) -> list[Track]:
    """The subtitle tracks that are wanted: subtitles.KIND.srt and .vtt, and the first of them beside the film too."""
    tracks: list[Track] = []
    if not any(scene.clips for scene in timing.scenes):
        return tracks
    look, work = run.settings.film, run.work
    names = {person.id: person.name for person in cast.characters} if look.speaker_labels else None
    speakers = names and {beat.id: names.get(beat.speaker or "", "") for beat in script.beats}
    for kind in look.subtitles:
        words = _texts(script, kind)
        made = {"timing": digest_of(timing), "words": digest_of(words, speakers), "method": film_stage.METHOD}
        cues = film_stage.make_cues(timing, words, book.language, speakers)
        for form in FORMS:
            name = f"subtitles.{kind}.{form}"
            text = film_stage.write_cues(cues, form)
            work.make(name, made, partial(Path.write_text, data=text, encoding="utf-8"))
            suffix = f".{form}" if not tracks else f".{kind}.{form}"
            beside = work.name_of(job.film.with_suffix(suffix))
            work.make(
                beside, {name: digest_file(work.path(name))}, partial(shutil.copyfile, work.path(name)), product=True
            )
        tracks.append(Track(work.path(f"subtitles.{kind}.srt"), book.language, kind.capitalize()))
    return tracks


def _about(book: Book, timing: Timing, run: Run) -> About:
    """What the film says of itself: the book's chapters, or its pages where it names none."""
    firsts = dict(zip((scene.page for scene in timing.scenes), _first_frames(timing), strict=True))
    named = [Mark(chapter.title, firsts[chapter.page]) for chapter in book.chapters if chapter.page in firsts]
    pages = [Mark(f"Page {int(page)}", frame) for page, frame in firsts.items()]
    # Players show nothing before the first chapter as part of none.
    if named and named[0].frame > 0:
        named = [Mark(book.title, 0), *named]
    comment = credits_comment(run) if run.settings.sound.comment else None
    return About(book.title, book.language, book.series, book.number, tuple(named or pages), comment=comment)


def _first_frames(timing: Timing) -> list[int]:
    return [0, *itertools.accumulate(scene.frames for scene in timing.scenes)][: len(timing.scenes)]


def finish(
    book: Book, script: Script, cast: Cast, timing: Timing, scenes: list[str], sound: str, job: Job, run: Run
) -> Path:
    """Join scenes, sound and subtitles to the film; what is read along lies beside it too where anybody speaks."""
    work = run.work
    with run.stage("join", 1) as step:
        tracks = _subtitles(book, script, cast, timing, job, run)
        cover = book.pages[0].image
        about = replace(_about(book, timing, run), cover=work.path(cover))
        parts = [*scenes, sound, cover, *(track.file.name for track in tracks)]
        inputs = {name: digest_file(work.path(name)) for name in parts}
        inputs |= {"about": digest_of(_about(book, timing, run)), "method": film_stage.METHOD}
        pictures = [(work.path(name), scene.frames) for name, scene in zip(scenes, timing.scenes, strict=True)]
        join = partial(film_stage.join_scenes, pictures, work.path(sound), tracks, about, timing.fps)
        work.make(work.name_of(job.film), inputs, join, product=True)
        step()
    run.film, run.film_seconds = job.film, round(timing.frames / timing.fps, 3)
    return job.film
