"""English lettering as the sentence that a person would read aloud."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache

from comic_narrator.lexicon import SPELLED, english_words
from comic_narrator.numerals import numbers_said, roman_number, roman_said
from comic_narrator.script.spoken.words import (
    ABBREVIATIONS,
    ACRONYMS,
    ALSO_WORDS,
    CAPITALS,
    CENSORED,
    DOTLESS,
    INTERJECTIONS,
    RESPELLED,
    SOUNDS_MADE,
    TITLES,
)

_WORD = r"[^\W\d_]+(?:'[^\W\d_]+)*"
_SWEAR = r"(?<!\w)(?=[^\w\s]*[#@&%])(?=(?:[^\w\s]*[#@$%&*!?]){3})[#@$%&*!?^~+=†☠]{3,}"
_HIDDEN_DASH = re.compile(
    r"\b(?!thank-)([a-z]{2,})-(?=("
    r"you|i|he|she|we|they|but|and|what|who|why|this|then|if|it's|that's|don't|i'm|a|an|the|these|those|when|whether|"
    r"where|because|or|my|your|his|her|our|their|i'll|i've|i'd|you're|you'll|we're|we'll|he's|she's|they're|there's"
    r")\b(?![-']))",
    re.IGNORECASE,
)
"""A dash that is lettered as short as a hyphen: before these words a compound is rarer than a break."""

_MARKED = re.compile(
    r"(?<![\w'])(?:"
    + "|".join(
        re.escape(word) for word in sorted(RESPELLED, key=len, reverse=True) if not word.isalpha() and "-" not in word
    )
    + r")(?!\w)",
    re.IGNORECASE,
)
"""Short forms with a mark in them, which the rules for words would tear apart."""

_CONSONANTS = "BCDFGHJKLMNPQRSTVWXYZ"

_SMALL = frozenset({
    "am", "an", "as", "at", "be", "by", "do", "go", "he", "if", "in", "is", "it", "me", "my", "no", "of", "on", "or",
    "so", "to", "up", "us", "we",
})  # fmt: skip
"""Words of two letters that a number may follow behind a hyphen: others are letters, as in AK-47."""

_SINGLE = frozenset({
    "yes", "let", "get", "them", "then", "when", "men", "best", "red", "bed", "set", "so", "long", "stop", "mom",
    "boss", "dog", "hot", "not", "lost", "off", "on", "one", "some", "come", "love", "well", "tell", "help",
})  # fmt: skip
_DOUBLE = frozenset({"boo", "woo", "zoo", "moo", "too"})
_LAUGH = re.compile(r"(?:mu|bu|gy|ny|[mbg])?(?:wa|a)?(?:h+[aeoi]+){2,}h*|(?:h[aeo]){2,}h?", re.IGNORECASE)


def english(text: str, names: Collection[str]) -> str:
    """`text` as it is said; `names` are words that keep their capital."""
    text = _rejoined(text).replace("<3", "♥")
    text = re.sub(rf"[*<]+\s*((?:{SOUNDS_MADE})(?:[ -](?:{SOUNDS_MADE}))*)\s*[*>]+(?=\s*\w)", r"\1. ", text, flags=re.I)
    text = re.sub(r"(?i)\b(my|oh|dear)\s+go{3,}d\b", r"\1 god", text)
    text = _censored(text)
    text = re.sub(r"(?<![\w@])[@#$%&*]{2,}[Xx]?(?=[!?.,]|\s|$)(?<![*])", f" {CENSORED} ", text)
    text = re.sub(_SWEAR, lambda m: f" {CENSORED}{'!' if m[0].endswith('!') else ''} ", text)
    text = re.sub(r"(?<![\w*])[A-Za-z]+(?=[#*$!@]*[#*$])[#*$!@]+[A-Za-z]+|\b[A-Za-z][*#@$%]{2,}", CENSORED, text)
    text = re.sub(r"\bI\s*[♥♡]\s*(?=\w)", "I love ", text)
    text = re.sub(r"[♪♡♥☆★*~_<>{}\[\]|\\^←↑→↓⇒]+", " ", text)
    text = _marks(text)
    text = _stutters(text)
    text = _MARKED.sub(lambda m: RESPELLED[m[0].lower()], text)
    capitals = _is_in_capitals(text)
    text = roman_said(_dotted(text))
    text = re.sub(rf"(?:[A-Za-z]\.){{2,}}|{_WORD}", lambda m: _cased(m[0], capitals), text)
    if capitals:
        text = re.sub(r"\b([A-Z])-([a-z])", lambda m: m[0].lower() if m[1].lower() == m[2] else m[0], text)
    text = numbers_said(text)
    text = re.sub(r"\s*&\s*", " and ", text)
    text = re.sub(r"(?<=\w)\s*@\s*(?=\w)", " at ", text)
    text = re.sub(r"(?<=\w)\s?\+\s?(?=\w)", " plus ", re.sub(r"(?<=\w)\s?=\s?(?=\w)", " equals ", text))
    text = text.replace("°", " degrees ")
    text = text.replace('"', "")
    text = re.sub(r"(?<![.\w])[A-Za-z']+(?:-[A-Za-z']+)*", lambda m: _said(m[0]), text)
    text = _sentences(text, {name.lower(): name for name in (*CAPITALS, *names)}, capitals)
    return _tidy(text)


def _censored(text: str) -> str:
    """Swear words of letters and an @ or dashes between them ("D@MN", "D--N", "H---!") as what is heard for them."""
    text = re.sub(
        r"\b[A-Za-z]+@[A-Za-z]+\b",
        lambda m: CENSORED if m[0].lower().replace("@", "a") in english_words() else m[0],
        text,
    )
    return re.sub(
        rf"\b([{_CONSONANTS}])(?:-{{2,}}|[—–]+)(?!\1)(?:[NMDTKS]|LL|CK|MN|DD|NED)\b(?!')|\b[{_CONSONANTS}]-{{3,}}(?![\w-])",
        CENSORED,
        text,
    )


def _rejoined(text: str) -> str:
    """Words that a line's end parted by a hyphen, whole again; a compound keeps its hyphen."""

    def rejoin(match: re.Match[str]) -> str:
        whole = match[1] + match[2]
        if whole.lower() in english_words() or match[1].lower() not in english_words():
            return whole
        return f"{match[1]}-{match[2]}" if match[2].lower() in english_words() else whole

    return re.sub(r"\s+", " ", re.sub(r"(\w+)[-\u00ad\u2010]\s*\n\s*(\w+)", rejoin, text))


