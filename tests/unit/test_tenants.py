"""Tenants as processes: what is ours is stopped with all it started, and nothing else is."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from comic_narrator.errors import InTheWayError, MissingToolError
from comic_narrator.gpu.state import State
from comic_narrator.gpu.tenants import Tenancy, Tenant, port_holder, processes, serving, start, stop

# A server with an engine of its own that pays no heed to being asked to leave.
STUBBORN = """
import subprocess, sys, time
deaf = "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
subprocess.Popen([sys.executable, "-c", deaf])
time.sleep(60)
"""


def started(argv: tuple[str, ...], log: Path) -> Tenant:
    process = start(argv, {"NARRATOR_TEST": "1"}, log)
    return Tenant(
        name="vision",
        pid=process.pid,
        born=process.create_time(),
        argv=argv,
        url="http://127.0.0.1:8000",
        health="/health",
        log=str(log),
        gpu=0,
    )


@pytest.fixture
def stubborn(tmp_path: Path) -> Iterator[Tenant]:
    log = tmp_path / "log"
    tenant = started((sys.executable, "-c", STUBBORN), log)
    while "up" not in log.read_text():
        time.sleep(0.02)
    yield tenant
    stop(tenant, leave=0.2)


def test_a_tenant_is_in_a_session_of_its_own(stubborn: Tenant) -> None:
    assert os.getsid(stubborn.pid) == stubborn.pid != os.getsid(0)
    assert len(processes(stubborn)) == 2


def test_stopping_ends_a_tenant_with_everything_that_it_started(stubborn: Tenant) -> None:
    ours = [process.pid for process in processes(stubborn)]
    assert stop(stubborn, leave=0.5) == ours
    assert processes(stubborn) == []
    assert not serving(stubborn)


def test_an_engine_whose_server_was_killed_is_found_and_stopped(stubborn: Tenant) -> None:
    engine = processes(stubborn)[1]
    psutil.Process(stubborn.pid).kill()
    while serving(stubborn):
        time.sleep(0.02)
    assert processes(stubborn) == [engine]
    assert stop(stubborn, leave=0.5) == [engine.pid]
    assert processes(stubborn) == []


def test_a_process_that_took_over_the_number_is_left_alone(stubborn: Tenant) -> None:
    reused = stubborn.model_copy(update={"born": stubborn.born - 100})
    assert processes(reused) == []
    assert stop(reused, leave=0.2) == []
    assert serving(stubborn)


def test_a_program_that_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(MissingToolError, match="no-such-program cannot be started"):
        start(("no-such-program",), {}, tmp_path / "log")


def test_who_holds_a_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert (port_holder(port) or "").startswith(f"PID {os.getpid()} (")
    assert port_holder(port) is None


def test_the_state_outlives_the_command_and_logs_are_kept(tmp_path: Path) -> None:
    state = State(tmp_path)
    tenant = started(("true",), tmp_path / "log")
    with state.changing():
        state.keep(Tenancy(profile="agent-24g").with_tenant(tenant))
        with pytest.raises(InTheWayError), State(tmp_path).changing():
            pass
    kept = State(tmp_path).tenancy()
    assert kept is not None
    assert kept.named("vision") == tenant
    state.keep(kept.without("vision"))
    assert state.tenancy() is None
    for boot in range(7):
        state.fresh_log("vision").write_text(str(boot))
    logs = {log.name: log.read_text() for log in (tmp_path / "logs").iterdir()}
    assert logs == {"vision.log": "6", **{f"vision.{age}.log": str(6 - age) for age in range(1, 5)}}


def test_a_child_that_ended_is_no_tenant(tmp_path: Path) -> None:
    tenant = started(("true",), tmp_path / "log")
    deadline = time.monotonic() + 5
    while serving(tenant) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert processes(tenant) == []
