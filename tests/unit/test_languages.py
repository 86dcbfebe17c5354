"""A language that the recogniser cannot read is refused before a page is read."""

from __future__ import annotations

import pytest

from comic_narrator.errors import UsageError
from comic_narrator.readers.languages import check_language


@pytest.mark.parametrize(
    "language", ["en", "en-GB", "fr", "de-AT", "pl", "tr", "ja", "zh-Hant", "zh", "el", "sr-Latn", "EN"]
)
def test_languages_whose_letters_the_model_has_are_accepted(language: str) -> None:
    check_language(language)


@pytest.mark.parametrize(
    ("language", "word"),
    [
        ("ru", "Cyrillic"),
        ("ko", "Korean"),
        ("ar-EG", "Arabic"),
        ("he", "Hebrew"),
        ("hi", "Devanagari"),
        ("th", "Thai"),
        ("vi", "accents"),
        ("en-Cyrl", "Cyrillic"),
        ("sr", "Cyrillic"),
        ("klingon", "no language"),
    ],
)
def test_others_are_refused_by_name(language: str, word: str) -> None:
    with pytest.raises(UsageError, match=word) as refused:
        check_language(language)
    assert language in str(refused.value)
    assert refused.value.hint
