"""What Freesound has for words that no other sound fits: fetched once, kept with its licence in the user's cache."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import mkdtemp

from comic_narrator.errors import BackendAnswerError, BackendDownError, InputError, UsageError
from comic_narrator.machine import cache_folder
from comic_narrator.settings import SoundSettings
from comic_narrator.sound import Found, Freesound, Kind, Sound, decode, read_folder
from comic_narrator.work import digest_of

KEY = "COMIC_NARRATOR_FREESOUND_KEY"
TABLE = "sounds.toml"

Fetched = tuple[tuple[Sound, ...], tuple[str, ...]]
"""The sounds that there are now, and why others are not, in sentences."""


def kept_sounds(environment: Mapping[str, str], home: Path) -> tuple[Sound, ...]:
    """All sounds of Freesound that were fetched so far and can be played."""
    folders = sorted(_cache(environment, home).glob("*/[!.]*"))
    return tuple(sound for folder in folders for sound in _kept(folder) or ())


def fetch_sounds(
    wanted: Iterable[tuple[Kind, str]],
    settings: SoundSettings,
    environment: Mapping[str, str],
    home: Path,
    say: Callable[[str], None],
) -> Fetched:
    """A sound for each of these words where Freesound has one; what it says no to, or it being down, stops nothing.

    Each has a folder of its own in the cache, like one of the user's; an empty one says that nothing was found. What
    is asked for is told to `say`.
    """
    cache = _cache(environment, home)
    places = {(kind, words): cache / kind / _folder_name(words) for kind, words in wanted}
    shelf = {asked: kept for asked, place in places.items() if (kept := _kept(place)) is not None}
    absent = [asked for asked in places if asked not in shelf]
    faults: list[str] = []
    key = environment.get(KEY, "")
    if absent and not key:
        faults.append(f"Freesound was not asked: the environment variable {KEY} holds no key.")
    elif absent:
        say(f"{settings.freesound_url} is asked for: {', '.join(words for _, words in absent)}.")
        try:
            with Freesound(settings.freesound_url, key) as server:
                for kind, words in absent:
                    shelf[kind, words] = _fetch(server, kind, words, places[kind, words], faults)
        except (BackendDownError, UsageError, OSError) as error:
            # Whoever is down, or wants another key, will be so for the next sound too.
            told = error.what if isinstance(error, BackendDownError | UsageError) else f"{cache}: {error.strerror}."
            faults.append(f"Freesound was not asked any further: {told}")
    return tuple(sound for asked in places for sound in shelf.get(asked, ())), tuple(faults)


def _cache(environment: Mapping[str, str], home: Path) -> Path:
    return cache_folder(environment, home) / "freesound"


def _folder_name(words: str) -> str:
    said = " ".join(words.lower().split())
    return f"{re.sub(r'[^a-z0-9]+', '-', said).strip('-')[:40]}.{digest_of(said)[:8]}"


def _kept(folder: Path) -> tuple[Sound, ...] | None:
    """What the cache holds; None where nobody asked yet, or what it holds is damaged."""
    if not folder.is_dir():
        return None
    try:
        return read_folder(folder)
    except InputError:
        return None


def _fetch(server: Freesound, kind: Kind, words: str, place: Path, faults: list[str]) -> tuple[Sound, ...]:
    """The first sound that can be played of those that fit, put into its place in the cache."""
    place.parent.mkdir(parents=True, exist_ok=True)
    half = Path(mkdtemp(prefix=".partial-", dir=place.parent))
    try:
        for found in server.find(words, kind):
            file = half / f"freesound-{found.number}{found.suffix}"
            file.write_bytes(server.fetch(found))
            (half / TABLE).write_text(_table(file.name, kind, words, found), encoding="utf-8")
            try:
                sounds = read_folder(half)
                if not any(layer.numbers.any() for layer in decode(sounds[0])):
                    raise InputError(f"{file.name} is silent.", "Take another.")
            except InputError:
                faults.append(f"Freesound's number {found.number} for {words!r} cannot be played.")
                file.unlink()
                continue
            break
        else:
            if any(half.iterdir()):
                # What was broken today may be mended tomorrow.
                return ()
        shutil.rmtree(place, ignore_errors=True)
        half.replace(place)
        return read_folder(place)
    except BackendAnswerError as error:
        faults.append(f"Freesound has nothing usable for {words!r}: {error.what}")
        return ()
    finally:
        shutil.rmtree(half, ignore_errors=True)


def _table(file: str, kind: Kind, words: str, found: Found) -> str:
    """A sounds.toml of one sound; a JSON string of printable characters is one of TOML."""
    rows = {
        "tags": [" ".join(words.split())],
        "kind": kind,
        "licence": found.licence,
        "source": found.source,
        "attribution": found.attribution,
    }
    lines = (f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in rows.items())
    return "\n".join([f"[{json.dumps(file)}]", *lines, ""])
