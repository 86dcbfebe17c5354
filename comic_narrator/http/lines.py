"""Server-sent events: the data of each, out of pieces of bytes that are cut anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def payloads(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The data of each event that is complete (WHATWG HTML, 9.2.6); comments and other fields are passed over.

    Lines end in LF or CR LF only: an answer may hold U+2028 or U+0085, at which text is split elsewhere.
    """
    data: list[bytes] = []
    for line in _lines(pieces):
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line and data:
            yield b"\n".join(data)
            data = []


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest: list[bytes] = []
    for piece in pieces:
        first, *others = piece.split(b"\n")
        rest.append(first)
        for other in others:
            yield b"".join(rest).removesuffix(b"\r")
            rest = [other]
