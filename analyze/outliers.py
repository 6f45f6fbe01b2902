"""Which values lie far out, by medians, which outliers themselves hardly move (Iglewicz and Hoaglin 1993)."""

from __future__ import annotations

from typing import Final

import numpy as np

from .arrays import Values

__all__ = ["FAR", "NORMAL", "spread", "without_outliers"]

FAR: Final = 3.5  # spreads from the median on, a value is an outlier

NORMAL: Final = 1.4826  # standard deviations of normal values in their median absolute deviation

_HAMPEL: Final = 3.0  # spreads from the running median on, a value of a sequence is replaced


def spread(values: Values) -> Values:
    """Give the standard deviation that values would have without outliers, ``float64[…]`` of ``float64[point, …]``.

    By the median absolute deviation; by the mean one where more than half of the values are equal.
    """
    away = np.abs(values - np.median(values, axis=0))
    middle = NORMAL * np.median(away, axis=0)
    return np.asarray(np.where(middle > 0, middle, away.mean(axis=0)))


def without_outliers(sequence: Values, *, in_a_row: int) -> Values:
    """Replace what is far from the running median by it (Hampel's filter), so that steps stay where they are.

    Args:
        sequence: ``float64[n]``.
        in_a_row: As many as this that are far off vanish; more are no outliers.
    """
    from scipy.ndimage import median_filter  # noqa: PLC0415 - whoever asks for ``NORMAL`` alone need not wait for it

    middle = median_filter(sequence, size=2 * in_a_row + 1, mode="nearest")
    away = sequence - middle
    return np.where(np.abs(away) > _HAMPEL * spread(away), middle, sequence)
