"""The part of CPU time that is computing, and what was counted during this time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment
from ...experiment.prices import Prices
from ..run.arrays import Flags, ratio
from ..run.criteria import CRITERIA, THRESHOLD
from ..run.selection import complete
from ..run.summary import summary

__all__ = ["EVENTS", "MODELLED", "Counted", "is_walk"]

Values = npt.NDArray[np.float64]

_OTHERS: Final = ("mpi_cpu_time", "io_cpu_time", "omp_cpu_time", "system_time")
_COUNTS: Final = ("instructions", "l1_misses", "l2_misses")
# Event that takes longer than other instructions → the two calibrated prices that bound its time.
EVENTS: Final = {
    "divisions": ("division_independent", "division_dependent"),
    "branch_misses": ("branch_miss", "branch_miss"),
    "denormals": ("denormal", "denormal"),
}
# Simulated events that may take no time in reality: a processor may predict more branches than the simulation does, and
# some operations on denormal numbers take no longer than others.
MODELLED: Final = frozenset({"branch_misses", "denormals"})
_NO_PRICES: Final = Prices()


def is_walk(misses: Values, accesses: Values) -> Flags:
    """Return, elementwise, whether L1 misses per access are no more frequent than in sequential access (a walk)."""
    return np.asarray((1 - THRESHOLD) * ratio(misses, accesses) < CRITERIA.part)


@dataclass(frozen=True)
class Counted:
    """How computing time and its counts are derived from metrics; the same for all blocks of an experiment's locations.

    Attributes:
        others: Metrics of CPU time that is not computing: MPI, file I/O, OpenMP, and other kernel time. None if CPU
            time was not measured.
        names: Names of the counts: ``instructions``, and cache misses if they were counted.
        events: The ``EVENTS`` that were counted and calibrated, each with its lowest and highest price in seconds.
        rates: ``float64[count, call path]``: counts per second of computing, events last. Used if a rank's counts do
            not belong to the work that was timed on this rank; otherwise None.
        of_events: ``float64[event, call path]``: the price of each event in each call path; None if each event has its
            lowest price.
    """

    others: tuple[str, ...] | None
    names: tuple[str, ...]
    events: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    rates: Values | None = None
    of_events: Values | None = None

    @classmethod
    def of(cls, experiment: Experiment, prices: Prices = _NO_PRICES) -> Counted:
        """Find the metrics that are available in an experiment, and the events that have a price."""
        if not complete(experiment, "cpu_time"):
            return cls(None, ())
        others = tuple(name for name in _OTHERS if complete(experiment, name))
        has_counts = complete(experiment, _COUNTS[0])
        names = tuple(name for name in _COUNTS if has_counts and complete(experiment, name))
        priced = ((name, *(getattr(prices, each) for each in between)) for name, between in EVENTS.items())
        events = {
            name: (min(least, most), max(least, most))
            for name, least, most in priced
            if names and least and most and complete(experiment, name)
        }
        if not names or experiment.notes.counts_by_rank:
            return cls(others, names, events)
        time = summary(experiment, "cpu_time").sums - sum(summary(experiment, name).sums for name in others)
        sums = np.array([summary(experiment, name).sums for name in (*names, *events)])
        return cls(others, names, events, np.divide(sums, time, out=np.zeros_like(sums), where=time > 0))

    def time(self, part: Experiment) -> Values:
        """Return the CPU time spent computing; ``float64[call path, location]``."""
        assert self.others is not None
        found = part.exclusive("cpu_time")
        for name in self.others:
            found = found - part.exclusive(name)
        return np.maximum(found, 0.0)

    def counts(self, part: Experiment, time: Values) -> list[Values]:
        """Return each count during computing, in an array of the shape of ``time``; L1 misses exclude L2 misses.

        The counters also run during file I/O, which is not computing. The counts in file I/O are estimated, assuming as
        many events per second as in computing, and subtracted.
        """
        found = self._counted(self.names, part, time)
        if self.names[1:] == _COUNTS[1:]:
            found[1] = np.maximum(found[1] - found[2], 0.0)
        return found

    def in_events(self, part: Experiment, time: Values) -> dict[str, Values]:
        """Map each event to its computing time, in the shape of ``time``; all events together take at most ``time``."""
        prices = [least for least, _ in self.events.values()] if self.of_events is None else self.of_events[:, :, None]
        found = [count * price for count, price in zip(self.event_counts(part, time), prices, strict=True)]
        together = np.sum([np.zeros_like(time), *found], axis=0)
        factor = np.divide(time, together, out=np.ones_like(time), where=together > time)
        return {name: each * factor for name, each in zip(self.events, found, strict=True)}

    def event_counts(self, part: Experiment, time: Values) -> list[Values]:
        """Return the number of occurrences of each event during computing, each in the shape of ``time``."""
        return self._counted(tuple(self.events), part, time)

    def without_events(self, part: Experiment, time: Values) -> Values:
        """Return the computing time without the time of events, in the shape of ``time``; never negative."""
        return np.maximum(time - sum(self.in_events(part, time).values()), 0.0)

    def _counted(self, names: tuple[str, ...], part: Experiment, time: Values) -> list[Values]:
        if self.rates is not None:
            known = dict(zip((*self.names, *self.events), self.rates, strict=True))
            return [known[name][:, None] * time for name in names]
        found = [np.maximum(part.exclusive(name), 0.0) for name in names]
        if "io_cpu_time" in (self.others or ()):
            in_files = np.maximum(part.exclusive("io_cpu_time"), 0.0)
            share = np.divide(time, time + in_files, out=np.ones_like(time), where=in_files > 0)
            found = [each * share for each in found]
        return found
