"""The share of compute time that cache misses cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...experiment.prices import Prices
from ..account.computing import is_walk
from ..run.arrays import Flags, Values, ratio
from ..run.criteria import CRITERIA
from ..run.selection import Selection, complete
from .attributes import Attribute

__all__ = ["Misses"]


@dataclass(frozen=True)
class Misses:
    """The time that each region's misses may take; ``float64[region]`` each.

    Attributes:
        computing: Compute time in seconds.
        most: Miss rate → the seconds that its misses take if the core waits for each of them.
        executed: Instructions per rank; None if they were not counted.
        cycle: Seconds per cycle, as counted; None if cycles were not counted.
        is_walk: Whether there are no more misses than in sequential access.
        prices: The machine's calibrated prices.
    """

    computing: Values
    most: Mapping[str, Values]
    executed: Values | None
    cycle: Values | None
    is_walk: Flags
    prices: Prices

    @classmethod
    def of(cls, ranks: Selection, attributes: Mapping[str, Attribute], computing: Values) -> Misses:
        """Compute the possible time of misses from their counts."""
        rates = {name: each for name, each in attributes.items() if each.is_rate}
        prices = Prices.of(ranks.experiment.notes.prices)
        missed = {name: each.amounts / len(ranks.ranks) for name, each in rates.items()}
        most = {name: CRITERIA.miss * each for name, each in missed.items()}
        data, counted = rates.get("l1_miss_rate"), attributes.get("instructions")
        cycles = next((each for each in ("cycles", "ref_cycles") if complete(ranks.experiment, each)), None)
        walks = is_walk(data.amounts, data.bases) if data else np.zeros(len(computing), dtype=bool)
        if {*rates} == {"l1_miss_rate", "l2_miss_rate"} and prices.l1_miss_chased and prices.l2_miss_chased:
            first, second = missed.values()
            together = max(Counter((each.machine, each.node) for each in ranks.experiment.locations).values())
            at_once = min(together, ranks.experiment.notes.processors or together)
            line = min(at_once * (prices.memory_streamed or CRITERIA.miss), prices.l2_miss_chased)
            most["l2_miss_rate"] = second * np.where(walks, line, prices.l2_miss_chased)
            most["l1_miss_rate"] = np.maximum(first - second, 0.0) * prices.l1_miss_chased + most["l2_miss_rate"]
        spent = ranks.sums(cycles) / len(ranks.ranks) if cycles else None
        return cls(
            computing,
            most,
            counted.amounts / len(ranks.ranks) if counted else None,
            None if spent is None else ratio(computing, spent),
            walks,
            prices,
        )

    def seconds(self) -> dict[str, Values]:
        """Map each miss rate to the seconds of its misses: time that instructions do not explain, at most ``most``."""
        stalled = self._beyond(np.where(self.is_walk, CRITERIA.dependent, CRITERIA.swift))
        return {name: np.minimum(stalled, each) for name, each in self.most.items()}

    def avoidable(self) -> Values:
        """Return the estimated saving from avoiding all misses, in seconds: ``float64[region]``.

        This is the mean of two estimates: one if each instruction waits for the previous one, and one if none does.
        """
        swift, dependent = self.prices.instruction_independent, self.prices.instruction_dependent
        if self.executed is not None and swift and dependent:
            bounds = [np.maximum(self.computing - price * self.executed, 0.0) for price in (swift, dependent)]
        else:
            bounds = [self._beyond(np.array(each)) for each in (CRITERIA.swift, CRITERIA.dependent)]
        most = np.max([*self.most.values(), np.zeros_like(self.computing)], axis=0)
        return np.asarray(sum(np.minimum(each, most) for each in bounds) / len(bounds))

    def _beyond(self, cycles: Values) -> Values:
        """Return the compute time beyond the given cycles per instruction; all of it if they were not counted."""
        if self.cycle is None or self.executed is None:
            return self.computing
        return np.maximum(self.computing - cycles * self.cycle * self.executed, 0.0)
