"""What a run does about the GPU, by its profile, its backends, and what is up."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from urllib.parse import urlsplit

from comic_narrator.backends import Choice
from comic_narrator.cli.tenants import landlord, place, state
from comic_narrator.console import Watch
from comic_narrator.gpu.cards import read_cards
from comic_narrator.gpu.orders import Order, orders
from comic_narrator.gpu.profiles import Kind, load_profile
from comic_narrator.gpu.watch import Watcher
from comic_narrator.http import Server
from comic_narrator.settings import Settings
from comic_narrator.steps import CardTurns, FilmTurns, Turns

LOCAL = ("127.0.0.1", "localhost", "::1")


def turns_of(profile: str | None, choices: dict[str, Choice], settings: Settings, watch: Watch) -> Turns:
    """The turns of a run: its profile's tenants, else those that are up, as far as reader and voice ask them."""
    if all(choice.name == "embedded" for choice in choices.values()):
        return FilmTurns(state().leases, watch)
    tenancy = state().tenancy()
    named = profile or (tenancy.profile if tenancy else None)
    gpu = load_profile(named) if named else None
    if named is None or gpu is None or gpu.gpu.share == "none":
        return FilmTurns(state().leases, watch)
    there = {order.name: order for order in orders(gpu, place().bin, os.environ.get("PATH", ""), both=True)}
    asked: dict[Kind, str] = {"vision": settings.reader.url, "speech": settings.voice.url}
    names: dict[Kind, str] = {"vision": choices["reader"].name, "speech": choices["voice"].name}
    used = {
        kind: there[kind]
        for kind, url in asked.items()
        if kind in there and names[kind] != "embedded" and _is_at(there[kind], url)
    }
    return CardTurns(
        profile=gpu,
        named=named,
        orders=used,
        vision=there.get("vision"),
        landlord=landlord(watch),
        watcher=Watcher(_memory, Server(there["vision"].url) if "vision" in there else None),
        watch=watch,
    )


def hand_over(named: str, watch: Watch) -> None:
    """Between two passes: stop the reader that `serve up` started, and bring up the profile's speech server.

    Nothing where no reader of ours is up. What stops speech from coming up is raised as `serve up` raises it.
    """
    tenancy, profile = state().tenancy(), load_profile(named)
    if tenancy is None or not any(tenant.name == "vision" for tenant in tenancy.tenants):
        return
    watch.say("All is read: the card goes from the reader to speech.")
    owner = landlord(watch)
    owner.down("vision")
    if speech := orders(profile, place().bin, os.environ.get("PATH", ""), "speech"):
        owner.up(named, profile, speech)


def between_passes(named: str) -> tuple[str, ...]:
    """The commands that do the same by hand; none where the profile needs no two passes."""
    profile = load_profile(named)
    if profile.gpu.share != "two-pass":
        return ()
    up = (f"comic-narrator serve up speech --profile {shlex.quote(named)}",) if profile.tenant.speech else ()
    return ("comic-narrator serve down", *up)


def say_next(watch: Watch, between: Sequence[str]) -> None:
    """How to go on after the first of two passes."""
    again = [argument for argument in sys.argv[1:] if argument not in ("film", "--vision-only")]
    watch.say(f"Next: {' && '.join([*between, shlex.join(['comic-narrator', *again])])}")


def _is_at(order: Order, url: str) -> bool:
    """Whether one of these addresses, parted by commas, is the tenant's; none at all means it."""
    if not url:
        return True
    parts = [urlsplit(part if "//" in part else f"//{part}") for part in map(str.strip, url.split(","))]
    return any(part.hostname in LOCAL and part.port == order.port for part in parts)


def _memory() -> dict[int, tuple[int, int]]:
    return {card.index: (card.total_mib, card.used_mib) for card in read_cards().cards}
