"""Who is brought up when, and what is said of one that was not; without any process."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from comic_narrator.errors import DoesNotFitError, InTheWayError, MissingToolError, NarratorError, UsageError
from comic_narrator.gpu.boot import Boot, refusal
from comic_narrator.gpu.bootlog import read_log
from comic_narrator.gpu.cards import Card
from comic_narrator.gpu.orders import orders
from comic_narrator.gpu.profiles import load_profile
from comic_narrator.gpu.serve import Landlord
from comic_narrator.gpu.state import State
from comic_narrator.gpu.tenants import Tenancy, Tenant


def card(used: int, total: int = 24000) -> Card:
    return Card(0, "a card", total, used, total - used, (12, 0), "580", ())


def landlord(tmp_path: Path, cards: Sequence[Card] = (), settle: float = 0.2) -> Landlord:
    return Landlord(State(tmp_path), lambda: cards, lambda line: None, lambda line: None, settle=settle)


def test_tenants_boot_in_the_order_of_the_profile_each_on_its_card(tmp_path: Path) -> None:
    (tmp_path / "fish-speech-server").write_text("#!/bin/sh\n")
    (tmp_path / "fish-speech-server").chmod(0o755)
    vision, speech = orders(load_profile("two-gpu"), tmp_path, "")
    assert (vision.name, speech.name) == ("vision", "speech")
    assert {o.environment["CUDA_DEVICE_ORDER"] for o in (vision, speech)} == {"PCI_BUS_ID"}
    assert [o.environment["CUDA_VISIBLE_DEVICES"] for o in (vision, speech)] == [str(vision.gpu), str(speech.gpu)]
    assert vision.gpu != speech.gpu
    # What was set up here comes before what PATH has.
    assert speech.argv[0] == str(tmp_path / "fish-speech-server")
    assert (vision.health, speech.health) == ("/health", "/v1/health")


def test_with_two_passes_speech_comes_only_where_it_is_named(tmp_path: Path) -> None:
    profile = load_profile("forensic-32g")
    assert [o.name for o in orders(profile, tmp_path, "")] == ["vision"]
    assert [o.name for o in orders(profile, tmp_path, "", "speech")] == ["speech"]
    assert [o.name for o in orders(profile, tmp_path, "", both=True)] == ["vision", "speech"]


def test_the_next_boot_waits_until_the_card_holds_still(tmp_path: Path) -> None:
    def readings() -> Iterator[int]:
        yield from (1000, 2000, 3000, 4000)
        while True:
            yield 5000

    used = readings()
    seen: list[int] = []

    def cards() -> Sequence[Card]:
        seen.append(next(used))
        return (card(seen[-1]),)

    keeper = Landlord(State(tmp_path), cards, lambda line: None, lambda line: None, settle=0.2)
    began = time.monotonic()
    keeper._let_settle(0)
    assert seen[-2:] == [5000, 5000]
    assert time.monotonic() - began >= 0.2


def test_a_reader_whose_memory_others_hold_is_not_woken(tmp_path: Path) -> None:
    (vision, _) = orders(load_profile("agent-24g"), tmp_path, "")
    assert vision.weights_gib > 8
    landlord(tmp_path, [card(used=2000)]).make_room(vision)
    landlord(tmp_path, []).make_room(vision)
    with pytest.raises(DoesNotFitError, match="are held by others"):
        landlord(tmp_path, [card(used=20000)]).make_room(vision)


def test_a_tenant_that_is_not_ours_neither_died_nor_is_restarted(tmp_path: Path) -> None:
    keeper = landlord(tmp_path, [card(used=0)])
    assert not keeper.has_died("vision")
    assert not keeper.restart("vision")
    assert keeper.held_mib("speech") is None


def test_a_tenant_of_ours_that_is_gone_has_died(tmp_path: Path) -> None:
    gone = Tenant(name="speech", pid=2**22 - 1, born=0.0, argv=(), url="http://x", health="/", log="", gpu=0)
    State(tmp_path).keep(Tenancy(profile="agent-24g", tenants=(gone,)))
    assert landlord(tmp_path).has_died("speech")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("ValueError: No available memory for the cache blocks.", DoesNotFitError),
        ("OSError: nobody/x is not a local folder and is not a valid model identifier", MissingToolError),
        ("vllm: error: unrecognized arguments: --no-such", UsageError),
        ("OSError: [Errno 98] Address already in use", InTheWayError),
    ],
)
def test_a_refusal_is_the_error_of_its_cause(line: str, kind: type[NarratorError]) -> None:
    boot = Boot("refused", read_log(f"{line}\nRuntimeError: Engine core initialization failed."), 60.0, (line,))
    told = refusal("vision", boot, "vision.log")
    assert type(told) is kind
    assert told.what.startswith("vision was refused: ")
