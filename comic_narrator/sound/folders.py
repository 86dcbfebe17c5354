"""The user's own sounds: folders with a sounds.toml, or files whose names are their tags."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import soundfile
from pydantic import Field, ValidationError

from comic_narrator.errors import InputError, UsageError
from comic_narrator.model import Part
from comic_narrator.sound.library import Kind, Sound

TABLE = "sounds.toml"
SUFFIXES = frozenset([".wav", ".flac", ".ogg", ".oga", ".opus", ".mp3", ".aif", ".aiff"])
EFFECT_SECONDS = 8.0
"""A file that is no longer, and in no folder that says otherwise, is an effect; a longer one is an ambience."""
NOT_STATED = "not stated"
FOLDERS: dict[str, Kind] = {
    "effect": "effect", "effects": "effect", "sfx": "effect",
    "ambience": "ambience", "ambiences": "ambience", "ambient": "ambience", "music": "music",
}  # fmt: skip


class Described(Part):
    """What sounds.toml says of one file."""

    tags: tuple[str, ...] = ()
    kind: Kind | None = None
    gain_db: float = Field(0.0, ge=-40, le=20)
    licence: str = NOT_STATED
    source: str | None = None
    attribution: str = ""


def read_folder(folder: Path) -> tuple[Sound, ...]:
    """The sounds in a folder and the folders in it; UsageError for one that is not there, InputError for a bad table.

    Without a sounds.toml, each word of a file's name is a tag, and its folder's name (effects, ambience, music) or
    else its length says what it is.
    """
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder} of sounds.", "Check sound.folders.")
    told = _described(folder)
    named = {path: path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*"))}
    files = {path: name for path, name in named.items() if path.suffix.lower() in SUFFIXES and path.is_file()}
    unknown = told.keys() - files.values()
    if unknown:
        raise InputError(f"{folder / TABLE} speaks of {min(unknown)}, which is not there.", "Mend its name.")
    return tuple(_sound(path, name, told.get(name, Described())) for path, name in files.items())


def _described(folder: Path) -> dict[str, Described]:
    table = folder / TABLE
    if not table.is_file():
        return {}
    try:
        rows: dict[str, Any] = tomllib.loads(table.read_text(encoding="utf-8"))
        return {name: Described.model_validate(row) for name, row in rows.items()}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{table} is not valid TOML: {error}.", "Mend that line.") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{table} cannot be used: {where}: {first['msg']}.", "Mend that line.") from error


def _sound(path: Path, name: str, told: Described) -> Sound:
    try:
        seconds = soundfile.info(path).duration
    except soundfile.LibsndfileError as error:
        raise InputError(
            f"{path} is not a sound file that can be played.", "Convert it to FLAC, or remove it."
        ) from error
    words = [word for word in re.split(r"[\W_\d]+", path.stem.lower()) if word]
    kind = told.kind or FOLDERS.get(path.parent.name.lower()) or ("effect" if seconds <= EFFECT_SECONDS else "ambience")
    tags = told.tags or ("-".join(words), *words) if words else told.tags or (path.stem,)
    return Sound(
        name=f"{path.parent.name}/{path.name}",
        kind=kind,
        tags=tags,
        paths=(path,),
        seconds=seconds,
        licence=told.licence,
        source=told.source or path.name,
        attribution=told.attribution,
        gain_db=told.gain_db,
    )
