"""What this machine, or the container that we are in, lets us use."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import psutil

CGROUP = Path("/sys/fs/cgroup")
"""Where a container's limits stand (cgroup version 2): psutil tells the host's memory."""


def cores() -> int:
    """Processor cores that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def free_memory(cgroup: Path = CGROUP) -> int:
    """Bytes of memory that are free, here and in the container."""
    free = int(psutil.virtual_memory().available)
    try:
        most, used = ((cgroup / name).read_text().strip() for name in ("memory.max", "memory.current"))
    except OSError:
        return free
    return min(free, int(most) - int(used)) if most.isdecimal() else free


def data_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Where models, voices and the servers' environments lie: this user's data folder, as each system has it."""
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "comic-narrator"
    name, usual = ("LOCALAPPDATA", "AppData/Local") if os.name == "nt" else ("XDG_DATA_HOME", ".local/share")
    return Path(environment.get(name) or home / usual) / "comic-narrator"


def cache_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Where lies what can be fetched again: this user's cache folder, as each system has it."""
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "comic-narrator"
    if os.name == "nt":
        return data_folder(environment, home) / "cache"
    return Path(environment.get("XDG_CACHE_HOME") or home / ".cache") / "comic-narrator"


def state_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Where it is written down what runs, with logs and locks: $XDG_STATE_HOME, else the usual place of this system."""
    if sys.platform == "darwin" or os.name == "nt":
        return data_folder(environment, home) / "state"
    return Path(environment.get("XDG_STATE_HOME") or home / ".local" / "state") / "comic-narrator"
