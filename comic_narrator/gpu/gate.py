"""The gate before a tenant: calls go through side by side, and a restart waits until none is under way."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Gate:
    """Counts the calls that a tenant is answering; `life` is how often it was started anew, as this run knows."""

    life: int = 0
    _inside: int = 0
    _shut: bool = False
    _changed: threading.Condition = field(default_factory=threading.Condition)

    @contextmanager
    def call(self) -> Iterator[int]:
        """Be inside while a call is made; yields the life in which it began."""
        with self._changed:
            self._changed.wait_for(lambda: not self._shut)
            self._inside += 1
            life = self.life
        try:
            yield life
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    def renew(self, life: int, restart: Callable[[], bool]) -> bool:
        """Have the tenant started anew with nobody inside, unless that was done since `life`; whether it is new."""
        with self._changed:
            self._changed.wait_for(lambda: not self._shut)
            if self.life != life:
                return True
            self._shut = True
            self._changed.wait_for(lambda: not self._inside)
        renewed = False
        try:
            renewed = restart()
        finally:
            with self._changed:
                self.life += renewed
                self._shut = False
                self._changed.notify_all()
        return renewed
