"""Between what a model answers and page.json nothing is lost: a model that answers from the truth scores 1.0."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.served_truth import nothing_lost, scored


@pytest.mark.shared
def test_a_model_that_knows_the_truth_scores_all_words_and_speakers(shared: Path, tmp_path: Path) -> None:
    assert shared.is_dir()
    # In colour, and in Japanese with lettering that the recogniser gets wrong.
    table, remarks = scored(["t07_pc_e03p2", "t17_manga_ja_p073"], "pixels", tmp_path)
    assert remarks == []
    assert nothing_lost(table), table
