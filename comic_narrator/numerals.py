"""English numbers as they are said: money, dates, times, ordinals, units, Roman numerals; American style."""

from __future__ import annotations

import re

from num2words import num2words

MONEY = {
    "$": ("dollar", "dollars", "cents"), "£": ("pound", "pounds", "pence"), "€": ("euro", "euros", "cents"),
    "¥": ("yen", "yen", "sen"),
}  # fmt: skip
SCALES = {"k": "thousand", "m": "million", "b": "billion", "t": "trillion"}
WHOLE = r"\d+(?:,\d{3})*"
FRACTIONS = {
    "1/2": "half", "1/3": "a third", "2/3": "two thirds", "1/4": "a quarter", "3/4": "three quarters",
    "½": "half", "⅓": "a third", "⅔": "two thirds", "¼": "a quarter", "¾": "three quarters",
}  # fmt: skip
UNITS = {
    "km/h": "kilometers an hour", "mph": "miles an hour", "km": "kilometers", "cm": "centimeters",
    "mm": "millimeters", "kg": "kilograms", "lbs": "pounds", "lb": "pounds", "oz": "ounces", "ft": "feet",
    "mi": "miles", "hrs": "hours", "hr": "hours", "mins": "minutes", "min": "minutes", "secs": "seconds",
    "sec": "seconds", "yds": "yards", "yrs": "years", "m": "meters", "g": "grams", "kw": "kilowatts", "mb": "megabytes",
    "gb": "gigabytes", "°c": "degrees celsius", "°f": "degrees fahrenheit",
}  # fmt: skip
DOTTED = "ft|lbs?|oz|hrs?|mins?|secs?|yds|yrs"
MONTHS = {
    "jan": "January", "feb": "February", "mar": "March", "apr": "April", "jun": "June", "jul": "July",
    "aug": "August", "sep": "September", "sept": "September", "oct": "October", "nov": "November", "dec": "December",
}  # fmt: skip
MONTH_NAMES = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_MONTH = "|".join((*MONTH_NAMES, *MONTHS))
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_ROMAN_FORM = r"(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
_RULERS = (
    r"henry|louis|george|edward|james|charles|william|richard|elizabeth|mary|john|paul|pius|leo|benedict|catherine|"
    r"philip|nicholas|napoleon|alexander|ramses|xerxes|darius|king|queen|pope|emperor"
)
_CALENDAR = r"the year|year|circa|anno domini|a\.d\."
_OPENERS = re.compile(
    r"\s+(?:[A-Z][a-z]|(?:I|I'm|you|you're|he|he's|she|she's|we|we're|they|it|it's|that's|there|there's|what|where|who|why|"
    r"how|time|get|let's|don't|come|wake)\b)",
)
_PARTS = r"chapter|part|book|volume|vol|act|scene|episode|world war|class|type|mark|phase|level|stage|rocky|section|no"


