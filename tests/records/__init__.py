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


def recorded_fish(name: str) -> Recorded:
    """A carried answer of fish.json; of a sound the one that is carried stands for all."""
    entry: dict[str, Any] = json.loads((HERE / "fish.json").read_text(encoding="utf-8"))[name]
    data = entry["body"].encode() if "body" in entry else (HERE / "fish_speech.wav").read_bytes()
    return Recorded(entry["status"], entry["kind"], data)


def fish_facts(name: str) -> dict[str, Any]:
    """A carried entry of fish.json as it stands."""
    entry: dict[str, Any] = json.loads((HERE / "fish.json").read_text(encoding="utf-8"))[name]
    return entry
