"""The laws of the algebra, on random experiments with different trees."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import CallPath, Experiment, Metric, Region
from autoanalyzer.experiment.algebra import difference, maximum, mean, merge, minimum, ratio, stddev, total
from autoanalyzer.experiment.algebra.metrics import merge_metrics

from .conftest import (
    KINDS,
    Key,
    assert_same,
    assert_same_domain,
    assert_same_in_kind,
    cells,
    experiments,
    for_all,
    simple,
)

OPERATORS = (difference, merge, mean, total, minimum, maximum, stddev, ratio)
whole = st.integers(-1000, 1000).map(float)  # sums and differences are exact
of_kinds = experiments(kinds=KINDS)  # operands disagree: the same metric is a minimum in one and a sum in another
with_gaps = st.one_of(st.just(float("nan")), st.just(0.0), st.floats(-1e3, 1e3))


@for_all(experiments(), experiments())
def test_every_operator_gives_a_valid_experiment_with_all_places_of_both(a, b):
    for operator in OPERATORS:
        result = operator(a, b)
        result.check()
        assert _places(result) >= _places(a) | _places(b)


def _places(experiment: Experiment) -> set[Key]:
    """Return the call paths and threads that have values."""
    return {(path, thread) for _, path, thread in cells(experiment)}


@for_all(experiments(), experiments(), experiments())
def test_results_are_operands_again(a, b, c):
    composed = merge(mean(a, b) - mean(b, c), ratio(c, maximum(a, c)))
    composed.check()
    assert cells(composed + a).keys() >= cells(composed).keys()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", ["FLOAT", "MAXDOUBLE"])
def test_a_sum_beyond_all_numbers_is_infinite_and_refused_without_another_word(dtype):
    main = CallPath(Region("program", "main", "a.c", "main", 0, 1, 9))
    huge = simple([[1.7e308]], [main], metrics=[Metric("time", "sec", dtype=dtype)])
    with pytest.raises(InputError, match="severity of 'time': expected finite values"):
        mean(huge, huge).check()


@for_all(experiments())
def test_an_experiment_less_itself_is_zero_on_its_own_domain(a):
    nothing = difference(a, a)
    nothing.check()
    assert_same_domain(nothing, a)
    assert not any(cells(nothing).values())


@for_all(experiments())
def test_the_mean_of_an_experiment_and_itself_is_itself(a):
    assert_same(mean(a, a), a)
    assert_same(mean(a, a, a), a)
    assert_same_domain(mean(a, a), a)


@for_all(experiments())
def test_merging_an_experiment_with_itself_changes_nothing(a):
    assert cells(merge(a, a)) == cells(a)
    assert set(merge(a, a).metrics) == set(a.metrics)


@for_all(experiments(), experiments())
def test_merging_again_changes_nothing(a, b):
    once = merge(a, b)
    assert cells(merge(once, b)) == cells(once)
    assert cells(merge(once, once)) == cells(once)


@for_all(experiments(), experiments())
def test_what_was_subtracted_can_be_added_again(a, b):
    assert_same(total(difference(a, b), b), a, b)


@for_all(experiments(sites=True), experiments(sites=True))
def test_call_sites_are_told_apart_where_matching_is_exact(a, b):
    assert_same(total(difference(a, b, exact=True), b, exact=True), a, b)
    assert_same(mean(a, b, exact=True), mean(b, a, exact=True), a, b)


of_units = experiments(units=("sec", "ticks"))


@for_all(of_units, of_units, of_units)
def test_the_laws_hold_for_metrics_of_one_name_and_different_units(a, b, c):
    for operator in OPERATORS:
        operator(operator(a, b), c).check()
    assert_same(total(difference(a, b), b), a, b)
    assert_same(mean(a, b, c), mean(c, a, b), a, b, c)
    once = merge(a, b)
    assert cells(merge(once, b)) == cells(merge(once, once)) == cells(once)


LIKE_MERGED = ("t", "t'", "t''", "t (sec)", "t (ticks)", "t (ticks)'", "t (no unit)", "p", "p/t", "p/t'", "p/p/t")


@st.composite
def _forests(draw: st.DrawFn) -> list[Metric]:
    """Draw metrics whose names look as if a merge had produced them, each at the root or below an earlier one."""
    names = draw(st.lists(st.sampled_from(LIKE_MERGED), min_size=1, max_size=5, unique=True))
    forest: list[Metric] = []
    for name in names:
        above = draw(st.sampled_from([None, *forest]))
        unit = above.unit if above else draw(st.sampled_from(("", "sec", "ticks")))
        forest.append(Metric(name, unit, above.name if above else None))
    return forest


@for_all(st.lists(_forests(), min_size=1, max_size=3))
def test_no_operand_loses_a_metric_to_another_name_of_its_own(forests):
    for operands in (forests, forests[:1] * 2):
        merged, names = merge_metrics(operands)
        assert len({each.name for each in merged}) == len(merged)
        for forest, found in zip(operands, names, strict=True):
            assert [*found] == [each.name for each in forest]
            assert len({*found.values()}) == len(forest)


def permuted(of_each: st.SearchStrategy[Experiment]) -> st.SearchStrategy[tuple[list[Experiment], list[Experiment]]]:
    several = st.lists(of_each, min_size=2, max_size=4)
    return several.flatmap(lambda every: st.tuples(st.just(every), st.permutations(every)))


@for_all(permuted(experiments()))
def test_the_order_of_the_operands_of_a_mean_does_not_matter(pair: tuple[list[Experiment], list[Experiment]]):
    one, other = (mean(*operands) for operands in pair)
    assert_same(one, other, *pair[0])
    assert {metric.name for metric in one.metrics} == {metric.name for metric in other.metrics}
    assert {(place.process, place.thread) for place in one.locations} == {
        (place.process, place.thread) for place in other.locations
    }


@for_all(permuted(of_kinds))
def test_nor_does_the_order_where_operands_disagree_on_what_a_metric_is(
    pair: tuple[list[Experiment], list[Experiment]],
):
    for operator in (mean, total, minimum, maximum, stddev):
        assert_same_in_kind(*(operator(*operands) for operands in pair), *pair[0])


@for_all(of_kinds, of_kinds)
def test_results_of_metrics_of_any_kind_are_valid_and_operands_again(a, b):
    for operator in OPERATORS:
        operator(operator(a, b), b).check()
    once = merge(a, b)
    for again in (merge(once, b), merge(once, a), merge(a, once), merge(once, once)):
        assert_same_in_kind(again, once)


@for_all(of_kinds)
def test_the_laws_of_one_operand_hold_for_metrics_of_any_kind(a):
    assert not any(cells(difference(a, a)).values())
    assert_same(mean(a, a), a)
    assert_same(minimum(a, a), a)
    assert_same_in_kind(merge(a, a), a)


@for_all(experiments(kinds=KINDS[:2]), experiments(kinds=KINDS[:2]))
def test_what_was_subtracted_can_be_added_again_of_whole_numbers_too(a, b):
    assert_same(total(difference(a, b), b), a, b)


@for_all(permuted(experiments(values=whole, sites=True)))
def test_nor_does_it_where_call_sites_differ(pair: tuple[list[Experiment], list[Experiment]]):
    one, other = (_values_of_time(total(*operands)) for operands in pair)
    assert one == other


def _values_of_time(experiment: Experiment) -> list[tuple[float, ...]]:
    """Return a metric's nonzero rows in any order, because versions of one region have many names and lines."""
    values = experiment.exclusive("time") if "time" in experiment else np.zeros((0, 1))
    return sorted(tuple(row) for row in values.tolist() if any(row))


