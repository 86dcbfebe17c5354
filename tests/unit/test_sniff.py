"""Answers of speech servers, told by their bytes."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from comic_narrator.errors import BackendAnswerError
from comic_narrator.voices.sniff import container_of, decoded
from tests.fakes.babble import babble, wav

SOUND = babble("Stop the train, now!", 24_000)


@pytest.mark.parametrize(
    ("container", "kind"), [("WAV", "wav"), ("FLAC", "flac"), ("OGG", "ogg"), ("MP3", "mp3"), ("RF64", "wav")]
)
def test_a_sound_is_read_whatever_container_it_comes_in(container: str, kind: str) -> None:
    data = wav(SOUND, 24_000, container)
    assert container_of(data) == kind
    sound = decoded(data, "The server")
    assert sound.rate == 24_000
    assert len(sound.samples) == pytest.approx(len(SOUND), abs=2_500)
    assert sound.samples.dtype == np.float32
    assert np.abs(sound.samples).max() == pytest.approx(np.abs(SOUND).max(), rel=0.15)


@pytest.mark.parametrize("size", [0, 0xFFFFFFFF, 0x7FFFFFFF - 36], ids=["zero", "most", "half"])
def test_a_wav_whose_size_was_left_open_is_read_to_its_end(size: int) -> None:
    data = bytearray(wav(SOUND, 24_000))
    data[4:8] = data[40:44] = struct.pack("<I", size)
    assert len(decoded(bytes(data), "The server").samples) == len(SOUND)


def test_channels_are_mixed_to_one() -> None:
    left_and_right = np.stack([SOUND, np.zeros_like(SOUND)], axis=1)
    assert np.allclose(decoded(wav(left_and_right, 24_000), "S").samples, SOUND / 2, atol=1e-3)


WHOLE = wav(SOUND, 24_000)
BAD = {
    "nothing": (b"", "nothing"),
    "zeros": (bytes(400), "nothing"),
    "json": (b'{"error": "model is loading"}', "model is loading"),
    "page": (b"<!DOCTYPE html><html><body>Sign in</body></html>", "text"),
    "japanese-message": ("モデルがまだありません。".encode() * 40, "text"),
    "no-header": (WHOLE[44:], "without a header"),
    "no-samples": (wav(np.zeros(0, np.float32), 24_000), "no sound"),
    "torn": (WHOLE[: len(WHOLE) // 2], "broke off"),
    "torn-header": (WHOLE[:20], "damaged"),
    "aac": (bytes([0xFF, 0xF1, 0x50, 0x80]) + bytes(range(256)), "AAC"),
    "mp4": (b"\0\0\0\x20ftypM4A " + bytes(range(256)), "MP4"),
    "torn-flac": (wav(SOUND, 24_000, "FLAC")[:60], "damaged"),
}


@pytest.mark.parametrize("name", sorted(BAD))
def test_what_is_no_whole_sound_is_an_error_that_says_what_came(name: str) -> None:
    data, word = BAD[name]
    with pytest.raises(BackendAnswerError, match=word) as raised:
        decoded(data, "The server")
    assert raised.value.what.startswith(("The server", "A sound file"))
    assert raised.value.hint


def test_a_sound_without_end_is_refused() -> None:
    with pytest.raises(BackendAnswerError, match="seconds for one line"):
        decoded(wav(np.full(700 * 1_000, 0.1, np.float32), 1_000), "The server")
