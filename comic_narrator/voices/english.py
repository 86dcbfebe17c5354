"""English lettering as plain words: capitals, long-drawn words, stutters, numbers, money and signs as they are said."""

from __future__ import annotations

import re
import unicodedata
from itertools import count

from comic_narrator.lexicon import SPELLED, english_words
from comic_narrator.numerals import numbers_said, roman_number

_STARTS = {
    **{letter: letter for letter in "bdfhklmnpstvwz"},
    "c": "k", "g": "ɡ", "j": "ʤ", "q": "kw", "r": "ɹ", "x": "z", "y": "j", "ch": "ʧ", "sh": "ʃ", "th": "ð", "wh": "w",
}  # fmt: skip

STUTTERS = {f"{letters}qh": sound for letters, sound in _STARTS.items()}
"""Kokoro's phonemes for the broken-off start of a word, under the names that `plain` gives to them.

The consonant alone: with a vowel behind it, or a rest, the model makes a word of it ("puh", "but but", "a good ghost").
"""

SOUND_WORDS = {
    "ahem": "əhˈɛm", "arrgh": "ˈɑɹɡ", "boing": "bˈYŋ", "brr": "bˈɜɹ", "eek": "ˈik", "eww": "ˈiu", "gah": "ɡˈɑ",
    "grr": "ɡˈɜɹ", "ha": "hˈɑɑ", "hm": "hˈʌm", "hmm": "hˈʌm", "hmpf": "hˈʌmf", "hmph": "hˈʌmf", "kapow": "kəpˈW",
    "gyah": "ɡjˈɑ", "kya": "kjˈɑ", "m'lady": "məlˈAdi", "meh": "mˈɛ", "mm": "ˈʌm", "nah": "nˈæ", "oo": "ˈu",
    "pff": "pˈʌf", "pfft": "pˈʌft", "psh": "pˈɪʃ", "psst": "pst", "pst": "pst", "sh": "ʃˈʌ", "shh": "ʃˈʌ",
    "thwack": "θwˈæk", "tsk": "tˈɪsk", "y'hear": "jəhˈɪɹ", "yeah": "jˈæə", "zz": "zˈɪz",
}  # fmt: skip
"""Kokoro's phonemes for words of comics that the lexicon lacks or has wrong."""

_NAMES = {
    "A": "A", "B": "bi", "C": "si", "D": "di", "E": "i", "F": "ɛf", "G": "ʤi", "H": "Aʧ", "I": "I", "J": "ʤA",
    "K": "kA", "L": "ɛl", "M": "ɛm", "N": "ɛn", "O": "O", "P": "pi", "Q": "kju", "R": "ɑɹ", "S": "ɛs", "T": "ti",
    "U": "ju", "V": "vi", "W": "dʌbəlju", "X": "ɛks", "Y": "wI", "Z": "zi",
}  # fmt: skip
"""Kokoro's phonemes for the names of the letters, without their stress."""

_RESPELLED = {
    "mr": "mister", "mrs": "missus", "ms": "miz", "dr": "doctor", "vs": "versus", "jr": "junior",
    "sr": "senior", "sgt": "sergeant", "capt": "captain", "prof": "professor", "'em": "um", "'n'": "and",
    "ol'": "ole", "etc.": "etcetera",
}  # fmt: skip

_SIGNS = str.maketrans({
    "’": "'", "‘": "'", "`": "'", "´": "'", "–": "—", "―": "—", "„": "“", "«": "“", "»": "”", "&": " and ", "@": " at ",
    "+": " plus ", "=": " equals ", "°": " degrees ", "%": " percent", "⁄": "/", "\\": " ",
})  # fmt: skip


