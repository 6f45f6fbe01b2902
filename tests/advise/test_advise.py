"""Findings and sources → advice."""

from pathlib import Path

import pytest

from autoanalyzer.advise import Found, advise
from autoanalyzer.analyze import analyze

SOURCE = (
    "#include <mpi.h>\n"
    "void other(void) {}\n"
    "void work(double *a) { int r; MPI_Comm_rank(MPI_COMM_WORLD, &r); for (int i = 0; i < 8 * r; i++) a[i] = 0; }\n"
)


@pytest.fixture
def findings(make_experiment):
    """Ranks that differ in ``work``, in line 3, by the instructions that they execute."""
    times = {"other": [1, 1, 1, 1], "rest": [1, 1, 1, 1], "work": [1, 2, 4, 8]}
    instructions = {name: [1e9 * each for each in row] for name, row in times.items()}
    return analyze(make_experiment(times, instructions=instructions))


def test_advice_is_given_of_the_region_for_its_cause(findings, tmp_path):
    (tmp_path / "app.c").write_text(SOURCE)
    advised = advise(findings, lambda name: Found(tmp_path / name))
    ((core, (advice,)),) = advised.of_ranks.items()
    assert core in findings.dissimilarity.cccr
    assert advice.kind == "division of work"
    assert advice.places == ("app.c:3",)
    assert "one rank executes 8 times the instructions of another" in advice.evidence
    assert advice.gain > 0


@pytest.mark.parametrize("counted", [True, False])
def test_where_counts_are_equal_the_work_is_not_said_to_be_divided_unevenly(make_experiment, tmp_path, counted):
    (tmp_path / "app.c").write_text(SOURCE)
    times = {"other": [1, 1, 1, 1], "rest": [1, 1, 1, 1], "work": [1, 1, 1, 8]}
    counts = {"instructions": dict.fromkeys(times, [1e9] * 4)} if counted else {}
    findings = analyze(make_experiment(times, **counts))
    assert findings.dissimilarity.cccr
    assert bool(advise(findings, lambda name: Found(tmp_path / name)).of_ranks) == (not counted)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Found(None), "it was not found"),
        (Found(Path("app.c"), "app.c was changed after the run"), "app.c was changed after the run"),
    ],
)
def test_of_a_file_that_is_missing_or_newer_nothing_is_advised_and_that_is_said(findings, found, said):
    advised = advise(findings, lambda _: found)
    assert not advised.of_ranks
    assert not advised.of_regions
    assert advised.remarks == (f"no advice on app.c: {said}",)


def test_of_a_file_that_cannot_be_read_nothing_is_advised_and_that_is_said(findings, tmp_path):
    (tmp_path / "app.c").write_text("void work(void) { return " + "(" * 400 + "1" + ")" * 400 + "; }")
    advised = advise(findings, lambda name: Found(tmp_path / name))
    assert not advised.of_ranks
    assert any("app.c" in each for each in advised.remarks)


def test_no_file_is_looked_for_where_nothing_was_found(make_experiment):
    alike = analyze(make_experiment({"a": [1, 1, 1, 1], "b": [1, 1, 1, 1]}))

    def find(name):
        raise AssertionError(name)

    assert not advise(alike, find).remarks
