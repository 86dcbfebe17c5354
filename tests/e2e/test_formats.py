"""Films of all shapes, sizes and frame rates are what the documentation says."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from tests.films import check_film, film_of

pytestmark = pytest.mark.slow

ALL = list(itertools.product(("16:9", "9:16", "1:1", "4:5"), (720, 1080, 1440, 2160), (24, 25, 30, 60)))


@pytest.mark.parametrize(
    ("shape", "side", "fps"), ALL, ids=[f"{shape.replace(':', 'x')}-{side}-{fps}" for shape, side, fps in ALL]
)
def test_a_film_of_this_format_plays(shape: str, side: int, fps: int, tmp_path: Path) -> None:
    check_film(film_of(shape, side, fps, tmp_path), shape, side, fps)
