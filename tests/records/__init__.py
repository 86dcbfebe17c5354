"""Answers that real servers gave, recorded by us: what tests need of ../shared/records, so that they run alone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Recorded:
    """An answer as it came: status, content type, bytes."""

    status: int
    kind: str
    data: bytes


def recorded(name: str) -> Recorded:
    """A carried answer of vllm.json."""
    entry: dict[str, Any] = json.loads((HERE / "vllm.json").read_text(encoding="utf-8"))[name]
    return Recorded(entry["status"], entry["kind"], entry["body"].encode())


def metrics(name: str) -> str:
    """Carried metrics: "idle" or "loaded"."""
    return (HERE / f"metrics_{name}.txt").read_text(encoding="utf-8")
