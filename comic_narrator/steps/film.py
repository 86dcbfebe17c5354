"""Steps from takes to the film: time line, scenes, sound, join."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from comic_narrator import film as film_stage
from comic_narrator import sound as sound_stage
from comic_narrator.film import Encoding, SceneClip, Take
from comic_narrator.model import SAMPLE_RATE, Book, PageReading, Scene, Script, Timing
from comic_narrator.pictures import load_rgb
from comic_narrator.script import to_spoken
from comic_narrator.steps.run import Job, Run
from comic_narrator.steps.words import load_take
from comic_narrator.voices import Samples
from comic_narrator.work import digest_file, digest_of

TIMING = "timing.json"
SOUND = "sound.wav"
SUBTITLES = "subtitles.srt"
BED_SEED = 1


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


def mix(timing: Timing, run: Run) -> str:
    """Mix the film's sound, speech over the bed: the name of sound.wav."""
    wanted = run.settings.sound
    takes = {clip.file: digest_file(run.work.path(clip.file)) for scene in timing.scenes for clip in scene.clips}
    inputs = {"timing": digest_of(timing), "mix": digest_of(wanted, BED_SEED), "method": sound_stage.METHOD, **takes}

    def build(out: Path) -> None:
        bed = sound_stage.make_bed(BED_SEED) if wanted.bed == "music" else None
        samples = timing.frames * timing.sample_rate // timing.fps
        sound_stage.mix_film(_stems(timing, run), _spoken(timing), samples, bed, out, loudness=wanted.loudness)

    with run.stage("sound", 1) as step:
        run.work.make(SOUND, inputs, build)
        step()
    if wanted.bed == "music":
        run.sounds_heard.append(sound_stage.BED_CREDIT)
    return SOUND


def _stems(timing: Timing, run: Run) -> Iterator[Samples]:
    for scene in timing.scenes:
        clips = [(clip.start, load_take(run.work.path(clip.file)), clip.gain_db) for clip in scene.clips]
        yield sound_stage.speech_stem(clips, scene.frames * timing.sample_rate // timing.fps)


def _spoken(timing: Timing) -> list[tuple[float, float]]:
    spans, frames = [], 0
    for scene in timing.scenes:
        offset = frames / timing.fps
        spans += [(offset + clip.start, offset + clip.end) for clip in scene.clips]
        frames += scene.frames
    return sorted(spans)


def subtitle_words(script: Script) -> dict[str, str]:
    """The subtitle of each beat: what is printed, or the spoken text where somebody mended that alone."""
    return {
        beat.id: beat.printed
        if beat.printed and to_spoken(beat.printed, script.language) == beat.text
        else beat.text or ""
        for beat in script.beats
    }


def finish(book: Book, script: Script, timing: Timing, scenes: list[str], sound: str, job: Job, run: Run) -> Path:
    """Join scenes, sound and subtitles to the film; subtitles.srt is copied beside it where anybody speaks."""
    work = run.work
    parts = [*scenes, sound]
    with run.stage("join", 1) as step:
        if any(scene.clips for scene in timing.scenes):
            parts.append(SUBTITLES)
            made = {"timing": digest_of(timing), "script": digest_of(script)}
            srt = film_stage.make_srt(timing, subtitle_words(script))
            work.make(SUBTITLES, made, lambda path: path.write_text(srt, encoding="utf-8"))
            beside = work.name_of(job.film.with_suffix(".srt"))
            copied = {SUBTITLES: digest_file(work.path(SUBTITLES))}
            work.make(beside, copied, partial(shutil.copyfile, work.path(SUBTITLES)), product=True)
        inputs = {name: digest_file(work.path(name)) for name in parts}
        inputs |= {"language": book.language, "method": film_stage.METHOD}
        pictures = [(work.path(name), scene.frames) for name, scene in zip(scenes, timing.scenes, strict=True)]
        texts = work.path(SUBTITLES) if SUBTITLES in parts else None
        join = partial(film_stage.join_scenes, pictures, work.path(sound), texts, timing.fps, book.language)
        work.make(work.name_of(job.film), inputs, join, product=True)
        step()
    run.film, run.film_seconds = job.film, round(timing.frames / timing.fps, 3)
    return job.film
