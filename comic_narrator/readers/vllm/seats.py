"""The line in front of a server: so many calls in flight, the others wait in the order they came."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from comic_narrator.errors import BackendDownError


class Seats:
    """At most `count` holders at once; others wait in line, which is as long as its caller has threads."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._free = count
        self._line: deque[object] = deque()
        self._change = threading.Condition()
        self._closed = False

    @contextmanager
    def taken(self) -> Iterator[float]:
        """Hold a seat; yields the seconds waited for it. BackendDownError when the line is closed."""
        start = time.monotonic()
        ticket = object()
        with self._change:
            self._line.append(ticket)
            try:
                self._change.wait_for(lambda: self._closed or (self._free > 0 and self._line[0] is ticket))
                if self._closed:
                    raise BackendDownError("The reading was ended.", "Run the same command again to go on.")
                self._free -= 1
            finally:
                # Also after Ctrl-C: who has left must not keep the others from moving up.
                self._line.remove(ticket)
                self._change.notify_all()
        try:
            yield time.monotonic() - start
        finally:
            with self._change:
                self._free += 1
                self._change.notify_all()

    def close(self) -> None:
        """Send everybody in the line away."""
        with self._change:
            self._closed = True
            self._change.notify_all()
