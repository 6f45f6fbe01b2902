"""The program's run time if ranks also work before MPI_Init or after MPI_Finalize."""

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.view.verdict import verdict_lines


@pytest.mark.parametrize(
    ("measured", "whole", "outside", "unit"),
    [(3.0, 3.0, 0.0, 1.0), (1.0, 3.0, 2.0, 1.0), (2.8, 2.8, 0.0, 1.0), (2.6, 3.0, 0.4, 1.0), (1.0, 3.0, 2.0, 0.01)],
    ids=["none", "much", "start", "little", "short"],
)
def test_work_before_mpi_is_part_of_the_programs_time(make_experiment, measured, whole, outside, unit):
    """Even if the program takes only 30 ms, its regions' shares stay below 100 %."""
    times = {"read": [2.0 * unit] * 2, "solve": [unit] * 2}
    findings = analyze(make_experiment(times, program_time={"": [measured * unit] * 2}))
    assert (findings.run.program_time, findings.run.outside) == (
        pytest.approx(whole * unit),
        pytest.approx(outside * unit),
    )
    assert [each.share for each in findings.run.costs[:2]] == pytest.approx([2.0 / whole, 1.0 / whole])
    said = " of the run is not judged: it is before MPI_Init or after MPI_Finalize"
    assert any(line.endswith(said) for line in verdict_lines(findings)) == (outside * unit >= 0.1)
