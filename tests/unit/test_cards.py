"""The cards of a machine: by NVML, by nvidia-smi, or none; and what the doctor says of them."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from comic_narrator.doctor.machine import Listener, examine_machine
from comic_narrator.gpu import cards
from comic_narrator.gpu.cards import MIB, Card, Cards, Holder, read_cards
from comic_narrator.gpu.profiles import load_profile


class NVMLError(Exception):
    """NVML's own error, as its module has it."""


def nvml(*, driver: bool = True) -> Any:
    """A module like pynvml with one RTX 4090, or without a driver."""

    def init() -> None:
        if not driver:
            raise NVMLError

    def graphics(_: object) -> None:
        raise NVMLError

    return SimpleNamespace(
        NVMLError=NVMLError,
        nvmlMemory_v2=2,
        nvmlInit=init,
        nvmlShutdown=lambda: None,
        nvmlSystemGetDriverVersion=lambda: b"580.95.05",
        nvmlDeviceGetCount=lambda: 1,
        nvmlDeviceGetHandleByIndex=lambda index: index,
        nvmlDeviceGetMemoryInfo=lambda handle, version: SimpleNamespace(
            total=24564 * MIB, reserved=500 * MIB, used=3100 * MIB, free=20964 * MIB
        ),
        nvmlDeviceGetCudaComputeCapability=lambda handle: [8, 9],
        nvmlDeviceGetName=lambda handle: "NVIDIA GeForce RTX 4090",
        nvmlDeviceGetComputeRunningProcesses=lambda handle: [
            SimpleNamespace(pid=os.getpid(), usedGpuMemory=2600 * MIB),
            SimpleNamespace(pid=2**22 + 1, usedGpuMemory=None),
        ],
        nvmlDeviceGetGraphicsRunningProcesses=graphics,
    )


SMI = """#!/bin/sh
case "$1" in
--query-gpu=*memory.reserved*) {reserved} ;;
--query-gpu=*) echo "0, NVIDIA GeForce RTX 4090, 24564, 3100, 20964, 8.9, 580.95.05, GPU-a" ;;
--query-compute-apps=*) echo "GPU-a, 4242, /opt/fish/bin/python, 2600"; echo "GPU-a, 77, [Not Found], [N/A]" ;;
esac
"""
WITH_RESERVED = 'echo "0, NVIDIA GeForce RTX 4090, 24564, 3100, 20964, 8.9, 580.95.05, GPU-a, 500"'


@pytest.fixture
def no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """No NVML, as on a machine without a driver; nvidia-smi is looked for."""
    monkeypatch.setattr(cards, "_nvml", lambda: nvml(driver=False))


def smi(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    program = folder / "nvidia-smi"
    program.write_text(text)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_nvml_tells_the_card_and_who_holds_it() -> None:
    found = read_cards(nvml())
    assert found.how == "nvml"
    card = found.cards[0]
    assert (card.name, card.capability, card.driver) == ("NVIDIA GeForce RTX 4090", (8, 9), "580.95.05")
    # What the driver keeps for itself is no memory that a program can have.
    assert (card.total_mib, card.used_mib, card.free_mib) == (24064, 3100, 20964)
    assert (card.holders[0].pid, card.holders[0].mib) == (os.getpid(), 2600)
    assert card.holders[0].name != "?"
    assert card.holders[1] == Holder(2**22 + 1, "?", None)
    assert found.rooms()[0].total == 24064 * MIB


@pytest.mark.usefixtures("no_driver")
@pytest.mark.parametrize(("reserved", "total"), [("exit 2", 24564), (WITH_RESERVED, 24064)], ids=["old", "new"])
def test_nvidia_smi_is_asked_where_there_is_no_nvml(
    reserved: str, total: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    smi(tmp_path, monkeypatch, SMI.format(reserved=reserved))
    found = read_cards()
    assert found.how == "nvidia-smi"
    card = found.cards[0]
    assert (card.total_mib, card.free_mib, card.capability) == (total, 20964, (8, 9))
    assert card.holders == (Holder(4242, "python", 2600), Holder(77, "[Not Found]", None))


@pytest.mark.usefixtures("no_driver")
def test_no_driver_is_no_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    smi(tmp_path, monkeypatch, "#!/bin/sh\necho 'NVIDIA-SMI has failed' >&2\nexit 9\n")
    assert read_cards() == Cards((), "none")


def card(free: int, *holders: Holder) -> Cards:
    return Cards((Card(0, "RTX 4090", 24064, 24064 - free, free, (8, 9), "580", holders),), "nvml")


def test_the_doctor_names_who_is_in_the_way() -> None:
    report = examine_machine(card(20000, Holder(4242, "blender", 4000)), load_profile("agent-24g"), (), {})
    assert report.plan
    assert not report.plan.fits
    assert report.plan.hint
    assert "blender (PID 4242) holds 3.9 GiB" in report.plan.hint
    assert ("  held by", "blender (PID 4242), 3.9 GiB") in report.rows()


def test_the_doctor_counts_a_tenant_that_is_up_as_part_of_the_plan() -> None:
    """Its listener is one process, the memory is held by that one's child."""
    engine = Holder(4243, "VLLM::EngineCore", 19000)
    listening = {8000: Listener("vllm (PID 4242)", frozenset({4242, 4243}))}
    report = examine_machine(card(4500, engine), load_profile("agent-24g"), (), listening)
    assert report.plan
    assert report.plan.fits
    assert ("port 8000", "vision: vllm (PID 4242) listens") in report.rows()
    assert not examine_machine(card(4500, engine), load_profile("agent-24g"), (), {}).plan.fits  # type: ignore[union-attr]


def test_the_doctor_shows_the_plan_in_numbers() -> None:
    report = examine_machine(card(23500), load_profile("agent-24g"), (), {})
    assert report.plan
    assert report.plan.vision
    rows = dict(report.plan_rows())
    assert rows["weights"] == "10.20 GiB"
    assert rows["KV cache"].endswith(" tokens")
    assert rows["boots"] == "vision, then speech"
    assert rows["fits"] == "yes"
    assert report.recommended == "agent-24g"


def test_without_a_card_the_doctor_recommends_the_cpu() -> None:
    report = examine_machine(Cards((), "none"), None, ())
    assert ("GPU", "none found; use --profile cpu") in report.rows()
    assert report.plan is None
