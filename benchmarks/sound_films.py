"""Films of real pages and of the sample, measured by their sound: `python -m benchmarks.sound_films [--out FOLDER]`.

For each book the real command makes a film with stems. Printed are: loudness and true peak of the film's own track, the
speech over everything else (least and median of its lines), the longest digital silence, the quietest 1.5 s between the
fades at both ends, and how many words (Japanese: kana) Whisper hears wrong in the speech alone and in the film, each
heard several times, set off by some seconds, since it hears otherwise each time: in what its own detector takes for
speech, in the whole, and in the whole as faster-whisper listens by default, which knows what it heard before. It hears
30 s at once, and its smallest model may leave out sentences where such a stretch begins with anything but silence.
Exits with 1 where a bar is missed: 0.5 LU of the wanted loudness, -1 dBTP, 12 LU of speech over the bed, 1.5 s of
silence, and over the books of a language 2 points more heard wrong than in the speech alone.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, mkdtemp
from typing import NamedTuple

import numpy as np
import soundfile
from numpy.typing import NDArray

from benchmarks.ears import heard_through, heard_wrong
from benchmarks.hear import CASES, PAGES, Case, gathered, loudness_of
from comic_narrator import ffmpeg
from comic_narrator.model import SAMPLE_RATE, Script, Timing
from comic_narrator.sound.loudness import steady_loudness

Audio = NDArray[np.float32]

BOOKS = (
    *(case for case in CASES if case.name in ("sample", "buster", "blackjack")),
    Case("peppercarrot", PAGES / "peppercarrot_ep03_ff2400t", (), ("002.jpg", "003.jpg", "004.jpg")),
)
SOUND_ONLY = {"film.width": 640, "film.height": 360, "film.preset": "ultrafast", "sound.stems": "true"}
"""The picture is not looked at."""
EARS = {
    "en": (
        ("tiny.en", "en", "speech"),
        ("tiny.en", "en", "whole"),
        ("tiny.en", "en", "whole, looking back"),
        ("base", "ja", "speech"),
        ("base", "ja", "whole"),
    ),
    "ja": (("base", "ja", "speech"), ("base", "ja", "whole")),
}
"""The models that listen to each language: what they are called, the language that they are there for, and to what."""
SET_OFF = (0.0, 0.6, 1.2)
"""Seconds of silence before each hearing of the whole."""
SILENT = 2.0**-15
QUIET_SECONDS = 1.5
ENDS = (1.0, 2.5)
"""Seconds in which the film fades in and out."""
WORST_DB = -70.0
"""A stretch of QUIET_SECONDS that is quieter than this is dead."""
MORE_WRONG = 0.02


@dataclass(frozen=True)
class Measured:
    """What was measured of one film; levels in LU and dB, silences in seconds."""

    loudness: float
    peak: float
    over: tuple[float, ...]
    silence: float
    quietest: float

    @property
    def fine(self) -> bool:
        """Whether the bars are kept."""
        right = abs(self.loudness + 16) <= 0.5 and self.peak <= -1 and min(self.over) >= 12
        return right and self.silence <= QUIET_SECONDS and self.quietest >= WORST_DB


class Pool(NamedTuple):
    """What a count is of: in which language, by which ear, listening to what, in which sound ("said": words in all)."""

    language: str
    ear: str
    way: str
    wave: str


def main() -> int:
    """Film, measure and hear the books; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=[book.name for book in BOOKS])
    parser.add_argument("--out", type=Path, help="keep the films here, and go on from what is there")
    parser.add_argument("--deaf", action="store_true", help="leave the hearing out")
    asked = parser.parse_args()
    out = asked.out or Path(mkdtemp(prefix="sound-films-"))
    missed = False
    pool: Counter[Pool] = Counter()
    for book in BOOKS:
        if asked.only and book.name not in asked.only:
            continue
        if not book.book.exists():
            print(f"{book.name:13} skipped: its pages are not on this machine")
            continue
        film = filmed(book, out)
        told = measured(film)
        missed |= not told.fine
        print(
            f"{book.name:13} {'ok  ' if told.fine else 'MISS'} {told.loudness:.1f} LUFS, {told.peak:.1f} dBTP · "
            f"speech over the bed {min(told.over):.1f} least, {median(told.over):.1f} median of {len(told.over)} · "
            f"longest digital silence {told.silence:.2f} s, quietest {QUIET_SECONDS} s {told.quietest:.0f} dB",
            flush=True,
        )
        if not asked.deaf:
            pool += heard(book, film)
    return 1 if missed | pooled(pool) else 0


