"""Sizes of the film, and parts of the book that are filmed by themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from comic_narrator.cli.framing import beside, chosen_cut, frame_size, framing
from comic_narrator.errors import UsageError
from comic_narrator.settings import Settings
from comic_narrator.steps import Cut

PREVIEW, SHORTS = Cut("2-3", "--preview", "preview"), Cut("2-3", "--shorts", "shorts")


@pytest.mark.parametrize(
    ("wanted", "size"),
    [
        ("16:9", (1920, 1080)),
        ("9:16", (1080, 1920)),
        ("1:1@720", (720, 720)),
        ("4:5", (1080, 1350)),
        ("16:9@2160", (3840, 2160)),
        ("9:16@722", (722, 1284)),
        ("1280x534", (1280, 534)),
    ],
)
def test_a_size_is_a_shape_or_both_sides(wanted: str, size: tuple[int, int]) -> None:
    assert frame_size(wanted) == size


@pytest.mark.parametrize("wanted", ["", "16:10", "9:16@", "9:16@tall", "1280", "1281x720", "100x100", "16:9@9000"])
def test_what_is_no_size_is_refused_and_named(wanted: str) -> None:
    with pytest.raises(UsageError, match=f"--size {wanted}"):
        frame_size(wanted)


def test_a_preview_keeps_the_films_shape_and_is_small_and_coarse() -> None:
    told = framing("4:5", PREVIEW, Settings())
    assert (told["film.width"], told["film.height"]) == ("540", "676")
    assert told["film.preset"] == "ultrafast"
    assert framing(None, PREVIEW, Settings())["film.width"] == "960"


def test_a_short_is_upright_unless_it_has_a_size_of_its_own() -> None:
    assert framing(None, SHORTS, Settings()) == {"film.width": "1080", "film.height": "1920"}
    assert framing("1:1", SHORTS, Settings()) == {"film.width": "1080", "film.height": "1080"}
    assert framing(None, None, Settings()) == {}


def test_a_part_lies_beside_the_film_and_its_files_apart() -> None:
    assert beside(Path("/a/book.v1.mp4"), PREVIEW) == Path("/a/book.v1.preview.mp4")
    assert beside(Path("/a/book.mp4"), None) == Path("/a/book.mp4")
    assert chosen_cut("2-3", None) == PREVIEW
    assert chosen_cut(None, "2-3") == SHORTS
    assert chosen_cut(None, None) is None
    with pytest.raises(UsageError, match="exclude"):
        chosen_cut("1", "2")
