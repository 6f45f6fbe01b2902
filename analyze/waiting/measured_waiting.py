"""Waiting that was measured by a barrier before each collective; it replaces the estimate from ordinary runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment.metric import MPI_WAIT
from ..run.costs import MOSTLY
from ..run.selection import Selection, complete, over_ranks
from .waiting import Waiting

__all__ = ["with_measured"]

_ITSELF: Final = ("mpi_barrier_time", "mpi_collective_time")


def with_measured(waiting: Waiting, weighed: Selection) -> Waiting:
    """Replace the estimate with measured waiting if most of a region's time in MPI is in collectives.

    In other regions, with sends and receives, the estimate is kept, but is at least the measured value. Even without
    waiting, a barrier takes time on all ranks, but no longer than the collectives themselves. So waiting is the time of
    barriers minus the collectives' time, or minus the shortest barrier time of any rank, whichever leaves more. It is
    divided among the same culprits as the estimate.

    Args:
        waiting: The estimate.
        weighed: The ranks and regions of the estimate.
    """
    experiment, estimated = weighed.experiment, waiting.seconds
    if not all(complete(experiment, each) for each in (MPI_WAIT.name, *_ITSELF, "mpi_time")):
        return waiting
    barriers, in_mpi, *themselves = (
        weighed.sums(each) / len(weighed.ranks) for each in (MPI_WAIT.name, "mpi_time", *_ITSELF)
    )
    collectives = np.sum(themselves, axis=0)
    least = np.min([*over_ranks(weighed, _least)], axis=0)
    measured = barriers - np.minimum(collectives, least)
    split = barriers + collectives >= MOSTLY * in_mpi
    seconds = np.where(split, measured, np.maximum(measured, estimated))
    factor = np.divide(seconds, estimated, out=np.ones(len(seconds)), where=estimated > 0)
    shares = {
        region: {late: float(time * factor[region]) for late, time in each.items()}
        for region, each in waiting.shares.items()
        if seconds[region] > 0
    }
    return replace(waiting, seconds=seconds, shares=shares)


def _least(selection: Selection) -> npt.NDArray[np.float64]:
    """Return the shortest time of any rank in barriers; ``float64[region]``."""
    return np.asarray(selection.by_rank(selection.experiment.exclusive(MPI_WAIT.name)).min(axis=1))
