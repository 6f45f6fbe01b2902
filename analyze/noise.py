"""How far chance parts the times that ranks take for the same work, as a run itself tells."""

from __future__ import annotations

from math import sqrt
from typing import Final

import numpy as np

from .arrays import Values
from .criteria import CRITERIA, THRESHOLD
from .outliers import NORMAL

__all__ = ["noise_of_times", "part_by_noise"]

_REGIONS: Final = 4  # with fewer, a fault in one of them would pass for noise


def noise_of_times(times: Values) -> float | None:
    """Estimate the standard deviation of times of equal work, relative to them; None where too few rows take time.

    Most regions have no fault. Ranks differ by what is the same in all regions, as one of them is slower everywhere,
    and by chance: the median size of what is left tells how much that is. Each is compared with the next one in the
    order of what they do, and how long it takes: so those of a program, or with a fault in common, stand together,
    however ranks are numbered.

    Args:
        times: ``float64[row, rank]``, each row of a region alone; in seconds. Rows that lack a value are left out.
    """
    middle = _median(times.T)[:, None]
    telling = middle[:, 0] >= CRITERIA.resolution  # not of what is no number
    if telling.sum() < _REGIONS or times.shape[1] < 2:
        return None
    relative = times[telling] / middle[telling]
    apart = np.diff(relative[:, np.lexsort((*relative, relative.sum(axis=0), *(relative > 0)))], axis=1)
    left = apart - _median(apart)
    hidden = 1 - 1 / len(apart)  # as the median of few regions is close to each of them
    return NORMAL * float(_median(np.abs(left).ravel())) / sqrt(2) / hidden


def _median(values: Values) -> Values:
    """Give the median along the first axis; ``np.median`` imports numpy.ma, which takes as long as a small analysis."""
    ordered = np.sort(values, axis=0)
    return np.asarray((ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]) / 2)


def part_by_noise(deviation: float | None) -> float:
    """Give by what part of a time ranks may be apart, and have done equal work.

    Args:
        deviation: What ``noise_of_times`` has found.
    """
    if deviation is None:
        return CRITERIA.unknown_noise
    return max(THRESHOLD, min(CRITERIA.noise * deviation, CRITERIA.most_noise))
