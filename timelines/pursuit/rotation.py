"""Simulate critical values for points that are parts of ranks, because the parts of one rank are not independent.

In points without structure, ranks differ by normal noise, but the parts of one rank may be correlated. A random
rotation among the ranks preserves these correlations (Langsrud's rotation tests, Statistics and Computing 15, 2005). So
a search in rotated points yields indices of points without structure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from ...analyze.run.arrays import Values
from ...multivariate.metric_space import Point
from .camps import parting
from .chance import CAMPS_LEVEL, LEVEL, deviations
from .points import sphered
from .search import Search

__all__ = ["Turning", "simulated"]

_DRAWS: Final = 24


class Turning:
    """Random rotations of points among their ranks.

    Args:
        scaled: ``float64[point, metric]``: the points.
        points: Rank and part of each point; a missing part gets the mean of its rank.
    """

    def __init__(self, scaled: Values, points: Sequence[Point]) -> None:
        _, self._ranks = np.unique([(each.process, each.thread) for each in points], axis=0, return_inverse=True)
        _, self._parts = np.unique([each.sample for each in points], return_inverse=True)
        ranks, parts = int(self._ranks.max()) + 1, int(self._parts.max()) + 1
        table = np.full((ranks, parts, scaled.shape[1]), np.nan)
        table[self._ranks, self._parts] = scaled
        own = np.nanmean(table, axis=1, keepdims=True)
        self._shape = table.shape
        flat = np.where(np.isnan(table), own, table).reshape(ranks, -1)
        self._mean = flat.mean(axis=0)
        _, sizes, right = np.linalg.svd(flat - self._mean, full_matrices=False)
        self._course = sizes[:, None][: ranks - 1] * right[: ranks - 1]

    def drawn(self, random: np.random.Generator) -> Values:
        """Return the points, ``float64[point, metric]``, after a random rotation among the ranks."""
        axes = random.standard_normal((self._shape[0], len(self._course)))
        turned = np.linalg.qr(axes - axes.mean(axis=0))[0] @ self._course + self._mean
        return np.asarray(turned.reshape(self._shape)[self._ranks, self._parts])


def simulated(scaled: Values, points: Sequence[Point], find: Search, *, seed: int = 0) -> tuple[float, float]:
    """Return the critical values of the index and of camps, from searches in randomly rotated points.

    The significance levels are those of the tables; indices are assumed to have Gumbel's extreme-value distribution.
    The limits are widened by Student's t, because the spread is estimated from few draws.

    Args:
        scaled: ``float64[point, metric]``: the points.
        points: Rank and part of each point.
        find: Finds the best projection of sphered points.
        seed: Seed of the rotations and of the search for camps.
    """
    turning, random = Turning(scaled, points), np.random.default_rng(seed)
    found: list[tuple[float, float]] = []
    for _ in range(_DRAWS):
        values = sphered(_standardised(turning.drawn(random))).values
        found.append((float(np.log(find(values).index)), parting(values, seed=seed).index))
    limit = np.array([_deviations(level) for level in (LEVEL, CAMPS_LEVEL)])
    critical, camps = np.mean(found, axis=0) + limit * np.std(found, axis=0, ddof=1)
    return float(np.exp(critical)), float(camps)


def _deviations(level: float) -> float:
    from scipy.special import ndtri, stdtrit  # noqa: PLC0415 - takes a tenth of a second

    wider = stdtrit(_DRAWS - 1, 1 - level) / ndtri(1 - level) * np.sqrt(1 + 1 / _DRAWS)
    return deviations(level) * float(wider)


def _standardised(values: Values) -> Values:
    centred = values - values.mean(axis=0)
    return np.asarray(centred / centred.std(axis=0))
