"""Levelling: give equal times to ranks that differ only by the overhead of probes.

The estimated overhead is already subtracted, but the real overhead differs between ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..run.arrays import Flags, Indices, Values
from ..run.criteria import THRESHOLD
from ..run.overhead import probe_times
from ..run.selection import Selection

__all__ = ["MOST_PAID", "Prices"]

# The calibrated price is the time of the fastest round before the program starts; real entries cost more. In a test,
# six tiny functions called each other, with 113 million entries on each of two ranks that shared two busy cores. A
# throttled entry took 8 to 20 ns at a price of 2.7 to 5.1 ns. Ranks differed by up to 1.7 times the price, and in one
# of 77 runs by 2.9 times.
_SPREAD: Final = 2.0  # a difference below this multiple of an overhead that all ranks share is an error of the price
MOST_PAID: Final = 3.0  # a difference below this multiple of one rank's overhead may be an error of the price


@dataclass(frozen=True)
class Prices:
    """Overhead of probes, and times without this overhead, per program and region, in exclusive seconds.

    Attributes:
        least: ``float64[2, program, region]``: the smallest overhead of any rank, and the shortest time of any rank.
        most: ``float64[2, program, region]``: the largest overhead of any rank, and the longest time of any rank.
        total: ``float64[program, region]``: the sum of the times over the ranks.
        ranks: ``int[program]``: the number of ranks.
    """

    least: Values
    most: Values
    total: Values
    ranks: Indices

    @classmethod
    def of(cls, selection: Selection, exclusive: Values, programs: int) -> Prices:
        """Compute the overhead and the times of the given ranks.

        Args:
            selection: The ranks.
            exclusive: Times of call paths without the overhead of probes; ``float64[call path, location]``.
            programs: The number of programs.
        """
        times, members = selection.own_by_rank(exclusive), selection.members(programs)
        both = selection.own_by_rank(probe_times(selection.experiment)), times
        return cls(
            np.array([[rows[:, each].min(axis=1, initial=np.inf) for each in members] for rows in both]),
            np.array([[rows[:, each].max(axis=1, initial=-np.inf) for each in members] for rows in both]),
            np.array([times[:, each].sum(axis=1) for each in members]),
            np.array([len(each) for each in members]),
        )

    @classmethod
    def together(cls, parts: Sequence[Prices]) -> Prices:
        """Combine the results of several blocks of ranks."""
        return cls(
            np.min([each.least for each in parts], axis=0),
            np.max([each.most for each in parts], axis=0),
            np.sum([each.total for each in parts], axis=0),
            np.sum([each.ranks for each in parts], axis=0),
        )

    @property
    def alike(self) -> Flags:
        """Whether ranks had equal overhead, whose error may explain the difference in time: ``bool[program, region]``.

        If probes take at most 5 % of the time, which throttling ensures by default, such a difference is too small to
        separate clusters anyway.
        """
        (least_paid, shortest), (most_paid, longest) = self.least, self.most
        same = (most_paid > 0) & (most_paid - least_paid <= THRESHOLD * most_paid)
        return np.asarray(same & (longest - shortest <= _SPREAD * least_paid))

    def levelling(self, selection: Selection, exclusive: Values) -> Values:
        """Return the seconds to add to inclusive times, so that ranks have equal exclusive times in ``alike`` regions.

        Args:
            selection: Some of the ranks.
            exclusive: The ranks' times, as in ``of``.

        Returns:
            ``float64[region, rank]``.
        """
        times, alike = selection.own_by_rank(exclusive), self.alike
        change = np.zeros_like(times)
        for program, columns in enumerate(selection.members(len(self.ranks))):
            mean = self.total[program] / max(1, self.ranks[program])
            change[:, columns] = np.where(alike[program][:, None], mean[:, None] - times[:, columns], 0.0)
        for index in reversed(range(len(selection.regions))):
            change[index] += change[list(selection.regions[index].children)].sum(axis=0)
        return change
