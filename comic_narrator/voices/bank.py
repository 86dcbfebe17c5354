"""The bank: the voices that the program brings along, how each is mixed from Kokoro's tables, and what they measure."""

from __future__ import annotations

import hashlib
import os
import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from comic_narrator.errors import UsageError
from comic_narrator.machine import data_folder
from comic_narrator.voices import VoiceProfile

Table = NDArray[np.float32]
"""A voice: row n styles a text of n + 1 phonemes; float32 of shape (rows, 256)."""

BANK = files("comic_narrator.voices") / "bank.toml"
PRINTS = Path(str(files("comic_narrator.voices"))) / "data" / "prints.toml"
TABLES = files("comic_narrator.voices") / "data" / "kokoro_tables.npz"


@cache
def built_in() -> tuple[VoiceProfile, ...]:
    """All profiles of bank.toml with what was measured of them, best narrator first within each language."""
    listed = tomllib.loads(BANK.read_text(encoding="utf-8"))
    prints = tomllib.loads(PRINTS.read_text(encoding="utf-8")) if PRINTS.is_file() else {}
    return TypeAdapter(tuple[VoiceProfile, ...]).validate_python(
        [
            {"licence": listed["licence"], "source": listed["source"], "measured": prints.get(voice["id"]), **voice}
            for voice in listed["voice"]
        ]
    )


def own_folder(setting: str) -> Path:
    """The folder of the user's voices that voice.bank names."""
    return data_folder(os.environ, Path.home()) / "voices" if setting == "auto" else Path(setting).expanduser()


def own(folder: Path) -> tuple[VoiceProfile, ...]:
    """The user's voices in `folder`, by name; none where there is no folder; UsageError for a broken one."""
    return tuple(_own(file) for file in sorted(folder.glob("*.toml"))) if folder.is_dir() else ()


def _own(file: Path) -> VoiceProfile:
    try:
        listed = tomllib.loads(file.read_text(encoding="utf-8"))
        if (reference := listed.pop("reference", None)) is not None:
            wav = file.parent / reference["wav"]
            digest = hashlib.sha256(wav.read_bytes()).hexdigest()
            listed["reference"] = {"wav": wav, "text": reference["text"], "sha256": digest}
        return TypeAdapter(VoiceProfile).validate_python({"engine": "", "timbre": "", "age": "adult", **listed})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValidationError, KeyError, TypeError, OSError) as error:
        raise UsageError(
            f"The voice {file} cannot be used: {' '.join(str(error).split())}.",
            "Mend it, or delete it and add the voice again with `comic-narrator voices add`.",
        ) from error


def profiles(language: str, folder: Path | None = None) -> tuple[VoiceProfile, ...]:
    """The profiles that speak `language` (BCP-47), best narrator first, the user's in `folder` behind the first."""
    spoken, _, _ = language.lower().partition("-")
    ours, theirs = (
        [profile for profile in among if profile.language.lower().partition("-")[0] == spoken]
        for among in (built_in(), own(folder) if folder else ())
    )
    return (*ours[:1], *theirs, *ours[1:])


def recipe(engine: str) -> tuple[tuple[str, float], ...]:
    """The parts of a blend such as "af_bella:0.6+am_adam:0.4" with shares that sum to 1; UsageError if malformed."""
    parts = []
    for part in engine.split("+"):
        name, _, share = part.strip().partition(":")
        parts.append((name.strip(), _share(share, engine)))
    total = sum(share for _, share in parts)
    return tuple((name, share / total) for name, share in parts)


def _share(written: str, engine: str) -> float:
    try:
        share = float(written) if written else 1.0
    except ValueError:
        share = 0.0
    if not 0 < share < 1000:
        raise UsageError(
            f"The voice blend “{engine}” is malformed.",
            "Write it as NAME, or as NAME:SHARE+NAME:SHARE with shares above 0.",
        )
    return share


def blend(engine: str) -> Table:
    """The table that `engine` describes, float32; UsageError if it is malformed or names a table that is not there."""
    parts = recipe(engine)
    for name, _ in parts:
        if name not in tables():
            raise UsageError(f"There is no voice table “{name}”.", f"Choose among {', '.join(sorted(tables()))}.")
    mixed: Table = np.stack([tables()[name] * np.float32(share) for name, share in parts]).sum(axis=0)
    return mixed


@cache
def tables() -> dict[str, Table]:
    """All voice tables by name."""
    with TABLES.open("rb") as packed, np.load(packed, allow_pickle=False) as archive:
        return {name: archive[name].astype(np.float32) for name in archive.files}


@cache
def tables_digest() -> str:
    """Digest of the voice tables, sha256 in hex."""
    return hashlib.sha256(TABLES.read_bytes()).hexdigest()