def filmed(book: Case, out: Path) -> Path:
    """The book's film, made by the real command unless it stands there already."""
    film = out / f"{book.name}.mp4"
    settings = [part for key, value in SOUND_ONLY.items() for part in ("--set", f"{key}={value}")]
    command = [sys.executable, "-m", "comic_narrator", str(gathered(book, out)), "-o", str(film)]
    subprocess.run(
        [*command, *book.options, *settings], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return film


def measured(film: Path) -> Measured:
    """Loudness, levels and silences of a film that has its stems beside it."""
    track = track_of(film)
    first, last = round(ENDS[0] * SAMPLE_RATE), len(track) - round(ENDS[1] * SAMPLE_RATE)
    speech, music, effects = (stem_of(film, name) for name in ("speech", "music", "effects"))
    bed = music + effects
    lines = [slice(round(start * SAMPLE_RATE), round(end * SAMPLE_RATE)) for start, end in spoken(film)]
    over = tuple(steady_loudness(speech[line]) - steady_loudness(bed[line]) for line in lines)
    power = np.cumsum(np.pad(np.mean(track.astype(np.float64) ** 2, axis=1), (1, 0)))
    window = round(QUIET_SECONDS * SAMPLE_RATE)
    means = (power[window:] - power[:-window])[first : max(last - window, first + 1)] / window
    return Measured(*loudness_of(film), over, longest_silence(track), float(10 * np.log10(means.min() + 1e-12)))


def track_of(film: Path) -> Audio:
    """The film's own sound, stereo, shape (n, 2)."""
    with TemporaryDirectory() as folder:
        wave = Path(folder) / "track.wav"
        ffmpeg.run(["-i", str(film), "-vn", "-c:a", "pcm_f32le", str(wave)])
        return np.asarray(soundfile.read(wave, dtype="float32", always_2d=True)[0])


def stem_of(film: Path, name: str) -> Audio:
    """A stem beside the film, shape (n, 2)."""
    return np.asarray(soundfile.read(film.with_name(f"{film.stem}.{name}.wav"), dtype="float32")[0])


def spoken(film: Path) -> Iterator[tuple[float, float]]:
    """When each line begins and ends, in seconds of the film."""
    timing = Timing.model_validate_json((film.with_name(f"{film.name}.work") / "timing.json").read_bytes())
    frames = 0
    for scene in timing.scenes:
        yield from ((frames / timing.fps + clip.start, frames / timing.fps + clip.end) for clip in scene.clips)
        frames += scene.frames


def longest_silence(track: Audio) -> float:
    """Seconds of the longest stretch in which no sample reaches the last of 16 bits."""
    heard_at = np.flatnonzero(np.abs(track).max(axis=1) >= SILENT)
    return float(np.diff(heard_at, prepend=-1, append=len(track)).max() - 1) / SAMPLE_RATE


def heard(book: Case, film: Path) -> Counter[Pool]:
    """Words heard wrong in speech and film, and how many were said, by ear and way; printed for the book."""
    script = Script.model_validate_json((film.with_name(f"{film.name}.work") / "script.json").read_bytes())
    texts = [beat.text for beat in script.beats if beat.kind == "speech" and beat.text]
    language = script.language[:2]
    written = "。".join(texts) if language == "ja" else " ".join(texts)
    waves = {"dry": stem_of(film, "speech").mean(axis=1), "mixed": track_of(film).mean(axis=1)}
    counts: Counter[Pool] = Counter()
    for name, ear, way in EARS[language]:
        told: dict[str, list[int]] = {wave: [] for wave in waves}
        for wave, seconds in product(waves, SET_OFF):
            sound = np.concatenate([np.zeros(round(seconds * SAMPLE_RATE), np.float32), waves[wave]])
            words = heard_through(
                sound, language, ear, speech_only=way == "speech", looks_back=way == "whole, looking back"
            )
            (film.parent / f"{film.stem}.heard.{name}.{way}.{seconds}.{wave}.txt").write_text(words, encoding="utf-8")
            wrong, said = heard_wrong(written, words, language)
            told[wave].append(wrong)
            counts[Pool(language, name, way, wave)] += wrong
            counts[Pool(language, name, way, "said")] += said if wave == "dry" else 0
        print(f"{'':13}      {name}, the {way}: of {said} words or kana heard wrong {told}", flush=True)
    return counts


def pooled(pool: Counter[Pool]) -> bool:
    """Print the shares over all books of each language; whether one misses the bar."""
    missed = False
    for one in sorted(key for key in pool if key.wave == "said"):
        dry, mixed = (pool[one._replace(wave=wave)] / pool[one] for wave in ("dry", "mixed"))
        missed |= mixed - dry > MORE_WRONG
        print(
            f"{one.language}, {one.ear}, the {one.way}: of {pool[one]} heard wrong {dry:.3f} of the speech alone, "
            f"{mixed:.3f} of the films, {mixed - dry:+.3f}"
        )
    return missed


if __name__ == "__main__":
    sys.exit(main())
