"""Correlations without one of the points: which of them a single location makes or hides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ...errors import AutoanalyzerError
from ..arrays import Indices, Values
from ..metric_space import MetricSpace

__all__ = ["LeaveOneOut", "leave_one_out", "pearson"]

_FEWEST: Final = 4  # points: of the three without one, correlations are not ±1 anyway
_CARRIED: Final = 0.01  # of a metric's variance left without a point: of less, the difference would lose digits


@dataclass(frozen=True)
class LeaveOneOut:
    """Between what each correlation is if one point is left out, whichever it is.

    Attributes:
        lowest: ``float64[metric, metric]``; 0 if a metric is constant without the point.
        highest: ``float64[metric, metric]``.
        lowest_without: ``int[metric, metric]``, the position of the point without which it is the lowest.
        highest_without: ``int[metric, metric]``.
    """

    lowest: Values
    highest: Values
    lowest_without: Indices
    highest_without: Indices


def pearson(values: Values) -> Values:
    """Correlate columns, ``float64[point, metric]``, each with each."""
    matrix = np.atleast_2d(np.corrcoef(values, rowvar=False))
    matrix = np.clip((matrix + matrix.T) / 2, -1.0, 1.0)
    np.fill_diagonal(matrix, 1.0)
    return matrix


def leave_one_out(space: MetricSpace, matrix: Values) -> LeaveOneOut | None:
    """Find the extremes of each correlation over all points that could be left out, in O(points × metrics²).

    Of centred columns of length 1, x and y, with n points, the correlation without point k is r - c x_k y_k over the
    root of (1 - c x_k²)(1 - c y_k²), c = n / (n - 1): the downdate of a covariance (B. Efron, The Jackknife, 1982). A
    point that carries nearly all the variance of a metric is left out of the values themselves, for nothing but
    roundings would be left of that difference; there is at most one a metric.

    Args:
        space: The points.
        matrix: Their correlations.

    Returns:
        None of fewer than four points: without one, of three, any two metrics have correlations of ±1.
    """
    count, width = space.values.shape
    if count < _FEWEST:
        return None
    columns = space.scaled() / np.sqrt(count)
    share = count / (count - 1)
    left = 1 - share * np.square(columns)
    carriers = np.flatnonzero((left < _CARRIED).any(axis=1))
    exact = np.array([_without(space, int(row)) for row in carriers]).reshape(-1, width, width)
    found = LeaveOneOut(np.eye(width), np.eye(width), *(np.zeros((width, width), dtype=np.intp) for _ in range(2)))
    for one in range(width):
        below = np.maximum(left * left[:, [one]], _CARRIED**2)
        without = (matrix[one] - share * columns[:, [one]] * columns) / np.sqrt(below)
        without[carriers] = exact[:, one]
        found.lowest_without[one], found.highest_without[one] = without.argmin(axis=0), without.argmax(axis=0)
        found.lowest[one], found.highest[one] = without.min(axis=0), without.max(axis=0)
    for each in (found.lowest, found.highest):
        np.clip(each, -1.0, 1.0, out=each)
        np.fill_diagonal(each, 1.0)
    return found


def _without(space: MetricSpace, row: int) -> Values:
    """Correlate the metrics without a point; 0 of metrics that are constant then."""
    found = np.eye(len(space.metrics))
    try:
        rest = space.part(np.delete(np.arange(len(space.points)), row))
    except AutoanalyzerError:  # no metric differs
        return found
    places = [space.metrics.index(name) for name in rest.metrics]
    found[np.ix_(places, places)] = pearson(rest.scaled())
    return found
