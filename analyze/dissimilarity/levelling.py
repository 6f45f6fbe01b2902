"""Ranks are levelled where only the price of probes parts them.

What probes took is off the times already, as an estimate, and ranks do not pay the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ..overhead import probe_times
from ..selection import Selection

__all__ = ["MOST_PAID", "levelling"]

_Values = npt.NDArray[np.float64]

# The price is that of the fastest of some rounds before the program starts. Six functions of a few instructions that
# call each other, 113 million entries on each of two ranks that shared two busy processors, paid two to four times as
# much (8 to 20 ns for a throttled entry, price 2.7 to 5.1); ranks differed by up to 1.7 times it, once in 77 runs by
# 2.9.
_SPREAD: Final = 2.0  # of what all ranks paid: a difference that is no larger is one of prices
_ALIKE: Final = 0.1  # of what is paid: ranks that differ by no more have entered regions equally often
MOST_PAID: Final = 3.0  # of what one rank paid: a difference that is no larger may be one of prices


def levelling(selection: Selection, exclusive: _Values, groups: Sequence[Sequence[int]]) -> _Values:
    """Give what is to be added to the times of regions, with those below them; ``float64[region, rank]``.

    Args:
        selection: The regions and ranks.
        exclusive: Times of call paths without what probes took; ``float64[call path, location]``.
        groups: Columns that are compared with each other.
    """
    own, probes = (selection.own_by_rank(each) for each in (exclusive, probe_times(selection.experiment)))
    change = _of_each_alone(own, probes, groups)
    for index in reversed(range(len(selection.regions))):
        change[index] += change[list(selection.regions[index].children)].sum(axis=0)
    return change


def _of_each_alone(values: _Values, probes: _Values, groups: Sequence[Sequence[int]]) -> _Values:
    """Give ranks that paid equally much, and differ by no more than the errors of the price, their mean.

    In each row; otherwise none is changed. Where probes take the 5 % that throttling allows by default, clusters allow
    as much anyway.
    """
    change = np.zeros_like(values)
    for columns in map(list, groups):
        times, paid = values[:, columns], probes[:, columns]
        least, most = paid.min(axis=1), paid.max(axis=1)
        alike = (most > 0) & (most - least <= _ALIKE * most) & (np.ptp(times, axis=1) <= _SPREAD * least)
        change[:, columns] = np.where(alike[:, None], times.mean(axis=1, keepdims=True) - times, 0.0)
    return change
