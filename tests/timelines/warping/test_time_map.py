"""Intervals carried over to the other trace: Table 1, and the paper's remedy."""

from __future__ import annotations

import numpy as np
import pytest

from autoanalyzer.timelines.warping import TimeMap, time_map, warp

from .sequences import SHAPES, SITUATIONS, distorted, distortion, high_and_low, sequence

SECONDS = 40.0


def planted(shape: str, situation: str, noise: float, seed: int, count: int = 300) -> float:
    """Carry an interval over; return the error of its worse end, as a share of the trace."""
    chance = np.random.default_rng(seed)
    to = distortion(situation, chance)
    x, y = distorted(sequence(shape, count, chance), to, noise, chance)
    step = SECONDS / (count - 1)
    times = time_map(warp(x, y), x, y, np.arange(len(x)) * step, np.arange(len(y)) * step)
    start = chance.uniform(0.1, 0.6)
    ends = np.array([start, start + chance.uniform(0.1, 0.3)])
    found = np.array(times.carried(tuple((ends * SECONDS).tolist())))
    return float(np.abs(found - to(ends) * SECONDS).max() / times.y[-1])


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.05])
@pytest.mark.by_day(noise=[0.05])
@pytest.mark.parametrize("seeds", [2, pytest.param(4, marks=pytest.mark.nightly)])
def test_intervals_are_carried_over_within_a_hundredth(noise, seeds):
    errors = [planted(shape, how, noise, seed) for shape in SHAPES for how in SITUATIONS for seed in range(seeds)]
    assert np.mean(np.array(errors) <= 0.01) >= 0.95


def test_a_trace_is_carried_over_to_itself():
    values = sequence("walk", 200, np.random.default_rng(2))
    at = np.arange(200) * 0.5
    times = time_map(warp(values, values), values, values, at, at)
    assert times.carried((12.5, 60.0)) == pytest.approx((12.5, 60.0), abs=1e-6)


def test_moments_outside_go_on_at_the_ends():
    times = TimeMap(np.array([1.0, 3.0]), np.array([10.0, 11.0]))
    assert times.moments(np.array([0.0, 1.0, 2.0, 3.0, 5.0])).tolist() == [9.0, 10.0, 10.5, 11.0, 13.0]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_short_traces_have_a_map(count):
    values = np.arange(count, dtype=float)
    at = values + 1
    times = time_map(warp(values, values), values, values, at, at)
    assert times.y == pytest.approx(at, rel=1e-12)


def test_what_is_constant_is_carried_over_in_proportion():
    """In a flat stretch, all paths have the same error; its middle is mapped to the middle."""
    x, y = high_and_low((40, 40, 40)), high_and_low((80, 80, 80))
    times = time_map(warp(x, y), x, y, np.arange(120.0), np.arange(240.0))
    assert times.carried((40.0, 80.0)) == pytest.approx((80.0, 160.0), abs=2.4)
    assert float(times.moments(np.array(20.0))) == pytest.approx(40.0, abs=4.8)
