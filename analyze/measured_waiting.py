"""Waiting that a run with a barrier before each collective measured, in place of what is estimated of other runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from ..experiment.metric import MPI_WAIT
from .selection import Selection, complete
from .waiting import Waiting

__all__ = ["with_measured"]

_SPLIT: Final = (MPI_WAIT.name, "mpi_barrier_time", "mpi_collective_time")
_MOST: Final = 0.5  # of the time in MPI: a region with as much of it in collectives says what it measured


def with_measured(waiting: Waiting, weighed: Selection) -> Waiting:
    """Put what was measured in the place of the estimate where most of a region's time in MPI is in collectives.

    In other regions, of sends and receives, the estimate stands, but for less than what was measured.

    Args:
        waiting: What is estimated.
        weighed: The ranks and regions that it is of.
    """
    experiment, estimated = weighed.experiment, waiting.seconds
    if not all(complete(experiment, each) for each in (*_SPLIT, "mpi_time")):
        return waiting
    measured, *others = (weighed.sums(each) for each in _SPLIT)
    in_mpi, ranks = weighed.sums("mpi_time"), len(weighed.ranks)
    collective = measured + np.sum(others, axis=0) >= _MOST * in_mpi
    measured = measured / ranks
    return replace(waiting, seconds=np.where(collective, measured, np.maximum(measured, estimated)))
