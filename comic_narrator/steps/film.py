"""Steps from takes to the film: time line, scenes, sound, join."""

from __future__ import annotations

import itertools
import math
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Literal

from pydantic import Field

from comic_narrator import film as film_stage
from comic_narrator import script as script_stage
from comic_narrator.film import About, Encoding, Mark, SceneClip, Take, Track
from comic_narrator.model import (
    SAMPLE_RATE,
    Artefact,
    Book,
    Cast,
    Direction,
    PageReading,
    Scene,
    Script,
    Shot,
    Timing,
    Translation,
)
from comic_narrator.pictures import load_rgb
from comic_narrator.script import to_spoken
from comic_narrator.steps.names import TIMING, reading_of
from comic_narrator.steps.run import Job, Run
from comic_narrator.steps.sound import credits_comment
from comic_narrator.steps.words import SCRIPT
from comic_narrator.work import digest_of


class UnseenLetters(Artefact):
    """scenes/NNNN.letters.json: the letters of a page's burnt subtitles that no font of this machine has."""

    schema_: Literal["comic_narrator.letters/1"] = Field("comic_narrator.letters/1", alias="schema")
    page: str
    letters: str


FORMS: tuple[Literal["srt", "vtt"], ...] = ("srt", "vtt")


def time(
    book: Book, readings: Mapping[str, PageReading], script: Script, takes: Mapping[str, Take], job: Job, run: Run
) -> Timing:
    """Lay all beats on the time line: timing.json."""
    look = run.settings.film
    inputs = {
        **run.work.files(
            *map(reading_of, readings), job.shelf(SCRIPT), *dict.fromkeys(take.file for take in takes.values())
        ),
        "look": digest_of(look.fps, look.width, look.height, look.establishing, look.transitions, look.light),
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
                follows=page is not book.pages[0],
                goes_on=page is not book.pages[-1],
                moving=look.transitions == "moving",
                lit=look.light == "balloon",
            )
            for page in book.pages
        ]
        return Timing(fps=look.fps, sample_rate=SAMPLE_RATE, scenes=tuple(scenes))

    with run.stage("timing", 1) as step:
        timing = run.work.artefact(Timing, job.place(TIMING), inputs, build)
        step()
    return timing


def film_scenes(book: Book, timing: Timing, burnt: Mapping[str, str], job: Job, run: Run) -> list[str]:
    """Film each page whose picture, shots, takes or `burnt` subtitles changed; in order, the names scenes/NNNN.mp4."""
    images = {page.id: page.image for page in book.pages}
    look, names = run.settings.film, []
    encoding = Encoding(look.crf, look.preset, film_stage.choose_encoder(look.encoder))
    seen = digest_of(look.width, look.height, look.fps, encoding, look.ground)
    line = job.place(TIMING)
    scenes, weights = run.work.parts(line, "scenes"), [scene.frames for scene in timing.scenes]
    with run.gpu.filming(encoding.encoder), run.stage("film", len(weights), weights) as step:
        for i, scene in enumerate(timing.scenes):
            names.append(job.place(f"scenes/{scene.page}.mp4"))
            before = timing.scenes[i - 1] if i else None
            after = timing.scenes[i + 1] if i + 1 < len(timing.scenes) else None
            pictures = {"image": images[scene.page]}
            if book.direction == "vertical":
                # The frame shows the end of one page with the beginning of the next as it scrolls on.
                pictures |= {"above": images[before.page]} if before else {}
                pictures |= {"below": images[after.page]} if after else {}
            elif after and scene.leave != "cut":
                pictures["after"] = images[after.page]
            part = f"{line}#scenes/{scene.page}"
            then = after.shots[0] if after and "after" in pictures else None
            inputs = {
                **run.work.files(*pictures.values()),
                part: scenes[part],
                "around": digest_of(pictures, *(film_stage.beginning(then) if then else ()), book.direction),
                "look": seen,
                "method": film_stage.METHOD,
            }
            text = burnt.get(scene.page, "")
            inputs |= {"burnt": digest_of(text)} if text else {}
            files = {role: run.work.path(name) for role, name in pictures.items()}
            note = job.place(f"scenes/{scene.page}.letters.json")
            film = partial(_film, files, scene, then, book.direction, encoding, text, note, run)
            run.work.make(names[-1], inputs, film)
            if run.work.path(note).is_file():
                letters = run.work.read(UnseenLetters, note).letters
                run.shortfalls.append(f"page {scene.page}: no font here has {letters}, which its subtitles need")
            step()
    return names


def _film(
    pictures: Mapping[str, Path],
    scene: Scene,
    then: Shot | None,
    direction: Direction,
    encoding: Encoding,
    burnt: str,
    note: str,
    run: Run,
    out: Path,
) -> None:
    """Film one scene; `then` is the shot that it gives way to, of the page that is the picture after.

    `note` names the file that says which letters of `burnt` no font here has.
    """
    film_stage.get_ready()
    look = run.settings.film
    size = (look.width, look.height)
    # Before the page is there, so that one picture at a time is held.
    after = film_stage.first_frame(load_rgb(pictures["after"]), then, size, look.ground) if then else None
    page = load_rgb(pictures["image"])
    reach = math.ceil(film_stage.frame_height(page.shape[1], look.width / look.height) / 2)
    above, below = (
        film_stage.end_of_strip(load_rgb(pictures[name]), page.shape[1], reach, last=name == "above")
        if name in pictures
        else None
        for name in ("above", "below")
    )
    clip = SceneClip(
        page,
        scene,
        size,
        look.fps,
        look.ground,
        above=above,
        below=below,
        after=after,
        leftwards=direction != "rtl",
    )
    del page, above, below
    unseen = film_stage.encode_scene(clip, scene.frames, encoding, out, burnt)
    # Before the scene has its name: a later run, which does not film it again, has to say so as well.
    if unseen:
        run.work.put(note, UnseenLetters(page=scene.page, letters="".join(unseen)))
    elif run.work.path(note).is_file():
        run.work.remove(note)


