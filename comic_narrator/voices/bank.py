"""The voices that the program brings along, and how each is mixed from Kokoro's voice tables."""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from comic_narrator.errors import UsageError
from comic_narrator.voices import VoiceProfile

Table = NDArray[np.float32]
"""A voice: row n styles a text of n + 1 phonemes; float32 of shape (rows, 256)."""

BANK = files("comic_narrator.voices") / "bank.toml"
TABLES = files("comic_narrator.voices") / "data" / "kokoro_tables.npz"


@cache
def bank() -> tuple[VoiceProfile, ...]:
    """All profiles of bank.toml, best narrator first within each language."""
    listed = tomllib.loads(BANK.read_text(encoding="utf-8"))
    return TypeAdapter(tuple[VoiceProfile, ...]).validate_python(
        [{"licence": listed["licence"], "source": listed["source"], **voice} for voice in listed["voice"]]
    )


def profiles(language: str) -> tuple[VoiceProfile, ...]:
    """The profiles that speak `language` (BCP-47), those of its own region first; empty if none does."""
    spoken, _, _ = language.lower().partition("-")
    return tuple(profile for profile in bank() if profile.language.partition("-")[0] == spoken)


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
def bank_digest() -> str:
    """Digest of the tables and the bank together, sha256 in hex: another blend under the same id is another voice."""
    return hashlib.sha256(TABLES.read_bytes() + BANK.read_bytes()).hexdigest()
