"""Films of each shape and each frame rate are what the documentation says; the slow tests have all sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.films import check_film, film_of

SMALL = [("16:9", 180, 24), ("9:16", 160, 25), ("1:1", 162, 30), ("4:5", 160, 60)]


@pytest.mark.parametrize(("shape", "side", "fps"), SMALL, ids=[shape.replace(":", "x") for shape, _, _ in SMALL])
def test_a_film_of_this_shape_plays(shape: str, side: int, fps: int, tmp_path: Path) -> None:
    check_film(film_of(shape, side, fps, tmp_path), shape, side, fps)