def subtitle_words(script: Script, kind: str) -> dict[str, str]:
    """What a subtitle track says of each beat: what is printed, or what is spoken.

    Printed words make room for spoken ones where somebody mended those alone.
    """
    spoken = {beat.id: beat.text or "" for beat in script.beats}
    if kind == "spoken":
        return spoken
    return {
        beat.id: beat.printed
        if beat.printed and (to_spoken(beat.printed, script.language) or "").lower() == spoken[beat.id].lower()
        else spoken[beat.id]
        for beat in script.beats
    }


def translated_words(script: Script, translation: Translation) -> dict[str, str]:
    """What a translated track says of each beat; lines that the translation has not are there as they are printed."""
    return subtitle_words(script, "printed") | {line.beat: line.text for line in translation.lines}


def speakers_of(script: Script, cast: Cast, run: Run) -> dict[str, str] | None:
    """Who speaks each beat, by name, where subtitles are to say so."""
    if not run.settings.film.speaker_labels:
        return None
    names = {person.id: person.name for person in cast.characters}
    return {beat.id: names.get(beat.speaker or "", "") for beat in script.beats}


def _subtitles(
    book: Book, script: Script, cast: Cast, timing: Timing, translation: Translation | None, job: Job, run: Run
) -> list[Track]:
    """The subtitle tracks that are wanted, subtitles.KIND.srt and .vtt, which lie beside the film too.

    A translation is one more, by its language.
    """
    tracks: list[Track] = []
    if not any(scene.clips for scene in timing.scenes):
        return tracks
    look, work = run.settings.film, run.work
    speakers = speakers_of(script, cast, run)
    wanted: list[tuple[str, Callable[[], dict[str, str]], str, str]] = [
        (kind, partial(subtitle_words, script, kind), book.language, kind.capitalize()) for kind in look.subtitles
    ]
    if translation is not None:
        translated = partial(translated_words, script, translation)
        wanted.append((translation.language, translated, translation.language, "Translated"))
    # Not a digest of the words themselves: to tell and to break those of a whole book takes seconds.
    told = digest_of([(beat.id, beat.text, beat.printed) for beat in script.beats], script.language, translation)
    method = f"{film_stage.METHOD}, {script_stage.METHOD}"
    for kind, words, language, title in wanted:
        made = {**work.files(job.place(TIMING)), "words": digest_of(told, kind, language, speakers), "method": method}
        cues = cache(partial(_cues, timing, words, language, speakers))
        for form in FORMS:
            name = job.place(f"subtitles.{kind}.{form}")
            work.make(name, made, partial(_write_cues, cues, form))
            suffix = f".{form}" if kind == next(iter(look.subtitles), None) else f".{kind}.{form}"
            beside = work.name_of(job.film.with_suffix(suffix))
            work.make(beside, work.files(name), partial(shutil.copyfile, work.path(name)), product=True)
        tracks.append(Track(work.path(job.place(f"subtitles.{kind}.srt")), language, title))
    return tracks


def _cues(
    timing: Timing, words: Callable[[], Mapping[str, str]], language: str, speakers: Mapping[str, str] | None
) -> tuple[film_stage.Cue, ...]:
    return film_stage.make_cues(timing, words(), language, speakers)


def _write_cues(cues: Callable[[], tuple[film_stage.Cue, ...]], form: Literal["srt", "vtt"], out: Path) -> None:
    out.write_text(film_stage.write_cues(cues(), form), encoding="utf-8")


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
    book: Book,
    script: Script,
    cast: Cast,
    timing: Timing,
    scenes: list[str],
    sound: str,
    translation: Translation | None,
    job: Job,
    run: Run,
) -> Path:
    """Join scenes, sound and subtitles to the film; what is read along lies beside it too where anybody speaks."""
    work = run.work
    with run.stage("join", 1) as step:
        tracks = _subtitles(book, script, cast, timing, translation, job, run)
        cover = book.pages[0].image
        about = replace(_about(book, timing, run), cover=work.path(cover))
        parts = [*scenes, sound, cover, *(job.place(track.file.name) for track in tracks)]
        inputs = {**work.files(*parts), "about": digest_of(_about(book, timing, run)), "method": film_stage.METHOD}
        pictures = [(work.path(name), scene.frames) for name, scene in zip(scenes, timing.scenes, strict=True)]
        join = partial(film_stage.join_scenes, pictures, work.path(sound), tracks, about, timing.fps)
        work.make(work.name_of(job.film), inputs, join, product=True)
        step()
    run.film, run.film_seconds = job.film, round(timing.frames / timing.fps, 3)
    return job.film
