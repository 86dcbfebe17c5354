"""Draws the first second of every sound of the library as a spectrogram: docs/sounds_KIND.png.

Run: python -m scripts.picture_sound_library
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from comic_narrator.model import SAMPLE_RATE
from comic_narrator.sound import Sound, decode, shipped

DOCS = Path(__file__).resolve().parents[1] / "docs"
WIDTH, HEIGHT, TEXT, ACROSS = 120, 64, 12, 8
LOWEST, HIGHEST = 40.0, 16_000.0
RANGE_DB = 70.0


def spectrogram(wave: NDArray[np.float32]) -> NDArray[np.uint8]:
    """A mono second as a picture (HEIGHT, WIDTH): time to the right, pitch upwards by octaves, 70 dB of light."""
    size = 4096
    padded = np.pad(wave, size // 2)
    starts = np.linspace(0, len(wave), WIDTH, endpoint=False).astype(int)
    frames = np.stack([padded[start : start + size] for start in starts]) * np.hanning(size)
    power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
    edges = np.geomspace(LOWEST, HIGHEST, HEIGHT + 1) * size / SAMPLE_RATE
    rows = [power[:, int(low) : max(int(high), int(low) + 1)].mean(axis=1) for low, high in pairwise(edges)]
    level = 10 * np.log10(np.array(rows)[::-1] + 1e-12)
    return np.asarray(255 * ((level - level.max()) / RANGE_DB + 1).clip(0, 1), np.uint8)


def tile(sound: Sound) -> Image.Image:
    """A sound's spectrogram with its name under it."""
    layers = decode(sound)
    count = SAMPLE_RATE if sound.kind != "effect" else min(SAMPLE_RATE, len(layers[0].numbers))
    wave = np.sum([layer.stretch(0, count) for layer in layers], axis=0).mean(axis=1)
    picture = Image.new("L", (WIDTH, HEIGHT + TEXT), 255)
    picture.paste(Image.fromarray(spectrogram(np.pad(wave, (0, SAMPLE_RATE - count)))), (0, 0))
    ImageDraw.Draw(picture).text((2, HEIGHT), sound.name, fill=0)
    return picture


def main() -> None:
    """Draw a sheet for each kind of sound."""
    for kind in ("ambience", "effect", "music"):
        tiles = [tile(sound) for sound in shipped() if sound.kind == kind]
        down = -(-len(tiles) // ACROSS)
        sheet = Image.new("L", (ACROSS * (WIDTH + 4), down * (HEIGHT + TEXT + 4)), 255)
        for i, picture in enumerate(tiles):
            sheet.paste(picture, (i % ACROSS * (WIDTH + 4), i // ACROSS * (HEIGHT + TEXT + 4)))
        sheet.quantize(32).save(DOCS / f"sounds_{kind}.png", optimize=True)


if __name__ == "__main__":
    main()
