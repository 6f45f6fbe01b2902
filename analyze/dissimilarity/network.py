"""Find ranks that compute for equal times but transfer different volumes, which times in MPI do not show."""

from __future__ import annotations

import numpy as np

from ...experiment import Experiment
from ...experiment.prices import Prices
from ..run.criteria import CRITERIA, THRESHOLD
from ..run.selection import Selection, complete
from .dissimilarity import Dissimilarity, find_dissimilarity
from .rank_vectors import RankVectors

__all__ = ["differing_volumes", "seconds_of_a_byte"]


def differing_volumes(selection: Selection, program_time: float) -> tuple[RankVectors, Dissimilarity] | None:
    """Compare the ranks by the bytes that they send and receive.

    A rank that waits for much data spends as much time in MPI as the rank that sends it, so times in MPI do not
    distinguish the two ranks.

    Args:
        selection: The ranks and regions.
        program_time: Mean W_program in seconds.

    Returns:
        The volumes and the differences. None in these cases: bytes were not counted; ranks spend less than a tenth of
        the run in MPI; ranks do not differ; no rank transfers more than twice as much as another (smaller differences
        are normal, because ranks at the boundary of a domain have fewer neighbours); or only rank 0 transfers more
        bytes (it collects data from all other ranks, or distributes data to them).
    """
    experiment, least = selection.experiment, THRESHOLD * program_time
    if not (complete(experiment, "mpi_bytes") and complete(experiment, "mpi_time")):
        return None
    in_mpi = selection.sums("mpi_time")[list(selection.top)].sum() / len(selection.ranks)
    if in_mpi < least:
        return None
    vectors = RankVectors.selected(selection, metric="mpi_bytes")
    found = find_dissimilarity(vectors, floor=least / seconds_of_a_byte(experiment))
    return (vectors, found) if any(_stands_out(vectors, culprit) for culprit in found.culprits) else None


def seconds_of_a_byte(experiment: Experiment) -> float:
    """Return the seconds per byte of a long message on this machine, or on a slow network if it is not calibrated."""
    prices, nodes = Prices.of(experiment.notes.prices), {(each.machine, each.node) for each in experiment.locations}
    return (prices.mpi_byte if len(nodes) == 1 else prices.mpi_byte_across) or CRITERIA.byte


def _stands_out(vectors: RankVectors, culprit: int) -> bool:
    """Return whether a rank transfers more than twice as much as another rank of its program in the given region.

    Ranks inside a domain have at most twice as many neighbours as ranks in the corners. Values within a tenth of each
    other count as equal. Programs are left out if rank 0 transfers as much as all other ranks, because rank 0 may
    collect data.
    """
    ranks = np.array(vectors.ranks)
    for columns in vectors.groups:
        moved = vectors.values[culprit][columns]
        first = moved[ranks[columns] == 0].sum()
        collects = first >= (1 - THRESHOLD) * (moved.sum() - first)
        if (1 - THRESHOLD) * moved.max() > CRITERIA.outweighs * moved.min() and not collects:
            return True
    return False
