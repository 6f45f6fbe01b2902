"""Greedy top-down segmentation, compared with one that fits all lines anew for each split (section 5.3)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from autoanalyzer.errors import InputError
from autoanalyzer.timelines.correlators import drawn_pattern, proposed_pattern, segmented, suggested_count

VALUES = arrays(np.float64, st.integers(4, 24), elements=st.integers(-50, 50).map(float))


def error_of(times: np.ndarray, values: np.ndarray) -> float:
    """Return the error of a line fitted by least squares."""
    terms = np.column_stack([times, np.ones(len(times))])
    fitted = terms @ np.linalg.lstsq(terms, values, rcond=None)[0]
    return float(((values - fitted) ** 2).sum())


def least_error(times: np.ndarray, values: np.ndarray, firsts: list[int]) -> float:
    """Return the smallest error with one more boundary."""
    places = [place for place in range(1, len(times)) if place not in firsts]
    found = []
    for place in places:
        edges = [*sorted([*firsts, place]), len(times)]
        if min(np.diff(edges)) >= 2:
            pairs = itertools.pairwise(edges)
            found.append(sum(error_of(times[start:end], values[start:end]) for start, end in pairs))
    return min(found)


@settings(deadline=None, max_examples=60)
@given(VALUES, st.integers(2, 4))
def test_each_split_is_the_best_one(values: np.ndarray, count: int) -> None:
    times = np.arange(len(values)) * 0.5
    before, after = segmented(times, values, count - 1), segmented(times, values, count)
    assume(len(after.first) > len(before.first))
    assert set(before.first) < set(after.first)
    assert after.error == pytest.approx(least_error(times, values, before.first.tolist()), abs=1e-6)
    assert ((values - after.fitted(times, values)) ** 2).sum() == pytest.approx(after.error, abs=1e-6)


@settings(deadline=None, max_examples=60)
@given(VALUES, st.integers(2, 4))
def test_only_what_is_short_or_fits_already_is_not_split(values: np.ndarray, count: int) -> None:
    times = np.arange(len(values)) * 0.5
    before, after = segmented(times, values, count - 1), segmented(times, values, count)
    is_split = len(after.first) > len(before.first)
    assert is_split or min(np.diff([*before.first, len(values)])) < 4 or before.error < 1e-6


def test_boundaries_lie_between_samples() -> None:
    times = np.arange(10.0)
    values = np.where(times < 4, 0.0, 8.0)
    assert segmented(times, values, 2).boundaries(times).tolist() == [3.5]


@pytest.mark.parametrize("steps", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("seed", range(4))
def test_the_number_of_steps_is_suggested(steps: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    levels = np.cumsum(chance.uniform(1, 3, steps) * chance.choice([-1, 1], steps))
    values = np.repeat(levels, 60) + 0.1 * chance.normal(size=60 * steps)
    assert steps <= suggested_count(np.arange(len(values)), values) <= steps + 2


def test_noise_alone_is_one_segment() -> None:
    chance = np.random.default_rng(5)
    counts = [suggested_count(np.arange(200.0), chance.normal(size=200)) for _ in range(50)]
    assert np.mean(np.array(counts) == 1) >= 0.9


def test_a_drawn_pattern_has_lines_between_its_points() -> None:
    times = np.array([0.0, 1, 2, 3, 4])
    assert drawn_pattern([(1, 10), (3, 20)], times).tolist() == [10, 10, 15, 20, 20]
    assert drawn_pattern([(0, 0), (2, 0), (2, 5), (4, 5)], times)[[1, 3]].tolist() == [0, 5]


@pytest.mark.parametrize("points", [[], [(1, 2)], [(2, 1), (1, 1)]])
def test_points_that_make_no_pattern(points: list[tuple[float, float]]) -> None:
    with pytest.raises(InputError, match="expected a pattern of two or more points"):
        drawn_pattern(points, np.arange(5.0))


def test_a_proposed_pattern_has_steps_and_no_noise() -> None:
    chance = np.random.default_rng(1)
    truth = np.repeat([1.0, 4.0, 2.0], 100)
    noisy = truth + 0.2 * chance.normal(size=300)
    noisy[[30, 150, 170, 260]] += 25
    found, lines = proposed_pattern(np.arange(300.0), noisy)
    assert np.abs(found - truth).mean() < 0.1
    assert 3 <= len(lines.first) <= 5


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_pattern_of_few_samples(count: int) -> None:
    values = np.arange(float(count))
    assert proposed_pattern(values, values)[0] == pytest.approx(values)


def test_a_pattern_leaves_single_values_out_and_keeps_what_lasts_two_samples() -> None:
    times = np.arange(200.0)
    values = np.random.default_rng(5).normal(scale=0.01, size=200)
    pulses = np.add.outer(np.arange(10, 200, 20), [0, 1]).ravel()
    values[pulses] += 1
    values[[5, 61, 105]] += 3
    pattern, _ = proposed_pattern(times, values)
    assert pattern[pulses].mean() > 0.8
    assert abs(pattern[[5, 61, 105]]).max() < 0.2
