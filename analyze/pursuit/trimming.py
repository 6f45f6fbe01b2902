"""Trimming: find points that lie far out, and leave them, leave them out, or draw them in (paper 004, 3.2.2)."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np

from ..arrays import Flags, Values
from ..metric_space import MetricSpace
from ..outliers import FAR, spread

__all__ = ["TRIMMINGS", "Trimming", "outlying", "trimmed"]

Trimming = Literal["none", "remove", "log", "sqrt"]

TRIMMINGS: Final[tuple[Trimming, ...]] = ("none", "remove", "log", "sqrt")


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
