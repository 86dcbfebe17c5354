"""Turns on the GPU: a run waits for the card, wakes the tenant it needs, puts the other to sleep, and watches both."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar

from comic_narrator.console import Watch
from comic_narrator.errors import BackendDownError
from comic_narrator.gpu.gate import Gate
from comic_narrator.gpu.lease import Waiting, lease
from comic_narrator.gpu.nap import fall_asleep, wake
from comic_narrator.gpu.orders import Order
from comic_narrator.gpu.profiles import GpuProfile, Kind
from comic_narrator.gpu.serve import Landlord
from comic_narrator.gpu.watch import Watcher
from comic_narrator.http import Server
from comic_narrator.http.sleep import asleep
from comic_narrator.report import GpuReport, NapReport

T = TypeVar("T")

LOOK_AGAIN = 5.0
"""Seconds between two looks at the memory of the speech tenant."""
PURPOSES: Mapping[Kind | Literal["film"], str] = {"vision": "reading", "speech": "speech", "film": "filming"}
"""What a card is held for, as runs that wait are told."""
GREW = 1.25
"""How much more than at first it must hold before a restart would give anything back."""


def _nothing() -> None:
    """Nothing needs to be made sure of."""


class Turns:
    """What a run does about the GPU; this one does nothing, for runs that use none of a profile's tenants."""

    @contextmanager
    def turn(self, kind: Kind, make_sure: Callable[[], None] = _nothing) -> Iterator[None]:
        """Have the card for a block in which that tenant is asked; `make_sure` is called after it was woken."""
        del kind, make_sure
        yield

    @contextmanager
    def filming(self, encoder: str) -> Iterator[None]:
        """Have the card for a block in which the graphics' own encoder films."""
        del encoder
        yield

    def ask(self, kind: Kind, call: Callable[[], T], anew: Callable[[], None] = _nothing) -> T:
        """The answer of a call to that tenant; `anew` is called when it was started anew, before it is asked again."""
        del kind, anew
        return call()

    @property
    def naps(self) -> bool:
        """Whether the reader sleeps now, and is woken when its turn comes."""
        return False

    @property
    def two_passes(self) -> bool:
        """Whether reading and speech each need the card to themselves."""
        return False

    @property
    def between_passes(self) -> tuple[str, ...]:
        """The commands that hand the card over between two passes."""
        return ()

    def report(self) -> GpuReport | None:
        """How the GPU was shared, for report.json."""
        return None


@dataclass(frozen=True)
class FilmTurns(Turns):
    """Turns of a run that asks no tenant: it has the card only to film on it; runs queue in the folder `leases`."""

    leases: Path
    watch: Watch

    @contextmanager
    def filming(self, encoder: str) -> Iterator[None]:
        """Have the first card, where ffmpeg encodes, for a block in which its own encoder films."""
        if encoder != "nvenc":
            yield
            return
        with lease(self.leases, 0, PURPOSES["film"], waits_for(0, self.watch)):
            yield


def waits_for(card: int, watch: Watch) -> Waiting:
    """What tells the user that the run waits for that card, and who has it."""

    def waiting(place: int, holder: str) -> None:
        watch.say(f"Waiting for GPU {card}, at place {place}: {holder} has it.")

    return waiting


