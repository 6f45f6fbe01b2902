"""Attributes that may cause a bottleneck: miss rates, volumes, instructions (Liu et al. 2011, 4.1 and 4.4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment
from ..run.arrays import Values, ratio
from ..run.selection import Selection, complete

__all__ = ["ATTRIBUTES", "LEAST_RATE", "MISS_RATES", "Attribute", "attributes_of", "lacking"]

# Attribute → the counted metric and, for a rate, the metric that it is divided by.
ATTRIBUTES: Final[dict[str, tuple[str, str | None]]] = {
    "l1_miss_rate": ("l1_misses", "l1_accesses"),
    "l2_miss_rate": ("l2_misses", "l2_accesses"),
    "io_bytes": ("io_bytes", None),
    "mpi_bytes": ("mpi_bytes", None),
    "instructions": ("instructions", None),
}

MISS_RATES: Final = ("l1_miss_rate", "l2_miss_rate")
LEAST_RATE: Final = 0.01  # misses per access; a lower rate counts as 0

_IDLE: Final = 0.01  # share of the ranks' mean accesses; for a rank with fewer accesses, a rate is meaningless


@dataclass(frozen=True)
class Attribute:
    """One attribute of every region, inclusive; values of single ranks are read on demand.

    Attributes:
        name: One of ``ATTRIBUTES``, or a counted event.
        selection: The regions, and the ranks.
        metrics: The counted metric, and the metric that it is divided by; the latter is None unless the attribute is a
            rate.
        amounts: ``float64[region]``: misses, bytes or instructions of all ranks.
        bases: ``float64[region]``: for a rate, the accesses that the misses are divided by; otherwise the amounts.
    """

    name: str
    selection: Selection
    metrics: tuple[str, str | None]
    amounts: Values
    bases: Values
    _known: dict[tuple[str, int], Values] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, name: str, selection: Selection) -> Attribute:
        """Sum an attribute's counts over all ranks.

        Args:
            name: One of ``ATTRIBUTES``.
            selection: The regions, and the ranks.
        """
        counted, accesses = ATTRIBUTES[name]
        amounts = selection.sums(counted)
        return cls(name, selection, (counted, accesses), amounts, selection.sums(accesses) if accesses else amounts)

    @property
    def is_rate(self) -> bool:
        """Whether the attribute is a rate rather than an amount."""
        return self.metrics[1] is not None

    @cached_property
    def of_regions(self) -> Values:
        """The rate, or the sum, of each region over all ranks; ``float64[region]``."""
        return self._together(self.amounts, self.bases)

    @cached_property
    def of_program(self) -> float:
        """The rate, or the sum, over all regions and ranks."""
        top = list(self.selection.top)
        return float(self._together(self.amounts[top].sum(), self.bases[top].sum()))

    @cached_property
    def of_the_rest(self) -> Values:
        """The rate, or the sum, of all code outside each region, over all ranks; ``float64[region]``."""
        top = list(self.selection.top)
        amount = self.amounts[top].sum() - self.amounts
        return self._together(amount, self.bases[top].sum() - self.bases)

    def amount(self, regions: Sequence[int]) -> Values:
        """Return the misses, bytes or instructions of each rank in the given regions; ``float64[region, rank]``."""
        return self._rows(self.metrics[0], regions)

    def base(self, regions: Sequence[int]) -> Values:
        """Return each rank's accesses in the given regions, or its amounts if not a rate; ``float64[region, rank]``."""
        return self._rows(self.metrics[1] or self.metrics[0], regions)

    def of_ranks(self, region: int) -> Values:
        """Return a region's rate or amount on each rank, ``float64[rank]``.

        A rank with almost no accesses in the region has no meaningful rate, and gets the rate over all ranks.
        """
        amount = self.amount([region])[0]
        if not self.is_rate:
            return np.asarray(amount)
        base = self.base([region])[0]
        idle = base <= _IDLE * base.mean()
        return np.asarray(np.where(idle, ratio(amount.sum(), base.sum()), ratio(amount, base)))

    def of_members(self, regions: Sequence[int], members: Sequence[int]) -> float:
        """Return the rate of the given ranks in the given regions; for an amount, the mean over these ranks."""
        amount, base = (rows[:, list(members)].sum(axis=0) for rows in (self.amount(regions), self.base(regions)))
        return float(ratio(amount.sum(), base.sum()) if self.is_rate else amount.mean())

    def _rows(self, metric: str, regions: Sequence[int]) -> Values:
        for region in regions:
            if (metric, region) not in self._known:
                self._known[metric, region] = self.selection.rows(metric, [region])[0]
        return np.array([self._known[metric, region] for region in regions])

    def _together(self, amount: npt.ArrayLike, base: npt.ArrayLike) -> Values:
        return ratio(amount, base) if self.is_rate else np.asarray(amount, dtype=np.float64)


def attributes_of(selection: Selection) -> dict[str, Attribute]:
    """Return the available attributes, in the order of ``ATTRIBUTES``."""
    missing = lacking(selection.experiment)
    return {name: Attribute.of(name, selection) for name in ATTRIBUTES if name not in missing}


def lacking(experiment: Experiment) -> tuple[str, ...]:
    """Return the unavailable attributes: those with a metric that does not exist or has missing values."""
    return tuple(
        name for name, metrics in ATTRIBUTES.items() if not all(complete(experiment, each) for each in metrics if each)
    )
