"""Serving: the tenants of a profile are brought up one after another, looked after, and taken down."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from comic_narrator.errors import BackendDownError, DoesNotFitError, InTheWayError, NarratorError
from comic_narrator.gpu.boot import Boot, Say, answers, follow
from comic_narrator.gpu.nap import asleep, fall_asleep
from comic_narrator.gpu.profiles import GpuProfile, Kind, SpeechTenant, VisionTenant
from comic_narrator.gpu.state import State
from comic_narrator.gpu.tenants import Tenancy, Tenant, port_holder, serving, start, stop
from comic_narrator.http import Server

ATTEMPTS = 3
"""Boots of one tenant, at most; two that are refused for the same cause are enough."""
PAUSE = 5.0
"""Seconds before a boot is tried again: whoever was leaving the card has left it then."""
STEADY = 4.0
"""Seconds for which a card's memory must hold still before the next tenant boots."""
STEADY_MIB = 64
SETTLING = 60.0
"""Seconds after which a card that never holds still is taken as it is: a desktop draws on it."""

Used = Callable[[int], int | None]
"""Memory in use on a card, MiB; None where it cannot be measured."""


@dataclass(frozen=True)
class Order:
    """A tenant that is wanted: what starts it, with what environment, on which card, and where it will answer."""

    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str]
    gpu: int
    port: int
    url: str
    health: str
    weights_gib: float


def orders(profile: GpuProfile, own: Path, path: str, only: str | None = None) -> list[Order]:
    """The tenants of a profile in the order in which they boot; `own` is searched for their programs before `path`.

    With two passes the vision tenant has the card to itself, so that speech comes up only where `only` names it.
    """
    wanted = []
    for kind in profile.boot_order:
        if only is not None and kind != only:
            continue
        if only is None and profile.gpu.share == "two-pass" and kind != "vision":
            continue
        tenant = profile.tenant.vision if kind == "vision" else profile.tenant.speech
        if tenant is not None:
            wanted.append(_order(kind, tenant, own, path))
    return wanted


def _order(kind: Kind, tenant: VisionTenant | SpeechTenant, own: Path, path: str) -> Order:
    program, *arguments = tenant.argv()
    found = shutil.which(program, path=os.pathsep.join([str(own), path])) or program
    # By PCI bus, as the driver counts: CUDA's own order is by speed.
    card = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": str(tenant.gpu)}
    fish = isinstance(tenant, SpeechTenant) and tenant.engine == "fish"
    return Order(
        name=kind,
        argv=(found, *arguments),
        environment={**card, **tenant.environment},
        gpu=tenant.gpu,
        port=tenant.port,
        url=f"http://{tenant.host}:{tenant.port}",
        health="/v1/health" if fish else "/health",
        weights_gib=_weights(tenant),
    )


def _weights(tenant: VisionTenant | SpeechTenant) -> float:
    if isinstance(tenant, SpeechTenant):
        return tenant.expected_gib
    return tenant.figures.weights_gib if tenant.figures else 0.0


