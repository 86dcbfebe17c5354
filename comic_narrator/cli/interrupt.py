"""Ctrl-C: what is being made is ended in time, whatever waits for what."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import NoReturn

from comic_narrator.console import LEASH, Watch
from comic_narrator.errors import INTERRUPTED

GRACE = 0.8
"""Seconds that a run has to end by itself; the work folder is whole at any moment, so then it may be killed."""

SAVED = "Interrupted. What is made is saved: run the same command again to go on."


_heard = threading.Event()


def end_in_time() -> None:
    """From the first signal on, leave within GRACE: also where the main thread is deep in a model, or waits for one."""
    # The signal's number comes through the pipe at once; its Python handler waits for the main thread.
    come, go = os.pipe()
    os.set_blocking(go, False)
    signal.set_wakeup_fd(go, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(come,), daemon=True).start()


def was_interrupted() -> bool:
    """Whether a signal to leave came: what fails from then on most likely fails because of it."""
    return _heard.is_set()


def _watch(come: int) -> None:
    while not {signal.SIGINT, signal.SIGTERM} & set(os.read(come, 64)):
        pass
    _heard.set()
    # Whoever computes without a pause lets this thread in more often, so that it is in time on a busy machine.
    sys.setswitchinterval(0.0005)
    time.sleep(GRACE)
    _end_children()
    say_interrupted()
    os._exit(INTERRUPTED)


def say_interrupted() -> None:
    """What the user is told."""
    watch = Watch()
    watch.tell("interrupted")
    watch.say(SAVED)


def leave_at_once() -> NoReturn:
    """Be gone, now that all is said and saved: to take models and pools down in order would take seconds."""
    _end_children()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(INTERRUPTED)


def _end_children() -> None:
    # Where nothing has imported it yet, there is nothing to kill, and to import it now would take long.
    if "comic_narrator.ffmpeg" in sys.modules:
        from comic_narrator import ffmpeg

        ffmpeg.kill_all()
    for child in multiprocessing.active_children():
        with suppress(ProcessLookupError):
            child.kill()


def leave_with_the_leash() -> None:
    """Stop this run when whoever holds the other end of its stdin is gone, if it was started so."""
    if os.environ.pop(LEASH, None):
        threading.Thread(target=_hold, daemon=True).start()


def _hold() -> None:
    # Not through sys.stdin, whose lock would be held when the interpreter ends.
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
