"""The probe against a fake server, and what a soak makes of the memory of cards."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from comic_narrator.cli import run
from comic_narrator.errors import BackendDownError, UsageError
from comic_narrator.gpu import cards
from comic_narrator.gpu.drawn import HEIGHT, WIDTH, drawn_page
from comic_narrator.gpu.metrics import parse_state
from comic_narrator.gpu.probe import Load, Probe, is_here, probe, wait_until_ready
from comic_narrator.gpu.soak import judge, soak
from comic_narrator.http import Server
from tests.fakes import vllm_server as fakes
from tests.fakes.vllm_server import Asked, FakeVllm
from tests.records import metrics

LOAD = Load(requests=6, concurrency=2, tokens=12, picture=b"\x89PNG")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comic_narrator.gpu.probe.SETTLED", 0.0)
    monkeypatch.setattr("comic_narrator.gpu.probe.SAMPLE_EVERY", 0.01)
    monkeypatch.setattr("comic_narrator.http.FIRST_PAUSE", 0.01)


@pytest.fixture
def fake() -> Iterator[FakeVllm]:
    with FakeVllm(answer=lambda asked: "x" * 1000, metrics=metrics("idle"), pace=0.005) as running:
        yield running


def measured(fake: FakeVllm, load: Load = LOAD, used: Iterator[int] | None = None) -> Probe:
    with Server(fake.url) as server:
        return probe(server, load, lambda: {0: next(used)} if used else {})


def test_it_sends_an_even_load_and_counts_it(fake: FakeVllm) -> None:
    found = measured(fake)
    assert (found.requests, found.failed, found.completion_tokens) == (6, 0, 6 * 12)
    assert found.cut_short
    assert fake.most_in_flight == 2
    load = fake.asked[-6:]
    assert all(one.body["ignore_eos"] and one.body["max_tokens"] == 12 and one.pictures for one in load)
    assert len({json.dumps(one.body) for one in load}) == 1
    assert found.first_token.median < found.latency.median
    assert found.pages_a_minute == pytest.approx(60 * 6 / found.seconds, rel=0.05)
    assert found.tokens_a_second == pytest.approx(72 / found.seconds, rel=0.05)


def test_the_wait_in_our_line_is_measured_apart(fake: FakeVllm) -> None:
    found = measured(fake)
    # Six requests on two seats: the last two wait for two others each, and their latency knows nothing of it.
    assert found.queue_wait.most > 1.5 * found.latency.median
    assert found.latency.most < 1.5 * found.latency.median + 0.1


def test_memory_is_that_before_at_most_and_after(fake: FakeVllm) -> None:
    seen = [100, 500] + [300] * 1000
    found = measured(fake, used=iter(seen))
    assert [(card.baseline, card.peak, card.delta, card.after) for card in found.cards] == [(100, 500, 400, 300)]


def test_the_server_is_looked_at_before_during_and_after(fake: FakeVllm) -> None:
    busy = metrics("idle").replace(
        'num_requests_running{engine="0",model_name="tiny-vl"} 0.0', "num_requests_running 2.0"
    )

    def answer(asked: Asked) -> str:
        fake.metrics = busy if len(fake.asked) < 9 else metrics("idle")
        return "x" * 1000

    fake.answer = answer
    found = measured(fake)
    assert found.before
    assert found.busiest
    assert found.drained
    assert (found.busiest.running, found.drained.running) == (2, 0)
    assert found.drained.kv == 0


def test_a_server_without_metrics_and_without_ignore_eos_is_measured_too(fake: FakeVllm) -> None:
    fake.metrics = ""
    fake.answer = lambda asked: (
        fakes.refuses(400, "unknown field") if "ignore_eos" in asked.body else fakes.says("short")
    )
    found = measured(fake)
    assert found.requests == 6
    assert not found.cut_short
    assert (found.before, found.busiest, found.server_queue) == (None, None, None)


def test_what_failed_is_counted(fake: FakeVllm) -> None:
    warm_up = [fakes.says("x")] * 3
    fake.play(*warm_up, fakes.error_event(), fakes.says("x" * 1000))
    found = measured(fake)
    assert (found.requests, found.failed) == (5, 1)
    assert "EngineCore" in found.errors[0]


def test_it_waits_until_the_server_is_ready(fake: FakeVllm) -> None:
    said: list[str] = []
    with Server(fake.url) as server:
        fake.starts_after = 5
        wait_until_ready(server, 2, said.append)
        assert len(said) == 1
        fake.starts_after = 1_000
        with pytest.raises(BackendDownError, match="not ready after"):
            wait_until_ready(server, 0.2, said.append)


def test_what_waiting_does_not_mend_is_said_at_once(fake: FakeVllm) -> None:
    fake.key = "secret"
    with Server(fake.url) as server, pytest.raises(UsageError, match="key"):
        wait_until_ready(server, 60, print)


def test_a_server_whose_engine_has_died_is_not_ready(fake: FakeVllm) -> None:
    fake.healthy = False
    with Server(fake.url) as server, pytest.raises(BackendDownError, match="not ready"):
        wait_until_ready(server, 0.1, print)


def test_a_server_that_sleeps_is_not_measured(fake: FakeVllm) -> None:
    fake.sleeping = True
    with Server(fake.url) as server, pytest.raises(BackendDownError, match="sleeps"):
        wait_until_ready(server, 60, print)


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_ctrl_c_leaves_at_once(fake: FakeVllm) -> None:
    fake.play(*[fakes.says("x")] * 3, *[fakes.stalls()] * 20)
    # Whoever starts the tests in the background may have had Ctrl-C ignored by all that they start.
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from comic_narrator.__main__ import main; sys.argv[1:] = ['probe', '--url', sys.argv[1]]; main()"
    )
    running = subprocess.Popen([sys.executable, "-c", code, fake.url], stderr=subprocess.PIPE)
    while len(fake.asked) < 5 and running.poll() is None:
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    try:
        _, told = running.communicate(timeout=20)
    finally:
        running.kill()
    assert running.returncode == 130
    assert b"Interrupted" in told


def test_recorded_metrics_are_read() -> None:
    state = parse_state(metrics("loaded"))
    assert (state.running, state.waiting, state.kv) == (0, 0, 0.0)
    two = 'vllm:num_requests_running{engine="0"} 1.0\nvllm:num_requests_running{engine="1"} 2.0\n'
    assert parse_state(two + "vllm:gpu_cache_usage_perc 0.5\n").running == 3
    assert parse_state(two + "vllm:gpu_cache_usage_perc 0.5\n").kv == 0.5


@pytest.mark.parametrize(
    ("url", "here"), [("http://127.0.0.1:8000", True), ("http://localhost:1", True), ("http://192.0.2.7:8000", False)]
)
def test_a_servers_memory_is_ours_only_on_this_machine(url: str, here: bool) -> None:
    assert is_here(url) is here


@pytest.mark.parametrize(
    ("after", "verdict"),
    [
        ([], "not measured"),
        ([1000, 1100, 1200], "too short"),
        ([1000] * 8, "steady"),
        ([1000, 1010, 990, 1012, 1003, 1015, 1001, 1008], "steady"),
        ([1000, 1400, 1600, 1610, 1610, 1612, 1610, 1611], "pool"),
        ([1000, 1100, 1100, 1100, 1100, 1600, 1600, 1600], "pool"),
        ([1000, 1050, 1100, 1150, 1200, 1250, 1300, 1350], "leak"),
        ([1000, 1400, 1440, 1480, 1520, 1560, 1600, 1640], "leak"),
    ],
    ids=["none", "three", "flat", "noise", "fills", "one-step", "grows", "fills-and-grows"],
)
def test_a_pool_is_told_from_a_leak(after: list[int], verdict: str) -> None:
    assert judge(after)[0] == verdict


def test_a_soak_repeats_equal_loads(fake: FakeVllm) -> None:
    fake.pace = 0
    leaking = iter(range(1_000, 10_000_000, 10))
    with Server(fake.url) as server:
        found = soak(lambda: probe(server, LOAD, lambda: {0: next(leaking)}), 0, lambda one: None)
    assert len(found.rounds) == 4
    assert found.verdict == "leak"


def _card(index: int, used: int) -> cards.Card:
    return cards.Card(index, "a card", 24_000, used, 24_000 - used, None, "1", ())


def test_memory_in_use_is_told_by_the_number_of_the_card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cards, "read_cards", lambda: cards.Cards((_card(0, 1234), _card(1, 5)), "nvidia-smi"))
    assert cards.used_memory() == {0: 1234, 1: 5}
    monkeypatch.setattr(cards, "read_cards", lambda: cards.Cards((), "none"))
    assert cards.used_memory() == {}


def test_the_drawn_page_has_the_size_that_is_promised(tmp_path: Path) -> None:
    (tmp_path / "page.png").write_bytes(drawn_page())
    with Image.open(tmp_path / "page.png") as page:
        assert page.size == (WIDTH, HEIGHT)


def test_the_command_prints_what_it_measured(fake: FakeVllm, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["probe", "--url", fake.url, "--requests", "3", "--tokens", "5", "--wait", "5"]
    assert run([*asked, "--json"]) == 0
    found = Probe.model_validate_json(capsys.readouterr().out)
    assert (found.requests, found.concurrency, found.completion_tokens) == (3, 2, 15)
    assert run(asked) == 0
    told = capsys.readouterr().out
    for words in ("first token", "latency", "wait in our queue", "pages", "memory of", "KV cache", "drained"):
        assert words in told


@pytest.mark.parametrize(
    ("options", "code"),
    [(["--image", "nowhere.png"], 3), (["--image", __file__], 3), (["--model", "other"], 2), (["--url", "ftp://x"], 2)],
    ids=["missing", "no-picture", "other-model", "no-address"],
)
def test_the_command_says_what_is_wrong(fake: FakeVllm, options: list[str], code: int) -> None:
    assert run(["probe", "--url", fake.url, "--wait", "1", *options]) == code


def test_the_command_ends_where_nothing_answers() -> None:
    assert run(["probe", "--url", "http://127.0.0.1:9", "--wait", "0"]) == 5


def test_measuring_loads_little() -> None:
    code = "import sys, comic_narrator.gpu.probe, comic_narrator.readers.vllm.chat; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "cv2", "moviepy", "rapidocr", "PIL", "babel", "typer"} & set(loaded)
