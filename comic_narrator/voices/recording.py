"""A recording of the user's made a voice of the bank: trimmed, brought to one loudness, measured."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray

from comic_narrator.errors import InputError, UsageError
from comic_narrator.model import SAMPLE_RATE
from comic_narrator.voice_profiles import Age, VoicePrint
from comic_narrator.voices import Samples
from comic_narrator.voices.checks import sound_faults
from comic_narrator.voices.embedded import finished, trimmed
from comic_narrator.voices.listening import measured

REST = 0.5
"""Seconds of silence at the end of a reference: without them a cloning engine swallows the last word that it says."""

LONGEST = 30.0
SHORTEST = 2.0
"""Seconds of speech that a reference may have, at most and at least."""

TELEPHONE = 16_000
"""Samples a second: a recording with fewer holds nothing of what makes a voice clear."""

WOMAN = 165.0
"""Hz: a voice above this is taken for a woman's where nobody says."""


@dataclass(frozen=True)
class NewVoice:
    """What the user says of a voice; `text` are the words of the recording, for engines that copy it."""

    name: str
    licence: str
    language: str = "en"
    text: str = ""
    sex: Literal["female", "male"] | None = None
    age: Age = "adult"
    source: str = "a recording of the user's"


def load_recording(file: Path) -> Samples:
    """A sound file as 48 kHz mono; InputError when there is none, or it is none."""
    samples, rate = _read(file)
    return np.asarray(soxr.resample(_mono(samples), rate, SAMPLE_RATE, quality="HQ"), np.float32)


def _read(file: Path) -> tuple[NDArray[np.float32], int]:
    if not file.is_file():
        raise InputError(f"There is no file {file}.", "Check the path of the recording.")
    try:
        samples, rate = soundfile.read(file, dtype="float32", always_2d=True)
    except (soundfile.LibsndfileError, OSError) as error:
        raise InputError(f"{file} is no sound file that can be read.", "Give a WAV, FLAC, OGG or MP3 file.") from error
    return samples, rate


def _mono(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """The mean of the channels, or the loudest of them where they cancel each other out."""
    mean, power = samples.mean(axis=1), (samples**2).mean(axis=0)
    return mean if (mean**2).mean() >= 0.2 * power.max(initial=0.0) else samples[:, int(power.argmax())]


def remarks(file: Path) -> tuple[str, ...]:
    """What will be heard in every copy of the voice in a recording: that it is clipped, noisy, or a telephone's."""
    _, rate = _read(file)
    take = finished(trimmed(load_recording(file), SAMPLE_RATE))
    found = [fault.what for fault in sound_faults(take, "") if fault.kind in ("clipping", "noise")]
    return (*found, *([f"it holds nothing above {rate // 2} Hz"] if rate < TELEPHONE else []))


def heard_in(file: Path) -> VoicePrint:
    """What is measured of the voice in a file; InputError where nobody is heard."""
    found = measured(load_recording(file))
    if found is None:
        raise InputError(f"Nobody is heard in {file}.", "Give a recording of one person who speaks for some seconds.")
    return found


def add(file: Path, new: NewVoice, folder: Path, taken: set[str]) -> Path:
    """Put the voice of a recording into the bank in `folder`: ID.wav and ID.toml, whose path is returned.

    `taken` are ids that are given already. InputError for an unusable recording, UsageError for an unusable name.
    """
    id_ = re.sub(r"\W+", "_", new.name.lower()).strip("_")
    if not id_:
        raise UsageError(f"“{new.name}” cannot name a voice.", "Give a --name with letters.")
    if id_ in taken:
        raise UsageError(f"There is a voice {id_} already.", f"Give another --name, or delete {folder / id_}.toml.")
    if not new.licence.strip():
        raise UsageError("A voice needs a licence.", "Say --licence, such as CC0-1.0, or “my own voice”.")
    sound = trimmed(load_recording(file), SAMPLE_RATE)
    if not SHORTEST <= len(sound) / SAMPLE_RATE <= LONGEST:
        raise InputError(
            f"{file} has {len(sound) / SAMPLE_RATE:.1f} seconds of speech.",
            f"Give {SHORTEST:.0f} to {LONGEST:.0f} seconds of one person who speaks.",
        )
    found = heard_in(file)
    take = np.concatenate([finished(sound), np.zeros(round(REST * SAMPLE_RATE), np.float32)])
    folder.mkdir(parents=True, exist_ok=True)
    soundfile.write(folder / f"{id_}.wav", take, SAMPLE_RATE, subtype="PCM_16")
    profile = folder / f"{id_}.toml"
    profile.write_text(_toml(id_, new, found), encoding="utf-8")
    return profile


def _toml(id_: str, new: NewVoice, found: VoicePrint) -> str:
    sex = new.sex or ("female" if found.pitch > WOMAN else "male")
    told = {
        "id": id_,
        "name": new.name,
        "language": new.language,
        "sex": sex,
        "age": new.age,
        "timbre": f"{round(found.pitch)} Hz, {'bright' if found.brightness > 450 else 'dark'}",
        "licence": new.licence,
        "source": new.source,
    }
    lines = [f"{key} = {_quoted(value)}" for key, value in told.items()]
    lines.append(f'reference = {{ wav = "{id_}.wav", text = {_quoted(new.text)} }}')
    lines.append(
        f"measured = {{ pitch = {found.pitch}, spread = {found.spread}, brightness = {found.brightness}, "
        f"timbre = {list(found.timbre)} }}"
    )
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    # A JSON string is a TOML string.
    return json.dumps(text, ensure_ascii=False)
