"""Correlations that a single location creates or hides."""

from dataclasses import replace

import numpy as np
import pytest

from autoanalyzer.multivariate.correlation import correlation, leave_one_out, pearson
from autoanalyzer.multivariate.formula import Formula
from autoanalyzer.multivariate.metric_space import MetricSpace, Point
from autoanalyzer.view.statistics import correlation_report


def _without(values, row):
    return np.corrcoef(np.delete(values, row, axis=0), rowvar=False)


def _check(space):
    found = correlation(space).one_out
    each = np.array([_without(space.values, row) for row in range(len(space.values))])
    assert found.lowest == pytest.approx(each.min(axis=0), abs=1e-9)
    assert found.highest == pytest.approx(each.max(axis=0), abs=1e-9)
    for one, other in zip(*np.triu_indices(len(space.metrics), 1), strict=True):
        assert each[found.lowest_without[one, other], one, other] == pytest.approx(found.lowest[one, other], abs=1e-9)
        assert each[found.highest_without[one, other], one, other] == pytest.approx(found.highest[one, other], abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.by_day(seed=[0, 1])
@pytest.mark.parametrize("shape", [(4, 2), (7, 5), (60, 9)])
def test_extremes_are_those_of_numpy_with_each_point_left_out(make_space, shape, seed):
    values = np.random.default_rng(seed).standard_normal(shape)
    _check(make_space({f"m{each}": 1e6 * column for each, column in enumerate(values.T)}))


@pytest.mark.parametrize("far", [1e1, 1e3, 1e6])
def test_extremes_are_exact_where_one_point_carries_a_metric(make_space, far):
    values = np.random.default_rng(1).standard_normal((12, 4))
    values[3, :2] += far
    values[5, 2] -= far
    _check(make_space({f"m{each}": column for each, column in enumerate(values.T)}))


def test_of_four_points_three_are_left_by_hand(make_space):
    """(0, 0), (1, 2), (2, 1), (3, 3) have r = 0.8; without an end 0.5, without a point in the middle 13/14."""
    found = correlation(make_space({"a": [0, 1, 2, 3], "b": [0, 2, 1, 3]}))
    assert found.matrix[0, 1] == pytest.approx(0.8)
    assert found.spearman[0, 1] == pytest.approx(0.8)
    assert (found.one_out.lowest[0, 1], found.one_out.highest[0, 1]) == pytest.approx((0.5, 13 / 14))
    assert (found.one_out.lowest_without[0, 1], found.one_out.highest_without[0, 1]) in [(0, 1), (0, 2), (3, 1), (3, 2)]
    assert found.turns == ()


def test_a_metric_that_is_constant_without_a_point_correlates_with_none_then(make_space):
    found = correlation(make_space({"a": [5, 1, 1, 1, 1], "b": [9, 1, 2, 1, 2], "c": [5, 1, 1, 1, 1]}))
    assert found.one_out.lowest[0].tolist() == [1, 0, 0]
    assert found.one_out.lowest_without[0, 1:].tolist() == [0, 0]
    assert {turn.point for turn in found.turns} == {0}
    assert [group.keep for group in found.groups] == [("a", "b", "c")]


def test_of_three_points_none_can_be_left_out_and_no_metric_either(make_space):
    space = make_space({"a": [1, 2, 3], "b": [2, 4, 6]})
    assert leave_one_out(space, pearson(space.scaled())) is None
    report = correlation_report(correlation(space))
    assert report.document["leave_one_out"] is None
    assert "3 locations are too few to leave metrics out: at least four are needed." in report.sentences
    assert report.document["next"] == "--metrics a,b"


def test_ranks_are_correlated_as_scipy_does_with_ties(make_space):
    from scipy.stats import spearmanr  # noqa: PLC0415 - takes half a second of each worker of pytest

    values = np.random.default_rng(0).integers(0, 9, (30, 5)).astype(float)
    found = correlation(make_space({f"m{each}": column for each, column in enumerate(values.T)}))
    assert found.spearman == pytest.approx(spearmanr(values).statistic)


def _bent(rank_0):
    """Return a space in which L1 misses and bytes rise together on 15 ranks, but not on rank 0."""
    drawn = np.random.default_rng(3)
    work = drawn.uniform(1, 2, 15)
    return {
        "l1_misses": np.array([rank_0, *(work + 0.02 * drawn.standard_normal(15))]),
        "bytes": np.array([0.0, *(work + 0.02 * drawn.standard_normal(15))]),
        "free": drawn.uniform(1, 2, 16),
    }


def test_a_rank_that_hides_a_correlation_is_named(make_space):
    found = correlation(make_space(_bent(20.0)))
    (turn,) = found.turns
    assert (turn.metrics, turn.point, turn.made) == (("l1_misses", "bytes"), 0, False)
    assert turn.with_it < 0
    assert turn.without > 0.95
    report = correlation_report(found)
    (said,) = [each for each in report.sentences if "hides" in each]
    assert said.startswith("Only rank 0 hides that l1_misses and bytes are redundant (r = -0.")
    assert said.endswith("): see stats --exclude-rank 0.")
    assert report.document["turns"][0]["location"] == 0


def test_a_correlation_that_a_rank_makes_is_no_advice(make_space):
    columns = {"a": np.arange(8.0) % 3, "b": np.arange(8.0) % 2, "c": 2 * (np.arange(8.0) % 3)}
    for column in columns.values():
        column[0] = 60
    found = correlation(make_space(columns))
    assert [len(group.members) for group in found.groups] == [3]
    assert found.groups[0].keep == ("a", "b")
    report = correlation_report(found)
    assert report.document["next"] == "--metrics a,b"
    assert any(each.startswith("Only rank 0 makes a and b redundant (r = 0.9") for each in report.sentences)
    assert any(each.endswith("keep both metrics; the same applies to 1 more pair.") for each in report.sentences)
    alone = correlation_report(correlation(make_space({"a": columns["a"], "b": columns["b"]}))).sentences
    assert not any("--metrics" in each for each in alone)


def test_what_one_rank_makes_redundant_stands_for_nothing(make_space):
    """Without rank 0, ``b`` does not correlate with the other metrics."""
    steps = np.arange(8.0) % 3
    columns = {"b": np.arange(8.0) % 2, "a": steps, "c": 2 * steps, "d": 3 * steps}
    for column in columns.values():
        column[0] = 90
    found = correlation(make_space(columns))
    (group,) = found.groups
    assert (group.representative, sorted(group.keep)) == (group.keep[0], ["b", "c"])
    said = correlation_report(found).sentences[0]
    assert said.startswith("4 metrics of 8 locations form 1 group: c, b represent 2 others (a, d; |r| ≥ 0.99")
    pair = correlation_report(correlation(make_space({"a": columns["a"], "b": columns["b"]}))).sentences[0]
    assert pair.endswith("form 1 group, but only because of single locations, so no metric can be left out.")


@pytest.mark.parametrize(("last", "turned"), [(0.955, False), (0.945, True)])
def test_a_pair_turns_where_the_threshold_is_passed(make_space, last, turned):
    """Return eleven points with the correlation ``last``, and a twelfth far along the diagonal."""
    drawn = np.random.default_rng(0).standard_normal((2, 11))
    first = (drawn[0] - drawn[0].mean()) / drawn[0].std()
    rest = drawn[1] - drawn[1].mean() - (drawn[1] @ first / 11) * first
    second = last * first + (1 - last**2) ** 0.5 * rest / rest.std()
    found = correlation(make_space({"a": [*first, 50], "b": [*second, 50]}))
    assert found.matrix[0, 1] > 0.99
    assert found.one_out.lowest[0, 1] == pytest.approx(last)
    assert bool(found.turns) == turned
    assert found.groups[0].keep == (("a", "b") if turned else ("a",))


def test_negative_correlations_turn_likewise(make_space):
    columns = _bent(20.0)
    columns["bytes"] = -columns["bytes"]
    (turn,) = correlation(make_space(columns)).turns
    assert (turn.point, turn.without < -0.95, turn.with_it > 0) == (0, True, True)


def test_threads_and_samples_are_called_as_elsewhere():
    values = _bent(20.0)
    for points, label in (
        ([Point(each // 2, each % 2) for each in range(16)], "0.0"),
        ([Point(each % 8, 0, each // 8) for each in range(16)], "0#0"),
    ):
        report = correlation_report(correlation(MetricSpace.of_columns(values, points)))
        (said,) = [each for each in report.sentences if "hides" in each]
        assert said.startswith(f"Only location {label} hides that")
        assert "--exclude-rank" not in said


def test_what_stands_for_a_group_is_measured_if_it_can_be():
    work = np.random.default_rng(0).uniform(1, 2, 12)
    space = MetricSpace.of_columns(
        {"a": work, "b": 3 * work},
        [Point(rank) for rank in range(12)],
        derived=[Formula.parse("c=a+b")],
    )
    assert all(group.keep == (group.representative,) != ("c",) for group in correlation(space).groups)


def test_events_of_what_is_kept_are_options_of_a_run():
    work, other = np.random.default_rng(0).uniform(1, 2, (2, 12))
    sources = {name: f"measured:papi:PAPI_{name.upper()}" for name in ("a", "b", "c")}
    space = MetricSpace.of_columns({"a": work, "b": 3 * work, "c": other}, [Point(rank) for rank in range(12)])
    typed = "--counters papi --events a=PAPI_A,c=PAPI_C"
    report = correlation_report(correlation(replace(space, sources=sources)))
    assert report.document["next"] == typed
    text = "To count fewer metrics next time, keep only the groups' representatives"
    assert f"{text}: autoanalyzer run {typed}" in report.sentences


@pytest.mark.nightly
def test_100_000_locations_are_left_out_one_by_one(make_space):
    values = np.random.default_rng(0).standard_normal((100_000, 30))
    values[7, 4] += 1e9
    found = correlation(make_space({f"m{each}": column for each, column in enumerate(values.T)}))
    assert found.one_out.lowest[4, 5] == pytest.approx(min(found.matrix[4, 5], _without(values, 7)[4, 5]), abs=1e-3)
    assert found.one_out.lowest[1, 2] == pytest.approx(found.matrix[1, 2], abs=1e-3)
