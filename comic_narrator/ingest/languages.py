"""Languages: how they are written down, named and read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from babel.core import Locale, UnknownLocaleError, get_global, parse_locale

COMIC_LANGUAGES = frozenset({
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "eu", "fa", "fi", "fil", "fr", "gl", "he", "hi",
    "hr", "hu", "id", "it", "ja", "ko", "ms", "nb", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv",
    "ta", "te", "th", "tr", "uk", "vi", "zh",
})  # fmt: skip
"""Those that comics are commonly sold in: known by their own names, and by short marks in the names of files."""

COUNTRIES_FOR_LANGUAGES = {"jp": "ja", "kr": "ko", "cn": "zh"}
"""Country codes that are often written for the language."""

NO_LANGUAGE = frozenset({"und", "mul", "mis", "zxx"})
"""Codes that say that the language is unknown, mixed, odd or absent."""


def language_tag(text: str | None) -> str | None:
    """A language as BCP-47 writes it; None when it is none.

    `text` is a tag ("pt_br"), an ISO 639-2 code ("jpn") or a name, in English or its own ("Japanese", "español").
    """
    words = " ".join((text or "").casefold().split())
    turned = re.sub(r"^(.+?) \((.+)\)$", r"\2 \1", words)
    return _tag(words) or _names().get(words) or _names().get(turned)


def _tag(words: str) -> str | None:
    parts = words.replace("_", "-").split("-")
    language = COUNTRIES_FOR_LANGUAGES.get(parts[0], parts[0])
    alias = get_global("language_aliases").get(language, language).replace("_", "-")
    for known in ("-".join([alias, *parts[1:]]), alias):
        try:
            language, territory, script, *_ = parse_locale(known, sep="-")
        except ValueError:
            continue
        if language in Locale("en").languages and language not in NO_LANGUAGE:
            return "-".join(part for part in (language, script, territory) if part)
    return None


@cache
def _names() -> Mapping[str, str]:
    names = {Locale(tag).languages[tag].casefold(): tag for tag in COMIC_LANGUAGES}
    # English last: a name that two languages share is more likely English.
    return names | {name.casefold(): tag.replace("_", "-") for tag, name in Locale("en").languages.items()}


def language_name(tag: str) -> str:
    """What a language is called in English, with its script and country where the tag tells them."""
    locale = _locale(tag)
    return (locale.get_display_name("en") if locale else None) or tag


def is_written_right_to_left(tag: str) -> bool:
    """Whether the script of a language runs from right to left."""
    locale = _locale(tag)
    return locale is not None and locale.text_direction == "rtl"


def is_read_right_to_left(tag: str) -> bool:
    """Whether comics in a language are read from right to left.

    So are those whose script does; Japanese ones, set in columns from the right; and, for the same reason, those in
    traditional Chinese, while simplified Chinese and Korean ones follow their script from left to right.
    """
    locale = _locale(tag)
    return locale is not None and (
        locale.text_direction == "rtl" or locale.language == "ja" or (locale.language, locale.script) == ("zh", "Hant")
    )


def _locale(tag: str) -> Locale | None:
    try:
        return Locale.parse(tag, sep="-")
    except (UnknownLocaleError, ValueError):
        return None