def numbers_said(text: str) -> str:
    """Every number in `text` in words."""
    text = _fractions(text)
    text = re.sub(r"(?:#\s?|\b[Nn][Oo]\.\s?)(?=\d)", "number ", text)
    text = re.sub(
        r"(?<![\d-])(?:(?:\d-)?(?:\d{3}-)?\d{3}-\d{4}|\d(?:-\d){2,})(?![\d-])",
        lambda m: (" " if len(m[0]) < 8 and m[0][1] == "-" else ", ").join(
            " ".join(said(int(digit)) for digit in part) for part in m[0].split("-")
        ),
        text,
    )
    text = re.sub(r"\b10-4\b", "ten four", text)
    text = re.sub(r"(?<=\d)\s?[Ff][Tt]\.?,?\s?(\d+)\s?[Ii][Nn]\b\.?", r" foot \1", text)
    text = re.sub(
        rf"\b({_CALENDAR})\s+(\d{{4}})\b(?![,.]\d)",
        lambda m: f"{m[1]} {said(int(m[2]), 'year')}",
        text,
        flags=re.IGNORECASE,
    )
    text = re.sub(r"\b911\b", "nine one one", _dates(text))
    text = re.sub(r"(?<=\d)/(?=\d)", " ", text)
    text = re.sub(r"(?<=\d)\s?([AaPp])\.?\s?[Mm]\b\.?", _half_of_day, text)
    text = re.sub(r"(?<![\w.])-(?=\d)", "minus ", re.sub(r"\b(\d{4})\s?[-—–]\s?(\d{4})\b", r"\1 to \2", text))
    text = re.sub(r"\b(\d{1,3})\s?[-–]\s?(\d{1,3})\b(?!-)", r"\1 to \2", text)
    text = re.sub(
        rf"([$£€¥])\s?({WHOLE})(?:\.(\d+))?(?:\s?(thousand|million|billion|trillion|[KkMmBb])\b)?",
        _money,
        text,
        flags=re.IGNORECASE,
    )
    text = re.sub(r"\b(\d{1,2})¢", lambda m: f"{said(int(m[1]))} cents", text)
    text = re.sub(r"\b(\d{1,2}):([0-5]\d)(?!\d)", _time, text)
    text = _units(text)
    text = re.sub(rf"({WHOLE})(?:st|nd|rd|th|ST|ND|RD|TH)\b", lambda m: f" {said(_whole(m[1]), 'ordinal')} ", text)
    text = re.sub(r"'?\b(1[1-9]|20)?(\d)0'?s\b", _decade, text, flags=re.IGNORECASE)
    return re.sub(rf"{WHOLE}(?:\.\d+)?", lambda m: f" {number_said(m[0])} ", text)


def roman_said(text: str) -> str:
    """Roman numerals behind a ruler's name or a word such as chapter as ordinals and numbers; other letters stay."""
    text = re.sub(
        rf"\b({_RULERS})\s+({_ROMAN_FORM})(?![\w'])",
        lambda m: f"{m[1]} the {said(_roman(m[2]), 'ordinal')}" if m[2] else m[0],
        text,
        flags=re.IGNORECASE,
    )
    return re.sub(
        rf"\b({_PARTS})\.?\s+({_ROMAN_FORM})(?![\w'])",
        lambda m: f"{m[1]} {said(_roman(m[2]))}" if m[2] else m[0],
        text,
        flags=re.IGNORECASE,
    )


def roman_number(word: str) -> str | None:
    """A lone Roman numeral from II to XXXIX in words, or None for anything else."""
    if len(word) > 1 and re.fullmatch(r"X{0,3}(IX|IV|V?I{0,3})", word):
        return said(_roman(word))
    return None


def said(number: int | float, how: str = "cardinal") -> str:
    """A number in words, without commas and without "and"."""
    return str(num2words(number, to=how)).replace(",", "").replace(" and ", " ")


def number_said(digits: str) -> str:
    """A number without sign or unit; years in pairs, long rows and leading zeros digit by digit."""
    bare = digits.replace(",", "")
    if "." in bare:
        return said(float(bare[:15]))
    if (bare.startswith("0") and len(bare) > 1) or len(bare) > (15 if "," in digits else 6):
        return " ".join(said(int(digit)) for digit in bare)
    return said(int(bare), "year" if re.fullmatch(r"1[1-9]\d\d|20[1-9]\d", digits) else "cardinal")


def _roman(word: str) -> int:
    values = [_ROMAN[sign] for sign in word.upper()]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


def _whole(digits: str) -> int:
    return int(digits.replace(",", "")[:15])


def _fractions(text: str) -> str:
    text = re.sub(r"(\d)\s?([½⅓⅔¼¾])", lambda m: f"{m[1]} and {_part(m[2])}", text)
    text = re.sub(
        r"\b(\d+)\s(1/2|1/3|2/3|1/4|3/4)(?!\d)", lambda m: f"{m[1]} and {_part(m[2])}", text.replace("⁄", "/")
    )
    return re.sub(r"(?<![\d/])(?:[½⅓⅔¼¾]|(?:1/2|1/3|2/3|1/4|3/4)(?![\d/]))", lambda m: FRACTIONS[m[0]], text)


