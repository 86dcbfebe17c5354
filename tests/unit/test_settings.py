"""Settings: the nearer source wins, and a wrong key or value is named with its source."""

from __future__ import annotations

from pathlib import Path

import pytest

from comic_narrator.errors import UsageError
from comic_narrator.settings import load_settings, profile_names


def value(key: str, *sources: object) -> tuple[object, str]:
    profile, environment, assignments, options = sources
    _, listed = load_settings(profile, environment, assignments, options)  # type: ignore[arg-type]
    return next((s.value, s.origin) for s in listed if s.key == key)


def test_each_source_beats_the_one_before(tmp_path: Path) -> None:
    profile = tmp_path / "mine.toml"
    profile.write_text('[book]\nlanguage = "fr"\n')
    environment = {"COMIC_NARRATOR_BOOK__LANGUAGE": "de", "HOME": "/nowhere"}
    sources: list[object] = [None, {}, [], {}]
    seen = [value("book.language", *sources)]
    for place, source in enumerate((str(profile), environment, ["book.language=ja"], {"book.language": "en"})):
        sources[place] = source
        seen.append(value("book.language", *sources))
    assert seen == [
        ("auto", "default"),
        ("fr", f"profile {profile}"),
        ("de", "COMIC_NARRATOR_BOOK__LANGUAGE"),
        ("ja", "--set"),
        ("en", "option"),
    ]


def test_an_option_that_is_not_given_sets_nothing() -> None:
    assert value("book.layout", None, {}, [], {"book.layout": None}) == ("auto", "default")


def test_text_becomes_numbers() -> None:
    settings, _ = load_settings(None, {}, ["film.width=1280", "film.establishing=1.5"], {})
    assert (settings.film.width, settings.film.establishing) == (1280, 1.5)


def test_every_default_can_be_set_as_text() -> None:
    settings, listed = load_settings(None, {}, [], {})
    again, _ = load_settings(None, {}, [f"{s.key}={s.value}" for s in listed], {})
    assert again == settings


@pytest.mark.parametrize(("asked", "tag"), [("JA", "ja"), ("en_GB", "en-GB"), ("auto", "auto")])
def test_a_language_is_written_one_way(asked: str, tag: str) -> None:
    assert load_settings(None, {}, [f"book.language={asked}"], {})[0].book.language == tag


@pytest.mark.parametrize(
    ("assignment", "what", "hint"),
    [
        ("film.widht=3", "film.widht", "film.width"),
        ("film.width=wide", "film.width", "settings"),
        ("film.width=641", "film.width", "settings"),
        ("film.fps=31", "film.fps", "settings"),
        ("film.width", "no '='", "section.key=value"),
    ],
)
def test_a_wrong_setting_is_named_with_what_to_do(assignment: str, what: str, hint: str) -> None:
    with pytest.raises(UsageError) as error:
        load_settings(None, {}, [assignment], {})
    assert what in error.value.what
    assert hint in error.value.hint


def test_an_unknown_profile_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        load_settings("gpu-9000", {}, [], {})
    assert "cpu" in error.value.hint
    broken = tmp_path / "broken.toml"
    broken.write_text("[film\n")
    with pytest.raises(UsageError, match="not valid TOML"):
        load_settings(str(broken), {}, [], {})


@pytest.mark.parametrize("name", profile_names())
def test_every_shipped_profile_loads(name: str) -> None:
    load_settings(name, {}, [], {})