def _marks(text: str) -> str:
    # A stutter may be lettered with a dash: "W--WAIT".
    text = re.sub(r"\b([A-Za-z]{1,2})(?:--+|—|–)(?=\1)", r"\1-", text, flags=re.IGNORECASE)
    text = re.sub(r"\s*(--+|—|–|―|⸺)\s*", " — ", text.replace("\u2010", "-").replace("\u00ad", ""))
    text = re.sub(r"(?<=[A-Za-z])-(?=\s|$|[\"!?])", " — ", text)
    text = _HIDDEN_DASH.sub(lambda m: m[0] if m[2].lower().startswith(m[1].lower()) else f"{m[1]} — ", text)
    text = re.sub(r"(?<=\s)-\s+|^-\s*(?=[A-Za-z])", "— ", text)
    text = re.sub(r"(?<=[A-Za-z]{2})([.,:!?])(?=[A-Za-z]{3})", r"\1 ", text)
    text = re.sub(r"\s*\.(\s?\.){1,}\s*", "... ", text)
    text = re.sub(r"[¡¿]", "", text)
    text = re.sub(r"[!?‼⁇⁈⁉]*[?⁇⁈⁉][!?‼⁇⁈⁉]*", "? ", text)
    return re.sub(r"[!‼]+", "! ", text)


def _stutters(text: str) -> str:
    """A stutter kept as one broken-off start ("W-W-WHAT" is "W-what"), and a word said again and again as two."""

    def start(match: re.Match[str]) -> str:
        word = match[2]
        again = re.match(rf"(?:{re.escape(match[1])})", word, re.IGNORECASE)
        return f"{match[1]}-{word}" if again else match[0]

    text = re.sub(
        r"(?<![\w'-])([A-Za-z]{1,3})(?:(?:-|\.\.\.\s?|, ?)\1)*-+(?=\1[A-Za-z])([A-Za-z']+)", start, text, flags=re.I
    )
    # "B-b-but" is lettered with the full start again, "fri-fri-" goes nowhere: what is never said in full is left out.
    return re.sub(r"(?<![\w-])(?:\w{1,2}-)?(\w{1,4})(?:-\1)+ — ", _unless_word, text, flags=re.IGNORECASE)


def _unless_word(match: re.Match[str]) -> str:
    return match[0] if match[1].lower() in english_words() or match[1].lower() in INTERJECTIONS else " "


def _is_in_capitals(text: str) -> bool:
    letters = [c for c in text if c.isalpha()]
    return sum(c.isupper() for c in letters) > 0.7 * len(letters) if letters else False


