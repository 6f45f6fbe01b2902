"""The correlation matrix and groups of redundant metrics (Ahn and Vetter, section 4.4).

Correlations are also computed with each single point left out, because one location can create or hide a correlation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ..analyze.run.arrays import Indices, Values
from ..errors import AutoanalyzerError, InputError
from .metric_space import MetricSpace
from .ranks import ranks
from .single_threaded_blas import single_threaded_blas

__all__ = ["REDUNDANT", "Correlation", "LeaveOneOut", "MetricGroup", "Turn", "correlation", "leave_one_out", "pearson"]

_FEWEST: Final = 4  # least number of points; if one of three points is left out, the other two always correlate by ±1
# If a point is left out and less than this share of a metric's variance remains, subtracting the point loses digits.
_CARRIED: Final = 0.01

REDUNDANT: Final = 0.95  # least absolute correlation of redundant metrics


@dataclass(frozen=True)
class LeaveOneOut:
    """The range of each correlation when any one point is left out.

    Attributes:
        lowest: ``float64[metric, metric]``, the smallest correlation; 0 if a metric is constant without the point.
        highest: ``float64[metric, metric]``, the largest correlation.
        lowest_without: ``int[metric, metric]``, position of the point whose omission gives the smallest correlation.
        highest_without: ``int[metric, metric]``, position of the point whose omission gives the largest correlation.
    """

    lowest: Values
    highest: Values
    lowest_without: Indices
    highest_without: Indices


def pearson(values: Values) -> Values:
    """Return Pearson's correlations, ``float64[metric, metric]``, of the columns of ``float64[point, metric]``."""
    matrix = np.atleast_2d(np.corrcoef(values, rowvar=False))
    matrix = np.clip((matrix + matrix.T) / 2, -1.0, 1.0)
    np.fill_diagonal(matrix, 1.0)
    return matrix


