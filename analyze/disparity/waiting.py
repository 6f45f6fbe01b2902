"""Regions that wait in MPI, and the imbalance that makes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ..dissimilarity.dissimilarity import Dissimilarity
from ..dissimilarity.performance import Performance
from ..selection import Selection, complete

__all__ = ["late_cores", "waiting_times"]

Values = npt.NDArray[np.float64]

# Correlation of the ranks' times, as who computes longer waits less: to name for whom, to call all of it waiting.
_LATE: Final = -0.5
_WAITING: Final = -0.9
_EXPLAINED: Final = 0.1  # of the difference in MPI, that the ranks' times must differ by: they may take turns
_SPREAD: Final = 0.25  # of the mean time in MPI, by which the ranks must differ


def waiting_times(selection: Selection) -> Values:
    """Give the part of each region's time in MPI that is waiting for ranks that compute longer; ``float64[region]``.

    A mean over the ranks, in seconds: what they spend there more than the rank that spends least, if that falls as the
    time rises that they compute in the whole program. 0 where it does not, or times were not measured.
    """
    experiment = selection.experiment
    if not all(complete(experiment, each) for each in ("mpi_time", "cpu_time", "mpi_cpu_time")):
        return np.zeros(len(selection.regions))
    in_mpi = selection.by_rank(experiment.exclusive("mpi_time"))
    compute = Performance.selected(selection).values[list(selection.top)].sum(axis=0)
    over = in_mpi.mean(axis=1) - in_mpi.min(axis=1)
    return np.where(_falls(in_mpi, compute, _WAITING), over, 0.0)


def late_cores(
    waiting: Sequence[int], found: Dissimilarity, performance: Performance, selection: Selection
) -> dict[int, int]:
    """Give for each region that waits the core whose slower ranks it waits for, where there is one.

    Ranks that are done early wait long. Where they do, it is the core whose time varies the most against the time in
    MPI calls of the region, by their covariance over the ranks.

    Args:
        waiting: Positions of regions that spend their time in MPI without volume.
        found: Regions that part the ranks.
        performance: Their times.
        selection: The same ranks and regions.
    """
    if not found.cccr or performance.metric == "mpi_bytes" or not complete(selection.experiment, "mpi_time"):
        return {}
    in_mpi = selection.by_rank(selection.experiment.exclusive("mpi_time"))
    cores = list(found.cccr)
    times = performance.values[cores] - performance.values[cores].mean(axis=1, keepdims=True)
    waits = _falls(in_mpi, performance.values[list(performance.top)].sum(axis=0), _LATE)
    late = {}
    for region in waiting:
        together = times @ in_mpi[region]
        if waits[region] and together.min() < 0:
            late[region] = cores[int(together.argmin())]
    return late


def _falls(in_mpi: Values, times: Values, most: float) -> npt.NDArray[np.bool_]:
    """Whether rows of times in MPI differ over the ranks, and correlate with others by at most that; ``bool[row]``."""
    one = in_mpi - in_mpi.mean(axis=1, keepdims=True)
    other = times - times.mean()
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other)
    correlation = np.divide(one @ other, lengths, out=np.zeros(len(one)), where=lengths > 0)
    apart = np.ptp(in_mpi, axis=1)
    matters = (apart >= _SPREAD * in_mpi.mean(axis=1)) & (np.ptp(times) >= _EXPLAINED * apart)
    return np.asarray((correlation <= most) & matters)
