"""Outliers (Iglewicz and Hoaglin 1993), and the noise of a sequence; both use medians, which outliers hardly affect."""

from __future__ import annotations

from typing import Final

import numpy as np

from .arrays import Values

__all__ = ["FAR", "NORMAL", "noise_level", "spread", "steepness", "without_outliers"]

FAR: Final = 3.5  # distance from the median, as a multiple of the spread, at which a value is an outlier

NORMAL: Final = 1.4826  # ratio of the standard deviation to the median absolute deviation, for a normal distribution

_HAMPEL: Final = 3.0  # distance from the running median, as a multiple of the spread, beyond which a value is replaced

_SECOND: Final = 6**0.5  # standard deviation of the second differences of white noise, relative to that of the noise
_LEAST: Final = 1e-3  # smallest noise, as a share of the range
_BESIDE: Final = 2  # number of neighbouring samples on each side of a sample; their means are compared


def spread(values: Values) -> Values:
    """Return a robust estimate of the standard deviation; ``float64[…]`` for ``float64[point, …]``.

    The result is derived from the median absolute deviation, or from the mean absolute deviation if more than half of
    the values are equal.
    """
    away = np.abs(values - np.median(values, axis=0))
    middle = NORMAL * np.median(away, axis=0)
    return np.asarray(np.where(middle > 0, middle, away.mean(axis=0)))


def without_outliers(sequence: Values, *, in_a_row: int) -> Values:
    """Replace values far from the running median by this median (Hampel's filter), which keeps steps in place.

    Args:
        sequence: ``float64[n]``.
        in_a_row: Largest number of consecutive far values that are replaced; longer sequences are not outliers.
    """
    from scipy.ndimage import median_filter  # noqa: PLC0415 - slow, and not needed for ``NORMAL``

    middle = median_filter(sequence, size=2 * in_a_row + 1, mode="nearest")
    away = sequence - middle
    return np.where(np.abs(away) > _HAMPEL * spread(away), middle, sequence)


def noise_level(values: Values) -> float:
    """Return the standard deviation of noise, from second differences, which trends and steps hardly affect.

    The result is at least a thousandth of the range, and 0 for a constant sequence.
    """
    least = _LEAST * float(np.ptp(values))
    if len(values) < 3:
        return least
    return max(NORMAL / _SECOND * float(np.median(np.abs(np.diff(values, 2)))), least)


def steepness(values: Values) -> Values:
    """Return the difference between the means on both sides of each sample, in standard deviations of the noise.

    Both the argument and the result are ``float64[sample]``.
    """
    noise = noise_level(values)
    if noise == 0:
        return np.zeros(len(values))
    padded = np.pad(values, _BESIDE, mode="edge")
    before = sum(padded[k : k + len(values)] for k in range(_BESIDE)) / _BESIDE
    after = sum(padded[_BESIDE + 1 + k : _BESIDE + 1 + k + len(values)] for k in range(_BESIDE)) / _BESIDE
    steep: Values = np.abs(after - before) / noise
    return steep
