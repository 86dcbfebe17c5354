"""Orders: how the tenants of a profile are to be started, and where they will answer."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from comic_narrator.errors import UsageError
from comic_narrator.gpu import needs
from comic_narrator.gpu.fit import vision_shape
from comic_narrator.gpu.profiles import GpuProfile, Kind, SpeechTenant, VisionTenant
from comic_narrator.gpu.shape import ModelShape
from comic_narrator.gpu.tenants import Tenant


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
    shape: ModelShape | None = None


def orders(profile: GpuProfile, own: Path, path: str, only: str | None = None, *, both: bool = False) -> list[Order]:
    """The tenants of a profile in the order in which they boot; `own` is searched for their programs before `path`.

    With two passes the vision tenant has the card to itself: speech comes where `only` names it, or with `both`.
    """
    wanted = []
    for kind in profile.boot_order:
        alone = profile.gpu.share == "two-pass" and not both and kind != "vision"
        if kind == only or (only is None and not alone):
            tenant = profile.tenant.vision if kind == "vision" else profile.tenant.speech
            if tenant is not None:
                wanted.append(_order(kind, tenant, own, path))
    return wanted


def _order(kind: Kind, tenant: VisionTenant | SpeechTenant, own: Path, path: str) -> Order:
    program, *arguments = tenant.argv()
    found = shutil.which(program, path=os.pathsep.join([str(own), path])) or program
    # By PCI bus, as the driver counts: CUDA's own order is by speed.
    card = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": str(tenant.gpu)}
    shape = _shape(tenant)
    fish = isinstance(tenant, SpeechTenant) and tenant.engine == "fish"
    return Order(
        name=kind,
        argv=(found, *arguments),
        environment={**card, **tenant.environment},
        gpu=tenant.gpu,
        port=tenant.port,
        url=f"http://{tenant.host}:{tenant.port}",
        health="/v1/health" if fish else "/health",
        weights_gib=_weights(tenant, shape),
        shape=shape,
    )


def _weights(tenant: VisionTenant | SpeechTenant, shape: ModelShape | None) -> float:
    if isinstance(tenant, SpeechTenant):
        return tenant.expected_gib
    if tenant.figures:
        return tenant.figures.weights_gib
    return needs.weights(shape, tenant.flags) / needs.GIB if shape else 0.0


def _shape(tenant: VisionTenant | SpeechTenant) -> ModelShape | None:
    """The model's dimensions; None where nothing tells them, as for one that is still to be fetched."""
    if isinstance(tenant, SpeechTenant):
        return None
    try:
        return vision_shape(tenant)
    except UsageError:
        return None


def as_it_was(tenant: Tenant) -> Order:
    """The order that started a tenant."""
    port = int(tenant.url.rpartition(":")[2])
    return Order(tenant.name, tenant.argv, tenant.environment, tenant.gpu, port, tenant.url, tenant.health, 0.0)
