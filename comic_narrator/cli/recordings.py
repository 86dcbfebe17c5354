"""The commands about recordings: one becomes a voice of the user's bank, or is compared with the voices there are."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from comic_narrator.backends import choose, load
from comic_narrator.cli.app import AsJson, Assignments, Profile
from comic_narrator.console import Watch, print_table, result
from comic_narrator.settings import Settings, VoiceSettings, load_settings
from comic_narrator.voice_profiles import distance
from comic_narrator.voices import Voice, VoiceProfile
from comic_narrator.voices.bank import built_in, own, own_folder
from comic_narrator.voices.ears import Ears
from comic_narrator.voices.recording import NewVoice, add, heard_in, load_recording, remarks

COPIERS = "--set voice.backend=fish copies recordings, and so does openai with voice.server=vllm-omni-clone"
"""What a recording is spoken with; the embedded voice is none of them."""

UNLICENSED = ("", "unknown", "none")


def add_voice(
    file: Annotated[Path, typer.Argument(help="A recording of one person who speaks.", show_default=False)],
    name: Annotated[str, typer.Option(help="What the voice is called.")],
    licence: Annotated[str, typer.Option(help="Under which terms the voice may be used.")],
    text: Annotated[
        str,
        typer.Option(help="The words of the recording, for engines that copy it; default: heard by the extra ears."),
    ] = "",
    lang: Annotated[str, typer.Option("--lang", help="Language that the voice speaks.")] = "en",
    sex: Annotated[Literal["female", "male"] | None, typer.Option(help="Default: by its pitch.")] = None,
    age: Annotated[Literal["child", "young", "adult", "old"], typer.Option(help="How old it sounds.")] = "adult",
    source: Annotated[str, typer.Option(help="Where the recording is from.")] = "a recording of the user's",
    profile: Profile = None,
    assignments: Assignments = [],  # noqa: B006 - Typer reads the default, nobody changes it
) -> None:
    """Make a voice of the bank from a recording: trimmed, at one loudness, measured; prints its profile's path."""
    settings, _ = load_settings(profile, os.environ, [*assignments, f"book.language={lang}"], {})
    folder = own_folder(settings.voice.bank)
    taken = {p.id for p in (*built_in(), *own(folder))}
    new = NewVoice(name, licence, settings.book.language, text.strip(), sex, age, source)
    # What cannot be a voice is refused before anybody listens to it for its words.
    made = add(file, new, folder, taken)
    watch = Watch()
    if not new.text and (words := _heard(file, new.language, settings.voice)):
        made.unlink()
        made = add(file, replace(new, text=words), folder, taken)
        watch.say(f"Its words, as they are heard: “{words}” Mend them in {made.name} where they are wrong.")
    elif not new.text:
        watch.say(
            f"Its words are not known, and a copy is better with them: write them into {made.name}, or give --text."
        )
    for remark in remarks(file):
        watch.say(f"A copy will sound like the recording: {remark}.")
    watch.say(f"In cast.toml it is voice = “{made.stem}”; {COPIERS}.")
    result(str(made))


def _heard(file: Path, language: str, settings: VoiceSettings) -> str:
    """The words of a recording, where Whisper is installed; else none."""
    ears = Ears(settings.ears)
    if settings.listen == "off" or not ears.installed(language):
        return ""
    return ears.listen(load_recording(file), "", language).text.strip()


def match(
    reference: Annotated[Path, typer.Argument(help="A recording of one person who speaks.", show_default=False)],
    lang: Annotated[str, typer.Option("--lang", help="Language of the voices.")] = "en",
    profile: Profile = None,
    assignments: Assignments = [],  # noqa: B006
    as_json: AsJson = False,
) -> None:
    """Which licensed voices of the bank sound most like a recording, by pitch, swing, brightness and timbre."""
    settings, _ = load_settings(profile, os.environ, assignments, {})
    heard = heard_in(reference)
    among = [*engine_of(settings).profiles(lang), *own_of(settings, lang)]
    listed = {p.id: p for p in among if p.measured and p.licence.strip().lower() not in UNLICENSED}
    ranked = sorted(
        ((distance(heard, p.measured), p) for p in listed.values() if p.measured),
        key=lambda pair: (pair[0], pair[1].id),
    )
    if as_json:
        result(
            json.dumps([{"distance": round(far, 2), **as_table(p)} for far, p in ranked], indent=1, ensure_ascii=False)
        )
        return
    Watch().say(
        f"{reference.name}: {heard.pitch:.0f} Hz, swing {heard.spread} semitones, {heard.brightness:.0f} Hz bright"
    )
    if not ranked:
        Watch().say(f"There is no voice for “{lang}” to compare it with.")
        return
    print_table(
        ("distance", "id", "pitch", "swing", "brightness", "licence"),
        [
            (f"{far:.2f}", p.id, pitch_of(p), f"{p.measured.spread}", f"{p.measured.brightness:.0f} Hz", p.licence)
            for far, p in ranked
            if p.measured
        ],
    )


def own_of(settings: Settings, language: str) -> list[VoiceProfile]:
    """The user's own voices of a language, whichever engine speaks with them."""
    primary = language.lower().partition("-")[0]
    return [p for p in own(own_folder(settings.voice.bank)) if p.language.lower().partition("-")[0] == primary]


def pitch_of(profile: VoiceProfile) -> str:
    """A voice's pitch for a table; nothing where it was not measured."""
    return f"{profile.measured.pitch:.0f} Hz" if profile.measured else ""


def as_table(profile: VoiceProfile) -> dict[str, object]:
    """A voice as the JSON of a command has it."""
    told = dict(vars(profile))
    told["measured"] = vars(profile.measured) if profile.measured else None
    told["reference"] = str(profile.reference.wav) if profile.reference else None
    return told


def engine_of(settings: Settings) -> Voice:
    """The voice that the settings choose."""
    voice: Voice = load("voices", choose("voices", settings.voice.backend))(settings.voice)
    return voice
