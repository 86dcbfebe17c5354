"""Frames of every kind of shot of our samples look as they did when somebody looked at them."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from tests.golden.frames import PAGES, SHEETS, SIZE, sheet

BLOCK = 5
SHADE = 12.0
"""Blocks of so many pixels may differ by so much: coding has its own idea of an edge, and a camera moves by more."""


@pytest.mark.parametrize("name", sorted(PAGES))
def test_the_frames_are_as_they_were(name: str) -> None:
    with Image.open(SHEETS / f"{name}.jpg") as golden:
        off = np.abs(blocks(golden) - blocks(sheet(name)))
    worst = np.unravel_index(off.argmax(), off.shape)
    where = worst[0] * BLOCK // SIZE[1], worst[1] * BLOCK // SIZE[0]
    assert off.max() <= SHADE, f"row {where[0]}, column {where[1]} of the sheet"


def blocks(picture: Image.Image) -> np.ndarray:
    pixels = np.asarray(picture.convert("RGB"), np.float64)
    height, width = pixels.shape[:2]
    means: np.ndarray = pixels.reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK, 3).mean(axis=(1, 3))
    return means
