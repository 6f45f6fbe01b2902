"""Ranks that compute alike, and send or receive different volumes: time in MPI calls does not tell whose they are."""

from __future__ import annotations

from typing import Final

import numpy as np

from ..attributes import BYTES_PER_SECOND
from ..criteria import THRESHOLD
from ..selection import Selection, complete
from .dissimilarity import Dissimilarity, find_dissimilarity
from .performance import Performance

__all__ = ["differing_volumes"]

_TELLING: Final = 0.05  # of the program's time that MPI must take
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
    in_mpi = selection.sums("mpi_time")[list(selection.top)].sum() / len(selection.ranks)
    if in_mpi < _TELLING * program_time:
        return None
    performance = Performance.selected(selection, metric="mpi_bytes")
    found = find_dissimilarity(performance, floor=THRESHOLD * program_time * BYTES_PER_SECOND)
    return (performance, found) if any(_stands_out(performance, core) for core in found.cccr) else None


def _stands_out(performance: Performance, core: int) -> bool:
    """Whether, among the ranks of some program, one moves several times as much as another, and does not collect."""
    ranks = np.array(performance.ranks)
    for columns in performance.groups:
        moved = performance.values[core][columns]
        first = moved[ranks[columns] == 0].sum()
        collects = first >= _COLLECTED * (moved.sum() - first)
        if moved.max() >= _TIMES * moved.min() and moved.any() and not collects:
            return True
    return False
