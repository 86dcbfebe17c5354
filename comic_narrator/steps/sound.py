"""The step from takes and time line to the film's sound: what is played where, the mix, and whose work it is."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from comic_narrator import __version__
from comic_narrator import sound as sound_stage
from comic_narrator.model import Beat, Line, PageReading, Scene, Script, Timing
from comic_narrator.report import Credit
from comic_narrator.sound import KINDS, Choice, Cue, Kind, Said
from comic_narrator.steps.freesound import fetch_sounds
from comic_narrator.steps.names import TIMING
from comic_narrator.steps.run import Job, Run, refuse_unpublishable
from comic_narrator.steps.speech import load_take
from comic_narrator.voices import Samples
from comic_narrator.work import digest_of

SOUND = "sound.wav"
CREDITS = "CREDITS.txt"
AFTER_LINE = 0.08
"""Seconds from the end of a line to a sound that is drawn behind it."""
AT_CUT = 0.04
APART = 0.45
"""Seconds from one sound to the next where no line stands between them."""


def mix(readings: Mapping[str, PageReading], script: Script, timing: Timing, job: Job, run: Run) -> str:
    """Choose the sounds and mix them under the speech: the name of sound.wav; stems and credits beside the film."""
    wanted = run.settings.sound
    choice = _choose(readings, script, timing, run)
    run.sounds_heard += [sound.credit for sound in choice.sounds()]
    run.shortfalls += [f"beat {beat}: no sound fits {text!r}" for beat, text in choice.missing]
    refuse_unpublishable([*run.voices_heard, *run.sounds_heard], private=wanted.private)
    takes = dict.fromkeys(clip.file for scene in timing.scenes for clip in scene.clips)
    inputs = {
        **run.work.files(job.place(TIMING), *takes),
        "sounds": digest_of(*(_placed(placement, run) for placement in choice.placements)),
        "speech": digest_of(*sorted(_sides(readings, run).items())),
        "loudness": str(wanted.loudness),
        "method": sound_stage.METHOD,
    }
    with run.stage("sound", 1) as step:
        run.work.make(job.place(SOUND), inputs, partial(_mix, readings, timing, choice, run))
        if wanted.stems:
            _store_stems(readings, timing, choice, inputs, job, run)
        step()
    _store_credits(choice, job, run)
    return job.place(SOUND)


def credits_comment(run: Run) -> str:
    """The credits on one line, for the film's comment."""
    return " | ".join(f"{c.name}: {c.attribution or c.source} ({c.licence})" for c in _heard(run))


def _choose(readings: Mapping[str, PageReading], script: Script, timing: Timing, run: Run) -> Choice:
    wanted = run.settings.sound
    shelves = [*(sound_stage.read_folder(Path(folder)) for folder in wanted.folders), sound_stage.shipped()]
    kinds = {"sound": wanted.effects, "ambience": wanted.ambience, "music": wanted.music}
    cues = [cue for cue in _cues(readings, script, timing) if kinds[cue.kind]]
    places = _sides(readings, run)
    sided = [_with_place(cue, places) if wanted.stereo else cue for cue in cues]
    seconds = timing.frames / timing.fps
    entry = sound_stage.music_entry(_spoken(timing), seconds, wanted.opening)
    choose = partial(sound_stage.choose, sided, shelves, seconds, floor=wanted.ambience, music_from=entry)
    choice = choose()
    gaps = _gaps(choice, sided) if wanted.freesound else []
    if not gaps:
        return choice
    fetched, faults = fetch_sounds(gaps, wanted, os.environ, Path.home(), run.watch.say)
    run.shortfalls += faults
    return choose(fetched=fetched)


def _gaps(choice: Choice, cues: Sequence[Cue]) -> list[tuple[Kind, str]]:
    """What was asked for in words and is not there. Lettering that no table knows means nothing to Freesound either."""
    asked = {cue.beat: cue for cue in cues}
    told = [(asked[beat], text) for beat, text in choice.missing]
    words = [(KINDS[cue.kind], cue.wanted if cue.kind == "sound" else text) for cue, text in told]
    return list(dict.fromkeys((kind, text) for kind, text in words if text))