def plain(text: str) -> str:
    """`text` as words of plain letters, apostrophes and hyphens, with the marks `.,!?;:—…“”()` that a voice heeds."""
    text = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    text = numbers_said(_punctuated(text.translate(_SIGNS)))
    text = re.sub(r"\bSt\.?\s+(?=[A-Z])|\bST\.\s+(?=[A-Z])", "Saint ", text)
    text = re.sub(r"\b([Tt]he) US\b", r"\1 U.S.", text)
    text = re.sub(
        r"(?<![\w'])(?:(\w{2,4})(?:\.(?=\s|$)|\b)|'em\b|'n'|ol'|etc\.)", _respelled, text, flags=re.IGNORECASE
    )
    text = re.sub(r"\b([bm][wu]a)?((?:h[aeio]){2,})h?\b", _laughter, text, flags=re.IGNORECASE)
    text = re.sub(r"\b([A-Za-z]{1,2})-(?=\1)", lambda m: _stutter(m[1]), text, flags=re.IGNORECASE)
    text = re.sub(r"\b[A-Z][A-Z']*[A-Z]\b", lambda m: _uncapped(m[0]), text)
    text = re.sub(r"[A-Za-z]*([A-Za-z])\1\1[A-Za-z]*", lambda m: _shortened(m[0].lower()), text, flags=re.IGNORECASE)
    text = re.sub(r"[^A-Za-z'.,!?;:—…“”() -]+|(?<![A-Za-z])-|-(?![A-Za-z])", " ", text)
    return re.sub(r"\s+(?=[.,!?;:…])", "", re.sub(r"\s+", " ", text)).strip()


def _punctuated(text: str) -> str:
    """Dots, dashes and quotation marks each written in one way."""
    text = re.sub(r"(?<=[A-Za-z]{2})([.,:])(?=[A-Za-z]{2})", r"\1 ", text)
    text = re.sub(r"\s*\.(?:\s?\.)+\s*", "… ", text)
    text = re.sub(r"\s*(?:—|--+|\s-\s|(?<=[A-Za-z])-(?=\s|$|[\"”!?]))[\s—-]*", " — ", text)
    turn = count()
    return re.sub('"', lambda _: "”" if next(turn) % 2 else "“", text)


def _respelled(match: re.Match[str]) -> str:
    return _RESPELLED.get((match[1] or match[0]).lower(), match[0])


def _laughter(match: re.Match[str]) -> str:
    return " ".join([*filter(None, [match[1]]), *re.findall("..", match[2])])


def _stutter(letters: str) -> str:
    """The name of a broken-off start; a vowel's is dropped, for it would be said as the letter's name."""
    name = f"{letters.lower()}qh"
    if letters == "I":
        return "I "
    return f"{name} " if name in STUTTERS else ""


def _uncapped(word: str) -> str:
    """A word of capitals as it is said: abbreviations stay and are spelled, roman numbers become numbers."""
    if (number := roman_number(word)) is not None:
        return number
    low = word.lower()
    silent = not set(word) & set("AEIOUY'") and len(word) <= 4 and not re.search(r"(.)\1", word)
    if word != "OK" and (word in SPELLED or (silent and low not in SOUND_WORDS and low not in english_words())):
        return word
    return low


def spelled(word: str) -> str | None:
    """Phonemes of several of what is said letter by letter, or of what is theirs (TVs, FBI's); None for other words."""
    match = re.fullmatch(r"([A-Z]{2,4})'?s", word)
    if match is None or match[1] not in SPELLED:
        return None
    *first, last = (_NAMES[letter] for letter in match[1])
    end = "ᵻz" if last.endswith(("s", "ʧ")) else "z"
    return "".join(_stressed(letter, "ˌ") for letter in first) + _stressed(last, "ˈ") + end


def _stressed(sound: str, mark: str) -> str:
    """A letter's name with its stress before its vowel, where Kokoro's alphabet has it."""
    return re.sub(r"(?=[AIOWYaeiouɑɐɔəɛɪʊʌ])", mark, sound, count=1)


def _shortened(word: str) -> str:
    """A long-drawn word ("Noooo", "Aaargh") as the lexicon has it."""
    double, single = re.sub(r"(.)\1\1+", r"\1\1", word), re.sub(r"(.)\1\1+", r"\1", word)
    if single in ("so", "go"):
        return single
    return next((known for known in (double, single) if known in SOUND_WORDS or known in english_words()), double)
