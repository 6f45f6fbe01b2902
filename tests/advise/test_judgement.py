"""Advice on small programs whose right advice is known."""

from pathlib import Path

from .judgement import judge, precision

# Faults that the sources do not show: the rank's share does not contain the rank, or a comparison determines it, or the
# sign of a loop's step is unknown.
UNSEEN = {"unequal_costs: division of work", "last_takes_the_rest: division of work", "rows_back: pipeline"}


def test_advice_is_right_of_faults_and_silent_of_programs_without_any():
    found = judge()
    assert found.clean >= 120
    assert min(found.faults.values()) >= 5
    assert len(found.alarmed) <= 0.02 * found.clean, found.wrong
    assert all(share >= 0.95 for share in precision(found).values()), found.wrong
    assert set(found.missed) == UNSEEN
    page = Path(__file__).parents[2] / "docs" / "evidence" / "advice.md"
    assert f"{len(found.alarmed)} of {found.clean} " in page.read_text()
