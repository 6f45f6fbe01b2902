"""Ranks with equal busy time that differ in what they send and receive."""

from dataclasses import replace

import pytest

from autoanalyzer.analyze import Findings, analyze
from autoanalyzer.experiment import Experiment

CALM = {"compute": [2.0] * 4, "exchange": [0.01] * 4}


def exchanging(make_experiment, volumes: list[float], *, seconds: float = 2.0, **others) -> Experiment:
    return make_experiment(
        CALM, mpi_time={"exchange": [seconds] * 4}, mpi_bytes={"exchange": volumes, **others.pop("more", {})}, **others
    )


def named(findings: Findings) -> list[str]:
    return [
        findings.experiment.path_name(findings.vectors.regions[culprit].id)
        for culprit in findings.dissimilarity.culprits
    ]


def test_ranks_that_move_more_are_found_where_they_do(make_experiment):
    findings = analyze(exchanging(make_experiment, [1e8, 1e8, 5e8, 5e8], more={"compute": [1e6] * 4}))
    assert findings.vectors.metric == "mpi_bytes"
    assert findings.dissimilarity.clusters == ((0, 1), (2, 3))
    assert named(findings) == ["exchange"]
    assert [each.attribute for each in findings.dissimilarity_causes.differences] == ["mpi_bytes"]


@pytest.mark.parametrize(
    ("volumes", "seconds"),
    [
        ([3e8] * 4, 2.0),
        ([1e8, 1e8, 5e8, 5e8], 0.05),
        ([1e6, 1e6, 5e6, 5e6], 2.0),
        ([9e8, 3e8, 3e8, 3e8], 2.0),
        ([3e8, 6e8, 6e8, 3e8], 2.0),
    ],
    ids=["all alike", "in no time", "in small volumes", "rank 0 collects from all", "a halo has ends"],
)
def test_other_ranks_are_alike(make_experiment, volumes, seconds):
    findings = analyze(exchanging(make_experiment, volumes, seconds=seconds))
    assert (findings.vectors.metric, findings.dissimilarity.exists) == ("compute_time", False)


def test_what_was_calibrated_is_the_price_of_a_byte(make_experiment):
    made = exchanging(make_experiment, [1e8, 1e8, 5e8, 5e8])
    for price, told in ((5e-9, True), (2.7e-10, False)):
        assert (
            analyze(made.replaced(notes=replace(made.notes, prices={"mpi_byte": price}))).dissimilarity.exists == told
        )


def test_any_other_rank_through_which_all_goes_is_found(make_experiment):
    findings = analyze(exchanging(make_experiment, [3e8, 3e8, 9e8, 3e8]))
    assert findings.dissimilarity.clusters == ((0, 1, 3), (2,))


def test_a_difference_in_computing_comes_before_one_in_volumes(make_experiment):
    seconds = {"compute": [1.0, 1.0, 3.0, 3.0], "exchange": [0.01] * 4}
    volumes = {"exchange": [5e8, 1e8, 1e8, 5e8]}
    findings = analyze(make_experiment(seconds, mpi_time={"exchange": [2.0] * 4}, mpi_bytes=volumes))
    assert (findings.vectors.metric, findings.dissimilarity.clusters) == ("compute_time", ((0, 1), (2, 3)))


def test_what_packing_takes_comes_with_the_volume(make_experiment):
    seconds = {"compute": [0.07] * 4, "exchange": [0.0005, 0.0005, 0.0005, 0.0149]}
    volumes = {"exchange": [5e7, 5e7, 5e7, 1.6e8]}
    findings = analyze(make_experiment(seconds, mpi_time={"exchange": [2.0] * 4}, mpi_bytes=volumes))
    assert (findings.vectors.metric, findings.dissimilarity.clusters) == ("mpi_bytes", ((0, 1, 2), (3,)))


def test_what_is_asked_for_is_compared(make_experiment):
    experiment = exchanging(make_experiment, [9e8, 3e8, 3e8, 3e8])
    assert analyze(experiment, metric="mpi_bytes").dissimilarity.clusters == ((0,), (1, 2, 3))
    parting = exchanging(make_experiment, [1e8, 1e8, 5e8, 5e8])
    assert not analyze(parting, metric="compute_time").dissimilarity.exists


def test_a_halo_and_a_collector_are_no_imbalance_together(make_experiment):
    times = {"halo": [1.0] * 8, "gather": [0.01] * 8}
    mpi = {"halo": [1.0] * 8, "gather": [1.0] * 8}
    for halo in ([2e9] * 8, [1e9, *[2e9] * 6, 1e9]):
        volumes = {"halo": halo, "gather": [7e9, *[1e9] * 7]}
        assert not analyze(make_experiment(times, mpi_time=mpi, mpi_bytes=volumes)).dissimilarity.exists
