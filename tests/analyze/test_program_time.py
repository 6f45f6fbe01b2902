"""How long the program took, where ranks work outside of MPI_Init and MPI_Finalize."""

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.view import verdict_lines


@pytest.mark.parametrize(
    ("measured", "whole", "outside"),
    [(3.0, 3.0, 0.0), (1.0, 3.0, 2.0), (2.95, 2.95, 0.0)],
    ids=["none", "much", "start"],
)
def test_work_before_mpi_is_part_of_the_programs_time(make_experiment, measured, whole, outside):
    times = {"read": [2.0, 2.0], "solve": [1.0, 1.0]}
    findings = analyze(make_experiment(times, program_time={"": [measured] * 2}))
    assert (findings.run.program_time, findings.run.outside) == (pytest.approx(whole), pytest.approx(outside))
    assert [each.share for each in findings.run.costs[:2]] == pytest.approx([2.0 / whole, 1.0 / whole])
    said = "2 s of it before MPI_Init or after MPI_Finalize" in verdict_lines(findings)
    assert said == bool(outside)
