"""Prepare points for a search: trim outliers and decorrelate metrics (Vetter and Reed, 3.2.2 and 3.2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from ...analyze.run.arrays import Flags, Values
from ...analyze.run.outliers import FAR, spread
from ...multivariate.metric_space import MetricSpace

__all__ = ["Sphered", "Trimming", "outlying", "sphered", "trimmed"]

Trimming = Literal["none", "remove", "log", "sqrt"]


_NEGLIGIBLE: Final = 1e-5  # fraction of the largest singular value; smaller ones are due to rounding of printed values


def outlying(scaled: Values) -> Values:
    """Return the distance of each point from the median, ``float64[point]``; points beyond 1 are outliers.

    Each metric is in units of its spread. Distances are divided by the median distance plus 3.5 spreads, beyond which
    there should be few points.

    Args:
        scaled: ``float64[point, metric]``, no metric constant.
    """
    distance = np.linalg.norm((scaled - np.median(scaled, axis=0)) / spread(scaled), axis=1)
    return np.asarray(distance / (np.median(distance) + FAR * spread(distance)))


def trimmed(space: MetricSpace, distance: Values, how: Trimming) -> MetricSpace:
    """Return the points with outliers removed or moved closer to the median of all points.

    ``none`` keeps outliers, ``remove`` leaves them out, ``log`` moves a point from distance r to 1 + ln r, and ``sqrt``
    to 3 - 2/√r. The unit is the distance beyond which points are outliers.

    Args:
        space: The points.
        distance: ``float64[point]``, from ``outlying``.
        how: The treatment of outliers.

    Raises:
        InputError: Fewer than two points, or no metric that differs, are left.
    """
    far = distance > 1
    if how == "none" or not far.any():
        return space
    if how == "remove":
        return space.part(np.flatnonzero(~far))
    largest = np.abs(space.values).max(axis=0)
    relative = space.values / largest
    middle = np.median(relative, axis=0)
    factor = _drawn_in(distance, far, how)[:, None]
    return space.moved((middle + (relative - middle) * factor) * largest)


def _drawn_in(distance: Values, far: Flags, how: Trimming) -> Values:
    """Return the factor, ``float64[point]``, by which to multiply each point's distance from the median."""
    out = np.where(far, distance, 1.0)
    to = 1 + np.log(out) if how == "log" else 3 - 2 / np.sqrt(out)
    return np.asarray(to / out)


@dataclass(frozen=True)
class Sphered:
    """Points whose covariance matrix is the identity, in as many dimensions as the metrics span.

    Attributes:
        values: ``float64[point, rank]``: the points.
        axes: ``float64[metric, rank]``, orthonormal: ``values @ axes.T`` are the symmetrically sphered metrics, so a
            direction ``d`` of ``values`` has the loadings ``axes @ d``.
    """

    values: Values
    axes: Values


def sphered(scaled: Values) -> Sphered:
    """Return the points multiplied by the inverse square root of the metrics' correlation matrix.

    Directions without variance are left out; they exist if a metric depends on other metrics, or if there are fewer
    points than metrics. Singular values are used, in O(points × metrics²), because the correlation matrix contains
    their squares, which would lose half of the digits.

    Args:
        scaled: ``float64[point, metric]``, each metric with zero mean and unit variance.
    """
    left, sizes, right = np.linalg.svd(scaled, full_matrices=False)
    rank = int((sizes > _NEGLIGIBLE * sizes[0]).sum())
    return Sphered(left[:, :rank] * np.sqrt(len(scaled) - 1), right[:rank].T)
