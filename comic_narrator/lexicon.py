"""The words that English has, out of gruut's pronunciation lexicon (MIT)."""

from __future__ import annotations

import sqlite3
from functools import cache
from importlib.resources import files

from comic_narrator.errors import MissingToolError


@cache
def english_words() -> frozenset[str]:
    """Every word of the lexicon in lower case, inflected forms included; MissingToolError if it is not installed."""
    try:
        lexicon = files("gruut_lang_en") / "lexicon.db"
    except ImportError as error:
        raise MissingToolError(
            "The package gruut, with the English lexicon, is not installed.",
            "Install it with: pip install gruut",
        ) from error
    connection = sqlite3.connect(f"file:{lexicon}?mode=ro", uri=True)
    try:
        return frozenset(word for (word,) in connection.execute("SELECT DISTINCT word FROM word_phonemes"))
    finally:
        connection.close()
