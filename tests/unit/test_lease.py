"""The lease on a card: one at a time, in order, bounded, and free again when a run is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from comic_narrator.errors import InTheWayError
from comic_narrator.gpu import lease as leases
from comic_narrator.gpu.lease import lease

HOLD = """
import sys, time
from pathlib import Path
from comic_narrator.gpu.lease import lease
with lease(Path(sys.argv[1]), 0, "reading", lambda place, holder: print("waits", place, flush=True)):
    print("has it", flush=True)
    time.sleep(60)
"""


def silent(place: int, holder: str) -> None:
    del place, holder


def test_runs_have_the_card_one_at_a_time_and_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    order: list[int] = []
    inside = threading.Semaphore(1)

    def run(number: int) -> None:
        with lease(tmp_path, 0, f"run {number}", silent):
            assert inside.acquire(blocking=False)
            order.append(number)
            time.sleep(0.05)
            inside.release()

    runs = []
    with lease(tmp_path, 0, "first", silent):
        for number in range(4):
            runs.append(threading.Thread(target=run, args=(number,)))
            runs[-1].start()
            time.sleep(0.6)
        assert order == []
    for thread in runs:
        thread.join()
    assert order == [0, 1, 2, 3]


def test_cards_are_leased_apart(tmp_path: Path) -> None:
    with lease(tmp_path, 0, "reading", silent), lease(tmp_path, 1, "speech", silent) as waited:
        assert waited < 1


def test_who_waits_is_told_where_it_stands_and_who_has_the_card(tmp_path: Path) -> None:
    told: list[tuple[int, str]] = []
    with lease(tmp_path, 0, "reading", silent):
        waiter = threading.Thread(target=_take, args=(tmp_path, lambda place, holder: told.append((place, holder))))
        waiter.start()
        while not told:
            time.sleep(0.01)
    waiter.join()
    assert told[0][0] == 1
    assert "reading, PID" in told[0][1]


def _take(folder: Path, waiting: leases.Waiting) -> None:
    with lease(folder, 0, "speech", waiting):
        pass


def test_a_line_that_is_full_is_said_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "PLACES", 2)
    monkeypatch.setattr(leases, "ENTERING", 1.0)
    waiting = threading.Event()
    with lease(tmp_path, 0, "reading", silent):
        waiters = [threading.Thread(target=_take, args=(tmp_path, silent)) for _ in range(2)]
        for waiter in waiters:
            waiter.start()
            time.sleep(0.6)
        waiting.set()
        with pytest.raises(InTheWayError, match="2 other runs wait for GPU 0"), lease(tmp_path, 0, "third", silent):
            pass
    for waiter in waiters:
        waiter.join()


def test_a_killed_run_leaves_the_card_free(tmp_path: Path) -> None:
    run = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    with run:
        assert run.stdout.readline() == "has it\n"
        run.send_signal(signal.SIGKILL)
        with lease(tmp_path, 0, "speech", silent):
            pass
