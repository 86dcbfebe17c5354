"""The command that shows the library of sounds: what there is, how it sounds, whose work it is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

import numpy as np
import soundfile
import typer

from comic_narrator.cli.app import AsJson, Assignments, Profile, app
from comic_narrator.console import Watch, print_table, result
from comic_narrator.errors import FilmError, MissingToolError, UsageError
from comic_narrator.model import SAMPLE_RATE
from comic_narrator.settings import SoundSettings, load_settings
from comic_narrator.sound import KINDS, Sound, decode, find, licence_text, read_folder, shipped
from comic_narrator.steps.freesound import fetch_sounds, kept_sounds

PLAYERS = (
    ("ffplay", "-autoexit", "-nodisp", "-loglevel", "error"),
    ("pw-play",),
    ("paplay",),
    ("aplay", "-q"),
    ("afplay",),
)
"""Programs that play a WAV file on Linux and macOS, the first that is there."""
PLAYED_SECONDS = 20


@app.command("sounds")
def sounds(
    action: Annotated[Literal["list", "play", "credits"], typer.Argument(help="What to do.")],
    name: Annotated[str | None, typer.Argument(help="A sound's name, or words that it is found by.")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="play: write this WAV file instead of playing.")
    ] = None,
    profile: Profile = None,
    assignments: Assignments = [],  # noqa: B006 - Typer reads the default, nobody changes it
    as_json: AsJson = False,
) -> None:
    """The sounds there are, yours (sound.folders) first: list them, play one, or show their licences.

    With sound.freesound those fetched so far come last, and what is to be played and is nowhere is fetched.
    """
    settings, _ = load_settings(profile, os.environ, assignments, {})
    shelves = [*(read_folder(Path(folder)) for folder in settings.sound.folders), shipped()]
    if settings.sound.freesound:
        shelves.append(kept_sounds(os.environ, Path.home()))
    if action == "play":
        if name is None:
            raise UsageError("Nothing is named to be played.", "Give a name out of `comic-narrator sounds list`.")
        fits = _fitting(name, shelves) or _fetched(name, settings.sound)
        _play(_some(fits, name)[0], output)
        return
    there = _some(_fitting(name, shelves), name) if name else [sound for shelf in shelves for sound in shelf]
    if as_json:
        result(json.dumps([_told(sound) for sound in there], indent=1, ensure_ascii=False))
    elif action == "list":
        rows = [(s.name, s.kind, f"{s.seconds:.1f}", " ".join(s.tags), s.licence) for s in there]
        print_table(("name", "kind", "seconds", "tags", "licence"), rows)
    else:
        _show_credits(there)


def _fitting(name: str, shelves: Sequence[Sequence[Sound]]) -> list[Sound]:
    exact = [sound for shelf in shelves for sound in shelf if sound.name == name]
    return exact or [sound for kind in KINDS.values() for sound in find((name,), shelves, kind)]


def _fetched(words: str, settings: SoundSettings) -> list[Sound]:
    """What Freesound has for these words, where it may be asked; why it has nothing is told."""
    if not settings.freesound:
        return []
    say = Watch().say
    sounds, faults = fetch_sounds([("effect", words)], settings, os.environ, Path.home(), say)
    for fault in faults:
        say(fault)
    return list(sounds)


def _some(fits: list[Sound], name: str) -> list[Sound]:
    if not fits:
        raise UsageError(f"There is no sound for {name!r}.", "`comic-narrator sounds list` shows what there is.")
    return fits


def _told(sound: Sound) -> dict[str, object]:
    return {
        "name": sound.name,
        "kind": sound.kind,
        "tags": sound.tags,
        "seconds": sound.seconds,
        "loop": sound.kind != "effect",
        "loudness": sound.loudness,
        "licence": sound.licence,
        "source": sound.source,
        "attribution": sound.attribution,
    }


def _show_credits(there: Sequence[Sound]) -> None:
    for sound in there:
        result(f"{sound.name}: {sound.licence}; {sound.source}; {sound.attribution}")
    for licence in sorted({sound.licence for sound in there}):
        text = licence_text(licence)
        if text:
            result(f"\n---- {licence} ----\n\n{text.strip()}")


def _play(sound: Sound, output: Path | None) -> None:
    """Write the sound to a file, or play it with whatever the system has."""
    count = PLAYED_SECONDS * SAMPLE_RATE
    layers = decode(sound)
    length = min(len(layers[0].numbers), count) if sound.kind == "effect" else count
    wave = np.sum([layer.stretch(0, length) for layer in layers], axis=0)
    wave = wave / max(1.0, float(np.abs(wave).max()))
    if output is not None:
        _write(output, wave)
        result(str(output))
        return
    player = next((command for command in PLAYERS if shutil.which(command[0])), None)
    if player is None:
        raise MissingToolError("No program was found that plays sound.", "Write a file instead: -o sound.wav.")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "sound.wav"
        _write(file, wave)
        subprocess.run([*player, str(file)], check=False)
    result(f"{sound.name}: {sound.licence}; {sound.attribution}")


def _write(file: Path, wave: np.ndarray) -> None:
    try:
        soundfile.write(file, wave, SAMPLE_RATE, format="WAV", subtype="PCM_16")
    except (OSError, soundfile.LibsndfileError) as error:
        raise FilmError(f"{file} cannot be written: {error}.", "Give another place with -o.") from error
