"""The bank of voices: every profile can be spoken, is licensed, and can be told apart."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from comic_narrator.errors import UsageError
from comic_narrator.voice_profiles import distance
from comic_narrator.voices.bank import TABLES, blend, built_in, profiles, recipe, tables
from comic_narrator.voices.embedded import tuning
from comic_narrator.voices.phonemes import LIMIT

SCRIPT = Path(__file__).parents[2] / "scripts" / "build_voice_tables.py"


def test_ids_and_names_are_unique() -> None:
    assert len({profile.id for profile in built_in()}) == len(built_in())
    assert len({profile.name for profile in built_in()}) == len(built_in())


def test_every_engine_is_a_blend_of_tables_that_are_there_and_long_enough() -> None:
    for profile in built_in():
        blended, moved = tuning(profile.engine)
        assert abs(moved) <= 4
        table = blend(blended)
        assert table.dtype == np.float32
        assert table.shape[1] == 256
        assert len(table) >= LIMIT + 24, "a call of the longest text at a later attempt must find its row"
        assert np.isfinite(table).all()


def test_every_voice_is_licensed_and_says_where_it_is_from() -> None:
    assert {profile.licence for profile in built_in()} == {"Apache-2.0"}
    assert all("kokoro" in profile.source.lower() for profile in built_in())
    data = files("comic_narrator.voices") / "data"
    assert "Apache License" in (data / "NOTICE").read_text(encoding="utf-8")
    assert "END OF TERMS AND CONDITIONS" in (data / "Apache-2.0.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(("language", "least", "least_men"), [("en", 12, 5), ("ja", 5, 3)])
def test_a_book_finds_enough_voices_of_each_sex_and_age(language: str, least: int, least_men: int) -> None:
    voices = profiles(language)
    assert len(voices) >= least
    assert sum(voice.sex == "male" for voice in voices) >= least_men
    assert sum(voice.sex == "female" for voice in voices) >= least_men
    assert {"young", "adult", "old"} <= {voice.age for voice in voices}


def test_no_two_voices_of_a_language_are_the_same() -> None:
    for language in ("en", "ja"):
        for one, other in combinations(profiles(language), 2):
            assert one.measured is not None
            assert other.measured is not None
            assert distance(one.measured, other.measured) > 0.5, (one.id, other.id)


def test_languages_are_matched_whatever_their_region_and_case() -> None:
    assert profiles("en-AU") == profiles("EN")
    assert {voice.language for voice in profiles("ja-JP")} == {"ja"}
    assert profiles("fr") == ()
    assert profiles("jam") == (), "a tag that merely begins alike is another language"


def test_a_blend_is_the_weighted_mean_of_its_parts() -> None:
    mixed = blend("af_bella:3+am_adam:1")
    assert np.allclose(mixed, 0.75 * tables()["af_bella"] + 0.25 * tables()["am_adam"], atol=1e-5)
    assert recipe("af_heart") == (("af_heart", 1.0),)
    assert recipe("a:0.6 + b:0.4") == (("a", 0.6), ("b", 0.4))


@pytest.mark.parametrize("engine", ["", "nobody", "af_heart:much", "af_heart:0", "af_heart:-1", "af_heart+", "a:nan"])
def test_a_malformed_or_unknown_engine_is_a_usage_error(engine: str) -> None:
    with pytest.raises(UsageError):
        blend(engine)


def test_the_script_makes_the_shipped_tables_byte_for_byte(tmp_path: Path) -> None:
    with zipfile.ZipFile(str(TABLES)) as archive:
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}
    tarball = Path("/tmp/kokoro-js-1.2.1.tgz")
    if not tarball.exists():
        pytest.skip(f"{tarball} is not here; `npm pack kokoro-js@1.2.1` fetches it")
    made = tmp_path / "tables.npz"
    subprocess.run([sys.executable, str(SCRIPT), str(tarball), str(made)], check=True)
    assert hashlib.sha256(made.read_bytes()).digest() == hashlib.sha256(TABLES.read_bytes()).digest()


def test_the_script_refuses_another_tarball(tmp_path: Path) -> None:
    other = tmp_path / "other.tgz"
    other.write_bytes(b"not the package")
    command = [sys.executable, str(SCRIPT), str(other), str(tmp_path / "made.npz")]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert "sha256" in answer.stderr
    assert not (tmp_path / "made.npz").exists()
