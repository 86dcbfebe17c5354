"""Builds the sound library in comic_narrator/sound/data: `python -m scripts.build_sound_library [NAME ...]`.

Needs apt-get or what is in build/sounds, npm, and `pip install tinysoundfont==0.3.7`. Sounds are our own synthesis,
or come from the packages that scripts/sounds/recorded.py names by version and digest. Where names are given, only
these sounds are made anew, and the rest of the table stays.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import soundfile

from comic_narrator.sound.loudness import loudest_moment, steady_loudness
from scripts.sounds.ambiences import AMBIENCES
from scripts.sounds.effects import EFFECTS
from scripts.sounds.music import rendered
from scripts.sounds.pieces import PIECES
from scripts.sounds.quiet_light import BRIGHT, DORIAN, LYDIAN, make_bed
from scripts.sounds.recorded import EFFECTS_FONT, MUSIC_FONT, SAMPLES, USED, unpacked
from scripts.sounds.taken import TAKEN
from scripts.sounds.tools import RATE, Wave

DATA = Path(__file__).resolve().parents[1] / "comic_narrator" / "sound" / "data"
GUARD = round(0.2 * RATE)
"""Samples of the loop's other end that lie before and after it in its file: a codec blurs the ends of a file."""
LOOP_LUFS = -23.0
EFFECT_PEAK = 10 ** (-2 / 20)
BITRATE = {"ambience": 20, "music": 24, "effect": 40}
"""Kilobits a second and channel, Opus."""
OWN = ("CC0-1.0", "made by scripts/build_sound_library.py of comic-narrator", "comic-narrator")
QUIET = {
    "quiet-light": (BRIGHT, "neutral calm soft plain thoughtful"),
    "blue-hour": (DORIAN, "wistful pensive lonely longing memory night"),
    "glass-garden": (LYDIAN, "wonder dreamy magic floating underwater space"),
}


def main() -> None:
    """Make what was asked for, write the table and the licence texts, and say how large it all is."""
    asked = set(sys.argv[1:])
    table = DATA / "library.toml"
    known: dict[str, Any] = tomllib.loads(table.read_text("utf-8")) if asked and table.exists() else {}
    for name, kind, tags, waves in sounds(asked):
        known[name] = stored(name, kind, tags, waves)
        print(name, known[name]["loudness"], f"{known[name]['seconds']} s", flush=True)
        names = sorted(known, key=lambda name: (known[name]["kind"], name))
        table.write_text("\n".join(row(name, known[name]) for name in names), encoding="utf-8")
    store_licences()
    size = sum(file.stat().st_size for file in DATA.rglob("*") if file.is_file())
    print(f"{len(known)} sounds, {size / 1e6:.2f} MB")


def sounds(asked: set[str]) -> Iterator[tuple[str, str, str, list[Wave]]]:
    """Name, kind, tags and waves (two for music: base and lead) of each sound that is asked for."""

    def wanted(name: str) -> bool:
        return not asked or name in asked

    for name, (make, tags) in AMBIENCES.items():
        if wanted(name):
            yield name, "ambience", tags, [make(seeded(name))]
    for name, (make, tags) in EFFECTS.items():
        if wanted(name):
            yield name, "effect", tags, [make(seeded(name))]
    for name, taken in TAKEN.items():
        if wanted(name):
            yield name, "effect", taken.tags, [taken.wave()]
    for name, (chords, tags) in QUIET.items():
        if wanted(name):
            yield name, "music", tags, [make_bed(chords, layer, 1).astype(np.float64) for layer in ("base", "lead")]
    for name, bed in PIECES.items():
        if wanted(name):
            yield name, "music", bed.tags, [rendered(bed, layer, crc32(name.encode())) for layer in ("base", "lead")]


def seeded(name: str) -> np.random.Generator:
    """The dice of a sound: adding another one changes none of the rest."""
    return np.random.default_rng(crc32(name.encode()))


