"""Serving: the tenants of a profile are brought up one after another, looked after, and taken down."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import psutil

from comic_narrator.errors import DoesNotFitError, InTheWayError
from comic_narrator.gpu.boot import Boot, Say, answers, follow, refusal
from comic_narrator.gpu.bootlog import BootLog
from comic_narrator.gpu.cards import Card
from comic_narrator.gpu.lease import lease
from comic_narrator.gpu.nap import fall_asleep
from comic_narrator.gpu.needs import GIB
from comic_narrator.gpu.orders import Order, as_it_was
from comic_narrator.gpu.plan import Room
from comic_narrator.gpu.profiles import GpuProfile
from comic_narrator.gpu.state import State
from comic_narrator.gpu.tenants import Tenancy, Tenant, port_holder, processes, serving, start, stop
from comic_narrator.http import Server
from comic_narrator.http.sleep import asleep

ATTEMPTS = 3
"""Boots of one tenant, at most; two that are refused for the same cause are enough."""
STEADY_MIB = 64
"""A card holds still while its memory changes by no more."""
MEASURED_WRONG = 0.5
"""GiB over its share from which a boot was measured wrong, not just rounded."""
LAST_WORDS = 10.0
"""Seconds that a server may go on without its engine before it leaves."""
SETTLING = 60.0
"""Seconds after which a card that never holds still is taken as it is: a desktop draws on it."""

Cards = Callable[[], Sequence[Card]]
"""The cards as they are now; empty where they cannot be measured."""


@dataclass(frozen=True)
class Landlord:
    """Who brings tenants up and takes them down: the state folder, the cards, and how it is told.

    `bound` is the seconds that a boot may take, `settle` those for which a card must hold still before the next one.
    """

    state: State
    cards: Cards
    say: Say
    detail: Say
    bound: float = 1200.0
    settle: float = 4.0

    def up(self, name: str, profile: GpuProfile, wanted: Sequence[Order]) -> Tenancy:
        """Bring up what is not up yet, each when the one before has settled; the tenancy then. `name` is the profile's.

        DoesNotFitError or BackendDownError after the same refusal twice or out of time; InTheWayError: a port or
        another profile's tenants are in the way.
        """
        with self.state.changing():
            tenancy = self.state.tenancy() or Tenancy(profile=name)
            if tenancy.profile != name and any(serving(tenant) for tenant in tenancy.tenants):
                raise InTheWayError(
                    f"The tenants of {tenancy.profile} are up.", "Take them down first: `comic-narrator serve down`."
                )
            tenancy = tenancy.model_copy(update={"profile": name})
            vision = next((order for order in wanted if order.name == "vision"), None)
            for order in wanted:
                known = tenancy.named(order.name)
                comes = known is None or not serving(known)
                if profile.gpu.share == "nap" and vision is not None and order is not vision and comes:
                    self._nap(vision)
                tenancy = self._one_up(order, tenancy)
        return tenancy

    def _one_up(self, order: Order, tenancy: Tenancy) -> Tenancy:
        known = tenancy.named(order.name)
        if known is not None and serving(known):
            if known.ready:
                silent = "" if answers(known) else "; it does not answer now: it is busy, or it hangs"
                self.say(f"{order.name}: is up already, PID {known.pid}, {known.url}{silent}")
                return tenancy
            self.say(f"{order.name}: PID {known.pid} is still booting")
            boot = self._watched(order, known, tenancy)
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
            room = self._room(order.gpu)
            tenant = self._started(order)
            tenancy = tenancy.with_tenant(tenant)
            # Before anything can go wrong: what is written down can be stopped.
            self.state.keep(tenancy)
            boot = self._watched(order, tenant, tenancy, room)
            if boot.outcome == "ready":
                return self._settled(order, tenant, tenancy, boot)
            told = refusal(order.name, boot, tenant.log)
            if boot.outcome == "late" or boot.cause in causes or len(causes) + 1 == ATTEMPTS:
                raise told
            causes.append(boot.cause)
            self.say(told.what)
            self.say(f"{order.name}: once more, in case whatever was in the way has left")
            time.sleep(self.settle)

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

    def _watched(self, order: Order, tenant: Tenant, tenancy: Tenancy, room: Room | None = None) -> Boot:
        """How the boot ends; a tenant that is not ready then is stopped and forgotten, also after Ctrl-C.

        `room` is the card's memory before it, where that is known: a refusal is then told with what would fit.
        """
        ready = False
        try:
            boot = follow(tenant, BootLog(order.shape, room), self.bound, self.say, self.detail)
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
        room = self._room(order.gpu)
        over = boot.account.over_its_share(room.total / GIB) if room else 0.0
        if over > MEASURED_WRONG:
            self.say(
                f"{order.name}: took {over:.1f} GiB more than its share, for another process gave memory back while it "
                "measured. Should others lack it: `comic-narrator serve down`, then up."
            )
        return tenancy

    def _let_settle(self, card: int) -> None:
        """Wait until the card's memory holds still: a boot beside one that still grows or shrinks is measured wrong."""
        until, seen, since = time.monotonic() + SETTLING, self.used(card), time.monotonic()
        while seen is not None and time.monotonic() - since < self.settle and time.monotonic() < until:
            time.sleep(self.settle / 8)
            now = self.used(card)
            if now is None or abs(now - seen) > STEADY_MIB:
                seen, since = now, time.monotonic()

    def _nap(self, order: Order) -> None:
        def waiting(place: int, holder: str) -> None:
            self.say(f"{order.name}: waiting for GPU {order.gpu}, at place {place}: {holder} has it")

        # In its turn: a run may be reading just now.
        with lease(self.state.leases, order.gpu, "starting speech", waiting), Server(order.url) as server:
            if not server.alive() or asleep(server):
                return
            nap = fall_asleep(server, lambda: self.used(order.gpu), order.weights_gib)
        freed = "" if nap.freed_mib is None else f", {nap.freed_mib} MiB came back"
        self.say(f"{order.name}: takes a nap, so that the next tenant finds room ({nap.seconds:.1f} s{freed})")

    def _card(self, index: int) -> Card | None:
        return next((card for card in self.cards() if card.index == index), None)

    def _room(self, index: int) -> Room | None:
        card = self._card(index)
        return card.room if card else None

    def used(self, card: int) -> int | None:
        """Memory in use on a card, MiB; None where it cannot be measured."""
        seen = self._card(card)
        return seen.used_mib if seen else None

    def held_mib(self, name: str) -> int | None:
        """MiB that a tenant of ours holds on its cards, or in the machine where there is no card.

        None where it is not ours, or where the driver tells other numbers of processes than we see, as in a container.
        """
        tenant = self._tenant(name)
        if tenant is None:
            return None
        ours = {process.pid: process for process in processes(tenant)}
        cards = self.cards()
        if cards:
            on_cards = [h.mib for card in cards for h in card.holders if h.pid in ours and h.mib is not None]
            return sum(on_cards) or None
        return sum(memory for process in ours.values() if (memory := _resident(process)) is not None) >> 20

    def has_died(self, name: str) -> bool:
        """Whether a tenant of ours is gone, or runs without an engine; waited for, as a server outlives its engine."""
        tenant = self._tenant(name)
        if tenant is None:
            return False
        until = time.monotonic() + LAST_WORDS
        while serving(tenant):
            if answers(tenant):
                return False
            if time.monotonic() > until:
                # Fish Speech is silent while it speaks; vLLM answers as long as it has an engine.
                return name == "vision"
            time.sleep(0.5)
        return True

    def make_room(self, vision: Order) -> None:
        """Make sure that a sleeping vision tenant finds its memory when it wakes; DoesNotFitError: others hold it.

        The speech tenant is started anew where its growth is what is in the way.
        """
        if self._lack(vision) <= 0:
            return
        self.say("The speech tenant is started anew, so that the reader finds room to wake up.")
        if not self.restart("speech") or self._lack(vision) > 0:
            raise DoesNotFitError(
                f"The reader cannot wake up: {self._lack(vision)} MiB of its card are held by others.",
                "`comic-narrator doctor` names them; end one, or take the tenants down and up again.",
            )

    def _lack(self, vision: Order) -> int:
        """MiB that are missing on the card for at least the weights to come back."""
        card = next((seen for seen in self.cards() if seen.index == vision.gpu), None)
        return 0 if card is None else round(vision.weights_gib * 1024) - card.free_mib

    def _tenant(self, name: str) -> Tenant | None:
        tenancy = self.state.tenancy()
        return tenancy.named(name) if tenancy else None

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
            self._boot(as_it_was(tenant), tenancy)
        return True


def _resident(process: psutil.Process) -> int | None:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return None