@dataclass(frozen=True)
class Landlord:
    """Who brings tenants up and takes them down: the state folder, the cards' memory, and how it is told."""

    state: State
    used: Used
    say: Say
    detail: Say
    bound: float = 1200.0

    def up(self, profile: GpuProfile, wanted: Sequence[Order]) -> Tenancy:
        """Bring up what is not up yet, each when the one before has settled; the tenancy then.

        DoesNotFitError or BackendDownError after the same refusal twice or out of time; InTheWayError: a port or
        another profile's tenants are in the way.
        """
        with self.state.changing():
            tenancy = self.state.tenancy() or Tenancy(profile=profile.name)
            if tenancy.profile != profile.name and any(serving(tenant) for tenant in tenancy.tenants):
                raise InTheWayError(
                    f"The tenants of {tenancy.profile} are up.", "Take them down first: `comic-narrator serve down`."
                )
            tenancy = tenancy.model_copy(update={"profile": profile.name})
            for order in wanted:
                tenancy = self._one_up(order, tenancy)
                if order.name == "vision" and profile.gpu.share == "nap" and len(wanted) > 1:
                    self._nap(order)
        return tenancy

    def _one_up(self, order: Order, tenancy: Tenancy) -> Tenancy:
        known = tenancy.named(order.name)
        if known is not None and serving(known):
            if known.ready and answers(known) is not False:
                self.say(f"{order.name}: is up already, PID {known.pid}, {known.url}")
                return tenancy
            self.say(f"{order.name}: PID {known.pid} is still booting")
            boot = self._watched(known, tenancy)
            if boot.outcome != "ready":
                raise refusal(order.name, boot, known.log)
            return self._settled(order, known, tenancy, boot)
        if known is not None:
            self.say(f"{order.name}: PID {known.pid} has died since, its log is {known.log}; it is started again")
            stop(known)
        return self._boot(order, tenancy)

    def _boot(self, order: Order, tenancy: Tenancy) -> Tenancy:
        causes: list[str] = []
        while True:
            tenant = self._started(order)
            tenancy = tenancy.with_tenant(tenant)
            # Before anything can go wrong: what is written down can be stopped.
            self.state.keep(tenancy)
            boot = self._watched(tenant, tenancy)
            if boot.outcome == "ready":
                return self._settled(order, tenant, tenancy, boot)
            told = refusal(order.name, boot, tenant.log)
            if boot.outcome == "late" or boot.cause in causes or len(causes) + 1 == ATTEMPTS:
                raise told
            causes.append(boot.cause)
            self.say(told.what)
            self.say(f"{order.name}: once more, in case whatever was in the way has left")
            time.sleep(PAUSE)

    def _started(self, order: Order) -> Tenant:
        holder = port_holder(order.port)
        if holder is not None:
            raise InTheWayError(
                f"Port {order.port}, where {order.name} is to answer, is taken by {holder}.",
                "End that process, or give the tenant another port in a profile of your own.",
            )
        log = self.state.fresh_log(order.name)
        self.say(f"{order.name}: starts on GPU {order.gpu}, log {log}")
        process = start(order.argv, order.environment, log)
        return Tenant(
            name=order.name,
            pid=process.pid,
            born=process.create_time(),
            argv=order.argv,
            environment=dict(order.environment),
            url=order.url,
            health=order.health,
            log=str(log),
            gpu=order.gpu,
        )

    def _watched(self, tenant: Tenant, tenancy: Tenancy) -> Boot:
        """How the boot ends; a tenant that is not ready then is stopped and forgotten, also after Ctrl-C."""
        ready = False
        try:
            boot = follow(tenant, self.bound, self.say, self.detail)
            ready = boot.outcome == "ready"
        finally:
            if not ready:
                stop(tenant)
                self.state.keep(tenancy.without(tenant.name))
        return boot

    def _settled(self, order: Order, tenant: Tenant, tenancy: Tenancy, boot: Boot) -> Tenancy:
        tenancy = tenancy.with_tenant(tenant.model_copy(update={"ready": True}))
        self.state.keep(tenancy)
        self._let_settle(order.gpu)
        self.say(f"{order.name}: ready after {boot.seconds:.0f} s at {order.url}")
        return tenancy

    def _let_settle(self, card: int) -> None:
        """Wait until the card's memory holds still: a boot beside one that still grows or shrinks is measured wrong."""
        until, seen, since = time.monotonic() + SETTLING, self.used(card), time.monotonic()
        while seen is not None and time.monotonic() - since < STEADY and time.monotonic() < until:
            time.sleep(STEADY / 8)
            now = self.used(card)
            if now is None or abs(now - seen) > STEADY_MIB:
                seen, since = now, time.monotonic()

    def _nap(self, order: Order) -> None:
        with Server(order.url) as server:
            if asleep(server):
                return
            nap = fall_asleep(server, lambda: self.used(order.gpu), order.weights_gib)
        freed = "" if nap.freed_mib is None else f", {nap.freed_mib} MiB came back"
        self.say(f"{order.name}: takes a nap, so that the next tenant finds room ({nap.seconds:.1f} s{freed})")

    def down(self, only: str | None = None) -> list[str]:
        """Stop what was started, last first, and nothing else; the names of those that ran."""
        stopped = []
        with self.state.changing():
            tenancy = self.state.tenancy()
            for tenant in reversed(tenancy.tenants if tenancy else ()):
                if tenancy is None or only not in (None, tenant.name):
                    continue
                pids = stop(tenant)
                tenancy = tenancy.without(tenant.name)
                self.state.keep(tenancy)
                if pids:
                    stopped.append(tenant.name)
                    self.say(f"{tenant.name}: stopped (PID {', '.join(map(str, pids))})")
                else:
                    self.say(f"{tenant.name}: PID {tenant.pid} was gone already")
        return stopped

    def restart(self, name: str) -> bool:
        """Stop the tenant of that name and start it as it was; False when serve did not start it."""
        with self.state.changing():
            tenancy = self.state.tenancy()
            tenant = tenancy.named(name) if tenancy else None
            if tenancy is None or tenant is None:
                return False
            stop(tenant)
            self._boot(_as_it_was(tenant), tenancy)
        return True


def _as_it_was(tenant: Tenant) -> Order:
    port = int(tenant.url.rpartition(":")[2])
    return Order(tenant.name, tenant.argv, tenant.environment, tenant.gpu, port, tenant.url, tenant.health, 0.0)


Condition = Literal["up", "asleep", "booting", "silent", "dead"]
"""How a tenant stands; silent: it runs and does not answer, as one that is busy, or one that hangs."""


def condition(tenant: Tenant) -> Condition:
    """How a tenant that was started stands now."""
    if not serving(tenant):
        return "dead"
    if not answers(tenant):
        return "silent" if tenant.ready else "booting"
    if tenant.name == "vision":
        with Server(tenant.url) as server:
            return "asleep" if asleep(server) else "up"
    return "up"


def refusal(name: str, boot: Boot, log: str) -> NarratorError:
    """The error that says why a tenant did not come up and what would help."""
    if boot.outcome == "late":
        return BackendDownError(
            f"{name} did not answer within {boot.seconds:.0f} s; its log ends with: {boot.last}",
            f"Look at {log}; where a model is being fetched, give it longer with --wait MINUTES.",
        )
    told = boot.account.refusal
    if told is None:
        return BackendDownError(f"{name} ended before it was ready; its log ends with: {boot.last}", f"Look at {log}.")
    return DoesNotFitError(f"{name} was refused: {told.what}", told.hint)
