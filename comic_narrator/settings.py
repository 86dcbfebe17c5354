"""Settings: defaults < profile < environment < --set < named options, each value with who set it."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

from babel.core import get_global
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from comic_narrator.errors import UsageError

ENV_PREFIX = "COMIC_NARRATOR_"

GPU_TABLES = ("gpu", "tenant")
"""Tables of a profile that are no settings of a run: `gpu/profiles.py` parses them."""


def _whole(value: object) -> object:
    """Text as a number: the environment and --set know only text, and a choice of numbers does not read it."""
    return int(value) if isinstance(value, str) and value.isdecimal() else value


def _listed(value: object) -> object:
    """A list as the environment and --set give it: by commas, "none" for none."""
    if not isinstance(value, str):
        return value
    return [part.strip() for part in value.split(",") if part.strip() and part.strip() != "none"]


def _paths(value: object) -> object:
    """Text as paths, parted as the system parts those of PATH."""
    if not isinstance(value, str):
        return value
    return tuple(part for part in value.split(os.pathsep) if part and part != "none")


def _language_tag(value: str) -> str:
    """A language as BCP-47 writes it: en, ja, en-GB."""
    primary, *rest = value.replace("_", "-").split("-")
    if primary.lower() != "auto" and primary.lower() not in get_global("likely_subtags"):
        raise ValueError("it is no language; write it as en, ja or pt-BR")
    return "-".join([primary.lower(), *rest])


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _language_or_none(value: str) -> str:
    return value if value == "none" else _language_tag(value)


class BookSettings(_Section):
    """How the book is read."""

    layout: Literal["auto", "manga", "western", "webtoon"] = Field(
        "auto", description="auto (by the book's metadata, its language, its pages), manga, western or webtoon."
    )
    language: Annotated[str, AfterValidator(_language_tag)] = Field(
        "auto", description="Language of the lettering (BCP-47: en, ja); auto asks the book, then looks at its pages."
    )
    spreads: Literal["auto", "split", "keep"] = Field(
        "auto", description="Double pages: auto (split unless art crosses the fold), split or keep."
    )
    skip: Literal["none", "covers", "adverts", "both"] = Field(
        "none", description="Pages left out where the book's metadata names them: none, covers, adverts or both."
    )


class LimitSettings(_Section):
    """How much a book may hold before it is taken for an attack."""

    entries: int = Field(20_000, ge=1, description="Files in a book.")
    entry_mb: int = Field(512, ge=1, description="Megabytes that one file of a book may unpack to.")
    total_mb: int = Field(16_384, ge=1, description="Megabytes that all files of a book may unpack to.")
    ratio: int = Field(1_000, ge=1, description="Unpacked bytes for each packed one, in files over a megabyte.")
    megapixels: int = Field(200, ge=1, description="Megapixels of one picture.")


class ReaderSettings(_Section):
    """Who reads the pages."""

    backend: str = Field(
        "auto", description="Reader: auto (vllm where reader.url is set), embedded, vllm, or an installed one's name."
    )
    url: str = Field(
        "",
        description="Address of the server that vllm asks, as http://127.0.0.1:8000; its key: COMIC_NARRATOR_API_KEY.",
    )
    model: str = Field("auto", description="Model that the server is asked for; auto: the first that it serves.")
    in_flight: int = Field(
        0,
        ge=0,
        le=256,
        description="Requests that the server has at once; 0: as many as it seats, if it tells, else 2.",
    )
    context: int = Field(
        0, ge=0, description="Tokens that a request and its answer may have together; 0: as many as the server says."
    )
    balloon_model: str = Field(
        "auto", description="Balloon detector: auto (the one `make balloons` fetched, if any), none, or an ONNX file."
    )
    processes: int = Field(
        0, ge=0, le=64, description="Processes that read pages; 0: one for every two cores, as far as memory reaches."
    )


class VoiceSettings(_Section):
    """Who speaks."""

    backend: str = Field("auto", description="Voice: auto, embedded, fish, openai, or the name of an installed one.")
    url: str = Field(
        "",
        description="Address of the speech server (of fish: port 8080 here); several, parted by commas, speak at once.",
    )
    server: str = Field(
        "plain",
        description="Kind of the openai server: plain, kokoro, openedai, chatterbox, vllm-omni or vllm-omni-clone.",
    )
    model: str = Field(
        "auto", description="Model that the server is asked for; of fish: 1.5 (auto), s1 or s2, as it is started with."
    )
    names: str = Field(
        "", description="Voices of the openai server, as in alloy:female,grandpa:male:old,yuki:female::ja."
    )
    listen: Literal["auto", "off", "on"] = Field(
        "auto", description="Takes are listened to (needs the extra ears): auto (those of servers), off or on (all)."
    )
    ears: str = Field(
        "auto", description="Who listens: auto (Whisper out of packages) or a CTranslate2 Whisper folder."
    )
    bank: str = Field("auto", description="Folder of your own voices; auto: the folder voices in your data folder.")
    cast: str = Field("auto", description="cast.toml with pinned voices; auto: the one beside the book, if any.")
    lexicon: str = Field("auto", description="lexicon.toml with how words are said; auto: the one beside the book.")
    sound_words: bool = Field(False, description="Whether the narrator speaks drawn sound words (--speak-sfx).")
    narrator: str = Field("auto", description="Voice of the narrator, by its id in `comic-narrator voices`.")
    speed: float = Field(1.0, ge=0.5, le=2.0, description="Speaking rate; 1.0 is the voice's own.")
    processes: int = Field(
        0, ge=0, le=64, description="Processes that speak lines; 0: one for every core, as far as memory reaches."
    )


class FilmSettings(_Section):
    """How the film looks."""

    width: int = Field(1920, ge=160, le=7680, multiple_of=2, description="Frame width in pixels, even.")
    height: int = Field(1080, ge=160, le=7680, multiple_of=2, description="Frame height in pixels, even.")
    fps: Annotated[Literal[24, 25, 30, 60], BeforeValidator(_whole)] = Field(
        30, description="Frames a second: 24, 25, 30 or 60."
    )
    crf: int = Field(20, ge=0, le=51, description="x264 quality; lower is better and larger.")
    preset: Literal["ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow"] = Field(
        "veryfast", description="x264 effort: ultrafast to slow."
    )
    encoder: Literal["auto", "x264", "nvenc", "videotoolbox", "qsv"] = Field(
        "x264", description="Encoder: x264, the graphics' own (nvenc, videotoolbox, qsv), or auto (those, then x264)."
    )
    ground: Literal["blur", "page", "black"] = Field(
        "blur",
        description="What lies around a panel: blur (the page, blurred), page (the colour of its edge) or black.",
    )
    transitions: Literal["moving", "cut"] = Field(
        "moving", description="From panel to panel and page to page: moving (slides, pages turned) or cut."
    )
    light: Literal["balloon", "none"] = Field(
        "balloon", description="What is lit while it is spoken: balloon (with its speaker, the rest darker) or none."
    )
    subtitles: Annotated[tuple[Literal["printed", "spoken"], ...], BeforeValidator(_listed)] = Field(
        ("printed",), description="Subtitle tracks, by commas: printed (as lettered), spoken (as said); none for none."
    )
    burn: Literal["none", "printed", "spoken", "translated"] = Field(
        "none", description="Subtitles drawn into the picture: none, printed, spoken, or translated (to that language)."
    )
    speaker_labels: bool = Field(False, description="Whether subtitles name who begins to speak.")
    subtitle_language: Annotated[str, AfterValidator(_language_or_none)] = Field(
        "none", description="Language of further subtitles (BCP-47), translated by the reader's model; none: none."
    )
    establishing: float = Field(2.0, ge=0, le=30, description="Seconds of whole page before its first panel.")
    wordless: float = Field(2.5, ge=0.5, le=30, description="Seconds of a wordless panel of middle size.")


class SoundSettings(_Section):
    """How the film sounds."""

    music: bool = Field(True, description="Whether music is played, by the mood of the story.")
    opening: float = Field(
        10.0,
        ge=0,
        description="Seconds, a quarter of the film at most, that it opens without music if somebody speaks in them.",
    )
    ambience: bool = Field(True, description="Whether the sound of places is played.")
    effects: bool = Field(True, description="Whether drawn and seen sounds are played.")
    folders: Annotated[tuple[str, ...], BeforeValidator(_paths)] = Field(
        (), description="Folders of your own sounds, asked before the program's; several are parted as in PATH."
    )
    freesound: bool = Field(
        False,
        description="Whether Freesound is asked for what no other sound fits; key: COMIC_NARRATOR_FREESOUND_KEY.",
    )
    freesound_url: str = Field("https://freesound.org", description="Address of Freesound, or of what stands for it.")
    loudness: float = Field(
        -16.0, ge=-31, le=-9, description="Integrated loudness of the film, LUFS (EBU R128); video sites like -14."
    )
    stereo: bool = Field(False, description="Whether voices and effects come from where they are drawn.")
    room: bool = Field(True, description="Whether thoughts and voices from off the panel sound as in a room.")
    stems: bool = Field(False, description="Whether speech, music and effects are also left as files of their own.")
    comment: bool = Field(False, description="Whether the credits are written into the film's comment too.")
    private: bool = Field(False, description="Whether sources are used whose licence forbids publishing the film.")


class Settings(_Section):
    """All settings of a run."""

    book: BookSettings = BookSettings()
    limits: LimitSettings = LimitSettings()
    reader: ReaderSettings = ReaderSettings()
    voice: VoiceSettings = VoiceSettings()
    film: FilmSettings = FilmSettings()
    sound: SoundSettings = SoundSettings()


@dataclass(frozen=True)
class Setting:
    """One setting with its value, who set it, and what it means."""

    key: str
    value: object
    origin: str
    description: str


def _sections() -> dict[str, type[BaseModel]]:
    return {
        name: field.annotation
        for name, field in Settings.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
    }


def known_keys() -> dict[str, str]:
    """Every setting as section.key, with its description."""
    return {
        f"{section}.{key}": field.description or ""
        for section, model in _sections().items()
        for key, field in model.model_fields.items()
    }


def profile_names() -> list[str]:
    """Names of the profiles that ship with the program."""
    return sorted(
        f.name.removesuffix(".toml") for f in files("comic_narrator.configs").iterdir() if f.name.endswith(".toml")
    )


def load_settings(
    profile: str | None,
    environment: Mapping[str, str],
    assignments: Iterable[str],
    options: Mapping[str, object],
) -> tuple[Settings, list[Setting]]:
    """Merge all sources into one Settings and the list of values with who set them; UsageError on a wrong key or value.

    `profile` is a shipped name or a TOML file, `assignments` are "section.key=value", `options` maps section.key to the
    value of a named option (None = not given).
    """
    values: dict[str, tuple[object, str]] = {}
    if profile is not None:
        for section, table in read_profile(profile).items():
            if section not in GPU_TABLES:
                values |= {f"{section}.{key}": (value, f"profile {profile}") for key, value in table.items()}
    for name, text in environment.items():
        if name.startswith(ENV_PREFIX) and "__" in name:
            section, _, key = name.removeprefix(ENV_PREFIX).lower().partition("__")
            values[f"{section}.{key}"] = (text, name)
    for assignment in assignments:
        key, equals, text = assignment.partition("=")
        if not equals:
            raise UsageError(
                f"--set {assignment} has no '='.", "Write --set section.key=value, as in --set film.fps=24."
            )
        values[key.strip()] = (text.strip(), "--set")
    values |= {key: (value, "option") for key, value in options.items() if value is not None}
    return _validate(values)


def read_profile(profile: str) -> dict[str, dict[str, object]]:
    """The tables of a shipped profile or of a TOML file, unchecked; UsageError where there is none or it is no TOML."""
    path = Path(profile)
    if path.suffix == ".toml":
        if not path.is_file():
            raise UsageError(f"There is no profile file {profile}.", "Check the path.")
        text = path.read_bytes()
    elif profile in profile_names():
        text = (files("comic_narrator.configs") / f"{profile}.toml").read_bytes()
    else:
        raise UsageError(
            f"There is no profile named {profile}.",
            f"Use one of {', '.join(profile_names())}, or the path of a .toml file.",
        )
    try:
        tables = tomllib.loads(text.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"Profile {profile} is not valid TOML: {error}.", "Mend that line.") from error
    for section, table in tables.items():
        if not isinstance(table, dict):
            raise UsageError(f"Profile {profile} has {section} outside a section.", "Put it under [section].")
    return tables


def _validate(values: Mapping[str, tuple[object, str]]) -> tuple[Settings, list[Setting]]:
    known = known_keys()
    nested: dict[str, dict[str, object]] = {}
    for dotted, (value, origin) in values.items():
        if dotted not in known:
            near = get_close_matches(dotted, known, n=1, cutoff=0.5)
            hint = f"Did you mean {near[0]}?" if near else "`comic-narrator settings` lists them all."
            raise UsageError(f"There is no setting {dotted} (from {origin}).", hint)
        section, _, key = dotted.partition(".")
        nested.setdefault(section, {})[key] = value
    try:
        settings = Settings.model_validate(nested)
    except ValidationError as error:
        first = error.errors()[0]
        # A list's own places come after the setting's name.
        dotted = ".".join(str(part) for part in first["loc"][:2])
        raise UsageError(
            f"Setting {dotted} cannot be {first['input']!r} (from {values[dotted][1]}): {first['msg']}.",
            "`comic-narrator settings` shows what each setting means.",
        ) from error
    merged = settings.model_dump()
    listed = []
    for dotted, description in known.items():
        section, _, key = dotted.partition(".")
        value = merged[section][key]
        shown = (",".join(value) or "none") if isinstance(value, tuple) else value
        listed.append(Setting(dotted, shown, values.get(dotted, ("", "default"))[1], description))
    return settings, listed