def _dotted(text: str) -> str:
    """Abbreviations in full, and letters with dots between them as words of capitals: U.S.A. is USA."""
    text = re.sub(r"\b(?:[A-Za-z]\.){2,}(?!\w)", _initials, text)
    text = re.sub(r"\bWW(II?)\b", lambda m: f"World War {m[1]}", re.sub(r"\bMI([56])\b", r"M.I. \1", text))
    text = re.sub(r"\b([A-Z])-(?=\d)|(?<=\d)-(?=[A-Za-z])", lambda m: f"{m[1] or ''} ", text)
    text = re.sub(
        r"\b([A-Z])([A-Z])-(?=\d)", lambda m: m[0] if m[0][:2].lower() in _SMALL else f"{m[1]}.{m[2]}. ", text
    )
    text = re.sub(r"\bSt\.?\s+(?=[A-Z][a-z])|\bST\.\s+(?=[A-Z])", "Saint ", text)
    text = re.sub(r"\bSt\.(?=\s*(?:$|[,!?]))|\bST\.(?=\s*(?:$|[,!?]))", "street", text)
    text = re.sub(
        r"(?<!\d\s)(?<!\d)\b([A-Za-z]{2,6})\.(?=\s+\S|,|$)",
        lambda m: ABBREVIATIONS.get(m[1].lower(), m[0]) if _is_short_form(m) else m[0],
        text,
    )
    return re.sub(
        r"\b(?:mr|mrs|ms|dr|vs|jr|sgt|capt|prof)\b(?!')",
        lambda m: ABBREVIATIONS[m[0].lower()] if m[0].lower() in DOTLESS else m[0],
        text,
        flags=re.IGNORECASE,
    )


def _initials(match: re.Match[str]) -> str:
    letters = match[0].replace(".", "").upper()
    if (letters not in SPELLED or letters in ("AI", "PM")) and letters not in ACRONYMS:
        return match[0].upper()
    at_end = not match.string[match.end() :].strip()
    return letters + ("." if at_end else "")


def _is_short_form(match: re.Match[str]) -> bool:
    word = match[1].lower()
    if word not in ABBREVIATIONS:
        return False
    # "No more, max." ends with a name; "Gen. Lee" goes on with one.
    follows = match.string[match.end() :].lstrip()
    return word in DOTLESS or word in ("etc", "inc", "ltd", "jr", "sr", "ave", "blvd", "dept", "approx") or (
        bool(follows) and (follows[0].isupper() or follows[0].isdigit())
        and word not in ("co", "max", "fig", "apt", "hon", "rev", "est", "tel", "pres")
    )  # fmt: skip


def _cased(word: str, capitals: bool) -> str:
    """A word without the capitals of lettering; abbreviations keep theirs."""
    if "." in word:
        return word
    if not word.isupper() or len(word) < 2:
        return word.lower() if capitals and (len(word) > 1 or word in "AO") else word
    if word.endswith("'S") and word[:-2] in SPELLED | ACRONYMS:
        return f"{word[:-2]}'s"
    if word in ACRONYMS or (word in SPELLED and not (capitals and word in ALSO_WORDS)):
        return word
    number = roman_number(word)
    if number is not None and word.lower() not in ("mix", "ii'm", "xi"):
        return number
    stem = word.removesuffix("S")
    if len(stem) > 1 and stem in SPELLED and stem not in ALSO_WORDS and word.lower() not in english_words():
        return f"{stem}s"
    return word.lower()


def _said(word: str) -> str:
    """An interjection, laugh or long-drawn word as a voice can say it; any other word as it is."""
    short = re.sub(r"([a-z])\1{2,}", r"\1\1", word.lower())
    for form in (word.lower(), short, re.sub(r"([a-z])\1+$", r"\1", short), re.sub(r"([a-z])\1+", r"\1", short)):
        if form in INTERJECTIONS:
            spoken = INTERJECTIONS[form]
            return spoken.capitalize() if word[0].isupper() else spoken
    if _LAUGH.fullmatch(word.replace("-", "")) and len(word) > 3:
        return _laughter(word)
    if word.lower() in RESPELLED and word.islower() and word not in ("u", "ur"):
        return RESPELLED[word]
    if re.search(r"([A-Za-z])\1\1", word) or re.search(r"^([A-Za-z]{1,2})-([A-Za-z])\2?-", word):
        return "-".join(_unstretched(part) for part in word.split("-"))
    return word


def _laughter(word: str) -> str:
    """Laughter as its syllables, three at most: a voice laughs on by itself for no longer."""
    plain = word.lower().replace("-", "")
    start = re.match(r"(?:mu?wa|bwa|wa|bua|gya|nya)(?=h)|mwa(?=h)", plain)
    beats = re.findall(r"h+[aeio]", plain[start.end() if start else 0 :])
    told = " ".join(([start[0]] if start else []) + [re.sub("h+", "h", beat) for beat in beats[:3]])
    return told[:1].upper() + told[1:] if word[0].isupper() else told


