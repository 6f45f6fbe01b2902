"""Paper 002, section 5.2, with a profile and a trace analysis of one program; their mean equals the reference's."""

import csv
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.experiment import Experiment, load
from autoanalyzer.experiment.aggregate import own_totals, totals
from autoanalyzer.experiment.algebra import mean, merge

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def profile() -> Experiment:
    return load(DATA / "profile.cube.gz")


@pytest.fixture(scope="module")
def trace() -> Experiment:
    return load(DATA / "trace.cube.gz")


def test_the_merge_has_all_metrics_of_both_on_one_call_tree(profile: Experiment, trace: Experiment):
    merged = merge(profile, trace)
    merged.check()
    assert len(merged.call_paths) == len(profile.call_paths) == len(trace.call_paths) == 130
    assert len(merged.locations) == 36
    names = {metric.name for metric in merged.metrics}
    assert names == {each.name for each in profile.metrics} | {
        "bytes_p2p/bytes_sent" if each.name == "bytes_sent" else each.name for each in trace.metrics
    }


def test_the_sums_of_each_are_unchanged_by_the_merge(profile: Experiment, trace: Experiment):
    merged = merge(profile, trace)
    for operand, other in ((profile, None), (trace, profile)):
        for metric in operand.metrics:
            if other and metric.name in other and metric.parent is None:
                continue  # the first one's location
            name = metric.name if metric.name != "bytes_sent" or other is None else "bytes_p2p/bytes_sent"
            np.testing.assert_array_equal(
                np.sort(totals(merged, name)), np.sort(totals(operand, metric.name)), err_msg=name
            )
            assert _inclusive(merged, name) == pytest.approx(_inclusive(operand, metric.name), rel=1e-12)


def _inclusive(experiment: Experiment, metric: str) -> float:
    return float(experiment.inclusive(metric)[list(experiment.roots)].sum())


def test_the_mean_is_that_of_the_reference(profile: Experiment, trace: Experiment):
    result = mean(profile, trace)
    with (DATA / "mean_profile_trace.expected.csv").open() as stream:
        header, *rows = csv.reader(stream)
    wanted = np.array(rows, dtype=float)[:, 1:]
    names = [metric.name for metric in result.metrics]
    assert [name.removeprefix("bytes_p2p/") for name in names] == header[1:]
    found = own_totals(result, names)
    whole = [any(name in each and each.metric(name).integral for each in (profile, trace)) for name in names]
    for column, name in enumerate(names):
        if not whole[column] and name not in ("bytes_p2p/bytes_sent",):
            scale = np.abs(wanted[:, column]).max()
            np.testing.assert_allclose(found[name], wanted[:, column], rtol=1e-5, atol=1e-9 * scale, err_msg=name)
    assert sum(not each for each in whole) > 50


def test_the_mean_of_whole_numbers_is_exact_where_the_reference_truncates(profile: Experiment, trace: Experiment):
    visits = totals(mean(profile, trace), "visits")
    np.testing.assert_array_equal(visits, (totals(profile, "visits") + totals(trace, "visits")) / 2)
