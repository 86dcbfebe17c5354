"""The commands about voices: which there are, how they sound, adding one, finding one, hearing a book's cast."""

from __future__ import annotations

import json
import os
import re
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal

import soundfile
import typer

from comic_narrator.cli.app import AsJson, Assignments, Profile, app
from comic_narrator.cli.opening import settings_for_book
from comic_narrator.cli.recordings import COPIERS, add_voice, as_table, engine_of, match, own_of, pitch_of
from comic_narrator.console import Watch, print_table, result
from comic_narrator.errors import FilmError, InputError, UsageError
from comic_narrator.model import SAMPLE_RATE, Beat, Cast, Script, parse_artefact
from comic_narrator.script import respelled, to_spoken
from comic_narrator.settings import Settings, load_settings
from comic_narrator.steps import CAST, SCRIPT, wordbook_beside
from comic_narrator.voices import Delivery, Samples, Voice, VoiceProfile
from comic_narrator.voices.bank import built_in, own, own_folder

group = typer.Typer(
    help="The voices there are: list, say, audition, add, match, keep.",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(group, name="voices")

Lang = Annotated[str, typer.Option("--lang", help="Language of the voices.")]
Sex = Annotated[Literal["female", "male"] | None, typer.Option(help="Only voices of this sex.")]
Age = Annotated[Literal["child", "young", "adult", "old"] | None, typer.Option(help="Only voices of this age.")]
Output = Annotated[Path, typer.Option("-o", "--output", help="The sound file: .wav or .flac.")]


@group.callback()
def voices(
    context: typer.Context,
    lang: Lang = "en",
    sex: Sex = None,
    age: Age = None,
    profile: Profile = None,
    assignments: Assignments = [],  # noqa: B006 - Typer reads the default, nobody changes it
    as_json: AsJson = False,
) -> None:
    """The voices there are for a language, the best narrator first."""
    if context.invoked_subcommand is None:
        _show(lang, sex, age, None, profile, assignments, as_json)


@group.command("list")
def list_voices(
    having: Annotated[str | None, typer.Argument(help="Only voices with this in what is told of them.")] = None,
    lang: Lang = "en",
    sex: Sex = None,
    age: Age = None,
    profile: Profile = None,
    assignments: Assignments = [],  # noqa: B006
    as_json: AsJson = False,
) -> None:
    """The voices there are for a language, the best narrator first, or those of them that are asked for."""
    _show(lang, sex, age, having, profile, assignments, as_json)


def _show(
    lang: str,
    sex: str | None,
    age: str | None,
    having: str | None,
    profile: str | None,
    assignments: list[str],
    as_json: bool,
) -> None:
    settings, _ = load_settings(profile, os.environ, assignments, {})
    voice = engine_of(settings)
    voice.check(lang)
    spoken = voice.profiles(lang)
    listed = [
        p
        for p in spoken
        if (sex is None or p.sex == sex)
        and (age is None or p.age == age)
        and (having is None or having.lower() in " ".join(map(str, (p.id, p.name, p.timbre, p.colouring))).lower())
    ]
    if as_json:
        result(json.dumps([as_table(p) for p in listed], indent=1, ensure_ascii=False))
        return
    if listed:
        print_table(
            ("id", "name", "language", "sex", "age", "pitch", "timbre", "made into", "licence"),
            [
                (p.id, p.name, p.language, p.sex, p.age, pitch_of(p), p.timbre, p.colouring or "", p.licence)
                for p in listed
            ],
        )  # fmt: skip
    else:
        Watch().say("No voice is like that; `comic-narrator voices list` shows them all.")
    if mute := [p.id for p in own_of(settings, lang) if p.id not in {known.id for known in spoken}]:
        Watch().say(f"Yours, but not with this engine: {', '.join(mute)}; {COPIERS}.")


@group.command("say")
def say(
    voice: Annotated[str, typer.Argument(help="The voice's id.", show_default=False)],
    text: Annotated[str, typer.Argument(help="What it says, as printed.", show_default=False)],
    output: Output,
    colouring: Annotated[
        Literal["boy", "girl", "old_man", "old_woman", "robot", "monster", "whisper", "thought"] | None,
        typer.Option(help="What is done to the voice."),
    ] = None,
    character: Annotated[
        str | None, typer.Option(help="Who says it: their own words of lexicon.toml hold as well.")
    ] = None,
    speed: Annotated[float, typer.Option(min=0.5, max=2.0, help="Speaking rate; 1.0 is the voice's own.")] = 1.0,
    profile: Profile = None,
    assignments: Assignments = [],  # noqa: B006
) -> None:
    """Have a voice say something, with the words of lexicon.toml said as there."""
    settings, _ = load_settings(profile, os.environ, assignments, {})
    speaker = engine_of(settings)
    chosen = _known(voice, speaker, settings)
    spoken = to_spoken(text, chosen.language)
    _check_kind(output)
    if spoken is None:
        raise UsageError(f"There is nothing to say in “{text}”.", "Give it words.")
    book = wordbook_beside(Path.cwd() / "book", settings.voice)
    words, sounds = respelled(spoken, book.pronounced(spoken, chosen.language, (character,) if character else ()))
    take = speaker.speak(words, chosen, Delivery(speed=speed, colouring=colouring, phonemes=sounds))
    _write(output, take)
    result(str(output))


@group.command("audition")
def audition(
    book: Annotated[Path, typer.Argument(help="A work folder, or the book it was made from, as far as its script.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="A .wav for all, or a folder for one file each; default: WORK/audition.wav."
        ),
    ] = None,
    profile: Profile = None,
    assignments: Assignments = [],  # noqa: B006
) -> None:
    """Hear a book's cast: everybody says their first line with the voice that they were given."""
    settings = settings_for_book(profile, assignments, None, None, None, None)
    work = _work_of(book)
    cast = parse_artefact(Cast, (work / CAST).read_bytes(), work / CAST)
    script = parse_artefact(Script, (work / SCRIPT).read_bytes(), work / SCRIPT)
    speaker = engine_of(settings)
    known = {p.id: p for p in speaker.profiles(script.language)}
    out = output or work / "audition.wav"
    if out.suffix and not out.is_dir():
        _check_kind(out)
    takes: list[tuple[str, Samples]] = []
    watch = Watch()
    for character in (cast.narrator, *cast.characters):
        first = next((beat for beat in script.beats if beat.kind == "speech" and beat.speaker == character.id), None)
        if first is None:
            continue
        if character.voice not in known:
            watch.say(f"{character.name}: left out, this engine has no voice {character.voice}")
            continue
        takes.append((character.name, _said(first, known[character.voice], speaker)))
        watch.say(f"{character.name}: {character.voice} ({character.why}): {first.text}")
    _write_all(out, takes)
    result(str(out))


def _said(beat: Beat, profile: VoiceProfile, speaker: Voice) -> Samples:
    words, sounds = respelled(beat.text or "", beat.pronounced)
    delivery = Delivery(beat.speed, beat.tone, beat.emotion, beat.effort, beat.colouring, sounds)
    return speaker.speak(words, profile, delivery)


def _work_of(book: Path) -> Path:
    for work in (book, Path(f"{book.stem}.mp4.work"), book.with_name(f"{book.stem}.mp4.work")):
        if (work / CAST).is_file() and (work / SCRIPT).is_file():
            return work
    if not book.exists():
        raise InputError(f"There is no {book}.", "Give a book, or the work folder of one.")
    raise InputError(
        f"There is no cast of {book} yet.",
        f"Run `comic-narrator {book} --until script` first, or give the work folder.",
    )


group.command("add")(add_voice)
group.command("match")(match)


@group.command("keep")
def keep(
    book: Annotated[Path, typer.Argument(help="A work folder, or the book it was made from.", show_default=False)],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The series' cast.toml; those that it has already stay as they are.")
    ] = Path("cast.toml"),
) -> None:
    """Write the voices of a book's cast into cast.toml, so that the next volumes of the series have them too."""
    from comic_narrator.script import parse_pins

    work = _work_of(book)
    cast = parse_artefact(Cast, (work / CAST).read_bytes(), work / CAST)
    written = output.read_text(encoding="utf-8") if output.is_file() else ""
    pins = parse_pins(written, output)
    lines = [] if pins.narrator or written else [f'narrator = "{cast.narrator.voice}"']
    for character in cast.characters:
        if pins.of((character.name, *character.aliases)) is None:
            aliases = (
                f"aliases = {json.dumps(list(character.aliases), ensure_ascii=False)}\n" if character.aliases else ""
            )
            name = json.dumps(character.name, ensure_ascii=False)
            lines.append(f'\n[[character]]\nname = {name}\n{aliases}voice = "{character.voice}"')
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(written + "\n".join(lines) + ("\n" if lines else ""), encoding="utf-8")
    result(str(output))


