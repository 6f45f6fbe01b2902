"""Whether a difference between ranks may be due to chance."""

from dataclasses import replace

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.verdict import Doubt, Kind
from autoanalyzer.view.verdict import verdict_lines


@pytest.mark.parametrize(
    ("seconds", "alone"),
    [
        pytest.param([0.98, 1.02, 1.02, 0.98], True, id="no longer"),
        pytest.param([1.0, 0.98, 1.03, 1.03], True, id="longer by less than they deviate"),
        pytest.param([1.04, 0.99, 1.01, 1.0], False, id="longer, though one hardly"),
        pytest.param([1.02, 0.98, 0.98, 1.02], False, id="longer"),
        pytest.param([1.4, 0.98, 1.0, 1.3], False, id="longer still by the clock"),
    ],
)
def test_who_executes_more_and_takes_no_longer_by_the_clock_differs_perhaps(make_experiment, seconds, alone):
    executed = [1.06e9, 1e9, 1e9, 1.06e9]
    calm = {f"calm{number}": [0.1] * 4 for number in range(4)}
    made = make_experiment(
        {"work": seconds, **calm}, instructions={"work": executed, **{each: [1e8] * 4 for each in calm}}
    )
    found = analyze(made)
    assert found.dissimilarity.clusters == ((0, 3), (1, 2))
    assert found.differences.is_by_counts_alone(found.dissimilarity.culprits) == alone


def test_without_counts_no_rank_executed_more(make_experiment):
    found = analyze(make_experiment({"work": [1.0, 1.0, 2.0, 2.0], "calm": [1.0] * 4}))
    other = replace(found.vectors, values=found.vectors.values[:, ::-1])  # values that levelling may have changed
    assert not replace(found.differences, vectors=other).is_by_counts_alone(found.dissimilarity.culprits)


@pytest.mark.parametrize(
    ("unfinished", "doubt"),
    [
        pytest.param((2,), Doubt.UNFINISHED, id="it has less because it ended early"),
        pytest.param((1,), None, id="another one ended early"),
        pytest.param((0, 1, 2, 3), None, id="all were ended at the same time"),
    ],
)
def test_work_that_a_rank_did_not_do_before_its_end_is_no_certain_imbalance(make_experiment, unfinished, doubt):
    made = make_experiment({"a": [2.0, 2.0, 1.0, 2.0], "b": [0.5] * 4})
    found = analyze(made.replaced(notes=replace(made.notes, unfinished=unfinished)))
    first = found.verdict.findings[0]
    assert (first.kind, first.doubt, first.is_doubtful) == (Kind.IMBALANCE, doubt, doubt is not None)
    said = "    uncertain: ranks that did not finish did less work" in verdict_lines(found, everything=True)
    assert said == first.is_doubtful


@pytest.mark.parametrize("least", [1e-10, -1e-4])
def test_a_rank_that_hardly_computes_takes_nearly_nothing(make_experiment, least):
    others = {"mpi_cpu_time": {"b": [-min(least, 0.0), 0.0, 0.0, 0.0]}}
    found = analyze(make_experiment({"a": [1.0] * 4, "b": [max(least, 0.0), 0.5, 0.5, 2.5]}, **others))
    assert any("rank 0: nearly nothing" in line for line in verdict_lines(found))
    assert min(group.least for group in found.verdict.findings[0].groups) >= 0
