"""Which metrics say the same: the correlation matrix, and groups of redundant metrics (paper 003, section 4.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.special import stdtr

from ...errors import InputError
from ..metric_space import MetricSpace, Values
from ..one_thread import one_thread

__all__ = ["REDUNDANT", "Correlation", "MetricGroup", "correlation"]

REDUNDANT: Final = 0.95


@dataclass(frozen=True, slots=True)
class MetricGroup:
    """Metrics each of which tells the others.

    Attributes:
        representative: The one that is nearest to all others.
        members: All of them, itself included.
        least: The least absolute correlation of any two; 1 of a metric alone.
    """

    representative: str
    members: tuple[str, ...]
    least: float


@dataclass(frozen=True)
class Correlation:
    """Pearson's correlations of the metrics of a space.

    Attributes:
        space: The points.
        matrix: ``float64[metric, metric]``.
        groups: Every metric is in one, the largest first.
        chance: How likely two unrelated metrics are redundant, with so few points.
    """

    space: MetricSpace
    matrix: Values
    groups: tuple[MetricGroup, ...]
    chance: float

    @property
    def pairs(self) -> int:
        """How many pairs of metrics there are."""
        return len(self.matrix) * (len(self.matrix) - 1) // 2


@one_thread
def correlation(space: MetricSpace) -> Correlation:
    """Correlate every metric with every other one, in O(points × metrics²).

    Metrics are redundant if |r| ≥ 0.95, in a group each with each (complete linkage): so the representative tells
    all others. It is a metric that was measured, if there is one.

    Raises:
        InputError: There is one metric.
    """
    if len(space.metrics) < 2:
        raise InputError(f"correlation: need at least two metrics that differ, found {space.metrics[0]}")
    matrix = np.corrcoef(space.scaled(), rowvar=False)
    matrix = np.clip((matrix + matrix.T) / 2, -1.0, 1.0)
    np.fill_diagonal(matrix, 1.0)
    groups = sorted((_group(space, matrix, rows) for rows in _redundant(matrix)), key=lambda each: -len(each.members))
    return Correlation(space, matrix, tuple(groups), _chance(len(space.points)))


def _redundant(matrix: Values) -> list[npt.NDArray[np.intp]]:
    apart = squareform(1.0 - np.abs(matrix), checks=False)
    labels = fcluster(linkage(apart, "complete"), 1.0 - REDUNDANT, "distance")
    return [np.flatnonzero(labels == each) for each in dict.fromkeys(labels.tolist())]


def _group(space: MetricSpace, matrix: Values, rows: npt.NDArray[np.intp]) -> MetricGroup:
    near = np.abs(matrix[np.ix_(rows, rows)])
    measured = np.array([space.metrics[row] not in space.formulas for row in rows])
    best = int(np.argmax(near.mean(axis=1).round(12) + measured))
    return MetricGroup(space.metrics[rows[best]], tuple(space.metrics[row] for row in rows), float(near.min()))


def _chance(points: int) -> float:
    """How likely |r| ≥ 0.95 is for two metrics that have nothing to do with each other (Student's t)."""
    if points < 3:
        return 1.0
    freedom = points - 2
    return float(2 * stdtr(freedom, -REDUNDANT * np.sqrt(freedom / (1 - REDUNDANT**2))))
