"""By how much a target follows a metric."""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.signal import correlate

from ..arrays import Indices, Values
from .scores import normalised

__all__ = ["best_lag"]

_FURTHEST: Final = 0.1  # of the samples: beyond, too few are left to compare
# How much a lag must add to the coefficient. Of 1,920 pairs without one, random walks of 20 to 1,000 samples, each with
# noise of 0.3 of its deviation, the best lag added 0.05 at most.
_BETTER: Final = 0.05
_FEWEST: Final = 20  # samples; of fewer a lag of two is their tenth


def best_lag(target: Values, metric: Values) -> int:
    """Give by how many samples the target follows the metric, where Pearson's coefficient is largest; 0 if not better.

    Args:
        target: ``float64[n]``.
        metric: ``float64[n]``.
    """
    n = len(target)
    furthest = int(n * _FURTHEST)
    if n < _FEWEST:
        return 0
    x, y = normalised(target), normalised(metric)
    lags = np.arange(-furthest, furthest + 1)
    products = correlate(x, y, mode="full", method="fft")[n - 1 + lags]
    overlap = n - np.abs(lags)
    sums = [_sums(x, lags, lead=False), _sums(y, lags, lead=True)]
    squares = [_sums(x * x, lags, lead=False), _sums(y * y, lags, lead=True)]
    variances = [square - total**2 / overlap for square, total in zip(squares, sums, strict=True)]
    below = np.sqrt(np.maximum(variances[0] * variances[1], 1e-300))
    strength = np.abs((products - sums[0] * sums[1] / overlap) / below)
    best = int(strength.argmax())
    return int(lags[best]) if strength[best] > strength[furthest] + _BETTER else 0


def _sums(values: Values, lags: Indices, *, lead: bool) -> Values:
    """Sum what overlaps at each lag: of the target from the lag on, of the metric up to it, and the other way round."""
    n = len(values)
    upto = np.concatenate([[0.0], np.cumsum(values)])
    shift = -lags if lead else lags
    found: Values = upto[np.minimum(n, n + shift)] - upto[np.maximum(0, shift)]
    return found