@for_all(st.permutations(range(3)), st.lists(experiments(values=whole), min_size=3, max_size=3))
def test_nor_does_it_where_the_source_has_changed(order, runs):
    versions = [runs[0], _later(runs[1]), _later(_later(runs[2]))]
    assert _values_of_time(total(*versions)) == _values_of_time(total(*(versions[index] for index in order)))


@for_all(experiments(), experiments())
def test_inclusive_sums_are_preserved(a, b):
    for operator, weights in ((difference, (1, -1)), (mean, (0.5, 0.5)), (total, (1, 1))):
        sums = _sums(operator(a, b))
        for key, value in sums.items():
            wanted = weights[0] * _sums(a).get(key, 0.0) + weights[1] * _sums(b).get(key, 0.0)
            np.testing.assert_allclose(value, wanted, rtol=1e-12, atol=1e-12 * 1e8)


def _sums(experiment: Experiment) -> dict[tuple[str, ...], float]:
    """Return the inclusive value of all roots together, for each place in the metric tree."""
    sums: dict[tuple[str, ...], float] = {}
    for (metric, _, _), value in cells(experiment).items():
        sums[metric] = sums.get(metric, 0.0) + value
    roots = list(experiment.roots)
    for metric, key in zip(experiment.metrics, dict.fromkeys(key for key, _, _ in cells(experiment)), strict=False):
        inclusive = float(experiment.inclusive(metric.name)[roots].sum())
        np.testing.assert_allclose(inclusive, sums[key], rtol=1e-12, atol=1e-12 * 1e8)
    return sums


