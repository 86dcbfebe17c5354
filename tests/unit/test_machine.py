"""What the machine lets us use: a container's limit counts, and none is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from comic_narrator.machine import cores, free_memory


@pytest.mark.parametrize(("most", "free"), [("1000", 400), ("max", None)])
def test_a_containers_limit_counts(tmp_path: Path, most: str, free: int | None) -> None:
    (tmp_path / "memory.max").write_text(f"{most}\n")
    (tmp_path / "memory.current").write_text("600\n")
    limited = free_memory(tmp_path)
    assert limited == free if free is not None else limited > 1_000_000


def test_without_a_container_the_machine_tells(tmp_path: Path) -> None:
    assert free_memory(tmp_path) > 1_000_000
    assert cores() >= 1
