"""Tenants as processes: each in a session of its own, written down with its start; nothing else is ever stopped."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import psutil
from pydantic import Field

from comic_narrator.errors import MissingToolError
from comic_narrator.model import Artefact, Part

SAME_START = 2.0
"""Seconds that two readings of one process's start may differ: the system derives it from a clock that is corrected."""
LEAVE = 30.0
"""Seconds that a tenant gets to leave by itself. vLLM takes 2 to 10 to end its engine."""


class Tenant(Part):
    """A tenant that was started: how, as which process, and where it answers. `born` is its start in epoch seconds."""

    name: str
    pid: int
    born: float
    argv: tuple[str, ...]
    environment: dict[str, str] = Field(default_factory=dict)
    url: str
    health: str
    log: str
    gpu: int
    ready: bool = False


class Tenancy(Artefact):
    """tenants.json of the state folder: who was started, in that order, for which profile."""

    schema_: Literal["comic_narrator.tenants/1"] = Field("comic_narrator.tenants/1", alias="schema")
    profile: str
    tenants: tuple[Tenant, ...] = ()

    def named(self, name: str) -> Tenant | None:
        """The tenant of that name, if it was started."""
        return next((tenant for tenant in self.tenants if tenant.name == name), None)

    def with_tenant(self, tenant: Tenant) -> Tenancy:
        """The same with this tenant in the place of its namesake, or last."""
        others = tuple(other for other in self.tenants if other.name != tenant.name)
        return self.model_copy(update={"tenants": (*others, tenant)})

    def without(self, name: str) -> Tenancy:
        """The same without the tenant of that name."""
        return self.model_copy(update={"tenants": tuple(t for t in self.tenants if t.name != name)})


def start(argv: tuple[str, ...], environment: Mapping[str, str], log: Path) -> psutil.Popen:
    """Start a program whose output goes to `log` and that no Ctrl-C reaches; MissingToolError: there is none."""
    with log.open("ab") as output:
        try:
            return psutil.Popen(
                argv,
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except (FileNotFoundError, PermissionError) as error:
            raise MissingToolError(
                f"{argv[0]} cannot be started: {error.strerror}.",
                "`comic-narrator serve setup` sets up what a profile needs; or put the program on PATH.",
            ) from error


def processes(tenant: Tenant) -> list[psutil.Process]:
    """The tenant's own processes that still run, the first one first; empty when it is gone.

    A process that took over the number of a dead one started at another time and is not ours. While any process of a
    session lives, the system gives the session's number to nobody else, so engines whose server died are found by it.
    """
    first = _running(tenant.pid)
    if first is not None and abs(first.create_time() - tenant.born) > SAME_START:
        return []
    found = [] if first is None or first.status() == psutil.STATUS_ZOMBIE else [first]
    if sys.platform != "win32":
        found += [p for p in psutil.process_iter() if p.pid != tenant.pid and _in_session(p, tenant)]
    return found


def _running(pid: int) -> psutil.Process | None:
    try:
        return psutil.Process(pid)
    except psutil.NoSuchProcess:
        return None


def _in_session(process: psutil.Process, tenant: Tenant) -> bool:
    try:
        return (
            os.getsid(process.pid) == tenant.pid
            and process.status() != psutil.STATUS_ZOMBIE
            and process.create_time() >= tenant.born - SAME_START
        )
    except (psutil.Error, ProcessLookupError, PermissionError):
        return False


def serving(tenant: Tenant) -> bool:
    """Whether the tenant's first process, the one that answers, still runs."""
    return any(process.pid == tenant.pid for process in processes(tenant))


def stop(tenant: Tenant, *, leave: float = LEAVE) -> list[int]:
    """Ask the tenant to leave, then end what is left of it; the PIDs of its processes that ran."""
    ours = processes(tenant)
    # The server ends its engines itself; they are asked only where it is gone.
    for process in ours[:1] if ours and ours[0].pid == tenant.pid else ours:
        _signal(process, signal.SIGTERM)
    # It may have started others meanwhile.
    for process in _wait_until_gone(tenant, leave):
        _signal(process, signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
    _wait_until_gone(tenant, leave)
    return [process.pid for process in ours]


def _wait_until_gone(tenant: Tenant, seconds: float) -> list[psutil.Process]:
    # By looking, for a container whose first process buries no orphans keeps dead ones in its list.
    until = time.monotonic() + seconds
    while (left := processes(tenant)) and time.monotonic() < until:
        time.sleep(0.1)
    return left


def _signal(process: psutil.Process, number: signal.Signals) -> None:
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return


def port_holder(port: int) -> str | None:
    """Who listens on a local TCP port, as "PID 123 (python3)"; None when nobody does."""
    with socket.socket() as knock:
        knock.settimeout(1.0)
        if knock.connect_ex(("127.0.0.1", port)):
            return None
    try:
        listening = [c for c in psutil.net_connections("tcp") if c.status == psutil.CONN_LISTEN]
    except psutil.AccessDenied:
        # macOS tells the administrator alone.
        return _who(None)
    return _who(next((c.pid for c in listening if c.laddr.port == port), None))


def _who(pid: int | None) -> str:
    try:
        return f"PID {pid} ({psutil.Process(pid).name()})" if pid else "a process that the system does not name"
    except psutil.Error:
        return f"PID {pid}"
