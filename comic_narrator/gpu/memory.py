"""Memory of the cards in use, read as often as a probe looks: by NVML, else by nvidia-smi, else not at all."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping

MIB = 1 << 20


def used_memory() -> Mapping[int, int]:
    """MiB in use on each card by its index, all processes together; empty without a card that can be asked."""
    found = _by_nvml()
    return _by_smi() if found is None else found


def _by_nvml() -> Mapping[int, int] | None:
    # Imported only when cards are asked for: most runs have none.
    try:
        import pynvml
    except ImportError:
        return None
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return None
    try:
        handles = [pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(pynvml.nvmlDeviceGetCount())]
        # The second version leaves out what the driver keeps for itself, as nvidia-smi does.
        read = [pynvml.nvmlDeviceGetMemoryInfo(handle, version=pynvml.nvmlMemory_v2) for handle in handles]
        return {card: int(memory.used) // MIB for card, memory in enumerate(read)}
    except pynvml.NVMLError:
        return None
    finally:
        pynvml.nvmlShutdown()


def _by_smi() -> Mapping[int, int]:
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return {}
    question = ["--query-gpu=index,memory.used", "--format=csv,noheader,nounits"]
    try:
        told = subprocess.run([tool, *question], capture_output=True, text=True, timeout=20, check=True).stdout
    except (subprocess.SubprocessError, OSError):
        return {}
    rows = (line.split(",") for line in told.splitlines())
    return {int(row[0]): int(row[1]) for row in rows if len(row) == 2 and row[1].strip().isdecimal()}
