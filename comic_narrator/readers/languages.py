"""Which languages the recogniser can read."""

from __future__ import annotations

from comic_narrator.errors import UsageError

SCRIPTS = frozenset({"latn", "grek", "hans", "hant", "hani", "jpan", "hira", "kana"})
"""The scripts (ISO 15924) whose letters the recogniser's model has."""

_OTHER_SCRIPTS = {
    "Cyrillic": "ab av ba be bg ce cv kk kv ky mk mn os ru sah sr tg tt tyv udm uk",
    "Arabic": "ar ckb dv fa ps sd ug ur",
    "Hebrew": "he iw yi",
    "Devanagari": "bho hi mai mr ne sa",
    "Bengali": "as bn",
    "another Indian script": "gu kn ml or pa sat si ta te",
    "Thai, Lao, Khmer or Burmese": "km lo my th",
    "Georgian or Armenian": "hy ka",
    "Ethiopic": "am ti",
    "Tibetan": "bo dz",
    "Hangul": "ko",
    "the accents of Vietnamese": "vi",
}
"""Languages usually written in letters that the model does not have; all others are written in letters it has."""


def check_language(language: str) -> None:
    """Raise UsageError if the recogniser's model has not the letters that a language (BCP-47 tag) is written in.

    A script named in the tag counts: "sr" is refused, "sr-Latn" can be read.
    """
    primary, *rest = language.casefold().replace("_", "-").split("-")
    if script := next((part for part in rest if len(part) == 4 and part.isalpha()), None):
        if script in SCRIPTS and primary != "vi":
            return
        reason = f"the script {script.capitalize()}"
    elif letters := next((name for name, tags in _OTHER_SCRIPTS.items() if primary in tags.split()), None):
        reason = letters
    else:
        return
    raise UsageError(
        f'The embedded reader cannot read the language "{language}": its model does not know {reason}.',
        "Use a reader with a vision model that can, or give the pages' words with --from-page-json.",
    )
