"""A run that is killed at any moment, and killed again, comes to the film of a run that nobody disturbed."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.kill_rig import rig

pytestmark = pytest.mark.slow


def test_no_moment_to_be_killed_in_costs_more_than_what_was_in_flight(tmp_path: Path) -> None:
    toll = rig(6, 3, tmp_path)
    assert toll.kills == 6
    assert toll.wrong == []
    assert toll.made_again == 0
