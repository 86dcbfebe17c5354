"""The words that English has, out of gruut's pronunciation lexicon (MIT), and those said letter by letter."""

from __future__ import annotations

import sqlite3
from functools import cache
from importlib.resources import files

from comic_narrator.errors import MissingToolError

SPELLED = frozenset({
    "AC", "AI", "ATF", "ATM", "BBC", "BBQ", "BTW", "CBS", "CCTV", "CD", "CEO", "CIA", "CNN", "CPR", "CPU", "CSI", "DC",
    "DEA", "DIY", "DJ", "DNA", "DOA", "DVD", "EMP", "EMS", "EMT", "ESP", "ETA", "EU", "FBI", "FM", "FYI", "GI", "GPA",
    "GPS", "HBO", "HIV", "HQ", "ICU", "IDK", "IOU", "IQ", "IRS", "JFK", "KGB", "KO", "LA", "LAPD", "LED", "MC", "MP",
    "MRI", "MTV", "MVP", "NBA", "NBC", "NFL", "NSA", "NY", "NYC", "NYPD", "OK", "OMG", "PC", "PHD", "PI", "PM",
    "PO", "PR", "PTA", "RPG", "RPM", "RSVP", "RV", "SOS", "SUV", "TBA", "TLC", "TNT", "TV", "UFO", "UK", "UN", "USA",
    "USB", "USS", "UV", "VHS", "VIP", "VR", "WTF", "XL",
})  # fmt: skip
"""Words that are spoken letter by letter; US is none, for in a balloon of capitals it is nearly always "us"."""


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
