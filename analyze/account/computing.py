"""CPU time that is computing, and the counts taken during it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment
from ..run.arrays import Flags, ratio
from ..run.criteria import CRITERIA, THRESHOLD
from ..run.selection import complete
from ..run.summary import summary

__all__ = ["Counted", "is_walk"]

Values = npt.NDArray[np.float64]

_OTHERS: Final = ("mpi_cpu_time", "io_cpu_time", "omp_cpu_time", "system_time")
_COUNTS: Final = ("instructions", "l1_misses", "l2_misses")


def is_walk(misses: Values, accesses: Values) -> Flags:
    """Return where the rate of L1 misses is no higher than in sequential access (a walk)."""
    return np.asarray((1 - THRESHOLD) * ratio(misses, accesses) < CRITERIA.part)


@dataclass(frozen=True)
class Counted:
    """How computing and its counts are derived from metrics, the same for each block of an experiment.

    Attributes:
        others: Metrics of CPU time that is not computing: MPI, file I/O, OpenMP, and other kernel time. None if CPU
            time was not measured.
        names: What was counted: ``instructions``, and misses if available.
        rates: ``float64[count, call path]``: counts per second of computing, if a rank's counts do not belong to the
            work that was timed; otherwise None.
    """

    others: tuple[str, ...] | None
    names: tuple[str, ...]
    rates: Values | None = None

    @classmethod
    def of(cls, experiment: Experiment) -> Counted:
        """Find the metrics that are available in an experiment."""
        if not complete(experiment, "cpu_time"):
            return cls(None, ())
        others = tuple(name for name in _OTHERS if complete(experiment, name))
        has_counts = complete(experiment, _COUNTS[0])
        names = tuple(name for name in _COUNTS if has_counts and complete(experiment, name))
        if not names or experiment.notes.counts_by_rank:
            return cls(others, names)
        time = summary(experiment, "cpu_time").sums - sum(summary(experiment, name).sums for name in others)
        sums = np.array([summary(experiment, name).sums for name in names])
        return cls(others, names, np.divide(sums, time, out=np.zeros_like(sums), where=time > 0))

    def time(self, part: Experiment) -> Values:
        """Return the CPU time spent computing; ``float64[call path, location]``."""
        assert self.others is not None
        found = part.exclusive("cpu_time")
        for name in self.others:
            found = found - part.exclusive(name)
        return np.maximum(found, 0.0)

    def counts(self, part: Experiment, time: Values) -> list[Values]:
        """Return each count during computing, in arrays like ``time``; L1 misses without those that also miss in L2.

        The counters also count in calls that read or write files, which are not computing. The count in these calls is
        estimated: as many events per second as in computing.
        """
        if self.rates is not None:
            found = [rate[:, None] * time for rate in self.rates]
        else:
            found = [np.maximum(part.exclusive(name), 0.0) for name in self.names]
            if "io_cpu_time" in (self.others or ()):
                in_files = np.maximum(part.exclusive("io_cpu_time"), 0.0)
                share = np.divide(time, time + in_files, out=np.ones_like(time), where=in_files > 0)
                found = [each * share for each in found]
        if self.names[1:] == _COUNTS[1:]:
            found[1] = np.maximum(found[1] - found[2], 0.0)
        return found
