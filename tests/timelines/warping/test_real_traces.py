"""Ten metrics of real runs, scaled, shifted and warped (Table 1): intervals are carried over, or get a warning.

Each metric has three intervals, one per situation; ``pytest -m nightly`` tries ten.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from autoanalyzer.analyze.run.outliers import steepness
from autoanalyzer.timelines.warping import doubts, time_map, warp

from .sequences import SITUATIONS, Values, distorted, distortion

DATA: Final = Path(__file__).parents[2] / "data" / "ten_time_lines.csv"
NEAR: Final = 0.01
LEAST: Final = {0.0: 95, 0.02: 94}  # minimum of 100 intervals, by the noise


def traces() -> dict[str, Values]:
    with DATA.open(newline="") as stream:
        return {name: np.array(values, dtype=float) for name, *values in csv.reader(stream)}


def carried(values: Values, seed: list[int], noise: float, *, at_changes: bool) -> tuple[bool, bool]:
    """Carry an interval over; return whether both ends are right, and whether there is a warning."""
    chance = np.random.default_rng(seed)
    to = distortion(SITUATIONS[seed[1] % len(SITUATIONS)], chance)
    x, y = distorted(values, to, noise, chance)
    path = warp(x, y)
    at, there = np.linspace(0, 1, len(x)), np.arange(len(y)) / (len(x) - 1)
    start = chance.uniform(0.05, 0.6)
    ends = np.array([start, start + chance.uniform(0.1, 0.35)])
    if at_changes:
        ends = np.array([_change(x, end) for end in ends])
    boundaries = tuple(np.searchsorted(at, ends).tolist())
    found = np.array(time_map(path, x, y, at, there).carried((float(ends[0]), float(ends[1]))))
    right = bool((np.abs(found - to(ends)) <= NEAR * there[-1]).all())
    return right, bool(doubts(x, y, path, boundaries))


def _change(values: Values, place: float) -> float:
    """Move a time to the steepest sample within a twentieth of the trace, where a reader would see the change."""
    count = len(values)
    first, last = (round((place + aside) * (count - 1)) for aside in (-0.05, 0.05))
    near = np.arange(max(first, 0), min(last, count - 1) + 1)
    return float(near[steepness(values)[near].argmax()] / (count - 1))


@pytest.mark.parametrize(
    ("at_changes", "noise", "intervals"),
    [
        (False, 0.0, 3),
        (True, 0.02, 3),
        *(pytest.param(changes, noise, 10, marks=pytest.mark.nightly) for changes in (False, True) for noise in LEAST),
    ],
)
def test_intervals_are_right_in_95_of_100_and_all_others_are_doubted(
    at_changes: bool, noise: float, intervals: int
) -> None:
    found = [
        carried(values, [trace, number], noise, at_changes=at_changes)
        for trace, values in enumerate(traces().values())
        for number in range(intervals)
    ]
    assert all(is_right or doubted for is_right, doubted in found)
    assert sum(is_right for is_right, _ in found) >= LEAST[noise] * len(found) // 100
