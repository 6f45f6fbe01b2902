"""Waiting in MPI for ranks that compute longer, and the imbalances responsible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ...experiment import Region
from ..critical_path.serialisation import Serialisation
from ..dissimilarity.dissimilarity import Dissimilarity
from ..dissimilarity.rank_vectors import RankVectors
from ..run.criteria import CRITERIA, THRESHOLD
from ..run.selection import Selection, complete
from .late_ranks import LateRanks, find_late_ranks

__all__ = ["Waiting", "find_waiting", "followed_waiting"]

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Waiting:
    """The ranks' waiting, and its reasons.

    Attributes:
        seconds: ``float64[region]``: the part of the time in MPI that is waiting for ranks that compute longer, mean
            over the ranks.
        shares: Region → culprit → seconds for which ranks wait in the region for the ranks that are slower in the
            culprit. Culprits are regions in which ranks differ.
        hints: Like ``shares``, for regions in which waiting is at least a tenth of the time in MPI, but less than the
            material part; not included in ``seconds``.
        awaited: Region → the region that ranks wait for longest there, according to the critical path; only if waiting
            is a material part of the time in MPI, or at least a tenth of the busy time.
    """

    seconds: Values
    shares: Mapping[int, Mapping[int, float]] = field(default_factory=dict)
    hints: Mapping[int, Mapping[int, float]] = field(default_factory=dict)
    awaited: Mapping[int, Region] = field(default_factory=dict)

    @cached_property
    def late(self) -> dict[int, int]:
        """Region → the culprit whose slower ranks cause the longest waiting in the region."""
        return {region: max(shares, key=shares.__getitem__) for region, shares in self.shares.items()}


def find_waiting(weighed: Selection, found: Dissimilarity, vectors: RankVectors, selection: Selection) -> Waiting:
    """Attribute time in MPI to late ranks, but at most as much as their lateness explains.

    ``find_late_ranks`` determines the waiting in a region's own calls; it is ignored if it is an immaterial share of
    the time in MPI. A region's waiting includes that of the regions below it. Waiting is divided among the culprits
    that precede the region, in proportion to the lateness that arises in each of them.

    Args:
        weighed: All ranks, and the regions for comparing regions.
        found: The differences between the compared ranks.
        vectors: The times of the compared ranks.
        selection: The compared ranks.
    """
    experiment, regions = weighed.experiment, weighed.regions
    if not all(complete(experiment, each) for each in ("mpi_time", "cpu_time", "mpi_cpu_time")):
        return Waiting(np.zeros(len(regions)))
    by_cores = vectors.metric != "mpi_bytes"
    is_same = vectors.metric == "compute_time" and not selection.is_part
    culprits = found.culprits if by_cores else ()
    of_every_rank = vectors if is_same else RankVectors.selected(weighed)
    every = find_late_ranks(weighed, of_every_rank, culprits if is_same else ())
    compared = every if is_same or not by_cores else find_late_ranks(selection, vectors, culprits)
    counts = _counts(every)
    seconds, shares = np.where(counts, every.seconds, 0.0), _of_parts(compared)
    for index in reversed(range(len(regions))):  # visits regions before their parents
        for child in regions[index].children:
            seconds[index] += seconds[child]
            of_both = {**shares.get(index, {})}
            for culprit, each in shares.get(child, {}).items():
                of_both[culprit] = of_both.get(culprit, 0.0) + each
            if of_both:
                shares[index] = of_both
    hints = {
        index: each
        for index, each in compared.shares.items()
        if index not in shares and sum(each.values()) >= THRESHOLD * compared.in_mpi[index]
    }
    return Waiting(seconds, {index: each for index, each in shares.items() if seconds[index]}, hints)


def followed_waiting(weighed: Selection, culprits: Sequence[int], serialisation: Serialisation) -> Waiting:
    """Return the waiting that was recorded with the critical path.

    Args:
        weighed: All ranks, and the regions.
        culprits: The regions in which ranks differ.
        serialisation: Each region's contribution to the path.
    """
    ranks, delays = len(weighed.ranks), serialisation.delays
    in_mpi = weighed.sums("mpi_time") / ranks if complete(weighed.experiment, "mpi_time") else np.inf
    seconds = np.minimum(weighed.sums("wait_time") / ranks, in_mpi)
    shares: dict[int, dict[int, float]] = {}
    awaited: dict[int, Region] = {}
    busy = float(serialisation.mean[list(weighed.top)].sum())
    for index in np.flatnonzero(seconds >= np.minimum(CRITERIA.part * in_mpi, THRESHOLD * busy)).tolist():
        if late := serialisation.awaited_in(index):
            awaited[index] = late
    for index in np.flatnonzero(seconds >= CRITERIA.part * in_mpi).tolist():
        found = {culprit: float((delays.in_region(index) * delays.late[culprit]).sum()) / ranks for culprit in culprits}
        shares[index] = {culprit: each for culprit, each in found.items() if each >= CRITERIA.part * seconds[index] > 0}
    return Waiting(seconds, {index: each for index, each in shares.items() if each}, awaited=awaited)


def _counts(found: LateRanks) -> npt.NDArray[np.bool_]:
    """Return whether waiting for late ranks is a material share of each region's time in MPI: ``bool[region]``."""
    return np.asarray((found.seconds > 0) & (found.seconds >= CRITERIA.part * found.in_mpi))


def _of_parts(found: LateRanks) -> dict[int, dict[int, float]]:
    counts = _counts(found)
    return {index: {**each} for index, each in found.shares.items() if counts[index]}