def _part(sign: str) -> str:
    return "a half" if FRACTIONS[sign] == "half" else FRACTIONS[sign]


def _dates(text: str) -> str:
    text = re.sub(
        rf"\b({_MONTH})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(,?\s+(?=\d{{4}}\b))?",
        lambda m: f"{_month(m[1])} {said(int(m[2]), 'ordinal')}{', ' if m[3] else ''}",
        text,
        flags=re.IGNORECASE,
    )
    text = re.sub(
        rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+({_MONTH})\b\.?",
        lambda m: f"the {said(int(m[1]), 'ordinal')} of {_month(m[2])}" if int(m[1]) <= 31 else m[0],
        text,
        flags=re.IGNORECASE,
    )
    text = re.sub(
        r"\b(1[3-9]|2\d|3[01])/(0?[1-9]|1[0-2])/(\d{4}|\d{2})\b",
        lambda m: f"the {said(int(m[1]), 'ordinal')} of {MONTH_NAMES[int(m[2]) - 1]}, {m[3]}",
        text,
    )
    return re.sub(
        r"\b(0?[1-9]|1[0-2])/(0?[1-9]|[12]\d|3[01])/(\d{4}|\d{2})\b",
        lambda m: f"{MONTH_NAMES[int(m[1]) - 1]} {said(int(m[2]), 'ordinal')}, {m[3]}",
        text,
    )


def _month(word: str) -> str:
    return MONTHS.get(word.lower(), word.capitalize())


def _units(text: str) -> str:
    units = "|".join(re.escape(unit) for unit in sorted(UNITS, key=len, reverse=True))

    def in_full(match: re.Match[str]) -> str:
        unit = UNITS[match[2].lower()]
        one = {"feet": "foot"}.get(unit, re.sub(r"s\b", "", unit, count=1))
        return f"{match[1]} {one if match[1] == '1' else unit}"

    # A unit's own dot is none of the sentence's: "5 ft. tall".
    text = re.sub(rf"(\d\s?(?:{DOTTED}))\.(?=\s+[a-z])", r"\1", text, flags=re.IGNORECASE)
    text = re.sub(rf"\b({WHOLE}(?:\.\d+)?)\s?({units})\b(?!\w)", in_full, text, flags=re.IGNORECASE)
    text = re.sub(r"\b(\d+)'\s?(\d{1,2})(?:\"|''|”)", r"\1 foot \2", text)
    return re.sub(rf"({WHOLE})\s?%", r"\1 percent", text)


def _money(match: re.Match[str]) -> str:
    one, many, small = MONEY[match[1]]
    whole, part, scale = _whole(match[2]), match[3], match[4]
    if scale:
        amount = said(float(f"{whole}.{part[:6]}") if part else whole)
        return f" {amount} {SCALES[scale[0].lower()]} {many} "
    spoken = f" {said(whole)} {one if whole == 1 else many} "
    return f"{spoken}{said(int(part[:2]))} {small} " if part and int(part[:2]) else spoken


def _time(match: re.Match[str]) -> str:
    hour, minute = int(match[1]), int(match[2])
    if not minute:
        return f" {said(hour)} o'clock "
    return f" {said(hour)} {'oh ' if minute < 10 else ''}{said(minute)} "


def _half_of_day(match: re.Match[str]) -> str:
    """A.M. and P.M.: their last dot ends a sentence too, where the next word looks like the first of another."""
    ends = match[0].endswith(".") and _OPENERS.match(match.string, match.end())
    return f" {match[1].upper()} M{'.' if ends else ''}"


def _decade(match: re.Match[str]) -> str:
    tens = said(int(match[2]) * 10) if match[2] != "0" else "hundred"
    return f" {said(int(match[1])) if match[1] else ''} {re.sub('y$', 'ie', tens)}s "
