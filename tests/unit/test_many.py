"""Processes that read and speak beside the first one, which alone hears Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from comic_narrator.steps.many import deaf_children

ASKS = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"


@pytest.mark.skipif(sys.platform == "win32", reason="no signal masks there")
def test_what_is_started_as_one_of_many_is_deaf_from_its_first_moment() -> None:
    with deaf_children():
        told = subprocess.run([sys.executable, "-S", "-c", ASKS], capture_output=True, text=True, check=True).stdout
    assert told.strip() == "True"
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


@pytest.mark.skipif(sys.platform == "win32", reason="no signal masks there")
def test_ctrl_c_meanwhile_is_not_lost() -> None:
    # Where the tests run in the background, it is ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), deaf_children():
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