def stored(name: str, kind: str, tags: str, waves: list[Wave]) -> dict[str, Any]:
    """Write the sound's files and return its row of the table."""
    files = []
    loudness = LOOP_LUFS
    for wave, layer in zip(waves, ("", ".lead"), strict=False):
        files.append(f"{kind}/{name}{layer}.opus")
        if kind == "effect":
            wave = trimmed(wave)
            wave = wave * (EFFECT_PEAK / np.abs(wave).max())
            loudness = loudest_moment(wave)
            write(files[-1], wave[:, None], kind)
        else:
            wave = limited(wave * 10 ** ((LOOP_LUFS - steady_loudness(wave)) / 20))
            write(files[-1], np.concatenate([wave[-GUARD:], wave, wave[:GUARD]]), kind)
    licence, source, attribution = credited()
    loop = None if kind == "effect" else [GUARD, GUARD + len(wave)]
    if loop:
        # As it is heard: at few bits a codec leaves out some of the noise.
        coded, _ = soundfile.read(DATA / files[0], dtype="float32", always_2d=True)
        loudness = steady_loudness(coded[loop[0] : loop[1]])
    return {
        "kind": kind, "tags": tags.split(), "files": files, "seconds": round(len(wave) / RATE, 3), "loop": loop,
        "loudness": round(loudness, 1), "licence": licence, "source": source, "attribution": attribution,
    }  # fmt: skip


def credited() -> tuple[str, str, str]:
    """Licence, source and attribution of what was just made, by the packages that were played for it."""
    packages = sorted(USED, key=lambda package: package.file)
    USED.clear()
    if not packages:
        return OWN
    licences = {package.licence for package in packages}
    assert len(licences) == 1, "recordings of different licences in one sound"
    return licences.pop(), "; ".join(p.source for p in packages), "; ".join(p.attribution for p in packages)


def write(name: str, wave: Wave, kind: str) -> None:
    """Store a wave of shape (n, channels) as Opus."""
    file = DATA / name
    file.parent.mkdir(parents=True, exist_ok=True)
    # libsndfile spreads its levels over 256 (0.0) to 6 (1.0) kbit/s a channel.
    level = 1 - (BITRATE[kind] * 1000 - 6000) / 250_000
    with soundfile.SoundFile(
        file, "w", RATE, wave.shape[1], subtype="OPUS", format="OGG", compression_level=level
    ) as out:
        # In one piece, a long wave overflows the encoder's stack.
        for first in range(0, len(wave), RATE):
            out.write(wave[first : first + RATE].astype(np.float32))


def trimmed(wave: Wave) -> Wave:
    """The sound from 5 ms before it is 40 dB below its peak, to where it stays 56 dB below it; ends faded."""
    size = np.abs(wave) / np.abs(wave).max()
    first = max(int(np.argmax(size > 0.01)) - round(0.005 * RATE), 0)
    last = len(size) - int(np.argmax(size[::-1] > 0.0016))
    cut = wave[first:last].copy()
    for edge, length in ((slice(None), 0.002), (slice(None, None, -1), 0.03)):
        part = cut[edge][: round(length * RATE)]
        part *= np.linspace(0, 1, len(part))
    return cut


def limited(wave: Wave) -> Wave:
    """Peaks over half scale bent so that none passes full scale."""
    size = np.abs(wave)
    return np.where(size < 0.5, wave, np.sign(wave) * (0.5 + 0.45 * np.tanh((size - 0.5) / 0.45)))


def row(name: str, entry: dict[str, Any]) -> str:
    """An entry as TOML."""
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items() if value is not None]
    return "\n".join([f"[{name}]", *lines, ""])


def store_licences() -> None:
    """The licence texts as the packages state them."""
    folder = DATA / "licences"
    folder.mkdir(exist_ok=True)
    (folder / "CC0-1.0.txt").write_text((unpacked(SAMPLES).parent / "LICENSE").read_text("utf-8"), encoding="utf-8")
    gm = (unpacked(MUSIC_FONT).parent / "FluidR3Mono_License.md").read_text("utf-8")
    gs = (unpacked(EFFECTS_FONT).parents[2] / "doc" / "fluid-soundfont-gs" / "copyright").read_text("utf-8")
    (folder / "MIT.txt").write_text(f"FluidR3_GS.sf2\n\n{gs}\n\n{gm}", encoding="utf-8")
    provenance = (unpacked(SAMPLES).parent / "PROVENANCE.md").read_text("utf-8")
    (folder / "CC0-recordings.md").write_text(provenance, encoding="utf-8")


if __name__ == "__main__":
    main()
