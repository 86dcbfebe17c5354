"""English words in place of slips, out of what else the recogniser took the letters for."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from comic_narrator.lexicon import english_words
from comic_narrator.readers.recogniser import Guess, Letter
from comic_narrator.readers.words import Row

_SHORT_WORDS = """
    a i ah am an as at be by do dr eh go ha he hi ho if in is it jr me mr my no of oh ok on or ow so st to uh um
    up us we ye
"""
SHORT = frozenset(_SHORT_WORDS.split())
"""The words of one or two letters that lettering has; the lexicon has each letter and every abbreviation as well."""
LEAST_LIKELY = math.log(0.02)
"""The least of the likelihood of what was read that all mends of a word keep: a letter surely read is not mended."""
MENDED = 0.5
"""A mended letter counts as read at least so surely: most mended words are right, but not all."""
SPACE_LOST = 3.0
MOST_MENDS = 2
LONGEST = 24
"""Longer runs without a space are left alone: to search them takes long and they are no words."""

_TRIM = ".,!?…\"'’‘“”-–—:;()*[]~&"
_PARTS = re.compile(r"[-–—.,!?…:;]+")
_CONTRACTED = re.compile(r"(?:['’](?:s|d|ll|re|ve|m|t|em|n)|n['’]t|s['’])$")

_SOUND = re.compile(r"(?i)([a-z])\1\1|([wrmhsz])\2\b")

_CONTRACTIONS = """
    i'm i've you're you've you'll we've they're they've they'll he's she's that's there's here's what's who's it'll
    that'll don't didn't doesn't isn't wasn't aren't weren't hasn't haven't hadn't couldn't wouldn't shouldn't ain't
    can't
"""
_APOSTROPHE = {word.replace("'", ""): word for word in _CONTRACTIONS.split()}
"""Contractions whose apostrophe the recogniser is prone to drop, and which are no other word without it."""


def spelled(rows: Sequence[Row]) -> list[Row]:
    """English rows with misread words mended, where the recogniser itself thought of the letters that make them words.

    A word that stands on the page twice in the same spelling is somebody's name, and is left as it is.
    """
    counts = word_counts(rows)
    return [_spelled(row, counts) for row in rows]


def word_counts(rows: Sequence[Row]) -> Counter[str]:
    """How often each word stands in `rows`, in upper case."""
    return Counter(word.upper() for row in rows for token in row.text.split() for word in _words(token))


def known_share(text: str, names: frozenset[str] = frozenset()) -> float:
    """The share of the letters of `text` that stand in English words, drawn-out sounds, or `names` (in upper case).

    It is 1 where there are no letters.
    """
    words = [word for token in text.split() for word in _words(token)]
    letters = sum(map(len, words))
    known = sum(len(word) for word in words if is_known(word) or word.upper() in names or _SOUND.search(word))
    return known / letters if letters else 1.0


def is_known(word: str) -> bool:
    """Whether a word in any case, without punctuation around it, is English or a number."""
    word = word.casefold().replace("’", "'")
    if word.isdigit() or word in _APOSTROPHE or word in _APOSTROPHE.values():
        return True
    base = _CONTRACTED.sub("", word)
    if len(base) <= 2:
        return base in SHORT
    return word in english_words() or base in english_words()


def with_apostrophes(text: str) -> str:
    """`text` with the apostrophe of plain contractions put back: "IM" becomes "I'M", "Dont" becomes "Don't"."""
    return re.sub(r"[A-Za-z]+", lambda match: _contracted(match[0]), text)


def _contracted(word: str) -> str:
    whole = _APOSTROPHE.get(word.casefold())
    if whole is None:
        return word
    at = whole.index("'")
    return f"{word[:at]}'{word[at:]}"


def _words(token: str) -> list[str]:
    """The words of a run of characters without a space, punctuation taken off: "WILLIE-I" are two."""
    return [word for part in _PARTS.split(token) if (word := part.strip(_TRIM))]


def _all_known(text: str) -> bool:
    words = [word for token in text.split() for word in _words(token)]
    return bool(words) and all(is_known(word) for word in words)


def _spelled(row: Row, counts: Counter[str]) -> Row:
    letters: list[Letter] = []
    changed = False
    for token in _tokens(row.letters):
        mended = _mended(token, counts)
        changed = changed or mended is not token
        letters += mended
    if not changed:
        return row
    text = "".join(letter.char for letter in letters)
    sure = sum(letter.sure for letter in letters) / len(letters)
    return replace(row, text=text, confidence=min(sure, row.confidence), letters=tuple(letters))


def _tokens(letters: Sequence[Letter]) -> Iterator[Sequence[Letter]]:
    """Runs of letters between spaces, and the spaces between them."""
    start = 0
    for i, letter in enumerate(letters):
        if letter.char == " ":
            yield from (part for part in (letters[start:i], letters[i : i + 1]) if part)
            start = i + 1
    if letters[start:]:
        yield letters[start:]


def _mended(token: Sequence[Letter], counts: Counter[str]) -> Sequence[Letter]:
    """The likeliest reading of a run of letters that is made of known words, or the run itself."""
    text = "".join(letter.char for letter in token)
    words = _words(text)
    if len(token) > LONGEST or not words or all(is_known(word) for word in words):
        return token
    if any(counts[word.upper()] > 1 for word in words if len(word) > 3 and not is_known(word)):
        return token
    digits = sum(letter.char.isdigit() for letter in token)
    best, likeliest = token, LEAST_LIKELY
    for letters, likelihood in _readings(token):
        mended = "".join(letter.char for letter in letters)
        # Any run of digits is a number: letters must not be mended into one, nor a stray mark into a word.
        if sum(map(str.isdigit, mended)) > digits or (len(token) <= 2 and len(mended) != len(token)):
            continue
        if likelihood > likeliest and _all_known(mended):
            best, likeliest = letters, likelihood
    return best


def _readings(token: Sequence[Letter]) -> Iterator[tuple[Sequence[Letter], float]]:
    """Other readings of a run, each with the logarithm of its likelihood over that of the run as read."""
    layer: list[tuple[tuple[Letter, ...], float, int]] = [(tuple(token), 0.0, 0)]
    for _ in range(MOST_MENDS):
        following = []
        for letters, likelihood, start in layer:
            for i in range(start, len(letters)):
                for put, change in _changes(letters[i]):
                    if likelihood + change > LEAST_LIKELY:
                        reading = (*letters[:i], *put, *letters[i + 1 :])
                        following.append((reading, likelihood + change, i + len(put)))
        yield from ((letters, likelihood) for letters, likelihood, _ in following)
        layer = following


def _changes(letter: Letter) -> Iterator[tuple[tuple[Letter, ...], float]]:
    """What may stand in a letter's place: another, none, or another and the letter."""
    for guess in letter.others:
        put = (_letter(guess),) if guess.char else ()
        yield put, math.log(guess.sure / max(letter.sure, 1e-6))
    for guess in letter.before:
        # What stands between letters competes with the blank there; close lettering loses many a space.
        lost = SPACE_LOST if guess.char == " " else 1.0
        yield (_letter(guess), letter), math.log(lost * guess.sure / max(1 - guess.sure, 1e-6))


def _letter(guess: Guess) -> Letter:
    return Letter(guess.char, max(guess.sure, MENDED))
