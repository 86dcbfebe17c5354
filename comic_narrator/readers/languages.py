"""Which languages the recogniser can read."""

from __future__ import annotations

from babel import Locale
from babel.core import get_global

from comic_narrator.errors import UsageError

SCRIPTS = frozenset({"Latn", "Grek", "Hans", "Hant", "Hani", "Jpan", "Hira", "Kana"})
"""The scripts (ISO 15924) whose letters the recogniser's model has."""

WITHOUT_ACCENTS = frozenset({"vi"})
"""Languages written in one of them, but with accents that the model does not have."""


def check_language(language: str) -> None:
    """Raise UsageError if the recogniser's model has not the letters that a language (BCP-47 tag) is written in.

    A script named in the tag counts: "sr" is refused, "sr-Latn" can be read. Else the Unicode CLDR tells.
    """
    primary, *rest = language.casefold().replace("_", "-").split("-")
    usual = get_global("likely_subtags").get(primary)
    if usual is None:
        raise UsageError(f'There is no language "{language}".', "Write it as en, ja, pt-BR or zh-Hant.")
    named = next((part.title() for part in rest if len(part) == 4 and part.isalpha()), None)
    script = named or usual.split("_")[1]
    if script in SCRIPTS and primary not in WITHOUT_ACCENTS:
        return
    lacks = "its accents" if script in SCRIPTS else f"the script {Locale('en').scripts.get(script, script)}"
    raise UsageError(
        f'The embedded reader cannot read the language "{language}": its model does not know {lacks}.',
        "Use a reader with a vision model that can, or give the pages' words with --from-page-json.",
    )
