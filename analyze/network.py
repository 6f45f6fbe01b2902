"""Ranks that compute alike, and send or receive different volumes: time in MPI calls does not tell whose they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from .attributes import BYTES_PER_SECOND
from .dissimilarity import Dissimilarity, find_dissimilarity
from .performance import Performance
from .selection import Selection, complete

__all__ = ["differing_volumes"]

_TELLING: Final = 0.05  # of the program's time that MPI must take
_APART: Final = 0.1  # of the program's time that the difference must take at ``BYTES_PER_SECOND``
_TIMES: Final = 2.5  # as much as the rank that moves least: at most twice that is what a halo's inner ranks do
_COLLECTED: Final = 0.9  # of what all others move, which a collector moves as well


def differing_volumes(selection: Selection, program_time: float) -> tuple[Performance, Dissimilarity] | None:
    """Compare the ranks by the bytes that they send and receive.

    Whoever waits for a rank that sends much spends as long in MPI as this one does, so that no time parts them.

    Args:
        selection: The ranks and regions.
        program_time: Mean W_program in seconds.

    Returns:
        The volumes and what parts the ranks by them. None if nothing does; if MPI takes little time, or the
        difference would; if no rank moves several times as much as another, for those at the rim of a domain have
        fewer neighbours; if rank 0 collects from or hands out to all others, which is what all of them do.
    """
    experiment = selection.experiment
    if not (complete(experiment, "mpi_bytes") and complete(experiment, "mpi_time")):
        return None
    in_mpi = selection.by_rank(experiment.exclusive("mpi_time"))[list(selection.top)].sum(axis=0).mean()
    if in_mpi < _TELLING * program_time:
        return None
    performance = Performance.selected(selection, metric="mpi_bytes")
    found = find_dissimilarity(performance, floor=_APART * program_time * BYTES_PER_SECOND)
    moved = performance.values[list(performance.top)].sum(axis=0)
    if not found.cccr or moved.max() < _TIMES * moved.min() or _collects(performance.ranks, found, moved):
        return None
    return performance, found


def _collects(ranks: Sequence[int], found: Dissimilarity, moved: npt.NDArray[np.float64]) -> bool:
    """Whether it is rank 0 alone that differs, and it moves as much as all others."""
    if found.odd_one is None or ranks[found.odd_one] != 0:
        return False
    return bool(moved[found.odd_one] >= _COLLECTED * np.delete(moved, found.odd_one).sum())
