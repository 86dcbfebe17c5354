"""How many tokens a request takes before it is sent: texts by their bytes, pictures by the rule of the model."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

PictureRule = Callable[[int, int], int]
"""Tokens of a picture of so many pixels of width and height."""

WORDS = re.compile(r"[A-Z]{2,}|[A-Za-z]+|[^\x00-\x7f]+|\s+|.", re.DOTALL)
TILES, TILE_TOKENS = 13, 258
"""Pictures in tiles: at most twelve and a small one of the whole, 256 tokens each between two marks."""
AROUND_PICTURE = 2
"""The marks before and after a picture."""
AROUND_MESSAGE = 12
"""Role and marks of a message in the chat template, and the start of the answer; some over."""


def text_tokens(text: str) -> int:
    """Tokens of a text at most, whatever the tokenizer: byte-pair tokenizers of today's models stay under it.

    A word of Latin letters is taken as a token every three letters, one in capitals every two, as comics are lettered,
    and each digit or sign as one; beyond ASCII a token every two bytes (kana and kanji are three bytes, and mostly one
    token). Measured with Whisper's tokenizers, which know fewer words than those of models that read pages.
    """
    return sum(_piece_tokens(piece) for piece in WORDS.findall(text))


def _piece_tokens(piece: str) -> int:
    if piece.isspace():
        return math.ceil(len(piece) / 4) if len(piece) > 1 or piece == "\n" else 0
    share = 3 if piece.isascii() and not (len(piece) > 1 and piece.isupper()) else 2
    return math.ceil(len(piece.encode("utf-8", errors="replace")) / share)


def picture_rule(model: str) -> PictureRule:
    """The rule of a model, told by its name or by the folder or repository it was loaded from; else an upper bound.

    Qwen2-VL and Qwen2.5-VL: patches of 14 px merged by two; Qwen3-VL: of 16 px; each with the limits of their published
    processors. Nemotron and InternVL cut a picture into tiles, as many for a small one as for a large one.
    """
    name = re.sub(r"[^a-z0-9]", "", model.lower())
    if re.search(r"qwen(2|25)(vl|omni)", name):
        return lambda width, height: merged_patches(width, height, 28, 3_136, 12_845_056)
    if re.search(r"qwen3(5|6)?(vl|omni)?", name):
        return lambda width, height: merged_patches(width, height, 32, 65_536, 16_777_216)
    if re.search(r"nemotron|internvl", name):
        return lambda width, height: TILES * TILE_TOKENS
    return lambda width, height: max(TILES * TILE_TOKENS, math.ceil(width / 16) * (math.ceil(height / 16) + 1))


def merged_patches(width: int, height: int, side: int, least: int, most: int) -> int:
    """Tokens of a picture that is first scaled to whole merged patches, within `least` and `most` pixels.

    Source: smart_resize of the Qwen2-VL image processor.
    """
    across, down = max(1, round(width / side)), max(1, round(height / side))
    area = width * height
    if across * down * side * side > most:
        shrink = math.sqrt(area / most)
        across, down = max(1, int(width / shrink / side)), max(1, int(height / shrink / side))
    elif across * down * side * side < least:
        grow = math.sqrt(least / area)
        across, down = math.ceil(width * grow / side), math.ceil(height * grow / side)
    return across * down


def largest_size(
    width: int, height: int, tokens: int, rule: PictureRule, smallest: int = 224
) -> tuple[int, int] | None:
    """The largest size of that shape, at most that large, that takes at most so many tokens with the marks around it.

    None where its longer side would be under `smallest` pixels: lettering is gone long before.
    """
    longer = max(width, height)

    def size(side: int) -> tuple[int, int]:
        return max(1, width * side // longer), max(1, height * side // longer)

    def small_enough(side: int) -> bool:
        return rule(*size(side)) + AROUND_PICTURE <= tokens

    low, high = min(smallest, longer), longer
    if small_enough(high):
        return width, height
    if not small_enough(low):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if small_enough(middle) else (low, middle)
    return size(low)