def leave_one_out(space: MetricSpace, matrix: Values) -> LeaveOneOut | None:
    """Return the range of each correlation when any one point is left out, in O(points × metrics²).

    For centred columns x and y of length 1 with n points, the correlation without point k is r - c x_k y_k, divided by
    the root of (1 - c x_k²)(1 - c y_k²), with c = n / (n - 1): the downdate of a covariance (B. Efron, The Jackknife,
    1982). If a point carries nearly all the variance of a metric, the correlation is recomputed from the other values,
    because the formula would leave only rounding errors. There is at most one such point per metric.

    Args:
        space: The points.
        matrix: The correlations of their metrics, ``float64[metric, metric]``.

    Returns:
        None for fewer than four points, because any two remaining points correlate by ±1.
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
    """Return the correlations without one point, ``float64[metric, metric]``; 0 for metrics that become constant."""
    found = np.eye(len(space.metrics))
    try:
        rest = space.part(np.delete(np.arange(len(space.points)), row))
    except AutoanalyzerError:  # all metrics are constant
        return found
    places = [space.metrics.index(name) for name in rest.metrics]
    found[np.ix_(places, places)] = pearson(rest.scaled())
    return found


@dataclass(frozen=True, slots=True)
class MetricGroup:
    """Redundant metrics: each can replace the others.

    Attributes:
        representative: The metric that is closest to all others.
        members: All metrics of the group, including the representative.
        least: The smallest absolute correlation of any two members; 1 for a single metric.
        keep: The metrics that together represent the group whichever point is left out.
    """

    representative: str
    members: tuple[str, ...]
    least: float
    keep: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """Two metrics whose redundancy depends on one point.

    Attributes:
        metrics: The names of the two metrics.
        with_it: Their correlation with all points.
        without: Their correlation without the point.
        point: The position of the point.
        ranked: Spearman's correlation, with all points.
    """

    metrics: tuple[str, str]
    with_it: float
    without: float
    point: int
    ranked: float

    @property
    def made(self) -> bool:
        """Whether the point makes the metrics redundant; False if the point hides that they are redundant."""
        return abs(self.with_it) >= REDUNDANT


@dataclass(frozen=True)
class Correlation:
    """Pearson's correlations of the metrics of a space.

    Attributes:
        space: The points.
        matrix: ``float64[metric, metric]``.
        spearman: ``float64[metric, metric]``, Spearman's correlations, which one point hardly changes.
        one_out: The range when any one point is left out; None for fewer than four points.
        groups: A partition of the metrics, largest group first.
        turns: Pairs of metrics whose redundancy depends on one point, largest change first.
        chance: The probability that two unrelated metrics are redundant with so few points.
    """

    space: MetricSpace
    matrix: Values
    spearman: Values
    one_out: LeaveOneOut | None
    groups: tuple[MetricGroup, ...]
    turns: tuple[Turn, ...]
    chance: float

    @property
    def pairs(self) -> int:
        """The number of pairs of metrics."""
        return len(self.matrix) * (len(self.matrix) - 1) // 2


@single_threaded_blas
def correlation(space: MetricSpace) -> Correlation:
    """Correlate all pairs of metrics, in O(points × metrics²).

    Metrics are redundant if |r| ≥ 0.95 for every pair in a group (complete linkage), so one metric of the group
    represents the others: if possible, a measured metric. A single point can create or hide such a correlation. The
    metrics to keep must represent the group whichever point is left out. So each group is divided again, by the lowest
    correlation that leaving out any one point produces, and one metric of each subgroup is kept.

    Raises:
        InputError: There is only one metric.
    """
    if len(space.metrics) < 2:
        raise InputError(f"correlation: need at least two metrics that differ, found only {space.metrics[0]}")
    matrix = pearson(space.scaled())
    ranked = pearson(np.apply_along_axis(ranks, 0, space.values))
    one_out = leave_one_out(space, matrix)
    steady = np.eye(len(matrix)) if one_out is None else np.where(matrix >= 0, one_out.lowest, -one_out.highest)
    groups = sorted(
        (_group(space, matrix, steady, rows) for rows in _redundant(np.abs(matrix))),
        key=lambda each: -len(each.members),
    )
    turns = _turns(space, matrix, ranked, one_out) if one_out else ()
    return Correlation(space, matrix, ranked, one_out, tuple(groups), turns, _chance(len(space.points)))


def _redundant(alike: Values) -> list[Indices]:
    if len(alike) == 1:
        return [np.array([0])]
    from scipy.cluster.hierarchy import fcluster, linkage  # noqa: PLC0415 - takes half a second
    from scipy.spatial.distance import squareform  # noqa: PLC0415

    apart = squareform(1.0 - alike, checks=False)
    labels = fcluster(linkage(apart, "complete"), 1.0 - REDUNDANT, "distance")
    return [np.flatnonzero(labels == each) for each in dict.fromkeys(labels.tolist())]


def _group(space: MetricSpace, matrix: Values, steady: Values, rows: Indices) -> MetricGroup:
    near = np.abs(matrix[np.ix_(rows, rows)])
    kept = sorted((rows[each] for each in _redundant(steady[np.ix_(rows, rows)])), key=lambda each: -len(each))
    keep = [_representative(space, matrix, each) for each in kept]
    members = tuple(space.metrics[row] for row in rows)
    one = keep[0] if len(kept[0]) > 1 else _representative(space, matrix, rows)
    return MetricGroup(one, members, float(near.min()), tuple(keep))


def _representative(space: MetricSpace, matrix: Values, rows: Indices) -> str:
    near = np.abs(matrix[np.ix_(rows, rows)])
    measured = np.array([space.metrics[row] not in space.formulas for row in rows])
    best = int(rows[int(np.argmax(near.mean(axis=1).round(12) + measured))])
    return space.metrics[best]


def _turns(space: MetricSpace, matrix: Values, ranked: Values, one_out: LeaveOneOut) -> tuple[Turn, ...]:
    """Return the pairs of metrics that are redundant only with, or only without, one point."""
    found = []
    for one, other in zip(*np.triu_indices(len(matrix), 1), strict=True):
        r = float(matrix[one, other])
        low = float(one_out.lowest[one, other]), int(one_out.lowest_without[one, other])
        high = float(one_out.highest[one, other]), int(one_out.highest_without[one, other])
        made = abs(r) >= REDUNDANT
        without, point = (
            min(low, high, key=lambda end: end[0] * np.sign(r)) if made else max(low, high, key=lambda end: abs(end[0]))
        )
        if (without * np.sign(r) < REDUNDANT) if made else (abs(without) >= REDUNDANT):
            names = space.metrics[one], space.metrics[other]
            found.append(Turn(names, r, without, point, float(ranked[one, other])))
    return tuple(sorted(found, key=lambda turn: -abs(turn.with_it - turn.without)))


def _chance(points: int) -> float:
    """Return the probability of |r| ≥ 0.95 for two unrelated metrics (Student's t)."""
    if points < 3:
        return 1.0
    from scipy.special import stdtr  # noqa: PLC0415

    freedom = points - 2
    return float(2 * stdtr(freedom, -REDUNDANT * np.sqrt(freedom / (1 - REDUNDANT**2))))