@for_all(experiments(), experiments())
def test_what_an_operand_lacks_counts_as_zero(a, b):
    mine, theirs = cells(a), cells(b)
    for key, value in cells(difference(a, b)).items():
        if key in mine or key in theirs:
            assert value == mine.get(key, 0.0) - theirs.get(key, 0.0)
        else:
            assert value == 0.0


@for_all(experiments(values=with_gaps), experiments(values=with_gaps))
def test_what_is_missing_in_an_operand_is_missing_in_the_result(a, b):
    mine, theirs = cells(a), cells(b)
    for operator in (difference, mean, total, minimum, maximum, stddev, ratio):
        result = operator(a, b)
        result.check()
        for key, value in _by_threads(result).items():
            if np.isnan(mine.get(key, 0.0)) or np.isnan(theirs.get(key, 0.0)):
                assert np.isnan(value)


def _by_threads(experiment):
    """Return cells by thread and region, because metrics of such results are all roots."""
    nested = any(metric.parent for metric in experiment.metrics)
    return cells(experiment) if nested else {}


@for_all(experiments(), experiments())
def test_minimum_and_maximum_enclose_the_mean_and_operands_stay_unchanged(a, b):
    before = cells(a), cells(b)
    low, middle, high = (cells(operator(a, b)) for operator in (minimum, mean, maximum))
    assert low.keys() == middle.keys() == high.keys()
    assert all(low[key] - 1e-9 <= middle[key] <= high[key] + 1e-9 for key in low)
    assert (cells(a), cells(b)) == before


@for_all(experiments())
def test_values_that_were_given_stay_their_owners(a):
    given = {metric.name: a.exclusive(metric.name) for metric in a.metrics}
    for operator in (merge, mean, total, minimum, maximum):
        result = operator(a)
        for metric in result.metrics:
            result.exclusive(metric.name)
    assert all(values.flags.writeable for values in given.values())


def _later(experiment: Experiment) -> Experiment:
    """Return the same experiment for a later version of the source: lines moved, and ``solve`` has a new first loop."""
    moved = {
        "solve": lambda region: region._replace(first_line=3, last_line=25),
        "norm": lambda region: region._replace(first_line=27, last_line=35),
        "loop@5": lambda region: region._replace(name="loop@9", ordinal=1, first_line=9, last_line=12),
        "loop@10": lambda region: region._replace(name="loop@14", ordinal=2, first_line=14, last_line=22),
        "loop@24": lambda region: region._replace(name="loop@29", first_line=29, last_line=33),
    }
    return experiment.replaced(
        call_paths=[
            replace(path, region=moved.get(path.region.name, lambda region: region)(path.region))
            for path in experiment.call_paths
        ]
    )


@for_all(experiments(values=whole), experiments(values=whole))
def test_the_laws_hold_across_versions_of_the_source(a, b):
    after = _later(b)
    change = difference(a, after)
    change.check()
    again = total(change, after)
    assert len(again.call_paths) == len(change.call_paths)
    assert sorted(filter(None, cells(again).values())) == sorted(filter(None, cells(a).values()))
    assert not any(cells(difference(after, after)).values())
