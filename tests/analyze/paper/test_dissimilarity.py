import pytest

from autoanalyzer.analyze import METHODS, Findings, analyze
from autoanalyzer.view.explain import explanation_lines


def found(experiment, **options) -> Findings:
    return analyze(experiment, method="paper", **options)


def names(findings: Findings, positions: tuple[int, ...]) -> list[str]:
    paths = [findings.experiment.path_name(findings.vectors.regions[each].id) for each in positions]
    return [each or "(own)" for each in paths]


def test_the_culprit_is_the_deepest_region_that_alone_gives_the_clusters_back(make_experiment):
    findings = found(
        make_experiment({"calm": [1] * 4, "work": [0.1] * 4, "work/rays": [1, 1, 2, 2], "work/io": [1] * 4})
    )
    assert findings.dissimilarity.clusters == ((0, 1), (2, 3))
    assert names(findings, findings.dissimilarity.critical) == ["work", "work/rays"]
    assert names(findings, findings.dissimilarity.culprits) == ["work/rays"]


def test_a_composite_is_searched_only_where_no_region_alone_changes_the_clusters(make_experiment):
    equal = {"a": [0] * 4, "a/x": [1, 1, 2, 2], "a/y": [0.5] * 4, "b": [1, 1, 2, 2], "c": [1] * 4}
    findings = found(make_experiment(equal))
    assert findings.dissimilarity.composite
    assert names(findings, findings.dissimilarity.culprits) == ["a/x", "b"]
    assert not found(make_experiment(equal | {"b": [1, 1, 1, 1]})).dissimilarity.composite


def test_a_composite_none_of_whose_members_is_critical_is_named_by_those_that_part_the_ranks(make_experiment):
    findings = found(make_experiment({"a": [1, 1.5, 1, 1.5], "b": [1, 1, 1.5, 1.5], "c": [0.1] * 4, "d": [0.1] * 4}))
    assert names(findings, findings.dissimilarity.culprits) == ["a", "b"]


def test_a_large_balanced_region_is_blamed_for_noise_elsewhere_as_ours_is_not(make_experiment):
    experiment = make_experiment({"big": [10] * 4, "uneven": [1, 1, 3, 3], "noisy": [0.5, 0.7, 0.5, 0.7]})
    culprits = {method: analyze(experiment, method=method) for method in METHODS}
    assert {method: names(each, each.dissimilarity.culprits) for method, each in culprits.items()} == {
        "autoanalyzer": ["uneven"],
        "paper": ["big", "uneven"],
    }


@pytest.mark.parametrize("times", [[1e-4, 2e-4], [1.0, 2.0]])
def test_no_difference_is_too_small(make_experiment, times):
    findings = found(make_experiment({"work": times}))
    assert findings.dissimilarity.clusters == ((0,), (1,))
    assert findings.differences.floor == 0


def test_cpu_time_is_compared_in_which_a_rank_that_polls_hides_what_it_waits_for(make_experiment):
    waited = {"solve/MPI_Barrier": [1.0, 0.0]}
    experiment = make_experiment(
        {"solve": [0.1, 0.1], "solve/work": [1.0, 2.0], **waited}, mpi_time=waited, mpi_cpu_time=waited
    )
    assert found(experiment).vectors.metric == "cpu_time"
    assert not found(experiment).dissimilarity.exists
    assert found(experiment, metric="compute_time").dissimilarity.exists


def test_balanced_ranks_are_one_cluster_and_nothing_is_searched(make_experiment):
    findings = found(make_experiment({"a": [1, 1.02, 0.99], "a/b": [2, 2, 2]}))
    assert (findings.dissimilarity.exists, findings.dissimilarity.critical) == (False, ())


def test_ranks_that_are_all_near_to_the_first_are_acquitted_with_how_far_they_are_apart(make_experiment):
    findings = found(make_experiment({"a": [1, 0.92, 1.09]}))
    assert findings.verdict.balanced
    assert "severity S: 0.155963" in "\n".join(explanation_lines(findings))


def test_threads_are_compared_as_processes_are(make_experiment):
    experiment = make_experiment({"wait": [1, 0, 1, 0], "job": [0, 3, 0, 3]}, threads=2)
    assert not found(experiment).dissimilarity.exists
