"""How much of a sequence is noise."""

from __future__ import annotations

from typing import Final

import numpy as np

from ..arrays import Values
from ..outliers import NORMAL

__all__ = ["noise_level", "steepness"]

_SECOND: Final = 6**0.5  # deviation of the second differences of white noise over that of the noise
_LEAST: Final = 1e-3  # of the range: less is not told apart, however clean a sequence is
_BESIDE: Final = 2  # samples on either side, whose means are compared


def noise_level(values: Values) -> float:
    """Give the standard deviation of noise, by the median of second differences, which trends and steps leave alone.

    At least a thousandth of the range; 0 of a constant sequence.
    """
    least = _LEAST * float(np.ptp(values))
    if len(values) < 3:
        return least
    return max(NORMAL / _SECOND * float(np.median(np.abs(np.diff(values, 2)))), least)


def steepness(values: Values) -> Values:
    """Tell of each sample by how many deviations of the noise the means beside it differ: 0 where nothing happens."""
    noise = noise_level(values)
    if noise == 0:
        return np.zeros(len(values))
    padded = np.pad(values, _BESIDE, mode="edge")
    before = sum(padded[k : k + len(values)] for k in range(_BESIDE)) / _BESIDE
    after = sum(padded[_BESIDE + 1 + k : _BESIDE + 1 + k + len(values)] for k in range(_BESIDE)) / _BESIDE
    steep: Values = np.abs(after - before) / noise
    return steep
