"""Warp paths: the paper's examples, its constraints, and the smallest error of all paths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoanalyzer.errors import InputError
from autoanalyzer.timelines.warping import Warp, warp, warp_error
from autoanalyzer.timelines.warping import warp_path as module

numbers = st.lists(st.integers(-4, 4) | st.floats(-1e3, 1e3), min_size=1, max_size=12)


def table(x: list[float], y: list[float], penalty: float, *, open_ends: bool = False) -> np.ndarray:
    """Return the smallest error to each cell, computed cell by cell."""
    found = np.full((len(x) + 1, len(y) + 1), np.inf)
    found[0, 0] = 0
    if open_ends:
        found[0] = 0
    for i, left in enumerate(x, 1):
        for j, right in enumerate(y, 1):
            alone = min(found[i - 1, j], found[i, j - 1]) + penalty
            found[i, j] = abs(left - right) + min(found[i - 1, j - 1], alone)
    return found[1:, 1:]


def cost(path: Warp, penalty: float) -> float:
    return path.error + penalty * int((np.diff(path.x) + np.diff(path.y) == 1).sum())


def check(path: Warp, x: list[float], y: list[float]) -> None:
    """Check the constraints of section 3.2, and Equation 1."""
    steps = np.column_stack([np.diff(path.x), np.diff(path.y)])
    assert np.isin(steps, [0, 1]).all()
    assert (steps.sum(axis=1) > 0).all()
    assert (path.x[0], path.y[0], path.x[-1], path.y[-1]) == (0, 0, len(x) - 1, len(y) - 1)
    assert set(path.x.tolist()) == set(range(len(x)))
    assert set(path.y.tolist()) == set(range(len(y)))
    assert path.error == pytest.approx(sum(abs(x[i] - y[j]) for i, j in zip(path.x, path.y, strict=True)))


@pytest.mark.parametrize(
    ("x", "y"), [([0, 100, 0, 0], [0, 0, 100, 0]), ([0, 100, 0, 0], [0, 100, 100, 0]), ([1, 2, 3], [1, 2, 2, 2, 3])]
)
def test_what_is_later_or_longer_warps_without_error(x, y):
    path = warp(x, y)
    check(path, x, y)
    assert path.error == warp_error(x, y) == 0


def test_a_path_worked_out_by_hand():
    path = warp([0, 1, 5], [0, 4, 5, 5])
    assert list(zip(path.x.tolist(), path.y.tolist(), strict=True)) == [(0, 0), (1, 0), (2, 1), (2, 2), (2, 3)]
    assert path.error == 2


@given(numbers, numbers, st.sampled_from([0.0, 0.5, 2.0]))
def test_no_path_has_less_error(x, y, penalty):
    path = warp(x, y, penalty=penalty)
    check(path, x, y)
    assert cost(path, penalty) == pytest.approx(table(x, y, penalty)[-1, -1], abs=1e-9)
    assert warp_error(x, y) == pytest.approx(table(x, y, 0.0)[-1, -1], abs=1e-9)


@given(numbers, numbers, st.sampled_from([0.0, 0.5]))
def test_with_open_ends_all_of_the_first_is_found_in_the_second(x, y, penalty):
    path = warp(x, y, penalty=penalty, open_ends=True)
    assert (path.x[0], path.x[-1]) == (0, len(x) - 1)
    assert cost(path, penalty) == pytest.approx(table(x, y, penalty, open_ends=True)[-1].min(), abs=1e-9)


@given(numbers, numbers, st.sampled_from([0.0, 0.1, 0.3, 1.0]))
def test_a_band_keeps_the_path_near_the_line_between_the_ends(x, y, band):
    path = warp(x, y, band=band)
    check(path, x, y)
    steps = max(len(x) - 1, 1), max(len(y) - 1, 1)
    beside = np.abs(path.x / steps[0] - path.y / steps[1])
    assert beside.max() <= max(band, 1 / min(steps)) + 1e-9
    assert path.error >= table(x, y, 0.0)[-1, -1] - 1e-9


def test_a_whole_band_is_none():
    chance = np.random.default_rng(3)
    x, y = chance.normal(size=90), chance.normal(size=70)
    assert warp(x, y, band=1.0).error == warp(x, y).error


@pytest.mark.parametrize("shape", [(1500, 1500), (700, 2300), (2300, 700), (1, 900), (900, 1)])
def test_long_paths_are_as_exact_as_short_ones(shape, monkeypatch):
    """The result depends neither on the kept part of the table nor on the number of cells that are computed at once."""
    chance = np.random.default_rng(5)
    x, y = (np.cumsum(chance.normal(size=count)) for count in shape)
    path = warp(x, y)
    check(path, x.tolist(), y.tolist())
    assert path.error == pytest.approx(reference(x, y), rel=1e-12)
    monkeypatch.setattr(module, "_CHUNK", 100)
    monkeypatch.setattr(module, "_APART", 1)
    again = warp(x, y)
    assert (again.x.tolist(), again.y.tolist()) == (path.x.tolist(), path.y.tolist())


def reference(x: np.ndarray, y: np.ndarray) -> float:
    """Return the smallest error, computed row by row, in a different way than the product."""
    row = np.cumsum(np.abs(x[0] - y))
    for value in x[1:]:
        cost = np.abs(value - y)
        down = np.minimum(row, np.concatenate([[np.inf], row[:-1]]))
        # row[j] = cost[j] + min(down[j], row[j - 1]), solved with cumulative sums along the row.
        sums = np.cumsum(cost)
        row = sums + np.minimum.accumulate(down - np.concatenate([[0.0], sums[:-1]]))
    return float(row[-1])


def test_it_is_said_how_far_it_is():
    said: list[tuple[int, int]] = []
    warp(np.arange(400.0), np.arange(300.0), told=lambda done, whole: said.append((done, whole)))
    assert said == [(0, 699), (256, 699), (512, 699)]


@pytest.mark.parametrize(
    ("x", "options", "said"),
    [
        ([], {}, "expected a sequence of at least one value, found a sequence of shape \\(0,\\)"),
        ([[1.0]], {}, "found a sequence of shape \\(1, 1\\)"),
        ([1.0, np.nan], {}, "expected finite values, found nan at index 1"),
        ([1.0], {"band": -0.1}, "expected a band of at least 0"),
        ([1.0], {"penalty": -1.0}, "expected a penalty of at least 0, found -1"),
    ],
)
def test_what_cannot_be_warped_is_refused(x, options, said):
    with pytest.raises(InputError, match=said):
        warp(x, [1.0], **options)
