"""What can be the cause of a bottleneck: miss rates, volumes, instructions (paper 001, sections 4.1 and 4.4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from ..experiment import Experiment
from .selection import Selection, complete

__all__ = [
    "ABOVE",
    "ATTRIBUTES",
    "BYTES_PER_SECOND",
    "LATENCY",
    "LEAST_PART",
    "LEAST_RATE",
    "STREAM",
    "Attribute",
    "attributes_of",
    "lacking",
    "per_data_access",
]

Values = npt.NDArray[np.float64]

# Attribute → what is counted, and of what it is a rate (definitions 16).
ATTRIBUTES: Final[dict[str, tuple[str, str | None]]] = {
    "l1_miss_rate": ("l1_misses", "l1_accesses"),
    "l2_miss_rate": ("l2_misses", "l2_accesses"),
    "io_bytes": ("io_bytes", None),
    "mpi_bytes": ("mpi_bytes", None),
    "instructions": ("instructions", None),
}

# A rate is higher than another from here on, times the other (definitions 17).
ABOVE: Final = 1.25

# Misses among data accesses that are more than those of a walk through consecutive numbers of 8 bytes, in lines of 64.
STREAM: Final = ABOVE / 8

# What is not worth it (definitions 17): a part of the program's accesses or instructions; a miss rate; and volume that
# goes by in no time at a rate which disks and networks surpass.
LEAST_PART: Final = 0.01
LEAST_RATE: Final = 0.01
BYTES_PER_SECOND: Final = 100e6

# Seconds that an access takes at least which the first cache does not serve but the second; and the second neither.
LATENCY: Final = {"l1_miss_rate": 4e-9, "l2_miss_rate": 40e-9}

_IDLE: Final = 0.01  # of the mean accesses of a rank: too few to speak of a rate


@dataclass(frozen=True)
class Attribute:
    """One attribute of every region on every rank, inclusive.

    Attributes:
        name: One of ``ATTRIBUTES``.
        amount: ``float64[region, rank]``: misses, bytes or instructions.
        accesses: ``float64[region, rank]``: of which the misses are a rate; None if it is no rate.
        top: Positions of the 1-code regions, which add up to the program.
    """

    name: str
    amount: Values
    accesses: Values | None
    top: tuple[int, ...]

    @property
    def base(self) -> Values:
        """What tells whether a region does enough of it to matter: the accesses of a rate, else the amount."""
        return self.amount if self.accesses is None else self.accesses

    @cached_property
    def parts(self) -> Values:
        """Part of each region in the program's accesses, bytes or instructions; ``float64[region]``."""
        return _ratio(self.base.sum(axis=1), self.base[list(self.top)].sum())

    @cached_property
    def of_regions(self) -> Values:
        """All ranks together, ``float64[region]``: the rate, or the sum."""
        return self._together(self.amount.sum(axis=1), self.base.sum(axis=1))

    @cached_property
    def most_often(self) -> Values:
        """The highest rate of any rank, ``float64[region]``."""
        return np.array([self.of_ranks(region).max() for region in range(len(self.amount))])

    @cached_property
    def of_program(self) -> float:
        """All regions and ranks together: the rate, or the sum."""
        top = list(self.top)
        return float(self._together(self.amount[top].sum(), self.base[top].sum()))

    @cached_property
    def of_the_rest(self) -> Values:
        """All ranks together, ``float64[region]``: the rate, or the sum, of what is outside of each region."""
        top = list(self.top)
        amount = self.amount[top].sum() - self.amount.sum(axis=1)
        return self._together(amount, self.base[top].sum() - self.base.sum(axis=1))

    def of_ranks(self, region: int) -> Values:
        """Give a region's rate or amount on each rank, ``float64[rank]``.

        A rank that has next to no accesses there has no rate; that of all ranks stands for it.
        """
        amount, base = self.amount[region], self.base[region]
        if self.accesses is None:
            return np.asarray(amount)
        idle = base <= _IDLE * base.mean()
        return np.asarray(np.where(idle, _ratio(amount.sum(), base.sum()), _ratio(amount, base)))

    def of_members(self, regions: list[int], members: list[int]) -> float:
        """Give the rate of some ranks in some regions, or the mean of their amounts."""
        cells = np.ix_(regions, members)
        amount, base = self.amount[cells].sum(axis=0), self.base[cells].sum(axis=0)
        return float(amount.mean() if self.accesses is None else _ratio(amount.sum(), base.sum()))

    def _together(self, amount: npt.ArrayLike, base: npt.ArrayLike) -> Values:
        return np.asarray(amount, dtype=np.float64) if self.accesses is None else _ratio(amount, base)


def attributes_of(selection: Selection) -> dict[str, Attribute]:
    """Give the attributes that can be had, in the order of ``ATTRIBUTES``."""
    experiment = selection.experiment
    missing = lacking(experiment)
    found = {}
    for name, (amount, accesses) in ATTRIBUTES.items():
        if name not in missing:
            counted = selection.by_rank(experiment.exclusive(amount))
            base = selection.by_rank(experiment.exclusive(accesses)) if accesses else None
            found[name] = Attribute(name, counted, base, selection.top)
    return found


def per_data_access(attribute: Attribute, attributes: Mapping[str, Attribute]) -> Attribute:
    """Relate misses to all data accesses; where these were not counted, to those of the attribute's own cache."""
    return replace(attribute, accesses=attributes.get("l1_miss_rate", attribute).base)


def lacking(experiment: Experiment) -> tuple[str, ...]:
    """Name the attributes that can't be had: of a metric that is not there, or has missing values."""
    return tuple(
        name for name, metrics in ATTRIBUTES.items() if not all(complete(experiment, each) for each in metrics if each)
    )


def _ratio(amount: npt.ArrayLike, base: npt.ArrayLike) -> Values:
    """Divide; 0 where there is nothing to divide by."""
    above, below = np.broadcast_arrays(np.asarray(amount, dtype=np.float64), np.asarray(base, dtype=np.float64))
    return np.asarray(np.divide(above, below, out=np.zeros_like(above), where=below > 0))