def _with_place(cue: Cue, places: Mapping[str, tuple[float, bool]]) -> Cue:
    return Cue(**{**vars(cue), "place": places[cue.beat][0]}) if cue.beat in places else cue


def _cues(readings: Mapping[str, PageReading], script: Script, timing: Timing) -> list[Cue]:
    """What the script asks for, on the film's clock: a sound at its onset, a span until the next of its kind."""
    length = timing.frames / timing.fps
    starts = list(itertools.accumulate((scene.frames for scene in timing.scenes), initial=0))
    cues: list[Cue] = []
    for scene, first in zip(timing.scenes, starts, strict=False):
        beats = [beat for beat in script.beats if beat.page == scene.page]
        onsets = _onsets(readings[scene.page], beats, scene, timing.fps)
        cues += [_cue(beat, first / timing.fps + onsets[beat.id], length) for beat in beats if beat.id in onsets]
    ends = {
        cue.beat: later.start
        for kind in ("ambience", "music")
        for cue, later in itertools.pairwise([cue for cue in cues if cue.kind == kind])
    }
    return [Cue(**{**vars(cue), "end": ends.get(cue.beat, length)}) for cue in cues]


def _cue(beat: Beat, start: float, end: float) -> Cue:
    assert beat.kind in ("sound", "ambience", "music")
    return Cue(beat.id, beat.kind, beat.text, start, end, beat.printed, beat.gain_db)


def _onsets(reading: PageReading, beats: Sequence[Beat], scene: Scene, fps: int) -> dict[str, float]:
    """When each beat that is heard but not spoken begins, in seconds of its scene.

    A span begins with its panel, the page's first panel with the page. A sound begins with its panel's cut, or right
    after the line that it is drawn behind.
    """
    cuts: dict[str, float] = {}
    for shot in scene.shots:
        if shot.panel is not None:
            cuts.setdefault(shot.panel, shot.first_frame / fps)
    ends = {clip.beat: clip.end for clip in scene.clips}
    last = (scene.frames - 1) / fps
    onsets: dict[str, float] = {}
    at = 0.0
    for panel in dict.fromkeys(beat.panel for beat in beats):
        # A panel that a strip scrolls past in one sweep with others comes after the one before it.
        cut = cuts.get(panel, at)
        at = cut + AT_CUT
        for beat in (beat for beat in beats if beat.panel == panel):
            if beat.kind == "speech":
                at = ends.get(beat.id, at) + AFTER_LINE
            elif beat.kind == "sound":
                onsets[beat.id] = min(at, last)
                at += APART
            elif beat.kind != "pause":
                onsets[beat.id] = 0.0 if panel == reading.panels[0].id else cut
    return onsets


def _mix(readings: Mapping[str, PageReading], timing: Timing, choice: Choice, run: Run, out: Path) -> None:
    _mixed(readings, timing, choice, run, out, {})


def _mixed(
    readings: Mapping[str, PageReading],
    timing: Timing,
    choice: Choice,
    run: Run,
    out: Path,
    stems: Mapping[str, Path],
) -> None:
    samples = timing.frames * timing.sample_rate // timing.fps
    speech = _speech(readings, timing, run)
    loudness = run.settings.sound.loudness
    sound_stage.mix_film(speech, _spoken(timing), samples, choice.placements, out, loudness=loudness, stems=stems)


def _store_stems(
    readings: Mapping[str, PageReading], timing: Timing, choice: Choice, inputs: Mapping[str, str], job: Job, run: Run
) -> None:
    """Leave speech, music and effects beside the film, each a WAV as long as it; one mix makes them all."""
    beside = {name: job.film.with_name(f"{job.film.stem}.{name}.wav") for name in sound_stage.STEMS}
    names = {name: run.work.name_of(path) for name, path in beside.items()}
    if all(run.work.state(name, inputs) == "fresh" for name in names.values()):
        return
    folder = run.work.path("stems")
    folder.mkdir(exist_ok=True)
    made = {name: folder / f"{name}.wav" for name in sound_stage.STEMS}
    again = folder / SOUND
    try:
        _mixed(readings, timing, choice, run, again, made)
        for name, path in made.items():
            run.work.make(names[name], inputs, path.replace, product=True)
    finally:
        for path in (again, *made.values()):
            path.unlink(missing_ok=True)
        folder.rmdir()