def _known(id_: str, speaker: Voice, settings: Settings) -> VoiceProfile:
    mine = own(own_folder(settings.voice.bank))
    languages = ("en", "ja", *sorted({p.language for p in (*built_in(), *mine)}))
    known = {profile.id: profile for language in languages for profile in speaker.profiles(language)}
    if id_ in known:
        return known[id_]
    if id_ in {p.id for p in mine}:
        raise UsageError(f"{id_} is a recording, and this engine copies none.", f"{COPIERS}.")
    near = get_close_matches(id_, known, n=3)
    raise UsageError(
        f"There is no voice {id_}.",
        (f"Did you mean {' or '.join(near)}? " if near else "")
        + "`comic-narrator voices list` shows what there is, --lang ja the Japanese.",
    )


def _check_kind(out: Path) -> None:
    if out.suffix.lower() not in (".wav", ".flac"):
        raise UsageError(f"{out.name} names no kind of sound file.", "End it with .wav or .flac.")


def _write(out: Path, take: Samples) -> None:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(out, take, SAMPLE_RATE)
    except (OSError, soundfile.LibsndfileError) as error:
        raise FilmError(f"{out} cannot be written.", "Give another place with -o.") from error


def _write_all(out: Path, takes: list[tuple[str, Samples]]) -> None:
    import numpy as np

    if out.suffix and not out.is_dir():
        rest = np.zeros(round(0.7 * SAMPLE_RATE), np.float32)
        _write(out, np.concatenate([part for _, take in takes for part in (take, rest)] or [rest]))
        return
    for i, (name, take) in enumerate(takes):
        plain = re.sub(r"\W+", "-", name).strip("-") or "voice"
        _write(out / f"{i:02}-{plain}.wav", take)
