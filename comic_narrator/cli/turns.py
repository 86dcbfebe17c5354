"""What a run does about the GPU, by its profile, its backends, and what is up."""

from __future__ import annotations

import os
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
from comic_narrator.steps import CardTurns, Turns

LOCAL = ("127.0.0.1", "localhost", "::1")


def turns_of(profile: str | None, choices: dict[str, Choice], settings: Settings, watch: Watch) -> Turns:
    """The turns of a run: its profile's tenants, else those that are up, as far as reader and voice ask them."""
    if all(choice.name == "embedded" for choice in choices.values()):
        return Turns()
    tenancy = state().tenancy()
    named = profile or (tenancy.profile if tenancy else None)
    gpu = load_profile(named) if named else None
    if named is None or gpu is None or gpu.gpu.share == "none":
        return Turns()
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


def _is_at(order: Order, url: str) -> bool:
    """Whether one of these addresses, parted by commas, is the tenant's; none at all means it."""
    if not url:
        return True
    parts = [urlsplit(part if "//" in part else f"//{part}") for part in map(str.strip, url.split(","))]
    return any(part.hostname in LOCAL and part.port == order.port for part in parts)


def _memory() -> dict[int, tuple[int, int]]:
    return {card.index: (card.total_mib, card.used_mib) for card in read_cards().cards}
