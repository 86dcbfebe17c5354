"""Mixes films of two lengths of made-up speech and prints time against film time and peak memory.

Run: python benchmarks/mix.py [MINUTES_SHORT MINUTES_LONG]
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from comic_narrator.model import SAMPLE_RATE
from comic_narrator.sound import make_bed, mix_film, speech_stem

SCENE_SECONDS = 30
LINES = ((1.0, 6.0), (6.6, 11.0), (14.0, 18.0), (20.0, 26.0))


def scene(rng: np.random.Generator) -> NDArray[np.float32]:
    """Half a minute with four lines: noise in syllables with peaks that need the limiter."""
    clips = []
    for start, end in LINES:
        moment = np.arange(round((end - start) * SAMPLE_RATE)) / SAMPLE_RATE
        noise = rng.laplace(size=len(moment)) * np.sin(4 * np.pi * moment) ** 2 * 0.05
        clips.append((start, noise.astype(np.float32), 0.0))
    return speech_stem(clips, SCENE_SECONDS * SAMPLE_RATE)


def mix(minutes: int) -> None:
    """Mix one film in this process and print what it took."""
    rng = np.random.default_rng(0)
    scenes = minutes * 60 // SCENE_SECONDS
    said = scene(rng)

    def speech() -> Iterator[NDArray[np.float32]]:
        for _ in range(scenes):
            yield said.copy()

    spoken = [(n * SCENE_SECONDS + start, n * SCENE_SECONDS + end) for n in range(scenes) for start, end in LINES]
    began = time.perf_counter()
    bed = make_bed(1)
    bed_seconds = time.perf_counter() - began
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        loudness = mix_film(speech(), spoken, scenes * len(said), bed, Path(folder) / "film.wav")
        seconds = time.perf_counter() - began
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    share = seconds / (minutes * 60)
    print(
        f"{minutes} min film: bed {bed_seconds:.2f} s, mix {seconds:.2f} s = {share:.4f} of the film, "
        f"peak {own:.0f} MB, {loudness.integrated} LUFS, {loudness.true_peak} dBTP"
    )


def main() -> None:
    """Mix each length in a process of its own: peak memory never falls within one."""
    if sys.argv[1:2] == ["--one"]:
        mix(int(sys.argv[2]))
        return
    for minutes in sys.argv[1:] or ["5", "40"]:
        subprocess.run([sys.executable, __file__, "--one", minutes], check=True)


if __name__ == "__main__":
    main()
