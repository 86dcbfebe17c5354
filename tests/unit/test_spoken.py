"""Lettering becomes the words that a person would read aloud."""

from __future__ import annotations

import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.lines import SCRIPTS, printed_lines
from comic_narrator.lexicon import SPELLED
from comic_narrator.script import to_spoken
from comic_narrator.script.delivery import SAME_AS, WORDS
from comic_narrator.voices.english import plain
from tests.unit.spoken_cases import CASES


@pytest.mark.parametrize("number", range(len(CASES)))
def test_the_table(number: int) -> None:
    language, printed, spoken = CASES[number]
    assert to_spoken(printed, language, ("Willie", "Nell")) == spoken


def test_the_table_is_long_and_no_line_of_capitals_is_spelled_out() -> None:
    assert len({printed for _, printed, _ in CASES}) >= 250
    for language, printed, _ in CASES:
        spoken = to_spoken(printed, language) or ""
        capitals = set(re.findall(r"\b[A-Z]{2,}\b", spoken)) if language == "en" else set()
        assert capitals <= SPELLED | {"NASA", "NATO"}, (printed, spoken)


def test_no_capitals_of_real_pages_and_samples_reach_the_voice_but_those_of_abbreviations() -> None:
    lines = [line.text for language in ("en", "ja") for line in printed_lines(language)]
    capitals = [text for text in lines if re.search(r"[A-Z]{2}", text) and text == text.upper()]
    assert len(capitals) >= 40
    for text in capitals:
        spoken = to_spoken(text, "en") or ""
        for sent in (spoken, plain(spoken)):
            assert set(re.findall(r"\b[A-Z]{2,}\b", sent)) <= SPELLED, (text, sent)
            # A letter alone is said by its name: none is left over from a word that was taken apart.
            assert set(re.findall(r"\b[A-Z]\b", re.sub(r"\b[AP] M\b|\b[A-Z]-(?=[a-z])", "", sent))) <= {"I", "A"}, (
                text,
                sent,
            )


def test_scripts_of_the_samples_have_lines_that_can_be_said() -> None:
    scripts = sorted(SCRIPTS.glob("*.toml"))
    assert len(scripts) == 6
    for file in scripts:
        script = tomllib.loads(file.read_text(encoding="utf-8"))
        for line in script["line"]:
            assert to_spoken(line["text"], script["language"]), line
            assert line["kind"] == "caption" or line["speaker"], line
            if "tone" in line:
                assert SAME_AS.get(line["tone"], line["tone"]) in WORDS, line["tone"]


@pytest.mark.parametrize(
    ("printed", "language", "spoken"),
    [
        ("ALLONS-Y, MON AMI !!", "fr", "Allons-y, mon ami!"),
        ("J'AI 3 POMMES...", "fr", "J'ai trois pommes..."),
        ("WAS IST DAS?!", "de", "Was ist das?"),
        ("¡NO PUEDE SER!", "es", "¡No puede ser!"),
        ("НЕТ!!! СТОЙ", "ru", "Нет! Стой"),
        ("안녕하세요!! ♥", "ko", "안녕하세요!"),
    ],
)
def test_other_languages_are_said_as_sentences(printed: str, language: str, spoken: str) -> None:
    assert to_spoken(printed, language) == spoken


@pytest.mark.parametrize("printed", ["...", "?!", "♪", "---", "***", "", "……"])
@pytest.mark.parametrize("language", ["en", "ja", "fr"])
def test_what_holds_no_words_is_not_spoken(printed: str, language: str) -> None:
    assert to_spoken(printed, language) is None


@given(st.text(max_size=60), st.sampled_from(["en", "ja", "de"]))
def test_no_lettering_breaks_it_and_its_words_are_clean(printed: str, language: str) -> None:
    spoken = to_spoken(printed, language)
    if spoken is not None:
        assert spoken == spoken.strip()
        assert not set(spoken) & set('♪*"“”\n')


@given(st.sampled_from([printed for language, printed, spoken in CASES if language == "en" and spoken]))
def test_what_is_spoken_is_said_as_it_is(printed: str) -> None:
    """A script mended by hand goes through no second change that matters: marks and capitals aside it stays."""
    once = to_spoken(printed, "en") or ""
    again = to_spoken(once, "en") or ""
    assert re.sub(r"\W+", " ", again).lower().strip() == re.sub(r"\W+", " ", once).lower().strip()
