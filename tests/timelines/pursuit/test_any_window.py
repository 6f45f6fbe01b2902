"""Any window gives a result or a reason; 10,000 windows by ``pytest -m nightly``."""

import warnings

import numpy as np
import pytest

from autoanalyzer.experiment.trace import Samples
from autoanalyzer.timelines.pursuit import Options, PursuitOverTime
from autoanalyzer.timelines.pursuit.window import Window

STATUSES = {"converged", "stopped", "no-structure", "too-few"}
TINY, HUGE = 5e-324, 1.7e308


def any_values(drawn: np.random.Generator, points: int, metrics: int) -> np.ndarray:
    """Return points of one kind, spoiled in several ways."""
    shape = (points, metrics)
    kinds = [
        lambda: drawn.standard_normal(shape),
        lambda: drawn.standard_cauchy(shape),
        lambda: drawn.lognormal(0, 5, shape),
        lambda: drawn.integers(0, 3, shape).astype(float),
        lambda: np.zeros(shape),
        lambda: np.outer(drawn.standard_normal(points), drawn.standard_normal(metrics)),
        lambda: np.tile(drawn.standard_normal(metrics), (points, 1)),
        lambda: drawn.standard_normal(shape)[drawn.integers(0, max(1, points // 4), points)],
        lambda: np.where(drawn.random(shape) < 0.02, 1.0, 0.0),
        lambda: 1e15 + drawn.integers(0, 5, shape),
        lambda: np.eye(points, metrics),
    ]
    values = kinds[drawn.integers(len(kinds))]()
    for spoil in drawn.choice(8, drawn.integers(0, 4), replace=False):
        row, column = drawn.integers(points), drawn.integers(metrics)
        if spoil == 0:
            values[row] = drawn.choice([HUGE, -HUGE, 1e200, TINY])
        elif spoil == 1:
            values[:, column] = np.clip(values[:, column], -1e150, 1e150) * drawn.choice([1e-300, 1e-12, 1e12, 1e150])
        elif spoil == 2:
            values[:, column] = values[:, 0]
        elif spoil == 3:
            values[:, column] = 7.0
        elif spoil == 4:
            values[drawn.random(shape) < 0.1] = np.nan
        elif spoil == 5:
            values[row, column] = 1e9
        elif spoil == 6:
            values[:, column] = np.clip(values[:, 0], -1e300, 1e300) * (1 + 1e-9 * drawn.standard_normal(points))
        else:
            values[row] = np.nan
    return values


@pytest.mark.parametrize("windows", [100, pytest.param(10_000, marks=[pytest.mark.nightly, pytest.mark.timeout(7200)])])
def test_any_window_has_a_result_or_a_reason(windows):
    seen = set()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(windows):
            drawn = np.random.default_rng(seed)
            points, metrics = int(drawn.choice([1, 2, 3, 4, 5, 8, 16, 64])), int(drawn.choice([1, 2, 3, 5, 12]))
            repeated = int(drawn.choice([1, 1, 1, 6]))
            values = any_values(drawn, points * repeated, metrics)
            names = tuple(f"m{each}" for each in range(metrics))
            places = [(each, 0) for each in range(points)]
            ranks = np.tile(np.arange(points), repeated)
            samples = Samples(names, ("",) * metrics, places, np.zeros(len(ranks)), ranks, values)
            options = Options(
                dimensions=int(drawn.integers(1, 4)),
                trimming=str(drawn.choice(["none", "remove", "log", "sqrt"])),
                seed=seed,
            )
            state = PursuitOverTime(options)
            period = next(iter(state.of_windows([Window(0.0, 1.0, samples, points)])))
            seen.add(period.status)
            assert period.reason, seed
            if period.found is None:
                assert period.status in ("too-few", "no-structure"), seed
                continue
            found = period.found
            ranked = [each.metric for each in found.ranking]
            assert sorted(ranked) == sorted(state.telling.found.space.metrics), seed
            assert len(found.metrics) == min(3, len(ranked)), seed
            numbers = [number for each in found.ranking for number in (each.importance, each.loading, each.index)]
            assert np.isfinite(numbers).all(), seed
    assert {"converged", "no-structure", "too-few"} <= seen <= STATUSES
