"""Prices that explain a run, within the limits that were measured on the machine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autoanalyzer.analyze.account.computing import Counted
from autoanalyzer.analyze.account.price_fit import errors, fit, fitted_prices, own_prices, quantile_of_t
from autoanalyzer.analyze.run.summary import sampled
from autoanalyzer.experiment.prices import Prices

FREE = (0.0, np.inf)


def products(*paths):
    """Return the sums of products for each call path ``([counts of a thread, …], [its time, …])``."""
    columns = [np.column_stack([np.array(counts, float), times]) for counts, times in paths]
    return np.array([each.T @ each for each in columns])


def test_one_price_within_a_call_path_is_least_squares():
    # (1 x 1 + 2 x 5) / (1 x 1 + 2 x 2)
    assert fit(products(([[1], [2]], [1, 5])), [FREE]) == pytest.approx([11 / 5])


def test_a_region_of_another_kind_does_not_change_the_price_of_the_others():
    alike = [([[1]], [1.0])] * 3
    assert fit(products(*alike, ([[10]], [2.0])), [FREE]) == pytest.approx([0.2], rel=1e-3)
    assert fit(products(*alike, ([[2]], [0.4])), [FREE]) == pytest.approx([1.0], rel=1e-3)


@pytest.mark.parametrize(
    ("bounds", "price"), [((2.0, 4.0), 2.0), ((0.1, 0.5), 0.5), ((0.5, 2.0), 1.0), ((3.0, 3.0), 3.0)]
)
def test_prices_stay_within_their_bounds(bounds, price):
    assert fit(products(([[1], [3]], [1, 3])), [bounds]) == pytest.approx([price], rel=1e-5)


def test_what_cannot_be_told_apart_is_the_first_one_s():
    assert fit(products(([[1, 2]], [3.0]), ([[2, 4]], [6.0])), [FREE, FREE]) == pytest.approx([3.0, 0.0])


def test_what_the_run_leaves_open_is_as_calibrated():
    found = fit(products(([[1, 2]], [3.0])), [(0.5, 2.0), (0.5, 2.0)])
    assert found == pytest.approx([1.0, 1.0])


def test_nothing_has_no_price():
    assert fit(products(([[0, 0]], [1.0])), [FREE, FREE]) == (0.0, 0.0)
    assert fit(products(([[1, 1]], [0.0])), [FREE, FREE]) == (0.0, 0.0)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_of_one_call_path_they_are_those_of_least_squares(seed):
    from scipy.optimize import lsq_linear  # noqa: PLC0415 - takes half a second of each worker of pytest

    chance = np.random.default_rng(seed)
    counts, bounds = chance.random((20, 3)), [(0.1, 0.6)] * 3
    times = counts @ [0.1, 0.3, 1.0] + 0.1 * chance.random(20)
    expected = lsq_linear(counts, times, tuple(np.transpose(bounds))).x
    assert fit(products((counts, times)), bounds) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("calibrated", "expected"),
    [
        (Prices(), [1e-9, 1e-8, 1e-7]),
        (Prices(instruction=1.5e-9, l1_miss_streamed=1e-9, l2_miss_chased=1e-6), [1e-9, 1e-8, 1e-7]),
        (Prices(instruction=4e-9), [1e-9, 1e-8, 1e-7]),  # of old notes, which have no lower and upper limits
        (Prices(instruction_independent=2e-9, instruction_dependent=9e-9), [2e-9, None, None]),
        (Prices(l1_miss_streamed=2e-9, l1_miss_chased=5e-9), [None, 5e-9, None]),
        (Prices(l1_miss_streamed=2e-8), [None, 2e-8, None]),
    ],
)
def test_a_miss_is_between_one_in_a_walk_and_one_in_a_chase(make_experiment, calibrated, expected):
    experiment = make_experiment(
        {"plain": [1.0, 2.0], "near": [2.0, 2.0], "far": [4.0, 4.0]},
        instructions={"plain": [1e9, 2e9], "near": [1e9] * 2, "far": [1e9] * 2},
        l1_misses={"near": [1e8] * 2, "far": [1.2e8] * 2},
        l2_misses={"far": [2e7] * 2},
    )
    found = fitted_prices(experiment, Counted.of(experiment), calibrated)
    assert [price for price, known in zip(found, expected, strict=True) if known] == pytest.approx(
        [known for known in expected if known], rel=1e-4
    )


@pytest.fixture
def mixed(make_experiment):
    """Instructions take 0.1 ns in two regions, 0.5 ns in a third, and more in a fourth; misses take 10 ns in two."""
    return make_experiment(
        {"quick": [1.0, 2.0], "also": [1.0, 3.0], "chained": [5.0, 5.0], "odd": [4.0, 4.0]},
        instructions={"quick": [1e10, 1e10], "also": [1e10, 2e10], "chained": [8e9, 1e10], "odd": [1e9, 1e9]},
        l1_misses={"quick": [0.0, 1e8], "also": [0.0, 1e8], "chained": [1e8, 0.0]},
    )


BOTH = Prices(instruction_independent=0.05e-9, instruction_dependent=0.8e-9)


def test_each_region_has_its_own_price_of_an_instruction_within_what_code_takes(mixed):
    counted = Counted.of(mixed)
    fitted = fitted_prices(mixed, counted, BOTH)
    assert fitted == pytest.approx([1e-10, 1e-8], rel=1e-3)
    assert own_prices(mixed, counted, fitted, BOTH)[0, 1:] == pytest.approx([1e-10, 1e-10, 5e-10, 8e-10], rel=1e-2)


def test_what_the_dearest_instruction_leaves_is_of_misses_up_to_those_of_a_chase(make_experiment):
    """In a walk, a cache line arrives every 2 ns at the calibrated price; in a chase, each miss takes 0.1 us."""
    walks = {"walk": [1.2, 2.4], "too": [1.2, 1.2], "chase": [0.1, 0.1], "other": [2.0, 2.0]}
    experiment = make_experiment(
        walks,
        instructions={"walk": [1e10, 2e10], "too": [1e10, 1e10], "chase": [1e6, 1e6], "other": [1e9, 1e9]},
        l1_accesses={"walk": [1e9, 2e9], "too": [1e9, 1e9], "chase": [1e6, 1e6], "other": [1e6, 1e6]},
        l1_misses={"walk": [1e8, 2e8], "too": [1e8, 1e8], "chase": [1e6, 1e6], "other": [1e6, 1e6]},
        l2_misses={"walk": [1e8, 2e8], "too": [1e8, 1e8], "chase": [1e6, 1e6], "other": [1e6, 1e6]},
    )
    machine = replace(BOTH, l1_miss_streamed=1e-9, l1_miss_chased=4e-9, l2_miss_streamed=2e-9, l2_miss_chased=2e-7)
    own = own_prices(experiment, Counted.of(experiment), (1e-10, 1e-9, 5e-9), machine)
    assert own[2, 1:] == pytest.approx([2e-9, 2e-9, 0.1e-6 - 0.8e-9, 2e-7], rel=1e-2)


@pytest.mark.parametrize("calibrated", [Prices(), Prices(instruction=1e-10), Prices(instruction_independent=1e-11)])
def test_without_both_bounds_all_regions_have_the_fitted_price(mixed, calibrated):
    counted = Counted.of(mixed)
    fitted = fitted_prices(mixed, counted, calibrated)
    assert {tuple(each) for each in own_prices(mixed, counted, fitted, calibrated).T.tolist()} == {fitted}


def test_of_many_ranks_some_that_lie_evenly_spread_decide(make_experiment, monkeypatch):
    monkeypatch.setattr("autoanalyzer.analyze.run.summary._SAMPLED", 8)
    times = [1.0, 9.0, 2.0, 9.0, 3.0, 9.0, 4.0, 9.0]  # the experiment has two call paths: main, and work
    experiment = make_experiment({"work": times}, instructions={"work": [1e9, 1.0, 2e9, 1.0, 3e9, 1.0, 4e9, 1.0]})
    assert sampled(experiment).tolist() == [0, 2, 4, 6]
    assert fitted_prices(experiment, Counted.of(experiment), Prices()) == pytest.approx([1e-9])


def test_without_calibration_a_miss_of_the_second_cache_costs_no_less_than_one_of_the_first(make_experiment):
    experiment = make_experiment(
        {"near": [2.0, 1.0], "far": [1.5, 1.0]},
        instructions={"near": [1e9] * 2, "far": [1e9] * 2},
        l1_misses={"near": [1e8, 0.0], "far": [1e8, 0.0]},
        l2_misses={"near": [0.0, 0.0], "far": [1e8, 0.0]},
    )
    _, near, far = fitted_prices(experiment, Counted.of(experiment), Prices())
    assert 5e-9 <= near <= far <= 1e-8


@pytest.mark.parametrize(("calibrated", "price"), [(Prices(), 0.0), (Prices(l1_miss_chased=1e-3), 1e-6)])
def test_a_price_of_a_few_misses_is_noise_unless_it_is_bounded(make_experiment, calibrated, price):
    experiment = make_experiment(
        {"work": [1.0, 2.0], "few": [0.002, 0.001]},
        instructions={"work": [1e9, 2e9], "few": [1e6, 1e6]},
        l1_misses={"few": [1e3, 0.0]},
    )
    assert fitted_prices(experiment, Counted.of(experiment), calibrated) == pytest.approx([1e-9, price])


def test_the_start_of_mpi_is_no_computing_to_fit(make_experiment):
    experiment = make_experiment(
        {"work": [1.0, 2.0], "MPI_Init": [9.0, 9.0]}, instructions={"work": [1e9, 2e9], "MPI_Init": [1e9, 1e9]}
    )
    assert fitted_prices(experiment, Counted.of(experiment), Prices()) == pytest.approx([1e-9])


def test_quantiles_are_those_of_students_t():
    table = {1: 12.7062, 2: 4.30265, 2.5: 3.57465, 5: 2.57058, 30: 2.04227, 1e6: 1.95997}
    assert [quantile_of_t(free) for free in table] == pytest.approx([*table.values()], rel=1e-4)


@pytest.mark.parametrize(("paths", "ranks", "counted"), [(5, 1, 2), (8, 1, 3)])
def test_prices_are_within_their_errors_in_nearly_all_runs(paths, ranks, counted):
    chance = np.random.default_rng(46)
    true, inside = np.array([0.1, 0.5, 2.0])[-counted:], []
    while len(inside) < 40:
        counts = chance.random((paths, ranks, counted))
        times = counts @ true * chance.normal(1.0, 0.1, (paths, 1))
        made = products(*zip(counts, times, strict=True))
        prices = fit(made, [FREE] * counted)
        off = errors(made, prices)
        if not np.isnan(off).any():
            inside.append(np.abs(prices - true) <= off)
    assert (np.mean(inside, axis=0) >= 0.9).all()


def test_the_fit_does_not_know_the_prices_of_what_goes_together_nor_of_few_regions():
    alike = [([[count, 2 * count, 1.0]], [3 * count + 0.1]) for count in range(1, 9)]
    made = products(*alike)
    assert [*np.isinf(errors(made, fit(made, [FREE] * 3)))] == [True, True, False]
    few = products(*alike[:3])
    assert np.isnan(errors(few, fit(few, [FREE] * 3))).all()
    assert np.isnan(errors(0 * few, [0.0] * 3)).all()
