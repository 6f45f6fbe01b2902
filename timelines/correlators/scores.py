"""The correlators (Hauswirth et al. 2005, sections 5.1 to 5.3), and the lag between a target and a metric.

Each correlator returns a score from 0 to 1, where 1 is the closest relation. Sequences are first normalised to mean 0
and standard deviation 1 (section 5.2), because distances and errors of fits depend on the metric's unit. The score of a
distance d is 1 / (1 + d), which is always finite, unlike 1 / d in Hauswirth et al.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ...analyze.run.arrays import Indices, Values
from ...multivariate.ranks import ranks
from ..warping import warp_error
from .segmentation import Fits, Segmentation

__all__ = [
    "best_lag",
    "best_splits",
    "euclidean",
    "manhattan",
    "normalised",
    "pearson",
    "same_splits",
    "signed_pearson",
    "spearman",
    "warping",
]

_FURTHEST: Final = 0.1  # maximum lag, as a fraction of the samples, so that enough samples overlap
# The minimum by which a lag must improve the coefficient. For 1,920 unrelated pairs of random walks of 20 to 1,000
# samples, each with noise of 0.3 of its standard deviation, the best lag improved the coefficient by at most 0.05.
_BETTER: Final = 0.05
_FEWEST: Final = 20  # minimum number of samples, so that the maximum lag is at least two samples


def normalised(values: Values) -> Values:
    """Return the values, ``float64[n]``, scaled to mean 0 and standard deviation 1; zeros if they are constant."""
    centred = values - values.mean()
    deviation = np.sqrt(np.mean(centred * centred))
    scaled: Values = centred / deviation if deviation > 0 else np.zeros(len(values))
    return scaled


def signed_pearson(x: Values, y: Values) -> float:
    """Return Pearson's product-moment coefficient (Eq. 2), from -1 to 1; 0 if a sequence is constant."""
    return float(np.clip(np.mean(normalised(x) * normalised(y)), -1, 1))


def pearson(x: Values, y: Values) -> float:
    """Return the absolute value of Pearson's coefficient."""
    return abs(signed_pearson(x, y))


def spearman(x: Values, y: Values) -> float:
    """Return the absolute value of Spearman's coefficient (Eq. 3): Pearson's for ranks, with mean ranks for ties."""
    return pearson(ranks(x), ranks(y))


def euclidean(x: Values, y: Values) -> float:
    """Return the score of the Euclidean distance (Eq. 6) between x and y or between x and -y, whichever is smaller."""
    a, b = normalised(x), normalised(y)
    return _inverse(min(float(np.linalg.norm(a - b)), float(np.linalg.norm(a + b))))


def manhattan(x: Values, y: Values) -> float:
    """Return the score of the Manhattan distance (Eq. 5) between x and y or between x and -y, whichever is smaller."""
    a, b = normalised(x), normalised(y)
    return _inverse(min(float(np.abs(a - b).sum()), float(np.abs(a + b).sum())))


def warping(x: Values, y: Values) -> float:
    """Return the score of the warp error (Eq. 1) between x and y or between x and -y, whichever is smaller (5.2.2)."""
    a, b = normalised(x), normalised(y)
    return _inverse(min(warp_error(a, b), warp_error(a, -b)))


def same_splits(target: Segmentation, times: Values, values: Values) -> float:
    """Return the score of the residual from fitting lines to the metric in the target's segments (section 5.3.1)."""
    ends = np.append(target.first[1:], target.count)
    return _inverse(float(Fits(times, normalised(values)).errors(target.first, ends).sum()))


def best_splits(target: Segmentation, metric: Segmentation, times: Values) -> float:
    """Return the score of the distances, in seconds, between boundaries of metric and target (section 5.3.2)."""
    mine, its = target.boundaries(times), metric.boundaries(times)
    lacking = abs(len(mine) - len(its)) * float(times[-1] - times[0])
    together = min(len(mine), len(its))
    return _inverse(float(np.abs(mine[:together] - its[:together]).sum()) + lacking)


def _inverse(distance: float) -> float:
    return 1 / (1 + distance)


def best_lag(target: Values, metric: Values) -> int:
    """Return the lag at which the absolute value of Pearson's coefficient is largest; 0 if no lag improves it enough.

    The lag is the number of samples by which the target follows the metric; negative if the metric follows the target.

    Args:
        target: ``float64[n]``.
        metric: ``float64[n]``.
    """
    n = len(target)
    furthest = int(n * _FURTHEST)
    if n < _FEWEST:
        return 0
    from scipy.signal import correlate  # noqa: PLC0415 - takes half a second

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
    """Return, for each lag, the sum of the values that overlap the other sequence; ``lead``: whether they lead it."""
    n = len(values)
    upto = np.concatenate([[0.0], np.cumsum(values)])
    shift = -lags if lead else lags
    found: Values = upto[np.minimum(n, n + shift)] - upto[np.maximum(0, shift)]
    return found