def _speech(readings: Mapping[str, PageReading], timing: Timing, run: Run) -> Iterator[Samples]:
    places, stereo = _sides(readings, run), run.settings.sound.stereo
    for scene in timing.scenes:
        clips = [
            Said(
                clip.start,
                load_take(run.work.path(clip.file)),
                clip.gain_db,
                *places.get(clip.beat, (0.0, False)),
            )
            for clip in scene.clips
        ]
        samples = scene.frames * timing.sample_rate // timing.fps
        yield sound_stage.speech_stem(clips, samples, stereo=stereo)


def _sides(readings: Mapping[str, PageReading], run: Run) -> dict[str, tuple[float, bool]]:
    """Of each line, from which side it is heard (-1 to 1), and whether as in a room."""
    wanted = run.settings.sound
    told: dict[str, tuple[float, bool]] = {}
    for reading in readings.values():
        for line in reading.lines:
            box = line.balloon or line.bbox
            side = 2 * (box.x + box.w / 2) / reading.width - 1 if box and wanted.stereo else 0.0
            room = wanted.room and (line.kind == "thought" or _is_off_panel(reading, line))
            told[line.id] = (round(min(max(side, -1.0), 1.0), 3), room)
    return told


def _is_off_panel(reading: PageReading, line: Line) -> bool:
    """Whether somebody speaks whom the page shows elsewhere and not in the panel of the line."""
    shown = {figure.panel for figure in reading.figures if figure.label == line.speaker and figure.bbox is not None}
    return line.kind == "dialogue" and bool(shown) and line.panel not in shown


def _spoken(timing: Timing) -> list[tuple[float, float]]:
    spans, frames = [], 0
    for scene in timing.scenes:
        offset = frames / timing.fps
        spans += [(offset + clip.start, offset + clip.end) for clip in scene.clips]
        frames += scene.frames
    return sorted(spans)


def _placed(placement: sound_stage.Placement, run: Run) -> str:
    """What of a placement is heard, as text for a digest."""
    told = {name: value for name, value in vars(placement).items() if name != "sound"}
    content = " ".join(run.work.digests.whole(path) for path in placement.sound.paths)
    return f"{placement.sound.name} {content} {placement.sound.gain_db} {told}"


def _heard(run: Run) -> list[Credit]:
    return [*run.voices_heard, *run.sounds_heard]


def _store_credits(choice: Choice, job: Job, run: Run) -> None:
    """Whose voices and sounds are heard, with the licence texts that came with the program: CREDITS.txt."""
    heard = _heard(run)
    lines = [f"{job.film.name}: whose voices and sounds are heard, made with comic-narrator {__version__}.", ""]
    for title, credits in (("Voices", run.voices_heard), ("Sounds", run.sounds_heard)):
        lines += [title, ""] if credits else []
        for credit in credits:
            lines += [f"- {credit.name}: {credit.licence}", f"  {credit.source}"]
            lines += [f"  {credit.attribution}"] if credit.attribution not in ("", credit.source) else []
        lines.append("")
    for licence in sorted({credit.licence for credit in heard}):
        text = sound_stage.licence_text(licence) if any(s.licence == licence for s in choice.sounds()) else None
        lines += [f"---- {licence} ----", "", text.strip(), ""] if text else []
    data = "\n".join(lines)
    name = run.work.name_of(job.film.with_name(f"{job.film.stem}.{CREDITS}"))
    inputs = {"credits": digest_of(data)}
    run.work.make(name, inputs, lambda path: path.write_text(data, encoding="utf-8"), product=True)
