"""Japanese as the kana that are heard, for engines that would read kanji as Chinese."""

from __future__ import annotations

import threading

from comic_narrator.errors import MissingToolError
from comic_narrator.voices.phonemes import plain_japanese

_LOCK = threading.Lock()


def kana(text: str) -> str:
    """`text` in katakana as it is pronounced, marks kept; MissingToolError without pyopenjtalk-plus."""
    try:
        import pyopenjtalk
    except ImportError as error:
        raise MissingToolError(
            "The package pyopenjtalk-plus, which Japanese voices need, is not installed.",
            "Install it with: pip install pyopenjtalk-plus",
        ) from error
    with _LOCK:
        return str(pyopenjtalk.g2p(plain_japanese(text), kana=True))
