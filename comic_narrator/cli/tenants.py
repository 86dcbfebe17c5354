"""The tenants of this user's machine, as the commands see them."""

from __future__ import annotations

import os
from pathlib import Path

from comic_narrator.console import Watch
from comic_narrator.gpu.cards import read_cards
from comic_narrator.gpu.environment import Place
from comic_narrator.gpu.serve import Landlord
from comic_narrator.gpu.state import State
from comic_narrator.machine import data_folder, state_folder


def state() -> State:
    """The state folder of this user."""
    return State(state_folder(os.environ, Path.home()))


def place() -> Place:
    """Where the servers' environments lie."""
    return Place(data_folder(os.environ, Path.home()))


def landlord(watch: Watch, bound: float = 1200.0, settle: float = 4.0) -> Landlord:
    """Who starts and stops tenants for this user."""

    def detail(line: str) -> None:
        watch.say(line, detail=True)

    return Landlord(state(), lambda: read_cards().cards, watch.say, detail, bound, settle)
