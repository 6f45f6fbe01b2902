from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoanalyzer.analyze.disparity.classes import classify, optimal_split


def test_five_groups_get_the_five_classes_from_the_top():
    assert classify([100, 60, 30, 10, 2]) == [4, 3, 2, 1, 0]


def test_values_within_a_tenth_of_a_larger_one_count_as_one():
    assert classify([100, 91, 50, 46]) == [4, 4, 3, 3]


def test_values_merge_from_the_top_and_do_not_chain():
    assert classify([100, 91, 82, 10]) == [4, 4, 3, 2]


def test_zero_and_what_is_under_a_hundredth_of_the_largest_are_very_low():
    assert classify([100, 0.9, 0.0, 50]) == [4, 0, 0, 3]
    assert classify([100, 1.5, 0.0, 50]) == [4, 2, 0, 3]


@pytest.mark.parametrize("values", [[], [3.0], [2.0, 2.0], [2.0, 1.9], [0.0, 0.0]])
def test_fewer_than_two_different_values_have_no_classes(values: list[float]):
    assert classify(values) is None


def test_one_value_beside_zeros_stands_out():
    assert classify([0.0, 7.0, 0.0]) == [0, 4, 0]


@given(st.lists(st.integers(1, 1000), min_size=2, max_size=9, unique=True), st.integers(1, 5))
def test_the_split_is_the_best_of_all(numbers: list[int], k: int):
    values = sorted(map(float, numbers), reverse=True)
    k = min(k, len(values))

    def cost(starts: list[int]) -> float:
        return sum(float(np.var(run) * len(run)) for run in np.split(np.array(values), starts[1:]))

    best = min(cost([0, *rest]) for rest in combinations(range(1, len(values)), k - 1))
    found = optimal_split(values, k)
    assert len(found) == k
    assert cost(found) == pytest.approx(best, abs=1e-6)


def test_of_two_values_the_far_smaller_one_is_not_high():
    assert classify([0.96, 0.04]) == [4, 2]
    assert classify([0.9, 0.06]) == [4, 3]
