import math
import random

import pytest

from autoanalyzer.analyze.comparison.noise import shift


def test_the_change_is_that_of_the_fastest_runs():
    assert shift([1.0, 1.3, 1.02], [1.1, 1.9, 1.12]).change == pytest.approx(0.1)


def test_the_probability_is_the_one_of_the_formula():
    base, other = [1.0, math.exp(0.01)], [math.exp(0.1), math.exp(0.13)]
    time, degrees = 0.01 + 0.03, 2
    found = shift(base, other)
    assert found.above == pytest.approx(0.5 * (1 + 2 * 0.1 / time) ** -degrees)
    assert found.above + found.below == pytest.approx(1)
    assert found.noise == pytest.approx(math.expm1(time / degrees))


def test_the_limit_is_where_the_probability_is_one_in_a_hundred():
    base, other = [1.0, 1.01, 1.03], [1.2, 1.21, 1.25]
    found = shift(base, other)
    at_limit = shift([each * (1 + found.low) for each in base], other)
    assert at_limit.above == pytest.approx(0.01)
    at_limit = shift([each * (1 + found.high) for each in base], other)
    assert at_limit.below == pytest.approx(0.01)


def test_the_two_sides_may_be_exchanged():
    one, other = [1.0, 1.02, 1.1], [1.3, 1.31]
    there, back = shift(one, other), shift(other, one)
    assert (1 + there.change) * (1 + back.change) == pytest.approx(1)
    assert there.above == pytest.approx(back.below)
    assert (1 + there.low) * (1 + back.high) == pytest.approx(1)


def test_a_few_disturbed_runs_do_no_harm():
    found = shift([1.0, 1.001, 1.002, 3.0, 2.0], [1.1, 1.101, 1.102, 5.0, 1.4])
    assert found.above < 0.01


def test_values_without_noise_are_sure():
    assert shift([3.0, 3.0], [4.0, 4.0]).above == 0
    assert shift([3.0, 3.0], [3.0, 3.0]).above == 0.5


@pytest.mark.parametrize(("base", "other"), [([1.0], [9.0]), ([1.0, 1.01, 1.02], [9.0]), ([9.0], [1.0, 1.01, 1.02])])
def test_one_run_on_a_side_shows_large_changes_only(base, other):
    found = shift(base, other)
    assert found.noise is None
    assert sorted((found.above, found.below)) == [0, 1]
    assert (found.low, found.high) == (None, None)
    less = shift(base, [1.4 * base[0]])
    assert (less.above, less.below) == (1, 1)


@pytest.mark.parametrize("runs", [1, 2])
def test_values_that_are_far_apart_are_no_mistake(runs):
    found = shift([1e-308] * runs, [1e307] * runs)
    assert found.change == math.inf
    found = shift([1e-308, 1e307][:runs], [1e307, 1e-308][:runs])
    assert found.change in (0, math.inf)


def test_one_run_is_enough_for_values_that_repeat():
    found = shift([4.0], [5.0], repeats=True)
    assert (found.noise, found.above, found.below) == (0, 0, 1)
    assert found.low == found.change == found.high == pytest.approx(0.25)
    assert min(shift([4.0], [4.0], repeats=True).above, shift([4.0], [4.0], repeats=True).below) == 0.5


@pytest.mark.parametrize("runs", [2, 3, 5, 10])
@pytest.mark.by_day(runs=[2, 5])
@pytest.mark.parametrize("noise", ["exponential", "normal", "disturbed"])
def test_equal_sides_seldom_differ_surely_and_ten_percent_are_found(runs: int, noise: str):
    numbers = random.Random(f"{runs}{noise}")

    def times(floor: float) -> list[float]:
        add = {
            "exponential": lambda: 0.02 * numbers.expovariate(1),
            "normal": lambda: 0.01 * numbers.gauss(0, 1),
            "disturbed": lambda: 0.005 * numbers.random() + (numbers.random() < 0.25) * numbers.random(),
        }[noise]
        return [floor * (1 + add()) for _ in range(runs)]

    tries = 300
    alarms = sum(shift(times(1), times(1)).above < 0.01 for _ in range(tries))
    found = sum(shift(times(1), times(1.1)).above < 0.01 for _ in range(tries))
    assert alarms <= 0.025 * tries
    assert found >= {2: 0.2, 3: 0.5, 5: 0.75, 10: 0.7}[runs] * tries
