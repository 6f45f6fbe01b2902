"""Messages before programs are counted."""

from __future__ import annotations

import pytest

from autoanalyzer.runtime.counting.run import how_long


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.0, "3 s: 3 s to start, plus 5 to 20 times the program's 0 s"),
        (5.8, "32 to 119 s: 3 s to start, plus 5 to 20 times the program's 5.8 s"),
        (420.0, "35 to 140 min: 3 s to start, plus 5 to 20 times the program's 420 s"),
        (3600.0, "5 to 20 h: 3 s to start, plus 5 to 20 times the program's 3600 s"),
    ],
)
def test_how_long_counting_takes_is_said_in_a_fitting_unit(seconds: float, said: str) -> None:
    assert how_long(seconds, (5, 20)) == f"it usually takes {said}"
