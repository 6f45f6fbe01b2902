"""Recursion: a function is one region, which has the time of all its levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.verdict import Kind
from autoanalyzer.experiment import Experiment

from ..conftest import MakeExperiment


def recursive(make_experiment: MakeExperiment, times: Mapping[str, Sequence[float]]) -> Experiment:
    """Return a run in which all call paths whose last name is ``f`` belong to one function."""
    made = make_experiment(times)
    function = next(each.region for each in made.call_paths if each.region.name == "f")
    paths = (replace(each, region=function) if each.region.name == "f" else each for each in made.call_paths)
    return made.replaced(call_paths=list(paths))


@pytest.mark.parametrize("rest", [0.1, 0.6])
def test_a_hot_function_takes_the_time_of_all_its_levels(rest: float, make_experiment: MakeExperiment) -> None:
    times = {"/".join("f" * level): [0.2] * 2 for level in range(1, 6)}
    found = analyze(recursive(make_experiment, {**times, "g": [rest] * 2}))
    first = found.verdict.findings[0]
    assert first.region is not None
    assert found.experiment.path_name(first.region.id) == "f"
    assert first.bound == pytest.approx(1.0)
    assert first.share == pytest.approx(1 / (1 + rest))


def test_ranks_are_compared_by_all_levels(make_experiment: MakeExperiment) -> None:
    times = {"f": [0.2, 0.3], "f/f": [0.2, 0.4], "f/f/f": [0.2, 0.8], "g": [0.1] * 2}
    first = analyze(recursive(make_experiment, times)).verdict.findings[0]
    assert first.kind is Kind.IMBALANCE
    assert [(each.labels, each.value) for each in first.groups] == [
        ((0,), pytest.approx(0.6)),
        ((1,), pytest.approx(1.5)),
    ]
    assert first.gain is not None
    assert first.gain.seconds == pytest.approx(0.45)


def test_what_a_recursive_function_calls_is_still_named(make_experiment: MakeExperiment) -> None:
    times = {"f": [0.2] * 2, "f/f": [0.1] * 2, "f/f/f": [0.1] * 2, "f/f/f/work": [2.0] * 2, "g": [0.1] * 2}
    found = analyze(recursive(make_experiment, times))
    (first,) = found.verdict.findings
    assert first.region is not None
    assert found.experiment.path_name(first.region.id) == "f/f/f/work"
