"""Regions that wait in MPI, and the imbalance that makes them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .dissimilarity import Dissimilarity
from .performance import Performance
from .selection import Selection, complete

__all__ = ["late_cores"]


def late_cores(
    waiting: Sequence[int], found: Dissimilarity, performance: Performance, selection: Selection
) -> dict[int, int]:
    """Give for each region that waits the core whose slower ranks it waits for, where there is one.

    Ranks that are done early wait long: of all cores it is the one whose time varies the most against the time in
    MPI calls of the region, by their covariance over the ranks.

    Args:
        waiting: Positions of regions that spend their time in MPI without volume.
        found: Regions that part the ranks.
        performance: Their times.
        selection: The same ranks and regions.
    """
    if not found.cccr or not complete(selection.experiment, "mpi_time"):
        return {}
    in_mpi = selection.by_rank(selection.experiment.exclusive("mpi_time"))
    cores = list(found.cccr)
    times = performance.values[cores]
    times = times - times.mean(axis=1, keepdims=True)
    late = {}
    for region in waiting:
        together = times @ (in_mpi[region] - in_mpi[region].mean())
        if together.min() < 0:
            late[region] = cores[int(np.argmin(together))]
    return late
