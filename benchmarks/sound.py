"""The mix of films of two lengths: time against film time, peak memory, loudness, and speech against bed.

Run: python -m benchmarks.sound [MINUTES_SHORT MINUTES_LONG]

Speech is made up (noise in syllables, four lines in half a minute); ambience, music and effects are the library's,
changing every other minute. Exits with 1 where a bar is missed: 1.5 % of the film on one core, 250 MB, 0.5 LU of the
wanted loudness, -1 dBTP, 12 LU between speech and bed.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

from comic_narrator.model import SAMPLE_RATE
from comic_narrator.sound import Cue, Said, choose, mix_film, shipped, speech_stem
from comic_narrator.sound.loudness import steady_loudness

SCENE_SECONDS = 30
LINES = ((1.0, 6.0), (6.6, 11.0), (14.0, 18.0), (20.0, 26.0))
PLACES = ("forest, rain", "tavern", "city", "none", "beach", "cave")
MOODS = ("calm", "tension", "action", "none", "wonder", "sad")
HITS = ("glass", "door-slam", "explosion", "splash", "bell", "thud")


def scene(rng: np.random.Generator) -> NDArray[np.float32]:
    """Half a minute with four lines: noise in syllables with peaks that need the limiter."""
    clips = []
    for start, end in LINES:
        moment = np.arange(round((end - start) * SAMPLE_RATE)) / SAMPLE_RATE
        noise = rng.laplace(size=len(moment)) * np.sin(4 * np.pi * moment) ** 2 * 0.05
        clips.append(Said(start, noise.astype(np.float32)))
    return speech_stem(clips, SCENE_SECONDS * SAMPLE_RATE)


def cues(seconds: float) -> list[Cue]:
    """An ambience and music that change every two minutes, and an effect every 15 s."""
    told: list[Cue] = []
    for i, start in enumerate(np.arange(0.0, seconds, 120.0)):
        end = min(start + 120.0, seconds)
        told.append(Cue(f"a{i}", "ambience", PLACES[i % len(PLACES)], start, end))
        told.append(Cue(f"m{i}", "music", MOODS[i % len(MOODS)], start, end))
    hits = enumerate(np.arange(12.0, seconds, 15.0))
    return told + [Cue(f"s{i}", "sound", HITS[i % len(HITS)], at, seconds) for i, at in hits]


def mix(minutes: int) -> bool:
    """Mix one film in this process, print what it took, and say whether it keeps the bars."""
    rng = np.random.default_rng(0)
    scenes = minutes * 60 // SCENE_SECONDS
    said = scene(rng)

    def speech() -> Iterator[NDArray[np.float32]]:
        for _ in range(scenes):
            yield said.copy()

    spoken = [(n * SCENE_SECONDS + start, n * SCENE_SECONDS + end) for n in range(scenes) for start, end in LINES]
    length = scenes * SCENE_SECONDS
    with tempfile.TemporaryDirectory() as folder:
        began, used = time.perf_counter(), cpu()
        choice = choose(cues(length), (shipped(),), length)
        mixed = mix_film(speech(), spoken, scenes * len(said), choice.placements, Path(folder) / "film.wav")
        wall, took = time.perf_counter() - began, cpu() - used
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        stems = {name: Path(folder) / f"{name}.wav" for name in ("speech", "music", "effects")}
        mix_film(speech(), spoken, scenes * len(said), choice.placements, Path(folder) / "again.wav", stems=stems)
        least = min(apart(stems, spoken[:: max(len(spoken) // 40, 1)]))
    loud = mixed.loudness
    print(
        f"{minutes} min film: CPU {took:.1f} s = {took / length:.4f} of the film (wall {wall:.1f} s), "
        f"peak {own:.0f} MB, {loud.integrated} LUFS, {loud.true_peak} dBTP, "
        f"{len(choice.placements)} sounds, speech at least {least:.1f} LU over the bed"
    )
    fine = took / length <= 0.015 and own <= 250 and abs(loud.integrated + 16) <= 0.5
    return fine and loud.true_peak <= -1 and least >= 12


def cpu() -> float:
    """Seconds of CPU of this process and of the ffmpeg processes that it ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def apart(stems: dict[str, Path], spoken: list[tuple[float, float]]) -> Iterator[float]:
    """Loudness of the speech over everything else in each span, LU."""
    for start, end in spoken:
        span = {"start": round(start * SAMPLE_RATE), "stop": round(end * SAMPLE_RATE), "dtype": "float32"}
        speech, music, effects = (soundfile.read(stems[name], **span)[0] for name in ("speech", "music", "effects"))
        yield steady_loudness(speech) - steady_loudness(music + effects)


def main() -> int:
    """Mix each length in a process of its own: peak memory never falls within one."""
    if sys.argv[1:2] == ["--one"]:
        return 0 if mix(int(sys.argv[2])) else 1
    # One core: what BLAS or ffmpeg could gain from others is no part of the figure.
    env = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    lengths = sys.argv[1:] or ["5", "30"]
    codes = [
        subprocess.run([sys.executable, "-m", "benchmarks.sound", "--one", minutes], check=False, env=env).returncode
        for minutes in lengths
    ]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
