"""Which values lie far out, by medians, which outliers themselves hardly move (Iglewicz and Hoaglin 1993)."""

from __future__ import annotations

from typing import Final

import numpy as np

from .metric_space import Values

__all__ = ["FAR", "spread"]

FAR: Final = 3.5  # spreads from the median on, a value is an outlier

_NORMAL: Final = 1.4826  # standard deviations of normal values in their median absolute deviation


def spread(values: Values) -> Values:
    """Give the standard deviation that values would have without outliers, ``float64[…]`` of ``float64[point, …]``.

    By the median absolute deviation; by the mean one where more than half of the values are equal.
    """
    away = np.abs(values - np.median(values, axis=0))
    middle = _NORMAL * np.median(away, axis=0)
    return np.asarray(np.where(middle > 0, middle, away.mean(axis=0)))
