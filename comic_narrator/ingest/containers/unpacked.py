"""Archives that can only be unpacked as a whole: that happens once, at the first read, into numbered files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock

from comic_narrator.errors import NarratorError
from comic_narrator.ingest.containers.bounds import unreadable
from comic_narrator.ingest.source import Spool

Fill = Callable[[Path], Mapping[int, Path | NarratorError]]
"""Unpacks an archive into an empty folder: where each entry lies now, by number, or why it could not be unpacked."""


class Unpacked:
    """The entries of an archive, by number; `fill` is called once, by whichever thread reads first."""

    def __init__(self, spool: Spool, fill: Fill) -> None:
        self._spool = spool
        self._fill = fill
        self._lock = Lock()
        self._entries: Mapping[int, Path | NarratorError] | None = None
        self._failed: NarratorError | None = None

    def read(self, number: int) -> bytes:
        """The bytes of an entry; raises what unpacking the archive or this entry raised, each time."""
        with self._lock:
            if self._entries is None:
                self._unpack()
            entries, failed = self._entries or {}, self._failed
        if failed is not None:
            raise failed
        entry = entries[number]
        if isinstance(entry, NarratorError):
            raise entry
        try:
            return entry.read_bytes()
        except OSError as error:
            raise unreadable(str(entry), error) from error

    def _unpack(self) -> None:
        """Fill the folder; a failure is kept, so that not each page of a broken book unpacks it again."""
        self._entries = {}
        try:
            self._entries = self._fill(Path(mkdtemp(dir=self._spool.folder())))
        except NarratorError as error:
            self._failed = error
