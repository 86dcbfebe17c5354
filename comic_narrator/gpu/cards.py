"""The GPU cards of this machine: their memory, and who holds it."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import psutil

from comic_narrator.gpu.plan import Room

MIB = 1 << 20

How = Literal["nvml", "nvidia-smi", "none"]

_QUESTION = ("index", "name", "memory.total", "memory.used", "memory.free", "compute_cap", "driver_version", "uuid")
_RESERVED = "memory.reserved"
"""Older drivers do not know it; the whole question fails then."""


@dataclass(frozen=True)
class Holder:
    """A process that holds memory of a card; `mib` is None where the driver does not tell."""

    pid: int
    name: str
    mib: int | None


@dataclass(frozen=True)
class Card:
    """A card; `total_mib` is what programs can have, without what the driver keeps for itself."""

    index: int
    name: str
    total_mib: int
    used_mib: int
    free_mib: int
    capability: tuple[int, int] | None
    driver: str
    holders: tuple[Holder, ...]

    @property
    def room(self) -> Room:
        """Its memory as the planner counts."""
        return Room(self.total_mib * MIB, self.free_mib * MIB)


@dataclass(frozen=True)
class Cards:
    """The cards that were found, and by what."""

    cards: tuple[Card, ...]
    how: How

    def rooms(self) -> dict[int, Room]:
        """The memory of each card by its index."""
        return {card.index: card.room for card in self.cards}


def read_cards(nvml: Any | None = None) -> Cards:
    """The cards of this machine by NVML (`nvml`: a module with its functions), else by nvidia-smi, else none."""
    cards = _by_nvml(nvml or _nvml())
    if cards is not None:
        return Cards(cards, "nvml")
    cards = _by_smi()
    return Cards(cards, "nvidia-smi") if cards is not None else Cards((), "none")


def used_memory() -> dict[int, int]:
    """MiB in use on each card by its index, all processes together; empty without a card that can be asked."""
    return {card.index: card.used_mib for card in read_cards().cards}


def _nvml() -> Any | None:
    # Imported only when cards are asked for: most runs have none. A machine that only serves may lack the package.
    try:
        import pynvml
    except ImportError:
        return None
    return pynvml


def _by_nvml(nvml: Any | None) -> tuple[Card, ...] | None:
    """The cards as NVML knows them; None where there is no NVML or no driver."""
    if nvml is None:
        return None
    try:
        nvml.nvmlInit()
    except nvml.NVMLError:
        return None
    try:
        driver = _text(nvml.nvmlSystemGetDriverVersion())
        return tuple(_card(nvml, index, driver) for index in range(nvml.nvmlDeviceGetCount()))
    except nvml.NVMLError:
        return None
    finally:
        nvml.nvmlShutdown()


def _card(nvml: Any, index: int, driver: str) -> Card:
    handle = nvml.nvmlDeviceGetHandleByIndex(index)
    # The second version tells apart what the driver keeps for itself, which CUDA does not count.
    memory = nvml.nvmlDeviceGetMemoryInfo(handle, version=nvml.nvmlMemory_v2)
    capability = None
    with suppress(nvml.NVMLError):
        capability = tuple(nvml.nvmlDeviceGetCudaComputeCapability(handle))
    found: dict[int, int | None] = {}
    for ask in (nvml.nvmlDeviceGetComputeRunningProcesses, nvml.nvmlDeviceGetGraphicsRunningProcesses):
        with suppress(nvml.NVMLError):
            found |= {process.pid: process.usedGpuMemory for process in ask(handle)}
    holders = (Holder(pid, _name(pid), None if held is None else held // MIB) for pid, held in found.items())
    return Card(
        index=index,
        name=_text(nvml.nvmlDeviceGetName(handle)),
        total_mib=(memory.total - memory.reserved) // MIB,
        used_mib=memory.used // MIB,
        free_mib=memory.free // MIB,
        capability=capability,
        driver=driver,
        holders=_largest_first(holders),
    )


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _name(pid: int) -> str:
    """The process's name; where a container hides it, a question mark."""
    try:
        return str(psutil.Process(pid).name())
    except psutil.Error:
        return "?"


def _largest_first(holders: Any) -> tuple[Holder, ...]:
    return tuple(sorted(holders, key=lambda holder: -(holder.mib or 0)))


def _by_smi() -> tuple[Card, ...] | None:
    """The cards as nvidia-smi prints them; None where there is none or it finds no driver."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return None
    rows = _asked(program, "gpu", (*_QUESTION, _RESERVED))
    reserved = rows is not None
    if rows is None:
        rows = _asked(program, "gpu", _QUESTION)
    if rows is None:
        return None
    apps = _asked(program, "compute-apps", ("gpu_uuid", "pid", "process_name", "used_memory")) or []
    holders: dict[str, list[Holder]] = {}
    for uuid, pid, name, held in apps:
        holders.setdefault(uuid, []).append(Holder(int(pid), name.rpartition("/")[2], _number(held)))
    cards = []
    for index, name, total, used, free, capability, driver, uuid, *rest in rows:
        kept = _number(rest[0]) or 0 if reserved else 0
        sizes = (_number(total), _number(used), _number(free))
        # Cards that share the host's memory tell no sizes: nothing can be planned on them.
        if sizes[0] is None or sizes[1] is None or sizes[2] is None:
            continue
        major, _, minor = capability.partition(".")
        cards.append(
            Card(
                index=int(index),
                name=name,
                total_mib=sizes[0] - kept,
                used_mib=sizes[1],
                free_mib=sizes[2],
                capability=(int(major), int(minor)) if major.isdecimal() and minor.isdecimal() else None,
                driver=driver,
                holders=_largest_first(holders.get(uuid, ())),
            )
        )
    return tuple(cards)


def _asked(program: str, about: str, fields: tuple[str, ...]) -> list[list[str]] | None:
    """Rows of an nvidia-smi query; None where it fails."""
    command = [program, f"--query-{about}={','.join(fields)}", "--format=csv,noheader,nounits"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if run.returncode:
        return None
    rows = csv.reader(io.StringIO(run.stdout), skipinitialspace=True)
    return [[cell.strip() for cell in row] for row in rows if len(row) == len(fields)]


def _number(cell: str) -> int | None:
    return int(cell) if cell.isdecimal() else None
