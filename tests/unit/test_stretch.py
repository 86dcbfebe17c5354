"""Speech made faster or slower."""

from __future__ import annotations

import numpy as np
import pytest

from comic_narrator.voices.listening import measured
from comic_narrator.voices.stretch import stretched
from tests.fakes.babble import babble

TAKE = babble("Nobody saw the small boat leave the harbour that morning.", pitch=150.0)


@pytest.mark.parametrize("speed", [0.6, 0.85, 1.2, 1.8])
def test_it_is_shorter_by_the_speed_and_keeps_its_pitch_and_level(speed: float) -> None:
    quick = stretched(TAKE, speed)
    assert len(quick) == pytest.approx(len(TAKE) / speed, rel=0.01)
    before, after = measured(TAKE), measured(quick)
    assert before is not None
    assert after is not None
    assert after.pitch == pytest.approx(before.pitch, rel=0.03)
    assert np.sqrt((quick**2).mean()) == pytest.approx(np.sqrt((TAKE**2).mean()), rel=0.1)
    assert quick.dtype == np.float32
    assert np.isfinite(quick).all()


def test_what_nobody_would_notice_is_left_alone() -> None:
    assert stretched(TAKE, 1.004) is TAKE
    assert len(stretched(TAKE[:2000], 1.5)) == 2000
