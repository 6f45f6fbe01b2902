"""Find the master: a rank that computes almost nothing because it hands out work to the other ranks."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np

from ..run.criteria import THRESHOLD
from ..run.selection import complete
from .rank_vectors import RankVectors

__all__ = ["find_master"]

_FEWEST: Final = 3  # smallest number of ranks; with two ranks, both take part in all messages


def find_master(vectors: RankVectors, include: Collection[int]) -> int | None:
    """Return the column of the master; None if there is none.

    A master computes less than a tenth of the other ranks' mean, and takes part in nearly all of their messages. The
    second condition is met if the master's number of MPI calls is at least halfway between the mean and the sum over
    the other ranks. A rank that merely has no work makes only as many calls as any other rank.

    Args:
        vectors: The vectors that were compared.
        include: Ranks that never count as a master.
    """
    ranks = len(vectors.ranks)
    experiment = vectors.experiment
    is_known = vectors.metric == "compute_time" and not vectors.threads and complete(experiment, "mpi_calls")
    if not is_known or ranks < _FEWEST or len(vectors.groups) > 1:
        return None
    top = list(vectors.top)
    computing = vectors.values[top].sum(axis=0)
    column = int(computing.argmin())
    calls = vectors.selection.rows("mpi_calls", top).sum(axis=0)
    others = float(np.delete(calls, column).sum())
    halfway = others * (1 + 1 / (ranks - 1)) / 2
    idle = computing[column] < THRESHOLD * np.delete(computing, column).mean()
    if not idle or not others or calls[column] < halfway or vectors.ranks[column] in include:
        return None
    return column
