"""Points made fit for a search: what lies far out, and metrics without correlation (paper 004, 3.2.2 and 3.2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from ...analyze.run.arrays import Flags, Values
from ...analyze.run.outliers import FAR, spread
from ...multivariate.metric_space import MetricSpace

__all__ = ["Sphered", "Trimming", "outlying", "sphered", "trimmed"]

Trimming = Literal["none", "remove", "log", "sqrt"]


_NEGLIGIBLE: Final = 1e-5  # of the largest singular value: what differs by less is rounding of values that are printed


def outlying(scaled: Values) -> Values:
    """Tell how far out points lie, ``float64[point]``: above 1 a point is an outlier.

    The distance from the median of all points, each metric in units of its spread, over that from which on few points
    should lie: the median distance and 3.5 spreads.

    Args:
        scaled: ``float64[point, metric]``, no metric constant.
    """
    distance = np.linalg.norm((scaled - np.median(scaled, axis=0)) / spread(scaled), axis=1)
    return np.asarray(distance / (np.median(distance) + FAR * spread(distance)))


def trimmed(space: MetricSpace, distance: Values, how: Trimming) -> MetricSpace:
    """Trim points that lie far out.

    ``none`` leaves them; ``remove`` leaves them out; ``log`` moves a point at distance r, from the median of all points
    and in units of the distance from which on points are outliers, to 1 + ln r, and ``sqrt`` to 3 - 2/√r.

    Args:
        space: The points.
        distance: ``float64[point]``, by ``outlying``.
        how: What is done.

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
    """Give what distances are multiplied by."""
    out = np.where(far, distance, 1.0)
    to = 1 + np.log(out) if how == "log" else 3 - 2 / np.sqrt(out)
    return np.asarray(to / out)


@dataclass(frozen=True)
class Sphered:
    """Points whose covariance matrix is the identity, in as many dimensions as the metrics span.

    Attributes:
        values: ``float64[point, rank]``.
        axes: ``float64[metric, rank]``, orthonormal: ``values @ axes.T`` are the symmetrically sphered metrics, one for
            one, so that a direction ``d`` of ``values`` loads the metrics by ``axes @ d``.
    """

    values: Values
    axes: Values


def sphered(scaled: Values) -> Sphered:
    """Multiply metrics by the inverse square root of their correlation matrix.

    Directions in which nothing differs (a metric that others make up, fewer points than metrics) are left out. Found by
    singular values, in O(points × metrics²): a correlation matrix, which squares them, would lose half of the digits.

    Args:
        scaled: ``float64[point, metric]``, each metric with zero mean and unit variance.
    """
    left, sizes, right = np.linalg.svd(scaled, full_matrices=False)
    rank = int((sizes > _NEGLIGIBLE * sizes[0]).sum())
    return Sphered(left[:, :rank] * np.sqrt(len(scaled) - 1), right[:rank].T)
