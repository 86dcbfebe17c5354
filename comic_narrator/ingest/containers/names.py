"""Names inside containers: bytes of an unsaid code page become text, and all text takes one form."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

JAPANESE = re.compile("[\u3005-\u3007\u3041-\u30fe\u4e00-\u9fff]")
"""Kana and kanji; full-width Latin is left out, as western code pages read as cp932 give it by chance."""

GLUED = re.compile(f"(?<=[A-Za-z]){JAPANESE.pattern}|{JAPANESE.pattern}(?=[A-Za-z])")
"""A lone accented letter of a western name swallows its neighbour as cp932 and stands between Latin letters."""


def decode_names(names: Sequence[bytes]) -> tuple[str, ...]:
    """Names of one archive whose code page it does not say, in that order.

    UTF-8 where they are that, else Shift-JIS where that reads as Japanese, else cp437, which any bytes are. An archive
    is written by one program, so all its names together decide.
    """
    together = b"\n".join(names)
    for encoding in ("utf-8", "cp932"):
        try:
            text = together.decode(encoding)
        except UnicodeDecodeError:
            continue
        letters = len(JAPANESE.findall(text))
        if encoding == "utf-8" or letters >= max(1, 2 * len(GLUED.findall(text))):
            return tuple(name.decode(encoding) for name in names)
    return tuple(name.decode("cp437") for name in names)


def plain_name(name: str) -> str:
    """The name as it is shown and sorted: parts joined by "/", NFC, without what no text file can hold."""
    whole = name.encode("utf-8", "replace").decode("utf-8").split("\0")[0]
    return unicodedata.normalize("NFC", whole.replace("\\", "/"))
