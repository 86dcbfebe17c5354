"""Encoders: x264 unless another is asked for, and one that is asked for must work."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from comic_narrator import ffmpeg
from comic_narrator.errors import MissingToolError
from comic_narrator.film import encode
from comic_narrator.film.encode import CODECS, EncoderName, Encoding, choose_encoder, codec_arguments


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """The codecs that a machine has; tests fill it."""
    has: set[str] = set()

    monkeypatch.setattr(ffmpeg, "can", lambda arguments: bool(has & set(arguments)))
    encode.works.cache_clear()
    yield has
    encode.works.cache_clear()


def test_auto_takes_what_the_graphics_have_and_else_x264(card: set[str]) -> None:
    assert choose_encoder("auto") == "x264"
    encode.works.cache_clear()
    card.add("h264_qsv")
    assert choose_encoder("auto") == "qsv"
    encode.works.cache_clear()
    card.add("h264_nvenc")
    assert choose_encoder("auto") == "nvenc"


def test_one_that_is_asked_for_and_does_not_work_is_named(card: set[str]) -> None:
    assert choose_encoder("x264") == "x264"
    with pytest.raises(MissingToolError, match="nvenc"):
        choose_encoder("nvenc")


@pytest.mark.parametrize("name", sorted(CODECS))
def test_each_has_a_quality_that_follows_the_setting(name: EncoderName) -> None:
    good, poor = (codec_arguments(Encoding(crf, "veryfast", name)) for crf in (16, 30))
    assert CODECS[name] in good
    assert good != poor


def test_x264_itself_works_here() -> None:
    encode.works.cache_clear()
    assert encode.works("x264")