@dataclass
class CardTurns(Turns):
    """Turns of a run that uses tenants of the profile `named`: `orders` are those it asks, `vision` is the big one."""

    profile: GpuProfile
    named: str
    orders: dict[Kind, Order]
    vision: Order | None
    landlord: Landlord
    watcher: Watcher
    watch: Watch
    _restarts: list[str] = field(default_factory=list)
    _naps: list[NapReport] = field(default_factory=list)
    _waited: float = 0.0
    _gates: dict[Kind, Gate] = field(default_factory=lambda: {"vision": Gate(), "speech": Gate()})
    _revived: set[Kind] = field(default_factory=set)
    _watching: bool = False
    _first_mib: int | None = None
    _looked: float = 0.0

    @contextmanager
    def turn(self, kind: Kind, make_sure: Callable[[], None] = _nothing) -> Iterator[None]:
        """Have the card for a block in which that tenant is asked; `make_sure` is called after it was woken.

        Other runs of ours wait meanwhile. InTheWayError: too many wait; DoesNotFitError: a nap gave nothing back.
        """
        if not self._watching:
            self.watcher.start()
            self._watching = True
        order = self.orders.get(kind)
        if order is None:
            # Speech on the CPU: the card is let go of, and had only while the nap begins.
            if kind == "speech" and self.vision is not None and self.profile.gpu.share == "nap":
                with self._lease(self.vision, kind):
                    self._nap(self.vision)
            yield
            return
        with self._lease(order, kind):
            if self.profile.gpu.share == "nap" and self.vision is not None:
                if kind == "vision":
                    self._wake(self.vision, make_sure)
                elif self.vision.gpu == order.gpu:
                    self._nap(self.vision)
            yield

    @contextmanager
    def filming(self, encoder: str) -> Iterator[None]:
        """Have the card for a block in which its own encoder films; x264 needs no card."""
        order = self.vision or self.orders.get("speech")
        if encoder != "nvenc" or order is None:
            yield
            return
        with self._lease(order, "film"):
            yield

    @contextmanager
    def _lease(self, order: Order, kind: Kind | Literal["film"]) -> Iterator[None]:
        told = waits_for(order.gpu, self.watch)
        with lease(self.landlord.state.leases, order.gpu, PURPOSES[kind], told) as waited:
            self._waited += waited
            yield

    def _nap(self, vision: Order) -> None:
        with Server(vision.url) as server:
            # In a second pass nobody is there who could sleep.
            if not server.alive() or asleep(server):
                return
            # A short reading may lie between two samples, and now the card holds the most.
            self.watcher.sample()
            nap = fall_asleep(server, lambda: self.landlord.used(vision.gpu), vision.weights_gib)
        freed = "how much came back is not measured" if nap.freed_mib is None else f"{nap.freed_mib} MiB came back"
        self.watch.say(f"The reader takes a nap: {nap.seconds:.1f} s, {freed}.")
        self._naps.append(NapReport(asleep_seconds=nap.seconds, freed_mib=nap.freed_mib))

    def _wake(self, vision: Order, make_sure: Callable[[], None]) -> None:
        with Server(vision.url) as server:
            if not asleep(server):
                return
            self.landlord.make_room(vision)
            seconds = wake(server)
        make_sure()
        self.watch.say(f"The reader is awake again: {seconds:.1f} s.")
        if self._naps:
            self._naps[-1] = self._naps[-1].model_copy(update={"wake_seconds": seconds})

    def ask(self, kind: Kind, call: Callable[[], T], anew: Callable[[], None] = _nothing) -> T:
        """The answer of a call to that tenant; one that died is started once more in a run, and asked after `anew`."""
        if kind not in self.orders:
            return call()
        gate = self._gates[kind]
        if kind == "speech":
            self._shrink(gate)
        try:
            with gate.call() as life:
                return call()
        except BackendDownError as down:
            if not gate.renew(life, partial(self._revive, kind, down)):
                raise
        with gate.call():
            anew()
            return call()

    def _revive(self, kind: Kind, error: BackendDownError) -> bool:
        """Start a tenant of ours that died, once; False where it is alive, not ours, or died before."""
        if kind in self._revived or not self.landlord.has_died(kind):
            return False
        self._revived.add(kind)
        self.watch.say(f"{error.what} It is started again.")
        self._restarts.append(f"{kind}: {error.what}")
        return self.landlord.restart(kind)

    def _shrink(self, gate: Gate) -> None:
        """Restart the speech tenant between lines when it has grown past what is kept for it."""
        speech = self.profile.tenant.speech
        if speech is None or time.monotonic() - self._looked < LOOK_AGAIN:
            return
        self._looked = time.monotonic()
        held = self.landlord.held_mib("speech")
        if held is None:
            return
        first = self._first_mib = self._first_mib or held
        if held <= speech.reserve_gib * 1024 or held <= first * GREW:
            return
        if gate.renew(gate.life, lambda: self.landlord.restart("speech")):
            self.watch.say(f"Speech had grown to {held} MiB and was started anew.")
            self._restarts.append(f"speech: grew from {first} to {held} MiB")
            self._first_mib = None

    @property
    def naps(self) -> bool:
        """Whether the reader sleeps now, and is woken when its turn comes."""
        if "vision" not in self.orders or self.profile.gpu.share != "nap":
            return False
        with Server(self.orders["vision"].url) as server:
            return server.alive() and asleep(server)

    @property
    def two_passes(self) -> bool:
        """Whether reading and speech each need the card to themselves."""
        return self.profile.gpu.share == "two-pass"

    @property
    def between_passes(self) -> tuple[str, ...]:
        """The commands that hand the card over between two passes."""
        if not self.two_passes:
            return ()
        down = "comic-narrator serve down"
        up = f"comic-narrator serve up speech --profile {shlex.quote(self.named)}"
        return (down, up) if "speech" in self.orders else (down,)

    def report(self) -> GpuReport:
        """How the GPU was shared, for report.json; ends the watch."""
        if self._watching:
            self.watcher.stop()
        return GpuReport(
            profile=self.profile.name,
            share=self.profile.gpu.share,
            waited_seconds=round(self._waited, 1),
            cards=self.watcher.cards(),
            vision=self.watcher.server_use(),
            naps=tuple(self._naps),
            restarts=tuple(self._restarts),
        )
