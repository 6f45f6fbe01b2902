"""Outliers (Iglewicz and Hoaglin 1993), and the noise of a sequence.

By medians, which outliers themselves hardly move.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from .arrays import Values

__all__ = ["FAR", "NORMAL", "noise_level", "spread", "steepness", "without_outliers"]

FAR: Final = 3.5  # spreads from the median on, a value is an outlier

NORMAL: Final = 1.4826  # standard deviations of normal values in their median absolute deviation

_HAMPEL: Final = 3.0  # spreads from the running median on, a value of a sequence is replaced

_SECOND: Final = 6**0.5  # deviation of the second differences of white noise over that of the noise
_LEAST: Final = 1e-3  # of the range: a lower noise is not resolved, however clean a sequence is
_BESIDE: Final = 2  # samples on either side, whose means are compared


def spread(values: Values) -> Values:
    """Return the standard deviation of values without outliers, ``float64[…]`` of ``float64[point, …]``.

    By the median absolute deviation; by the mean one where more than half of the values are equal.
    """
    away = np.abs(values - np.median(values, axis=0))
    middle = NORMAL * np.median(away, axis=0)
    return np.asarray(np.where(middle > 0, middle, away.mean(axis=0)))


def without_outliers(sequence: Values, *, in_a_row: int) -> Values:
    """Replace values far from the running median by it (Hampel's filter), which keeps steps in place.

    Args:
        sequence: ``float64[n]``.
        in_a_row: As many as this that are far off vanish; more are no outliers.
    """
    from scipy.ndimage import median_filter  # noqa: PLC0415 - whoever asks for ``NORMAL`` alone need not wait for it

    middle = median_filter(sequence, size=2 * in_a_row + 1, mode="nearest")
    away = sequence - middle
    return np.where(np.abs(away) > _HAMPEL * spread(away), middle, sequence)


def noise_level(values: Values) -> float:
    """Return the standard deviation of noise, from second differences, which trends and steps hardly affect.

    At least a thousandth of the range; 0 of a constant sequence.
    """
    least = _LEAST * float(np.ptp(values))
    if len(values) < 3:
        return least
    return max(NORMAL / _SECOND * float(np.median(np.abs(np.diff(values, 2)))), least)


def steepness(values: Values) -> Values:
    """Return for each sample the difference of adjacent means, in standard deviations of the noise."""
    noise = noise_level(values)
    if noise == 0:
        return np.zeros(len(values))
    padded = np.pad(values, _BESIDE, mode="edge")
    before = sum(padded[k : k + len(values)] for k in range(_BESIDE)) / _BESIDE
    after = sum(padded[_BESIDE + 1 + k : _BESIDE + 1 + k + len(values)] for k in range(_BESIDE)) / _BESIDE
    steep: Values = np.abs(after - before) / noise
    return steep
