"""Turns on the card, in one process: what is asked of the landlord and of the server, and when."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from comic_narrator.console import Watch
from comic_narrator.errors import BackendDownError
from comic_narrator.gpu.gate import Gate
from comic_narrator.gpu.orders import Order, orders
from comic_narrator.gpu.profiles import GpuProfile, load_profile
from comic_narrator.gpu.state import State
from comic_narrator.gpu.watch import Watcher
from comic_narrator.http import Server
from comic_narrator.settings import load_settings, profile_names
from comic_narrator.steps import CardTurns, FilmTurns, Turns
from comic_narrator.steps import gpu as turns
from tests.fakes.vllm_server import FakeVllm


@dataclass
class Landlord:
    """Stands for who starts tenants: what they hold, who died, what was restarted."""

    state: State
    held: list[int] = field(default_factory=list)
    died: set[str] = field(default_factory=set)
    restarted: list[str] = field(default_factory=list)

    def used(self, card: int) -> int | None:
        del card
        return None

    def held_mib(self, name: str) -> int | None:
        assert name == "speech"
        return self.held.pop(0) if self.held else None

    def has_died(self, name: str) -> bool:
        return name in self.died

    def restart(self, name: str) -> bool:
        self.restarted.append(name)
        self.died.discard(name)
        return True


def made(tmp_path: Path, profile: str = "agent-24g", held: Sequence[int] = ()) -> tuple[CardTurns, Landlord]:
    landlord = Landlord(State(tmp_path), list(held))
    gpu: GpuProfile = load_profile(profile)
    there: dict[str, Order] = {order.name: order for order in orders(gpu, tmp_path, "", both=True)}
    run = CardTurns(
        profile=gpu,
        named=profile,
        orders=there,  # type: ignore[arg-type]
        vision=there["vision"],
        landlord=landlord,  # type: ignore[arg-type]
        watcher=Watcher(lambda: {0: (24000, 1000)}, None, every=60),
        watch=Watch(quiet=True),
    )
    return run, landlord


def test_a_run_without_tenants_asks_nobody() -> None:
    run = Turns()
    with run.turn("vision"):
        assert run.ask("vision", lambda: 5) == 5
    assert run.report() is None
    assert run.between_passes == ()


def test_a_server_that_died_is_started_once_for_all_who_asked(tmp_path: Path) -> None:
    run, landlord = made(tmp_path)
    landlord.died.add("vision")
    both = threading.Barrier(2)
    failed = threading.local()
    answers: list[int] = []

    def call() -> int:
        if landlord.restarted:
            return 1
        both.wait()
        failed.once = True
        raise BackendDownError("The server at 8000 is down.", "Start it.")

    asking = [threading.Thread(target=lambda: answers.append(run.ask("vision", call))) for _ in range(2)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert answers == [1, 1]
    assert landlord.restarted == ["vision"]
    told = run.report()
    assert told is not None
    assert told.restarts == ("vision: The server at 8000 is down.",)


def test_a_server_that_dies_again_is_not_started_again(tmp_path: Path) -> None:
    run, landlord = made(tmp_path)

    def call() -> int:
        landlord.died.add("vision")
        raise BackendDownError("The server is down.", "Start it.")

    for _ in range(2):
        with pytest.raises(BackendDownError):
            run.ask("vision", call)
    assert landlord.restarted == ["vision"]


def test_a_server_that_is_up_but_does_not_answer_is_left_alone(tmp_path: Path) -> None:
    run, landlord = made(tmp_path)

    def call() -> int:
        raise BackendDownError("The server does not answer.", "Look at it.")

    with pytest.raises(BackendDownError):
        run.ask("vision", call)
    assert landlord.restarted == []


def test_speech_that_grew_is_started_anew_between_lines_and_not_in_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "LOOK_AGAIN", 0.0)
    # It is at home with 2,300 MiB, 2.6 GiB are kept for it, and after the restart it begins anew.
    run, landlord = made(tmp_path, held=[2300, 2400, 2650, 3000, 2300, 2400, 2600])
    speaking = False
    for _ in range(7):

        def line() -> None:
            nonlocal speaking
            speaking = True
            assert landlord.restarted in ([], ["speech"])
            speaking = False

        run.ask("speech", line)
        assert not speaking
    assert landlord.restarted == ["speech"]
    told = run.report()
    assert told is not None
    assert told.restarts == ("speech: grew from 2300 to 3000 MiB",)


def test_the_cards_own_encoder_films_in_its_turn(tmp_path: Path) -> None:
    run, landlord = made(tmp_path)
    with run.filming("nvenc"), pytest.raises(Timeout):
        FileLock(landlord.state.leases / "card-0.0.lock").acquire(timeout=0)
    with run.filming("x264"):
        FileLock(landlord.state.leases / "card-0.0.lock").acquire(timeout=0)


def test_a_run_without_tenants_waits_for_the_card_only_to_film_on_it(tmp_path: Path) -> None:
    run = FilmTurns(tmp_path, Watch(quiet=True))
    lock = FileLock(tmp_path / "card-0.0.lock")
    with run.turn("vision"), run.turn("speech"), run.filming("x264"):
        lock.acquire(timeout=0)
        lock.release()
    with run.filming("nvenc"), pytest.raises(Timeout):
        lock.acquire(timeout=0)


def test_what_a_server_always_held_is_no_growth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "LOOK_AGAIN", 0.0)
    run, landlord = made(tmp_path, held=[4000, 4100, 4200])
    for _ in range(3):
        run.ask("speech", lambda: None)
    assert landlord.restarted == []


def test_a_restart_waits_until_nobody_is_inside() -> None:
    gate, inside, go = Gate(), threading.Event(), threading.Event()
    done: list[str] = []

    def call() -> None:
        with gate.call():
            inside.set()
            go.wait()
            done.append("call")

    def restart() -> bool:
        done.append("restart")
        return True

    caller = threading.Thread(target=call)
    caller.start()
    inside.wait()
    renewer = threading.Thread(target=lambda: gate.renew(0, restart))
    renewer.start()
    late = threading.Thread(target=call)
    renewer.join(0.1)
    late.start()
    go.set()
    for thread in (caller, renewer, late):
        thread.join()
    assert done == ["call", "restart", "call"]
    assert gate.life == 1


def test_the_watch_adds_up_what_a_server_did_also_over_a_restart() -> None:
    def metrics(requests: int, kv: float) -> str:
        return (
            f'vllm:num_requests_running{{engine="0"}} 1.0\nvllm:num_requests_waiting{{engine="0"}} {requests}.0\n'
            f'vllm:kv_cache_usage_perc{{engine="0"}} {kv}\n'
            f'vllm:e2e_request_latency_seconds_count{{engine="0"}} {requests}.0\n'
            f'vllm:e2e_request_latency_seconds_sum{{engine="0"}} {requests * 2.0}\n'
            f'vllm:time_to_first_token_seconds_sum{{engine="0"}} {requests * 0.5}\n'
        )

    memory = iter([(24000, 1000), (24000, 9000), (24000, 7000)])
    with FakeVllm() as fake, Server(fake.url) as server:
        watcher = Watcher(lambda: {0: next(memory)}, server)
        for requests, kv in ((10, 0.1), (14, 0.6), (3, 0.2)):
            fake.metrics = metrics(requests, kv)
            watcher.sample()
    use = watcher.server_use()
    assert use is not None
    assert (use.requests, use.latency, use.first_token, use.kv_peak, use.waiting_peak) == (7, 2.0, 0.5, 0.6, 14)
    (card,) = watcher.cards()
    assert (card.before_mib, card.peak_mib, card.after_mib) == (1000, 9000, 7000)


@pytest.mark.parametrize("name", [name for name in profile_names() if name not in ("cpu", "draft", "shorts")])
def test_every_profile_reads_from_its_own_tenant(name: str) -> None:

    settings, _ = load_settings(name, {}, (), {})
    gpu = load_profile(name)
    assert gpu.tenant.vision is not None
    if gpu.tenant.speech is not None:
        assert settings.voice.url == f"http://{gpu.tenant.speech.host}:{gpu.tenant.speech.port}"
    assert settings.reader.url == f"http://{gpu.tenant.vision.host}:{gpu.tenant.vision.port}"
