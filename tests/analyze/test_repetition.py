"""Findings of a mean that also occur in its single runs, calculated by hand."""

import pytest

from autoanalyzer.analyze import Findings, analyze
from autoanalyzer.analyze.repetition import repeated
from autoanalyzer.analyze.verdict.repeatability import Repeatability
from autoanalyzer.experiment.algebra import mean
from autoanalyzer.view.verdict import verdict_lines


def of_runs(*runs) -> Findings:
    return repeated(analyze(mean(*runs, exact=True)), runs, analyze)


def of_culprit(findings: Findings) -> Repeatability:
    (culprit,) = findings.dissimilarity.culprits
    return findings.repetition.of_ranks[culprit]


def test_what_slow_ranks_take_longer_has_an_interval(make_experiment):
    runs = [make_experiment({"a": [4, 4, 4, 4], "b": [1, 1, 1 + each, 1 + each]}) for each in (1.0, 2.0, 3.0)]
    findings = of_runs(*runs)
    found = of_culprit(findings)
    assert (findings.repetition.runs, found.in_runs) == (3, 3)
    assert found.seconds == pytest.approx((1, 2, 3))
    assert found.interval
    # s = 1, t(2; 0.975) = 4.3027: 2 ± 4.3027 / √3
    assert (found.interval.low, found.interval.mean, found.interval.high) == pytest.approx(
        (-0.4841, 2, 4.4841), abs=1e-4
    )
    text = " ".join(" ".join(verdict_lines(findings, everything=True)).split())
    assert "in 3 of 3 runs" in text
    assert (
        "the slow ranks take at most 4.48 s longer per run, and perhaps no longer at all, with 95 % confidence" in text
    )


def test_a_finding_stands_where_the_same_ranks_are_slow(make_experiment):
    slow_in_turn = [[3.0, 1, 1, 1], [1, 1, 3.0, 1], [1, 1, 3.0, 1], [1, 1, 1, 1]]
    findings = of_runs(*(make_experiment({"a": [4] * 4, "b": row}) for row in slow_in_turn))
    found = of_culprit(findings)
    assert found.in_runs == 2  # the mean names rank 2
    assert found.seconds == pytest.approx((-2 / 3, 2, 2, 0))


def test_a_part_of_the_slow_ranks_is_enough(make_experiment):
    runs = [make_experiment({"a": [4] * 4, "b": row}) for row in ([1, 1, 3, 3], [1, 1, 1.5, 3])]
    assert of_culprit(of_runs(*runs)).in_runs == 2


def test_of_two_runs_there_is_no_interval(make_experiment):
    run = make_experiment({"a": [4, 4], "b": [1, 3]})
    found = of_culprit(of_runs(run, run))
    assert (found.in_runs, found.interval) == (2, None)


def test_a_region_that_weighs_in_some_runs_is_counted_in_these(make_experiment):
    weights = [{"a": [8, 8], "b": [1, 1], "c": [0.9, 0.9]}] * 2 + [{"b": [8, 8], "c": [0.9, 0.9]}]
    findings = of_runs(*map(make_experiment, weights))
    experiment = findings.experiment
    names = {
        experiment.call_paths[findings.run.weighed.regions[culprit].id].region.name: repeatability
        for culprit, repeatability in findings.repetition.of_regions.items()
    }
    assert names["a"].in_runs == 2
    assert names["a"].seconds == pytest.approx((8, 8, 0))


def test_ranks_that_differ_in_all_regions_are_a_finding_too(make_experiment):
    run = make_experiment({"a": [1.0, 1.04, 1.08, 1.12], "b": [1.0, 1.04, 1.08, 1.12]})
    findings = of_runs(run, run, run)
    kinds = (
        {None}
        if findings.dissimilarity.exists and not findings.dissimilarity.culprits
        else {*findings.dissimilarity.culprits}
    )
    assert findings.repetition.of_ranks.keys() == kinds
    assert all(each.in_runs == 3 for each in findings.repetition.of_ranks.values())


def test_a_single_run_has_no_repeatability(make_experiment):
    findings = analyze(make_experiment({"a": [4, 4], "b": [1, 3]}))
    assert (findings.repetition.runs, findings.repetition.of_ranks) == (1, {})
