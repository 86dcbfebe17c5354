"""What a speech server sent, by its first bytes: neither the content type nor the asked-for format can be trusted."""

from __future__ import annotations

import io
import struct
from typing import NamedTuple

import numpy as np
import soundfile
from numpy.typing import NDArray

from comic_narrator.errors import BackendAnswerError

MAX_SECONDS = 600
"""No line of a comic takes longer; a server that sends more has lost its way."""

_HINT = "Look at the server's log; the line is asked for again on the next run."


class Sound(NamedTuple):
    """Mono sound as it was sent: float32 of shape (n,), and its rate in samples a second."""

    samples: NDArray[np.float32]
    rate: int


def container_of(data: bytes) -> str:
    """What `data` is: wav, flac, ogg, mp3, aac, mp4, text (JSON, HTML, a message), nothing, or unknown."""
    head = data[:16]
    if not data.strip(b"\0 \r\n\t"):
        return "nothing"
    if head[:4] in (b"RIFF", b"RF64") and head[8:12] == b"WAVE":
        return "wav"
    for magic, name in ((b"fLaC", "flac"), (b"OggS", "ogg"), (b"ID3", "mp3")):
        if head.startswith(magic):
            return name
    if head[4:8] == b"ftyp":
        return "mp4"
    if head[0] == 0xFF and len(head) > 1:
        # Both begin with eleven or twelve set bits; the two layer bits are 00 in AAC's ADTS only.
        if head[1] & 0xF6 == 0xF0:
            return "aac"
        if head[1] & 0xE0 == 0xE0 and head[1] & 0x06:
            return "mp3"
    return "text" if _is_text(data[:512]) else "unknown"


def _is_text(head: bytes) -> bool:
    try:
        # A character may be cut at the end of the piece that is looked at.
        text = head.decode("utf-8") if len(head) < 512 else head[:-4].decode("utf-8", "ignore")
    except UnicodeDecodeError:
        return False
    return sum(sign.isprintable() or sign.isspace() for sign in text) > 0.97 * len(text)


def decoded(data: bytes, server: str) -> Sound:
    """The sound in an answer of `server` (a name for messages); several channels are mixed to one.

    WAV whose sizes a streaming server left open is read to its end. Raises BackendAnswerError for everything that is
    no whole sound: nothing, text, headerless samples, a torn file, no sample at all, more than MAX_SECONDS.
    """
    kind = container_of(data)
    if kind == "nothing":
        raise BackendAnswerError(f"{server} answered with nothing where sound was due.", _HINT)
    if kind == "text":
        words = " ".join(data[:300].decode("utf-8", "replace").split())[:160]
        raise BackendAnswerError(f"{server} answered with text where sound was due: {words}", _HINT)
    if kind in ("unknown", "aac", "mp4"):
        known = "samples without a header, or no sound at all" if kind == "unknown" else f"{kind.upper()} sound"
        raise BackendAnswerError(
            f"{server} answered with {known} where a WAV file was due.",
            "Have it answer with WAV, FLAC, Ogg or MP3, whole and not streamed.",
        )
    try:
        samples, rate = soundfile.read(io.BytesIO(_closed(data) if kind == "wav" else data), dtype="float32")
    except soundfile.LibsndfileError as error:
        raise BackendAnswerError(f"{server} answered with a damaged {kind.upper()} file: {error}.", _HINT) from error
    mono = samples.mean(axis=1) if samples.ndim == 2 else samples
    if not len(mono):
        raise BackendAnswerError(f"{server} answered with a {kind.upper()} file that holds no sound.", _HINT)
    if len(mono) > MAX_SECONDS * rate:
        raise BackendAnswerError(f"{server} answered with {len(mono) / rate:.0f} seconds for one line.", _HINT)
    if not np.isfinite(mono).all():
        raise BackendAnswerError(f"{server} answered with samples that are no numbers.", _HINT)
    return Sound(np.ascontiguousarray(mono, np.float32), int(rate))


def _closed(data: bytes) -> bytes:
    """A WAV file whose sizes are those of what is there, where a streaming server wrote 0 or the largest number."""
    at = 12
    while at + 8 <= len(data):
        name, size = data[at : at + 4], struct.unpack_from("<I", data, at + 4)[0]
        left = len(data) - at - 8
        if name == b"data":
            if size and size <= left:
                return data
            # FFmpeg writes the largest number, others 0 or 2^31 - 1 less the header.
            if size == 0 or size >= 0x7FFF0000:
                whole = struct.pack("<I", left)
                return data[:4] + struct.pack("<I", len(data) - 8) + data[8 : at + 4] + whole + data[at + 8 :]
            raise BackendAnswerError(f"A sound file broke off: {left} of {size} bytes came.", _HINT)
        at += 8 + size + size % 2
    return data
