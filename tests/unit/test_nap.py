"""Naps, against a stand-in for vLLM that can also refuse to sleep, stay awake, or give nothing back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from comic_narrator.errors import BackendDownError, DoesNotFitError, UsageError
from comic_narrator.gpu import nap
from comic_narrator.gpu.nap import fall_asleep, wake
from comic_narrator.http import Answer, Server
from comic_narrator.http.sleep import asleep


class Sleeper:
    """Stands for a server; `calls` are those that change it."""

    url = "http://127.0.0.1:8000"

    def __init__(self, *, can: bool = True, sleeps: bool = True, wakes: bool = True) -> None:
        self.can, self.sleeps, self.wakes = can, sleeps, wakes
        self.sleeping = False
        self.calls: list[str] = []

    def get(self, path: str, **_: Any) -> Answer:
        if not self.can:
            raise UsageError(f"{self.url}{path} is not there (404).", "Check the address.")
        return Answer(200, "application/json", b'{"is_sleeping": true}' if self.sleeping else b'{"is_sleeping": false}')

    def post(self, path: str, body: object = None, **_: Any) -> Answer:
        assert body is None
        if not self.can:
            raise UsageError(f"{self.url}{path} is not there (404).", "Check the address.")
        self.calls.append(path)
        if path.startswith("/sleep"):
            self.sleeping = self.sleeps
        if path == "/wake_up":
            self.sleeping = not self.wakes
        return Answer(200, "text/plain", b"")


def server(**how: bool) -> tuple[Server, Sleeper]:
    fake = Sleeper(**how)
    return fake, fake  # type: ignore[return-value]


def memory(*mib: int) -> Iterator[int]:
    yield from mib
    while True:
        yield mib[-1]


def test_a_nap_is_of_level_one_and_tells_what_came_back() -> None:
    asked, fake = server()
    used = memory(29493, 29000, 1477)
    taken = fall_asleep(asked, lambda: next(used), 16.69)
    assert fake.calls == ["/sleep?level=1"]
    assert taken.freed_mib == 29493 - 1477
    assert asleep(asked)


def test_waking_makes_both_sides_forget_the_pictures_from_before() -> None:
    asked, fake = server()
    fall_asleep(asked, lambda: None, 16.69)
    wake(asked)
    assert not asleep(asked)
    assert fake.calls[1:] == ["/wake_up", "/reset_mm_cache"]


def test_memory_that_cannot_be_measured_is_not_judged() -> None:
    assert fall_asleep(server()[0], lambda: None, 16.69).freed_mib is None


def test_a_nap_that_frees_too_little_is_no_nap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nap, "SETTLING", 0.0)
    used = memory(29493, 28000)
    with pytest.raises(DoesNotFitError, match="only 1493 MiB"):
        fall_asleep(server()[0], lambda: next(used), 16.69)


def test_a_server_that_cannot_sleep_is_told_with_what_it_lacks() -> None:
    asked, _ = server(can=False)
    assert not asleep(asked)
    with pytest.raises(UsageError) as told:
        fall_asleep(asked, lambda: None, 16.69)
    assert "--enable-sleep-mode" in told.value.hint
    assert "VLLM_SERVER_DEV_MODE=1" in told.value.hint


def test_a_server_that_says_yes_and_stays_as_it_was_is_found_out() -> None:
    with pytest.raises(BackendDownError, match="says that it is awake"):
        fall_asleep(server(sleeps=False)[0], lambda: None, 16.69)
    asked, fake = server(wakes=False)
    fake.sleeping = True
    with pytest.raises(BackendDownError, match="does not wake up"):
        wake(asked)