@cache
def _unstretched(word: str) -> str:
    """A long-drawn word ("Noooo", "Sooooon", "Pleeease") as the lexicon has it."""
    low = word.lower()
    if not re.search(r"([a-z])\1\1", low):
        return word
    runs = list(re.finditer(r"([a-z])\1+", low))
    # "Sooon" is soon and "freee" free, for English doubles these two inside a word or at its end; "yeees" is yes.
    single = re.sub(r"([a-z])\1+", r"\1", low)
    usual = tuple((run[1] == "o" and run.end() < len(low)) or run[1] == "e" for run in runs)
    if low.rstrip("o") + "oo" in _DOUBLE:
        usual = tuple(True for _ in runs)
    for doubled in [*([] if single in _SINGLE else [usual]), *_choices(len(runs))]:
        form, end = "", 0
        for run, twice in zip(runs, doubled, strict=True):
            keep = run[1] * (len(run[0]) if len(run[0]) == 2 and twice else 2 if twice else 1)
            form += low[end : run.start()] + keep
            end = run.end()
        form += low[end:]
        if form in english_words() and form not in ("soo", "noo", "noooo", "hii", "goo", "nno", "aa", "yee", "ii"):
            return form.capitalize() if word[0].isupper() else form
    plain = re.sub(r"([a-z])\1\1+", r"\1", low)
    return plain.capitalize() if word[0].isupper() else plain


def _choices(runs: int) -> list[tuple[bool, ...]]:
    """Which runs of a letter are doubled: none first, then each alone, then all; few words have more."""
    if runs > 4:
        return [(False,) * runs, (True,) * runs]
    every = [tuple(bool(bits >> i & 1) for i in range(runs)) for bits in range(2**runs)]
    return sorted(every, key=sum)


def _sentences(text: str, names: Mapping[str, str], capitals: bool) -> str:
    """Sentences that begin with a capital, I and names with theirs."""
    if capitals:
        titled = False

        def named(match: re.Match[str]) -> str:
            nonlocal titled
            word = match[0]
            bare = word.lower().removesuffix("'s")
            kept = names.get(bare)
            cased = kept + word[len(bare) :] if kept else word.capitalize() if titled and word.islower() else word
            titled = word.lower() in TITLES
            return cased

        text = re.sub(_WORD, named, text)
    text = re.sub(r"\bi(?=\b(?!'|-\w))|\bi(?='(?:m|d|ll|ve)\b)", "I", text)
    return re.sub(r"(^|[.!?]\s+)(\W*)([^\W\d_])", _opened, text)


def _opened(match: re.Match[str]) -> str:
    # Behind an ellipsis a sentence goes on.
    before = match.string[: match.start() + 1]
    goes_on = match[1].startswith(".") and (before.endswith("...") or re.search(r"(?:\b[A-Za-z]\.){2,}$", before))
    return match[1] + match[2] + (match[3] if goes_on else match[3].upper())


def _tidy(text: str) -> str:
    text = re.sub(
        rf"^(\W*)({'|'.join(sorted({w for w in INTERJECTIONS.values() if w}, key=len, reverse=True))}) "
        r"(?=(?!and\b|h?uh\b|my\b|no\b|yes\b|yeah\b|well\b|dear\b|there\b|come\b|boy\b|man\b|off\b|of\b|the\b|a\b|in\b|is\b)"
        r"[a-z])",
        r"\1\2... ",
        text,
        flags=re.IGNORECASE,
    ) if re.match(r"\W*(?:mmm|hmm|um|uh|er|humph)\b", text, re.IGNORECASE) else text  # fmt: skip
    text = re.sub(r"\s+([,.!?;:)])", r"\1", re.sub(r"\s+", " ", text))
    text = re.sub(r"[,;:]+(?=[.!?])|\.(?=,)|(?<=[,;:])[,;:]+|(?<=!)\.(?!\.)|(?<=\?)\.(?!\.)", "", text)
    text = re.sub(r"\s*—\s*(?=[!?])|(?<=[!?])\s*—|—\s*(?=[,;:.])", "", text)
    text = re.sub(r"([!?])(?:\s*[!?])+", lambda m: "?" if "?" in m[0] else "!", text)
    return re.sub(r"^[\s.,;:!?—-]+(?=\w)|[\s,;:-]+$", "", re.sub(r"\s+", " ", text)).strip()
