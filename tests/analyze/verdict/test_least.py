"""The smallest saving that makes a finding."""

import pytest

from autoanalyzer.analyze import analyze

CALM = {f"calm{number}": [1.0, 1.01, 0.99, 1.0] for number in range(9)}


@pytest.mark.parametrize(("least", "found"), [(None, True), (0.005, True), (0.02, False)], ids=str)
def test_an_imbalance_is_a_finding_if_to_share_its_work_saves_enough(make_experiment, least, found):
    findings = analyze(make_experiment({"a": [0.6, 0.6, 0.8, 0.6], **CALM}), least=least)  # 1.6 % of the busy time
    assert findings.dissimilarity.exists == found


@pytest.mark.parametrize(("seconds", "found"), [(0.0105, True), (0.0095, False)], ids=["just enough", "a little less"])
def test_a_hundredth_of_what_the_ranks_compute_is_enough(make_experiment, seconds, found):
    calm = {f"calm{number}": [1.0] * 4 for number in range(10)}
    excess = seconds * 10.2 * 4 / 3
    findings = analyze(make_experiment({"a": [0.2 + excess, 0.2, 0.2, 0.2], **calm}))
    assert findings.dissimilarity.exists == found


@pytest.mark.parametrize(("least", "culprits"), [(None, 1), (0.1, 0)], ids=str)
def test_a_region_is_critical_if_it_takes_enough(make_experiment, least, culprits):
    findings = analyze(make_experiment({"a": [0.05] * 4, "b": [0.001] * 4, "c": [0.002] * 4}, own=0.7), least=least)
    named = [findings.run.weighed.regions[culprit].id for culprit in findings.disparity.culprits]
    assert len([each for each in named if each]) == culprits


@pytest.mark.parametrize(
    ("run", "apart", "found"),
    [(0.1, 0.0009, False), (0.1, 0.0015, True), (9.0, 0.009, False), (9.0, 0.015, True)],
    ids=["of a short run", "enough of a short run", "of a long run", "enough of a long run"],
)
def test_less_than_a_hundredth_of_the_run_and_than_the_clocks_resolve_is_no_imbalance(
    make_experiment, run, apart, found
):
    """The run is mostly MPI, and ranks compute almost nothing."""
    times = {"work": [0.001 + apart, 0.001, 0.001, 0.001], "MPI_Bcast": [0.0] * 4}
    waiting = {"MPI_Bcast": [run - sum(each[rank] for each in times.values()) for rank in range(4)]}
    findings = analyze(make_experiment(times, mpi_time=waiting))
    assert bool(findings.culprits_by_difference) == found


@pytest.mark.parametrize(("files", "found"), [(0.0009, False), (0.0011, True)], ids=["less", "enough"])
def test_less_than_a_hundredth_of_the_run_is_no_cost(make_experiment, files, found):
    times = {"work": [0.001] * 4, "write": [0.0] * 4, "MPI_Bcast": [0.0] * 4}
    of = {"io_time": {"write": [files] * 4}, "io_bytes": {"write": [1e6] * 4}}
    waiting = {"MPI_Bcast": [0.1 - 0.001 - files] * 4}
    findings = analyze(make_experiment(times, mpi_time=waiting, **of))
    named = [findings.run.weighed.regions[culprit].id for culprit in findings.culprits_by_weight]
    assert (2 in named) == found
